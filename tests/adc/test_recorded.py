# SPDX-License-Identifier: Apache-2.0
"""What the address counters' traces say: faults of correct software, and vector V8."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from tilepath.sequences.adc.directed.vectors import SCENES, WINDOW
from tilepath.tests.cosim_runs import EACH_SIMULATOR, FAST, recorded, simulate
from tilepath.tests.traces.cases import DECLARED

TRACES: Final = DECLARED["adc"]


def test_correct_software_sees_no_fault_and_no_conflict(tmp_path: Path) -> None:
    seen = recorded(simulate(TRACES.request("random_default", 3, "baseline", FAST, tmp_path)))
    quiet = ["t0.fault", "t1.fault", "t2.fault", "unit_fault", "conflict"]
    assert [name for name in quiet if len(seen[name])] == []


def expected(profile: str) -> list[tuple[str, str, int, int]]:
    """(stream, counter, live, checkpoint) at the end of each window of the test ``vectors``."""
    wrapped = 0 if profile == "baseline" else 256
    return [
        ("t0.unpacker0", "z0", wrapped, 253),  # V8
        ("t0.unpacker0", "z0", 7, 7),
        ("t1.unpacker0", "x0", 0x2FFFF, 0x2FFFF),
        ("t1.unpacker1", "y0", 103, 100),  # A11
        ("t2.unpacker1", "y1", 302, 300),
        ("t2.packers", "y0", 0, 0),  # P18
        ("t2.packers", "y0", 49, 49),
        ("t1.unpacker0", "y0", 9, 7),  # A13
    ]


@pytest.mark.parametrize("profile", ["baseline", "blackhole"])
@pytest.mark.parametrize("sim", EACH_SIMULATOR)
def test_vectors_end_with_what_the_specification_says(
    sim: str, profile: str, tmp_path: Path
) -> None:
    run = replace(
        TRACES.request("vectors", 1, profile, sim, tmp_path), cycles=None, block_cycles=None
    )
    seen = recorded(simulate(run))
    assert len(expected(profile)) == len(SCENES)
    for number, (stream, counter, live, checkpoint) in enumerate(expected(profile)):
        # players begin in cycle 1; the last cycle of the window
        rows = seen[stream][seen[stream]["cycle"] <= (number + 1) * WINDOW]
        value = int(rows[counter][-1])
        if counter[0] == "x":
            assert (value, int(rows[f"{counter}_cr"][-1])) == (live, checkpoint), number
        else:
            assert (value & 0xFFFF, value >> 16) == (live, checkpoint), number
    both = seen["t1.unpacker1"][seen["t1.unpacker1"]["cycle"] <= 5 * WINDOW]
    assert int(both["y1"][-1]) == 202 | 200 << 16  # A11: the thread's set as well as the adc's
    assert [int(r["where"]) for r in seen["conflict"]] == [1 << 3]
    assert [int(r["x_override"]) for r in seen["t0.fault"]] == [1]
