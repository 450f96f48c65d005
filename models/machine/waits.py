# SPDX-License-Identifier: Apache-2.0
"""Some words would have to wait; here is which, and for what."""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.engine.compiled.jit import part, shared
from tilepath.engine.compiled.records import Record
from tilepath.isa import constants, tables
from tilepath.models.control import fields as F
from tilepath.models.control import sync_values
from tilepath.models.control.instructions import ALL_CLASSES, ANY_WAIT, IS_NOP
from tilepath.models.control.state import FREE, wide
from tilepath.models.fields import get
from tilepath.models.machine.state import L1, unpackers
from tilepath.models.unpack.untimed_words import would_write

NOTHING: Final = -1
UNIT_FULL: Final = 16
_MUTEX: Final = 8  # and the thread that holds it; below: 4 * file + 2 * bank + its owner
SRC_WAITS: Final = np.array(tables.src_waits())
"""By opcode the files, a bit each, whose bank the Matrix Unit's words wait for (M8)."""
ASKS: Final = SRC_WAITS > 0
ASKS[[constants.OP_ATGETM, constants.OP_UNPACR, constants.OP_UNPACR_NOP]] = True
"""By opcode whether a word of it, no wait, may have to wait for something."""
_FLUSH, _INCREMENT = 1 << 1, 1 << 13  # UNPACR's other forms (U3)
_FILES: Final = ("SrcA", "SrcB")
_OWNERS: Final = ("the Unpackers'", "the Matrix Unit's")


@part
def holds(word: int) -> int:
    """What the latch of a wait holds (C10, C12, C21)."""
    mask = get(word, F.WAIT_BLOCK)
    if mask == 0:
        mask = constants.STALL_DEFAULT_BLOCK
    return mask | ANY_WAIT | (IS_NOP if mask == ALL_CLASSES else 0)


@part
def _bank(its: Record, file: int, bank: int, owner: int) -> int:
    """What is in the way if a bank is ``owner``'s: 0 the Unpackers', 1 the Matrix Unit's."""
    found = its.unpack[0].registers.owner[file, bank] == owner
    return 4 * file + 2 * bank + owner if found else NOTHING


@part
def _awaited_by_nop(its: Record, word: int) -> int:
    """For what a ZEROSRC waits (U1, U2, U58, U69)."""
    unpack, unit = its.unpack[0], (word >> 23) & 1
    if word & 3 != 1:
        return NOTHING
    like_unpacr = (word >> 4) & 1
    if unpack.settings.nop_bh:
        clears = unpack.settings.nop_zero_clears != 0 and (word >> 2) & 3 != 2
        if (word >> 6) & 3 == 3 and not clears:
            return NOTHING
        like_unpacr = (word >> 5) & 1
    bank = unpack.pointers[unit].bank if like_unpacr else wide(unpack.matrix_bank[unit])
    return _bank(its, unit, bank, 1)


@shared
def awaited(its: Record, l1: L1, thread: int, word: int) -> int:
    """What a word of no wait, executed now, would have to wait for; ``NOTHING`` (M8, U42, U58).

    Only what is at hand changes.
    """
    opcode = word >> 24
    if opcode == constants.OP_ATGETM:
        place = sync_values.mutex_place(word)
        holder = its.control[0].mutex_owners[place] if place >= 0 else FREE
        return _MUTEX + holder if holder not in (FREE, thread) else NOTHING
    if opcode == constants.OP_UNPACR_NOP:
        return _awaited_by_nop(its, word)
    if opcode == constants.OP_UNPACR:
        unit = (word >> 23) & 1
        found = _bank(its, unit, its.unpack[0].pointers[unit].bank, 1)
        waits = found != NOTHING and word & (_FLUSH | _INCREMENT) == 0
        return found if waits and would_write(unpackers(its, l1), thread, word) else NOTHING
    return awaited_by_matrix(its, word)


@part
def awaited_by_matrix(its: Record, word: int) -> int:
    """The first of the banks that a word of the Matrix Unit would have to wait for (M8)."""
    banks, files = its.unpack[0].matrix_bank, SRC_WAITS[word >> 24]
    found = NOTHING
    if files & 1:
        found = _bank(its, 0, banks[0], 0)
    if files & 2 and found == NOTHING:
        found = _bank(its, 1, banks[1], 0)
    return found


def reason(word: int, found: int) -> str:
    """What was ``awaited``, as a text."""
    if found == UNIT_FULL:
        return "its unit has no room"
    if found >= _MUTEX:
        return f"mutex {word & 0xFFFF} held by thread {found - _MUTEX}"
    return f"bank {found >> 1 & 1} of {_FILES[found >> 2]} is {_OWNERS[found & 1]}"
