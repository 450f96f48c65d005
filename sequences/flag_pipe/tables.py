# SPDX-License-Identifier: Apache-2.0
"""What random stimulus of the flag pipe is drawn from: scenes, their steps, memories; presets.

``beat``, ``nflags``, ``hold_max`` and ``a2a3`` are those of the profile. ``at``: where in what
there is room for, a fraction of ``PARTS`` bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from tilepath.engine.stimulus.tables import (
    Table,
    Tables,
    by,
    chance,
    choice,
    column,
    mix,
    phases,
    uniform,
)
from tilepath.sequences.flag_pipe.script import (
    BOTH,
    GM_TOP,
    L1_BYTES,
    UB_A2A3,
    UB_BYTES,
    Setup,
)

PARTS: Final = 24
EDGES: Final = ("no", "first", "last")
RATES: Final = ("none", "short", "medium", "long")
ERRORS: Final = ("op", "init", "other")
FAULTY: Final = ("mask", "slot", "base", "period", "split")
SPLITS: Final = ("whole", "up_down", "left_right")
PLACES: Final = 7
LINKS: Final = 4
"""Pipes of a scene: two of each pair, pair 0 first."""
_RING: Final = 1 << 16
_TOP: Final = 1 << 32
_READY: Final = ("always", "light", "heavy", "bursts")
_PHASE: Final = 64
_OWN: Final[Mapping[str, Any]] = {"beat": 32, "nflags": 8, "hold_max": 1, "a2a3": 0}
_EDGE: Final = {"no": 0.7, "first": 0.15, "last": 0.15}
_AT: Final = (1 << PARTS) - 1


def placed(edge: Any, at: Any, low: Any, room: Any, beat: Any) -> Any:
    """An address, in steps of ``beat``, from ``low`` to ``room`` above it."""
    steps: Any = at * (room // beat + 1) >> PARTS
    return low + (edge == 0) * steps * beat + (edge == 2) * room


def _low(top: Any, swap: Any, high: Any, beat: Any, a2a3: Any) -> Any:
    """The first address for a ring of each link in GM, UB (C2V) and L1 (V2C): none overlap."""
    second = np.arange(LINKS) // 2
    other = swap[:, None] ^ np.arange(LINKS) % 2
    end = np.where(a2a3, UB_A2A3, UB_BYTES)
    ub = (high * (end - 2 * _RING))[:, None] + second * _RING
    gm = np.where(other, _TOP - GM_TOP, beat[:, None]) + second * (GM_TOP // 2)
    v2c = (top * (L1_BYTES // 2))[:, None] + (2 * other + second) * _RING
    return np.stack([gm, ub, v2c], 2)


def _ring(low: Any, masks: Any, slot: Any, nflags: Any, beat: Any, edge: Any, at: Any) -> Any:
    gm = nflags[:, None] * slot
    need = np.stack([gm, *[gm >> (masks == BOTH)] * 2], 2)
    end = np.full(low.shape, _RING)
    end[..., 0] = GM_TOP // 2 - low[..., 0] % (GM_TOP // 2)
    return placed(edge, at, low, end - need, beat[:, None, None])


def _periods(credits: Any, masks: Any, nflags: Any) -> Any:
    """Logarithms of the slots for which there is one credit (T36)."""
    return np.minimum(credits, 2 + (nflags == 8)[:, None] - (masks == BOTH))


def _pipes(pipe: Any, further: Any, split: Any) -> Any:
    """A pipe of halves has the same number in both pairs, so all are chosen alike (T37)."""
    alike = (split > 0).any(1, keepdims=True)
    pipe, further = (np.where(alike, some[:, :1], some) for some in (pipe, further))
    return np.concatenate([pipe, (pipe + further) % 4], 1)


def _slot(beats: Any, split: Any, wide: Any, beat: Any) -> Any:
    """Bytes of slots: those of halves are even, or have whole rows of 2^wide beats (T37)."""
    of_link = np.repeat(split, 2, 1)
    wide = np.where(of_link == 2, np.repeat(wide, 2, 1), of_link)
    return (np.maximum(1, beats >> wide) << wide) * beat[:, None]


def _row(split: Any, wide: Any, beat: Any) -> Any:
    """Logarithms of the bytes of a row; where there is none, of one that would do."""
    return np.where(split == 2, wide, 1) + np.log2(beat).astype(np.int64)[:, None]


def _slots(mismatch: Any, shorter: Any, slot: Any, beat: Any) -> Any:
    """Slots of the cube's end and the vector's, of each link."""
    beat = beat[:, None]
    return np.stack([slot, slot - beat * (mismatch & shorter & (slot > beat))], 2)


def _rings(
    mismatch: Any, slots: Any, way: Any, masks: Any, a2a3: Any, low: Any, ring: Any, beat: Any
) -> Any:
    """Likewise; where endpoints differ in no slot, one base is a beat away."""
    memory = np.where(a2a3[:, None], 0, np.where(masks == BOTH, way, masks))
    hit = (mismatch & (slots[..., 0] == slots[..., 1]))[..., None]
    hit = hit & (np.arange(3) == memory[..., None])
    return np.stack([ring, ring + hit * np.where(ring > low, -1, 1) * beat[:, None, None]], 2)


def _spaces(top: Any, high: Any, a2a3: Any) -> Any:
    """Of each core where tiles to push are, and where popped ones are copied to: first, behind."""
    half, zero = L1_BYTES // 2, 0 * top
    a5 = np.array([[half * (1 - top), L1_BYTES - half * top],
                   *2 * [[2 * _RING * (1 - high), UB_BYTES - 2 * _RING * high]]])  # fmt: skip
    ends = (L1_BYTES + zero, UB_A2A3 + zero, UB_A2A3 + zero)
    push = np.array([[zero, end // 2] for end in ends])
    pop = np.array([[end // 2, end] for end in ends])
    return np.where(a2a3, np.stack([push, pop], 1), a5[:, None]).transpose(3, 0, 1, 2)


SCENE: Final = Table(
    "scene",
    **_OWN,
    noise=chance(0.8),
    keep=chance(0.15),
    again=choice(("none", "pair0", "pair1"), (0.7, 0.15, 0.15)),
    top=uniform(0, 1),
    swap=uniform(0, 1),
    high=uniform(0, 1),
    several=chance(0.5),
    pipe=uniform(0, 3, shape=2),
    further=uniform(1, 3, shape=2),
    split=choice(SPLITS, {"whole": 0.7, "up_down": 0.15, "left_right": 0.15}, shape=2),
    wide=uniform(1, 3, shape=2),
    pipes=column(_pipes),
    masks=choice({"c2v": 1, "v2c": 2, "both": 3}, shape=LINKS),
    credits=uniform(0, 3, shape=LINKS),
    periods=column(_periods),
    beats=mix(
        {"1": (1, 1), "2": (1, 2), "3": (1, 3), "4": (2, 4), "16": (1, 16),
         "long": (0.2, choice((5, 17, 33, 64)))},
        shape=LINKS,
    ),
    edge=choice(EDGES, _EDGE, shape=(LINKS, 3)),
    at=uniform(0, _AT, shape=(LINKS, 3)),
    slot=column(_slot),
    row=column(_row),
    low=column(_low),
    ring=column(_ring),
    unlike=chance(0.0, shape=LINKS, faulty=True),
    mismatch=column(lambda unlike, split: unlike & (np.repeat(split, 2, 1) == 0)),
    shorter=chance(0.3, shape=LINKS),
    way=uniform(1, 2, shape=LINKS),
    slots=column(_slots),
    rings=column(_rings),
    spaces=column(_spaces),
    rates=choice(RATES, {"none": 3.0, "short": 2.0, "medium": 1.5, "long": 0.7}, shape=3),
    single=chance(0.15),
    pair=uniform(0, 1),
    vector_first=chance(0.5, shape=LINKS),
    late=chance(0.3, shape=LINKS),
    length=uniform(1, 60, within=range(1, 1001)),
    busy=chance(0.0, faulty=True),
    drain=chance(0.7),
    crossed=uniform(0, within=range(3)),
    probe=uniform(0, within=range(3)),
).aimed(
    keep="clear.pair_x_why",
    again="clear.pair_x_why",
    masks=("pairs.mask_x_mask", "command.end_x_op_x_mask", "launch.mask_x_next_mask"),
    beats=("transfer.op_x_core_x_beats", "port.two_vectors_write_l1_x_beats"),
    edge="ring.base_x_place",
    split="halves.*",
    wide="halves.rows_x_run",
    unlike=("mismatch.pair_x_field", "fault.pair_x_kind"),
    shorter="mismatch.pair_x_field",
    rates=("rate.way_x_ratio", "wait.end_x_op_x_length", "ring.occupancy"),
    vector_first="init.pair_x_order",
    late="wait.set_against_first_wait",
    length=("ring.push_tag_x_free_tag", "ring.wraps*"),
    busy="clear.pair_x_why",
    drain="clear.pair_x_why",
)  # fmt: skip
"""Scenes: two pairs are initialised, work, and are cleared; of each one pipe or two (``several``).

