# SPDX-License-Identifier: Apache-2.0
"""Raw values of SrcA, SrcB and Dst ↔ numbers (U36, U46 to U54, P12, P19, P52).

What a register holds is told by the format that was unpacked to it, or is to be packed: its
exponent has 8 or 5 bits, or it is an integer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from tilepath.isa import profiles
from tilepath.isa.registers import config_field
from tilepath.models.dst_rows import Access, stored
from tilepath.models.tiles import formats as F
from tilepath.models.tiles.formats import Bits, Format, Numbers

if TYPE_CHECKING:
    from tilepath.models.machine import Machine

_ROWS: Final = 1024
_REMAP: Final = config_field("DEST_ACCESS_CFG_remap_addrs")
_SWIZZLE: Final = config_field("DEST_ACCESS_CFG_swizzle_32b")
_BF16, _FP16 = 7, 10  # bits of the mantissa
_INT8_EXPONENT: Final = 16  # of what is not 0 (U53)


def is_wide(form: str | Format) -> bool:
    """Whether a Dst of the format is 32 bits wide (U36): FP32, TF32, and integers of 32 bits."""
    return F.format_of(form).bits == 32


def _raw(given: npt.ArrayLike, bits: int) -> Bits:
    raw = np.asarray(given)
    if raw.dtype.kind not in "iu":
        raise ValueError(f"raw values: want integers of {bits} bits")
    raw = raw.astype(np.int64)
    if raw.size and (raw.min() < 0 or raw.max() >> bits):
        raise ValueError(f"raw values: one does not fit in {bits} bits")
    return raw


def _fp16_of_int8(numbers: Numbers) -> Bits:
    """INT8 and UINT8 as FP16, whose mantissa is the magnitude."""
    size = np.abs(numbers)
    return (numbers < 0) * 0x8000 | (size > 0) * (_INT8_EXPONENT << 10) | size


def _int8_of_fp16(bits: Bits) -> Numbers:
    size = bits & 0xFF
    return np.where(bits & 0x8000, -size, size).astype(np.int32)


def _dst_format(form: str | Format) -> Format:
    chosen = F.format_of(form)
    if chosen.name == "INT8_HOST":
        raise ValueError("INT8_HOST: no register has it, bytes are sign and magnitude there (U53)")
    return chosen


def _src_format(form: str | Format) -> Format:
    chosen = _dst_format(form)
    if chosen.integer and chosen.bits == 32:
        raise ValueError(f"{chosen.name}: SrcA and SrcB have none (U54)")
    return chosen


def src_bits(numbers: npt.ArrayLike, form: str | Format) -> npt.NDArray[np.uint32]:
    """Values of SrcA or SrcB, 19 bits in uint32, of the shape of ``numbers``.

    ``form``: what was unpacked. 8 bits of exponent: TF32; 5 bits: FP16; integers of 16 and 8 bits.
    The number is rounded to what the *register* has, 10 bits of mantissa, or of BF16 to 7.

    Raises ``ValueError`` for a format that there is not in Src, or numbers that it has not.
    """
    chosen = _src_format(form)
    values = F.as_numbers(chosen, numbers)
    if chosen.integer and chosen.bits == 16:
        x = F.integer_bits(chosen, values)
        raw = (x & 0xFF00) << 3 | x & 0xFF
    elif chosen.register == 8:
        x = F.rounded(values, 16 if chosen.name == "BF16" else 13)
        raw = (x >> 31 & 1) << 18 | (x >> 13 & 0x3FF) << 8 | x >> 23 & 0xFF
    else:
        x = _fp16_of_int8(values) if chosen.integer else F.fp16_bits(values)
        raw = (x & 0x8000) << 3 | (x & 0x3FF) << 8 | x >> 10 & 0x1F
    return raw.astype(np.uint32)


def src_values(raw: npt.ArrayLike, form: str | Format) -> Numbers:
    """Numbers of values of SrcA or SrcB, float32 or int32, of the shape of ``raw``.

    Raises ``ValueError`` for a format that there is not in Src, or more than 19 bits.
    """
    chosen = _src_format(form)
    x = _raw(raw, 19)
    if chosen.integer and chosen.bits == 16:
        return F.integer_values(chosen, x >> 3 & 0xFF00 | x & 0xFF)
    mantissa, sign = x >> 8 & 0x3FF, x >> 18
    if chosen.register == 8:
        return F.from_pattern(sign << 31 | (x & 0xFF) << 23 | mantissa << 13)
    bits = sign << 15 | (x & 0x1F) << 10 | mantissa
    return _int8_of_fp16(bits) if chosen.integer else F.fp16_values(bits)


def dst_bits(numbers: npt.ArrayLike, form: str | Format) -> npt.NDArray[np.uint32]:
    """Values of Dst, of the shape of ``numbers``: 16 bits, or 32 of formats that have so many.

    Raises ``ValueError`` for an unknown format, or numbers that it has not.
    """
    chosen = _dst_format(form)
    values = F.as_numbers(chosen, numbers)
    if is_wide(chosen):
        x = F.datum_bits(chosen, values)
        raw = stored(x >> 16, _BF16) << 16 | x & 0xFFFF
    elif chosen.integer and chosen.bits == 16:
        raw = F.integer_bits(chosen, values)
    elif chosen.register == 8:
        raw = stored(F.rounded(values, 16) >> 16, _BF16)
    else:
        x = _fp16_of_int8(values) if chosen.integer else F.fp16_bits(values)
        raw = stored(x, _FP16)
    return np.asarray(raw, np.uint32)


def dst_values(raw: npt.ArrayLike, form: str | Format) -> Numbers:
    """Numbers of values of Dst, float32 or int32, of the shape of ``raw``.

    Raises ``ValueError`` for an unknown format, or more bits than such a Dst has.
    """
    chosen = _dst_format(form)
    wide = is_wide(chosen)
    x = _raw(raw, 32 if wide else 16)
    if wide:
        return F.datum_values(chosen, _straight(x >> 16) << 16 | x & 0xFFFF)
    if chosen.integer and chosen.bits == 16:
        return F.integer_values(chosen, x)
    if chosen.register == 8:
        return F.from_pattern(_straight(x) << 16)
    bits = x & 0x8000 | (x & 0x1F) << 10 | x >> 5 & 0x3FF
    return _int8_of_fp16(bits) if chosen.integer else F.fp16_values(bits)


def _straight(storage: Bits) -> Bits:
    """{s, m7, e8} as {s, e8, m7}."""
    return storage & 0x8000 | (storage & 0xFF) << 7 | storage >> 8 & 0x7F


def storage_rows(machine: Machine, row: int, count: int, wide: bool) -> Bits:
    """Rows of ``Machine.dst`` that rows ``row`` and on are in: int64, shape (count,).

    Of a 32-bit Dst those of the high halves; the low ones are eight rows further (U36). With the
    row map that word 220 of Config chooses, where the profile has one (P52). Rows run modulo 1024.

    Raises ``ValueError`` for a negative row or count, or more than 1024 rows.
    """
    if not 0 <= row < _ROWS or not 0 <= count <= _ROWS:
        raise ValueError(f"rows {row} to {row + count - 1}: Dst has 0 to {_ROWS - 1}")
    logical = (np.arange(row, row + count) % _ROWS).astype(np.int64)
    mapped = bool(profiles.get(machine.profile).dst_remap)
    access = int(machine.config[0, _REMAP.addr32]) if mapped else 0
    chosen = Access(access >> _REMAP.lsb & 1, access >> _SWIZZLE.lsb & 1)
    rows: Bits = chosen.row(wide, logical)
    return rows


def read_dst(machine: Machine, row: int, count: int, form: str | Format) -> Numbers:
    """Numbers of ``count`` rows of a machine's Dst: shape (count, 16), float32 or int32.

    A row whose ``dst_valid`` is 0 is read as zeros (P58). Raises ``ValueError`` for an unknown
    format, or rows that Dst has not.
    """
    wide = is_wide(form)
    rows = storage_rows(machine, row, count, wide)
    storage, valid = np.asarray(machine.dst), np.asarray(machine.dst_valid)
    raw = storage[rows].astype(np.int64)
    if wide:
        raw = raw << 16 | storage[rows + 8]
    return dst_values(np.where(valid[rows, None] != 0, raw, 0), form)


def write_dst(machine: Machine, row: int, numbers: npt.ArrayLike, form: str | Format) -> None:
    """Write ``numbers``, shape (count, 16), to rows of a machine's Dst, and make them valid (P58).

    Raises ``ValueError`` for an unknown format, numbers that it has not, another shape, or rows
    that Dst has not.
    """
    raw = dst_bits(numbers, form)
    if raw.ndim != 2 or raw.shape[1] != 16:
        raise ValueError(f"numbers of shape {raw.shape}: want rows of 16")
    wide = is_wide(form)
    rows = storage_rows(machine, row, len(raw), wide)
    storage = np.asarray(machine.dst)
    if wide:
        storage[rows], storage[rows + 8] = raw >> 16, raw & 0xFFFF
    else:
        storage[rows] = raw
    np.asarray(machine.dst_valid)[rows] = 1
