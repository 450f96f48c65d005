# SPDX-License-Identifier: Apache-2.0
"""UNPACR_NOP in its two encodings (section 7; U1, U2, U57 to U62)."""

from __future__ import annotations

from tilepath.models.jit import part
from tilepath.models.unpack import layout as L
from tilepath.models.unpack import tables as T
from tilepath.models.unpack.tables import read

_UNIT = 1 << 23
_COUNT11 = 0x7FF << 4
_STREAM = 0x3F << 16


@part
def _hand_over(t: L.Memory, p: L.Memory, tc: L.Memory) -> None:
    p[L.FLIP] = 1
    p[L.NEW_BANK] = 1 - p[L.BANK]
    p[L.NEW_ROW] = 16 * read(t, tc, p[L.THREAD], p[L.UNIT], T.SET_BASE)


@part
def _overlay(t: L.Memory, p: L.Memory, tc: L.Memory, count: int) -> None:
    """OverlayClear; with a count the word names the stream (U60)."""
    p[L.KIND] = L.OVERLAY
    p[L.CLEAR_COUNT] = count
    if count:
        p[L.STREAM] = (p[L.WORD] >> 16) & 63
    else:
        p[L.STREAM] = read(t, tc, p[L.THREAD], p[L.UNIT], T.CLEAR_STREAM)


@part
def _setreg(p: L.Memory) -> None:
    word = p[L.WORD]
    p[L.KIND] = L.SETREG
    p[L.ACCUMULATE] = (word >> 3) & 1
    p[L.REG_VALUE] = (word >> 4) & 0x7FF
    p[L.REG_OFFSET] = ((word >> 16) & 63) << 12
    p[L.REG_SELECT] = (word >> 22) & 1


@part
def _sample_wh(t: L.Memory, p: L.Memory, tc: L.Memory) -> int:
    """Returns the bits that the form names."""
    word = p[L.WORD]
    mode = word & 7
    if mode & 3 == 1:
        p[L.KIND] = L.ZEROSRC
        p[L.BOTH_BANKS] = (word >> 3) & 1
        p[L.WAIT_UNPACR] = (word >> 4) & 1
        if (word >> 2) & 1:
            if p[L.UNIT] == 0 or t[T.NEGINF_SRCB]:
                p[L.CLEAR_VALUE] = 0x7FFFF
            else:
                p[L.FLAGS] |= L.F_NEGINF_SRCB
        return 0x1F
    if mode == 0:
        _overlay(t, p, tc, 0)
    elif mode == 3:
        _overlay(t, p, tc, (word >> 4) & 0x7FF)
        return 7 | _COUNT11 | _STREAM
    elif mode == 4:
        _setreg(p)
        return 15 | _COUNT11 | _STREAM | 1 << 22
    elif mode == 7:
        p[L.KIND] = L.SETDVALID
        _hand_over(t, p, tc)
    else:
        p[L.KIND] = L.NOP
        if mode == 6:
            p[L.FLAGS] |= L.F_NOP_RESERVED
    return 7


@part
def _sample_bh(t: L.Memory, p: L.Memory, config: L.Memory, tc: L.Memory) -> int:
    """Returns the bits that the form names."""
    word = p[L.WORD]
    mode = word & 3
    form = (word >> 6) & 3
    if mode == 0:
        _overlay(t, p, tc, 0)
        return 3
    if mode == 1 and form == 3:
        p[L.KIND] = L.SETDVALID
        _hand_over(t, p, tc)
        return 0x1EF
    if mode == 1:
        p[L.KIND] = L.ZEROSRC
        p[L.BOTH_BANKS] = (word >> 4) & 1
        p[L.WAIT_UNPACR] = (word >> 5) & 1
        value = (word >> 2) & 3
        if value == 1:
            p[L.CLEAR_VALUE] = 0x7FFFF
        elif value == 2:
            p[L.CLEAR_VALUE] = 0xF if form == 0 else (0x7F if form == 1 else 0x110)
        elif value == 3:
            p[L.CLEAR_VALUE] = read(t, config, p[L.STATE], p[L.UNIT], T.CLR_VAL) & 0x7FFFF
        if (word >> 8) & 1:
            _hand_over(t, p, tc)
        return 0x1FF
    if mode == 2:
        p[L.KIND] = L.NOP
        if (word >> 8) & 1:
            p[L.KIND] = L.SETDVALID
            _hand_over(t, p, tc)
        return 0x103
    if (word >> 2) & 1:
        _setreg(p)
        if word & 0x7FFFFF == 7:  # SETDVALID in the other encoding
            p[L.FLAGS] |= L.F_NOP_FOREIGN
        return 15 | _COUNT11 | _STREAM | 1 << 22 | 1 << 15
    _overlay(t, p, tc, (word >> 12) & 7)
    return 7 | 7 << 12 | _STREAM


@part
def sample(t: L.Memory, p: L.Memory, config: L.Memory, tc: L.Memory) -> None:
    """Fill the plan of an UNPACR_NOP."""
    named = _sample_bh(t, p, config, tc) if t[T.NOP_BH] else _sample_wh(t, p, tc)
    if p[L.WORD] & 0xFFFFFF & ~(named | _UNIT):
        p[L.FLAGS] |= L.F_NOP_FOREIGN