``noise``: operands that are ignored are random; ``keep``: no clear before it, or ``again`` of one
pair only. Where things are: ``top``, ``swap``, ``high``, and of each link's rings in GM, for C2V
and for V2C ``edge`` and ``at``. ``masks``, ``beats`` (of a slot), ``pipes``, ``periods``: of
each link.
``split``: how tiles of both pairs' first or second pipe are halved (T37), in rows of 2^``wide``
beats; what is said of pair 0 counts for both then.
``unlike``: its endpoints differ, one slot is ``shorter``, or the base of ``way`` is another.
``rates``: gaps of each core. ``single``: of one pair alone; ``late``: the second INIT comes behind
the first command that waits for it. ``length``: commands at most; ``busy``: a clear that is
refused; ``drain``: all that there is is popped and freed at the end. ``crossed``: vectors take
halves of columns for halves of rows and these for those (1), or rows for half as long (2, where
``wide`` is above 1).
``probe``: in the end clears near to a command (1); or nothing but clears near to an INIT (2).
"""

STEP: Final = Table(
    "step",
    errors=chance(0.0, faulty=True),
    burst=chance(0.6, shape=2),
    pick=uniform(0, 0xFFFF),
    short=uniform(0, 4, within=16),
    medium=uniform(3, 40, within=16),
    long=uniform(40, 250, within=16),
    edge=choice(EDGES, _EDGE),
    at=uniform(0, _AT),
    junk=uniform(0, _TOP - 1, shape=6),
).aimed(
    errors=("error.*", "fault.pair_x_kind"),
    burst=("ring.occupancy", "ring.wrap_while_full", "wait.cube_holds_up_other_pair"),
    long="wait.end_x_op_x_length",
    edge="tile.op_x_core_x_place",
)
"""Commands. ``errors``: one with an error comes before it. ``burst``: of the same core and pair as
the one before, and the same operation too; ``pick``: else which of those that can be done.
``short``, ``medium``, ``long``: gaps by the core's rate; ``edge``, ``at``: where the tile is.
"""


_BAD_SLOTS: Final = np.array(
    [(0, 0), (1, 0), (2, 1), (9, 0), (2, 1 << 30), (0, 1 << 30), (0, 1 << 31), (-2, _TOP)]
)
"""Halves of a beat, and what is added: some look like good ones when a bit is lost."""


def _bad_slot(bad_slots: Any, beat: Any, nflags: Any, a2a3: Any, odd: Any) -> Any:
    halves, more = _BAD_SLOTS[bad_slots % len(_BAD_SLOTS)].T
    lone = 1 << (odd & 31)
    good = (beat <= lone) & (lone < np.where(a2a3, _TOP // nflags, L1_BYTES))
    found = np.where(bad_slots == len(_BAD_SLOTS), odd | 1, halves * beat // 2 + more)
    return np.where(bad_slots > len(_BAD_SLOTS), np.where(good, 0, lone), found)


ERROR: Final = Table(
    "error",
    **_OWN,
    core=uniform(0, 2),
    pair=uniform(0, 1),
    second=uniform(0, 1),
    wrong=choice(ERRORS, {"op": 0.4, "init": 1.2, "other": 3.0}),
    reserved=chance(0.5),
    op=uniform(0, 3),
    peer=uniform(0, 1),
    bad_op=column(lambda core, reserved, op: op + 4 * (reserved | (core == 0))),
    bad_peer=column(lambda bad_op, peer: np.where(bad_op < 4, 1, peer)),
    faulty=choice(FAULTY, {"mask": 1.0, "slot": 1.0, "base": 2.0, "period": 1.0, "split": 1.0}),
    bad_split=uniform(1, 3),
    bad_row=choice((0, 1, 2, 3, 27, 31)),
    twice=chance(0.5),
    more=chance(0.15, shape=2),
    largest=chance(0.5),
    bad_slots=uniform(0, len(_BAD_SLOTS), within=range(len(_BAD_SLOTS) + 2)),
    odd=uniform(0, _TOP - 1),
    bad_slot=column(_bad_slot),
    bad_mask=mix({0.9: choice((0, 4, 5, 6, 7, 0x81, 0x82, 0x83)), 0.1: uniform(4, 255)}),
    way=uniform(1, 2),
    place=uniform(0, PLACES - 2, within=range(PLACES)),
    next_op=uniform(1, 3),
    aligned=chance(0.5),
).aimed(
    core="error.end_x_code_x_state",
    wrong=("error.*", "fault.pair_x_kind"),
    faulty="error.end_x_code_x_state",
    place="error.end_x_code_x_state",
)
"""Commands with errors, of which some can be had only in some states.

