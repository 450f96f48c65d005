# SPDX-License-Identifier: Apache-2.0
"""What kernels compute, by NumPy alone: of the bytes of L1 before, those after.

Numbers and bytes of tiles are those of ``models.tiles``, which its own tests hold against vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from tilepath.models.kernels import Kernel
from tilepath.models.tiles import from_l1, to_l1

HEADER = 16

Bytes = npt.NDArray[np.uint8]
Array = npt.NDArray[Any]
Check = Callable[[Kernel, Bytes, Bytes, dict[str, int]], None]


def square(faces: Array, rows: int = 32) -> Array:
    """Tiles of 32 columns in the order of L1, as (n, rows, columns)."""
    cut = faces.reshape(-1, max(rows // 16, 1), 2, min(rows, 16), 16).transpose(0, 1, 3, 2, 4)
    return cut.reshape(-1, rows, 32)


def flat(kernel: Kernel, l1: Bytes, name: str, kind: str) -> Array:
    """The datums of all tiles of a name, which have no shared exponents: (n, datums)."""
    tile = kernel.tiles[name]
    data = np.asarray(l1)[tile.at : tile.end].reshape(tile.count, tile.size)
    return np.ascontiguousarray(data[:, HEADER:]).view(kind)


def datums(kernel: Kernel, l1: Bytes, name: str, kind: str) -> Array:
    """The same of tiles of 32 columns that are cut into faces: (n, rows, 32)."""
    return square(flat(kernel, l1, name, kind), kernel.tiles[name].shape[0])


def numbers(kernel: Kernel, l1: Bytes, name: str) -> Array:
    """The numbers of all tiles of a name: (n, rows, columns)."""
    tile = kernel.tiles[name]
    data = np.asarray(l1)[tile.at : tile.end].reshape(tile.count, tile.size)
    found = [from_l1(one, tile.form, tile.shape, face=tile.face) for one in data]
    return np.array(found, np.float64)


def cut_to_bf16(given: Array) -> Array:
    """FP32 numbers of which the upper halves are left."""
    return (given.astype(np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32)


def holds(kernel: Kernel, l1: Bytes, name: str, given: Array, row: int | None = None) -> None:
    """``AssertionError`` unless tiles have the bytes of numbers (n, 32, 32), in the form of out."""
    tile, form = kernel.tiles[name], kernel.tiles["out"].form
    for k, one in enumerate(given):
        want = to_l1(one, form, row=row)[HEADER:]
        found = np.asarray(l1)[tile.at + k * tile.size + HEADER :][: len(want)]
        np.testing.assert_array_equal(found, want)


def reduce(kernel: Kernel, before: Bytes, after: Bytes, given: dict[str, int]) -> None:
    """Row 0, column 0 or number 0 0 of a tile: sum or maximum over what it stands for."""
    a = datums(kernel, before, "a", "<f4").astype(np.float64)
    axes = {0: (1,), 1: (2,), 2: (1, 2)}[given.get("OVER", 0)]
    biggest = given.get("MAX", 0)
    found = (np.max if biggest else np.sum)(a, axis=axes, keepdims=True)
    found = found.reshape(-1, given.get("TERMS", 1), *found.shape[1:]).sum(axis=1)
    want = np.full((len(found), 32, 32), -np.inf if biggest else 0)
    want[:, : found.shape[1], : found.shape[2]] = found
    np.testing.assert_array_equal(datums(kernel, after, "out", "<f4"), want)


def _beside(kernel: Kernel, l1: Bytes, name: str, kind: str = "<u2", width: int = 32) -> Array:
    """Tiles beside each other that are not cut into faces, from left to right: (n, rows, width)."""
    rows, columns = kernel.tiles[name].shape
    cut = flat(kernel, l1, name, kind).reshape(-1, rows, columns // width, width)
    return cut.transpose(0, 2, 1, 3).reshape(-1, rows, width)


def tilize(kernel: Kernel, before: Bytes, after: Bytes, given: dict[str, int]) -> None:
    """Tiles out of rows."""
    if given.get("FORM"):
        holds(kernel, after, "out", cut_to_bf16(_beside(kernel, before, "a", "<f4")))
        return
    out = datums(kernel, after, "out", "<u2")
    np.testing.assert_array_equal(out, _beside(kernel, before, "a")[: len(out)])


def untilize(kernel: Kernel, before: Bytes, after: Bytes, given: dict[str, int]) -> None:
    """Rows out of tiles, or of their left columns; where there is no tile nothing is written."""
    kind, width = "<u4" if given.get("WIDE") else "<u2", given.get("DATUMS", 32)
    a = datums(kernel, before, "a", kind)[:, :, :width]
    found = _beside(kernel, after, "out", kind, width)
    np.testing.assert_array_equal(found[: len(a)], a & 0xFFFFE000 if given.get("WIDE") else a)
    assert not found[len(a) :].any()


def block(kernel: Kernel, before: Bytes, after: Bytes, _: dict[str, int]) -> None:
    """Tiles one behind the other without headers."""
    a = datums(kernel, before, "a", "<u2")
    np.testing.assert_array_equal(datums(kernel, after, "out", "<u2").reshape(a.shape), a)


def tiny(kernel: Kernel, before: Bytes, after: Bytes, _: dict[str, int]) -> None:
    """Sums of a few rows."""
    want = numbers(kernel, before, "a") + numbers(kernel, before, "b")
    np.testing.assert_array_equal(numbers(kernel, after, "out"), want)


def decode(kernel: Kernel, before: Bytes, after: Bytes, _: dict[str, int]) -> None:
    """A row of tiles times weights."""
    a = numbers(kernel, before, "a")
    b = numbers(kernel, before, "b").reshape(len(a), -1, 32, 32)
    want = np.einsum("kij,ktjl->til", a, b)
    np.testing.assert_array_equal(datums(kernel, after, "out", "<f4"), want)


def moved(*axes: int) -> Check:
    """Check for the same datums, bit by bit, with tiles (n, rows, columns) transposed to axes."""

    def check(kernel: Kernel, before: Bytes, after: Bytes, _: dict[str, int]) -> None:
        kind = f"<u{kernel.tiles['a'].form.bits // 8}"
        found, a = datums(kernel, after, "out", kind), datums(kernel, before, "a", kind)
        np.testing.assert_array_equal(found, a.transpose(axes))

    return check


same = moved(0, 1, 2)


def compress(kernel: Kernel, before: Bytes, after: Bytes, _: dict[str, int]) -> None:
    """The bytes in between, and what they stand for."""
    a = numbers(kernel, before, "a")
    kept = np.where(np.abs(a) < 2, 0, a)
    holds(kernel, after, "mid", kept, row=256)
    form = kernel.tiles["a"].form
    held = [from_l1(to_l1(one, form, row=256), form, row=256) for one in kept]
    holds(kernel, after, "out", np.array(held))


def computed(what: Callable[[Array, Array], Array]) -> Check:
    """Check for numbers of BF16 that are computed of those of a and b."""

    def check(kernel: Kernel, before: Bytes, after: Bytes, _: dict[str, int]) -> None:
        want = what(numbers(kernel, before, "a"), numbers(kernel, before, "b"))
        np.testing.assert_array_equal(numbers(kernel, after, "out"), want)

    return check


add = computed(np.add)


def twice(kernel: Kernel, before: Bytes, after: Bytes, _: dict[str, int]) -> None:
    """a @ b, then that - c as block floats."""
    count = kernel.tiles["mid"].count
    a = numbers(kernel, before, "a")
    b = numbers(kernel, before, "b").reshape(len(a), count, 32, 32)
    products = np.einsum("kij,ktjl->til", a, b)
    np.testing.assert_array_equal(numbers(kernel, after, "mid"), products)
    holds(kernel, after, "out", cut_to_bf16(products - datums(kernel, before, "c", "<f4")))


CHECKS: dict[str, Check] = {
    "reduce": reduce,
    "tilize": tilize,
    "untilize": untilize,
    "transpose": moved(0, 2, 1),
    "direct": same,
    "compress": compress,
    "square": computed(lambda a, b: a * (a + b)),
    "twice": twice,
    "mutex": add,
    "fast_tilize": tilize,
    "fast_untilize": untilize,
    "pack_untilize": untilize,
    "pack_block": block,
    "tiny": tiny,
    "decode": decode,
}
