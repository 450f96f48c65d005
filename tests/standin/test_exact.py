# SPDX-License-Identifier: Apache-2.0
"""A product of tiles against NumPy, which shares no code with the model: how near it comes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from tilepath import isa
from tilepath.tests.standin.test_decisions import Unit

Floats = npt.NDArray[np.float64]


def faces(tile: Floats) -> Floats:
    """32 x 32 as 64 rows of faces."""
    return tile.reshape(2, 16, 2, 16).swapaxes(1, 2).reshape(64, 16)


def src(numbers: Floats) -> npt.NDArray[np.uint32]:
    """Numbers as SrcA and SrcB hold them, cut to ten mantissa bits."""
    bits = numbers.astype(np.float32).view(np.uint32)
    return bits >> 31 << 18 | (bits >> 13 & 0x3FF) << 8 | bits >> 23 & 0xFF


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
    tiles = rng.normal(size=(2, 32, 32)).astype(np.float32).view(np.uint32) & 0xFFFF_0000
    x, y = tiles.view(np.float32).astype(np.float64)
    settings = {"ALU_ACC_CTRL_Fp32_enabled": fp32, "ADDR_MOD_DST_SEC5_FidelityIncr": 1}
    settings |= dict.fromkeys(
        ("ADDR_MOD_AB_SEC5_SrcAClear", "ADDR_MOD_AB_SEC5_SrcBClear", "ADDR_MOD_DST_SEC5_DestClear"),
        1,
    )
    for number, places in _MODIFIERS.items():
        for name, (by, cr) in zip(("SrcA", "SrcB", "Dest"), places, strict=True):
            section = f"ADDR_MOD_{'DST' if name == 'Dest' else 'AB'}_SEC{number}_{name}"
            settings |= {f"{section}Incr": by, f"{section}CR": cr}
    unit = Unit("baseline", settings)
    unit.src_a[0], unit.src_b[0] = src(faces(y)), src(faces(x))
    for number in _ORDER * phases:
        assert unit.execute(1, isa.encode("MVMUL", addr_mode=number)) == ()
    bits = unit.array("dst32")[:64] if fp32 else unit.array("dst16")[:64] << 16
    got = bits.astype(np.uint32).view(np.float32).astype(np.float64)
    want = faces(x @ y)
    measured = np.abs(got - want).max() / np.abs(want).max()
    assert 0.6 * error < measured < 1.6 * error
