# SPDX-License-Identifier: Apache-2.0
"""The coverage model as a whole: by hand, with what cannot be, in both profiles."""

from __future__ import annotations

from tilepath.models.frontend import FrontendModel
from tilepath.models.frontend.account import Replaying
from tilepath.tb.frontend.coverage import FrontendCoverage
from tilepath.tests.frontend.worked import TABLES


def test_timeline_t2_by_hand() -> None:
    points = TABLES.covered({**TABLES.cases()["T2"], "cycles": 30}).report().points
    assert points["t1.outer_x_inner"] == {**dict.fromkeys(points["t1.outer_x_inner"], 0), "1*2": 1}
    assert points["t1.length"]["2"] == 1
    assert sum(points["mop_next.kind_x_length_x_m_level"].values()) == 1
    assert points["mop_next.kind_x_length_x_m_level"]["plain*2*1-7"] == 1
    assert points["mop_next.penalty"] == {
        "skipped": 0, "mop_waits_for_m": 0, "hidden": 0, "visible": 1,
    }  # fmt: skip
    # P, the MOP, and Q, which waits for the end of EXP and TRANS; threads 1 and 2 stay empty
    assert points["fifo.level"] == {"0": 3 * 62 - 5, "1": 5, "2-30": 0, "31": 0, "32": 0}
    assert points["cross.trans_x_issue"]["issuing*plain"] == 1
    assert points["qstatus.mop_state_x_mop_busy"]["exp*1"] == 1
    assert points["fifo.accepted_kind"] == {"mop": 1, "mop_cfg": 0, "plain": 2, "replay": 0}


def test_impossible_bin_that_is_hit_is_told() -> None:
    model, coverage = FrontendModel(), FrontendCoverage("baseline")
    coverage.follow(model)
    model.step({}, 8)
    model.account[0]["thread"]["replay_state"] = Replaying.PLAY  # with R empty
    coverage.sample({}, 0, 8)
    assert ("replay.state_x_r_level", "play*0") in {row[:2] for row in coverage.contradicted()}
    assert "play*0" not in coverage.report().points["replay.state_x_r_level"]


def test_profiles_exclude_counts_above_32_in_blackhole_only() -> None:
    names = {p: FrontendCoverage(p).report().points for p in ("baseline", "blackhole")}
    assert "play*33*0" in names["baseline"]["replay.mode_x_count_x_index"]
    assert "play*33*0" not in names["blackhole"]["replay.mode_x_count_x_index"]
    assert "rec*63" not in names["blackhole"]["replay.mode_x_count"]
    assert set(names["baseline"]) == set(names["blackhole"])
    reasons = FrontendCoverage("blackhole").exclusions()
    assert all(reason for _, _, reason in reasons)
    assert len(reasons) > len(FrontendCoverage("baseline").exclusions())
