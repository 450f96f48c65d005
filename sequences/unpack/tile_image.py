# SPDX-License-Identifier: Apache-2.0
"""Tiles of numbers as L1 holds them: values that a format can represent, and their bytes.

A :class:`Kind` is a pair of formats that the unpackers convert between, with the configuration
that goes with it. :func:`values` makes numbers, :func:`image` the bytes of a tile of them: a header
of 16 bytes, the exponents if 16 datums share one, the datums.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.stimulus.noise import noise
from tilepath.models import tiles

F64 = NDArray[np.float64]

TILE: Final = 1024
"""Datums of a tile: four faces of 16 rows of 16."""
FACE: Final = 256
HEADER: Final = 16
_GROUP: Final = 16  # datums that share an exponent


@dataclass(frozen=True)
class Kind:
    """What the unpackers make of a tile.

    ``in_code`` and ``out_code``: formats (4 bits each). ``bits``: of a datum in L1. ``digits``: of
    the binary magnitude of a value, the leading 1 included; for integers, of the whole magnitude.
    ``low`` and ``high``: exponents of the leading 1 of values (integers: 0 and 0). ``bias``: of a
    shared exponent, 0: none. ``forced``: it is in the configuration instead of in L1 (seed 3.5).
    """

    name: str
    in_code: int
    out_code: int
    bits: int
    digits: int
    low: int = 0
    high: int = 0
    bias: int = 0
    forced: bool = False
    e4m3: bool = False
    unsigned: bool = False

    @property
    def integer(self) -> bool:
        """Whether values are integers in L1 and in the registers."""
        return self.in_code in (8, 9, 14)

    @property
    def form(self) -> str:
        """The format of L1 in ``models.tiles``; ``forced``: a datum is a sign and an integer."""
        if self.forced:
            return "INT8"
        if self.e4m3 or self.unsigned:
            return "E4M3" if self.e4m3 else "UINT8"
        return next(f.name for f in tiles.FORMATS.values() if f.code == self.in_code)

    @property
    def wide(self) -> bool:
        """Whether a Dst of it is 32 bits wide (U36)."""
        return self.out_code in (0, 4, 8)

    @property
    def out_bytes(self) -> int:
        """Bytes that OutAddr counts a datum as (U28)."""
        return 4 if self.wide else 2 if self.out_code in (1, 5, 9) else 1

    @property
    def shared_exponent(self) -> int:
        """The exponent of all datums with ``forced``: a magnitude is an integer."""
        return self.bias + self.digits - 1 if self.forced else 0

    @property
    def tile_bytes(self) -> int:
        """Size of a tile in L1."""
        layout = tiles.Layout(tiles.FORMATS[self.form], header=HEADER)
        return layout.before + layout.datums


# Exponents leave room for the shift to the leading 1: no result is a denormal or infinite.
_ALL: Final = (
    Kind("fp32_tf32", 0, 4, 32, 24, -126, 127),
    Kind("fp32_bf16", 0, 5, 32, 24, -126, 127),
    Kind("fp32_fp16", 0, 1, 32, 24, -14, 15),
    Kind("bf16", 5, 5, 16, 8, -126, 127),
    Kind("fp16", 1, 1, 16, 11, -14, 15),
    Kind("e5m2", 10, 10, 8, 3, -14, 15),
    Kind("e4m3", 10, 10, 8, 4, -6, 7, e4m3=True),
    Kind("bfp8", 6, 6, 8, 7, -120, 127, bias=127),
    Kind("bfp4", 7, 7, 4, 3, -124, 127, bias=127),
    Kind("bfp2", 15, 15, 2, 1, -126, 127, bias=127),
    Kind("bfp8a", 2, 2, 8, 7, -8, 15, bias=15),
    Kind("bfp4a", 3, 3, 4, 3, -12, 15, bias=15),
    Kind("bfp2a", 11, 11, 2, 1, -14, 15, bias=15),
    Kind("int8", 14, 14, 8, 7),
    Kind("uint8", 14, 14, 8, 8, unsigned=True),
    Kind("int16", 9, 9, 16, 15),
    Kind("int8_bf16", 6, 6, 8, 7, 6, 6, bias=127, forced=True),
    Kind("fp32", 0, 0, 32, 24, -126, 127),
    Kind("tf32", 4, 4, 32, 11, -126, 127),
    Kind("int32", 8, 8, 32, 31),
)
KINDS: Final = {kind.name: kind for kind in _ALL}
_DST_ONLY: Final = ("fp32", "tf32", "int32")
SRC_KINDS: Final = tuple(kind for kind in _ALL if kind.name not in _DST_ONLY)
"""What can go to SrcA and SrcB."""
DST_KINDS: Final = _ALL
"""What can go to Dst."""
ROW_KINDS: Final = tuple(kind for kind in SRC_KINDS if not kind.bias)
"""What can lie in L1 row by row: no shared exponents."""


def values(kind: Kind, number: int, count: int = TILE) -> F64:
    """Tile ``number`` of ``kind``: ``count`` values that the format represents exactly.

    A sixteenth of them is 0; none is -0, which block floats do not have (U51).
    """
    draw = noise(number, count, 1)
    sign = np.where(draw & np.uint64(1), -1.0, 1.0)
    if kind.unsigned:
        sign = np.abs(sign)
    some = ((draw >> np.uint64(8)) % np.uint64(1 << kind.digits)).astype(np.float64)
    if kind.integer:
        scale = np.ones(count)
    else:
        where = np.arange(count) // _GROUP if kind.bias else np.arange(count)
        span = np.uint64(kind.high - kind.low + 1)
        exponent = kind.low + (noise(number, count, 2)[where] % span).astype(np.int64)
        scale = np.ldexp(1.0, exponent - kind.digits + 1)
        if not kind.bias:
            some = np.maximum(some, 1.0)
            some *= np.ldexp(1.0, kind.digits - np.frexp(some)[1])  # leading digit is 1
    some[(draw >> np.uint64(1)) % np.uint64(16) == 0] = 0.0
    return np.where(some == 0.0, 0.0, sign * some * scale)


def _lines(kind: Kind, numbers: F64) -> NDArray[np.uint8]:
    """Bytes of ``numbers``, shape (n,), in their order: exponents, if there are any, and datums."""
    return tiles.to_l1(numbers.reshape(-1, _GROUP), kind.form, face=None, header=0)


def datums(kind: Kind, numbers: F64) -> NDArray[np.uint8]:
    """Bytes of the datums alone, in lines of 16; ``numbers``: shape (n,), n a multiple of 16."""
    form = tiles.FORMATS[kind.form]
    return _lines(kind, numbers)[tiles.Layout(form, (len(numbers), 1), None, 0).before :]


def image(kind: Kind, numbers: F64) -> NDArray[np.uint8]:
    """Bytes of a tile: header (of no meaning, so not 0), exponents, datums."""
    return np.concatenate((np.full(HEADER, 0xA5, np.uint8), _lines(kind, numbers)))
