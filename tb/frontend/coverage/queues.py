# SPDX-License-Identifier: Apache-2.0
"""Points that count cycles: levels of the queues, states of the expanders, qstatus (F19 to F22).

Source: frontend-config section 7, paragraph FIFO.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, Point, among, each
from tilepath.tb.frontend.coverage.labels import KINDS, REPLAY_STATE, plan

_LEVELS: Final = ("0", "1", "2")
_OWN_BITS: Final = (
    "replay_busy", "mop_busy", "thcon", "xmov", "unpack", "pack", "cfg", "sync", "tdma", "sfpu",
    "math",
)  # fmt: skip
_BEFORE: Final = "the expander was busy, or about to be, a cycle earlier"

_QUEUES: Final = plan(
    "thread",
    {
        "level": among("fifo", 0, 1, "2-30", 31, other="32"),
        "push": Bins("accepted != NONE", ("no_push", "push")),
        "pop": Bins("popped", ("no_pop", "pop")),
        "accepted_kind": Bins("accepted", KINDS),
        "m_level": among("m", 0, 1, "2-6", 7, other="8"),
        "r_level": Bins("r", _LEVELS),
        "illegal": Bins("issued - 1", ("legal", "illegal")),
        "state": REPLAY_STATE,
        "played_kind": Bins("played", KINDS),
    },
    Point("fifo.level", "F19", times="cycles"),
    Point("fifo.level_x_push_x_pop", "F19", times="cycles", exclude=(
        Exclude(("0", None, "pop"), "an empty FIFO has no head to pop"),
        # F19: ready means fewer than 32 words at the start of the cycle.
        Exclude(("32", "push", None), "a full FIFO accepts nothing, even with a pop"),
    )),
    Point("fifo.push_while_full", "F19", "pop", when="refused", times="cycles"),
    Point("fifo.accepted_kind", "F19", times="cycles"),
    Point("m.level", "F20", "m_level", times="cycles"),
    Point("issue.ready_x_r_level", "F20", times="cycles"),
    Point("issue.illegal_x_ready", "F17", times="cycles", exclude=(
        Exclude(("legal", "ready0"), "a legal word leaves only with issue_ready"),
    )),
    # PLAY is entered with a write to R. After it R holds a word at the start of each cycle: at
    # level 1 one word is written and at most one leaves, at level 2 at most one leaves.
    Point("replay.state_x_r_level", "F13 F20", times="cycles",
          exclude=(Exclude(("play", "0"), "playback never finds R empty"),)),
    Point("replay.played_kind", "F14", times="cycles"),
)  # fmt: skip
_FALLEN: Final = "(before.qstatus & ~qstatus)"
_STATES: Final = plan(
    "thread",
    {
        "bit_set": each(_OWN_BITS),
        # bit 12 is constant 0 (F22): no bin
        "bit_toggled": each(
            (*_OWN_BITS, "sfpu_cc", *(f"any_{bit}" for bit in _OWN_BITS), "any_sfpu_cc")
        ),
        "mop_busy": Bins("qstatus >> 1 & 1", ("0", "1")),
        "replay_busy": Bins("qstatus & 1", ("0", "1")),
    },
    Point("replay.mop_state_x_replay_state", "F11 F13", times="cycles"),
    # 0 to 1 and back to 0, counted at the second change
    Point("qstatus.bit_toggled", "F22",
          when=f"{_FALLEN} and {_FALLEN} >> bit_toggled + (bit_toggled > 11) & 1"),
    # Bits seen set while the expanders show a state; qstatus is a cycle older (F22).
    Point("qstatus.mop_state_x_bit_set", "F22", when="qstatus >> bit_set & 1", times="cycles"),
    Point("qstatus.replay_state_x_bit_set", "F22", when="qstatus >> bit_set & 1", times="cycles"),
    # A cycle earlier the state was EXP, or a MOP was in the FIFO and was ingested.
    Point("qstatus.mop_state_x_mop_busy", "F22", times="cycles",
          exclude=(Exclude((("exp", "trans"), "0"), _BEFORE),)),
    # A cycle earlier the state was the same, or the REPLAY that started it was in M.
    Point("qstatus.replay_state_x_replay_busy", "F22", times="cycles", exclude=(
        Exclude(("play", "0"), "playback, or its REPLAY in M, counted a cycle earlier"),
        Exclude(("rec_exec", "0"), "the session, or its REPLAY in M, counted a cycle earlier"),
    )),
)  # fmt: skip
PLANS: Final = (_QUEUES, _STATES)
