# SPDX-License-Identifier: Apache-2.0
"""For each coverpoint of the front end: a play, a bin that it hits and one that it must not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tilepath.engine.description.stream import Records, stream_table
from tilepath.models.frontend import FrontendModel
from tilepath.tb.frontend.coverage import FrontendCoverage
from tilepath.tb.frontend.streams import STREAMS
from tilepath.tests.coverage_runs import Example, fed, recorded
from tilepath.tests.frontend.model_helpers import MOP1, NOP, replay, seen, streams

TABLE = stream_table(STREAMS)
DMANOP = 0x60000000
MOP_CFG = 0x03000000
PLAIN = 0x70000000  # an SFPLOAD
A, B, C = (PLAIN + n for n in range(1, 4))
START = 10  # cycle of the first push, behind the writes of MopCfg
Rows = Iterable[Sequence[int]]


def mop0(count1: int, mask: int = 0) -> int:
    """A MOP of template 0."""
    return 0x01000000 | count1 << 16 | mask & 0xFFFF


def record(index: int = 0, count: int = 1, execute: int = 0) -> int:
    """A REPLAY that loads."""
    return 0x04000001 | index << 14 | count << 4 | execute << 1


def loops(
    outer: int, inner: int, loop: int = A, loop1: int = NOP, start: int = NOP, end0: int = NOP,
    end1: int = NOP, last0: int = B, last1: int = C,
) -> tuple[int, ...]:  # fmt: skip
    """MopCfg for template 1, in its order."""
    return outer, inner, start, end0, end1, loop, loop1, last0, last1


@dataclass
class Play:
    """Words pushed as early as can be, or ``(cycle, word)``; MopCfg; the other inputs as rows."""

    push: Sequence[int | tuple[int, int]] = ()
    cfg: Sequence[int] = ()
    mopcfg: Rows = ()  # on top of ``cfg``
    sync: Rows = ()
    brisc: Rows = ()
    ready: Rows = ((0, 1),)
    cycles: int = 400
    profile: str = "baseline"
    threads: int = 1  # how many of them do this

    def streams(self) -> dict[str, Records]:
        """Of all threads, as recorders have them."""
        push = [x if isinstance(x, tuple) else (START + n, x) for n, x in enumerate(self.push)]
        config = [(n, n, data) for n, data in enumerate(self.cfg)]
        own = {
            "push": push, "mopcfg": [*config, *self.mopcfg], "sync": self.sync,
            "brisc": self.brisc, "ready": self.ready,
        }  # fmt: skip
        threads = range(self.threads)
        inputs = streams({f"t{n}.{name}": rows for n in threads for name, rows in own.items()})
        return recorded(TABLE, seen(inputs, self.cycles, self.profile))

    def coverage(self, cuts: Sequence[int] = ()) -> FrontendCoverage:
        """What has seen the play, cut into blocks at ``cuts``."""
        golden = FrontendModel(self.profile)
        return fed(FrontendCoverage(self.profile), self.streams(), self.cycles, cuts, golden)

    def counts(self, point: str) -> dict[str, int]:
        """The bins of a point."""
        return self.coverage().report().points[point]


BUG = loops(1, 0, end0=DMANOP)
T0 = (0, 3, *range(PLAIN, PLAIN + 7))
STALLED = [(40, 1)]
FULL = [A] * 43  # one more than there is room for
ALL_FAULTS = Play(
    [MOP1],
    loops(3, 30, MOP1, last0=MOP1, last1=MOP1),
    mopcfg=[(17, 8, MOP1), (25, 8, MOP1)],
    brisc=[(21, MOP1), (25, MOP1)],
)

# The MOP of six words is accepted in 10 and ingested in 11; the first cycles of its states
EXP: Final = 12
TRANS: Final = 17


def in_state(cycle: int, what: str, *fields: int) -> Play:
    """An event of an input in ``cycle`` of that MOP."""
    return Play([MOP1], loops(1, 6), **{what: [(cycle, *fields)]})  # type: ignore[arg-type]


EXAMPLES: list[Example] = [
    (Play([MOP1], loops(2, 2, A, B, A, B, C, A, C)),
     "t1.outer_x_inner 2*2 2*3-126",
     "t1.slot_x_word loop1_last*plain loop1_last*nop",
     "cross.alternation_x_outer_x_loop1_last on*2*different on*2*same",
     "cross.alternation_x_outer_x_inner on*>1*>1 off*>1*>1"),
    (Play([MOP1], loops(126, 1)), "t1.outer_x_inner 3-126*1 127*1"),
    (Play([MOP1], BUG),
     "t1.nop_flags_loop1_x_start_x_end0_x_end1 nop*nop*op*nop nop*nop*nop*nop",
     "t1.outer_x_inner_x_nop_flags 1*0*nop*nop*op*nop 1*1*nop*nop*op*nop",
     "t1.bug_condition bug end0_nop",
     "t1.bug_x_count_bits_x_end0 no*dmanop yes*dmanop",
     "t1.bug_x_loop1_x_end1 nop*nop op*nop",
     "t1.nop_lookalike end0*dmanop start*dmanop",
     "t1.length 3-32638 32639"),
    (Play([MOP1], loops(2, 0, end0=A)), "t1.bug_condition outer_not_1 bug"),
    (Play([MOP1], loops(1, 1, end0=A)), "t1.bug_condition inner_not_0 bug"),
    (Play([MOP1], loops(0x81, 0)), "t1.count_bits_7_up cfg0_set*cfg1_clear cfg0_clear*cfg1_clear"),
    (Play([MOP1 | 0x8000]), "t1.immediates mask_lo count1"),
    (Play([MOP1, PLAIN], loops(1, 2)),
     "t1.slot_x_word loop0_last*plain loop1_last*plain",
     "t1.length 2 1",
     "mop_next.kind_x_length_x_m_level plain*2*1-7 fifo_empty*2*1-7",
     "mop_next.penalty visible hidden",
     "fifo.level 1 32",
     "qstatus.bit_toggled any_mop_busy replay_busy",
     "qstatus.mop_state_x_bit_set exp*mop_busy exp*replay_busy"),
    (Play([MOP1], loops(2, 2, A, B, last1=B)),
     "cross.alternation_x_outer_x_loop1_last on*2*same on*2*different"),
    (Play([mop0(1)], T0), "t0.count1_x_has_b_x_has_a123_x_mask 1*yes*yes*0 1*yes*yes*all1"),
    (Play([MOP_CFG | 1, mop0(31, 0x8000)]),
     "t0.count1_x_has_b_x_has_a123_x_mask 31*no*no*bit15_16_edge 31*no*no*bit31",
     "t0.mask_edge bits15_16 bit15"),
    (Play([MOP_CFG | 0x8000, mop0(32)]), "t0.beyond_32_x_bit31 yes*yes no*yes"),
    (Play([mop0(0)], (0, 4)), "t0.flags_bits_2_up set clear"),
    (Play([mop0(0, 1)], T0), "t0.slot_x_word skip_b*plain a0*plain"),
    (Play([mop0(1)]), "t0.length 2 1"),
    (Play([MOP_CFG | 1, mop0(0), mop0(17)]), "t0.mask_hi stale two_mop_cfg"),
    (Play([MOP_CFG, MOP_CFG | 1, mop0(17)]), "t0.mask_hi two_mop_cfg fresh"),
    (Play([mop0(0), PLAIN, MOP_CFG, MOP1, MOP_CFG]), "t0.mop_cfg_after_mop t1 t0"),
    (Play([MOP1], mopcfg=[(11, 8, A)]), "mopcfg.ingest_distance t1*0 t1*-1"),
    (Play([MOP1, MOP1]),
     "mop_next.kind_x_length_x_m_level mop*0*0 mop_cfg*0*0",
     "cross.trans_x_issue r_empty*mop issue_stalled*mop"),
    (Play([MOP1, PLAIN]), "mop_next.penalty visible skipped"),
    (Play([MOP1, PLAIN], loops(1, 1, last0=replay(0, 4))), "mop_next.penalty hidden visible"),
    (Play([MOP1], loops(1, 1, start=replay(0, 2), last0=A)),
     "mop_next.last_replay_position_x_count first*2 last*2"),
    (Play([MOP1], BUG, ready=STALLED), "cross.bug_x_m_backpressure bug*expansion bug*ingest"),
    (Play([MOP1], loops(1, 1, last0=replay(0, 1))),
     "cross.replay_state_x_mop_emits_replay pass*play rec*play"),
    (Play([record(30, 3), A, B, C, replay(30, 3)]),
     "replay.mode_x_count rec*3-30 rec_exec*3-30",
     "replay.mode_x_wraps rec*1 rec*0",
     "replay.rec_gap rec*0 rec*1",
     "replay.back_to_back rec*play play*rec",
     "replay.read_after_write rec*other_slot rec*same_slot",
     "replay.played_kind plain replay",
     "replay.played_slots recorded partly_recorded",
     "fifo.accepted_kind replay mop_cfg"),
    (Play([replay(0, 0)]), "replay.mode_x_count play*0 play*1"),
    (Play([replay(31, 31)]), "replay.mode_x_count_x_index play*31*31 play*31*0"),
    (Play([replay(0, 1, 1)]), "replay.load_x_exec load0*exec1 load0*exec0"),
    (Play([record(0, 3), A, A, A, replay(0, 3)], ready=STALLED),
     "replay.state_x_r_level play*2 rec_exec*2"),
    (Play([replay(0, 9)]),
     "replay.mop_state_x_replay_state idle*play exp*pass",
     "qstatus.replay_state_x_bit_set play*replay_busy rec*replay_busy"),
    (Play([record(0, 1), replay(0, 1)]),
     "replay.recorded_source_x_kind fifo*replay*rec mop*replay*rec"),
    (Play([record(0, 1), MOP1], loops(1, 2)),
     "replay.rec_ended_at mid_expansion*rec expansion_end*rec"),
    (Play([record(0, 2), MOP1], loops(1, 2)),
     "replay.rec_ended_at expansion_end*rec mid_expansion*rec"),
    (Play([replay(0, 4), replay(0, 1)]), "replay.play_back_to_back >1*1 1*>1"),
    (Play([record(0, 2), A, B, record(1, 1), A]), "replay.region_overlap inside covers"),
    (Play([A, A, A]), "fifo.level_x_push_x_pop 1*push*pop 1*push*no_pop"),
    (Play(FULL, ready=()),
     "fifo.push_while_full no_pop pop",
     "issue.ready_x_r_level ready0*2 ready1*2"),
    (Play([*FULL[1:], (62, A)], ready=[(60, 1)]), "fifo.push_while_full pop no_pop"),
    (Play([A]), "m.level 1 8"),
    (in_state(EXP, "sync"),
     "sync.requested_in exp exp_mop_queued",
     "sync.acked_in_x_wait trans*>0 trans*0"),
    (in_state(TRANS, "sync"), "sync.requested_in trans idle"),
    (Play([MOP1], sync=[(START,)]), "sync.acked_with_mop_accept yes no"),
    (Play(mopcfg=[(0, 0, 1)], sync=[(1,)]), "sync.edge_x_mopcfg_distance request*-1 request*+1"),
    (Play([0x05000000]), "issue.illegal_x_ready illegal*ready1 illegal*ready0"),
    (in_state(EXP, "brisc", MOP1), "brisc.kind_x_mop_state mop*exp mop*idle"),
    (Play([replay(0, 9)], brisc=[(13, PLAIN)]), "brisc.accepted_in_replay_state play pass"),
    (Play([PLAIN] * 12, brisc=[(27, PLAIN)], ready=STALLED), "brisc.wait_for_m yes no"),
    (in_state(EXP, "brisc", A), "brisc.word_lost mop_later mop_first"),
    (in_state(EXP, "mopcfg", 8, A), "fault.kind mopcfg_race illegal"),
    (ALL_FAULTS, "fault.together all mopcfg_race+collision"),
    (Play([MOP1], loops(3, 5), mopcfg=[(17, 8, A)], brisc=[(17, PLAIN)]),
     "fault.together mopcfg_race+collision all",
     "fault.sticky both collision"),
    (Play([0xFF000000]), "fault.illegal_word_x_ready unassigned*ready1 mop*ready1"),
    (in_state(EXP, "mopcfg", 9, A), "mopcfg.index_x_mop_state 9-15*exp 8*exp"),
    (Play([PLAIN]), "qstatus.bit_toggled sfpu math"),
    (Play([MOP1]), "qstatus.mop_state_x_mop_busy trans*1 exp*1"),
    (Play([record(0, 2), A, A]), "qstatus.replay_state_x_replay_busy rec*0 rec_exec*1"),
]  # fmt: skip
