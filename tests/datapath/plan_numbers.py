# SPDX-License-Identifier: Apache-2.0
"""What the stages of a plan compute, and what formats make of numbers, by NumPy alone.

Of bytes ``models.tiles`` makes numbers, which its own tests hold against vectors.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tilepath.models.kernels import Kernel
from tilepath.models.tiles import FORMATS
from tilepath.sequences.datapath.drawn_kernel import DrawnKernel, Stage
from tilepath.sequences.datapath.formats import INTEGERS, Way
from tilepath.tests.datapath.kernel_numbers import Bytes, numbers

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
