# SPDX-License-Identifier: Apache-2.0
"""What chips do where documents said otherwise, with each parameter 1 and 0 (M2, M4, M9 to M27)."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tilepath import isa
from tilepath.models.format_codes import (
    BF16,
    BFP2A,
    BFP4A,
    BFP8,
    BFP8A,
    FP8,
    FP16,
    FP32,
    INT8,
    INT32,
    TF32,
)
from tilepath.tests.standin.standin_unit import Ints, Unit, datum, src

A, B, D = 0, 2, 4
BF3F81 = datum(0, 1 << 3, 127)
FULL = datum(1, 0x2A7, 0xA5)  # all parts of it differ
WH = "baseline,math_enc=WH"


def unit_with(fmt: int, fp32: int = 0, int8: int = 0, force: int = 0, **parameters: int) -> Unit:
    """In `blackhole`, with parameters set by hand."""
    unit = Unit("blackhole" + "".join(f",{name}={value}" for name, value in parameters.items()))
    unit.formats(fmt, fp32=fp32, int8=int8)
    unit.set("FP16A_FORCE_Enable", force)
    return unit


def whole(unit: Unit, row: int) -> int:
    """Column 0 of a 32-bit row, as a bit pattern."""
    return int(unit.get32(row)[0, 0])


def cleared(unit: Unit) -> list[int]:
    return np.flatnonzero(unit.dst_valid == 0).tolist()


# --- ZEROACC (M2, M27)


@pytest.mark.parametrize(("offset", "counter", "where", "on", "off"), [
    (488, 0, 31, 63, 31), (480, 0, 31, 31, 31), (496, 0, 31, 63, 31), (496, 0, 16, 48, 16),
    (496, 0, 15, 15, 15), (512, 0, 31, 63, 63), (1000, 0, 23, 55, 55),
    (400, 96, 16, 48, 16), (0, 511, 1, 33, 1), (800, 224, 5, 5, 5),  # offset and D count alike
    (1000, 0, 24, 24, 56),  # modulo 1024
    (488, 0, 256 + 31, 63, 31),  # eight bits of the block
    (480, 0, 32, None, 32),
])  # fmt: skip
def test_half_of_16_rows(offset: int, counter: int, where: int, on: int | None, off: int) -> None:
    for half_rows, want in ((1, on), (0, off)):
        unit = unit_with(BF16, zeroacc_half_rows=half_rows)
        unit.set("DEST_TARGET_REG_CFG_MATH_Offset", offset)
        unit.rwc[1, D] = counter
        faults = unit.do("ZEROACC", mode=1, dst=where)
        assert cleared(unit) == [] if want is None else [16 * want + k for k in range(16)]
        assert faults == (("zeroacc_range",) if want is None else ())
        unit.do("ZEROACC", mode=1, undo=1, dst=where)
        assert unit.dst_valid.all()
        unit.set("DEST_ACCESS_CFG_zeroacc_absolute_tile_mode", 1)
        unit.do("ZEROACC", mode=1, dst=where & 63)
        assert cleared(unit)[0] == 16 * (where & 63)


@pytest.mark.parametrize(("offset", "where", "on", "off"), [
    (240, 15, 15, 15), (248, 15, 31, 15), (256, 3, 19, 19), (1016, 8, 8, 24), (240, 16, None, 16),
])  # fmt: skip
def test_half_of_16_rows_of_32_bits(offset: int, where: int, on: int | None, off: int) -> None:
    for half_rows, want in ((1, on), (0, off)):
        unit = unit_with(BF16, zeroacc_half_rows=half_rows)
        unit.set("DEST_TARGET_REG_CFG_MATH_Offset", offset)
        faults = unit.do("ZEROACC", mode=1, wide=1, dst=where)
        assert faults == (("zeroacc_range",) if want is None else ())
        rows = [] if want is None else [32 * want + k + (k & 8) for k in range(16)]
        assert cleared(unit) == rows


@pytest.mark.parametrize(("row", "modifier", "fp32", "on", "off"), [
    (8, 1, 0, range(8, 16), 8), (8, 0, 0, [8], 8), (9, 0, 1, [9], 17), (3, 2, 1, [3], 3),
    (9, 3, 1, range(9, 17), 17), (100, 7, 1, range(100, 108), 196),
    (1020, 5, 0, [0, 1, 2, 3, 1020, 1021, 1022, 1023], 1020),
])  # fmt: skip
def test_zeroacc_of_a_row(row: int, modifier: int, fp32: int, on: Ints, off: int) -> None:
    for storage_rows, want in ((1, list(on)), (0, [off])):
        unit = unit_with(BF16, fp32, zeroacc_storage_rows=storage_rows)
        unit.set(f"ADDR_MOD_DST_SEC{modifier}_DestIncr", 5)
        unit.rwc[1, D] = 1
        assert unit.do("ZEROACC", dst=(row - 1) % 1024, addr_mode=modifier) == ()
        assert cleared(unit) == want
        assert unit.rwc[1, D] == 6


def test_zeroacc_of_rows_that_are_remapped() -> None:
    """Each of the eight is where a 16-bit row of its number is; swizzle is for 32-bit rows."""
    unit = unit_with(BF16, fp32=1)
    unit.set("DEST_ACCESS_CFG_remap_addrs", 1)
    unit.set("DEST_ACCESS_CFG_swizzle_32b", 1)
    unit.do("ZEROACC", dst=12, addr_mode=1)
    # 12 to 15: bit 3 goes to bit 5; 16 to 19: bit 4 goes to bit 3
    assert cleared(unit) == [*range(8, 12), *range(36, 40)]


@pytest.mark.parametrize("profile", ["baseline", "blackhole", WH])
def test_words_of_the_older_chip(profile: str) -> None:
    """A 32-bit ZEROACC of 16 rows in the older map: right in that map, a fault in the newer."""
    unit, told = Unit(profile), () if profile == WH else ("wh_word",)
    assert unit.execute(1, isa.encode("ZEROACC", WH, mode=1, wide=1, dst=2)).faults == told
    rows = [64 + k + (k & 8) for k in range(16)] if profile == WH else list(range(32, 48))
    assert cleared(unit) == rows
    for mode, bit in product(range(4), (0, 1 << 21)):
        faults = unit.execute(1, 0x10 << 24 | mode << 19 | bit).faults
        assert faults == (told if bit and mode < 2 else ())


# --- moves into Dst (M4, M9, M11, M24)


@pytest.mark.parametrize("name", ["MOVA2D", "MOVB2D"])
@pytest.mark.parametrize(("fmt", "value", "bits"), [
    (BF16, BF3F81, 0x3F810000), (FP16, datum(0, 1, 15), 0x07802000),
    (FP16, datum(1, 0x3FF, 31), 0x8FFFE000), (FP8, datum(0, 0x380, 20), 0x0A700000),
    (BFP8A, datum(1, 0x208, 0xE7), 0xF3C10000), (FP32, datum(0, 0x155, 200), 0x642AA000),
    (BFP8, datum(1, 5 << 3, 1), 0x80850000), (TF32, datum(1, 7, 127), 0xBF80E000),
    (INT8, datum(0, 0x101, 16), 0x08202000), (INT32, datum(0, 3, 3), 0x01806000),
])  # fmt: skip
def test_rows_of_32_bits_of_any_format(name: str, fmt: int, value: int, bits: int) -> None:
    for fp32_rows in (1, 0):
        unit = unit_with(fmt, fp32=1, move_fp32_rows=fp32_rows)
        unit.src_a[:] = unit.src_b[:] = value
        unit.dst[:] = 0x1111
        assert (
            unit.do(name, dst=8, **({"rows8": 1} if name == "MOVA2D" else {"movb2d_mode": 2})) == ()
        )
        if fp32_rows or fmt == TF32:
            assert (unit.get32(8, 8) == bits).all()
        else:  # 16 bits, but as with eight bits of exponent
            assert (unit.get_bf16(8, 8) == bits >> 16).all()
        assert np.count_nonzero(unit.dst[:, 0] == 0x1111) == 1024 - 8 * (
            1 + (fp32_rows or fmt == TF32)
        )


def test_what_else_decides_on_rows_of_32_bits() -> None:
    """Five bits of exponent remain without Fp32_enabled and integers, and with forced FP16."""
    for fp32, int8, force in product((0, 1), repeat=3):
        unit = unit_with(FP16, fp32, int8, force)
        unit.src_a[:] = datum(0, 1, 15)
        assert unit.do("MOVA2D", dst=8) == ()
        got = whole(unit, 8) if fp32 and not force else unit.dst[8, 0]
        assert got == (0x2F if force or not (fp32 or int8) else 0x07802000 if fp32 else 0x0F)
    for name, fp32_rows in product(("MOVA2D", "MOVB2D"), (1, 0)):
        unit = unit_with(BF16, fp32=1, move_fp32_rows=fp32_rows)
        unit.src_a[:] = unit.src_b[:] = BF3F81
        unit.put32(3, 0x12345678)
        assert unit.do(name, dest_32b_lo=1, dst=3) == (("tf32_low",) if fp32_rows else ())
        assert whole(unit, 3) == (0x3F81017F if fp32_rows else 0x1234017F)


@pytest.mark.parametrize("fp32", [0, 1])
@pytest.mark.parametrize(("row", "dst", "modifier", "first", "to"), [
    (2, 4, 1, 0, 4), (2, 4, 0, 2, 4), (2, 4, 2, 2, 4), (7, 9, 3, 4, 8), (63, 1023, 7, 60, 1020),
])  # fmt: skip
def test_one_row_of_a(row: int, dst: int, modifier: int, first: int, to: int, fp32: int) -> None:
    """With an odd modifier it is the four rows around it, on both sides."""
    for block in (1, 0):
        unit = unit_with(BF16, fp32, mova2d_row_block=block)
        unit.set(f"ADDR_MOD_AB_SEC{modifier}_SrcAIncr", 9)
        unit.src_a[0] = src(1.0) + np.arange(64)[:, None]
        unit.dst[:] = 0x1111
        unit.rwc[1, [A, D]] = 62, 1
        assert unit.do("MOVA2D", src=(row + 2) % 64, dst=dst - 1, addr_mode=modifier) == ()
        source, at, rows = (first, to, 4) if block and modifier & 1 else (row, dst, 1)
        at = at if not fp32 else (at & 0x1F8) << 1 | at & 0x207
        assert unit.dst[at : at + rows, 0].tolist() == [0x7F + source + k for k in range(rows)]
        assert np.count_nonzero(unit.dst[:, 0] != 0x1111) == rows * (1 + fp32)
        assert unit.rwc[1, A] == (62 + 9) % 64


# --- moves into Src (M4, M25, M26)


@pytest.mark.parametrize("name", ["MOVD2A", "MOVD2B", "MOVB2A"])
@pytest.mark.parametrize(("to", "row", "first"), [
    (7, 11, 8), (71, 11, 8), (62, 5, 4), (125, 63, 60), (8, 12, 12), (7, 6, 4),
])  # fmt: skip
def test_four_rows_into_src(name: str, to: int, row: int, first: int) -> None:
    for unaligned in (1, 0):
        unit = unit_with(BF16, move_unaligned_write=unaligned)
        unit.dst[:64] = unit.src_b[0] = np.arange(1, 65)[:, None]
        unit.rwc[1, [A, B]] = to // 2, 0 if name == "MOVB2A" else to // 2
        source, target = ("srcb", "srca") if name == "MOVB2A" else ("dst", "src")
        unit.do(name, rows4=1, **{source: row, target: to - to // 2})
        begin = to if unaligned else to & ~3
        rows = [(begin + k) % 64 for k in range(4)]
        file = unit.src_b if name == "MOVD2B" else unit.src_a
        assert file[0, rows, 0].tolist() == [first + 1 + k for k in range(4)]
        others = 0 if file is unit.src_a else np.delete(np.arange(1, 65), rows)
        assert (np.delete(file[0, :, 0], rows) == others).all()


@pytest.mark.parametrize("fmt", [BF16, FP16, TF32, INT8])
def test_low_half_to_b(fmt: int) -> None:
    """0 while Fp32_enabled is set; not of MOVD2A, of high halves, of integers, of forced FP16."""
    for zero, fp32, int8, low, force in product((0, 1), repeat=5):
        unit = unit_with(fmt, fp32, int8, force, movd2b_low_zero=zero)
        unit.dst[:] = 0x5A5A
        bare = force or not (fp32 or int8)
        faults = ("dst16",) if bare and (low or (fmt == TF32 and not force)) else ()
        for name in ("MOVD2A", "MOVD2B"):
            assert unit.do(name, rows4=1, dst=4, dest_32b_lo=low) == faults
        zeroed = zero and fp32 and low and not force
        assert unit.src_a[0, :4].all()
        assert (unit.src_b == (0 if zeroed else unit.src_a)).all()


@pytest.mark.parametrize(("fmt_b", "value", "cut"), [
    (BF16, datum(0, 7, 127), 0x7F), (BF16, FULL, datum(1, 0x2A0, 0xA5)), (TF32, FULL, FULL),
    (FP32, FULL, datum(1, 0x2A0, 0xA5)), *((x, FULL, datum(1, 0x2A7, 5)) for x in (1, 2, 10, 14)),
    (BFP4A, FULL, datum(1, 0x2A0, 5)), (BFP2A, FULL, datum(1, 0x2A0, 5)),
    (FP16, datum(1, 0x2A7, 0x20), datum(1, 0x2A7, 0)),  # 0 only when it is cut
    (FP16, datum(1, 0x2A7, 0), 0),
])  # fmt: skip
def test_cutting_b(fmt_b: int, value: int, cut: int) -> None:
    """By SrcB's format in MOVB2A and MOVB2D, or in neither, after zeros are seen."""
    for profile, cuts in (("baseline", 1), ("blackhole", 0), ("blackhole,srcb_cut_in_move=1", 1)):
        unit = Unit(profile)
        unit.formats(TF32, fmt_b)
        unit.src_b[:] = value
        want = cut if cuts or value & 0xFF == 0 else value
        unit.do("MOVB2A", rows4=1, srca=8, srcb=4)
        unit.do("MOVB2D", dst=16)
        assert (unit.src_a[0, 8:12] == want).all()
        sign, mantissa, exponent = want >> 18, want >> 8 & 0x3FF, want & 0xFF
        assert whole(unit, 16) == sign << 31 | exponent << 23 | mantissa << 13
        unit.set("FP16A_FORCE_Enable", 1)
        unit.do("MOVB2A", srca=20)
        assert (unit.src_a[0, 20] == want).all()  # is not forced
        unit.do("MOVB2D", dst=40)
        assert unit.dst[40, 0] == (value >> 3 & 0xFFE0 | value & 31) * (value & 0xFF > 0)


