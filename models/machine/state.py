# SPDX-License-Identifier: Apache-2.0
"""All that a machine without time has, but L1: one record, which its compiled step works on."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, Records, record
from tilepath.engine.description.boundary import names
from tilepath.isa import constants
from tilepath.isa.boundary import adc as adc_boundary
from tilepath.isa.boundary.frontend import THREADS
from tilepath.models.adc import untimed_state as adc
from tilepath.models.control import state as control_state
from tilepath.models.control import untimed as control
from tilepath.models.control.instructions import FAULTS
from tilepath.models.frontend.untimed_mop import THREAD
from tilepath.models.machine.records import Event, Fault
from tilepath.models.pack import faults as pack_faults
from tilepath.models.pack import state as pack_state
from tilepath.models.pack import untimed as pack
from tilepath.models.standin import plan as standin_plan
from tilepath.models.standin import untimed as standin
from tilepath.models.unpack import ask
from tilepath.models.unpack import faults as unpack_faults
from tilepath.models.unpack import settings as unpack_settings
from tilepath.models.unpack import untimed_words as unpack

PASSES: Final = 1024
"""Most passes between two moments in which Python can be interrupted."""
KEYS: Final = 512  # of words of Config: one that is there twice has in bank 1 another
BANK: Final = 256  # how far that is from its key in bank 0
ISSUED_ROOM: Final = 4096  # words of a thread
TOLD_ROOM: Final = 256
MOST_WORK: Final = 1 << 22
MOST_TOLD: Final = 32  # rows of a word
# What does not leave the front end as it came, even if nothing is recorded
EXPANDED: Final = frozenset((constants.OP_MOP, constants.OP_MOP_CFG, constants.OP_REPLAY))
MASK_BITS: Final = 56  # words of Config that a value stands for


class Told(enum.IntEnum):
    """What a row tells: events, of which some are faults as well; from ``CONTROL`` on faults."""

    WAIT_NOT_MET = 0
    OVERLAY = 1
    SETREG = 2
    PACK_SETREG = 3
    ILLEGAL = 4
    STALE_GPR = 5
    LATE_REGISTER = 6
    LATE_WORDS = 7
    HALF_GATE = 8
    SHARED_WORD = 9
    CONTROL = 10
    ADC = 11
    UNPACK = 12
    UNPACK_READ = 13
    UNPACK_WRITE = 14
    PACK = 15
    MATRIX = 16
    VECTOR = 17


# An event's name, how many values it has, and its fault's name
_EVENTS: Final = (
    ("wait_not_met", 0, ""),
    ("overlay", 3, ""),
    ("setreg", 3, ""),
    ("setreg", 2, ""),
    ("illegal_word_retired", 0, "illegal"),
    ("stale_gpr", 1, "stale_gpr"),
    ("config_race", 2, "config_race"),
    ("config_race", 4, "config_race"),  # bits of words
    ("half_gate", 1, "half_gate"),
    ("shared_word", 2, "shared_word"),
)


def _bits(names_of_bits: Sequence[str]) -> dict[int, str]:
    return {1 << bit: name for bit, name in enumerate(names_of_bits)}


_FAULTS: Final = (
    _bits(FAULTS),
    _bits(names(adc_boundary.FAULTS)),
    _bits(unpack_faults.FAULTS),
    _bits(unpack_faults.READ_FAULTS),
    _bits(unpack_faults.WRITE_FAULTS),
    pack_faults.NAMES,
    _bits(standin_plan.FAULT_NAMES),
    {1: "unsupported"},
)

# What a thread has under way (C27 to C29)
HAZARDS: Final = record(
    result=np.int64,  # register that the word before writes, if that is a scalar one; else -1
    register=np.int64,  # the same of RDCFG
    late=np.int64,  # the first key that the word before writes late
    late_count=np.int64,
    pending=(np.uint8, KEYS),  # keys of STREAMWRCFGs
    pending_count=np.int64,
    returned=np.int64,  # files whose bank was given back, and the Matrix Unit not drained since
    holds=np.int64,  # of a STALLWAIT that may last: classes,
    what=np.int64,  # and conditions
    armed=np.bool_,  # the next word matters, whichever it is
    has_read=(np.uint8, KEYS),  # by RDCFG, since it wrote it
)
# Who wrote the bits of a word of Config last (C30)
WRITERS: Final = record(
    bits=(np.int64, THREADS),
    mutexes=(np.int64, THREADS),  # that it held then
    changed=np.int64,  # bits that were changed as a part
)
STATE: Final = record(
    control=(control_state.STATE, 1),
    effect=(control.EFFECT, 1),
    counters=(adc.STATE, 1),
    unpack=(unpack.STATE, 1),
    pack=(pack_state.STATE, 1),
    walk=(pack_state.WALK, 1),
    update=(pack.UPDATE, 1),
    matrix=(standin.STATE, 1),
    rwc=(np.uint32, (THREADS, standin_plan.COUNTERS)),
    threads=(THREAD, THREADS),
    hazards=(HAZARDS, THREADS),
    writers=(WRITERS, KEYS),
    raced=(np.int64, 4),  # bits of words of Config: what the word at hand reads too early
    watches_results=np.int64,  # ``stale_gpr`` of the profile
    # What Python takes when a call is over: words that issued, of each thread; rows, each what it
    # tells, thread, word and values
    issued=(np.uint32, (THREADS, ISSUED_ROOM)),
    issued_count=(np.int64, THREADS),
    executed=np.int64,  # of the words that a push has made
    told=(np.int64, (TOLD_ROOM, 7)),
    told_count=np.int64,
    work=np.int64,  # datums that were unpacked since Python was there
)


def new_parts() -> SimpleNamespace:
    """All but L1, ``states``, one ``STATE`` that is all 0; and parts of it by their names.

    Reading fields by name is slow. ``replays``: the ``ReplayState`` of each thread.
    """
    states: Any = np.zeros(1, STATE)
    parts = {name: states[name] for name in ("told_count", "executed", "work")}
    parts |= {name: states[name][0] for name in ("threads", "issued", "issued_count", "told")}
    return SimpleNamespace(states=states, **parts, replays=parts["threads"]["replay"]["state"])


class Mode(enum.IntEnum):
    """What ``play`` is to do."""

    EXPAND = 0  # words
    EXPAND_BEHIND = 1  # the MOP expander
    PUSH = 2
    PUSH_BEHIND = 3
    RUN = 4


class Code(enum.IntEnum):
    """Why a push or a run has returned."""

    STILL = 0  # nothing is left, or nothing moves
    MOVED = 1  # of a turn alone
    FULL = 2  # words or rows are to be taken
    QUEUE = 3  # it is to be larger
    HOOK = 4  # ``on_issue`` is to be called
    STORE = 5  # an item is to be done by Python
    PASSES = 6  # the passes that were given are over
    LIMIT = 7


class Does(enum.IntEnum):
    """What an item does: numbers are of a program's row, 1 to 3."""

    PUSH = 0  # words from one to another
    POLL = 1  # semaphore, relation, value
    SYNC = 2
    CHANGE = 3  # a semaphore, by SEMPOST or SEMGET: the word
    MOP_CFG = 4  # the core's thread, register, value
    L1 = 5  # 0, byte address, value
    STREAM = 6  # stream, register, value
    GPR = 7  # thread, register, value
    CONFIG = 8  # bank, or 2 for both; word, value
    THREAD_CONFIG = 9  # thread, word, value
    OTHER = 10  # as Python does it: 0, address, value


