# SPDX-License-Identifier: Apache-2.0
"""Results against NumPy, which shares no code with the model: exact, or how near."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from tilepath.models.format_codes import BF16, INT8
from tilepath.tests.standin.standin_unit import Unit, integers, src

Floats = npt.NDArray[np.float64]


def result(unit: Unit, rows: int = 8) -> Floats:
    """Rows 0 to 7 of a 32-bit Dst as numbers."""
    return unit.get32(0, rows).astype(np.uint32).view(np.float32).astype(np.float64)


def as_integers(unit: Unit, rows: int = 8) -> npt.NDArray[np.int64]:
    bits = unit.get32(0, rows)
    return np.where(bits >> 31, -(bits & 0x7FFF_FFFF), bits)


def put_integers(unit: Unit, numbers: npt.ArrayLike) -> None:
    given = np.asarray(numbers, np.int64)
    unit.put32(0, np.where(given < 0, 0x8000_0000 - given, given))


def test_integers_saturate_and_have_one_zero() -> None:
    unit = Unit()
    unit.formats(INT8, int8=1)
    unit.src_a[:], unit.src_b[:] = integers(1000), integers(0)
    put_integers(unit, np.full((8, 16), 2**31 - 999))
    unit.do("ELWADD", dest_accum_en=1)
    assert (as_integers(unit) == 2**31 - 1).all()
    unit.src_a[:] = integers(-1000)
    put_integers(unit, np.full((8, 16), -(2**31) + 999))
    unit.do("ELWADD", dest_accum_en=1)
    assert (as_integers(unit) == -(2**31) + 1).all()
    put_integers(unit, np.full((8, 16), 1000))
    unit.do("ELWADD", dest_accum_en=1)
    assert (unit.dst[:16] == 0).all()
    unit.src_a[:] = 1 << 18 | 1000 << 8  # exponent 0
    unit.do("ELWADD", dest_accum_en=1)
    assert (unit.dst[:16] == 0).all()


def faces(tile: Floats) -> Floats:
    """32 x 32 as 64 rows of faces."""
    return tile.reshape(2, 16, 2, 16).swapaxes(1, 2).reshape(64, 16)


# Address modifiers of a kernel: SrcA, SrcB and Dst: increment, CR
_MODIFIERS = {
    0: ((0, 0), (8, 0), (8, 0)),
    1: ((16, 0), (0, 1), (8, 0)),
    2: ((0, 1), (32, 1), (8, 0)),
    4: ((32, 1), (48, 1), (0, 1)),
}
_ORDER = (0, 1, 0, 2, 0, 1, 0, 4, 0, 1, 0, 2, 0, 1, 0, 5)


@pytest.mark.parametrize(
    ("fp32", "phases", "error"), [(1, 1, 3.1e-2), (1, 2, 5.0e-3), (1, 4, 3.9e-4), (0, 4, 6.2e-3)]
)
def test_matmul_of_two_tiles(fp32: int, phases: int, error: float) -> None:
    """As the kernel for 32 x 32 has it; its error is what was measured elsewhere, or near it."""
    rng = np.random.default_rng(8)
    x, y = (
        (rng.normal(size=(32, 32)).astype(np.float32).view(np.uint32) & 0xFFFF_0000)
        .view(np.float32)
        .astype(np.float64)
        for _ in range(2)
    )
    unit = Unit()
    unit.formats(BF16, fp32=fp32)
    unit.src_a[0], unit.src_b[0] = src(faces(y)), src(faces(x))
    for number, places in _MODIFIERS.items():
        for name, (by, cr) in zip(("SrcA", "SrcB", "Dest"), places, strict=True):
            section = f"ADDR_MOD_{'DST' if name == 'Dest' else 'AB'}_SEC{number}_{name}"
            unit.set(f"{section}Incr", by)
            unit.set(f"{section}CR", cr)
    for name in ("AB_SEC5_SrcAClear", "AB_SEC5_SrcBClear", "DST_SEC5_DestClear"):
        unit.set(f"ADDR_MOD_{name}", 1)
    unit.set("ADDR_MOD_DST_SEC5_FidelityIncr", 1)
    for _ in range(phases):
        for number in _ORDER:
            assert unit.do("MVMUL", addr_mode=number) == ()
    if fp32:
        got = result(unit, 64)
    else:
        got = (unit.get_bf16(0, 64) << 16).astype(np.uint32).view(np.float32).astype(np.float64)
    want = faces(x @ y)
    measured = np.abs(got - want).max() / np.abs(want).max()
    assert 0.6 * error < measured < 1.6 * error