``wrong``: BAD_OP (a ``reserved`` one, or peer 1 at a vector), an INIT whose ``faulty`` operand, and
``more`` of them, is wrong, unless it is only the second one (``twice``), or ``next_op``. ``place``:
which of the bases or tiles that are misaligned or beyond their memory, the last one of a single bit
of ``odd``; ``largest``: of large slots.
"""

MEMORY: Final = Table(
    "memory",
    ready=phases(choice(_READY, {"always": 4, "light": 1, "heavy": 0.5, "bursts": 0.5}), _PHASE),
    latencies=phases(choice(("one", "short", "any"), {"one": 2, "short": 1, "any": 0.5}), _PHASE),
    taken=by(
        "ready",
        {"always": True, "light": chance(0.8), "heavy": chance(0.2), "bursts": chance(0.5)},
    ),
    latency=by(
        "latencies", {"one": uniform(0, 1), "short": uniform(1, 6), "any": uniform(1, 31)}
    ),
    cycles=by("ready", {("always", "bursts"): uniform(1, 39)}, other=uniform(1, 3)),
).aimed(
    taken=("port.refused", "wait.end_x_op_x_length"), latency="port.latency"
)  # fmt: skip
"""Levels of a memory's port, so many ``cycles`` each; write ports have no ``latency``."""

