# SPDX-License-Identifier: Apache-2.0
"""What an instruction makes of formats, and points of formats, phases and moves (M9 to M12)."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from tilepath.isa import profiles
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.standin.coverage.table import I64, OP, Flags, Table

E8, TF32, E5 = range(3)
CLASSES: Final = ("e8", "tf32", "e5")
_E5_CODES: Final = (1, 2, 3, 10, 11, 14)
_TF32_CODE: Final = 4
CLASS_OF: Final = np.array(
    [E5 if c in _E5_CODES else TF32 if c == _TF32_CODE else E8 for c in range(16)]
)
_CODES: Final = tuple(map(str, range(16)))
ARITHMETIC: Final = ("MVMUL", "GAPOOL", "GMPOOL", "ELWMUL", "ELWADD", "ELWSUB")
PRODUCTS: Final = ("MVMUL", "GAPOOL", "ELWMUL")
ELTWISE: Final = ("ELWMUL", "ELWADD", "ELWSUB")
MOVES: Final = ("MOVA2D", "MOVB2D", "MOVD2A", "MOVD2B")
WITH_DST: Final = (*ARITHMETIC, *MOVES)
MODIFIED: Final = (*WITH_DST, "MOVB2A", "ZEROACC")
_SOURCES: Final = ("own", "override", "implied")
_PAIRS: Final = (*(f"{a}/{b}" for a in CLASSES for b in CLASSES), "forced", "integers")
_KINDS: Final = (*CLASSES, "forced", "integers")
WIDTHS: Final = ("16", "32")
FILES: Final = ("SrcA", "SrcB")
NO_YES: Final = ("no", "yes")
_ZERO: Final = ("flushed", "kept")


class Formats(NamedTuple):
    """What sampled words say, an array each.

    ``codes`` and ``sources`` of SrcA and SrcB; ``kind``: class of fa, forced to FP16, integers;
    ``wide``: Dst has 32 bits; ``phase``: φ.
    """

    codes: tuple[I64, I64]
    sources: tuple[I64, I64]
    forced: Flags
    integers: Flags
    wide: Flags
    phase: I64

    @property
    def five(self) -> Flags:
        """Whether the operation has exponents of five bits: by fa, or as FP16 is forced."""
        found: Flags = self.forced | (CLASS_OF[self.codes[0]] == E5)
        return found


def formats(table: Table, implied_fmt: int) -> Formats:
    """Formats of all instructions (M9, M10, M12)."""
    banks = table.level("matrix_bank", table.rows["sampled"])
    implied = table.level("implied", table.rows["sampled"])
    codes, sources = [], []
    # MOVB2D and MOVD2B take SrcB's implied format for SrcA's
    from_b = table.is_op("MOVB2D", "MOVD2B")
    for file in range(2):
        uses = (table.own(2 + file, 0, 1) == 0) & bool(implied_fmt)
        source_file = np.where(from_b, 1, file)
        place = 8 * source_file + 4 * (banks >> source_file & 1)
        override = table.config(0, 4 + 5 * file) == 1
        value = table.config(0, 5 * file, 4)
        own = table.config(1, 17 + 4 * file, 4)
        codes.append(np.where(uses, implied >> place & 15, np.where(override, value, own)))
        sources.append(np.where(uses, 2, override.astype(np.int64)))
    forced = table.own(55, 0, 1) == 1
    integers = (table.config(1, 31) == 1) & ~forced
    wide = ((table.config(1, 29) == 1) | integers) & ~forced
    phase = table.rwc["phase"] + table.own(11, 0, 2) & 3
    return Formats((codes[0], codes[1]), (sources[0], sources[1]), forced, integers, wide, phase)


def declare(points: PointGroup, profile: str) -> None:
    """Declare the points of this topic."""
    implied = profiles.get(profile).implied_fmt
    points.add("format.file_x_code_x_source", FILES, _CODES, _SOURCES, exclude=(
        () if implied else (Exclude((None, None, "implied"), "banks come without formats (M9)"),)
    ))  # fmt: skip
    points.add("format.op_x_classes", ARITHMETIC, _PAIRS)
    points.add("format.op_x_wide_x_kind", ARITHMETIC, WIDTHS, _KINDS, exclude=_IMPOSSIBLE)
    points.add("format.op_x_zero_flag", (*ARITHMETIC, *MOVES[:2], "MOVB2A"), _ZERO)
    points.add("phase.op_x_phase", (*PRODUCTS, "ELWADD", "ELWSUB"), tuple("0123"))
    points.add("phase.counter_x_base", tuple("0123"), tuple("0123"))
    points.add("eltwise.op_x_accumulate_x_kind_x_wide", ELTWISE, NO_YES, _KINDS, WIDTHS, exclude=(
        Exclude((None, None, "forced", "32"), _FORCED),
        Exclude((None, None, "integers", "16"), _INT),
    ))  # fmt: skip
    points.add("eltwise.op_x_row_x_column_0", ELTWISE, NO_YES, NO_YES)
    points.add("move.op_x_kind_x_wide_x_low", MOVES, _KINDS, WIDTHS, NO_YES, exclude=(
        Exclude((None, "forced", "32", None), _FORCED),
        Exclude((None, "integers", "16", None), _INT),
    ))  # fmt: skip
    points.add("move.op_x_many", (*MOVES, "MOVB2A"), NO_YES)
    points.add("move.movb2d_mode_x_low", tuple(f"{m:03b}" for m in range(8)), NO_YES)
    points.add("move.movb2d_classes", CLASSES, CLASSES)


_FORCED: Final = "FP16 is forced: Dst has 16 bits (M10)"
_INT: Final = "integers are 32 bits wide (M12)"
_IMPOSSIBLE: Final = (
    Exclude((None, "32", "forced"), _FORCED),
    Exclude((None, "16", "integers"), _INT),
)


def numbers(table: Table, names: tuple[str, ...]) -> I64:
    """The place of each operation in ``names``, -1 for others."""
    found = np.full(len(OP), -1, np.int64)
    for place, name in enumerate(names):
        found[OP[name]] = place
    return found[table.op]


def count(points: Tally, table: Table, fmt: Formats) -> None:
    """Count instructions."""
    op = numbers(table, ARITHMETIC)
    reads = op >= 0
    class_a, class_b = (CLASS_OF[code] for code in fmt.codes)
    a_used = reads | table.is_op(*MOVES)
    b_used = reads | table.is_op("MOVB2D")
    for file, used in enumerate((a_used & ~fmt.forced, b_used & ~fmt.forced)):
        points.hit(
            "format.file_x_code_x_source", file, fmt.codes[file], fmt.sources[file], where=used
        )
    kind = np.select([fmt.forced, fmt.integers], [3, 4], class_a)
    pair = np.select([fmt.forced, fmt.integers], [9, 10], 3 * class_a + class_b)
    points.hit("format.op_x_classes", op, pair, where=reads)
    points.hit("format.op_x_wide_x_kind", op, fmt.wide, kind, where=reads)
    flushes = numbers(table, (*ARITHMETIC, *MOVES[:2], "MOVB2A"))
    points.hit("format.op_x_zero_flag", flushes, table.config(2), where=flushes >= 0)
    phased = numbers(table, (*PRODUCTS, "ELWADD", "ELWSUB"))
    points.hit("phase.op_x_phase", phased, fmt.phase, where=phased >= 0)
    points.hit(
        "phase.counter_x_base", table.rwc["phase"], table.own(11, 0, 2),
        where=table.is_op(*PRODUCTS),
    )  # fmt: skip
    eltwise = numbers(table, ELTWISE)
    points.hit(
        "eltwise.op_x_accumulate_x_kind_x_wide", eltwise, table.field("dest_accum_en"), kind,
        fmt.wide, where=eltwise >= 0,
    )  # fmt: skip
    points.hit(
        "eltwise.op_x_row_x_column_0", eltwise, table.field("bcast_row"),
        table.field("bcast_col0"), where=eltwise >= 0,
    )  # fmt: skip
    move, low = numbers(table, MOVES), table.field("dest_32b_lo")
    points.hit("move.op_x_kind_x_wide_x_low", move, kind, fmt.wide, low, where=move >= 0)
    many = table.field("rows8") | table.field("rows4") | (table.field("movb2d_mode") > 1)
    moves = numbers(table, (*MOVES, "MOVB2A"))
    points.hit("move.op_x_many", moves, many, where=moves >= 0)
    movb2d = table.is_op("MOVB2D")
    points.hit("move.movb2d_mode_x_low", table.field("movb2d_mode"), low, where=movb2d)
    points.hit("move.movb2d_classes", class_a, class_b, where=movb2d & ~fmt.forced)
