# SPDX-License-Identifier: Apache-2.0
"""For each coverpoint: a play, a bin that it hits and one that it must not."""

from __future__ import annotations

from typing import Final

import pytest

from tilepath.tb.frontend.coverage import FrontendCoverage
from tilepath.tests.frontend.coverage_play import (
    DMANOP,
    MOP_CFG,
    PLAIN,
    START,
    A,
    B,
    C,
    Play,
    loops,
    mop0,
    record,
)
from tilepath.tests.frontend.model_helpers import MOP1, replay

BUG = loops(1, 0, end0=DMANOP)
BUG_MOP = Play([MOP1], BUG)
TWO_PASSES = loops(2, 2, A, B, A, B, C, A, C)
T0 = (0, 3, *range(PLAIN, PLAIN + 7))
STALLED = [(40, 1)]
SHORT = Play([MOP1, PLAIN], loops(1, 2))
RECORD3 = Play([record(30, 3), A, B, C, replay(30, 3)])
FULL = [A] * 43  # one more than there is room for
ALL_FAULTS = Play(
    [MOP1],
    loops(3, 30, MOP1, last0=MOP1, last1=MOP1),
    mopcfg=[(17, 8, MOP1), (25, 8, MOP1)],
    brisc=[(21, MOP1), (25, MOP1)],
)
RACE_AND_COLLISION = Play([MOP1], loops(3, 5), mopcfg=[(17, 8, A)], brisc=[(17, PLAIN)])

# The MOP of six words is accepted in 10 and ingested in 11; the first cycles of its states
EXP: Final = 12
TRANS: Final = 17


def in_state(cycle: int, what: str, *fields: int) -> Play:
    """An event of an input in ``cycle`` of that MOP."""
    return Play([MOP1], loops(1, 6), **{what: [(cycle, *fields)]})  # type: ignore[arg-type]


