# SPDX-License-Identifier: Apache-2.0
"""What random stimulus is drawn from (front-end specification, section 7), and presets.

A thread's program is *segments*; a segment has up to seven *parts*, each of some words of a *set*.
The words themselves are in :mod:`word_tables`. Where the defaults stand, nothing makes a fault.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from tilepath.engine.stimulus.gaps import paced
from tilepath.engine.stimulus.tables import (
    Table,
    Tables,
    chance,
    choice,
    column,
    mix,
    only,
    pauses,
    phases,
    uniform,
)
from tilepath.sequences.control import words as w
from tilepath.sequences.control.word_tables import (
    EXAMPLE,
    FORMS,
    SCALAR_FORMS,
    TARGETS,
    UNITS,
    not_reset,
    stream_ids,
)
from tilepath.tb.control import items
from tilepath.tb.control.streams import THREADS

CONFIG: Final = ("wrcfg", "rdcfg", "rmwcib", "shiftmask", "streamwrcfg")
LOOKS: Final = ("look0", "look1", "look2")
UNIT_WORDS: Final = (*LOOKS, "unpack", "pack", "math", "sfpu", "xmov")
ADDITIONS: Final = ("adddmareg", "adddmareg_group", "adddmareg_immediate")
FAULTS: Final = (
    "illegal", "illegal", "unsupported", "setdmareg_mode", "wrcfg_beyond", "rdcfg_beyond",
    "rmwcib_beyond",
    "shiftmask_beyond", "streamwrcfg_beyond", "setc16_beyond", "flop_beyond", "wrcfg_reset",
    "wrcfg_reset4", "shiftmask_reset", "streamwrcfg_reset", "sem_cond", "atgetm_index",
    "atrelm_index", "atrelm_owner", "flop_select", "flop_context", "flop_size",
)  # fmt: skip
"""Words each of which is a fault, and has no other effect."""
RARE: Final = ("setc16_last", "rdcfg_reset", "flop_nowhere")
"""Words that no software has, and no faults."""
SCALAR: Final = tuple(name for name in SCALAR_FORMS.names if name not in (*FAULTS, *RARE))
SEMAPHORE: Final = ("seminit", "sempost", "sempost", "semget", "semget")
WAITS: Final = ("stallwait", "semwait", "streamwait")
OTHERS: Final = ("adc", "nop", "setc16", "dmanop")
SELECT: Final = ("setc16_bank", "setc16_hi")
HEADS: Final = (*CONFIG, *UNIT_WORDS, *SCALAR, *SEMAPHORE, *OTHERS)


_PARTED: Final = 60


class Part(NamedTuple):
    """Words of a set of kinds (twice counts twice): ``least`` 60ths, or up to ``span`` more."""

    kinds: tuple[str, ...]
    least: int
    span: int


def _some(kinds: tuple[str, ...], least: int, most: int) -> Part:
    return Part(kinds, _PARTED * least, most - least + 1)


def _one(kind: str, share: float = 1.0) -> Part:
    return Part((kind,), round(_PARTED * share), 1)


PARTS: Final[Mapping[str, tuple[Part, ...]]] = {
    "config": (_some(CONFIG, 1, 6),),
    # a write, and a unit that looks, one cycle or two later
    "consume": (
        _some((*CONFIG, "setc16", "setc16_state"), 1, 2), _one("nop", 0.5), _some(LOOKS, 1, 3),
    ),
    # as the matrix multiplication's unpack thread does (unpack-data-path 11.3)
    "accumulate": (
        _one("look1"), _one("rdcfg"), _some(ADDITIONS, 1, 1), _one("stallwait_cfg", 0.7),
        _one("wrcfg"), _one("nop", 0.6), _one("look1"),
    ),
    "streamwrcfg": (
        _some(SELECT, 0, 1), _one("streamwrcfg"), _some(CONFIG, 0, 3), _one("stallwait_pipe", 0.4),
        _some((*LOOKS, "nop"), 1, 2),
    ),
    "state": (_one("setc16_state"), _some((*CONFIG, "flop", *LOOKS), 1, 3)),
    "wait": (_some(WAITS, 1, 2), _some(HEADS, 1, 4)),
    "streamwait": (
        _some(SELECT, 0, 2), _one("streamwait"), _some((*SELECT, *HEADS), 0, 3), _some(HEADS, 1, 2),
    ),
    "semaphore": (_some(SEMAPHORE, 1, 4), _some(("semwait", *HEADS), 0, 3)),
    # what is inside: mutexes are taken before it, or in it, and released behind it
    "mutex": (_some((*WAITS, *HEADS, *CONFIG), 0, 4),),
    "scalar": (_some((*SCALAR, "rdcfg", "wrcfg"), 1, 5),),
    "units": (_some(UNIT_WORDS, 1, 6),),
    "others": (_some(OTHERS, 1, 4),),
    "fault": (_some(FAULTS, 1, 2),),
    "rare": (_some(RARE, 1, 2),),
    "mutex_fault": (_some(("atrelm_owner", "atgetm_index", "atrelm_index"), 1, 2),),
    "latched_fault": (
        _some(WAITS, 1, 1), _one("adddmareg", 0.5), _some(("nop", "illegal", "unsupported"), 1, 3),
    ),
}  # fmt: skip
SEGMENTS: Final = tuple(PARTS)
LEGAL: Final = {name: 1.0 for name in SEGMENTS[: SEGMENTS.index("fault")]}
MOST_PARTS: Final = max(map(len, PARTS.values()))
SETS: Final = tuple(dict.fromkeys(part.kinds for parts in PARTS.values() for part in parts))
"""All sets of kinds."""
SET_OF: Final = np.array(
    [
        [SETS.index(parts[n].kinds) if n < len(parts) else 0 for parts in PARTS.values()]
        for n in range(MOST_PARTS)
    ]
)
"""Part by segment → position in ``SETS``."""


_LEAST, _SPAN = np.zeros((2, len(PARTS), MOST_PARTS), np.int64)
for _segment, _parts in enumerate(PARTS.values()):
    _, _LEAST[_segment, : len(_parts)], _SPAN[_segment, : len(_parts)] = zip(*_parts, strict=True)

SEGMENT: Final = Table(
    "segment",
    kind=choice(SEGMENTS, LEGAL, legal=(*LEGAL, "rare")),
    spread=uniform(0, _PARTED - 1, shape=MOST_PARTS),
    counts=column(lambda kind, spread: (_LEAST[kind] + _SPAN[kind] * spread) // _PARTED),
    held=chance(0.35, shape=len(w.MUTEXES)),
    again=chance(0.1, shape=len(w.MUTEXES)),
    drawn_places=uniform(0, lambda counts: counts[:, 0], shape=len(w.MUTEXES)),
    places=column(lambda drawn_places: np.sort(drawn_places)),
    order=uniform(0, 999, shape=len(w.MUTEXES)),
).aimed(
    kind=("gate.opcode", "gate.nop_*", "arbiter.*", "scalar.back_to_back*", "config.stage*"),
    held=("mutex.op_x_index_x_state", "mutex.held_together"),
    again="mutex.op_x_index_x_state",
    order="mutex.released_with_waiters",
)
"""Segments. ``counts``: words of each part. ``held``: the mutexes of a ``mutex``, none stands for
the first; they are taken in ascending order, before the words at ``places`` (``again``: twice), and
released in ``order``. So no thread waits for a mutex while it holds one of a higher index, nor
holds one for long.
"""

_SIZES: Final = np.array([len(kinds) for kinds in SETS])
_WORDS: Final = np.array(
    [[FORMS.index(kinds[n % len(kinds)]) for n in range(max(_SIZES))] for kinds in SETS]
)
STEP: Final = Table(
    "step",
    set=uniform(0, len(SETS) - 1),
    pick=uniform(0, lambda set: _SIZES[set] - 1),
    word=column(lambda set, pick: _WORDS[set, pick]),
)
"""Words, by the set that they are of: positions in ``word_tables.FORMS``."""

GAP: Final = Table(
    "gap", **paced({"none": 6, "sparse": 2, "frequent": 1, "long": 0.2}, (20, 99))
).aimed(gap=("config.first_x_second*", "arbiter.*", "hazard.*distance"))
"""Idle cycles before each word of a thread."""


IGNORED: Final = Table(
    "ignored",
    other=chance(0.0),
    bits=only("other", choice({"clear": 0, "set": 0xFFFF_FFFF})),
).aimed(bits="word.ignored_bits")
"""What bits of words are that no field has, where they are not as drawn."""


def _bursts(mean: float) -> dict[str, Any]:
    """``gap``: ``pause``, but for bursts without any."""
    return {
        "burst": phases(chance(0.2), 8),
        "pause": pauses(mean, most=1000),
        "gap": column(lambda burst, pause: np.where(burst, 0, pause)),
    }


RISC: Final = Table(
    "risc",
    area=choice(("bank0", "bank1", "both", "thread")),
    hot=chance(0.8, shape=2),
    few_index=EXAMPLE.few("few_index"),
    any_index=uniform(0, w.CONFIG_WORDS - 1),
    index=column(
        lambda hot, few_index, any_index: not_reset(
            np.where(hot[:, 0], few_index, any_index), few_index
        )
    ),
    thread=uniform(0, THREADS - 1),
    state=chance(0.3),
    few_thread=EXAMPLE.few("few_thread"),
    any_thread=uniform(0, w.THREAD_WORDS - 1),
    own=column(
        lambda hot, state, few_thread, any_thread: (
            np.where(hot[:, 1], few_thread, any_thread) * ~state
        )
    ),
    wrong=chance(0.0, faulty=True),
    edge=mix(
        {
            "any": (1, choice((4, 228, 452, w.RISC_END, w.RISC_END + 1, 1023))),
            "end": (1, w.RISC_END),
        }
    ),
    address=column(
        lambda area, index, thread, own, wrong, edge: np.where(
            wrong, edge,
            np.choose(area, (index, w.RISC_BANK[1] + index, w.RISC_BOTH + index,
                             w.RISC_THREAD + w.THREAD_WORDS * thread + own)),
        )
    ),
    read=chance(0.4),
    value=uniform(0, (1 << 32) - 1),
    **_bursts(20),
).aimed(
    area="risc.access_x_range",
    edge="risc.access_x_edge_address",
    wrong="fault.risc",
    address=("config.risc_x_instruction*", "hazard.view_x_risc_write*", "setc16.with_risc*"),
    gap=("risc.cycles_before_it_wins", "risc.next_offered"),
)  # fmt: skip
"""Accesses of the cores to configuration, in all address ranges. ``own``: a word of a thread's."""

