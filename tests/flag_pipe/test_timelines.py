# SPDX-License-Identifier: Apache-2.0
"""The worked timelines of docs/flag_pipe.md section 7, in what the RTL was recorded to do."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import pytest

from tilepath.tb.kernel.host.run import RunRequest
from tilepath.tests.cosim_runs import recorded, simulate
from tilepath.tests.planted import SIM

TPUSH, TPOP, TFREE = 1, 2, 3
USE_40: Final = {TPUSH: (10, 19, 28, 37, 64), TPOP: (13, 58, 103, 148, 193),
                 TFREE: (55, 100, 145, 190, 235)}  # fmt: skip
USE_6: Final = {TPUSH: (10, 19, 28, 37, 46, 55), TPOP: (13, 24, 35, 46, 57, 68),
                TFREE: (21, 32, 43, 54, 65, 76)}  # fmt: skip
USE_6_A2A3: Final = {TPOP: (19, 36, 53, 70, 87, 104), TFREE: (27, 44, 61, 78, 95, 112)}
TWO_WAYS: Final = {TPUSH: (13, 33, 53, 73, 93), TPOP: (16, 36, 56, 76, 96),
                   TFREE: (24, 44, 64, 84, 104)}  # fmt: skip

CASES: Final = [
    ("timeline_use_40", "baseline,nflags=4", (0, 1), USE_40),
    ("timeline_use_6", "baseline,nflags=4", (0, 1), USE_6),
    ("timeline_use_6", "baseline,nflags=4,platform=a2a3", (0, 1), USE_6_A2A3),
    ("timeline_two_ways", "baseline", (0,), TWO_WAYS),
    ("timeline_two_ways", "baseline", (1,), TWO_WAYS),
]


@pytest.mark.parametrize(("test", "profile", "cores", "expected"), CASES)
def test_responses(
    test: str,
    profile: str,
    cores: tuple[int, ...],
    expected: dict[int, tuple[int, ...]],
    tmp_path: Path,
) -> None:
    """Cycles count from the acceptance of the INITs; a SET is in the cycle of the response."""
    seen = recorded(simulate(RunRequest("flag_pipe", test, 1, SIM, profile, out_dir=tmp_path)))
    begin = int(seen["core0.cmd"]["cycle"][0])
    for op, cycles in expected.items():
        found = [seen[f"core{n}.rsp"] for n in cores]
        mine = np.concatenate([rsp["cycle"][rsp["op"] == op] for rsp in found]) - begin
        assert tuple(mine[: len(cycles)].tolist()) == cycles, op
