# SPDX-License-Identifier: Apache-2.0
"""The account of the control block: what happened to words, latches, units and accesses.

The model keeps it where it is asked to (``compiled``); a row for each event, in the order of
cycles. A row of a kind with ``cycles`` stands for so many cycles in which nothing of it changes;
the end of a step ends it. Numbers: ``thread`` 0 to 2, 3 the cores; ``kind`` a ``Kind``,
``resource`` a ``Resource``, ``latch`` a ``LatchKind`` (0: none); sets of threads are bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, Final

import numpy as np

from tilepath.engine.compiled.records import record
from tilepath.models.control.cycle_block import (
    ENTRANT,
    LATCH,
    OFFERED,
    SCALAR_UNIT,
    WRITE,
)
from tilepath.models.control.instructions import THREADS, Kind
from tilepath.models.control.state import SEMAPHORES


class Held(IntEnum):
    """What holds a word: rules 2 to 4 of section 3, each for itself."""

    INSIDE = 1  # its thread is inside a scalar instruction
    LATCHED = 2
    UNAVAILABLE = 4  # what it asks for
    HOLD = 8


class Writer(IntEnum):
    """What writes a word of configuration."""

    WRCFG = 0
    WRCFG128 = 1
    CFGSHIFTMASK = 2
    STREAMWRCFG = 3
    RMWCIB = 4
    REG2FLOP = 5
    CORES = 6
    CORES_THREAD = 7  # ThreadConfig
    SETC16 = 8


EARLIER: Final = 7  # cycles
BANKS: Final = 7  # bits of ``busy`` from here on: SrcA's and SrcB's are not the Matrix Unit's
NO_WORD: Final = 0x7FF  # index of what is no word of Config
THREAD_WORDS_FROM: Final = 256  # index of a view; from there on ThreadConfig

_WHEN: Final = {"cycle": np.uint32, "thread": np.uint8}
_LASTS: Final = {"cycle": np.uint32, "cycles": np.uint32}

UNITS: Final = record(  # cycles of the whole block
    **_LASTS,
    stages=np.uint8,  # of the config unit, as in ``config_pipe``
    hold=np.uint8,  # threads that are held
    mutexes=np.uint8,  # places of those that are held
    gets=np.uint8,  # legal ATGETMs that issue
    releases=np.uint8,  # legal ATRELMs
    setc16s=np.uint8,
    faulty=np.uint8,  # words with a fault
    doubly=np.uint8,  # words with two
    cores_faulty=np.uint8,  # an access has one
)
WORD: Final = record(  # a word issues
    **_WHEN,
    offered=OFFERED,
    latch=LATCH,
    rules=np.uint8,  # bits of ``Held``
    index=np.uint16,  # of a word of Config that it names, or of the first of four; or NO_WORD
    faults=np.uint16,  # bits of ``Fault`` (section 8)
    mutex=np.int8,  # place of the mutex of ATGETM, ATRELM; -1: none, or no such
    owner=np.uint8,  # who has that mutex: 0 nobody, 1 this thread, 2 another one
    waiters=np.uint8,  # number of other threads whose ATGETM of that mutex is offered
)
_LEVELS: Final = {
    "levels": (np.uint8, SEMAPHORES),
    "maxima": (np.uint8, SEMAPHORES),
}
_LOOK: Final = record(  # what a word or a latch looks at; 0 where it does not
    ready=np.uint8,  # the unit that it asks for
    # a word for the Matrix Unit (M8): banks that the unpackers have, bit 0 SrcA's, bit 1 SrcB's, as
    # its thread sees it; as one of the others does; thread whose word the unit takes, 3: none
    taken=np.uint8,
    taken_of_others=np.uint8,
    passing=np.uint8,
    busy=np.uint16,  # STALLWAIT (C17): conditions as this thread sees them
    others=(np.uint16, THREADS),  # and each thread does
    waiting=np.uint8,  # SEMWAIT (C19, C20): semaphores that keep the latch
    **_LEVELS,
    # STREAMWAIT (C8, C9, C11)
    register=np.uint32,  # what the target is compared with
    stream=np.uint8,
    crossed=np.int8,  # 1: the write of the cycle before took it to the target, -1: below
    redirected=np.uint8,  # the stream changed, last by 1 the cores, 2 SETC16
    first_met=np.uint8,  # the stream of the first valid cycle is at the target
    hi=np.uint8,  # the high part changed: 1 just before the first valid cycle, 2 from then on
    hi_above=np.uint8,  # bits above the field are set, of the high part of the target
    select_above=np.uint8,  # and of BankSel
    still_met=np.uint8,  # the condition of a latch that has gone in the cycle before
)
GATE: Final = record(  # a thread's gate (section 3)
    **_LASTS,
    thread=np.uint8,
    offered=OFFERED,  # the word at the gate, if it is valid
    latch=LATCH,
    wins=np.bool_,
    rules=np.uint8,  # bits of ``Held``: what holds any word but an illegal one (F17)
    issuing=np.uint8,  # threads that issue, where nothing but ``hold`` holds it
    scalar=np.uint8,  # kind of the instruction that its thread is inside of
    mutex=np.int8,  # as of a word that issues
    owner=np.uint8,
    streams=np.uint16,  # beside a latch: three bits a stage, -4 lowest: 1 + thread of STREAMWRCFG
    look=_LOOK,
)
GRANT: Final = record(  # somebody gets a resource (C24)
    cycle=np.uint32,
    resource=np.uint8,
    asked=np.uint8,  # who asked: bits 0 to 2 threads, 3 the cores
    winner=np.uint8,
    kinds=(np.uint8, THREADS),  # of the words of who asked
    cores_get=np.uint8,  # their access to a semaphore is a get
)
CONTEST: Final = record(  # a SEMPOST and a SEMGET of one semaphore ask together, and one wins
    **_WHEN,  # of the SEMPOST
    level=np.uint8,  # of the lowest semaphore of both
    get_wins=np.uint8,
)
SEMAPHORE: Final = record(  # an operation on semaphores acts (C20, C23), or the cores read one
    **_WHEN,
    operation=np.uint8,  # 0 SEMINIT, 1 SEMPOST, 2 SEMGET, 3 a read
    selected=np.uint8,
    limited=np.uint8,  # those that cannot go further
    **_LEVELS,
    word=np.uint32,  # of an instruction
    # of a read: operation of an instruction that acts on it in this cycle, and in the one before
    beside=(np.int8, 2),
)
ENTERED: Final = record(  # what enters the config unit (C16): an instruction, or an access
    cycle=np.int64,
    word=np.uint32,
    index=np.uint16,  # of the word of Config; NO_WORD: of none
    kind=np.uint8,  # a ``Kind``
    thread=np.uint8,
    bank=np.uint8,  # StateID of the thread
    banks=np.uint8,  # in which the word is read or written
    quad=np.bool_,
    writes=np.bool_,
    at_once=np.bool_,  # a STREAMWRCFG without contention
)
ENTRY: Final = record(cycle=np.uint32, now=ENTERED)
FOLLOW: Final = record(  # and what entered before it, each of the last ``EARLIER`` cycles
    cycle=np.uint32, now=ENTERED, first=ENTERED
)
ORDER: Final = record(  # a STREAMWRCFG and what overtook it, or entered as early as it can behind
    **_WHEN,  # of the STREAMWRCFG; the cycle in which the order is known
    kind=np.uint8,
    other=np.uint8,  # thread of that
    prepared=np.uint32,  # cycles in stage -4
    behind=np.uint8,
)
STATE_ID: Final = record(  # a SETC16 changed StateID in the cycle before (C5)
    **_WHEN,
    # what of the thread read StateID in this cycle, and two before: bits of ``Kind``, then views
    uses=(np.uint32, 2),
)
ACCESS: Final = record(  # an access of the cores to configuration is done
    cycle=np.uint32,
    entered=ENTRANT,
    waited=np.uint32,  # cycles until it won
    at_once=np.uint8,  # offered in the cycle after the last one was done
    setc16=(np.int16, THREADS),  # index that a SETC16 of the thread writes in this cycle; -1: none
)
SCALAR: Final = record(  # the scalar unit takes a word
    **_WHEN,
    offered=OFFERED,
    unit=SCALAR_UNIT,  # as the word before left it
)
FLOP: Final = record(  # a cycle in which a REG2FLOP to Config could write (C14, C15)
    cycle=np.uint32,
    unit=SCALAR_UNIT,
    bank=np.uint8,
    write=WRITE,  # of the config unit in this cycle
    writer=np.int8,  # a ``Writer``; -1: it writes nothing
)
PRODUCT: Final = record(  # MULDMAREG has its operands (C25)
    cycle=np.uint32,
    unit=SCALAR_UNIT,
    b=np.uint32,
)
OPERAND: Final = record(  # an operand that a word shortly before writes (C22)
    **_WHEN,
    word=np.uint32,  # that reads it
    kind=np.uint8,
    operand=np.uint8,  # 0 A, or the only one; 1 B
    producer=np.uint8,  # its ``Kind``
    distance=np.uint8,  # of the issues
    late=np.uint8,  # cycles behind the first one in which it could issue
)
CLASH: Final = record(  # RDCFG and the scalar unit write a register in one cycle
    cycle=np.uint32,
    unit=SCALAR_UNIT,
)
VIEWED: Final = record(  # a unit reads a word of configuration
    **_WHEN,
    unit=np.uint8,
    index=np.uint16,
    bank=np.uint8,
)
CHANGING: Final = record(  # which a write changes
    **_WHEN,
    unit=np.uint8,
    age=np.uint8,  # 0 in this cycle, 1 in the one before
    writer=np.uint8,  # a ``Writer``
    by=np.uint8,  # thread of the write
)
STICKY: Final = record(  # the first index out of range
    cycle=np.uint32,
    by=np.uint8,  # bit t: a word of thread t; bit 3: an access of the cores
)

# What is kept between cycles

SETC16S: Final = 3  # place of a thread's among writes: of the config unit, REG2FLOP, the cores
WRITES: Final = SETC16S + THREADS
_WRITTEN: Final = record(  # a write, and what was there; ThreadConfig is in "banks" by threads
    cycle=np.int64, writer=np.int64, thread=np.int64, banks=np.int64, index=np.int64,
    words=np.int64, new=(np.int64, 4), old=(np.int64, (THREADS, 4)),
)  # fmt: skip
_THREAD: Final = record(
    row=GATE,  # of the cycle before, whose number is, from 1; 0: none goes on
    told=np.int64,
    faults=np.int64,
    # STREAMWAIT: the high part, and how it changed; the stream now and in the first valid cycle
    hi=np.int64,
    hi_changed=np.int64,
    stream=np.int64,
    first_stream=np.int64,
    redirected=np.int64,
    state_changed_in=np.int64,  # before this cycle, and with it
    state_changes_in=np.int64,
    # by slots of cycles: words that issued, and what read StateID
    issued_in=(np.int64, 8),
    words=(np.int64, 8),
    kinds=(np.int64, 8),
    used_in=(np.int64, 8),
    uses=(np.int64, 8),
)
MEMORY: Final = record(
    threads=(_THREAD, THREADS),
    # of this cycle, if they are due, and before
    writes=(record(due=np.bool_, now=_WRITTEN, before=_WRITTEN), WRITES),
    value=(np.int64, 1),  # that a write to ThreadConfig has
    units=UNITS,  # as ``row`` of a thread
    units_told=np.int64,
    nothing=GATE,
    entered=(ENTERED, EARLIER + 1),
    # the STREAMWRCFG in stage -4, 1 + its thread, and what overtook it
    preparing=np.int64,
    prepares_from=np.int64,
    overtaken=(np.int64, (len(Kind), THREADS + 1)),
    # the last one that left it, and by slots all
    left_in=np.int64,
    left_thread=np.int64,
    prepared=np.int64,
    lefts_in=(np.int64, 8),
    lefts=(np.int64, 8),
    # the last operation of an instruction on semaphores
    acted_in=np.int64,
    operation=np.int64,
    selected=np.int64,
    offered=np.int64,  # cycles in which the cores' access was offered, the one before was done
    done=np.int64,
    at_once=np.bool_,
    out_of_range=np.bool_,
)

# Kind → its rows, and how many there are at most in a cycle
KINDS: Final[Mapping[str, np.dtype[Any]]] = {
    "units": UNITS, "word": WORD, "gate": GATE, "grant": GRANT, "contest": CONTEST,
    "semaphore": SEMAPHORE, "entry": ENTRY, "follow": FOLLOW, "order": ORDER, "state_id": STATE_ID,
    "access": ACCESS, "scalar": SCALAR, "flop": FLOP, "product": PRODUCT, "operand": OPERAND,
    "clash": CLASH, "viewed": VIEWED, "changing": CHANGING, "sticky": STICKY,
}  # fmt: skip
ONE: Final = frozenset(("units", "entry", "access", "scalar", "flop", "product", "clash", "sticky"))
MOST: Final = {
    **dict.fromkeys(KINDS, THREADS), **dict.fromkeys(ONE, 1), "grant": 5,
    "follow": EARLIER, "order": 12, "operand": 10 * THREADS, "semaphore": 2,
    "changing": 4 * THREADS,
}  # fmt: skip