SEM: Final = Table(
    "sem",
    does=choice({"post": 0, "get": 1, "read": 2}, {"post": 0.55, "get": 0.3, "read": 0.15}),
    index=uniform(0, 7),
    **_bursts(6),
).aimed(
    does=("sem.risc_x_instruction*", "sem.risc_read_x_instruction", "sem.risc_access_x_index"),
    index="sem.risc_access_x_index",
)
"""Accesses of the cores to semaphores. They never cease: they release the threads that wait."""

_USED: Final = sorted({stream for thread in range(THREADS) for stream in stream_ids(thread)})
_NEAR: Final = sorted({t + more for t in TARGETS for more in (0, 1, 0x400)} | {0x7FF, 0x800})

STREAM: Final = Table(
    "stream",
    stream=choice(_USED),
    counter=chance(0.8),
    which=choice((items.PHASE_REGISTER, items.COUNT_REGISTER)),
    hot=chance(0.8),
    few_register=EXAMPLE.few("few_register"),
    any_register=uniform(0, 1023),
    register=column(
        lambda counter, which, hot, few_register, any_register: np.where(
            counter, which, np.where(hot, few_register, any_register)
        )
    ),
    near=choice(_NEAR),
    any_value=uniform(0, (1 << 32) - 1),
    value=column(lambda counter, near, any_value: np.where(counter, near, any_value)),
    **_bursts(4),
).aimed(near=("streamwait.*",), register="config.behind_streamwrcfg*")
"""Writes of stream registers: counters that move around the targets of the waits, and others."""

