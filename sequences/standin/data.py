# SPDX-License-Identifier: Apache-2.0
"""Rows of SrcA, SrcB and of Dst's storage from rows of table ``data``."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

I64 = NDArray[np.int64]
COLUMNS: Final = 16
_NEAR, _FAR, _SAME, _EDGES, _LOW, _HIGH, _TINY, _ANY = range(8)
_M_ANY, _M_NONE, _M_ALL, _M_ONE = range(4)
_SIXTEENTHS: Final = 16


def _parts(
    rows: NDArray[Any], rng: np.random.Generator, width: int, mantissa: int
) -> tuple[I64, I64, I64]:
    """Signs, mantissas of ``mantissa`` bits and exponents of ``width`` bits, n × 16."""
    shape = (len(rows), COLUMNS)
    top = (1 << width) - 1
    centre, reach = top >> 1, 30 if width == 8 else 8
    draw = rng.integers(0, 1 << 16, (*shape, 4))
    kind = rows["exponents"][:, None]
    half = centre // 2
    edges = np.array((0, 1, 2, top - 2, top - 1, top))[draw[..., 0] % 6]
    exponent = np.select(
        [kind == k for k in (_NEAR, _FAR, _SAME, _EDGES, _LOW, _HIGH, _TINY)],
        [
            centre - 3 + draw[..., 0] % 7,
            centre - reach // 2 + draw[..., 0] % reach,
            np.broadcast_to(centre, shape),
            edges,
            half - 4 + draw[..., 0] % 9,
            centre + half - 4 + draw[..., 0] % 9,
            1 + draw[..., 0] % 13,
        ],
        draw[..., 0] & top,
    )
    exponent = np.where(draw[..., 1] % _SIXTEENTHS < rows["zeros"][:, None], 0, exponent)
    most = (1 << mantissa) - 1
    bits = draw[..., 2] & most
    kind = rows["mantissas"][:, None]
    one = np.broadcast_to(1 << np.minimum(rows["shift"], mantissa - 1)[:, None], shape)
    bits = np.select([kind == _M_NONE, kind == _M_ALL, kind == _M_ONE], [0 * bits, most, one], bits)
    sign = (draw[..., 3] % _SIXTEENTHS < rows["minus"][:, None]).astype(np.int64)
    return sign, bits, exponent


def src_rows(rows: NDArray[Any], rng: np.random.Generator, five: bool) -> I64:
    """Rows of SrcA or SrcB, n × 16 of 19 bits; ``five``: exponents have five bits."""
    sign, bits, exponent = _parts(rows, rng, 5 if five else 8, 10)
    return sign << 18 | bits << 8 | exponent


def dst_rows(rows: NDArray[Any], rng: np.random.Generator, five: bool) -> I64:
    """Rows of storage, n × 16 of 16 bits, each as of a Dst of 16 bits, or as high halves."""
    sign, bits, exponent = _parts(rows, rng, 5 if five else 8, 10 if five else 7)
    return sign << 15 | bits << (5 if five else 8) | exponent
