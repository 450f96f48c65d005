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


def blocks(kernel: Kernel, l1: Bytes, name: str) -> Array:
    """The numbers of tiles of block floats none of which is minus 0: (n, rows, 32)."""
    tile = kernel.tiles[name]
    data, bits, count = flat(kernel, l1, name, "u1"), tile.form.bits, tile.shape[0] * 32
    exponents = np.repeat(data[:, : count // 16].astype(float), 16, axis=1)
    held = data[:, -(-count // 256) * 16 :][:, : count * bits // 8, None]
    datum = (held >> np.arange(0, 8, bits, dtype=np.uint8)).reshape(-1, count) & (1 << bits) - 1
    half = 1 << bits - 1
    size = datum % half * np.exp2(exponents - 125 - bits)
    return square(np.where(datum < half, size, -size), tile.shape[0])


def bf16(kernel: Kernel, l1: Bytes, name: str) -> npt.NDArray[np.float64]:
    """The numbers of tiles of BF16: (n, rows, 32)."""
    bits = datums(kernel, l1, name, "<u2").astype(np.uint32) << 16
    return bits.view(np.float32).astype(np.float64)


def numbers(kernel: Kernel, l1: Bytes, name: str) -> Array:
    """The same, or of block floats."""
    return (bf16 if kernel.tiles[name].form.bits == 16 else blocks)(kernel, l1, name)


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
        a = _beside(kernel, before, "a", "<u4") >> 16
        faces = a.reshape(-1, 2, 16, 2, 16).transpose(0, 1, 3, 2, 4).reshape(-1, 16)
        want = [part.reshape(len(a), -1) for part in bfp8(faces)]
        np.testing.assert_array_equal(flat(kernel, after, "out", "u1"), np.concatenate(want, 1))
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
    a = bf16(kernel, before, "a")
    b = blocks(kernel, before, "b").reshape(len(a), -1, 32, 32)
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


def bfp8(given: Array) -> tuple[Array, Array]:
    """Exponents and bytes of groups of 16 BF16 datums (n, 16), as packers make them."""
    bits = given.astype(np.int64)
    exponent = bits >> 7 & 0xFF
    most = exponent.max(axis=1, keepdims=True)
    apart = np.minimum(most - exponent, 30)
    mantissa = np.where(exponent > 0, bits & 0x7F | 0x80, 0)
    seven = np.minimum(mantissa + (1 << apart) >> apart + 1, 127)
    return most[:, 0].astype(np.uint8), np.where(seven > 0, bits >> 15 << 7 | seven, 0).astype("u1")


def from_bfp8(exponent: Array, datum: Array) -> Array:
    """BF16 datums (n, 16) of groups of block floats none of which is minus 0."""
    size = (datum & 0x7F).astype(np.float64) * np.exp2(exponent[:, None].astype(float) - 133)
    number = np.where(datum >> 7, -size, size).astype(np.float32)
    return (number.view(np.uint32) >> 16).astype(np.uint16)


def _compressed(faces: Array, block: bool) -> tuple[bytes, Array]:
    """A tile's four rows of 256 BF16 datums as packers write them, and what they hold then."""
    kept: list[int] = []
    after: list[int] = []
    starts = [0]
    for row in faces:
        for place, datum in enumerate(row):
            if place in (0, 255) or datum or after[-1] == 15:
                kept.append(datum)
                after.append(0)
            else:
                after[-1] += 1
        starts.append(len(kept))
    kept += [0] * (-len(kept) % 32)
    counts = np.array(after + [0] * (len(kept) - len(after)), np.uint8).reshape(-1, 32)
    blocks, exponents = np.array(kept, "<u2").reshape(-1, 32), np.empty(0, np.uint8)
    held = blocks.reshape(-1)
    if block:
        exponents, data = bfp8(blocks.reshape(-1, 16))
        held, blocks = from_bfp8(exponents, data).reshape(-1), data.reshape(-1, 32)
        exponents = np.pad(exponents, (0, 64 - len(exponents)))
    packed = counts[:, 0::2] | counts[:, 1::2] << 4
    lines = np.concatenate((blocks.view(np.uint8).reshape(len(blocks), -1), packed), axis=1)
    whole = np.zeros(1024, np.uint16)
    whole[np.cumsum(np.array([0, *after[:-1]]) + 1) - 1] = held[: len(after)]
    rows = np.array([*starts, 0, 0, 0], "<u2").tobytes()
    return rows + exponents.tobytes() + lines.tobytes(), whole


def compress(kernel: Kernel, before: Bytes, after: Bytes, given: dict[str, int]) -> None:
    """The bytes in between, and what they stand for."""
    block = bool(given.get("BFP", 0))
    a, mid, out = (kernel.tiles[name] for name in ("a", "mid", "out"))
    for k in range(a.count):
        data = np.asarray(before)[a.at + k * a.size :][HEADER : a.size]
        numbers = from_bfp8(data[:64], data[64:].reshape(64, 16)) if block else data.view("<u2")
        kept = np.where(numbers.reshape(4, 256) >> 7 & 0xFF < 128, 0, numbers.reshape(4, 256))
        wrote, held = _compressed(kept, block)
        found = np.asarray(after)[mid.at + k * mid.size + HEADER :][: len(wrote)]
        np.testing.assert_array_equal(found, np.frombuffer(wrote, np.uint8))
        want = np.concatenate([part.ravel() for part in bfp8(held.reshape(-1, 16))])
        found = np.asarray(after)[out.at + k * out.size :][HEADER : out.size]
        np.testing.assert_array_equal(
            found if block else found.view("<u2"), want if block else held
        )


def computed(what: Callable[[Array, Array], Array]) -> Check:
    """Check for numbers of BF16 that are computed of those of a and b."""

    def check(kernel: Kernel, before: Bytes, after: Bytes, _: dict[str, int]) -> None:
        want = what(bf16(kernel, before, "a"), bf16(kernel, before, "b"))
        np.testing.assert_array_equal(bf16(kernel, after, "out"), want)

    return check


add = computed(np.add)


def to_bf16(numbers: Array) -> Array:
    """The upper halves of numbers as FP32."""
    return (numbers.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def twice(kernel: Kernel, before: Bytes, after: Bytes, _: dict[str, int]) -> None:
    """a @ b, then that - c as block floats."""
    count = kernel.tiles["mid"].count
    a = bf16(kernel, before, "a")
    b = bf16(kernel, before, "b").reshape(len(a), count, 32, 32)
    products = np.einsum("kij,ktjl->til", a, b)
    np.testing.assert_array_equal(bf16(kernel, after, "mid"), products)
    apart = to_bf16(products - datums(kernel, before, "c", "<f4"))
    groups = apart.reshape(count, 2, 16, 2, 16).transpose(0, 1, 3, 2, 4).reshape(-1, 16)
    exponents, numbers = (part.reshape(count, -1) for part in bfp8(groups))
    found = flat(kernel, after, "out", "u1")
    np.testing.assert_array_equal(found, np.concatenate((exponents, numbers), axis=1))


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
