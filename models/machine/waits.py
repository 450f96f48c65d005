# SPDX-License-Identifier: Apache-2.0
"""Some words would have to wait; here is which, and for what."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from tilepath.isa import constants, profiles, tables
from tilepath.models.control import fields as F
from tilepath.models.control.instructions import ALL_CLASSES, ANY_WAIT, INSTRUCTIONS, IS_NOP
from tilepath.models.fields import get

if TYPE_CHECKING:
    from tilepath.models.machine.cores import CoreAccess

LATCHES: Final = {
    constants.OP_STALLWAIT: "STALLWAIT",
    constants.OP_SEMWAIT: "SEMWAIT",
    constants.OP_STREAMWAIT: "STREAMWAIT",
}
"""Waits, by opcode: they hold the words behind them."""
CLASSES: Final = tuple(int(row.block_class) for row in INSTRUCTIONS)
"""By opcode the classes of a word, with ``ANY_WAIT`` and ``IS_NOP``."""
_SRC_WAITS: Final = tables.src_waits()
_OF_UNPACKERS: Final = (constants.OP_UNPACR, constants.OP_UNPACR_NOP)
ASKS: Final = tuple(
    opcode in (constants.OP_ATGETM, *_OF_UNPACKERS) or files > 0
    for opcode, files in enumerate(_SRC_WAITS)
)
"""By opcode whether a word of it, no wait, may have to wait for something."""
_FLUSH, _INCREMENT = 1 << 1, 1 << 13  # UNPACR's other forms (U3)
_FILES: Final = ("SrcA", "SrcB")
_OWNERS: Final = ("the Unpackers'", "the Matrix Unit's")


@cache
def holds(word: int) -> int:
    """What the latch of a wait holds (C10, C12, C21)."""
    mask = get(word, F.WAIT_BLOCK) or constants.STALL_DEFAULT_BLOCK
    return mask | ANY_WAIT | (IS_NOP if mask == ALL_CLASSES else 0)


def _zerosrc_flag(word: int, profile: profiles.Profile) -> int | None:
    """WaitLikeUnpacr of an UNPACR_NOP that is a ZEROSRC (U1, U2, U69); ``None``: it is none."""
    if word & 3 != 1:
        return None
    if profile.nop_enc == "WH":
        return word >> 4 & 1
    gives = word >> 6 & 3 == 3 and not (profile.unpacr_nop_zero_clears and word >> 2 & 3 != 2)
    return None if gives else word >> 5 & 1


def _bank(m: CoreAccess, file: int, bank: int, owner: int) -> str:
    """What is in the way if a bank is ``owner``'s: 0 the Unpackers', 1 the Matrix Unit's."""
    if m.unpack.src_owner.item(file, bank) != owner:
        return ""
    return f"bank {bank} of {_FILES[file]} is {_OWNERS[owner]}"


def awaited(m: CoreAccess, thread: int, word: int) -> str:
    """What a word of no wait, executed now, would have to wait for; empty: nothing (M8, U42, U58).

    Nothing changes. Thread and word have been checked.
    """
    opcode = word >> 24
    if opcode == constants.OP_ATGETM:
        holder = m.mutexes.get(word & 0xFFFF)
        free = holder is None or holder == thread
        return "" if free else f"mutex {word & 0xFFFF} held by thread {holder}"
    if opcode in _OF_UNPACKERS:
        return _awaited_by_unpacker(m, thread, word)
    for file in (0, 1):
        if _SRC_WAITS[opcode] >> file & 1:
            text = _bank(m, file, m.matrix.matrix_bank.item(file), 0)
            if text:
                return text
    return ""


def _awaited_by_unpacker(m: CoreAccess, thread: int, word: int) -> str:
    unit = word >> 23 & 1
    bank = m.unpack.src_bank.item(unit)
    if word >> 24 == constants.OP_UNPACR:
        if word & (_FLUSH | _INCREMENT):
            return ""
        text = _bank(m, unit, bank, 1)
        return text if text and m.unpack.writes(thread, word) else ""
    like_unpacr = _zerosrc_flag(word, profiles.get(m.profile))
    if like_unpacr is None:
        return ""
    return _bank(m, unit, bank if like_unpacr else m.matrix.matrix_bank.item(unit), 1)


def would_wait(m: CoreAccess, thread: int, word: int) -> bool:
    """See ``Machine.would_wait``; thread and word have been checked."""
    opcode = word >> 24
    if opcode in (constants.OP_SEMWAIT, constants.OP_STREAMWAIT):
        return not m._control.execute(thread, word).met  # changes nothing
    return ASKS[opcode] and bool(awaited(m, thread, word))
