# SPDX-License-Identifier: Apache-2.0
"""The coverage model as a whole: by hand, in every profile, with what cannot be."""

from __future__ import annotations

import pytest

from tilepath.engine.compiled.columns import column
from tilepath.models.control import ControlModel
from tilepath.tb.control.coverage import ControlCoverage
from tilepath.tests.control.control_play import MATH, Play, setc16, stall, unpack, wrcfg


def test_a_stalled_matrix_word_by_hand() -> None:
    """STALLWAIT in 1, latch valid in 2 to 4, condition met in 4, held word issues in 5."""
    play = Play([(1, stall(1 << 6, 1 << 9)), MATH], busy=lambda t: (t < 4) << 9,
                ready=lambda _: 63, cycles=10)  # fmt: skip
    points = play.counts()

    def hit(point: str) -> dict[str, int]:
        return {name: count for name, count in points[point].items() if count}

    assert hit("gate.latched_x_block_bit_x_class") == {"stallwait*b6*b6*held": 3}
    assert hit("gate.latched_x_lived") == {"stallwait*>2": 1}
    assert hit("gate.condition_x_latch") == {
        "stallwait*not_met*stays": 2,
        "stallwait*met*cleared": 1,
    }
    assert hit("gate.cleared_while") == {"stallwait*held": 1}
    assert hit("gate.stallwait_condition") == {"cond9*holds_alone": 2, "cond9*released": 1}
    assert hit("gate.opcode") == {"26*held": 3, "26*free": 1}
    assert hit("gate.wait_opcode") == {"a2*free": 1}
    assert hit("gate.condition_pulse") == {}
    assert hit("arbiter.threads_x_winner") == {"math*t0*t0": 1}
    assert hit("unit.ready_x_outcome") == {"math*ready*issues": 1, "math*ready*waits": 3}


@pytest.mark.parametrize(
    ("kind", "field", "value", "bins"),
    [
        ("gate", "wins", 1, ("gate.latched_x_block_bit_x_class", "stallwait*b6*b6*issued")),
        ("gate", "ready", 0, ("unit.ready_x_outcome", "math*not_ready*issues")),
    ],
)
def test_what_cannot_be_is_a_contradiction(
    kind: str, field: str, value: int, bins: tuple[str, str]
) -> None:
    model, coverage = ControlModel(), ControlCoverage("baseline")
    coverage.follow(model)
    play = Play([(1, stall(1 << 6, 1 << 9)), MATH], busy=lambda t: (t < 4) << 9, cycles=10)
    streams = play.streams()
    model.step({name: streams[name] for name in model.inputs}, 10)
    column(model.account[0][kind], field)[:] = value
    coverage.sample(streams, 0, 10)
    assert bins in {row[:2] for row in coverage.contradicted()}


def test_profiles_have_the_same_bins_but_of_stale_registers() -> None:
    older, newer = (
        {
            f"{point}:{name}"
            for point, bins in ControlCoverage(p).report().points.items()
            for name in bins
        }
        for p in ("baseline", "blackhole")
    )
    assert older < newer and all("stale_gpr" in one for one in newer - older)


def test_a_view_shows_the_word_before_and_after_its_write() -> None:
    """WRCFG at t: a unit that issues in t+1 sees the old word, one in t+2 the new one."""
    play = Play(t0=[setc16(0, 0), (4, 0x45000101), (8, wrcfg(7)), unpack(7), unpack(7)])
    points = play.counts()["hazard.view_x_writer_x_whose_x_age"]
    assert {name for name, count in points.items() if count} == {
        "unpack0*wrcfg*own_thread*old",
        "unpack0*wrcfg*own_thread*new",
    }
