# SPDX-License-Identifier: Apache-2.0
"""Points of words: operations, banks given back, clearing, faults (M3, M7, M27, M28)."""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.isa.boundary.standin import FAULTS
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.standin.coverage.formats import (
    ARITHMETIC,
    FILES,
    MODIFIED,
    NO_YES,
    Formats,
    numbers,
)
from tilepath.tb.standin.coverage.table import OP, OPS, Table, is_bh
from tilepath.tb.standin.streams import UNSUPPORTED

THREADS: Final = ("t0", "t1", "t2")
_GIVERS: Final = (*ARITHMETIC, "SETRWC")
_MODES: Final = ("row", "16 rows", "half", "all")
_READ_A: Final = (*ARITHMETIC, "MOVA2D")
_WRITE_D: Final = (*ARITHMETIC, "MOVA2D", "MOVB2D")
RAISES: Final[dict[str, tuple[str, ...]]] = {
    "unsupported": ("unsupported",),
    "src_row": ("MVMUL", "GAPOOL"),
    "bias": MODIFIED,
    "release_owner": (*_GIVERS, "CLEARDVALID"),
    "dvalid_reset": ("CLEARDVALID",),
    "src_owner": ("MOVD2A", "MOVD2B"),
    "mixed": ARITHMETIC,
    "fidelity": ("ELWADD", "ELWSUB"),
    "mvmul_bcast": ("MVMUL",),
    "pool_mode": ("GAPOOL", "GMPOOL"),
    "pool_scale": ("GMPOOL",),
    "pool_format": ("GMPOOL",),
    "tf32_low": ("MOVA2D", "MOVB2D"),
    "dst16": ("MOVD2A", "MOVD2B"),
    "zeroacc_range": ("ZEROACC",),
    "stale": _READ_A,
    "zerosrc_race": ("ZEROSRC",),
    "dst_race": _WRITE_D,
}
"""Fault → operations that can have it."""


def declare(points: PointGroup, profile: str) -> None:
    """Declare the points of this topic."""
    bh = is_bh(profile)
    points.add("word.op_x_thread", OPS, THREADS)
    points.add("word.unsupported", tuple(f"{op:02X}" for op in UNSUPPORTED))
    points.add("giveback.op_x_files", (*_GIVERS, "CLEARDVALID"), ("none", "A", "B", "both"))
    points.add("giveback.file_x_disabled_x_owner", FILES, NO_YES, ("Unpackers", "Matrix Unit"))
    points.add("giveback.file_x_bank", FILES, ("0", "1"))
    points.add("giveback.cleardvalid_file_x_keep_x_disabled", FILES, NO_YES, NO_YES)
    points.add("zeroacc.mode_x_wide_x_undo_x_absolute", _MODES, *(3 * (NO_YES,)))
    points.add("zeroacc.row_by_fp32_x_integers", NO_YES, NO_YES)
    points.add("zeroacc.quarter_x_wide_x_absolute_x_beyond", tuple("0123"), *(3 * (NO_YES,)))
    points.add("zeroacc.half", ("0", "1"))
    points.add("zerosrc.files_x_both_x_matrix_x_neg_inf", ("none", "A", "B", "both"),
               *(3 * (NO_YES,)))  # fmt: skip
    points.add("zerosrc.file_x_matrix_x_bank_x_unpackers_bank", FILES, NO_YES, ("0", "1"),
               ("0", "1"))  # fmt: skip
    flags = tuple(fault.name for fault in FAULTS)
    rules = [
        Exclude((flag, op), f"no fault of {op}")
        for flag in flags for op in OPS if op not in RAISES[flag]
    ]  # fmt: skip
    if not bh:
        rules = [rule for rule in rules if rule.where[0] != "bias"]
        rules.append(Exclude(("bias", None), "this field map has the bias (M6)"))
    points.add("fault.flag_x_op", flags, OPS, exclude=tuple(rules))
    points.add("fault.flag_x_thread", flags, THREADS, exclude=() if bh else (
        Exclude(("bias", None), "this field map has the bias (M6)"),
    ))  # fmt: skip
    points.add("fault.how_many", ("1", "2", "3 or more"))


