# SPDX-License-Identifier: Apache-2.0
"""Hazards of order: what a machine without time computes, and a chip may not (C27 to C30).

Words that begin something, and all that come while something is under way, go through ``look``
before they are executed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.jit import part, shared
from tilepath.engine.compiled.records import Record
from tilepath.isa import constants as C
from tilepath.models.control import fields as F
from tilepath.models.control import state, values
from tilepath.models.control.instructions import INSTRUCTIONS, THREADS, Kind
from tilepath.models.fields import Field, get
from tilepath.models.machine.state import BANK, MASK_BITS, Told, tell
from tilepath.models.machine.waits import holds
from tilepath.models.pack.fields import IS_READ
from tilepath.models.standin import fields as M
from tilepath.models.unpack.settings import nop_words, read, words_of

_WHOLE: Final = 0xFFFFFFFF
_NONE: Final = -1
_CFG_PIPE: Final = 1 << C.STALL_COND_CFG_PIPE
_DRAIN: Final = 1 << C.STALL_COND_MATH
# Words that give banks back by bits 23:22 (M7)
_GIVE_BACK: Final = (
    *(C.OP_ELWADD, C.OP_ELWSUB, C.OP_ELWMUL, C.OP_MVMUL, C.OP_GAPOOL, C.OP_GMPOOL),
    *(C.OP_SETRWC, C.OP_CLEARDVALID),
)
_GIVEN: Final = Field(22, 3)
_MOVES: Final = (C.OP_MOVA2D, C.OP_MOVB2D, C.OP_MOVD2A, C.OP_MOVD2B, C.OP_MOVB2A)

GIVES_BACK: Final = np.isin(np.arange(256), _GIVE_BACK)
BEGINS: Final = GIVES_BACK | np.array(
    [
        row.kind in (*range(Kind.WRCFG, Kind.STREAMWRCFG + 1), Kind.REG2FLOP, Kind.STALLWAIT)
        for row in INSTRUCTIONS
    ]
)
"""By opcode whether a word may begin something; of the scalar unit's see ``is_scalar``."""


def _sets(*some: Iterable[int]) -> npt.NDArray[np.bool_]:
    """Whether each word of Config is in a set, a row a set."""
    return np.array([np.isin(np.arange(C.CFG_WORDS), list(words)) for words in some])


# Words of Config that a word reads where the opcode says it, and in which set those of an opcode
# are; behind them those of an unpacker's UNPACR_NOP, and of its UNPACR in each context
READ: Final = _sets(
    (),
    np.flatnonzero(IS_READ),
    M.CONFIG_READ,
    (M.FP32.word, M.ABSOLUTE.word),
    *(nop_words(unit) for unit in range(2)),
    *(words_of(unit, context) for unit in range(2) for context in range(8)),
)
OF_NOP, OF_UNPACR = 4, 6
SET: Final = np.zeros(256, np.int64)
SET[[C.OP_PACR, C.OP_PACR_SETREG]] = 1
SET[[*_GIVE_BACK[:6], *_MOVES]] = 2
SET[C.OP_ZEROACC] = 3


@part
def is_scalar(kind: int) -> bool:
    """Whether a word writes a register that WRCFG may read too early (C27)."""
    return kind == Kind.SETDMAREG or values.is_two_operand(kind)


@part
def is_of_config(kind: int) -> bool:
    """Whether a word writes or reads Config, but for those of units."""
    return Kind.WRCFG <= kind <= Kind.STREAMWRCFG or kind == Kind.REG2FLOP


@part
def config_words(kind: int, word: int) -> tuple[int, int]:
    """Words of Config that a word of the config unit, or REG2FLOP, names and does not drop.

    The first one, and how many.
    """
    if kind == Kind.REG2FLOP:
        first, wide = values.flop_index(word), values.flop_is_quad(word)
        drops = not values.flop_writes_config(word)
    else:
        first = values.config_index(kind, word)
        wide = kind == Kind.WRCFG and get(word, F.WRCFG_IS128) != 0
        drops = values.drops_write(Kind.RMWCIB if kind == Kind.RDCFG else kind, first)
    count = 4 if wide else 1
    return first, 0 if drops else count


@part
def _key(its: Record, thread: int, index: int) -> int:
    """Return the key of a word of Config as the thread sees it (C5)."""
    bank = state.state_id(its.control[0], thread)
    return index if index >= C.CFG_GLOBAL_BASE else index + BANK * bank


@part
def _is_armed(own: Record) -> bool:
    """Whether the next word matters, whichever it is."""
    late = own.result >= 0 or own.register >= 0 or own.late_count > 0
    return bool(late or own.pending_count > 0 or own.holds != 0)


@part
def settle(its: Record, thread: int) -> None:
    """All that the thread was given is done."""
    own = its.hazards[thread]
    own.result = own.register = _NONE
    own.late_count = own.returned = own.holds = 0
    _clear_pending(own)
    own.armed = False


@part
def _clear_pending(own: Record) -> None:
    if own.pending_count:
        own.pending[:] = 0
        own.pending_count = 0


@shared
def look(its: Record, thread: int, word: int) -> None:
    """A word of a thread is about to be executed; what it meets is told."""
    own, instruction = its.hazards[thread], INSTRUCTIONS[word >> 24]
    if own.holds & instruction.block_class:  # it has waited: the wait is over
        if own.what & _CFG_PIPE:
            _clear_pending(own)
        if own.what & _DRAIN:
            own.returned = 0
        own.holds = 0
    if _is_armed(own):
        _read_early(its, own, thread, instruction.kind, word)
        own.result = own.register = _NONE
        own.late_count = 0
    _begin(its, own, thread, instruction.kind, word)
    own.armed = _is_armed(own)


