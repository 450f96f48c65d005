# SPDX-License-Identifier: Apache-2.0
"""Format conversions: all inputs of 16 bits and less, and many of 32, against a second account."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath import isa
from tilepath.models.unpack import convert as C
from tilepath.models.unpack import formats
from tilepath.models.unpack.formats import Conversion
from tilepath.tests.unpack import model_formats as F


def ours(kind: int, dst: int, wide: int, shift: int, x: F.Ints, exponent: F.Ints) -> list[F.Ints]:
    values, bad = np.zeros_like(x), np.zeros_like(x)
    C.convert(kind, dst, wide, shift, C.Datums(x, np.zeros_like(x) + exponent, values, bad))
    return [values, bad]


KINDS = [
    ("bf16", Conversion.BF16, F.BF16, {}),
    ("fp16", Conversion.FP16, F.FP16, {}),
    ("int16", Conversion.INT16, F.INT16, {}),
    ("e5m2", Conversion.E5M2, F.FP8, {"fill": False}),
    ("e5m2_fill", Conversion.E5M2_FILL, F.FP8, {}),
    ("e4m3", Conversion.E4M3, F.FP8, {"e4m3": True}),
    ("int8", Conversion.INT8, F.INT8, {}),
    ("uint8", Conversion.UINT8, F.INT8, {"unsigned": True}),
    ("reserved", Conversion.ZERO, F.RESERVED12, {}),
]


@pytest.mark.parametrize("dst", [0, 1])
@pytest.mark.parametrize(("kind", "code", "how"), [k[1:] for k in KINDS], ids=[k[0] for k in KINDS])
def test_all_inputs(kind: int, code: int, how: dict[str, bool], dst: int) -> None:
    x = np.arange(1 << 2 * min(F.QUARTERS[code], 8), dtype=np.int64)
    values, bad = ours(kind, dst, 0, 0, x, np.zeros_like(x))
    np.testing.assert_array_equal(values, F.convert(code, code, bool(dst), x, x * 0, **how))
    assert values.max() < 1 << (16 if dst else 19) and not bad.any()


@pytest.mark.parametrize("dst", [0, 1])
@pytest.mark.parametrize("code", sorted(F.BFP_SHIFT))
def test_all_block_floats_with_all_exponents(code: int, dst: int) -> None:
    kind = Conversion.BFPA if isa.formats.get(code).exponent == 5 else Conversion.BFP
    x, exponent = np.meshgrid(np.arange(1 << 2 * F.QUARTERS[code]), np.arange(256))
    x, exponent = x.ravel().astype(np.int64), exponent.ravel().astype(np.int64)
    values, bad = ours(kind, dst, 0, F.BFP_SHIFT[code], x, exponent)
    np.testing.assert_array_equal(values, F.convert(code, code, bool(dst), x, exponent))
    np.testing.assert_array_equal(bad, F.bad_exponent(code, x, exponent))
    assert bad.any() == (kind == Conversion.BFPA)


@pytest.mark.parametrize("dst", [0, 1])
@pytest.mark.parametrize(
    ("kind", "out"),
    [
        (Conversion.WIDE, F.TF32),
        (Conversion.WIDE, F.INT8),
        (Conversion.FP32_TO_BF16, F.BF16),
        (Conversion.FP32_TO_FP16, F.FP16),
    ],
)
def test_many_of_32_bits(kind: int, out: int, dst: int) -> None:
    rng = np.random.default_rng(20)
    x = rng.integers(0, 1 << 32, 200_000)
    x[:4096] = np.arange(4096) << 20  # every sign, exponent and first bits of the mantissa
    x[4096:8192] = (np.arange(4096) << 20) + 0xFFFFF
    wide = int(out in F.WIDE)
    values, _ = ours(kind, dst, wide, 0, x, np.zeros_like(x))
    np.testing.assert_array_equal(values, F.convert(F.FP32, out, bool(dst), x, x * 0))
    assert values.max() < 1 << ((32 if wide else 16) if dst else 19)


def test_formats_agree_with_the_tables() -> None:
    for code, row in isa.formats.formats().items():
        assert F.QUARTERS[code] * 2 == row.bits
        assert (code in F.BFP_SHIFT) == row.shared
        assert getattr(formats, row.name) == code