_ALL: Final = Tables(SCENE, STEP, ERROR, MEMORY)
_FAST: Final = {"ready": "always", "latencies": "one"}

PRESETS: Final[Mapping[str, Tables]] = {
    "default": _ALL,
    "bidirectional": _ALL.weighted(
        masks="both", beats={"1": 1.0, "2": 1.0, "4": 1.0}, burst=0.4, single=0.05,
        rates={"none": 4.0, "short": 2.0}, **_FAST,
    ),
    "rates": _ALL.weighted(
        rates={"none": 2.0, "short": 1.0, "medium": 2.0, "long": 2.0}, burst=0.8,
        masks={"c2v": 2.0, "v2c": 2.0, "both": 1.0}, length=range(1, 91), **_FAST,
    ),
    "pressure": _ALL.weighted(
        ready={"light": 1.0, "heavy": 1.0, "bursts": 1.0}, rates={"none": 3.0, "short": 1.0},
        latencies={"one": 1.0, "short": 2.0, "any": 2.0}, beats={"3": 1.0, "4": 2.0, "16": 2.0},
    ),
    "errors": _ALL.weighted(
        errors=0.35, unlike=0.2, busy=0.4, length=range(1, 41), late=0.5, keep=0.3,
        beats={"1": 2.0, "2": 1.0, "4": 1.0}, rates={"none": 2.0, "short": 1.0, "medium": 0.3},
    ),
}  # fmt: skip
"""The tests ``random_<name>`` and ``scenes_<name>`` draw from them."""


def of_profile(table: Table, setup: Setup) -> Table:
    """``table`` with the parameters of a profile."""
    own = {name: int(getattr(setup, name)) for name in _OWN if name in table.columns}
    return table.replaced(**own)
