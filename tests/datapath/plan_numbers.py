# SPDX-License-Identifier: Apache-2.0
"""What the stages of a plan compute, and what formats make of numbers, by NumPy alone."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tilepath.models.kernels import Kernel
from tilepath.models.tiles import FORMATS
from tilepath.sequences.datapath.drawn_kernel import DrawnKernel, Stage
from tilepath.sequences.datapath.formats import INTEGERS, Way
from tilepath.tests.datapath.kernel_numbers import HEADER, Array, Bytes

Numbers = npt.NDArray[np.float64]

BLOCKS = {"BFP8": 8, "BFP4": 4, "BFP2": 2}
MANTISSA = {name: form.fraction for name, form in FORMATS.items()} | {"TF32": 10}


def decoded(data: Array, name: str) -> Numbers:
    """The numbers in a tile's bytes behind the header, in the order of L1."""
    if name in INTEGERS:
        kind = {"INT32": "<u4", "INT16": "<u2"}.get(name, "u1")
        raw = data.view(kind).astype(np.int64)
        top = np.int64(0 if name == "UINT8" else 1 << 8 * np.dtype(kind).itemsize - 1)
        return np.where(raw & top, -(raw & ~top), raw & ~top).astype(np.float64)
    if name.rstrip("A") in BLOCKS:
        bits = BLOCKS[name.rstrip("A")]
        count = len(data) * 8 // (8 + 16 * bits)  # groups: an exponent, 16 numbers
        raw = (data[count:, None] >> np.arange(0, 8, bits)).reshape(-1) & (1 << bits) - 1
        size = (raw & (1 << bits - 1) - 1) * 2.0 ** (2 - bits)
        power = np.repeat(data[:count].astype(float), 16) - (15 if name.endswith("A") else 127)
        return np.where(raw >> bits - 1, -size, size) * np.exp2(power)
    if name in ("FP32", "TF32"):
        return data.view("<f4").astype(np.float64)
    form = FORMATS[name]
    data = data.view(f"<u{form.bits // 8}")
    top = 1 << form.bits - 1
    power, rest = np.divmod(data & top - 1, 1 << form.fraction)
    size = (power > 0) + rest / (1 << form.fraction)
    if name == "E4M3":  # no denormals
        size *= power > 0
    return np.where(data & top, -size, size) * np.exp2(np.maximum(power, 1.0) - form.bias)


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
        return np.copysign(np.floor(seven / step) * step * unit, groups).reshape(-1)
    made = cut(numbers, MANTISSA[out], 0.5 if out == "TF32" and dst == "FP32" else 0)
    return np.where(np.abs(made) < 2.0**-6, 0, made) if out == "E4M3" else made


def in_src(numbers: Numbers, way: Way) -> Numbers:
    """What an unpacker makes of numbers."""
    if way.l1 == "FP32" and way[1:] != ("TF32", "FP32", "direct"):  # there it is 32 bits (U36)
        return cut(numbers, MANTISSA[way.src])
    return numbers


def copied(numbers: Numbers, way: Way, out: str) -> Numbers:
    """Numbers that go a way to Dst and from there to L1."""
    numbers = in_src(numbers, way)
    if way.how == "add" and way.dst == "BF16":
        numbers = cut(numbers, 7, 0.5)  # math rounds
    return packed(numbers, out, way.dst)


def _tiles(kernel: Kernel, l1: Bytes, name: str, form: str) -> Numbers:
    """The numbers of all tiles of a name: (n, rows, columns)."""
    tile = kernel.tiles[name]
    rows, columns = tile.shape
    each = np.asarray(l1)[tile.at : tile.end].reshape(tile.count, tile.size)[:, HEADER:]
    found = []
    for data in each:
        block = BLOCKS.get(form.rstrip("A"))
        size = rows * columns // 16 * (1 + 2 * block) if block else len(data)
        faces = decoded(np.ascontiguousarray(data[:size]), form)
        cut_up = faces.reshape(rows // 16, columns // 16, 16, 16)
        found.append(cut_up.transpose(0, 2, 1, 3).reshape(rows, columns))
    return np.array(found)


def _faces(numbers: Numbers) -> Numbers:
    """The numbers of tiles (n, rows, columns) in the order of L1."""
    n, rows, columns = numbers.shape
    return numbers.reshape(n, rows // 16, 16, columns // 16, 16).transpose(0, 1, 3, 2, 4)


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
    a = _tiles(kernel, before, plan.tile("t", 0), plan.stages[0].way.l1)
    for number, stage in enumerate(plan.stages):
        if stage.other is None:
            given = a.transpose(0, 2, 1) if stage.op == "transpose" else a
            want = copied(_faces(given).reshape(-1), stage.way, stage.out)
        else:
            b = _tiles(kernel, before, plan.tile("b", number), stage.other.l1)
            dst = _result(plan, stage, in_src(a, stage.way), in_src(b, stage.other))
            want = packed(_faces(dst).reshape(-1), stage.out, stage.way.dst)
        a = _tiles(kernel, after, plan.tile("t", number + 1), stage.out)
        np.testing.assert_array_equal(
            _faces(a).reshape(-1), want, err_msg=f"{plan}: stage {number}"
        )
