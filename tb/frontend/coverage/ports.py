# SPDX-License-Identifier: Apache-2.0
"""Points of the ports: mop_sync, BRISC, MopCfg, faults (F7, F17, F18, F21).

Source: frontend-config section 7, paragraph FIFO.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, Point, among, each, yes
from tilepath.tb.frontend.coverage.labels import plan

_SYNC: Final = plan(
    "thread",
    {
        "requested_in": Bins(
            "mop_state * 2 + (mops > 0)",
            ("idle", "mop_queued", "exp", "exp_mop_queued", "trans", "trans_mop_queued"),
        ),
        "acked_in": Bins("mop_state == TRANS", ("idle", "trans")),
        "wait": Bins("not requested and asked.cycle < cycle", ("0", ">0")),
        "mop_accept": yes("accepted == MOP"),
    },
    Point("sync.requested_in", "F21", when="requested"),
    # Refused in the cycle before, so that a MOP was queued or the state EXP. Either the MOP was
    # popped in that cycle, or EXP ended with it: both lead to EXP or TRANS, never to IDLE.
    Point("sync.acked_in_x_wait", "F21", when="acknowledged",
          exclude=(Exclude(("idle", ">0"), "what holds a mop_sync up ends in TRANS"),)),
    # F21: a word accepted in the cycle of the acknowledge is not in the FIFO yet.
    Point("sync.acked_with_mop_accept", "F21", "mop_accept", when="acknowledged"),
)  # fmt: skip
# Of two things, at a distance: what happens in this cycle or the one before
_WRITTEN: Final = "(before.written if mopcfg_distance == 0 else written)"
_NEAR: Final = plan(
    "thread",
    {
        "template": each(("t0", "t1")),
        "edge": each(("request", "ack")),
        "mopcfg_distance": each(("-1", "0", "+1")),
    },
    # The write at -1 is the last one that the MOP sees.
    Point("mopcfg.ingest_distance", "F7", "template mopcfg_distance", when=f"{_WRITTEN} and"
          " (before.ingested if mopcfg_distance == 2 else ingested) == template + 1"),
    Point("sync.edge_x_mopcfg_distance", "F7 F21", when=f"{_WRITTEN} and"
          " ((before.acknowledged if edge else before.requested) if mopcfg_distance == 2"
          " else acknowledged if edge else requested)"),
)  # fmt: skip
_WRITE: Final = plan(
    "write",
    {"index": among("index", *range(9), other="9-15")},
    Point("mopcfg.index_x_mop_state", "F7"),
)
_BRISC: Final = plan(
    "brisc",
    {
        "wait_for_m": yes("waited > 0"),
        "word_lost": Bins("lost - 1", ("passed_through", "mop_first", "mop_later")),
    },
    Point("brisc.kind_x_mop_state", "F18"),
    Point("brisc.accepted_in_replay_state", "F18", "replay_state"),
    Point("brisc.wait_for_m", "F18"),
    Point("brisc.word_lost", "F18"),
)
_FAULT: Final = plan.where("faults")(
    "thread",
    {
        "kind": each(("illegal", "mopcfg_race", "collision")),
        "together": Bins(
            "faults - 1",
            ("illegal", "mopcfg_race", "illegal+mopcfg_race", "collision", "illegal+collision",
             "mopcfg_race+collision", "all"),
        ),
        "illegal_word": Bins(
            {"mop": "opcode == OP_MOP", "mop_cfg": "opcode == OP_MOP_CFG",
             "unassigned": "opcode not in (OP_REPLAY, OP_RESOURCEDECL)",
             "replay": "opcode == OP_REPLAY", "resourcedecl": "1"}
        ),
    },
    Point("fault.kind", "F7 F17 F18", when="faults >> kind & 1"),
    Point("fault.together", "F7 F17 F18"),
    Point("fault.illegal_word_x_ready", "F9 F17", when="faults & 1"),
)  # fmt: skip
_STICKY: Final = plan.where("sticky != before.sticky")(
    "thread",
    {"sticky": Bins("sticky - 1", ("mopcfg_race", "collision", "both"))},
    Point("fault.sticky", "F7 F18"),
)
PLANS: Final = (_SYNC, _NEAR, _WRITE, _BRISC, _FAULT, _STICKY)
