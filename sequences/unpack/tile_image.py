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
from tilepath.models import format_codes as C
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
        return self.in_code in C.INTEGERS

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
        return self.out_code in C.WIDE

    @property
    def out_bytes(self) -> int:
        """Bytes that OutAddr counts a datum as (U28)."""
        return 4 if self.wide else 2 if self.out_code in C.HALVES else 1

    @property
    def shared_exponent(self) -> int:
        """The exponent of all datums with ``forced``: a magnitude is an integer."""
        return self.bias + self.digits - 1 if self.forced else 0

    @property
    def tile_bytes(self) -> int:
        """Size of a tile in L1."""
        layout = tiles.Layout(tiles.FORMATS[self.form], header=HEADER)
        return layout.before + layout.datums


def _kind(form: tiles.Format, out: str = "") -> Kind:
    """``form`` as it is, or converted; exponents leave room for the shift to the leading 1."""
    name = _OWN_NAMES.get(form.name, form.name.lower())
    into = tiles.FORMATS[out or form.name]
    fraction = min(form.fraction, tiles.FORMATS[form.held].fraction)
    digits = 11 if form.name == "TF32" else fraction + (not form.shared)
    digits -= form.integer and form.signed
    low = 2 - 2 ** (into.exponent - 1) + (digits - 1) * form.shared
    return Kind(
        f"{name}_{out.lower()}" if out else name,
        form.code,
        into.code,
        form.bits,
        digits,
        *(() if form.integer else (low, into.bias)),
        bias=form.bias * form.shared,
        e4m3=form.name == "E4M3",
        unsigned=not form.signed,
    )


def _order(form: tiles.Format) -> tuple[int, ...]:
    """Floats, block floats, integers; those with eight bits of exponent first."""
    if form.integer:
        return 1, 0, 0, form.bits
    return 0, form.shared, -form.register, -form.bits


_OWN_NAMES: Final = {"FP8": "e5m2"}
_FP32: Final = tiles.FORMATS["FP32"]
_SHORT: Final = sorted((f for f in tiles.FORMATS.values() if f.bits < 32), key=_order)
_DST_ONLY: Final = [_kind(form) for form in tiles.FORMATS.values() if form.bits == 32]
_ALL: Final = (
    *(_kind(_FP32, out) for out in ("TF32", "BF16", "FP16")),
    *map(_kind, _SHORT),
    Kind("int8_bf16", C.BFP8, C.BFP8, 8, 7, 6, 6, bias=127, forced=True),
    *_DST_ONLY,
)
KINDS: Final = {kind.name: kind for kind in _ALL}
SRC_KINDS: Final = tuple(kind for kind in _ALL if kind not in _DST_ONLY)
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
