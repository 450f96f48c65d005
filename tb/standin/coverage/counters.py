# SPDX-License-Identifier: Apache-2.0
"""Points of row counters, phase and bias, and of the rows that follow from them (M4 to M6)."""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.standin.coverage.formats import (
    ELTWISE,
    FILES,
    MODIFIED,
    MOVES,
    NO_YES,
    WIDTHS,
    WITH_DST,
    Formats,
    numbers,
)
from tilepath.tb.standin.coverage.table import I64, Flags, Table

_AB_FORMS: Final = ("clear", "clear over CR", "CR", "plain")
_D_FORMS: Final = ("clear", "clear over others", "C to CR", "C to CR over CR", "CR", "plain")
_STEPS: Final = ("0", "some", "wraps")
_BLOCKS: Final = {
    **dict.fromkeys((*ELTWISE, "MVMUL"), (8, 8, 8)),
    "GAPOOL": (8, 4, 4),
    "GMPOOL": (16, 4, 4),
}
"""Rows of a block of SrcA, SrcB, Dst by operation: its low bits are cleared."""


def declare(points: PointGroup) -> None:
    """Declare the points of this topic."""
    points.add("modifier.op", MODIFIED)
    points.add("modifier.number_x_thread", tuple("01234567"), ("t0", "t1", "t2"))
    nothing = Exclude((None, "clear", "wraps"), "it is cleared")
    over = Exclude((None, "clear over CR", "wraps"), "it is cleared")
    points.add("modifier.file_x_form_x_step", FILES, _AB_FORMS, _STEPS, exclude=(nothing, over))
    points.add("modifier.dst_form_x_step", _D_FORMS, _STEPS, exclude=tuple(
        Exclude((form, "wraps"), "it is cleared") for form in _D_FORMS[:2]
    ))  # fmt: skip
    points.add("modifier.phase_clear_x_step_x_before", NO_YES, tuple("0123"), tuple("0123"))
    points.add("modifier.bias_clear_x_step_x_before", NO_YES, ("0", "high bits", "low bits"),
               ("0", "1"))  # fmt: skip
    points.add("setrwc.file_x_chosen_x_cr", FILES, NO_YES, ("0", "CR 0", "CR"))
    points.add("setrwc.dst_chosen_x_to_cr_x_cr", NO_YES, NO_YES, ("0", "CR 0", "CR"))
    points.add("setrwc.phase_chosen_x_before", NO_YES, tuple("0123"))
    points.add("incrwc.counter_x_cr_x_step", ("A", "B", "D"), NO_YES, _STEPS)
    points.add("block.op_x_file_x_aligned", tuple(_BLOCKS), (*FILES, "Dst"), NO_YES)
    points.add("block.row_for_all_x_low_bits", ELTWISE, tuple("01234567"))
    points.add("block.srca_of_16_x_quarter", ("MVMUL", "GAPOOL"), tuple("01234567"))
    points.add("block.moved_x_file_x_aligned", ("4", "8"), (*FILES, "Dst"), NO_YES, exclude=(
        Exclude(("8", "SrcB", None), "8 rows come of one of SrcB"),
    ))  # fmt: skip
    points.add("address.dst_sum_wraps", WITH_DST, NO_YES)
    points.add("address.src_sum_wraps", (*MOVES, "MOVB2A"), NO_YES)
    points.add("access.op_x_wide_x_swizzle_x_remap", WITH_DST, WIDTHS, NO_YES, NO_YES)


def count(points: Tally, table: Table, fmt: Formats) -> None:
    """Count instructions."""
    _modifiers(points, table)
    _set(points, table)
    _increments(points, table)
    _rows(points, table, fmt)


def _step(amount: I64, old: I64, width: int) -> I64:
    """0, some, or so much that the counter wraps."""
    return np.where(amount == 0, 0, np.where(old + amount >> width, 2, 1))


def _modifiers(points: Tally, table: Table) -> None:
    op = numbers(table, MODIFIED)
    rows_only = table.is_op("ZEROACC") & (table.field("mode") > 1)
    used = (op >= 0) & ~rows_only
    points.hit("modifier.op", op, where=used)
    mod = table.field("addr_mode")
    points.hit("modifier.number_x_thread", mod, table.thread, where=used)
    mod = mod & 7
    ab, d, bias = (table.own(first + mod) for first in (12, 28, 47))
    rwc = table.rwc
    for file, name in enumerate("ab"):
        amount, cr, clear = (
            ab >> 8 * file & 63,
            ab >> 8 * file + 6 & 1,
            ab >> 8 * file + 7 & 1,
        )
        form = np.where(clear == 1, cr, np.where(cr == 1, 2, 3))
        step = _step(amount, np.where(cr == 1, rwc[f"{name}_cr"], rwc[name]), 6)
        step = np.where(clear == 1, np.minimum(step, 1), step)
        points.hit("modifier.file_x_form_x_step", file, form, step, where=used)
    amount, cr, clear, to_cr = d & 0x3FF, d >> 10 & 1, d >> 11 & 1, d >> 12 & 1
    form = np.select([clear == 1, to_cr == 1, cr == 1], [np.minimum(cr + to_cr, 1), 2 + cr, 4], 5)
    step = _step(amount, np.where(form == 4, rwc["d_cr"], rwc["d"]), 10)
    step = np.where(clear == 1, np.minimum(step, 1), step)
    points.hit("modifier.dst_form_x_step", form, step, where=used)
    points.hit(
        "modifier.phase_clear_x_step_x_before", d >> 15 & 1, d >> 13 & 3, rwc["phase"], where=used
    )
    kind = np.where(bias & 3 != 0, 2, (bias & 15 != 0).astype(np.int64))
    points.hit("modifier.bias_clear_x_step_x_before", bias >> 4 & 1, kind, rwc["bias"], where=used)


