# SPDX-License-Identifier: Apache-2.0
"""What random stimulus of the front end is drawn from (front-end specification, section 7).

A thread's program is *segments*, each of *steps*; where those say so, there are *words*. A segment
is correct whatever precedes it, so any may follow any other. Where the defaults stand, nothing
makes a fault: MopCfg is written only behind a blocking mop_sync, and what is recorded holds plain
words alone.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tilepath.engine.stimulus.gaps import paced
from tilepath.engine.stimulus.tables import (
    Table,
    by,
    chance,
    choice,
    column,
    mix,
    pauses,
    uniform,
)
from tilepath.sequences.frontend import words as w

SEGMENTS: Final = (
    "plain", "template0", "template1", "mops", "loop", "plays", "rewrite", "fed_record", "probe",
    "race", "illegal", "start",
)  # fmt: skip
DOES: Final = (
    "plain", "illegal", "own_mop", "mop", "mask", "play", "play_again", "write", "sync",
)  # fmt: skip
PLACES: Final = ("illegal", "play", "small", "stored")
GROUPS: Final = (*w.CLASSES, "barred")
CONTENTS: Final = (
    "nop", "nop_junk", "dmanop", "sfpnop", "play", "record", "plain", "mop", "mop_cfg", "illegal",
)  # fmt: skip
MASKED: Final = ("not", "once", "wrong_first")
GATES: Final = ("none", "random", "long", "alternating", "rare")

LEGAL_CONTENTS: Final = {
    "nop": 5.0, "nop_junk": 2.0, "dmanop": 1.0, "sfpnop": 1.0, "play": 3.0, "plain": 6.0,
}  # fmt: skip
LEGAL_SEGMENTS: Final = {
    "plain": 3.0, "template0": 2.0, "template1": 4.0, "mops": 3.0, "loop": 1.5, "plays": 1.5,
    "rewrite": 0.7, "fed_record": 0.4, "probe": 0.5,
}  # fmt: skip
_TEMPLATES: Final = ("template0", "template1")
_WORD: Final = (1 << 32) - 1
_COUNT1: Final = [*range(12), 0, 1, 14, 15, 15, 16, 16, 17, 30, 31, 32, 33, 63, 126, 127, 127]
_EDGES: Final = [0x0000_8000, 0x0001_0000, 0x0001_8000, 0xFFFF_0000, 0x0000_FFFF, 0x7FFF_8001]


def _loops(*weights: float) -> Any:
    """Loop counts; ``junk``: a small one with random bits [31:7], which must be ignored."""
    parts = {
        "0": 0, "1": 1, "2": 2, "few": uniform(3, 8), "many": uniform(3, 126), "127": 127,
        "junk": lambda junk: junk & ~0x7C,
    }  # fmt: skip
    return mix({name: (weight, parts[name]) for name, weight in zip(parts, weights, strict=True)})


_STRAY: Final = uniform(0, within=24)
"""Bits that REPLAY and MOP_CFG have, as far as they ignore them (frontend-config section 1)."""

_PLAYED: Final = mix(
    {
        "few": (0.9, uniform(1, 8)),
        "any": (0.1, uniform(1, 32)),
        "wide": (0, mix({0.4: 0, 0.6: uniform(33, 63)})),
    },
    legal=("few", "any"),
)
"""Counts of REPLAYs; ``wide``: 0 or above 32 (F15)."""

_MOP: Final = {
    "mask": mix(
        {
            "zero": (1, 0),
            "ones": (1, _WORD),
            "alternating": (1, choice((0x5555_5555, 0xAAAA_AAAA))),
            "edge": (1, choice(_EDGES)),
            "bit31": (1, mix({"alone": (1, 1 << 31), "more": (1, uniform(1 << 31, 0x8000_FFFF))})),
            "random": (1, uniform(0, _WORD)),
        }
    ),
    "immediates": chance(0.0, faulty=True),
    "low": uniform(0, (1 << 23) - 1),
}

SEGMENT: Final = Table(
    "segment",
    kind=choice(SEGMENTS, LEGAL_SEGMENTS, legal=(*LEGAL_SEGMENTS, "start")),
    more=by(
        "kind",
        {
            "plain": pauses(11, most=39),
            _TEMPLATES: pauses(2, most=7),
            ("mops", "plays"): pauses(4, most=15),
            "loop": uniform(-1, 3),
            "rewrite": pauses(2, most=6),
            ("fed_record", "start"): 0,
            "probe": mix({0.7: 0, 0.3: -1}),
            "race": pauses(7, most=15),
            "illegal": pauses(1, most=4),
        },
    ),
    racing=chance(0.0, faulty=True),
    background=chance(0.0, faulty=True),
    budget=choice((24, 200, 2000, 40_000), (0.95, 0.047, 0.003, 0)),
    junk=uniform(0, _WORD),
    stray=_STRAY,
    outer=_loops(1, 8, 4, 4, 1, 1, 1),
    inner=_loops(2, 4, 4, 5, 1, 1, 1),
    passes=uniform(1, 2),
    rounds=uniform(1, 4),
    bits=uniform(0, 3),
    fused=chance(0.3),
    count1=choice(_COUNT1),
    **_MOP,
    masked=choice(MASKED, (0.2, 0.64, 0.16)),
    index=uniform(0, 31),
    count=_PLAYED,
    execute=chance(0.5),
    spread=uniform(-2, 2),
    last=uniform(0, 2),
).aimed(
    budget=("t0.length", "t1.length"),
    outer="t1.outer_x_inner*",
    inner="t1.outer_x_inner*",
    junk="t1.count_bits_7_up",
    bits=("t0.flags_bits_2_up", "t0.count1_x_has_b_x_has_a123_x_mask"),
    count1="t0.count1_x_has_b_x_has_a123_x_mask",
    mask=("t0.mask_edge", "t0.beyond_32_x_bit31", "t0.mask_hi"),
    immediates="t1.immediates",
    masked="t0.mop_cfg_after_mop",
    index=("replay.mode_x_count_x_index", "replay.mode_x_wraps", "replay.region_overlap"),
    count="replay.mode_x_count*",
    execute="replay.load_x_exec",
    spread="replay.rec_ended_at",
    racing="mopcfg.index_x_mop_state",
    background="sync.requested_in",
)  # fmt: skip
"""Segments. ``more``: than one step. A program of MopCfg (``template0``, ``template1``) has
``outer`` and ``inner``, where it is small ``passes`` and ``rounds``, of template 0 ``bits``; loops
are halved until a MOP is no longer than ``budget`` words. ``racing``: no mop_sync before MopCfg is
written (F7); ``background``: nobody waits for it. ``fused``: the last write comes with the first
MOP. ``masked``: MOP_CFG before the MOPs. ``index``, ``count``, ``execute``: of what is recorded;
``spread``: words too many or too few for a record that a MOP fills (F13). ``last``: inner loop
behind a long MOP.
"""

STEP: Final = Table(
    "step",
    kind=choice(SEGMENTS),
    does=by(
        "kind",
        {
            "plain": choice(DOES, {"plain": 1}),
            (*_TEMPLATES, "probe"): choice(DOES, {"own_mop": 1}),
            "mops": choice(DOES, {"mop": 7, "mask": 2, "play": 1}),
            "loop": choice(DOES, {"play_again": 7, "play": 3}),
            "plays": choice(DOES, {"play": 1}),
            "rewrite": choice(DOES, {"write": 1}),
            "fed_record": choice(DOES, {"play_again": 1}),
            "race": choice(DOES, {"mop": 3, "write": 4, "sync": 1}),
            "illegal": choice(DOES, {"illegal": 1}),
            "start": choice(DOES, {"mask": 1}),
        },
    ),
    template0=chance(0.4),
    count1=by("kind", {"race": choice(_COUNT1)}, other=uniform(0, 3)),
    **_MOP,
    followed=by(
        "kind",
        {
            (*_TEMPLATES, "probe"): chance(0.5),
            "mops": chance(0.2),
            "plays": chance(0.3),
            "race": lambda does: does == DOES.index("mop"),
        },
        other=False,
    ),
    words=pauses(1.5, most=39),
    behind=column(lambda followed, words: followed * (words + 1)),
    index=by("kind", {"race": uniform(0, 9)}, other=uniform(2, 8)),
    loop=uniform(0, 3),
    fused=chance(0.3),
    asked=uniform(0, within=1),
    stray=_STRAY,
    background=chance(0.0, faulty=True),
).aimed(
    template0="mop_next.kind_x_length_x_m_level",
    mask=("t0.mask_edge", "t0.mask_hi"),
    behind=("mop_next.*", "mopcfg.ingest_distance"),
    index="mopcfg.index_x_mop_state",
)
"""Steps of a segment of ``kind``. ``template0``: of MOPs, where MopCfg is whatever it was; ``mask``
is a MOP_CFG. ``behind``: plain words after it. ``index``: of a write, of MopCfg, ``loop`` for the
two first; ``fused``: with a push in the same cycle, ``asked``: with a mop_sync that nobody awaits.
"""


def _plain(opcode: Any, payload: Any) -> Any:
    return opcode << 24 | np.where(opcode == w.OP_NOP, 0, payload)


def _word(
    content: Any, plain: Any, payload: Any, index: Any, count: Any, execute: Any, stray: Any
) -> Any:
    return np.choose(
        content,
        [
            w.NOP, w.NOP | payload, w.DMANOP, w.SFPNOP,
            w.replay(index, count, execute, 0) | stray & w.REPLAY_IGNORES,
            w.replay(index, 1 + payload % 6, payload >> 8, 1) | stray & w.REPLAY_IGNORES,
            plain, w.OP_MOP << 24 | payload, w.mop_cfg(payload) | stray & w.MOP_CFG_IGNORES, plain,
        ],
    )  # fmt: skip


_BARRED: Final = mix({0.2: w.RESOURCEDECL >> 24, 0.8: choice(w.UNASSIGNED)})
_OPCODES: Final = {**{name: choice(w.OPCODES[name]) for name in w.CLASSES}, "barred": _BARRED}
_GROUP: Final = choice(GROUPS, dict.fromkeys(w.CLASSES, 1), legal=w.CLASSES)
_PAYLOAD: Final = uniform(0, (1 << 24) - 1)

PLAIN: Final = Table(
    "plain",
    group=_GROUP,
    opcode=by("group", _OPCODES),
    payload=_PAYLOAD,
    word=column(_plain),
).aimed(
    group=("qstatus.bit_toggled", "replay.recorded_source_x_kind", "fault.illegal_word_x_ready"),
)
"""Words that pass the front end unchanged; ``barred`` ones, unassigned or RESOURCEDECL, are illegal
(F17).
"""

_CONTENT: Final = {
    "group": _GROUP,
    "opcode": by("content", {"plain": by("group", _OPCODES), "illegal": _BARRED}, other=0),
    "payload": _PAYLOAD,
    "plain": column(_plain),
    "index": uniform(0, 31),
    "count": _PLAYED,
    "execute": chance(0.1),
    "stray": _STRAY,
    "word": column(_word),
}

WORD: Final = Table(
    "word",
    place=choice(PLACES),
    stored=choice(CONTENTS, LEGAL_CONTENTS, legal=tuple(LEGAL_CONTENTS)),
    content=by(
        "place",
        {
            "illegal": choice(CONTENTS, {"illegal": 1}),
            "play": choice(CONTENTS, {"play": 1}),
            "small": choice(CONTENTS, {"plain": 4, "nop": 1}),
            "stored": column(lambda stored: stored),
        },
    ),
    **_CONTENT,
).aimed(
    stored=("t0.slot_x_word", "t1.slot_x_word", "t1.nop_lookalike", "mop_next.*", "cross.*"),
    count="replay.mode_x_count*",
    index="replay.mode_x_count_x_index",
)
"""Other words, by the ``place`` that they are for: ``stored`` is what MopCfg holds, ``small`` the
same for short MOPs. Of a ``record`` the count comes from ``payload``. A ``play`` that has Exec is
one all the same (F16).
"""

GAP: Final = Table(
    "gap", **paced({"none": 4, "sparse": 2, "frequent": 1, "long": 0.5}, (40, 199))
).aimed(gap=("fifo.level_x_push_x_pop", "mopcfg.ingest_distance"))
"""Idle cycles before each item of a core."""

BRISC: Final = Table(
    "brisc",
    content=choice(CONTENTS, {"plain": 1}, legal=("plain",)),
    **_CONTENT,
    unsafe=chance(0.0, faulty=True),
    gap=pauses(150, most=10_000),
).aimed(
    content=("brisc.kind_x_mop_state", "brisc.accepted_in_replay_state"),
    unsafe=("brisc.word_lost", "fault.together"),
)
"""Words of BRISC; ``unsafe`` ones do not wait for an idle expander, and can collide (F18)."""

GATE: Final = Table(
    "gate",
    pattern=choice(GATES, {"none": 4, "random": 3, "long": 1}),
    levels=by(
        "pattern",
        {
            "none": 1,
            "random": uniform(6, 75),
            "long": 2,
            "alternating": uniform(25, 300),
            "rare": 4,
        },
    ),
)
"""Phases of back-pressure at an issue port, each of so many ``levels``."""

LEVEL: Final = Table(
    "level",
    pattern=choice(GATES),
    stall=pauses(100),
    opened=pauses(100),
    short_stall=pauses(0.43),
    short_opened=pauses(2.33),
    stalled=by(
        "pattern",
        {
            "none": 0, ("alternating", "rare"): 1, "long": lambda stall: stall + 1,
            "random": lambda short_stall: short_stall + 1,
        },
    ),
    ready=by(
        "pattern",
        {
            "none": uniform(50, 599), "alternating": 1, "rare": uniform(500, 1499),
            "long": lambda opened: opened + 1, "random": lambda short_opened: short_opened + 1,
        },
    ),
).aimed(
    stalled=("issue.ready_x_r_level", "cross.bug_x_m_backpressure", "fifo.push_while_full"),
)  # fmt: skip
"""Cycles in which an issue port is not ready, then those in which it is."""

SFPU_CC: Final = Table("sfpu_cc", more=pauses(50)).aimed(more="qstatus.bit_toggled")
"""Levels of ``sfpu_cc``, a cycle and ``more`` each."""