POINTS: list[tuple[str, str, str, Play]] = [
    ("t1.outer_x_inner", "2*2", "2*3-126", Play([MOP1], TWO_PASSES)),
    ("t1.outer_x_inner", "3-126*1", "127*1", Play([MOP1], loops(126, 1))),
    ("t1.nop_flags_loop1_x_start_x_end0_x_end1", "nop*nop*op*nop", "nop*nop*nop*nop", BUG_MOP),
    ("t1.outer_x_inner_x_nop_flags", "1*0*nop*nop*op*nop", "1*1*nop*nop*op*nop", BUG_MOP),
    ("t1.bug_condition", "bug", "end0_nop", BUG_MOP),
    ("t1.bug_condition", "outer_not_1", "bug", Play([MOP1], loops(2, 0, end0=A))),
    ("t1.bug_condition", "inner_not_0", "bug", Play([MOP1], loops(1, 1, end0=A))),
    ("t1.bug_x_count_bits_x_end0", "no*dmanop", "yes*dmanop", BUG_MOP),
    ("t1.bug_x_loop1_x_end1", "nop*nop", "op*nop", BUG_MOP),
    ("t1.count_bits_7_up", "cfg0_set*cfg1_clear", "cfg0_clear*cfg1_clear",
     Play([MOP1], loops(0x81, 0))),
    ("t1.nop_lookalike", "end0*dmanop", "start*dmanop", BUG_MOP),
    ("t1.immediates", "mask_lo", "count1", Play([MOP1 | 0x8000])),
    ("t1.slot_x_word", "loop1_last*plain", "loop1_last*nop",
     Play([MOP1], TWO_PASSES)),
    ("t1.slot_x_word", "loop0_last*plain", "loop1_last*plain", SHORT),
    ("cross.alternation_x_outer_x_loop1_last", "on*2*different", "on*2*same",
     Play([MOP1], TWO_PASSES)),
    ("cross.alternation_x_outer_x_loop1_last", "on*2*same", "on*2*different",
     Play([MOP1], loops(2, 2, A, B, last1=B))),
    ("cross.alternation_x_outer_x_inner", "on*>1*>1", "off*>1*>1",
     Play([MOP1], TWO_PASSES)),
    ("t0.count1_x_has_b_x_has_a123_x_mask", "1*yes*yes*0", "1*yes*yes*all1",
     Play([mop0(1)], T0)),
    ("t0.count1_x_has_b_x_has_a123_x_mask", "31*no*no*bit15_16_edge", "31*no*no*bit31",
     Play([MOP_CFG | 1, mop0(31, 0x8000)])),
    ("t0.mask_edge", "bits15_16", "bit15", Play([MOP_CFG | 1, mop0(31, 0x8000)])),
    ("t0.beyond_32_x_bit31", "yes*yes", "no*yes", Play([MOP_CFG | 0x8000, mop0(32)])),
    ("t0.flags_bits_2_up", "set", "clear", Play([mop0(0)], (0, 4))),
    ("t0.slot_x_word", "skip_b*plain", "a0*plain", Play([mop0(0, 1)], T0)),
    ("t0.length", "2", "1", Play([mop0(1)])),
    ("t1.length", "3-32638", "32639", BUG_MOP),
    ("t1.length", "2", "1", SHORT),
    ("t0.mask_hi", "stale", "two_mop_cfg", Play([MOP_CFG | 1, mop0(0), mop0(17)])),
    ("t0.mask_hi", "two_mop_cfg", "fresh", Play([MOP_CFG, MOP_CFG | 1, mop0(17)])),
    ("t0.mop_cfg_after_mop", "t1", "t0", Play([mop0(0), PLAIN, MOP_CFG, MOP1, MOP_CFG])),
    ("mopcfg.ingest_distance", "t1*0", "t1*-1", Play([MOP1], mopcfg=[(11, 8, A)])),
    ("mop_next.kind_x_length_x_m_level", "plain*2*1-7", "fifo_empty*2*1-7", SHORT),
    ("mop_next.kind_x_length_x_m_level", "mop*0*0", "mop_cfg*0*0", Play([MOP1, MOP1])),
    ("mop_next.penalty", "visible", "skipped", Play([MOP1, PLAIN])),
    ("mop_next.penalty", "visible", "hidden", SHORT),
    ("mop_next.penalty", "hidden", "visible",
     Play([MOP1, PLAIN], loops(1, 1, last0=replay(0, 4)))),
    ("mop_next.last_replay_position_x_count", "first*2", "last*2",
     Play([MOP1], loops(1, 1, start=replay(0, 2), last0=A))),
    ("cross.bug_x_m_backpressure", "bug*expansion", "bug*ingest", Play([MOP1], BUG, ready=STALLED)),
    ("cross.replay_state_x_mop_emits_replay", "pass*play", "rec*play",
     Play([MOP1], loops(1, 1, last0=replay(0, 1)))),
    ("cross.trans_x_issue", "r_empty*mop", "issue_stalled*mop", Play([MOP1, MOP1])),
    ("replay.mode_x_count", "rec*3-30", "rec_exec*3-30", RECORD3),
    ("replay.mode_x_count", "play*0", "play*1", Play([replay(0, 0)])),
    ("replay.mode_x_count_x_index", "play*31*31", "play*31*0", Play([replay(31, 31)])),
    ("replay.mode_x_wraps", "rec*1", "rec*0", RECORD3),
    ("replay.load_x_exec", "load0*exec1", "load0*exec0", Play([replay(0, 1, 1)])),
    ("replay.state_x_r_level", "play*2", "rec_exec*2",
     Play([record(0, 3), A, A, A, replay(0, 3)], ready=STALLED)),
    ("replay.mop_state_x_replay_state", "idle*play", "exp*pass", Play([replay(0, 9)])),
    ("replay.recorded_source_x_kind", "fifo*replay*rec", "mop*replay*rec",
     Play([record(0, 1), replay(0, 1)])),
    ("replay.rec_ended_at", "mid_expansion*rec", "expansion_end*rec",
     Play([record(0, 1), MOP1], loops(1, 2))),
    ("replay.rec_ended_at", "expansion_end*rec", "mid_expansion*rec",
     Play([record(0, 2), MOP1], loops(1, 2))),
    ("replay.rec_gap", "rec*0", "rec*1", RECORD3),
    ("replay.back_to_back", "rec*play", "play*rec", RECORD3),
    ("replay.play_back_to_back", ">1*1", "1*>1", Play([replay(0, 4), replay(0, 1)])),
    ("replay.read_after_write", "rec*other_slot", "rec*same_slot", RECORD3),
    ("replay.region_overlap", "inside", "covers",
     Play([record(0, 2), A, B, record(1, 1), A])),
    ("replay.played_kind", "plain", "replay", RECORD3),
    ("replay.played_slots", "recorded", "partly_recorded", RECORD3),
    ("fifo.level", "1", "32", SHORT),
    ("fifo.level_x_push_x_pop", "1*push*pop", "1*push*no_pop", Play([A, A, A])),
    ("fifo.push_while_full", "no_pop", "pop", Play(FULL, ready=())),
    ("fifo.push_while_full", "pop", "no_pop", Play([*FULL[1:], (62, A)], ready=[(60, 1)])),
    ("fifo.accepted_kind", "replay", "mop_cfg", RECORD3),
    ("m.level", "1", "8", Play([A])),
    ("sync.requested_in", "exp", "exp_mop_queued", in_state(EXP, "sync")),
    ("sync.requested_in", "trans", "idle", in_state(TRANS, "sync")),
    ("sync.acked_in_x_wait", "trans*>0", "trans*0", in_state(EXP, "sync")),
    ("sync.acked_with_mop_accept", "yes", "no", Play([MOP1], sync=[(START,)])),
    ("sync.edge_x_mopcfg_distance", "request*-1", "request*+1",
     Play(mopcfg=[(0, 0, 1)], sync=[(1,)])),
    ("issue.ready_x_r_level", "ready0*2", "ready1*2", Play(FULL, ready=())),
    ("issue.illegal_x_ready", "illegal*ready1", "illegal*ready0", Play([0x05000000])),
    ("brisc.kind_x_mop_state", "mop*exp", "mop*idle", in_state(EXP, "brisc", MOP1)),
    ("brisc.accepted_in_replay_state", "play", "pass", Play([replay(0, 9)], brisc=[(13, PLAIN)])),
    ("brisc.wait_for_m", "yes", "no", Play([PLAIN] * 12, brisc=[(27, PLAIN)], ready=STALLED)),
    ("brisc.word_lost", "mop_later", "mop_first", in_state(EXP, "brisc", A)),
    ("fault.kind", "mopcfg_race", "illegal", in_state(EXP, "mopcfg", 8, A)),
    ("fault.together", "all", "mopcfg_race+collision", ALL_FAULTS),
    ("fault.together", "mopcfg_race+collision", "all", RACE_AND_COLLISION),
    ("fault.illegal_word_x_ready", "unassigned*ready1", "mop*ready1", Play([0xFF000000])),
    ("fault.sticky", "both", "collision", RACE_AND_COLLISION),
    ("mopcfg.index_x_mop_state", "9-15*exp", "8*exp", in_state(EXP, "mopcfg", 9, A)),
    ("qstatus.bit_toggled", "sfpu", "math", Play([PLAIN])),
    ("qstatus.bit_toggled", "any_mop_busy", "replay_busy", SHORT),
    ("qstatus.mop_state_x_bit_set", "exp*mop_busy", "exp*replay_busy", SHORT),
    ("qstatus.replay_state_x_bit_set", "play*replay_busy", "rec*replay_busy",
     Play([replay(0, 9)])),
    ("qstatus.mop_state_x_mop_busy", "trans*1", "exp*1", Play([MOP1])),
    ("qstatus.replay_state_x_replay_busy", "rec*0", "rec_exec*1",
     Play([record(0, 2), A, A])),
]  # fmt: skip


@pytest.mark.parametrize(("point", "hit", "missed", "play"), POINTS)
def test_point(point: str, hit: str, missed: str, play: Play) -> None:
    counts = play.counts(point)
    assert counts[hit] > 0
    assert counts[missed] == 0


def test_every_point_has_a_test() -> None:
    tested = {point for point, *_ in POINTS}
    assert tested == set(FrontendCoverage("baseline").report().points)
