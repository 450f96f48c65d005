# SPDX-License-Identifier: Apache-2.0
"""The coverage model as a whole: by hand, against what levels do to words, with bad input."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tilepath.tb.frontend.coverage import FrontendCoverage, layout
from tilepath.tb.frontend.coverage.columns import Columns, ThreadMemory
from tilepath.tb.kernel.coverage.recorded import Recorded
from tilepath.tb.kernel.description.stream import Records
from tilepath.tests.coverage_runs import recorded
from tilepath.tests.coverage_runs import streams as streams_of
from tilepath.tests.frontend.coverage_play import PLAIN, TABLE, A, Play, loops, record
from tilepath.tests.frontend.model_helpers import MOP1, NOP, random_inputs, seen

CYCLES = 1000


def streams(**rows: Sequence[tuple[int, ...]]) -> dict[str, Records]:
    """Streams of thread 0 from rows of (cycle, fields); all others empty."""
    return streams_of(TABLE, **{f"t0_{name}": some for name, some in rows.items()})


def t2_streams() -> dict[str, Records]:
    """Timeline T2, by hand: MopCfg as after reset but for Outer, Inner, LoopOp, Loop0Last."""
    p, q, loop, last = 0x70000001, 0x70000002, 0x70000003, 0x70000004
    config = [(0, 1), (1, 2), (2, NOP), (3, NOP), (5, loop), (6, NOP), (7, last)]
    at = 10
    return streams(
        mopcfg=[(i, *row) for i, row in enumerate(config)],
        push=[(at, p), (at + 1, MOP1), (at + 2, q)],
        accept=[(at,), (at + 1,), (at + 2,)],
        ingest=[(at + 2, MOP1)],
        mq=[(at + 1, p), (at + 2, loop), (at + 3, last), (at + 5, q)],
        rq=[(at + 2, p), (at + 3, loop), (at + 4, last), (at + 6, q)],
        issue=[(at + 3, p, 0), (at + 4, loop, 0), (at + 5, last, 0), (at + 7, q, 0)],
        ready=[(0, 1)],
        status=[(at + 3, 1, 0), (at + 4, 2, 0), (at + 5, 0, 0)],
        qstatus=[(at + 2, 1 << 9 | 1 << 22), (at + 3, 1 << 9 | 1 << 22 | 1 << 1 | 1 << 14)],
    )


def test_timeline_t2_by_hand() -> None:
    model = FrontendCoverage("baseline")
    model.sample(t2_streams(), 0, 30)
    points = model.report().points
    assert points["t1.outer_x_inner"] == {**dict.fromkeys(points["t1.outer_x_inner"], 0), "1*2": 1}
    assert points["t1.length"]["2"] == 1
    assert sum(points["mop_next.kind_x_length_x_m_level"].values()) == 1
    assert points["mop_next.kind_x_length_x_m_level"]["plain*2*1-7"] == 1
    assert points["mop_next.penalty"] == {
        "skipped": 0, "mop_waits_for_m": 0, "hidden": 0, "visible": 1,
    }  # fmt: skip
    # P, the MOP, and Q, which waits for the end of EXP and TRANS; threads 1 and 2 stay empty
    assert points["fifo.level"] == {"0": 85, "1": 5, "2-30": 0, "31": 0, "32": 0}
    assert points["cross.trans_x_issue"]["issuing*plain"] == 1
    assert points["qstatus.mop_state_x_mop_busy"]["exp*1"] == 1
    assert points["fifo.accepted_kind"] == {"mop": 1, "mop_cfg": 0, "plain": 2, "replay": 0}


def waits(records: Records, answers: Records) -> np.ndarray:
    """In which cycles an offer stands on a port that is not taken in them."""
    waiting = np.zeros(CYCLES, bool)
    ends = [*answers["cycle"], CYCLES]
    for cycle, end in zip(records["cycle"], ends, strict=False):
        waiting[cycle:end] = True
    return waiting


@pytest.mark.parametrize("seed", range(6))
def test_levels_are_those_that_hold_words_back(seed: int) -> None:
    """An offer waits while its queue is full, R's head leaves when it may, and no word is made."""
    shown = recorded(TABLE, seen(random_inputs(np.random.default_rng([1, seed]), CYCLES), CYCLES))
    for thread in range(3):
        mine = {name[3:]: some for name, some in shown.items() if name.startswith(f"t{thread}.")}
        rows = {n: Recorded(TABLE[f"t{thread}.{n}"]).rows(some) for n, some in mine.items()}
        c = Columns(CYCLES)
        c.fill(ThreadMemory.after_reset(64).track, rows, 0)
        expanding = c.mop == layout.EXP
        for offer, answer, held in (
            ("push", "accept", c.fifo == layout.FIFO_DEPTH),
            ("brisc", "brisc_accept", c.m == layout.M_DEPTH),
            ("sync", "sync_ack", expanding | (c.mops > 0)),
        ):
            offered = waits(mine[offer], mine[answer])
            offered[mine[answer]["cycle"]] = True
            assert np.array_equal(offered & held, waits(mine[offer], mine[answer])), offer
        has = {bit: c.ev & bit != 0 for bit in (layout.ISSUE, layout.RQ, layout.MQ, layout.INGEST)}
        assert not (has[layout.ISSUE] & (c.r == 0)).any()
        assert (has[layout.ISSUE] >= ((c.r > 0) & (c.ev & layout.READY != 0))).all()
        assert not (has[layout.RQ] & (c.r == layout.R_DEPTH)).any()
        assert not (has[layout.MQ] & (c.m == layout.M_DEPTH)).any()
        kinds = c.head[has[layout.INGEST]]
        words = c.ingest[has[layout.INGEST]] >> 24
        assert (kinds == np.where(words == 1, layout.KIND_MOP, layout.KIND_MOP_CFG)).all()
        # the register shows a cycle later whether a MOP is queued or expanding
        busy = expanding | (c.mops > 0)
        assert np.array_equal(c.qstatus[1:] >> 1 & 1, busy[:-1])


