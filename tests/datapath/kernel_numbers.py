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
from tilepath.models.tiles import FORMATS, from_l1, to_l1
from tilepath.sequences.datapath.drawn_kernel import DrawnKernel, Stage
from tilepath.sequences.datapath.formats import INTEGERS, Way

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
    "twice": twice,
    "fast_tilize": tilize,
    "fast_untilize": untilize,
    "pack_untilize": untilize,
    "pack_block": block,
}


# --- what the stages of a plan compute, and what formats make of numbers

Numbers = npt.NDArray[np.float64]

BLOCKS = {"BFP8": 8, "BFP4": 4, "BFP2": 2}
MANTISSA = {name: form.fraction for name, form in FORMATS.items()} | {"TF32": 10}


def cut(numbers: Numbers, bits: int, up: float = 0) -> Numbers:
    """To so many bits of mantissa: towards 0, or with ``up`` 1/2 to the nearest."""
    part, power = np.frexp(np.abs(numbers))
    return np.copysign(np.floor(part * 2.0 ** (bits + 1) + up), numbers) * np.exp2(
        power - bits - 1.0
    )


def packed(numbers: Numbers, out: str, dst: str) -> Numbers:
    """What a packer makes of numbers that are in Dst."""
    if out in INTEGERS:
        low, high = {"INT8": (-127, 127), "UINT8": (0, 255)}.get(out, (-np.inf, np.inf))
        return np.clip(numbers, low, high)
    if out.rstrip("A") in BLOCKS:
        groups = cut(numbers, 7).reshape(-1, 16)
        unit = np.exp2(np.frexp(np.abs(groups).max(axis=1, keepdims=True))[1] - 7.0)
        seven = np.minimum(np.floor(np.abs(groups) / unit + 0.5), 127)
        step = 2.0 ** (8 - BLOCKS[out.rstrip("A")])
        return np.copysign(np.floor(seven / step) * step * unit, groups).reshape(numbers.shape)
    made = cut(numbers, MANTISSA[out], 0.5 if out == "TF32" and dst == "FP32" else 0)
    return np.where(np.abs(made) < 2.0**-6, 0, made) if out == "E4M3" else made


def in_src(numbers: Numbers, way: Way) -> Numbers:
    """What an unpacker makes of numbers."""
    if way[1:] == ("TF32", "FP32", "direct"):  # there it is 32 bits (U36)
        return numbers
    return cut(numbers, MANTISSA[FORMATS[way.src].held])


def copied(numbers: Numbers, way: Way, out: str) -> Numbers:
    """Numbers that go a way to Dst and from there to L1."""
    numbers = in_src(numbers, way)
    if way.how == "add" and way.dst == "BF16":
        numbers = cut(numbers, 7, 0.5)  # math rounds
    return packed(numbers, out, way.dst)


def _result(plan: DrawnKernel, stage: Stage, a: Numbers, b: Numbers) -> Numbers:
    """What is in Dst, before rounding."""
    if stage.op == "matmul":
        terms = stage.given["TERMS"]
        return sum(np.roll(a, -term, axis=0) @ b[term % len(b)] for term in range(terms))  # type: ignore[return-value]
    if stage.given["BCAST"] & 1:
        b = b[:, :, :1]
    if stage.given["BCAST"] & 2:
        b = b[:, :1]
    return a + b if stage.op == "add" else a - b if stage.op == "sub" else a * b


def check(plan: DrawnKernel, kernel: Kernel, before: Bytes, after: Bytes) -> None:
    """``AssertionError`` if tiles of any stage are not those that NumPy comes to."""
    a = numbers(kernel, before, plan.tile("t", 0))
    for number, stage in enumerate(plan.stages):
        if stage.other is None:
            given = a.transpose(0, 2, 1) if stage.op == "transpose" else a
            want = copied(given, stage.way, stage.out)
        else:
            b = numbers(kernel, before, plan.tile("b", number))
            dst = _result(plan, stage, in_src(a, stage.way), in_src(b, stage.other))
            want = packed(dst, stage.out, stage.way.dst)
        a = numbers(kernel, after, plan.tile("t", number + 1))
        np.testing.assert_array_equal(a, want, err_msg=f"{plan}: stage {number}")