def _base(cr: I64, value: I64) -> I64:
    """Without a checkpoint, with one that is 0, with another one."""
    return np.where(cr == 0, 0, np.where(value == 0, 1, 2))


def _set(points: Tally, table: Table) -> None:
    where, rwc = table.is_op("SETRWC"), table.rwc
    for file, name in enumerate("ab"):
        points.hit(
            "setrwc.file_x_chosen_x_cr", file, table.field(f"set_{name}"),
            _base(table.field(f"cr_{name}"), rwc[f"{name}_cr"]), where=where,
        )  # fmt: skip
    points.hit(
        "setrwc.dst_chosen_x_to_cr_x_cr", table.field("set_d"), table.field("d_to_cr"),
        _base(table.field("cr_d"), rwc["d_cr"]), where=where,
    )  # fmt: skip
    points.hit("setrwc.phase_chosen_x_before", table.field("set_phase"), rwc["phase"], where=where)


def _increments(points: Tally, table: Table) -> None:
    where, rwc = table.is_op("INCRWC"), table.rwc
    for number, (name, width) in enumerate((("a", 6), ("b", 6), ("d", 10))):
        cr = table.field(f"cr_{name}")
        old = np.where(cr == 1, rwc[f"{name}_cr"], rwc[name])
        step = _step(table.field(f"rwc_{name}"), old, width)
        points.hit("incrwc.counter_x_cr_x_step", number, cr, step, where=where)


def _rows(points: Tally, table: Table, fmt: Formats) -> None:
    rwc = table.rwc
    dst = table.field("dst") + table.own(1, 0, 12) + rwc["d"]
    for_all = table.field("bcast_row") == 1
    for number, (name, sizes) in enumerate(_BLOCKS.items()):
        mine = table.is_op(name)
        for file, row in enumerate((rwc["a"], rwc["b"], dst)):
            used: Flags = mine & ~(for_all & (file == 1)) if name in ELTWISE else mine
            aligned = (row & sizes[file] - 1) == 0
            points.hit("block.op_x_file_x_aligned", number, file, aligned, where=used)
        if name in ELTWISE:
            points.hit("block.row_for_all_x_low_bits", number, rwc["b"] & 7, where=mine & for_all)
    sixteen = numbers(table, ("MVMUL", "GAPOOL"))
    points.hit("block.srca_of_16_x_quarter", sixteen, rwc["a"] >> 3, where=sixteen >= 0)
    _moves(points, table, dst)
    op = numbers(table, WITH_DST)
    points.hit("address.dst_sum_wraps", op, (dst & 0xFFF) > 1023, where=op >= 0)
    points.hit(
        "access.op_x_wide_x_swizzle_x_remap", op, fmt.wide, table.config(220),
        table.config(220, 1), where=op >= 0,
    )  # fmt: skip


def _moves(points: Tally, table: Table, dst: I64) -> None:
    mode = table.field("movb2d_mode")
    rows = 1 + 3 * table.field("rows4") + 7 * table.field("rows8")
    rows = np.where(table.is_op("MOVB2D"), np.select([mode & 2 > 0, mode & 4 > 0], [8, 4], 1), rows)
    size = np.where(rows == 8, 1, 0)
    a = table.field("src") + table.field("srca") + table.rwc["a"]
    b = np.where(table.is_op("MOVB2A"), table.field("srcb"), table.field("src")) + table.rwc["b"]
    uses_a = table.is_op("MOVA2D", "MOVD2A", "MOVB2A")
    uses_b = table.is_op("MOVB2D", "MOVD2B", "MOVB2A")
    for file, (row, used) in enumerate(((a, uses_a), (b, uses_b), (dst, table.is_op(*MOVES)))):
        blocks = used & (rows > 1) & ~((rows == 8) & (file == 1))
        aligned = (row & rows - 1) == 0
        points.hit("block.moved_x_file_x_aligned", size, file, aligned, where=blocks)
    op = numbers(table, (*MOVES, "MOVB2A"))
    wraps = np.where(uses_a, a, b) > 63
    points.hit("address.src_sum_wraps", op, wraps, where=op >= 0)
