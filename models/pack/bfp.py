# SPDX-License-Identifier: Apache-2.0
"""Groups of 16 datums with one exponent (P29 to P31)."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.jit import part
from tilepath.models.pack.fields import wide

GROUP: Final = 16

Elements = npt.NDArray[np.uint32]


@part
def exponent_of(is_a: bool, number: int) -> int:
    """Exponent of a BF16, or of an FP16 for the a-formats."""
    return (number >> 10) & 0x1F if is_a else (number >> 7) & 0xFF


@part
def shared_exponent(is_a: bool, numbers: Elements, count: int) -> int:
    """The greatest exponent of ``count`` numbers."""
    greatest = 0
    for k in range(count):
        greatest = max(greatest, exponent_of(is_a, wide(numbers[k])))
    return greatest


@part
def magnitude(mantissa: int, distance: int) -> int:
    """Seven bits of a BFP8 datum: ``mantissa`` has eight with the leading one."""
    distance = min(distance, 8)  # nothing is left of it
    return min((mantissa + (1 << distance)) >> (distance + 1), 127)


@part
def bfp_datum(is_a: bool, bits: int, number: int, shared: int) -> int:
    """Sign and magnitude of a BF16, or of an FP16 for the a-formats, under a shared exponent."""
    exponent = exponent_of(is_a, number)
    mantissa = (number >> 3) & 0x7F if is_a else number & 0x7F
    if exponent:
        mantissa |= 0x80
    cut = magnitude(mantissa, shared - exponent) >> (8 - bits)
    if cut == 0:
        return 0  # {1, 0} would be minus infinity
    return ((number >> 15) & 1) << (bits - 1) | cut
