# SPDX-License-Identifier: Apache-2.0
"""Moves, broadcasts, transposition, maxima: rows, formats, halves (M4, M9 to M14, M23 to M26)."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.models.format_codes import BF16, FP16, TF32
from tilepath.tests.standin.standin_unit import Unit, datum, src, stored

A, B, D = 0, 2, 4
FULL = datum(1, 0x2A7, 0xA5)  # all parts of it differ
HALF8 = 1 << 15 | 0x54 << 8 | 0xA5  # of seven bits of mantissa
HALF5 = 1 << 15 | 0x2A7 << 5 | 0x05


def unit_with(fmt: int, fp32: int = 0, profile: str = "baseline") -> Unit:
    unit = Unit(profile)
    unit.formats(fmt, fp32=fp32)
    unit.src_a[:] = unit.src_b[:] = FULL
    unit.dst[:] = 0x1111
    return unit


@pytest.mark.parametrize(
    ("fmt", "low", "want"),
    [
        (BF16, 0, (HALF8, 0x1111)),
        (FP16, 0, (HALF5, 0x1111)),
        (BF16, 1, (0x1111, HALF8)),
        (FP16, 1, (0x1111, HALF5)),
        (TF32, 0, (HALF8, 0xE000)),
        (TF32, 1, (HALF8, 0xE000 | HALF8)),
    ],
)
def test_to_dst(fmt: int, low: int, want: tuple[int, int]) -> None:
    for name in ("MOVA2D", "MOVB2D"):
        unit = unit_with(fmt)
        if name == "MOVB2D" and fmt == BF16:
            unit.src_b[:] |= 0x700  # of what the format does not have
        faults = unit.do(name, dest_32b_lo=low, dst=2)
        assert faults == (("tf32_low",) if low and fmt == TF32 else ())
        assert (unit.dst[2] == want[0]).all()
        assert (unit.dst[10] == want[1]).all()
        assert (np.delete(unit.dst, (2, 10), 0) == 0x1111).all()


def test_to_the_low_half_of_a_row_that_is_not_valid() -> None:
    unit = unit_with(BF16)
    unit.dst_valid[2] = 0
    unit.do("MOVA2D", dest_32b_lo=1, dst=2)
    assert (unit.dst[2, 0], unit.dst[10, 0], unit.dst_valid[2]) == (0, HALF8, 1)


@pytest.mark.parametrize("keeps", [0, 1])
def test_denormals_of_moves(keeps: int) -> None:
    unit = unit_with(BF16)
    unit.set("ALU_ACC_CTRL_Zero_Flag_disabled_src", keeps)
    unit.src_a[:] = unit.src_b[:] = datum(1, 0x3F8, 0)
    unit.do("MOVA2D")
    unit.do("MOVB2D", dst=1)
    unit.src_a[:] = 5
    unit.do("MOVB2A")
    assert unit.dst[:2, 0].tolist() == [0xFF00 * keeps] * 2
    assert unit.src_a[0, :2, 0].tolist() == [datum(1, 0x3F8, 0) * keeps, 5]


@pytest.mark.parametrize(
    ("mode", "rows", "source"),
    [
        (0, [9], [21]),
        (1, [9], [21]),
        (2, [8, 9, 10, 11, 12, 13, 14, 15], [21] * 8),
        (4, [8, 9, 10, 11], [20, 21, 22, 23]),
        (7, [8, 9, 10, 11, 12, 13, 14, 15], [21] * 8),
    ],
)
def test_rows_and_broadcasts_of_movb2d(mode: int, rows: list[int], source: list[int]) -> None:
    unit = unit_with(TF32)
    unit.formats(BF16)
    data = src(1.0) + (np.arange(64)[:, None] << 11 | np.arange(16) & 3)
    unit.src_b[0] = data
    unit.rwc[1, [B, D]] = 4, 7
    unit.do("MOVB2D", src=17, dst=2, movb2d_mode=mode)
    want = data[source][:, [0] * 16 if mode & 1 else range(16)]
    assert (unit.dst[rows] == (want >> 3 & 0xFF00 | want & 0xFF)).all()
    assert (np.delete(unit.dst, rows, 0) == 0x1111).all()


def test_rows_of_mova2d_wrap() -> None:
    unit = unit_with(BF16)
    unit.src_a[0] = src(1.0) + np.arange(64)[:, None]
    unit.rwc[1, [A, D]] = 9, 1020
    unit.set("DEST_TARGET_REG_CFG_MATH_Offset", 8)
    unit.do("MOVA2D", src=63, rows8=1, dst=5)  # 72 % 64, 1033 % 1024
    assert (unit.dst[8:16, 0] == 0x7F + np.arange(8, 16)).all()
    assert (np.delete(unit.dst, range(8, 16), 0) == 0x1111).all()


STORED = 0xD4A5_F00D  # sign, mantissa, exponent, low half


@pytest.mark.parametrize(
    ("fmt", "fp32", "low", "want"),
    [
        (BF16, 1, 0, datum(1, 0x54 << 3, 0xA5)),
        (BF16, 1, 1, datum(1, 0x70 << 3, 0x0D)),
        (FP16, 1, 0, datum(1, 0x2A5, 0x05)),
        (TF32, 1, 0, datum(1, 0x54 << 3 | 7, 0xA5)),
        (TF32, 1, 1, 0xF00D & 0x1FFF),
        (BF16, 0, 0, datum(1, 0x54 << 3, 0xA5)),
        (FP16, 0, 1, datum(1, 0x2A5, 0x05)),
        (TF32, 0, 0, datum(1, 0x54 << 3, 0xA5)),
    ],
)
def test_from_dst(fmt: int, fp32: int, low: int, want: int) -> None:
    for name in ("MOVD2A", "MOVD2B"):
        unit = unit_with(fmt, fp32)
        row = 20 + 8 * 2 * fp32  # of storage: row 20 is behind 16 rows of low halves
        unit.dst[row], unit.dst[row + 8] = STORED >> 16, STORED & 0xFFFF
        faults = unit.do(name, src=6, dst=20, dest_32b_lo=low)
        assert faults == (("dst16",) if not fp32 and (low or fmt == TF32) else ())
        file = unit.src_a if name == "MOVD2A" else unit.src_b
        assert (file[0, 6] == want).all()
        assert (np.delete(file[0], 6, 0) == FULL).all()
        unit.dst_valid[:] = 0
        unit.do(name, src=6, dst=20, rows4=1)
        assert (file[0, 4:8] == 0).all()
        assert (file[0, [3, 8]] == FULL).all()


def test_implied_formats() -> None:
    """The bank's own format, unless ThreadConfig says no; moves of SrcB take that of SrcB (M9)."""
    unit = unit_with(BF16, profile="blackhole")
    unit.set("DISABLE_IMPLIED_SRCA_FMT_Base", 0)
    unit.implied[:] = [[FP16, BF16], [TF32, BF16]]
    unit.do("MOVA2D")
    unit.do("MOVB2D", dst=1)
    assert unit.dst[:2, 0].tolist() == [HALF5, HALF8]
    assert unit.dst[9, 0] == 0xE000  # 32 bits, and nothing is cut
    unit.set("DISABLE_IMPLIED_SRCA_FMT_Base", 1)
    unit.do("MOVA2D")
    assert unit.dst[0, 0] == HALF8
    unit.set("ALU_FORMAT_SPEC_REG_SrcA_override", 1)
    unit.set("ALU_FORMAT_SPEC_REG_SrcA_val", FP16)
    unit.do("MOVA2D")
    assert unit.dst[0, 0] == HALF5


