# SPDX-License-Identifier: Apache-2.0
"""For each coverpoint: a fragment of streams, a bin that it hits and one that it must not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tilepath.tb.frontend.coverage import FrontendCoverage
from tilepath.tests.frontend.model_reference import EXP, PLAY, TRANS
from tilepath.tests.frontend.test_coverage_bench import (
    DMANOP,
    MOP1,
    MOP_CFG,
    PLAIN,
    Port,
    Script,
    mop0,
    one,
    pushing,
    ready_pattern,
    replay,
)
from tilepath.tests.frontend.test_coverage_mop_scenarios import A, B, C, loops
from tilepath.tests.frontend.test_coverage_scenarios import all_faults, race_and_collision

BUG = loops(1, 0, end0=DMANOP)
BUG_MOP = pushing(MOP1, config=BUG)
TWO_PASSES = loops(2, 2, A, B, A, B, C, A, C)
T0 = (0, 3, *range(PLAIN, PLAIN + 7))
STALLED = ready_pattern((40, 0), (400, 1))
SHORT = pushing(MOP1, PLAIN, config=loops(1, 2))
RECORD3 = pushing(replay(30, 3, 1), A, B, C, replay(30, 3))


def in_state(state: int, act: str, *args: int, first: int = MOP1) -> Script:
    """Do something in the first cycle in which the MOP expander shows ``state``."""

    def script(p: Port) -> Iterator[None]:
        yield from p.config(*loops(1, 6))
        p.offer(first)
        yield from p.until(lambda: p.thread.mop_state == state)
        getattr(p, act)(*args)
        yield from p.settle()

    return script


def brisc_while_playing(p: Port) -> Iterator[None]:
    yield from p.push(replay(0, 9))
    yield from p.until(lambda: p.thread.replay_state == PLAY)
    p.brisc(PLAIN)
    yield from p.settle()


def brisc_meets_full_m(p: Port) -> Iterator[None]:
    yield from p.push(*([PLAIN] * 12))
    yield from p.gap(5)
    p.brisc(PLAIN)
    yield from p.settle()


def full(p: Port) -> Iterator[None]:
    """A push on a full FIFO; issue_ready must be low."""
    yield from p.push(*([A] * 42))
    p.offer(A)
    yield from p.gap(9)


def full_then_ready(p: Port) -> Iterator[None]:
    """The push is first offered in the cycle in which the FIFO, still full, pops."""
    p.ready(0)
    yield from p.push(*([A] * 42))
    p.ready(1)
    yield from p.until(lambda: len(p.thread.mq) < 8)
    p.offer(A)
    yield from p.settle()


def sync_with_push(p: Port) -> Iterator[None]:
    p.sync()
    yield from p.push(MOP1)
    yield from p.settle()


def sync_after_write(p: Port) -> Iterator[None]:
    p.write(0, 1)
    yield
    p.sync()
    yield from p.settle()


def write_with_ingest(p: Port) -> Iterator[None]:
    p.offer(MOP1)
    yield
    p.write(8, A)
    yield from p.settle()


POINTS: list[tuple[str, str, str, tuple[Script, ...]]] = [
    ("t1.outer_x_inner", "2*2", "2*3-126", (pushing(MOP1, config=TWO_PASSES),)),
    ("t1.outer_x_inner", "3-126*1", "127*1", (pushing(MOP1, config=loops(126, 1)),)),
    ("t1.nop_flags_loop1_x_start_x_end0_x_end1", "nop*nop*op*nop", "nop*nop*nop*nop", (BUG_MOP,)),
    ("t1.outer_x_inner_x_nop_flags", "1*0*nop*nop*op*nop", "1*1*nop*nop*op*nop", (BUG_MOP,)),
    ("t1.bug_condition", "bug", "end0_nop", (BUG_MOP,)),
    ("t1.bug_condition", "outer_not_1", "bug", (pushing(MOP1, config=loops(2, 0, end0=A)),)),
    ("t1.bug_condition", "inner_not_0", "bug", (pushing(MOP1, config=loops(1, 1, end0=A)),)),
    ("t1.bug_x_count_bits_x_end0", "no*dmanop", "yes*dmanop", (BUG_MOP,)),
    ("t1.bug_x_loop1_x_end1", "nop*nop", "op*nop", (BUG_MOP,)),
    ("t1.count_bits_7_up", "cfg0_set*cfg1_clear", "cfg0_clear*cfg1_clear",
     (pushing(MOP1, config=loops(0x81, 0)),)),
    ("t1.nop_lookalike", "end0*dmanop", "start*dmanop", (BUG_MOP,)),
    ("t1.immediates", "mask_lo", "count1", (pushing(MOP1 | 0x8000),)),
    ("t1.slot_x_word", "loop1_last*plain", "loop1_last*nop",
     (pushing(MOP1, config=TWO_PASSES),)),
    ("t1.slot_x_word", "loop0_last*plain", "loop1_last*plain", (SHORT,)),
    ("cross.alternation_x_outer_x_loop1_last", "on*2*different", "on*2*same",
     (pushing(MOP1, config=TWO_PASSES),)),
    ("cross.alternation_x_outer_x_loop1_last", "on*2*same", "on*2*different",
     (pushing(MOP1, config=loops(2, 2, A, B, last1=B)),)),
    ("cross.alternation_x_outer_x_inner", "on*>1*>1", "off*>1*>1",
     (pushing(MOP1, config=TWO_PASSES),)),
    ("t0.count1_x_has_b_x_has_a123_x_mask", "1*yes*yes*0", "1*yes*yes*all1",
     (pushing(mop0(1), config=T0),)),
    ("t0.count1_x_has_b_x_has_a123_x_mask", "31*no*no*bit15_16_edge", "31*no*no*bit31",
     (pushing(MOP_CFG | 1, mop0(31, 0x8000)),)),
    ("t0.mask_edge", "bits15_16", "bit15", (pushing(MOP_CFG | 1, mop0(31, 0x8000)),)),
    ("t0.beyond_32_x_bit31", "yes*yes", "no*yes", (pushing(MOP_CFG | 0x8000, mop0(32)),)),
    ("t0.flags_bits_2_up", "set", "clear", (pushing(mop0(0), config=(0, 4)),)),
    ("t0.slot_x_word", "skip_b*plain", "a0*plain", (pushing(mop0(0, 1), config=T0),)),
    ("t0.length", "2", "1", (pushing(mop0(1)),)),
    ("t1.length", "3-32638", "32639", (BUG_MOP,)),
    ("t1.length", "2", "1", (SHORT,)),
    ("t0.mask_hi", "stale", "two_mop_cfg", (pushing(MOP_CFG | 1, mop0(0), mop0(17)),)),
    ("t0.mask_hi", "two_mop_cfg", "fresh", (pushing(MOP_CFG, MOP_CFG | 1, mop0(17)),)),
    ("t0.mop_cfg_after_mop", "t1", "t0", (pushing(mop0(0), PLAIN, MOP_CFG, MOP1, MOP_CFG),)),
    ("mopcfg.ingest_distance", "t1*0", "t1*-1", (write_with_ingest,)),
    ("mop_next.kind_x_length_x_m_level", "plain*2*1-7", "fifo_empty*2*1-7", (SHORT,)),
    ("mop_next.kind_x_length_x_m_level", "mop*0*0", "mop_cfg*0*0", (pushing(MOP1, MOP1),)),
    ("mop_next.penalty", "visible", "skipped", (pushing(MOP1, PLAIN),)),
    ("mop_next.penalty", "visible", "hidden", (SHORT,)),
    ("mop_next.penalty", "hidden", "visible",
     (pushing(MOP1, PLAIN, config=loops(1, 1, last0=replay(0, 4))),)),
    ("mop_next.last_replay_position_x_count", "first*2", "last*2",
     (pushing(MOP1, config=loops(1, 1, start=replay(0, 2), last0=A)),)),
    ("cross.bug_x_m_backpressure", "bug*expansion", "bug*ingest", (BUG_MOP, STALLED)),
    ("cross.replay_state_x_mop_emits_replay", "pass*play", "rec*play",
     (pushing(MOP1, config=loops(1, 1, last0=replay())),)),
    ("cross.trans_x_issue", "r_empty*mop", "issue_stalled*mop", (pushing(MOP1, MOP1),)),
    ("replay.mode_x_count", "rec*3-30", "rec_exec*3-30", (RECORD3,)),
    ("replay.mode_x_count", "play*0", "play*1", (pushing(replay(0, 0)),)),
    ("replay.mode_x_count_x_index", "play*31*31", "play*31*0", (pushing(replay(31, 31)),)),
    ("replay.mode_x_wraps", "rec*1", "rec*0", (RECORD3,)),
    ("replay.load_x_exec", "load0*exec1", "load0*exec0", (pushing(replay(0, 1, 0, 1)),)),
    ("replay.state_x_r_level", "play*2", "rec_exec*2",
     (pushing(replay(0, 3, 1), A, A, A, replay(0, 3)), STALLED)),
    ("replay.mop_state_x_replay_state", "idle*play", "exp*pass", (pushing(replay(0, 9)),)),
    ("replay.recorded_source_x_kind", "fifo*replay*rec", "mop*replay*rec",
     (pushing(replay(0, 1, 1), replay()),)),
    ("replay.rec_ended_at", "mid_expansion*rec", "expansion_end*rec",
     (pushing(replay(0, 1, 1), MOP1, config=loops(1, 2)),)),
    ("replay.rec_ended_at", "expansion_end*rec", "mid_expansion*rec",
     (pushing(replay(0, 2, 1), MOP1, config=loops(1, 2)),)),
    ("replay.rec_gap", "rec*0", "rec*1", (RECORD3,)),
    ("replay.back_to_back", "rec*play", "play*rec", (RECORD3,)),
    ("replay.play_back_to_back", ">1*1", "1*>1", (pushing(replay(0, 4), replay()),)),
    ("replay.read_after_write", "rec*other_slot", "rec*same_slot", (RECORD3,)),
    ("replay.region_overlap", "inside", "covers",
     (pushing(replay(0, 2, 1), A, B, replay(1, 1, 1), A),)),
    ("replay.played_kind", "plain", "replay", (RECORD3,)),
    ("replay.played_slots", "recorded", "partly_recorded", (RECORD3,)),
    ("fifo.level", "1", "32", (SHORT,)),
    ("fifo.level_x_push_x_pop", "1*push*pop", "1*push*no_pop", (pushing(A, A, A),)),
    ("fifo.push_while_full", "no_pop", "pop", (full, ready_pattern((1, 0)))),
    ("fifo.push_while_full", "pop", "no_pop", (full_then_ready,)),
    ("fifo.accepted_kind", "replay", "mop_cfg", (RECORD3,)),
    ("m.level", "1", "8", (pushing(A),)),
    ("sync.requested_in", "exp", "exp_mop_queued", (in_state(EXP, "sync"),)),
    ("sync.requested_in", "trans", "idle", (in_state(TRANS, "sync"),)),
    ("sync.acked_in_x_wait", "trans*>0", "trans*0", (in_state(EXP, "sync"),)),
    ("sync.acked_with_mop_accept", "yes", "no", (sync_with_push,)),
    ("sync.edge_x_mopcfg_distance", "request*-1", "request*+1", (sync_after_write,)),
    ("issue.ready_x_r_level", "ready0*2", "ready1*2", (full, ready_pattern((1, 0)))),
    ("issue.illegal_x_ready", "illegal*ready1", "illegal*ready0", (pushing(0x05000000),)),
    ("brisc.kind_x_mop_state", "mop*exp", "mop*idle", (in_state(EXP, "brisc", MOP1),)),
    ("brisc.accepted_in_replay_state", "play", "pass", (brisc_while_playing,)),
    ("brisc.wait_for_m", "yes", "no", (brisc_meets_full_m, STALLED)),
    ("brisc.word_lost", "mop_later", "mop_first", (in_state(EXP, "brisc", A),)),
    ("fault.kind", "mopcfg_race", "illegal", (in_state(EXP, "write", 8, A),)),
    ("fault.together", "all", "mopcfg_race+collision", (all_faults,)),
    ("fault.together", "mopcfg_race+collision", "all", (race_and_collision,)),
    ("fault.illegal_word_x_ready", "unassigned*ready1", "mop*ready1", (pushing(0xFF000000),)),
    ("fault.sticky", "both", "collision", (race_and_collision,)),
    ("mopcfg.index_x_mop_state", "9-15*exp", "8*exp", (in_state(EXP, "write", 9, A),)),
    ("qstatus.bit_toggled", "sfpu", "math", (pushing(PLAIN),)),
    ("qstatus.bit_toggled", "any_mop_busy", "replay_busy", (SHORT,)),
    ("qstatus.mop_state_x_bit_set", "exp*mop_busy", "exp*replay_busy", (SHORT,)),
    ("qstatus.replay_state_x_bit_set", "play*replay_busy", "rec*replay_busy",
     (pushing(replay(0, 9)),)),
    ("qstatus.mop_state_x_mop_busy", "trans*1", "exp*1", (pushing(MOP1),)),
    ("qstatus.replay_state_x_replay_busy", "rec*0", "rec_exec*1",
     (pushing(replay(0, 2, 1), A, A),)),
]  # fmt: skip


@pytest.mark.parametrize(("point", "hit", "missed", "scripts"), POINTS)
def test_point(point: str, hit: str, missed: str, scripts: tuple[Script, ...]) -> None:
    main, *behind = scripts
    counts = one(main, background=behind).counts(point)
    assert counts[hit] > 0
    assert counts[missed] == 0


def test_every_point_has_a_test() -> None:
    tested = {point for point, *_ in POINTS}
    assert tested == set(FrontendCoverage("baseline").report().points)
