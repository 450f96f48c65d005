# SPDX-License-Identifier: Apache-2.0
"""Results against NumPy, which shares no code with the model: exact, or how near."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from tilepath.tests.standin.standin_unit import BF16, INT8, TF32, Unit, integers, src

PHASE = 6
Floats = npt.NDArray[np.float64]


def result(unit: Unit, rows: int = 8) -> Floats:
    """Rows 0 to 7 of a 32-bit Dst as numbers."""
    return unit.get32(0, rows).astype(np.uint32).view(np.float32).astype(np.float64)


def drawn(rng: np.random.Generator, most: int, *shape: int) -> npt.NDArray[np.int64]:
    numbers: npt.NDArray[np.int64] = rng.integers(-most, most + 1, shape)
    return numbers


@pytest.mark.parametrize(
    ("most", "phases"), [(31, [0]), (31, [0, 2]), (31, [0, 1, 2, 3]), (63, [0, 1]), (63, range(4))]
)
def test_products_of_integers_are_exact(most: int, phases: list[int]) -> None:
    rng = np.random.default_rng(most)
    for _ in range(20):
        unit = Unit()
        unit.formats(TF32, fp32=1)
        a, b, old = drawn(rng, most, 16, 16), drawn(rng, most, 8, 16), drawn(rng, 9999, 8, 16)
        unit.src_a[0, :16], unit.src_b[0, :8] = src(a), src(b)
        unit.put32(0, old.astype(np.float32).view(np.uint32))
        for phase in phases:
            unit.rwc[1, PHASE] = phase
            unit.do("MVMUL")
        assert (result(unit) == b @ a + old).all()


def as_integers(unit: Unit, rows: int = 8) -> npt.NDArray[np.int64]:
    bits = unit.get32(0, rows)
    return np.where(bits >> 31, -(bits & 0x7FFF_FFFF), bits)


def put_integers(unit: Unit, numbers: npt.ArrayLike) -> None:
    given = np.asarray(numbers, np.int64)
    unit.put32(0, np.where(given < 0, 0x8000_0000 - given, given))


def test_integers() -> None:
    rng = np.random.default_rng(7)
    unit = Unit()
    unit.formats(INT8, int8=1)
    a, b, old = drawn(rng, 1023, 16, 16), drawn(rng, 1023, 8, 16), drawn(rng, 2**30, 8, 16)
    a[0, 0] = b[0, 0] = 0
    unit.src_a[0, :16], unit.src_b[0, :8] = integers(a), integers(b)
    put_integers(unit, old)
    high_a, low_a = np.sign(a) * (np.abs(a) & 0xE0), np.sign(a) * (np.abs(a) & 0x1F)
    high_b, low_b = np.sign(b) * (np.abs(b) & 0x3F0), np.sign(b) * (np.abs(b) & 0xF)
    want = old
    for phase, (of_a, of_b) in enumerate(
        [(high_a, high_b), (low_a, high_b), (high_a, low_b), (low_a, low_b)]
    ):
        unit.rwc[1, PHASE] = phase
        assert unit.do("MVMUL") == ()
        want = want + of_b @ of_a
        assert (as_integers(unit) == want).all()
        unit.do("ELWMUL", dest_accum_en=1)
        want = want + of_a[:8] * of_b
        assert (as_integers(unit) == want).all()
    unit.rwc[1, PHASE] = 0
    unit.do("ELWSUB")
    assert (as_integers(unit) == a[:8] - b).all()
    unit.do("ELWADD", dest_accum_en=1)
    assert (as_integers(unit) == 2 * a[:8]).all()


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
