# SPDX-License-Identifier: Apache-2.0
"""``frontend+control``: both simulators write the same traces, and the seam is in them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import pytest

from tilepath.tb.frontend.streams import THREADS
from tilepath.tests.cosim_runs import FAST, needs_icarus, recorded, simulate
from tilepath.tests.trace_checks import Traces

TRACES: Final = Traces("frontend_control", cycles=2400)
CASES: Final = [
    ("random_default", 3, "baseline"),
    ("random_mix", 0x5EED_CAFE, "baseline"),
    ("random_mix", 7, "blackhole"),
    ("matmul", 1, "baseline"),
]


@needs_icarus
@pytest.mark.parametrize(("test", "seed", "profile"), CASES)
def test_both_simulators_write_the_same_bytes(
    test: str, seed: int, profile: str, tmp_path: Path
) -> None:
    TRACES.assert_simulators_agree(test, seed, profile, tmp_path)


def test_what_is_offered_issues_once_and_in_order(tmp_path: Path) -> None:
    """The two blocks' own streams agree on each word that crosses the seam, and when."""
    seen = recorded(simulate(TRACES.request("random_mix", 11, "baseline", FAST, tmp_path)))
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
