# SPDX-License-Identifier: Apache-2.0
"""The coverage model: parameters exclude what they must."""

from __future__ import annotations

from typing import Final

import pytest

from tilepath.tb.flag_pipe.coverage import FlagPipeCoverage

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