# A thread in a run
PLAYER: Final = record(
    at=np.int64,  # the next item
    end=np.int64,  # behind the last item
    first=np.int64,  # of its words: from there on the items of a Push count
    word=np.int64,  # of the Push at hand, the next to come
    last=np.int64,  # behind its last one
    batch=np.int64,  # of those as many as go through the expanders now
    head=np.int64,  # of the queue, and behind it
    tail=np.int64,
    latch=np.int64,  # Kind of the wait that set it; 0: there is none
    latched=np.int64,  # its word
    holds=np.int64,  # classes, with ANY_WAIT and IS_NOP
    what=np.int64,  # a STALLWAIT's conditions
    target=np.int64,  # a STREAMWAIT's, composed when it was set (C11)
    seen=np.int64,  # what it was compared with last: busy conditions, a count
    awaits=np.int64,  # what the first word waits for
)
RUN: Final = record(
    players=(PLAYER, THREADS),
    idle=np.int64,  # threads of which nothing is left, a bit each
    thread=np.int64,  # whose turn it is
    place=np.int64,  # in the pass
    passes=(np.uint8, (PASSES, THREADS)),  # the threads in their order
    rows=np.int64,  # of the passes, that there are,
    row=np.int64,  # and at hand
    before=np.int64,  # steps, when the pass began
    steps=np.int64,
    limit=np.int64,
    by_priority=np.int64,
    hooked=np.int64,  # ``on_issue`` is set,
    resumes=np.int64,  # and has been called
)


