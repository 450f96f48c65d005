# SPDX-License-Identifier: Apache-2.0
"""The legal ways of a datum: cells of P20 with the FROM of P23, and the TO of P28."""

from __future__ import annotations

from typing import Final, NamedTuple

from tilepath.isa.profiles import Profile

FP32, FP16, BFP8A, BFP4A, TF32, BF16, BFP8, BFP4, INT32, INT16, FP8, BFP2A = range(12)
INT8, BFP2 = 14, 15

FLOAT_TARGETS: Final = (FP32, FP16, BFP8A, BFP4A, TF32, BF16, BFP8, BFP4, FP8, BFP2A, BFP2)
BFP_TARGETS: Final = (BFP8A, BFP4A, BFP8, BFP4, BFP2A, BFP2)
ACCUMULATED: Final = (FP32, FP16, BF16, INT32)


class Cell(NamedTuple):
    """What the early conversion is told: IF, and fields of PCK_DEST_RD_CTRL; and FROM.

    ``stored``: the kind of datum in Dst, for ``dst``: fp32, bf16, fp16, int32 or int16.
    ``narrowed``: the datum is FP16 behind ReLU (P22, P57).
    """

    inner: int
    from_: int
    wide: int
    raw: int = 0
    round_10b: int = 0
    unsigned: int = 0
    stored: str = "bf16"
    narrowed: bool = False

    @property
    def name(self) -> str:
        """Of the knob ``formats``: the kind that IF is."""
        return _NAMES[self.inner]

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
        return {0: 4, 1: 2}.get(self.from_ & 3, 1)

    @property
    def integer(self) -> bool:
        """Whether ReLU modes 2 and 3, and edge mode 1, are undefined."""
        return self.inner in (INT32, INT16, INT8)

    def setup(self) -> dict[str, int]:
        """As fields of ``config``."""
        names = ("inner", "wide", "raw", "round_10b", "unsigned")
        return {name: getattr(self, name) for name in names}


_NAMES: Final = {
    FP32: "fp32", TF32: "tf32", INT32: "int32", BF16: "bf16", BFP8: "bfp8", FP16: "fp16",
    BFP8A: "bfp8a", FP8: "fp8", INT8: "int8", INT16: "int16",
}  # fmt: skip
NAMES: Final = tuple(_NAMES.values())

# IF, which FROM go with it, Read_32b_data, Read_int8, Round_10b_mant, Read_unsigned
_ROWS: Final = (
    (FP32, (FP32, INT32), 1, 0, 0, 0),
    (FP32, (FP32, TF32), 1, 0, 1, 0),
    (FP32, (FP32, INT32), 1, 1, 0, 0),
    (FP32, (FP32, TF32), 0, 0, 1, 0),
    (TF32, (FP32, TF32), 1, 0, 0, 0),
    (TF32, (TF32,), 1, 1, 0, 0),
    (TF32, (FP32, TF32), 0, 0, 0, 0),
    (INT32, (INT32, FP32), 1, 0, 0, 0),
    (INT32, (INT32, FP32), 1, 1, 0, 0),
    (BF16, (TF32,), 1, 0, 1, 0),
    (BF16, (TF32,), 0, 0, 1, 0),
    *((BF16, (BF16, BFP8), wide, raw, 0, 0) for wide in (0, 1) for raw in (0, 1)),
    *((BFP8, (BF16, BFP8), wide, raw, 0, 0) for wide in (0, 1) for raw in (0, 1)),
    (FP16, (FP16,), 0, 0, 0, 0),
    (FP16, (FP16,), 0, 1, 0, 0),
    (BFP8A, (BFP8A,), 0, 0, 0, 0),
    (BFP8A, (BFP8A,), 0, 1, 0, 0),
    (FP8, (FP8,), 0, 1, 0, 0),
    *((INT8, (INT8,), 1, raw, 0, unsigned) for raw in (0, 1) for unsigned in (0, 1)),
    (INT8, (INT8,), 0, 1, 0, 0),
    *((INT16, (INT16,), wide, raw, 0, 0) for wide in (0, 1) for raw in (0, 1)),
)
# with FROM FP16 the datum is narrowed
_NARROWED: Final = tuple(
    Cell(inner, FP16, wide, 0, 1, 0, "fp32" if wide else "bf16", True)
    for inner in (FP32, TF32, BF16, FP16)
    for wide in (0, 1)
)


def _stored(inner: int, wide: int) -> str:
    if inner in (INT32, INT8, INT16):
        return "int32" if wide else "int16"
    if wide:
        return "fp32"
    return "fp16" if inner in (FP16, BFP8A, FP8) else "bf16"


CELLS: Final = (
    *(
        Cell(inner, from_, wide, raw, round_10b, unsigned, _stored(inner, wide))
        for inner, froms, wide, raw, round_10b, unsigned in _ROWS
        for from_ in froms
    ),
    *_NARROWED,
)


def legal(profile: Profile) -> tuple[Cell, ...]:
    """Cells that the profile has: without ``pack_r10_fp16`` nothing is narrowed."""
    return tuple(cell for cell in CELLS if profile.pack_r10_fp16 or not cell.narrowed)
