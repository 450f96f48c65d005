# SPDX-License-Identifier: Apache-2.0
"""Points of expansions: how long, what follows them, crosses with the neighbours (F4, F8, F11).

Source: frontend-config section 7, paragraphs "MOP->next" and "Highest-value crosses".
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, Point, among, each
from tilepath.tb.frontend.coverage.labels import HEADS, MODES, plan

# The last word of the expansion was written to M in the cycle before TRANS (in a collision:
# BRISC's word was). A word written in t is in M in t+1, whatever else is popped in t.
_NOT_EMPTY: Final = (
    Exclude((None, ("1", "2", ">2"), "0"), "the last emitted word is still in M during TRANS"),
)

_MOP_CFG: Final = plan.where("ingested == 3")(
    "thread",
    {"after": Bins("given.ingested - 1", ("t0", "t1"))},
    Point("t0.mop_cfg_after_mop", "F8", "after"),
)
_TRANS: Final = plan.where("mop_state == TRANS")(
    "thread",
    {
        "t0_length": among("length", 1, 2, "3-639", other="640"),
        "t1_length": among("length", 0, 1, 2, "3-32638", other="32639"),
        "kind": Bins("head", HEADS),
        "length": among("length", 0, 1, 2, other=">2"),
        "m_level": among("m", 0, "1-7", other="8"),
        # of the last REPLAY that plays; in an expansion of one word it is "last"
        "position": Bins(
            {"first": "replay_at == 1 and length > 1", "middle": "replay_at < length", "last": "1"}
        ),
        "count": among("replay_count", 1, 2, other=">2"),
        "bug": Bins("not defect", ("bug", "no_bug")),
        "m_backpressure": Bins("waited + 2 * held", ("none", "ingest", "expansion", "both")),
        "issue": Bins("(ready or issued > 0) if r else 2", ("issue_stalled", "issuing", "r_empty")),
    },
    Point("t0.length", "F4", "t0_length", when="not template and length"),
    Point("t1.length", "F4", "t1_length", when="template"),
    Point("mop_next.kind_x_length_x_m_level", "F11", exclude=_NOT_EMPTY),
    Point("mop_next.last_replay_position_x_count", "F11 F20", "position count", when="replay_at"),
    Point("cross.bug_x_m_backpressure", "F3 F20", when="template"),
    Point("cross.trans_x_issue", "F11", "issue kind"),
)  # fmt: skip
_PENALTY: Final = plan(
    "thread",
    {
        # a MOP that finds TRANS; another word, which loses a cycle, in the cycle after
        "of": each(("mop", "other")),
        # Hidden: in the cycle after the lost one the replay expander still has something to write.
        "penalty": Bins(
            {"skipped": "of == 0 and ingested", "mop_waits_for_m": "of == 0",
             "hidden": "m > 0 or replay_state == PLAY", "visible": "1"}
        )
    },
    Point("mop_next.penalty", "F11 F12", when="mop_state == TRANS and head == MOP if of == 0 else"
          " before.mop_state == TRANS and before.head not in (MOP, NONE)"),
)  # fmt: skip
_EMITTED: Final = plan(
    "emitted",
    {
        "mop_emits_replay": Bins("word.load * (1 + word.exec)", MODES),
    },
    Point("cross.replay_state_x_mop_emits_replay", "F13 F14"),
)
PLANS: Final = (_MOP_CFG, _TRANS, _PENALTY, _EMITTED)
