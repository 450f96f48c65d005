# SPDX-License-Identifier: Apache-2.0
"""Values for L1: datums by class, exponents, and the sections of compressed tiles."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.stimulus.draw import integers
from tilepath.models.format_codes import SHARED
from tilepath.sequences.unpack.plan import bits, quarters
from tilepath.sequences.unpack.view import Memory

I64 = NDArray[np.int64]
CLASSES: Final = ("random", "special", "near", "zero")

_FP32: Final = (
    0, 1 << 31, 1, 0x8000_0001, 0x007F_FFFF, 0x807F_FFFF, 0x0080_0000, 0x7F7F_FFFF, 0xFF7F_FFFF,
    0x7F80_0000, 0xFF80_0000, 0x7FC0_0001, 0xFFFF_FFFF, 0x7FFF_FFFF, 0x7F80_0001, 0x0000_1FFF,
    0x3F80_0000,
)  # fmt: skip
# exponents around FP16's range: -1, 0, 1, 30, 31, 32 there
_FP16_EDGES: Final = tuple(
    sign << 31 | e << 23 | m
    for sign in (0, 1)
    for e in (111, 112, 113, 142, 143, 144)
    for m in (0, 0x2000, 0x7F_E000, 0x7F_FFFF)
)
_SPECIAL: Final[Mapping[int, tuple[int, ...]]] = {
    0: _FP32 + _FP16_EDGES,
    4: _FP32,
    8: (0, 1 << 31, 1, 0x7FFF_FFFF, 0x8000_0001, 0xFFFF_FFFF, 0x1234_5678),
    1: (
        0, 0x8000, 1, 0x8001, 0x3FF, 0x83FF, 0x400, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E01,
        0xFFFF, 0x7FFF, 0x7C01, 0x3C00,
    ),
    5: (
        0, 0x8000, 1, 0x8001, 0x7F, 0x807F, 0x80, 0x7F7F, 0xFF7F, 0x7F80, 0xFF80, 0x7FC1, 0xFFFF,
        0x7FFF, 0x7F81, 0x3F80,
    ),
    9: (0, 0x8000, 1, 0x7FFF, 0xFFFF, 0xFF, 0xFF00, 0x8001, 0x1234),
    10: (
        0, 0x80, 1, 0x81, 3, 4, 7, 8, 0x77, 0x78, 0x7B, 0x7C, 0x7D, 0x7E, 0x7F, 0xFB, 0xFC, 0xFE,
        0xFF, 0x38, 0x3C,
    ),
    14: (0, 1, 0x7F, 0x80, 0x81, 0xFF, 5, 0x85),
}  # fmt: skip
_MAGNITUDES: Final = tuple(
    sign << 7 | value for sign in (0, 1) for value in (0, 1, 2, 4, 8, 0x10, 0x20, 0x40, 0x7F, 3)
)
_BIT: Final = 1 << np.arange(32, dtype=np.int64)
_NONE: Final = np.int64(0)


def specials(code: int) -> tuple[int, ...]:
    """Values of format ``code`` that stand at the end of some class."""
    if code in SHARED:
        drop = 8 - bits(code)
        return tuple(sorted({value >> drop for value in _MAGNITUDES} | {(1 << bits(code)) - 1}))
    return _SPECIAL.get(code, (0, 1))


@cache
def special_values(code: int) -> I64:
    """The same as an array."""
    return np.array(specials(code), np.int64)


@cache
def _bounds(shares: tuple[float, ...]) -> NDArray[np.float64]:
    """Where each class ends of numbers from 0 to 1, as ``Generator.choice`` has it."""
    share = np.array(shares)
    ends: NDArray[np.float64] = (share / share.sum()).cumsum()
    ends /= ends[-1]
    return ends


def datums(rng: np.random.Generator, code: int, count: int, weights: Mapping[str, float]) -> I64:
    """``count`` datums; ``weights``: shares of :data:`CLASSES`.

    ``special``: of the list; ``near``: a special value with some bits changed; ``zero``: zeros.
    """
    width = bits(code)
    bounds = _bounds(tuple(weights.get(name, 0.0) for name in CLASSES))
    kind = bounds.searchsorted(rng.random(count), side="right")
    special = special_values(code)
    listed, bit, free = integers(rng, count, len(special), width, 1 << width)
    listed = special[listed]
    found: I64 = kind.choose((free, listed, listed ^ _BIT[bit], _NONE))
    return found


class Packed:
    """A compressed tile: RSI, room for exponents, groups of 32 datums and their nibbles."""

    def __init__(self, rows: I64) -> None:
        """``rows``: the number of datums of each row; RSI is their running sum."""
        self.index: I64 = np.concatenate(([0], np.cumsum(rows)))

    @property
    def datums(self) -> int:
        """How many datums there are."""
        return int(self.index[-1])

    def put_index(self, memory: Memory, where: int) -> None:
        """Write RSI at byte ``where``."""
        memory.put_datums(where * 4, 16, self.index)

    @staticmethod
    def put_groups(memory: Memory, where: int, code: int, values: I64, runs: I64) -> int:
        """Write ``values`` and their nibbles ``runs`` in groups from byte ``where`` on; the end."""
        size = 8 * quarters(code)
        memory.put_datums(where * 4, bits(code), values, size + 16)
        memory.put_datums((where + size) * 4, 4, runs, size + 16)
        return where + -(-len(values) // 32) * (size + 16)