class Program(NamedTuple):
    """What ``play`` is given beside the machine.

    ``runs``: one ``RUN``; ``queue``: a row a thread. ``items``: rows of four, see ``Does``;
    ``words``.
    """

    runs: Records
    queue: npt.NDArray[np.uint32]
    items: npt.NDArray[np.int64]
    words: npt.NDArray[np.uint32]


IDLE: Final = Program(
    np.zeros(1, RUN),
    np.zeros((THREADS, 0), np.uint32),
    np.zeros((0, 4), np.int64),
    np.zeros(0, np.uint32),
)
"""A program of nothing."""

L1 = npt.NDArray[np.uint32]
"""L1 in words of 32 bits."""


@part
def unpackers(its: Record, l1: L1) -> ask.Model:
    """The unpackers as their kernels take them."""
    control, counters = its.control[0], its.counters
    sampled = unpack_settings.Sampled(control.config, control.thread_config, counters[0].live)
    return ask.Model(its.unpack, sampled, l1, counters)


@part
def tell(
    its: Record, what: int, thread: int, word: int, a: int = 0, b: int = 0, c: int = 0, d: int = 0
) -> None:
    """Write a row; there must be room."""
    row = its.told[its.told_count]
    row[0], row[1], row[2] = what, thread, word
    row[3], row[4], row[5], row[6] = a, b, c, d
    its.told_count += 1


@part
def tell_faults(its: Record, what: int, thread: int, word: int, bits: int) -> None:
    """Faults of a unit, if there are any."""
    if bits:
        tell(its, what, thread, word, bits)


def take_told(rows: Sequence[Sequence[int]], events: list[Event], faults: list[Fault]) -> None:
    """Append what rows tell."""
    for row in rows:
        its_events, its_faults = _of_row(*row)
        events += its_events
        faults += its_faults


@lru_cache
def _of_row(what: int, thread: int, word: int, *values: int) -> tuple[list[Event], list[Fault]]:
    if what >= Told.CONTROL:
        named = _FAULTS[what - Told.CONTROL].items()
        return [], [Fault(name, thread, word) for bit, name in named if values[0] & bit]
    name, count, fault = _EVENTS[what]
    given: Sequence[int] = values[:count]
    if what == Told.LATE_WORDS:
        given = [
            MASK_BITS * place + bit
            for place, mask in enumerate(values)
            for bit in range(MASK_BITS)
            if mask >> bit & 1
        ]
    faults = [Fault(fault, thread, word)] if fault else []
    return [Event(name, thread, word, tuple(given))], faults