LEVEL: Final = Table(
    "level",
    cycles=pauses(4),
    forced=phases(chance(0.3), 8),
    shown=chance(0.8, shape=2),
    seen=column(lambda forced, shown: forced & shown[:, 0]),
    forced_bits=only("seen", uniform(1, 3, within=range(1, 5))),
    bits=only("seen", uniform(0, 12, shape=4)),
    whose=only("seen", choice(range(1, 1 << THREADS), shape=4)),
    banked=phases(chance(0.2), 8),
    banks=only("banked", uniform(0, 3)),
    held=phases(chance(0.2), 8),
    hold=only(
        "held", mix({"nobody": (1, 0), "one": (2, choice((1, 2, 4))), "any": (0.5, uniform(1, 7))})
    ),
    phase=only("held", mix({"address": (9, uniform(1, 6)), "long": (1, uniform(7, 30))})),
    stalled=phases(chance(0.15), 8),
    units=only("stalled", uniform(0, w.UNITS - 1, shape=2)),
    stream_busy=chance(0.1),
    own=only(
        "seen",
        lambda forced_bits, bits, whose: (
            np.bitwise_or.reduce(
                (1 << bits.T[:, None])
                * (np.arange(4)[:, None] < forced_bits)[:, None]
                * (whose.T[:, None] >> np.arange(THREADS)[:, None] & 1)
            ).T
        ),
    ),
    busy=column(lambda own, banks: own | (banks << 7)[:, None]),
    stall=column(
        lambda stalled, units, shown: (
            (1 << units[:, 0] | 1 << units[:, 1]) * (stalled & shown[:, 1])
        )
    ),
).aimed(
    busy=("gate.stallwait_condition", "gate.condition_pulse", "conditions.*"),
    banks="banks.*",
    hold="hold.*",
    stall="unit.ready_x_outcome",
    stream_busy=("config.prep*", "config.stage"),
)
"""Levels of conditions, of units that are not ready, of ``hold`` and of ``stream_busy``: runs of
eight with something, of which some have nothing. Conditions are of some of the threads, ``banks``
(the Matrix Unit's, that the unpackers have) of all; a ``hold`` mostly lasts as long as an address
phase, ``phase``.
"""