# --- sums with a SrcB that is 0 (M18)


@pytest.mark.parametrize("profile", ["baseline", "blackhole"])
@pytest.mark.parametrize("exponent", range(1, 16))
def test_sums_with_a_cleared_b(profile: str, exponent: int) -> None:
    """2**-127 more up to exponent 10, 2**-126 at 11, nothing from 12 on: of a wide Dst alone."""
    added = 2.0**-127 if exponent <= 10 else 2.0**-126 if exponent == 11 else 0.0
    for mantissa, sign, fmt, keeps, fp32 in product(
        (0, 0x1F0), (1, -1), (BF16, TF32), (0, 1), (0, 1)
    ):
        unit = Unit(profile)
        unit.formats(fmt, fp32=fp32)
        unit.set("ALU_ACC_CTRL_Zero_Flag_disabled_src", keeps)
        unit.src_a[:] = datum(int(sign < 0), mantissa, exponent)
        unit.do("ELWADD")
        value = sign * (1024 + mantissa) * 2.0 ** (exponent - 137) + added * keeps * fp32
        bits = int(np.float32(value).view(np.uint32)) if abs(value) >= 2.0**-126 else 0
        assert (whole(unit, 0) if fp32 else unit.get_bf16(0)[0, 0] << 16) == bits


def test_a_cleared_b_takes_away_and_is_accumulated() -> None:
    unit = Unit()
    unit.formats(BF16, fp32=1)
    unit.set("ALU_ACC_CTRL_Zero_Flag_disabled_src", 1)
    for name, a, more, want in (
        ("ELWSUB", datum(0, 0, 2), {}, 0x00C00000),  # 4 - 1, in units of 2**-127
        ("ELWADD", datum(0, 0, 2), {"dest_accum_en": 1}, 0x01800000),  # 3 + 4 + 1
        ("ELWADD", 0, {"dest_accum_en": 1}, 0x01900000),  # SrcA's zeros are zeros: 8 + 1
        ("ELWMUL", datum(0, 0, 128), {}, 0x01B00000),  # 9 + 2 * 1
    ):
        unit.src_a[:] = a
        unit.do(name, **more)
        assert whole(unit, 0) == want, name
    unit.formats(FP16, fp32=1)
    unit.src_a[:] = datum(0, 0, 3)
    unit.do("ELWADD")  # 2**-12 + 2**-15
    assert whole(unit, 0) == 0x39900000
