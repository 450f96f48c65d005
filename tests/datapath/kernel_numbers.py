# SPDX-License-Identifier: Apache-2.0
"""What kernels compute, by NumPy alone: of the bytes of L1 before, those after."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from tilepath.models.kernels import Kernel

HEADER = 16

Bytes = npt.NDArray[np.uint8]
Array = npt.NDArray[Any]
Check = Callable[[Kernel, Bytes, Bytes, dict[str, int]], None]


def square(faces: Array) -> Array:
    """Tiles (…, 1024) in the order of L1 as rows and columns."""
    cut = faces.reshape(-1, 2, 2, 16, 16).transpose(0, 1, 3, 2, 4)
    return cut.reshape(-1, 32, 32)


def flat(kernel: Kernel, l1: Bytes, name: str, kind: str) -> Array:
    """The datums of all tiles of a name, which have no shared exponents: (n, datums)."""
    tile = kernel.tiles[name]
    data = np.asarray(l1)[tile.at : tile.end].reshape(tile.count, tile.size)
    return np.ascontiguousarray(data[:, HEADER:]).view(kind)


def datums(kernel: Kernel, l1: Bytes, name: str, kind: str) -> Array:
    """The same of tiles of four faces: (n, 32, 32)."""
    return square(flat(kernel, l1, name, kind))


def bf16(kernel: Kernel, l1: Bytes, name: str) -> npt.NDArray[np.float64]:
    """The numbers of tiles of BF16: (n, 32, 32)."""
    bits = datums(kernel, l1, name, "<u2").astype(np.uint32) << 16
    return bits.view(np.float32).astype(np.float64)


def reduce(kernel: Kernel, before: Bytes, after: Bytes, given: dict[str, int]) -> None:
    """Row 0, column 0 or number 0 0 of a tile: sum or maximum over what it stands for."""
    a = datums(kernel, before, "a", "<f4").astype(np.float64)
    axes = {0: (1,), 1: (2,), 2: (1, 2)}[given.get("OVER", 0)]
    biggest = given.get("MAX", 0)
    found = (np.max if biggest else np.sum)(a, axis=axes, keepdims=True)
    want = np.full(a.shape, -np.inf if biggest else 0)
    want[:, : found.shape[1], : found.shape[2]] = found
    np.testing.assert_array_equal(datums(kernel, after, "out", "<f4"), want)


def _rows(kernel: Kernel, l1: Bytes, name: str, count: int) -> Array:
    """The tiles of rows of eight tiles that are not cut into faces: (count, 32, 32)."""
    rows = flat(kernel, l1, name, "<u2").reshape(-1, 32, 8, 32)
    return rows.transpose(0, 2, 1, 3).reshape(-1, 32, 32)[:count]


def tilize(kernel: Kernel, before: Bytes, after: Bytes, _: dict[str, int]) -> None:
    """Tiles out of rows."""
    out = datums(kernel, after, "out", "<u2")
    np.testing.assert_array_equal(out, _rows(kernel, before, "a", len(out)))


def untilize(kernel: Kernel, before: Bytes, after: Bytes, _: dict[str, int]) -> None:
    """Rows out of tiles; where there is no tile nothing is written."""
    a = datums(kernel, before, "a", "<u2")
    found = _rows(kernel, after, "out", 8 * kernel.tiles["out"].count)
    np.testing.assert_array_equal(found[: len(a)], a)
    assert not found[len(a) :].any()


CHECKS: dict[str, Check] = {"reduce": reduce, "tilize": tilize, "untilize": untilize}
