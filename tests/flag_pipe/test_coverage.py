# SPDX-License-Identifier: Apache-2.0
"""The coverage model: cuts do not matter, parameters exclude what they must."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import pytest

from tilepath.tb.flag_pipe.block import BLOCK
from tilepath.tb.flag_pipe.coverage import FlagPipeCoverage
from tilepath.tb.kernel.host.run import RunRequest
from tilepath.tests.cosim_runs import FAST, recorded, simulate
from tilepath.tests.coverage_runs import counted

PROFILES: Final = ("baseline", "baseline,platform=a2a3", "baseline,nflags=4,flag_lat=1,hold_max=2")


@pytest.mark.parametrize("profile", PROFILES)
def test_what_parameters_exclude(profile: str) -> None:
    """Of each parameter one value is left; of the other platform's ports nothing."""
    report = FlagPipeCoverage(profile).report().points
    for name in ("platform", "nflags", "flag_lat", "hold_max", "beat_bytes"):
        assert len(report[f"parameter.{name}"]) == 1
    ports = {name.partition("*")[0] for name in report["port.refused"]}
    assert ("gm_rd" in ports) == ("a2a3" in profile) == ("gm_wr" in ports)
    tags = 4 if "nflags=4" in profile else 8
    assert len(report["ring.push_tag_x_free_tag"]) == 2 * tags**2 + 2 * (tags // 2) ** 2


@pytest.mark.parametrize("test", ["scenes_errors", "head_of_line", "clear_refused"])
@pytest.mark.parametrize("profile", PROFILES[:2])
def test_cuts_do_not_matter(test: str, profile: str, tmp_path: Path) -> None:
    """Counted at once, in blocks of any length, and cycle by cycle at the begin."""
    request = RunRequest("flag_pipe", test, 5, FAST, profile, out_dir=tmp_path, coverage=False)
    streams = recorded(simulate(request))
    end = 1 + max(int(r["cycle"][-1]) for r in streams.values() if len(r))
    cuts = np.random.default_rng(1).integers(1, end, 40).tolist()
    whole = counted(BLOCK, profile, streams, end)
    parts = counted(BLOCK, profile, streams, end, sorted({*range(1, 60), *cuts}))
    assert parts.report().points == whole.report().points
    assert whole.contradicted() == []