def test_long_expansion_and_session_across_blocks() -> None:
    config = loops(127, 127, A, NOP, A, A, A, A, A)
    play = Play([record(31, 63, 1), MOP1, A], config, cycles=17_000)
    model = play.coverage(range(64, play.cycles, 64))
    points = model.report().points
    assert points["t1.outer_x_inner"]["127*127"] == 1
    assert points["t1.length"]["3-32638"] == 1
    assert points["replay.rec_ended_at"]["mid_expansion*rec_exec"] == 1
    assert points == play.coverage().report().points
    assert model._columns.capacity <= 64 + 64


def test_a_models_records_and_read_only_records_are_taken() -> None:
    run = Play([MOP1, PLAIN], loops(1, 2))
    expected = run.coverage().report().points
    wide = {}
    for name, records in run.streams().items():
        fields = [(f, "<u4") for f in records.dtype.names or ()]
        wide[name] = np.zeros(len(records), [*fields, ("origin", "<i8")])
        for f, _ in fields:
            wide[name][f] = records[f]
    frozen = {
        name: np.frombuffer(records.tobytes(), records.dtype) if len(records) else records
        for name, records in run.streams().items()
    }
    for some in (wide, frozen):
        model = FrontendCoverage("baseline")
        model.sample(some, 0, run.cycles)
        assert model.report().points == expected


def test_impossible_bin_that_is_hit_is_told() -> None:
    model = FrontendCoverage("baseline")
    model.sample(streams(ready=[], status=[(3, 0, 1)]), 0, 8)  # PLAY with R empty
    assert ("replay.state_x_r_level", "play*0") in {row[:2] for row in model.contradicted()}
    assert "play*0" not in model.report().points["replay.state_x_r_level"]


def test_nonsense_streams_do_no_harm() -> None:
    """What a broken DUT may record: pops of empty queues, writes to full ones, unknown states."""
    every = [(t, 0x04000013) for t in range(200)]
    some = streams(
        push=every,
        accept=[(t,) for t in range(200)],
        mq=every,
        rq=every,
        ingest=every,
        status=[(t, 3, t & 3) for t in range(200)],
        mopcfg=[(t, 15, 0) for t in range(200)],
        issue=[(t, 1, 1) for t in range(0, 200, 5)],
    )
    model = FrontendCoverage("baseline")
    model.sample(some, 0, 200)
    assert all(n >= 0 for bins in model.report().points.values() for n in bins.values())


def test_profiles_exclude_counts_above_32_in_blackhole_only() -> None:
    names = {p: FrontendCoverage(p).report().points for p in ("baseline", "blackhole")}
    assert "play*33*0" in names["baseline"]["replay.mode_x_count_x_index"]
    assert "play*33*0" not in names["blackhole"]["replay.mode_x_count_x_index"]
    assert "rec*63" not in names["blackhole"]["replay.mode_x_count"]
    assert set(names["baseline"]) == set(names["blackhole"])
    reasons = FrontendCoverage("blackhole").exclusions()
    assert all(reason for _, _, reason in reasons)
    assert len(reasons) > len(FrontendCoverage("baseline").exclusions())


@pytest.mark.parametrize(("profile", "count"), [("baseline", 64), ("blackhole", 32)])
def test_count_0_stands_for_what_the_profile_says(profile: str, count: int) -> None:
    for words, ended in ((count, 1), (count - 1, 0)):
        play = Play([record(0, 0), *[A] * words], profile=profile)
        assert play.counts("replay.mode_x_count")["rec*0"] == ended


def test_threads_count_into_the_same_bins() -> None:
    play = Play([MOP1], loops(1, 0, end0=A), threads=3)
    assert play.counts("t1.bug_condition")["bug"] == 3
