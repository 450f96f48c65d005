# SPDX-License-Identifier: Apache-2.0
"""Tiles of numbers as Dst holds them, and ways to pack them.

A :class:`Kind` is a Dst and the formats that it is packed with. :func:`values` makes numbers that
such a Dst holds exactly, :func:`datums` their bits. What comes of them in L1 is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.stimulus.noise import Noise
from tilepath.isa import formats
from tilepath.models.tiles.formats import FORMATS, as_numbers, datum_bits
from tilepath.sequences.pack.dst import Image

F64 = NDArray[np.float64]
U32 = NDArray[np.uint32]

TILE: Final = 1024
"""Datums of a tile: four faces of 16 rows of 16, or 64 rows."""
FACE: Final = 256
ROWS: Final = 64

_DIGITS: Final = {"fp32": 24, "bf16": 8, "fp16": 11, "int32": 31, "int16": 15}


@dataclass(frozen=True)
class Kind:
    """What packers make of a tile.

    ``dst``: what Dst holds: fp32, int32 (32 bits), bf16, fp16, int16. ``inner``, ``source``,
    ``to``: IntermediateFormat, In_data_format and Out_data_format (4 bits each). ``narrow``,
    ``unsigned``, ``e4m3``: Round_10b_mant, Read_unsigned, Pac_LF8_4b_exp. ``threshold``: of
    exponents, 0: none. ``shift``: INT_DESCALE. ``relu``: ApplyRelu.
    """

    name: str
    dst: str
    inner: int
    source: int
    to: int
    narrow: bool = False
    unsigned: bool = False
    e4m3: bool = False
    threshold: int = 0
    shift: int = 0
    relu: int = 0

    @property
    def wide(self) -> bool:
        """Whether Dst is 32 bits wide."""
        return self.dst in ("fp32", "int32")

    @property
    def integer(self) -> bool:
        """Whether Dst holds integers."""
        return self.dst in ("int32", "int16")

    @property
    def bfp(self) -> bool:
        """Whether 16 datums share an exponent in L1."""
        return formats.get(self.to).shared

    @property
    def bits(self) -> int:
        """Of a datum in L1."""
        return formats.get(self.to).bits

    @property
    def input_bytes(self) -> int:
        """Bytes that input strides count a datum as (P10)."""
        return max(1, formats.get(self.source).bits // 8)

    @property
    def exponent_lines(self) -> int:
        """Exp_section_size of a tile, as kernels set it: none where only the code needs one."""
        return 0 if self.to in (10, 14) else TILE // FACE


_E8: Final = 113  # the least exponent of FP32 that FP16 has
_ALL: Final = (
    # from 32 bits
    Kind("fp32", "fp32", 0, 0, 0),
    Kind("fp32_tf32", "fp32", 4, 4, 4),
    Kind("fp32_bf16", "fp32", 5, 5, 5),
    Kind("fp32_bf16_cut", "fp32", 0, 0, 5),
    Kind("fp32_fp16", "fp32", 1, 1, 1, narrow=True),
    Kind("fp32_fp16_cut", "fp32", 0, 0, 1),
    Kind("fp32_e5m2", "fp32", 0, 0, 10),
    Kind("fp32_e4m3", "fp32", 0, 1, 10, narrow=True, e4m3=True),
    Kind("fp32_bfp8", "fp32", 0, 0, 6),
    Kind("fp32_bfp8_twice", "fp32", 6, 6, 6),
    Kind("fp32_bfp4", "fp32", 5, 5, 7),
    Kind("fp32_bfp2", "fp32", 5, 5, 15),
    Kind("fp32_bfp8a", "fp32", 0, 0, 2, threshold=_E8),
    Kind("fp32_bfp4a", "fp32", 0, 0, 3, threshold=_E8),
    Kind("fp32_bfp2a", "fp32", 0, 0, 11, threshold=_E8),
    Kind("int32", "int32", 8, 8, 8),
    Kind("int32_int8", "int32", 14, 14, 14),
    Kind("int32_int8_shifted", "int32", 14, 14, 14, shift=3),
    Kind("int32_uint8", "int32", 14, 14, 14, unsigned=True),
    # from 16 bits
    Kind("bf16", "bf16", 5, 5, 5),
    Kind("bf16_relu", "bf16", 5, 5, 5, relu=1),
    Kind("bf16_fp32", "bf16", 5, 5, 0),
    Kind("bf16_tf32", "bf16", 4, 4, 4),
    Kind("bf16_fp16", "bf16", 5, 5, 1),
    Kind("bf16_e5m2", "bf16", 5, 5, 10),
    Kind("bf16_bfp8", "bf16", 5, 5, 6),
    Kind("bf16_bfp4", "bf16", 5, 5, 7),
    Kind("bf16_bfp2", "bf16", 5, 5, 15),
    Kind("bf16_bfp8a", "bf16", 5, 5, 2, threshold=_E8),
    Kind("fp16", "fp16", 1, 1, 1),
    Kind("fp16_fp32", "fp16", 1, 1, 0),
    Kind("fp16_bf16", "fp16", 1, 1, 5),
    Kind("fp16_e5m2", "fp16", 1, 1, 10),
    Kind("fp16_e4m3", "fp16", 1, 1, 10, e4m3=True),
    Kind("fp16_bfp8a", "fp16", 1, 1, 2),
    Kind("fp16_bfp4a", "fp16", 1, 1, 3),
    Kind("fp16_bfp2a", "fp16", 1, 1, 11),
    Kind("int16", "int16", 9, 9, 9),
)
KINDS: Final = {kind.name: kind for kind in _ALL}


def values(kind: Kind, number: int, tame: bool = False, dense: int = 15) -> F64:
    """Tile ``number`` for a Dst of ``kind``: ``TILE`` numbers that it holds exactly.

    ``dense`` sixteenths of them are not 0; zeros come in runs. Many lie half-way between two
    numbers of shorter formats. ``tame``: no -0, no denormals, none far from 1.
    """
    count = TILE
    digits = _DIGITS[kind.dst]
    draw = Noise(((number << 5 | digits) << 1 | tame) << 4 | dense, count)
    # 1 … ``digits`` significant ones, often just one more than a shorter format has
    many = np.array([2, 4, 8, 9, 12, digits, digits])[draw.below(7)].clip(max=digits)
    size = np.floor(np.ldexp(1 + draw.share(), many - 1))
    if kind.integer:
        size = np.where(draw.share() < 0.3, size, np.floor(np.ldexp(draw.share(), many)))
    else:
        low, high = (-14, 17) if kind.dst == "fp16" else (-140, 128)
        far = draw.between(low, high)
        near = draw.between(max(low, -20), min(high, 20))
        exponent = near if not tame else np.clip(near, -5, 5)
        if not tame:
            exponent = np.where(draw.below(8) == 0, far, exponent)
        size = np.ldexp(size, exponent + 1 - many)
        if kind.dst != "fp16":  # denormals have fewer digits
            size = size.astype(np.float32).astype(np.float64)
            size = size if kind.dst == "fp32" else np.where(size < 2.0**-126, 0.0, size)
    length = 1 + np.floor(np.log1p(-draw.share()) / np.log(0.75)).astype(np.int64)
    runs = np.repeat(draw.below(16) < dense, length)[:count]
    size = np.where(runs, size, 0.0)
    minus = draw.below(2) == 1
    if kind.integer or tame:
        minus &= size != 0
    return np.where(minus, -size, size)


def datums(kind: Kind, numbers: F64) -> U32:
    """``numbers`` as bits in ordinary order: sign, exponent, mantissa, or sign and magnitude."""
    form = FORMATS[kind.dst.upper()]
    return datum_bits(form, as_numbers(form, numbers)).astype(np.uint32)


def put(image: Image, kind: Kind, place: int, numbers: F64, mapped: bool = False) -> None:
    """Put a tile into rows 64 · ``place`` and up; ``mapped``: remap and swizzle are set (P52)."""
    for row, some in enumerate(datums(kind, numbers).reshape(-1, 16)):
        image.put(ROWS * place + row, some, kind.dst, mapped, mapped)
