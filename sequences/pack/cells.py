# SPDX-License-Identifier: Apache-2.0
"""The legal ways of a datum: cells of P20 with the FROM of P23, and the TO of P28."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from tilepath.isa import formats
from tilepath.isa.pack_cells import CONTROL, pack_cells
from tilepath.isa.profiles import Profile

FP32, FP16, BFP8A, BFP4A, TF32, BF16, BFP8, BFP4, INT32, INT16, FP8, BFP2A = range(12)
INT8, BFP2 = 14, 15

_FORMATS: Final = formats.formats()
FLOAT_TARGETS: Final = tuple(code for code in sorted(_FORMATS) if _FORMATS[code].exponent)
BFP_TARGETS: Final = tuple(code for code in FLOAT_TARGETS if _FORMATS[code].shared)
ACCUMULATED: Final = (FP32, FP16, BF16, INT32)


class Cell(NamedTuple):
    """What the early conversion is told: IF, and fields of PCK_DEST_RD_CTRL; and FROM.

    ``stored``: the kind of datum in Dst, for ``dst``: fp32, bf16, fp16, int32 or int16.
    ``narrowed``: the datum is FP16 behind ReLU (P22, P57).
    """

    inner: int
    from_: int
    wide: int
    raw: int
    round_10b: int
    unsigned: int
    stored: str
    narrowed: bool

    @property
    def name(self) -> str:
        """Of the knob ``formats``: the kind that IF is."""
        return _FORMATS[self.inner].name.lower()

    @property
    def targets(self) -> tuple[int, ...]:
        """Legal values of TO."""
        if self.from_ in (INT32, INT16, INT8):
            return (self.from_,)
        if self.inner == BF16 and self.round_10b and not self.narrowed:
            return (FP16,)
        if self.inner == INT32:
            return (FP32,)
        return tuple(to for to in FLOAT_TARGETS if (self.from_, to) != (FP32, TF32))

    @property
    def datum_bytes(self) -> int:
        """Bytes of a datum as addresses count them (P10)."""
        return max(1, _FORMATS[self.from_].bits // 8)

    @property
    def integer(self) -> bool:
        """Whether ReLU modes 2 and 3, and edge mode 1, are undefined."""
        return not _FORMATS[self.inner].exponent

    def setup(self) -> dict[str, int]:
        """As fields of ``config``."""
        names = ("inner", "wide", "raw", "round_10b", "unsigned")
        return {name: getattr(self, name) for name in names}


def _cells(narrowed: bool) -> Iterator[Cell]:
    """Those of the table that have a value; bits that do not decide are 0."""
    for cell in pack_cells():
        bits = {name: int(cell.value & place != 0) for name, place in CONTROL.items()}
        bits["round_10b"] = bits.pop("round") | narrowed
        froms = (FP16,) * cell.narrows if narrowed else cell.inputs
        for from_ in froms:
            yield Cell(cell.inner, from_, **bits, stored=cell.dst, narrowed=narrowed)


NAMES: Final = tuple(dict.fromkeys(cell.name for cell in _cells(narrowed=False)))
CELLS: Final = (
    *_cells(narrowed=False),
    *sorted(_cells(narrowed=True), key=lambda cell: (NAMES.index(cell.name), cell.wide)),
)


def legal(profile: Profile) -> tuple[Cell, ...]:
    """Cells that the profile has: without ``pack_r10_fp16`` nothing is narrowed."""
    return tuple(cell for cell in CELLS if profile.pack_r10_fp16 or not cell.narrowed)
