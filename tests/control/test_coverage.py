# SPDX-License-Identifier: Apache-2.0
"""The coverage model as a whole: by hand, against what holds words, with what cannot be."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.tb.control.coverage import ControlCoverage, derive, requests
from tilepath.tb.control.coverage import layout as at
from tilepath.tb.control.coverage.columns import Columns
from tilepath.tb.control.coverage.words import resource
from tilepath.tb.kernel.description.stream import Records
from tilepath.tests.control.control_play import (
    MATH,
    TABLE,
    Play,
    recorded,
    sampled,
    setc16,
    stall,
    unpack,
    wrcfg,
)
from tilepath.tests.control.model_helpers import random_inputs
from tilepath.tests.coverage_runs import streams as streams_of

CYCLES = 700


def random_streams(seed: int) -> dict[str, Records]:
    rng = np.random.default_rng([1, seed])
    return recorded(random_inputs(rng, CYCLES), CYCLES)


def rows(name: str, *some: tuple[int, ...]) -> Records:
    return np.array(list(some), TABLE[name].dtype)


@pytest.mark.parametrize("seed", range(24, 48))
def test_what_is_said_to_hold_a_word_does(seed: int) -> None:
    """A word issues if and only if the derived columns know of nothing that holds it.

    Where several ask for a resource, one of them gets it.
    """
    rows = Columns().fill(random_streams(seed), 0, CYCLES)
    derive.derive(rows, 0, np.zeros(derive.MEMORY, np.int64), np.zeros(requests.MEMORY, np.int64))
    asked: dict[tuple[int, int], list[bool]] = {}
    for t in range(at.HISTORY, len(rows)):
        for thread in range(3):
            base = thread * at.PER_THREAD
            offered, issued = (bool(rows[t, base + at.EV] & bit) for bit in (1, 2))
            if not offered:
                continue
            held = int(rows[t, base + at.HELD])
            if held & (at.INSIDE | at.LATCHED | at.UNAVAILABLE | at.HOLD):
                assert not issued
            elif held & at.NO_RESOURCE:
                assert issued
            else:
                wanted = resource(int(rows[t, base + at.KIND]), int(rows[t, base + at.WORD]))
                asked.setdefault((t, wanted), []).append(issued)
    assert asked
    risc = {at.CONFIG: (at.REQ, 0, at.RISC_DONE), at.SYNC: (at.REQ, 4, at.RSEM_DONE)}
    for (t, wanted), some in asked.items():
        won = sum(some)
        if wanted in risc and t + 1 < len(rows):
            column, shift, done = risc[wanted]
            competes = int(rows[t, column]) >> shift & 8
            won += bool(competes and int(rows[t + 1, at.GEV]) & done)
        assert won == 1 or t + 1 == len(rows)


def test_a_stalled_matrix_word_by_hand() -> None:
    """STALLWAIT in 1, latch valid in 2 to 4, condition met in 4, held word issues in 5."""
    streams = streams_of(TABLE)
    word = stall(1 << 6, 1 << 9)
    streams["t0.offer"] = rows("t0.offer", (1, word), (2, MATH))
    streams["t0.issue"] = rows("t0.issue", (1, word), (5, MATH))
    streams["t0.latch"] = rows("t0.latch", (2, 1, 1, 1 << 6, 1 << 9, 0), (5, 0, 0, 0, 0, 0))
    streams["t0.busy"] = rows("t0.busy", (0, 1 << 9), (4, 0))
    streams["unit_ready"] = rows("unit_ready", (0, 63))
    streams["math"] = rows("math", (5, 0, MATH))
    points = sampled(streams, 10).report().points

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


def contradiction(streams: dict[str, Records]) -> set[tuple[str, str]]:
    return {(point, name) for point, name, _ in sampled(streams, 20).contradicted()}


def test_a_held_word_that_issues_is_a_contradiction() -> None:
    streams = streams_of(TABLE)
    streams["t1.offer"] = rows("t1.offer", (3, MATH))
    streams["t1.issue"] = rows("t1.issue", (3, MATH))
    streams["t1.latch"] = rows("t1.latch", (2, 1, 2, 1 << 6, 0x101, 0))
    streams["unit_ready"] = rows("unit_ready", (0, 63))
    assert contradiction(streams) == {("gate.latched_x_block_bit_x_class", "semwait*b6*b6*issued")}


def test_a_latch_that_outlives_its_condition_is_a_contradiction() -> None:
    streams = streams_of(TABLE)
    streams["t2.latch"] = rows("t2.latch", (2, 1, 1, 1 << 6, 1 << 9, 0))
    assert contradiction(streams) == {("gate.condition_x_latch", "stallwait*met*stays")}


def test_a_unit_that_gets_a_word_unready_is_a_contradiction() -> None:
    streams = streams_of(TABLE)
    streams["t0.offer"] = rows("t0.offer", (3, MATH))
    streams["t0.issue"] = rows("t0.issue", (3, MATH))
    streams["math"] = rows("math", (3, 0, MATH))
    assert contradiction(streams) == {("unit.ready_x_outcome", "math*not_ready*issues")}


def test_config_instructions_too_close_are_a_contradiction() -> None:
    streams = streams_of(TABLE)
    first, second = wrcfg(10), 0xB1000005
    for thread, cycle, word in ((0, 3, first), (1, 4, second)):
        streams[f"t{thread}.offer"] = rows(f"t{thread}.offer", (cycle, word))
        streams[f"t{thread}.issue"] = rows(f"t{thread}.issue", (cycle, word))
    bins = {name for _, name in contradiction(streams)}
    assert bins == {"wrcfg*rdcfg*1*other_thread*other"}


@pytest.mark.parametrize("profile", ["baseline", "blackhole"])
def test_profiles_have_the_same_bins(profile: str) -> None:
    here = ControlCoverage(profile).report()
    assert {p: list(b) for p, b in here.points.items()} == {
        p: list(b) for p, b in ControlCoverage("baseline").report().points.items()
    }


def test_a_view_shows_the_word_before_and_after_its_write() -> None:
    """WRCFG at t: a unit that issues in t+1 sees the old word, one in t+2 the new one."""
    play = Play(t0=[setc16(0, 0), (4, 0x45000101), (8, wrcfg(7)), unpack(7), unpack(7)])
    points = play.counts()["hazard.view_x_writer_x_whose_x_age"]
    assert {name for name, count in points.items() if count} == {
        "unpack0*wrcfg*own_thread*old",
        "unpack0*wrcfg*own_thread*new",
    }
