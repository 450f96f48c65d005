# SPDX-License-Identifier: Apache-2.0
"""Which words would have to wait, for users who play the three threads against one another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tilepath.isa import constants, profiles

if TYPE_CHECKING:
    from tilepath.models.machine.cores import CoreAccess

_WAITS: Final = (constants.OP_SEMWAIT, constants.OP_STREAMWAIT)
_FLUSH, _INCREMENT = 1 << 1, 1 << 13  # UNPACR's other forms (U3)


def _zerosrc_flag(word: int, encoding: str) -> int | None:
    """WaitLikeUnpacr of an UNPACR_NOP that is a ZEROSRC (U1, U2); ``None``: it is none."""
    if word & 3 != 1:
        return None
    if encoding == "WH":
        return word >> 4 & 1
    return None if word >> 6 & 3 == 3 else word >> 5 & 1


def would_wait(m: CoreAccess, thread: int, word: int) -> bool:
    """See ``Machine.would_wait``; thread and word have been checked."""
    opcode = word >> 24
    if opcode in _WAITS:
        return not m._control.execute(thread, word).met  # changes nothing
    if opcode == constants.OP_ATGETM:
        return m.mutexes.get(word & 0xFFFF) not in (None, thread)
    unit = word >> 23 & 1
    if opcode == constants.OP_UNPACR:
        regular = not word & (_FLUSH | _INCREMENT)
        return regular and bool(m.src_owner[unit, m.src_bank[unit]])
    if opcode == constants.OP_UNPACR_NOP:
        like_unpacr = _zerosrc_flag(word, profiles.get(m.profile).nop_enc)
        if like_unpacr is not None:  # U58
            bank = m.src_bank[unit] if like_unpacr else m.matrix_bank[unit]
            return bool(m.src_owner[unit, bank])
    return False
