# SPDX-License-Identifier: Apache-2.0
"""Values worked out by hand: sums, products, sums of products (M16 to M20)."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.models.format_codes import BF16, FP16, FP32, TF32
from tilepath.tests.standin.standin_unit import Unit, datum, src

ONE = 0x3F800000
WIDE, NARROW = 1, 0


def of(*values: float) -> int:
    """A Src datum: the sum of ``values``."""
    return int(src(sum(values)))


def elementwise(
    op: str,
    a: int,
    b: int,
    fmt: int,
    fp32: int,
    old: int = 0,
    profile: str = "baseline",
    **how: int,
) -> int:
    """One datum of an ELW instruction: bits of FP32, or of BF16, or the storage of FP16."""
    unit = Unit(profile)
    unit.formats(fmt, fp32=fp32)
    unit.src_a[:], unit.src_b[:] = a, b
    unit.rwc[1, 6] = how.pop("phase", 0)
    if fp32:
        unit.put32(0, np.full(16, old))
    else:
        unit.dst[:8] = (old & 0x8000) | (old & 0x7F) << 8 | old >> 7 & 0xFF
    assert unit.do(op, **how) == ()
    row = unit.get32(0)[0] if fp32 else unit.dst[0] if fmt == FP16 else unit.get_bf16(0)[0]
    assert (row == row[0]).all()
    return int(row[0])


@pytest.mark.parametrize(
    ("a", "b", "fmt", "fp32", "want"),
    [
        (of(1), of(1), BF16, WIDE, 0x40000000),
        (of(1), of(1), BF16, NARROW, 0x4000),
        (of(1), of(2**-8), BF16, NARROW, 0x3F81),
        (of(1), of(2**-8), BF16, WIDE, 0x3F808000),
        (of(1), of(2**-11), BF16, WIDE, 0x3F802000),
        (of(1), of(2**-12), BF16, WIDE, 0x3F800000),
        (of(1), of(-(2**-11)), BF16, WIDE, 0x3F7FC000),
        (datum(0, 0, 255), datum(1, 0, 255), BF16, WIDE, 0),
        (datum(0, 0, 255), of(1), BF16, WIDE, 0x7F800000),
        (datum(1, 0x155, 0), datum(1, 0x2AA, 0), BF16, WIDE, 0),
        (datum(0, 0, 15), datum(0, 0, 15), FP16, NARROW, 0x0010),
        (datum(0, 0, 15), datum(0, 0, 15), FP16, WIDE, 0x40000000),
        (datum(0, 0x3FF, 31), datum(0, 0x3FF, 31), FP16, NARROW, 0x7FFF),
    ],
)
def test_sum(a: int, b: int, fmt: int, fp32: int, want: int) -> None:
    assert elementwise("ELWADD", a, b, fmt, fp32) == want
    minus = b ^ (1 << 18)
    assert elementwise("ELWSUB", a, minus, fmt, fp32) == want


@pytest.mark.parametrize(
    ("a", "b", "fp32", "old", "want"),
    [
        (of(1), of(-1), WIDE, ONE, ONE),
        (of(2.0**100), of(-(2.0**100)), WIDE, ONE, 0),  # the zero keeps the exponent
        (datum(1, 1, 0), datum(1, 1, 0), WIDE, 0x80000000, 0),
        (of(2**-8), 0, NARROW, 0x3F80, 0x3F81),
        (of(-(2**-8)), 0, NARROW, 0x3F80, 0x3F7F),
        (of(-(2**-9)), 0, NARROW, 0x3F80, 0x3F80),
    ],
)
def test_sum_onto_dst(a: int, b: int, fp32: int, old: int, want: int) -> None:
    assert elementwise("ELWADD", a, b, BF16, fp32, old, dest_accum_en=1) == want


X, Y = 0x3F8D, 0x3FD5


def bf16(bits: int) -> int:
    return int(src(np.array(bits << 16, np.uint32).view(np.float32)))


@pytest.mark.parametrize(
    ("phase", "want"), [(0, 0x3FE14000), (1, 0x3D848000), (2, 0x3C080000), (3, 0x39A00000)]
)
def test_phase_of_a_product(phase: int, want: int) -> None:
    assert elementwise("ELWMUL", bf16(X), bf16(Y), BF16, WIDE, phase=phase) == want


@pytest.mark.parametrize(("fp32", "want"), [(WIDE, 0x3FEAA200), (NARROW, 0x3FEA)])
def test_phases_add_up(fp32: int, want: int) -> None:
    unit = Unit()
    unit.formats(BF16, fp32=fp32)
    unit.src_a[:], unit.src_b[:] = bf16(X), bf16(Y)
    unit.set("ADDR_MOD_DST_SEC0_FidelityIncr", 1)
    for _ in range(4):
        unit.do("ELWMUL", dest_accum_en=1)
    assert int(unit.get32(0)[0, 0] if fp32 else unit.get_bf16(0)[0, 0]) == want


@pytest.mark.parametrize(
    ("a", "b", "fmt", "old", "want"),
    [
        (of(2.0**-63), of(2.0**-63), BF16, 0, 0x00800000),
        (of(2.0**-64), of(2.0**-63), BF16, 0, 0),
        (datum(0, 0, 200), datum(0, 0, 200), BF16, 0, 0x7F800000),
        (datum(0, 0, 15), 0, FP16, 0x24800000, 0x25000000),  # the zero's exponent is 97
    ],
)
def test_product(a: int, b: int, fmt: int, old: int, want: int) -> None:
    assert elementwise("ELWMUL", a, b, fmt, WIDE, old, dest_accum_en=1) == want


def test_products_add_up_without_the_bit_that_sums_need() -> None:
    one = of(1.0)
    for bit in (0, 1):
        assert (
            elementwise("ELWMUL", one, one, BF16, WIDE, 0x3F800000, dest_accum_en=bit) == 0x40000000
        )
    assert elementwise("ELWADD", one, one, BF16, WIDE, 0x3F800000) == 0x40000000


def test_lowest_bit_of_the_first_factor_never_counts() -> None:
    unit = Unit()
    unit.formats(TF32, fp32=1)
    unit.src_a[:] = unit.src_b[:] = datum(0, 0x3FF, 127)
    for phase in range(4):
        unit.rwc[1, 6] = phase
        unit.do("ELWMUL", dest_accum_en=1)
    assert unit.get32(0)[0, 0] == 0x407FA008


def test_addends_of_16_bits_are_rounded_twice() -> None:
    unit = Unit()
    unit.formats(FP16)
    for k, (a, b) in enumerate(((960, 1008), (640, 944), (0, 32))):  # products that sum to 8191
        unit.src_a[0, k], unit.src_b[0, :, k] = datum(0, a, 10), datum(0, b, 10)
    unit.dst[:8] = 19  # 14 binary places above
    assert unit.do("MVMUL") == ()
    assert (unit.dst[:8] == 1 << 5 | 19).all()  # once: 19


def product(column: dict[int, float], fp32: int, old: int = 0, profile: str = "baseline") -> int:
    """A datum of an MVMUL with all 1.0 in SrcB; ``column``: of SrcA, by row."""
    unit = Unit(profile)
    unit.formats(BF16, fp32=fp32)
    unit.src_b[:] = src(1.0)
    for row, value in column.items():
        unit.src_a[0, row] = src(value)
    if fp32:
        unit.put32(0, np.full((8, 16), old))
    else:
        unit.dst[:8] = (old & 0x7F) << 8 | old >> 7
    assert unit.do("MVMUL") == ()
    got = unit.get32(0, 8) if fp32 else unit.get_bf16(0, 8)
    assert (got == got[0, 0]).all()
    return int(got[0, 0])


@pytest.mark.parametrize(
    ("column", "fp32", "old", "want"),
    [
        ({0: 1, 1: 2**-10, 2: 2**-11, 3: 2**-12}, WIDE, 0, 0x3F804000),
        ({0: 1, 8: 2**-20}, WIDE, 0, 0x3F800008),
        ({0: 1, 1: -1, 8: 2**-27}, WIDE, 0, 0),
        ({0: 1, 1: -1, 8: 2**-24}, WIDE, 0, 0x34000000),
        (dict.fromkeys(range(16), 1), NARROW, 0, 0x4180),
        (dict.fromkeys(range(16), 1), NARROW, 0x4380, 0x4388),
        ({0: -(2**-24)}, WIDE, ONE, ONE),
        ({0: 2**-24}, WIDE, ONE, 0x3F800001),
        ({0: 2**-24}, WIDE, 0xBF800000, 0xBF7FFFFE),
    ],
)
def test_sum_of_products(column: dict[int, float], fp32: int, old: int, want: int) -> None:
    assert product(column, fp32, old) == want


@pytest.mark.parametrize(("minus1", "want"), [(0, 0xB4000000), (1, 0xC1800000)])
def test_minus_one_in_the_last_place(minus1: int, want: int) -> None:
    """1 - (1 + 2**-23): -1 of a sum of 24 bits, whose exponent is 127 (M20)."""
    profile = f"baseline,math_minus1={minus1}"
    assert product({0: 1}, WIDE, 0xBF800001, profile) == want


def test_denormals_of_b() -> None:
    """With the flag, exponent 0 of SrcB is no zero, minus zero neither, +0 of 16 bits is (M18)."""
    unit = Unit()
    unit.formats(BF16)
    unit.set("ALU_ACC_CTRL_Zero_Flag_disabled_src", 1)
    for name, b, want in (
        ("ELWADD", 0, 0x0100),
        ("ELWSUB", 0, 0x00C0),  # a quarter less
        ("ELWADD", datum(0, 0x200, 0), 0x0130),  # three eighths more
    ):
        unit.src_a[:], unit.src_b[:] = datum(0, 0, 2), b
        unit.do(name)
        assert unit.get_bf16(0)[0, 0] == want


@pytest.mark.parametrize("fmt", [FP32, BF16])
def test_low_bits_of_formats_of_seven_bits_do_not_count(fmt: int) -> None:
    assert elementwise("ELWADD", datum(0, 7, 127), 0, fmt, WIDE) == ONE
