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

from tilepath.isa import config_field, profiles
from tilepath.isa import constants as C
from tilepath.models.control import fields as F
from tilepath.models.control.values import STATE_RESET
from tilepath.models.fields import Field
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
_SCRATCH: Final = config_field("SCRATCH_SEC0_val").addr32  # of thread 0; then the others'
_RMWCIBS: Final = (C.OP_RMWCIB0, C.OP_RMWCIB1, C.OP_RMWCIB2, C.OP_RMWCIB3)
_INDEX: Final = {
    C.OP_WRCFG: F.WRCFG_CFG_INDEX,
    C.OP_RDCFG: F.RDCFG_CFG_INDEX,
    C.OP_CFGSHIFTMASK: F.CFGSHIFTMASK_CFG_INDEX,
    C.OP_STREAMWRCFG: F.STREAMWRCFG_CFG_INDEX,
    **dict.fromkeys(_RMWCIBS, F.RMWCIB_CFG_INDEX),
}
_SCALAR: Final = (C.OP_SETDMAREG, C.OP_ADDDMAREG, C.OP_MULDMAREG)
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


def _of(word: int, field: Field) -> int:
    return word >> field.lsb & field.mask


def _config_words(word: int) -> range:
    """Words of Config that a word of the config unit, or REG2FLOP, names and does not drop."""
    opcode, end = word >> 24, C.CFG_WORDS
    if opcode == C.OP_REG2FLOP:
        first = C.CFG_THCON_BASE + _of(word, F.REG2FLOP_FLOP_CFG)
        wide = _of(word, F.REG2FLOP_SIZE) == C.R2F_SIZE_B128
        to_config = _of(word, F.REG2FLOP_TARGET) == C.R2F_TARGET_CONFIG
        end = C.CFG_GLOBAL_BASE if to_config else 0
    else:
        first = _of(word, _INDEX[opcode])
        wide = opcode == C.OP_WRCFG and _of(word, F.WRCFG_IS128) != 0
    found = range(first & ~3, (first & ~3) + 4) if wide else range(first, first + 1)
    drops = STATE_RESET in found and opcode not in (*_RMWCIBS, C.OP_RDCFG)
    return range(0) if first >= end or drops else found


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
    """Of a machine: the tables by thread, and what was begun."""

    def __init__(self, machine: Machine, units: Table) -> None:
        """``units`` execute; ``tables`` of all threads are theirs at first."""
        self._machine = machine
        self._stale = profiles.get(machine.profile).stale_gpr
        self._usual, self._armed = _tables(units, bool(self._stale))
        self.tables = [self._usual] * 3
        self.reset()

    def reset(self) -> None:
        """Nothing is under way, and nobody has written."""
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
        """Of a word of Config as the thread sees it (C5)."""
        bank = int(self._machine._control.thread_config[thread, 0]) & 1
        return index if index >= C.CFG_GLOBAL_BASE else index + _BANK * bank

    # --- read too early (C27, C28)

    def _read_early(self, own: _Thread, thread: int, word: int) -> None:
        opcode = word >> 24
        if opcode == C.OP_WRCFG:
            count = 4 if _of(word, F.WRCFG_IS128) else 1
            first = _of(word, F.WRCFG_GPR) // count * count
            if first <= own.result < first + count:
                self._tell("stale_gpr", thread, word, own.result)
            if first <= own.register < first + count:
                self._tell("config_race", thread, word, own.register, 1)
        of_config = opcode in _INDEX or opcode == C.OP_REG2FLOP
        late = own.pending if of_config else {*own.written, *own.pending}
        if late and opcode != C.OP_STREAMWRCFG:  # which stays behind another one
            here = {self._key(thread, index) for index in self._words_of(thread, word)}
            if raced := sorted(key % _BANK for key in late & here):
                self._tell("config_race", thread, word, *raced)

    def _words_of(self, thread: int, word: int) -> Collection[int]:
        """Words of Config that a word reads, or that one of the config unit reads or writes."""
        opcode, unit = word >> 24, word >> 23 & 1
        if opcode == C.OP_UNPACR_NOP:
            return nop_words(unit)
        if opcode == C.OP_CFGSHIFTMASK:  # and the scratch word (C4)
            select = _of(word, F.CFGSHIFTMASK_SCRATCH)
            return *_config_words(word), _SCRATCH + (thread if select == 3 else select)
        if opcode in _INDEX or opcode == C.OP_REG2FLOP:
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
        opcode = word >> 24
        if opcode == C.OP_STALLWAIT:
            what = _of(word, F.STALLWAIT_COND) or C.STALL_DEFAULT_COND
            if not what & _DRAIN and what >> C.STALL_COND_SRCA_MATH_BANK & own.returned:
                self._tell("half_gate", thread, word, what)
            if (own.pending and what & _CFG_PIPE) or (own.returned and what & _DRAIN):
                own.holds, own.what = holds(word), what
        elif opcode in _GIVE_BACK:
            own.returned |= _of(word, _GIVEN)
        elif opcode in _SCALAR and self._stale:
            if not (sets := opcode == C.OP_SETDMAREG) or not _of(word, F.SETDMAREG_MODE):
                half = _of(word, F.SETDMAREG_HALF_REG)
                own.result = half >> 1 if sets else _of(word, F.ADDDMAREG_RESULT)
        elif opcode in _INDEX or opcode == C.OP_REG2FLOP:
            keys = tuple(self._key(thread, index) for index in _config_words(word))
            if opcode == C.OP_RDCFG:
                own.register = _of(word, F.RDCFG_GPR)
                self._have_read.update((thread, key) for key in keys)
                return
            if opcode == C.OP_STREAMWRCFG:
                own.pending.update(keys)
            elif opcode in (C.OP_WRCFG, C.OP_CFGSHIFTMASK):
                own.written = keys
            for key in keys:
                self._write(thread, word, key)

    # --- one word, two threads (C30)

    def _write(self, thread: int, word: int, key: int) -> None:
        opcode, mask = word >> 24, _WHOLE
        if opcode in _RMWCIBS:
            mask = _of(word, F.RMWCIB_MASK) << 8 * (opcode - C.OP_RMWCIB0)
        changes = opcode == C.OP_CFGSHIFTMASK or opcode in _RMWCIBS
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
    begin = {*_INDEX, C.OP_REG2FLOP, C.OP_STALLWAIT, *_GIVE_BACK, *(_SCALAR if stale else ())}
    watched = [_watched(unit) for unit in units]
    usual = [watched[op] if op in begin else unit for op, unit in enumerate(units)]
    return usual, watched