# --- read too early (C27, C28)


@part
def _read_early(its: Record, own: Record, thread: int, kind: int, word: int) -> None:
    if kind == Kind.WRCFG:
        if values.wrcfg_reads(word, own.result):
            tell(its, Told.STALE_GPR, thread, word, own.result)
        if values.wrcfg_reads(word, own.register):
            tell(its, Told.LATE_REGISTER, thread, word, own.register, 1)
    late = 0 if is_of_config(kind) else own.late_count
    if kind == Kind.STREAMWRCFG or late + own.pending_count == 0:  # it stays behind another one
        return
    raced = its.raced
    raced[:] = 0
    found = False
    some = own.pending_count > 0  # else only those that the word before writes
    for place in range(C.CFG_WORDS if some else late):
        index = place if some else (own.late & (BANK - 1)) + place
        key = _key(its, thread, index)
        is_late = own.late <= key < own.late + late or own.pending[key]
        if is_late and _reads(its, thread, kind, word, index):
            raced[index // MASK_BITS] |= 1 << index % MASK_BITS
            found = True
    if found:
        tell(its, Told.LATE_WORDS, thread, word, raced[0], raced[1], raced[2], raced[3])


@part
def _reads(its: Record, thread: int, kind: int, word: int, index: int) -> bool:
    """Whether a word reads a word of Config or, of the config unit's, reads or writes it."""
    opcode, unit = word >> 24, (word >> 23) & 1
    if is_of_config(kind):
        first, count = config_words(kind, word)
        scratch = kind == Kind.CFGSHIFTMASK and index == values.scratch_index(thread, word)  # C4
        return first <= index < first + count or scratch
    of = SET[opcode]
    if opcode == C.OP_UNPACR_NOP:
        of = OF_NOP + unit
    elif opcode == C.OP_UNPACR:
        of = OF_UNPACR + 8 * unit + _context(its, thread, unit, word)
    return bool(READ[of, index])


def words_read(word: int, contexts: Iterable[int]) -> set[int]:
    """Words of Config that a unit's word reads, an UNPACR in all of these contexts."""
    unit, rows = (word >> 23) & 1, [int(SET[word >> 24])]
    if word >> 24 == C.OP_UNPACR:
        rows = [OF_UNPACR + 8 * unit + context for context in contexts]
    elif word >> 24 == C.OP_UNPACR_NOP:
        rows = [OF_NOP + unit]
    return {*np.flatnonzero(READ[rows].all(axis=0)).tolist()}


@part
def _context(its: Record, thread: int, unit: int, word: int) -> int:
    """Return the context of an UNPACR (U7)."""
    if (word >> 7) & 1 == 0:
        return 0
    unpack = its.unpack[0]
    field = unpack.settings.fields[unit].context_offset
    context = read(its.control[0].thread_config, thread, field)
    counter: int = unpack.pointers[unit].context[thread]
    return (context + (counter if (word >> 3) & 1 else (word >> 10) & 7)) & 7


# --- what a word begins


@part
def _begin(its: Record, own: Record, thread: int, kind: int, word: int) -> None:
    if kind == Kind.STALLWAIT:
        what = values.latch_what(kind, word)
        if what & _DRAIN == 0 and (what >> C.STALL_COND_SRCA_MATH_BANK) & own.returned:
            tell(its, Told.HALF_GATE, thread, word, what)
        pipe = own.pending_count > 0 and what & _CFG_PIPE != 0
        if pipe or (own.returned and what & _DRAIN):
            own.holds, own.what = holds(word), what
    elif GIVES_BACK[word >> 24]:
        own.returned |= get(word, _GIVEN)
    elif is_scalar(kind):
        if its.watches_results:
            own.result = values.result_gpr(kind, word)
    elif is_of_config(kind):
        _begin_of_config(its, own, thread, kind, word)


@part
def _begin_of_config(its: Record, own: Record, thread: int, kind: int, word: int) -> None:
    first, count = config_words(kind, word)
    first = _key(its, thread, first)  # a group of four words has one bank
    if kind == Kind.RDCFG:
        own.register = get(word, F.RDCFG_GPR)
        own.has_read[first : first + count] = 1
        return
    if kind == Kind.STREAMWRCFG and count and not own.pending[first]:
        own.pending[first] = 1
        own.pending_count += 1
    elif kind == Kind.WRCFG or kind == Kind.CFGSHIFTMASK:
        own.late, own.late_count = first, count
    for key in range(first, first + count):
        _write(its, own, thread, kind, word, key)


# --- one word, two threads (C30)


@part
def _write(its: Record, own: Record, thread: int, kind: int, word: int, key: int) -> None:
    mask = _WHOLE
    if kind == Kind.RMWCIB:
        mask = get(word, F.RMWCIB_MASK) << 8 * ((word >> 24) - C.OP_RMWCIB0)
    changes = kind == Kind.CFGSHIFTMASK or kind == Kind.RMWCIB or own.has_read[key]
    own.has_read[key] = 0
    owners, held = its.control[0].mutex_owners, 0
    for place in range(owners.shape[0]):
        held |= (owners[place] == thread) << place
    writers = its.writers[key]
    for other in range(THREADS):
        lost = writers.bits[other] & mask
        if other == thread or lost == 0:
            continue
        if (changes or lost & writers.changed) and held & writers.mutexes[other] == 0:
            tell(its, Told.SHARED_WORD, thread, word, key & (BANK - 1), other)
        writers.bits[other] &= ~mask
    writers.bits[thread] |= mask
    writers.mutexes[thread] = held
    writers.changed = writers.changed | mask if changes else writers.changed & ~mask
