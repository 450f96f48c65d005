# SPDX-License-Identifier: Apache-2.0
"""Random operands of every class, phase and width against the decisions written in float64.

Each rounding is floor(x + 1/2) of a number that float64 holds exactly (M17 to M20). Behind it by
hand what operands by chance do not show.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest

from tilepath.models.format_codes import BF16, FP16, FP32, TF32
from tilepath.tests.standin.standin_unit import Unit, datum, src, stored

Term = tuple[float, int]  # value, exponent


def away(x: float) -> float:
    return math.copysign(math.floor(abs(x) + 0.5), x)


def up(x: float) -> float:
    return math.floor(x + 0.5)


def parts(one: int, fmt: int) -> tuple[float, int, int]:
    """Sign, mantissa with the hidden one, exponent; mantissa 0: a zero."""
    mantissa, exponent = one >> 8 & 0x3FF, one & 0xFF
    if fmt == FP16:
        exponent %= 32
    elif fmt == BF16:
        mantissa -= mantissa % 8
    return -1.0 if one >> 18 else 1.0, 1024 + mantissa if exponent else 0, exponent


def product(a: int, b: int, fmt: int, wide: int, phase: int) -> Term:
    bias = {0: -15, 1: 97}[wide] if fmt == FP16 else -127
    bias -= 5 * (phase % 2) + 7 * (phase // 2)
    (s_a, m_a, e_a), (s_b, m_b, e_b) = parts(a, fmt), parts(b, fmt)
    if not m_a or not m_b:
        return 0.0, max(bias, 0)
    m_a = m_a // 2 % 32 if phase % 2 else m_a // 64
    m_b = m_b % 16 * 8 if phase // 2 else m_b // 16
    return s_a * s_b * m_a * m_b, e_a + e_b + bias


def group(products: list[Term]) -> Term:
    top = max(x for _, x in products)
    if top <= 0:
        return 0.0, 0
    return sum(away(math.ldexp(p, x - top)) for p, x in products), top


def total(a: int, b: int, fmt: int, wide: int) -> Term:
    """A sum of two data."""
    first, second = parts(a, fmt), parts(b, fmt)
    (s, m, e), (s_l, m_l, e_l) = sorted(
        (first, second), key=lambda part: -(part[2] * 2048 + part[1] if part[1] else 0)
    )
    value = s * m + s_l * away(math.ldexp(m_l, (e_l if m_l else 0) - (e if m else 0)))
    exponent = e if m else 0
    if fmt == FP16 and wide:
        exponent = exponent + 112 if exponent else 97
    return value, exponent


def combined(old: int, terms: list[Term], fmt: int, wide: int) -> int:
    """What Dst holds then: bits of FP32, BF16 or FP16."""
    keep, width = (24, 8) if wide else (11, 5) if fmt == FP16 else (8, 8)
    exponent = old >> (keep - 1) & (1 << width) - 1
    mantissa = math.ldexp(old % (1 << keep - 1) + (1 << keep - 1), 24 - keep) if exponent else 0.0
    negative = old >> (keep - 1 + width)
    top = max(exponent, *(e for _, e in terms))
    if top <= 0:
        return 0
    sizes = [away(math.ldexp(mantissa, exponent - top))]
    sizes += [up(math.ldexp(s, 13 + e - top)) for s, e in terms]
    if not wide:
        sizes = [math.floor(x / 8192 + 0.5) * 8192.0 for x in sizes]
    result = sum(sizes[1:]) + (-sizes[0] if negative else sizes[0])
    if not result:
        return 0
    fraction, power = math.frexp(abs(result))
    q, exponent = int(up(math.ldexp(fraction, keep))), top - 24 + power
    if q == 1 << keep:
        q, exponent = q // 2, exponent + 1
    if exponent <= 0:
        return 0
    largest = 31 if width == 5 else 254
    fields = exponent << keep - 1 | q % (1 << keep - 1)
    if exponent > largest:
        fields = 0x7FFF if width == 5 else 255 << keep - 1
    return int(result < 0) << keep - 1 + width | fields


def held(unit: Unit, fmt: int, wide: int) -> npt.NDArray[np.int64]:
    """Eight rows of Dst as bits of FP32, FP16 or BF16."""
    if wide:
        return unit.get32(0, 8)
    if fmt == FP16:
        dst = unit.dst[:8].astype(np.int64)
        return dst & 0x8000 | (dst & 31) << 10 | dst >> 5 & 0x3FF
    return unit.get_bf16(0, 8)


@pytest.mark.parametrize("fmt", [BF16, TF32, FP16])
@pytest.mark.parametrize("wide", [0, 1])
def test_in_float64(fmt: int, wide: int) -> None:
    rng = np.random.default_rng(100 * fmt + wide)
    for number in range(24):
        phase = number % 4
        low, spread = (0, 32) if fmt == FP16 else (58 + 20 * (number % 5), 12 if number % 3 else 70)
        a, b = (
            rng.integers(1 << 11, size=(64, 16)) << 8
            | rng.integers(low, low + spread, (64, 16)) * rng.integers(0, 12, (64, 16)).clip(0, 1)
            for _ in range(2)
        )
        unit = Unit()
        unit.formats(fmt, fp32=wide)
        unit.src_a[:], unit.src_b[:] = a, b
        unit.rwc[1, 6] = phase
        exponents = (2 * low - 135 + rng.integers(spread + 16, size=(8, 16))).clip(0, 255)
        signs, mantissas = rng.integers(2, size=(8, 16)), rng.integers(1 << 23, size=(8, 16))
        if wide:
            old = signs << 31 | exponents << 23 | mantissas
            if fmt == FP16:
                old = signs << 31 | exponents % 40 + 80 << 23 | mantissas
            unit.put32(0, old)
        elif fmt == FP16:
            old = signs << 15 | exponents % 32 << 10 | mantissas >> 13
            unit.dst[:8] = old & 0x8000 | (old & 0x3FF) << 5 | old >> 10 & 31
        else:
            old = signs << 15 | exponents << 7 | mantissas >> 16
            unit.dst[:8] = stored(old << 16) >> 16

        assert (held(unit, fmt, wide) == old).all()
        for name in ("MVMUL", "ELWMUL", "ELWADD", "ELWSUB"):
            unit.rwc[1, 6] = 0 if name in ("ELWADD", "ELWSUB") else phase
            accumulates = number % 2 or name in ("MVMUL", "ELWMUL")
            before = held(unit, fmt, wide)
            unit.do(name, **({"dest_accum_en": number % 2} if name != "MVMUL" else {}))
            after = held(unit, fmt, wide)
            for i, j in np.ndindex(8, 16):
                terms = [product(int(a[i, j]), int(b[i, j]), fmt, wide, phase)]
                if terms[0][1] <= 0:
                    terms = [product(0, 0, fmt, wide, phase)]
                if name == "MVMUL":
                    all16 = [
                        product(int(a[k, j]), int(b[i, k]), fmt, wide, phase) for k in range(16)
                    ]
                    terms = [group(all16[:8]), group(all16[8:])]
                elif name != "ELWMUL":
                    sign = (name == "ELWSUB") << 18
                    terms = [total(int(a[i, j]), int(b[i, j]) ^ sign, fmt, wide)]
                want = combined(int(before[i, j]) if accumulates else 0, terms, fmt, wide)
                assert after[i, j] == want, (name, number, i, j)


ONE = 0x3F800000


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
    unit = Unit()
    unit.formats(fmt, fp32=1)
    unit.src_a[:] = datum(0, 7, 127)
    unit.do("ELWADD")
    assert (unit.get32(0, 8) == ONE).all()


@pytest.mark.parametrize(("minus1", "want"), [(0, 0xB4000000), (1, 0xC1800000)])
def test_minus_one_in_the_last_place(minus1: int, want: int) -> None:
    """1 - (1 + 2**-23): -1 of a sum of 24 bits, whose exponent is 127 (M20)."""
    unit = Unit(f"baseline,math_minus1={minus1}")
    unit.formats(BF16, fp32=1)
    unit.src_a[0, 0] = unit.src_b[:] = src(1.0)
    unit.put32(0, np.full((8, 16), 0x80000000 | ONE | 1))
    assert unit.do("MVMUL") == ()
    assert (unit.get32(0, 8) == want).all()
