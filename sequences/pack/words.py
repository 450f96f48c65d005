# SPDX-License-Identifier: Apache-2.0
"""Words of PACR and PACR_SETREG as integers, the latter in the encoding of a profile (P1, P46)."""

from __future__ import annotations

from typing import Final

from tilepath.isa import constants, profiles

OPCODE: Final = constants.OP_PACR
SETREG_OPCODE: Final = constants.OP_PACR_SETREG


def pacr(
    mask: int = 0,
    *,
    last: int = 0,
    flush: int = 0,
    concat: int = 0,
    zero: int = 0,
    mode: int = 0,
    override: int = 0,
    which: int = 0,
    context: int = 0,
    row_pad: int = 0,
    strided: int = 0,
    context_control: int = 0,
) -> int:
    """A PACR.

    ``mask``: packers or interfaces (4 bits); ``mode``: AddrMode (2); ``override`` and ``which``:
    OvrdThreadId and AddrCntContext (2). The rest is the newer chip's: ``context`` CfgContext (2),
    ``row_pad`` RowPadZero (3), ``strided`` DstAccessMode, ``context_control`` CtxtCtrl (2).
    """
    word = OPCODE << 24 | context << 21 | row_pad << 18 | strided << 17 | mode << 15 | which << 13
    word |= zero << 12 | mask << 8 | override << 7 | concat << 4 | context_control << 2
    return word | flush << 1 | last


def is_bh(profile: str) -> bool:
    """Whether ``profile`` has the newer encoding of PACR_SETREG."""
    return profiles.get(profile).setreg_enc == "BH"


def setreg(
    value: int,
    select: int = 0,
    stream: int = 0,
    *,
    packers: int = 15,
    push: int = 1,
    flush: int = 1,
) -> int:
    """PACR_SETREG of the older encoding: ``value`` 10 bits, ``select`` 1, ``stream`` 6."""
    word = SETREG_OPCODE << 24 | push << 23 | select << 22 | value << 12 | packers << 8
    return word | stream << 2 | flush << 1


def setreg_bh(select: int, stream: int = 0, *, push: int = 1, flush: int = 1) -> int:
    """PACR_SETREG of the newer encoding: writes the staged value; ``select`` 2 bits."""
    return SETREG_OPCODE << 24 | push << 23 | select << 8 | stream << 2 | flush << 1


def load_bh(half: int, value: int) -> int:
    """PACR_SETREG of the newer encoding: a half (16 bits) of the staged value."""
    return SETREG_OPCODE << 24 | 1 << 22 | value << 3 | half << 2