KEEPS: Final = ("none", "short", "long")
WORK: Final = Table(
    "work",
    cycles=uniform(30, 299),
    keeps=choice(KEEPS, {"none": 2, "short": 3, "long": 0.5}),
    times=uniform(0, lambda keeps: np.array([0, 3, 31])[keeps], shape=w.UNITS),
).aimed(keeps="gate.latched_x_lived")
"""How long words keep units busy: phases."""

_ALL: Final = Tables(
    *(SEGMENT, STEP, GAP, IGNORED), *(table for table, _ in UNITS), RISC, SEM, STREAM, LEVEL, WORK
)
_QUIET: Final = {"forced": 0.1, "stalled": 0.05, "banked": 0.1, "held": 0.1}
_BUSY_THREADS: Final = {"none": 6, "sparse": 2}

PRESETS: Final[Mapping[str, Tables]] = {
    "default": _ALL,
    "mix": _ALL.weighted(kind={**LEGAL, "fault": 1.0}, wrong=0.05),
    "config": _ALL.weighted(
        kind={
            "config": 8, "consume": 3, "accumulate": 1, "streamwrcfg": 2, "state": 3, "scalar": 1,
            "wait": 0.2, "others": 0.5,
        },
        pace=_BUSY_THREADS,
        keeps={"none": 4, "short": 1},
        **_QUIET,
        **{"risc.pause": 6},
    ),
    "sync": _ALL.weighted(
        kind={"semaphore": 4, "mutex": 4, "wait": 2, "others": 1, "units": 0.5, "config": 0.5},
        pace={**_BUSY_THREADS, "frequent": 0.5},
        forced_bits=(1, 2),
        **_QUIET,
        **{"sem.pause": 3},
    ),
    "gate": _ALL.weighted(
        kind={
            "wait": 8, "streamwait": 2, "units": 2, "others": 2, "scalar": 1, "config": 1,
            "semaphore": 1, "mutex": 0.5,
        },
        forced=0.6,
        forced_bits=(1, 4),
        stalled=0.3,
        banked=0.4,
        held=0.3,
        keeps={"none": 1, "short": 3, "long": 1},
        **{"risc.pause": 12},
    ),
    "scalar": _ALL.weighted(
        kind={"scalar": 8, "accumulate": 2, "config": 3, "consume": 1, "wait": 0.5, "others": 1},
        pace={"none": 8, "sparse": 1},
        **_QUIET,
        **{"risc.pause": 10},
    ),
    "stream": _ALL.weighted(
        kind={"streamwait": 6, "streamwrcfg": 5, "config": 2, "consume": 1, "units": 1},
        pace={**_BUSY_THREADS, "frequent": 0.5},
        **_QUIET,
        **{"stream.pause": 1, "stream_busy": 0.4},
    ),
    "faults": _ALL.weighted(
        kind={**LEGAL, "fault": 8}, pace="none", wrong=0.5, **{"risc.pause": 8}
    ),
}  # fmt: skip
"""Named presets; the tests ``random_<name>`` use the one of their name."""


def varied(segment: Table, thread: int) -> Table:
    """Table ``segment`` with a mix of its own for ``thread`` (0, 1 or 2); every kind stays."""
    return segment.tilted("kind", (1.0, 2.0, 0.5), thread, but=("fault",))
