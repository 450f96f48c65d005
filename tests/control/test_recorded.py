# SPDX-License-Identifier: Apache-2.0
"""Profiles differ in one fault of what is recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tilepath.tests.cosim_runs import FAST, simulate, trace_files
from tilepath.tests.traces.cases import DECLARED

TRACES: Final = DECLARED["control"]


def test_profiles_differ_in_stale_registers_alone(tmp_path: Path) -> None:
    """docs/control.md section 11."""
    one, other = (
        trace_files(simulate(TRACES.request("random_mix", 3, profile, FAST, tmp_path / profile)))
        for profile in ("baseline", "blackhole")
    )
    faults = {f"t{thread}.fault.bin" for thread in range(3)}
    assert one.keys() == other.keys()
    different = {name for name in one if one[name] != other[name]}
    assert different and different <= faults
