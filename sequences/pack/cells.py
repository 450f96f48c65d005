# SPDX-License-Identifier: Apache-2.0
"""The legal ways of a datum: cells of P20 with the FROM of P23, and the TO of P28."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from tilepath.isa import formats
from tilepath.isa.formats import CONTROL, pack_cells
from tilepath.isa.profiles import Profile
from tilepath.models import format_codes as C

_FORMATS: Final = formats.formats()
ACCUMULATED: Final = (C.FP32, C.FP16, C.BF16, C.INT32)


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
        if self.from_ in C.INTEGERS:
            return (self.from_,)
        if self.inner == C.BF16 and self.round_10b and not self.narrowed:
            return (C.FP16,)
        if self.inner == C.INT32:
            return (C.FP32,)
        return tuple(to for to in C.FLOATS if (self.from_, to) != (C.FP32, C.TF32))

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
        froms = (C.FP16,) * cell.narrows if narrowed else cell.inputs
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
