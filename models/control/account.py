# SPDX-License-Identifier: Apache-2.0
"""The account of the control block: what happened to words, latches, units and accesses.

The model keeps it where it is asked to (``models.account``); a row for each event, in the order of
cycles. A row of a kind with ``cycles`` stands for so many cycles in which nothing of it changes;
the end of a step ends it. Numbers: ``thread`` 0 to 2, 3 the cores; ``kind`` a ``Kind``,
``resource`` a ``Resource``, ``latch`` a ``LatchKind`` (0: none); sets of threads are bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, Final

import numpy as np

from tilepath.models.control.instructions import THREADS
from tilepath.models.control.state import SEMAPHORES
from tilepath.models.records import record


class Held(IntEnum):
    """What holds a word: rules 2 to 4 of section 3, each for itself."""

    INSIDE = 1  # its thread is inside a scalar instruction
    LATCHED = 2
    UNAVAILABLE = 4  # what it asks for
    HOLD = 8


class Meanwhile(IntEnum):
    """What the thread's word does in the last cycle of a latch."""

    NONE = 0  # there is no word
    LATCHED = 1
    ISSUES = 2
    OTHERWISE = 3  # it waits for something else


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


class Entry(IntEnum):
    """What enters the config unit."""

    STREAMWRCFG = 0
    WRCFG = 1
    CFGSHIFTMASK = 2
    RMWCIB = 3
    RDCFG = 4
    CORES = 5
    NONE = -1


class Producer(IntEnum):
    """What writes a register that a word shortly behind it reads (section 6)."""

    RDCFG = 0
    SETDMAREG = 1
    ADDDMAREG = 2
    MULDMAREG = 3


EARLIER: Final = 7  # cycles in which what enters the config unit remembers what entered before
NO_WORD: Final = 0x7FF  # index of what is no word of Config

_WHEN: Final = {"cycle": np.uint32, "thread": np.uint8}
_LASTS: Final = {**_WHEN, "cycles": np.uint32}

