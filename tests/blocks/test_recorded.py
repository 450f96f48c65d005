# SPDX-License-Identifier: Apache-2.0
"""What the traces of some blocks say: of profiles, of correct software, of a seam."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tilepath.models.unpack.faults import WRITE_FAULTS
from tilepath.tb.frontend.streams import THREADS
from tilepath.tests.cosim_runs import FAST, recorded, simulate, trace_files
from tilepath.tests.traces.cases import DECLARED


def traces(block: str, test: str, seed: int, folder: Path, profile: str = "baseline") -> Path:
    """The folder of a run."""
    return simulate(DECLARED[block].request(test, seed, profile, FAST, folder / profile))


def test_profiles_differ_in_stale_registers_alone(tmp_path: Path) -> None:
    """docs/control.md section 11."""
    one, other = (
        trace_files(traces("control", "random_mix", 3, tmp_path, profile))
        for profile in ("baseline", "blackhole")
    )
    faults = {f"t{thread}.fault.bin" for thread in range(3)}
    assert one.keys() == other.keys()
    different = {name for name in one if one[name] != other[name]}
    assert different and different <= faults


def test_correct_software_is_told_of_nothing_that_is_undefined(tmp_path: Path) -> None:
    seen = recorded(traces("unpack", "random_default", 3, tmp_path))
    quiet = ["u0.read_fault", "u1.read_fault", "unit_fault", "counter_conflict"]
    assert [name for name in quiet if len(seen[name])] == []
    for u in range(2):  # an empty row that flips is legal: empty_flip is a warning
        told = seen[f"u{u}.write_fault"]
        assert [name for name in WRITE_FAULTS if name != "empty_flip" and told[name].any()] == []


def test_what_is_offered_issues_once_and_in_order(tmp_path: Path) -> None:
    """The front end's and the control block's own streams agree on each word, and when."""
    seen = recorded(traces("frontend_control", "random_mix", 12, tmp_path))
    for thread in range(THREADS):
        offered = seen[f"t{thread}.offer"]
        issued, dispatched = seen[f"t{thread}.issue"], seen[f"t{thread}.dispatch"]
        assert len(dispatched) > 100
        # illegal words leave the front end, but never come to the gate
        issued = issued[issued["illegal"] == 0]
        assert np.array_equal(issued["cycle"], dispatched["cycle"])
        assert np.array_equal(issued["word"], dispatched["word"])
        assert np.array_equal(offered["word"][: len(dispatched)], dispatched["word"])
        assert len(offered) - len(dispatched) in (0, 1)
        assert (offered["cycle"][: len(dispatched)] <= dispatched["cycle"]).all()
        assert (offered["cycle"][1:] > dispatched["cycle"][: len(offered) - 1]).all()
