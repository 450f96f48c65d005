# SPDX-License-Identifier: Apache-2.0
"""Hazards of order: what a machine without time computes, and a chip may not (C27 to C30).

A machine has a table of units by opcode for each thread. Words that begin something, and all that
come while something is under way, go through ``Hazards.look`` first: the thread's table is another
one then, so that words that matter to nobody cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tilepath.isa import constants as C
from tilepath.isa import profiles
from tilepath.models.control import fields as F
from tilepath.models.control import values
from tilepath.models.control.instructions import INSTRUCTIONS, Kind
from tilepath.models.fields import Field, get
from tilepath.models.machine.records import Event
from tilepath.models.machine.waits import CLASSES, holds
from tilepath.models.pack.fields import IS_READ
from tilepath.models.unpack.settings import nop_words, words_of

if TYPE_CHECKING:
    from tilepath.models.machine.machine import Machine

Unit = Callable[[Any, int, int], tuple[str, ...]]
"""Executes a word of a thread of a machine; returns the names of its faults."""
Table = Sequence[Unit | None]
"""By opcode the unit that executes it; ``None``: none that is modelled."""

_WHOLE: Final = 0xFFFFFFFF
_BANK: Final = 256  # of a key: word of Config, and this for bank 1 of one that is there twice
_NONE: Final = -1
_CFG_PIPE: Final = 1 << C.STALL_COND_CFG_PIPE
_DRAIN: Final = 1 << C.STALL_COND_MATH
_KINDS: Final = tuple(int(row.kind) for row in INSTRUCTIONS)
"""By opcode."""
_OF_CONFIG: Final = (*range(Kind.WRCFG, Kind.STREAMWRCFG + 1), Kind.REG2FLOP)
_SCALAR: Final = range(Kind.SETDMAREG, Kind.REG2FLOP)
# Words that give banks back by bits 23:22 (M7)
_GIVE_BACK: Final = (
    *(C.OP_ELWADD, C.OP_ELWSUB, C.OP_ELWMUL, C.OP_MVMUL, C.OP_GAPOOL, C.OP_GMPOOL),
    *(C.OP_SETRWC, C.OP_CLEARDVALID),
)
_GIVEN: Final = Field(22, 3)
# Words of Config that a word reads, of units in which the opcode says it
_MOVES: Final = (C.OP_MOVA2D, C.OP_MOVB2D, C.OP_MOVD2A, C.OP_MOVD2B, C.OP_MOVB2A)
_READ: Final = {
    **dict.fromkeys((C.OP_PACR, C.OP_PACR_SETREG), frozenset(np.flatnonzero(IS_READ).tolist())),
    **dict.fromkeys((*_GIVE_BACK[:6], *_MOVES), frozenset((0, 1, 2, 220))),
    C.OP_ZEROACC: frozenset((1, 220)),
}


def _config_words(word: int) -> range:
    """Words of Config that a word of the config unit, or REG2FLOP, names and does not drop."""
    kind = _KINDS[word >> 24]
    if kind == Kind.REG2FLOP:
        first, wide = values.flop_index(word), values.flop_is_quad(word)
        drops = not values.flop_writes_config(word)
    else:
        first = values.config_index(kind, word)
        wide = kind == Kind.WRCFG and get(word, F.WRCFG_IS128) != 0
        drops = values.drops_write(Kind.RMWCIB if kind == Kind.RDCFG else kind, first)
    return range(0) if drops else range(first, first + (4 if wide else 1))


class _Thread:
    """What a thread has under way."""

    def __init__(self) -> None:
        self.result = _NONE  # register that the word before writes, if that is a scalar one
        self.register = _NONE  # the same of RDCFG
        self.written: tuple[int, ...] = ()  # keys that the word before writes late
        self.pending: set[int] = set()  # keys of STREAMWRCFGs
        self.returned = 0  # files whose bank was given back, and the Matrix Unit not drained since
        self.holds = self.what = 0  # of a STALLWAIT that may last: classes, conditions

    @property
    def armed(self) -> bool:
        """Whether the next word matters, whichever it is."""
        late = self.result >= 0 or self.register >= 0 or self.written
        return bool(late or self.pending or self.holds)


class _Part:
    """Who wrote the bits of a word of Config last."""

    def __init__(self) -> None:
        self.bits, self.mutexes = [0, 0, 0], [0, 0, 0]  # by thread; mutexes that it held then
        self.changed = 0  # bits that were changed as a part


class Hazards:
    """A machine has these: the tables by thread, and what was begun."""

    def __init__(self, machine: Machine, units: Table) -> None:
        """``units`` execute; ``tables`` of all threads are theirs at first."""
        self._machine = machine
        self._stale = profiles.get(machine.profile).stale_gpr
        self._usual, self._armed = _tables(units, bool(self._stale))
        self.tables = [self._usual] * 3
        self.reset()

    def reset(self) -> None:
        """Forget all: nothing is under way, and nobody has written."""
        self._threads = [_Thread() for _ in self.tables]
        self._parts: dict[int, _Part] = {}
        self._have_read: set[tuple[int, int]] = set()  # by RDCFG, since they wrote it: thread, key
        self._told: tuple[str, ...] = ()
        self.tables[:] = [self._usual] * 3

    def settle(self, thread: int) -> None:
        """All that the thread was given is done."""
        self._threads[thread] = _Thread()
        self.tables[thread] = self._usual

    def look(self, thread: int, word: int) -> tuple[str, ...]:
        """A word of a thread is about to be executed; names of its faults, events are told."""
        own, opcode = self._threads[thread], word >> 24
        if own.holds & CLASSES[opcode]:  # it has waited: the wait is over
            if own.what & _CFG_PIPE:
                own.pending.clear()
            if own.what & _DRAIN:
                own.returned = 0
            own.holds = 0
        self._told = ()
        if own.armed:
            self._read_early(own, thread, word)
            own.result = own.register = _NONE
            own.written = ()
        self._begin(own, thread, word)
        self.tables[thread] = self._armed if own.armed else self._usual
        return self._told

    def _tell(self, name: str, thread: int, word: int, *values: int) -> None:
        self._machine.events.append(Event(name, thread, word, values))
        self._told += (name,)

    def _key(self, thread: int, index: int) -> int:
        """Return the key of a word of Config as the thread sees it (C5)."""
        bank = int(self._machine._control.thread_config[thread, 0]) & 1
        return index if index >= C.CFG_GLOBAL_BASE else index + _BANK * bank

    # --- read too early (C27, C28)

    def _read_early(self, own: _Thread, thread: int, word: int) -> None:
        kind = _KINDS[word >> 24]
        if kind == Kind.WRCFG:
            if values.wrcfg_reads(word, own.result):
                self._tell("stale_gpr", thread, word, own.result)
            if values.wrcfg_reads(word, own.register):
                self._tell("config_race", thread, word, own.register, 1)
        late = own.pending if kind in _OF_CONFIG else {*own.written, *own.pending}
        if late and kind != Kind.STREAMWRCFG:  # which stays behind another one
            here = {self._key(thread, index) for index in self._words_of(thread, word)}
            if raced := sorted(key % _BANK for key in late & here):
                self._tell("config_race", thread, word, *raced)

    def _words_of(self, thread: int, word: int) -> Collection[int]:
        """Words of Config that a word reads, or that one of the config unit reads or writes."""
        opcode, unit = word >> 24, word >> 23 & 1
        if opcode == C.OP_UNPACR_NOP:
            return nop_words(unit)
        if opcode == C.OP_CFGSHIFTMASK:  # and the scratch word (C4)
            return *_config_words(word), values.scratch_index(thread, word)
        if _KINDS[opcode] in _OF_CONFIG:
            return _config_words(word)
        if opcode != C.OP_UNPACR:
            return _READ.get(opcode, ())
        context = 0
        if word >> 7 & 1:  # U7
            m = self._machine
            counter = int(m.unpack.context_counter[unit, thread])
            context = m.read_field(f"UNPACK_MISC_CFG_CfgContextOffset_{unit}", thread=thread)
            context += counter if word >> 3 & 1 else word >> 10 & 7
        return words_of(unit, context & 7)

    # --- what a word begins

    def _begin(self, own: _Thread, thread: int, word: int) -> None:
        kind = _KINDS[word >> 24]
        if kind == Kind.STALLWAIT:
            what = values.latch_what(kind, word)
            if not what & _DRAIN and what >> C.STALL_COND_SRCA_MATH_BANK & own.returned:
                self._tell("half_gate", thread, word, what)
            if (own.pending and what & _CFG_PIPE) or (own.returned and what & _DRAIN):
                own.holds, own.what = holds(word), what
        elif word >> 24 in _GIVE_BACK:
            own.returned |= get(word, _GIVEN)
        elif kind in _SCALAR and self._stale:
            own.result = values.result_gpr(kind, word)
        elif kind in _OF_CONFIG:
            keys = tuple(self._key(thread, index) for index in _config_words(word))
            if kind == Kind.RDCFG:
                own.register = get(word, F.RDCFG_GPR)
                self._have_read.update((thread, key) for key in keys)
                return
            if kind == Kind.STREAMWRCFG:
                own.pending.update(keys)
            elif kind in (Kind.WRCFG, Kind.CFGSHIFTMASK):
                own.written = keys
            for key in keys:
                self._write(thread, word, key)

    # --- one word, two threads (C30)

    def _write(self, thread: int, word: int, key: int) -> None:
        kind, mask = _KINDS[word >> 24], _WHOLE
        if kind == Kind.RMWCIB:
            mask = get(word, F.RMWCIB_MASK) << 8 * ((word >> 24) - C.OP_RMWCIB0)
        changes = kind in (Kind.CFGSHIFTMASK, Kind.RMWCIB)
        changes |= (thread, key) in self._have_read
        self._have_read.discard((thread, key))
        held = self._machine._control.mutexes_of(thread)
        if (part := self._parts.get(key)) is None:
            part = self._parts[key] = _Part()
        for other, bits in enumerate(part.bits):
            lost = bits & mask
            if other == thread or not lost:
                continue
            if (changes or lost & part.changed) and not held & part.mutexes[other]:
                self._tell("shared_word", thread, word, key % _BANK, other)
            part.bits[other] = bits & ~mask
        part.bits[thread] |= mask
        part.mutexes[thread] = held
        part.changed = part.changed | mask if changes else part.changed & ~mask


def _watched(unit: Unit | None) -> Unit:
    def watched(machine: Machine, thread: int, word: int) -> tuple[str, ...]:
        told = machine._hazards.look(thread, word)
        names = unit(machine, thread, word) if unit is not None else ()
        return (*told, *names) if told else names

    return watched


@cache
def _tables(units: tuple[Unit | None, ...], stale: bool) -> tuple[Table, Table]:
    """The table of a thread with nothing under way, and that of one with something."""
    begin = (*_OF_CONFIG, Kind.STALLWAIT, *(_SCALAR if stale else ()))
    watched = [_watched(unit) for unit in units]
    usual = [
        watched[opcode] if _KINDS[opcode] in begin or opcode in _GIVE_BACK else unit
        for opcode, unit in enumerate(units)
    ]
    return usual, watched