UNITS: Final = record(  # cycles of the whole block
    cycle=np.uint32,
    cycles=np.uint32,
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
    word=np.uint32,
    opcode=np.uint8,
    kind=np.uint8,
    index=np.uint16,  # of a word of Config that it names, or of the first of four; or NO_WORD
    faults=np.uint16,  # bits of ``Fault`` (section 8)
    latch=np.uint8,
    inside=np.uint8,  # a scalar instruction (section 6)
    hold=np.uint8,  # its thread is held
    mutex=np.int8,  # place of the mutex of ATGETM, ATRELM; -1: none, or no such
    owner=np.uint8,  # who has that mutex: 0 nobody, 1 this thread, 2 another one
    waiters=np.uint8,  # number of other threads whose ATGETM of that mutex is offered
    behind=np.int8,  # SEMWAIT: what issued a cycle before on one of its semaphores, 0 SEMINIT,
    behind_thread=np.uint8,  # 1 SEMPOST, 2 SEMGET; -1: nothing
)
GATE: Final = record(  # a word at the gate (section 3)
    **_LASTS,
    opcode=np.uint8,
    kind=np.uint8,
    classes=np.uint16,  # B0 to B8, 9 a wait (C12), 10 NOP (C21)
    held=np.uint8,  # bits of ``Held``; an illegal word is held by nothing (F17)
    issued=np.uint8,
    issuing=np.uint8,  # threads that issue, where nothing but ``hold`` holds it
    latch=np.uint8,
    block=np.uint16,  # of the latch
    given_0=np.uint8,  # for its block (C10)
    resource=np.uint8,
    ready=np.uint8,  # the unit that it asks for
    scalar=np.uint8,  # kind of the instruction that its thread is inside of
    behind_hold=np.uint8,  # in the cycle before nothing but ``hold`` held it, which does no more
    mutex=np.int8,
    owner=np.uint8,
)
MATRIX: Final = record(  # a word for the Matrix Unit, which is ready, that only banks hold (M8)
    **_LASTS,
    waits=np.uint8,  # for bit 0 SrcA's bank, bit 1 SrcB's
    taken=np.uint8,  # banks that the unpackers have, as its thread sees it: the same bits
    others=np.uint8,  # the same as one of the other threads sees it
    issued=np.uint8,
    last=np.uint8,  # those that held it in the cycle before
    passing=np.uint8,  # thread whose word the unit takes; 3: none
)
HOLD: Final = record(  # ``hold`` of a thread ends
    **_WHEN,
    lasted=np.uint32,  # cycles
)
RUN: Final = record(  # words that issued cycle after cycle under a latch, when that is over
    **_WHEN,
    latch=np.uint8,
    words=np.uint32,
)
LATCH: Final = record(  # a valid latch
    **_LASTS,
    latch=np.uint8,
    what=np.uint16,
    met=np.uint8,
    streams=np.uint16,  # three bits a stage, -4 lowest: 1 + thread of the STREAMWRCFG there
)
STALLWAIT: Final = record(  # a condition of STALLWAIT is looked at (C17)
    **_LASTS,
    what=np.uint16,
    busy=np.uint16,  # as this thread sees it
    before=np.uint16,  # and saw it in the cycle before
    others=(np.uint16, THREADS),  # and each thread does
    age=np.uint8,  # cycles that the latch has been valid; 3: or more
    met=np.uint8,
    given_0=np.uint8,  # for the condition
)
SEMWAIT: Final = record(  # a condition of SEMWAIT is looked at (C19, C20)
    **_LASTS,
    cond=np.uint8,
    selected=np.uint8,  # semaphores
    waiting=np.uint8,  # those that keep the latch
    levels=(np.uint8, SEMAPHORES),
    maxima=(np.uint8, SEMAPHORES),
)
STREAMWAIT: Final = record(  # a condition of STREAMWAIT is looked at (C8, C9, C11)
    **_LASTS,
    cond=np.uint8,
    select=np.uint8,
    age=np.uint8,
    target=np.uint32,
    register=np.uint32,  # what it is compared with
    stream=np.uint8,
    met=np.uint8,
    crossed=np.int8,  # 1: the write of the cycle before took it to the target, -1: below
    redirected=np.uint8,  # the stream changed, last by 1 the cores, 2 SETC16
    now=np.uint8,  # it did with the write of the cycle before
    first_met=np.uint8,  # the stream of the first valid cycle is at the target
    hi_above=np.uint8,  # bits above the field are set, of the high part of the target
    select_above=np.uint8,  # and of BankSel
)
GONE: Final = record(  # a latch has gone, in the cycle before
    **_WHEN,
    latch=np.uint8,
    lived=np.uint32,  # cycles
    meanwhile=np.uint8,  # a ``Meanwhile``
    kind=np.uint8,  # of the word
    hold=np.uint8,  # held it
    met=np.uint8,  # the condition still is
    what=np.uint16,
    # of STREAMWAIT
    target=np.uint32,
    register=np.uint32,  # in its first valid cycle
    hi=np.uint8,  # the high part changed: 1 just before the first valid cycle, 2 from then on
    redirected=np.uint8,
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
    levels=(np.uint8, SEMAPHORES),
    maxima=(np.uint8, SEMAPHORES),
    level=np.uint8,  # of SEMINIT, and its maximum
    maximum=np.uint8,
    # of a read: operation of an instruction that acts on it in this cycle, and in the one before
    beside=(np.int8, 2),
)
ENTRY: Final = record(  # an instruction, or an access, enters the config unit (C16)
    **_WHEN,
    entry=np.uint8,  # an ``Entry``
    index=np.uint16,  # of the word of Config; NO_WORD: of none
    writes=np.uint8,
    quad=np.uint8,
    bank=np.uint8,  # StateID of the thread
    # what entered 1, 2, … cycles before
    earlier=(np.int8, EARLIER),
    earlier_thread=(np.uint8, EARLIER),
    same=np.uint8,  # those about a word that this one is about: bit 0 a cycle before, …
    wrote=np.uint8,  # those that write
    at_once=np.uint8,  # those that are a STREAMWRCFG without contention
    scratch=np.uint8,  # those that write the scratch word of this CFGSHIFTMASK
)
ORDER: Final = record(  # a STREAMWRCFG and what overtook it, or entered as early as it can behind
    **_WHEN,  # of the STREAMWRCFG; the cycle in which the order is known
    entry=np.uint8,
    other=np.uint8,  # thread of that
    prepared=np.uint32,  # cycles in stage -4
    behind=np.uint8,
)
STATE_ID: Final = record(  # a SETC16 changed StateID in the cycle before (C5)
    **_WHEN,
    # what of the thread read StateID in this cycle, and two before: bits of ``Entry``, 5 REG2FLOP,
    # 6 to 8 the views
    uses=(np.uint16, 2),
)
ACCESS: Final = record(  # an access of the cores to configuration is done
    cycle=np.uint32,
    write=np.uint8,
    address=np.uint16,
    waited=np.uint32,  # cycles until it won
    at_once=np.uint8,  # offered in the cycle after the last one was done
    setc16=(np.int16, THREADS),  # index that a SETC16 of the thread writes in this cycle; -1: none
)
SCALAR: Final = record(  # the scalar unit takes a word
    **_WHEN,
    word=np.uint32,
    kind=np.uint8,
    after=np.uint32,  # word that left it in this cycle; 0: none did
    after_thread=np.uint8,
    after_kind=np.uint8,
)
FLOP: Final = record(  # a cycle in which a REG2FLOP to Config could write (C14, C15)
    **_WHEN,
    word=np.uint32,
    delay=np.uint32,
    written=np.uint8,
    bank=np.uint8,
    writer=np.int8,  # what the config unit writes in this cycle, a ``Writer``; -1: nothing
    index=np.uint8,
    banks=np.uint8,
    quad=np.uint8,
)
PRODUCT: Final = record(  # MULDMAREG has its operands (C25)
    **_WHEN,
    a=np.uint32,
    b=np.uint32,
    immediate=np.uint8,
)
OPERAND: Final = record(  # an operand that a word shortly before writes (C22)
    **_WHEN,
    word=np.uint32,  # that reads it
    kind=np.uint8,
    operand=np.uint8,  # 0 A, or the only one; 1 B
    producer=np.uint8,  # a ``Producer``
    distance=np.uint8,  # of the issues
    late=np.uint8,  # cycles behind the first one in which it could issue
)
CLASH: Final = record(  # RDCFG and the scalar unit write a register in one cycle
    **_WHEN,
    gpr=np.uint8,
    halves=np.uint8,
)
VIEWED: Final = record(  # a unit reads a word of configuration
    **_WHEN,
    unit=np.uint8,
    index=np.uint16,
    bank=np.uint8,
    # bits of ``Writer``: what changes it in this cycle, and did in the one before; by its thread
    changed=(np.uint16, 2),
    own=(np.uint16, 2),
)
STICKY: Final = record(  # the first index out of range
    cycle=np.uint32,
    by=np.uint8,  # bit t: a word of thread t; bit 3: an access of the cores
)

# Kind → its rows, and how many there are at most in a cycle
KINDS: Final[Mapping[str, np.dtype[Any]]] = {
    "units": UNITS, "word": WORD, "gate": GATE, "matrix": MATRIX, "hold": HOLD, "run": RUN,
    "latch": LATCH, "stallwait": STALLWAIT, "semwait": SEMWAIT, "streamwait": STREAMWAIT,
    "gone": GONE, "grant": GRANT, "contest": CONTEST, "semaphore": SEMAPHORE, "entry": ENTRY,
    "order": ORDER, "state_id": STATE_ID, "access": ACCESS, "scalar": SCALAR, "flop": FLOP,
    "product": PRODUCT, "operand": OPERAND, "clash": CLASH, "viewed": VIEWED, "sticky": STICKY,
}  # fmt: skip
ONE: Final = frozenset(("units", "entry", "access", "scalar", "flop", "product", "clash", "sticky"))
MOST: Final = {
    **dict.fromkeys(KINDS, THREADS), **dict.fromkeys(ONE, 1), "run": 2 * THREADS, "grant": 5,
    "order": 12, "operand": 10 * THREADS, "semaphore": 2,
}  # fmt: skip