def count(points: Tally, table: Table, fmt: Formats) -> None:
    """Count instructions."""
    points.hit("word.op_x_thread", table.op, table.thread)
    unsupported = table.op == OP["unsupported"]
    place = np.zeros(256, np.int64)
    place[list(UNSUPPORTED)] = range(len(UNSUPPORTED))
    points.hit("word.unsupported", place[table.word >> 24], where=unsupported)
    _giving(points, table)
    _zeroacc(points, table, fmt)
    _zerosrc(points, table)
    _faults(points, table)


def _giving(points: Tally, table: Table) -> None:
    files = table.field("clear_dvalid")
    op = numbers(table, (*_GIVERS, "CLEARDVALID"))
    points.hit("giveback.op_x_files", op, files, where=op >= 0)
    last = table.rows["last"]
    owner, banks = table.level("owner", last), table.level("matrix_bank", last)
    clears = table.is_op("CLEARDVALID")
    for file in range(2):
        gives = (op >= 0) & (files >> file & 1 == 1)
        disabled = table.own(7, file, 1)
        bank = banks >> file & 1
        points.hit("giveback.file_x_bank", file, bank, where=gives)
        points.hit(
            "giveback.file_x_disabled_x_owner", file, disabled, owner >> 2 * file + bank & 1,
            where=gives & ~clears,
        )  # fmt: skip
        points.hit(
            "giveback.cleardvalid_file_x_keep_x_disabled", file, table.field("keep"), disabled,
            where=gives & clears,
        )  # fmt: skip


def _zeroacc(points: Tally, table: Table, fmt: Formats) -> None:
    is_zero = table.is_op("ZEROACC")
    mode, wide, where = table.field("mode"), table.field("wide"), table.field("dst")
    absolute = table.config(220, 3)
    points.hit(
        "zeroacc.mode_x_wide_x_undo_x_absolute", mode, wide, table.field("undo"), absolute,
        where=is_zero,
    )  # fmt: skip
    row = is_zero & (mode == 0)
    points.hit("zeroacc.row_by_fp32_x_integers", table.config(1, 29), fmt.integers, where=row)
    flags = table.events["fault"]
    beyond = np.zeros(len(table), bool)
    number = [fault.name for fault in FAULTS].index("zeroacc_range")
    beyond[table.which(flags["cycle"])[flags["flags"] >> number & 1 == 1]] = True
    quarter = table.own(1) + table.rwc["d"] >> 8 & 3
    rows = is_zero & (mode == 1)
    points.hit(
        "zeroacc.quarter_x_wide_x_absolute_x_beyond", quarter, wide, absolute, beyond, where=rows
    )
    points.hit("zeroacc.half", where & 1, where=is_zero & (mode == 2))


def _zerosrc(points: Tally, table: Table) -> None:
    is_zero = table.is_op("ZEROSRC")
    files = table.field("srca") | table.field("srcb") << 1
    both, matrix = table.field("both_banks"), table.field("matrix_bank")
    points.hit(
        "zerosrc.files_x_both_x_matrix_x_neg_inf", files, both, matrix, table.field("neg_inf"),
        where=is_zero,
    )  # fmt: skip
    own = table.level("matrix_bank", table.rows["sampled"])
    theirs = table.level("unpack_bank", table.rows["sampled"])
    for file in range(2):
        chosen = is_zero & (files >> file & 1 == 1) & (both == 0)
        points.hit(
            "zerosrc.file_x_matrix_x_bank_x_unpackers_bank", file, matrix, own >> file & 1,
            theirs >> file & 1, where=chosen,
        )  # fmt: skip


def _faults(points: Tally, table: Table) -> None:
    faults = table.events["fault"]
    op = table.op[table.which(faults["cycle"])] if len(table) else np.zeros(0, np.int64)
    many = np.zeros(len(faults), np.int64)
    for number in range(len(FAULTS)):
        raised = faults["flags"] >> number & 1 == 1
        many += raised
        points.hit("fault.flag_x_op", number, op, where=raised)
        points.hit("fault.flag_x_thread", number, faults["thread"], where=raised)
    points.hit("fault.how_many", np.minimum(many, 3) - 1, where=many > 0)