def test_forced_fp16() -> None:
    unit = unit_with(BF16, fp32=1)
    unit.set("FP16A_FORCE_Enable", 1)
    unit.set("ALU_ACC_CTRL_INT8_math_enabled", 1)
    unit.src_a[:] = unit.src_b[:] = datum(0, 0, 15)
    unit.do("ELWADD")
    assert (unit.dst[:8] == 16).all()
    assert (unit.dst[8:] == 0x1111).all()


def test_transposition_is_raw() -> None:
    unit = unit_with(BF16)
    unit.src_b[0] = np.arange(1024).reshape(64, 16) << 8
    before = unit.src_b.copy()
    unit.do("TRNSPSRCB")
    assert (unit.src_b[0, 16:32] == before[0, 16:32].T).all()
    before[0, 16:32] = unit.src_b[0, 16:32]
    assert (unit.src_b == before).all()


@pytest.mark.parametrize(("row", "column"), [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_broadcasts_of_elw(row: int, column: int) -> None:
    unit = unit_with(BF16)
    unit.src_a[:] = 0
    data = src(1.0) + np.arange(1024).reshape(64, 16) % 64
    unit.src_b[0] = data
    unit.rwc[1, B] = 13
    unit.do("ELWADD", bcast_row=row, bcast_col0=column)
    want = data[[13] * 8] if row else data[8:16]
    want = want[:, [0] * 16] if column else want
    assert (unit.dst[:8] == want).all()


@pytest.mark.parametrize(("fp32", "valid"), [(0, 1), (0, 0), (1, 1), (1, 0)])
def test_maximum(fp32: int, valid: int) -> None:
    unit = unit_with(BF16, fp32)
    rng = np.random.default_rng(1)
    numbers = rng.integers(-8, 8, (64, 16)).astype(np.float32)
    old = rng.integers(-8, 8, 16).astype(np.float32)
    unit.src_a[0], unit.src_b[:] = src(numbers), src(1.0)
    bits = old.view(np.uint32).astype(np.int64)
    if fp32:
        unit.put32(0, bits)
    else:
        unit.dst[0] = stored(bits) >> 16
    unit.dst_valid[0] = valid
    unit.rwc[1, A] = 0x17
    assert unit.do("GMPOOL", pool_addr_mode=1, dst=3) == ()
    want = numbers[16:32].max(0)
    want = np.maximum(want, old) if valid else want
    got = unit.get32(0, 4) if fp32 else unit.get_bf16(0, 4) << 16
    assert (got[0].astype(np.uint32).view(np.float32) == want).all()
    assert (got[1:] == 0).all()
    unit.src_b[0, 0, 5] = src(2.0)
    assert unit.do("GMPOOL", pool_addr_mode=1, dst=3) == ("pool_scale",)


def test_remapped_rows() -> None:
    """Where 32-bit rows are in `blackhole` with remap and swizzle (P52)."""
    unit = unit_with(BF16, fp32=1, profile="blackhole")
    unit.set("DEST_ACCESS_CFG_remap_addrs", 1)
    unit.set("DEST_ACCESS_CFG_swizzle_32b", 1)
    unit.src_a[:], unit.src_b[:] = src(1.0), 0
    unit.dst[:] = 0
    unit.do("ELWADD", dst=24)
    # 24 + k: remapped to 40 + k, swizzled to 36 + k and, from k = 4 on, 40 + k, then spread
    assert np.flatnonzero(unit.dst[:, 0]).tolist() == [68, 69, 70, 71, 84, 85, 86, 87]
    unit.do("ZEROACC", mode=1, wide=1, dst=1)
    assert unit.dst_valid[[68, 71, 84, 87]].sum() == 0
    assert unit.dst_valid.sum() == 1024 - 16
