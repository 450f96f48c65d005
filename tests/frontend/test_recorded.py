# SPDX-License-Identifier: Apache-2.0
"""Profiles differ in what is recorded where a REPLAY of count 0 does."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tilepath.tests.cosim_runs import FAST, recorded, simulate
from tilepath.tests.traces.cases import DECLARED

TRACES: Final = DECLARED["frontend"]


def test_profiles_differ_where_count_0_does(tmp_path: Path) -> None:
    issued = [
        recorded(simulate(TRACES.request("vectors", 1, profile, FAST, tmp_path / profile)))
        for profile in ("baseline", "blackhole")
    ]
    # V8b plays 64 words or 32
    total = [sum(len(run[f"t{t}.issue"]) for t in range(3)) for run in issued]
    assert total[0] - total[1] == 32
