# SPDX-License-Identifier: Apache-2.0
"""Formats: containers of a datum inside the packer, and properties of the codes (P19, P28).

Codes are those of ``isa`` (4 bits). IF is the format inside the packer, FROM the input format
(In_data_format), TO the output format (Out_data_format).
"""

from __future__ import annotations

import enum

from tilepath.engine.compiled.jit import part


class Container(enum.IntEnum):
    """How a datum is held between early and late conversion."""

    WIDE = 0  # 32 bits: FP32, TF32 with low bits 0
    BF16 = 1  # 16 bits: BF16, BF16 with six mantissa bits
    FP16 = 2  # 16 bits: FP16, FP16 with seven or six mantissa bits, FP8 in its upper byte
    INT32 = 3  # sign and magnitude, as the next two
    INT16 = 4
    INT8 = 5
    RAW = 6  # 16 bits of no format


@part
def is_wide(container: int) -> bool:
    """Whether a container has 32 bits."""
    return container == Container.WIDE or container == Container.INT32


@part
def is_integer(container: int) -> bool:
    """Whether a container holds sign and magnitude."""
    return Container.INT32 <= container <= Container.INT8


@part
def element_bits(to: int) -> int:
    """Bits of an element in L1, without shared exponents (P28)."""
    if to & 3 < 3:
        return 32 >> (to & 3)
    return 2 if to & 8 else 4
