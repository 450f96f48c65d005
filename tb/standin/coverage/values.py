# SPDX-License-Identifier: Apache-2.0
"""Points of datums: exponents that meet, zeros, results, rows that are not valid (M13 to M25)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.standin.coverage.formats import (
    ARITHMETIC,
    CLASS_OF,
    E5,
    ELTWISE,
    MOVES,
    NO_YES,
    PRODUCTS,
    TF32,
    WIDTHS,
    WITH_DST,
    Formats,
    numbers,
)
from tilepath.tb.standin.coverage.table import I64, Flags, Table

_KINDS: Final = ("e8", "e5")
_DISTANCES: Final = ("0", "1", "2 to 10", "11", "12 or more")
_DISTANCE_FIRSTS: Final = (1, 2, 11, 12)
_ZEROS: Final = ("none", "A", "B", "both")
_SUMS: Final = ("ELWADD", "ELWSUB")
_PRODUCT: Final = ("0 or less", "1", "normal", "top", "beyond")
_RELATIONS: Final = ("zero", "far below", "below", "equal", "above", "far above")
_GROUPS: Final = ("both 0", "first 0", "second 0", "equal", "near", "far")
_SPREAD: Final = ("0", "1 to 10", "11", "12", "13 or more")
_SPREAD_FIRSTS: Final = (1, 11, 12, 13)
_FORMS: Final = ("BF16", "FP16", "FP32", "integers")
_RESULTS: Final = ("0", "small", "normal", "top")
_SIGNED: Final = ("-", "+")
_SOME: Final = ("none", "some", "all")
_FAR: Final = 24


def declare(points: PointGroup) -> None:
    """Declare the points of this topic."""
    points.add("sum.op_x_kind_x_distance_x_larger", _SUMS, _KINDS, _DISTANCES, ("A", "B"))
    points.add("sum.op_x_signs_x_distance", _SUMS, ("same", "opposite"), _DISTANCES)
    points.add("sum.op_x_zeros", _SUMS, _ZEROS)
    points.add("sum.cancels_x_accumulates_x_kind", _SUMS, NO_YES, _KINDS)
    points.add("product.zeros_x_phase", _ZEROS, tuple("0123"))
    points.add("product.kind_x_exponent", _KINDS, _PRODUCT)
    points.add("dot.op_x_groups", PRODUCTS[:2], _GROUPS)
    points.add("dot.op_x_spread_in_group", PRODUCTS[:2], _SPREAD)
    points.add(
        "dot.op_x_phase_x_zero_factors", PRODUCTS[:2], tuple("0123"), ("none", "some", "all")
    )
    points.add("accumulate.op_x_old", ELTWISE, _RELATIONS)
    points.add("result.op_x_form_x_result", ARITHMETIC, _FORMS, _RESULTS, exclude=(
        Exclude((None, "integers", "small"), "integers have no exponent"),
        *(Exclude(("GMPOOL", form, None), "computed as e8 (M23)") for form in ("FP16", "integers")),
    ))  # fmt: skip
    points.add("integer.op_x_sign_x_saturated", (*ELTWISE, *PRODUCTS[:2]), _SIGNED, NO_YES)
    points.add("pool.wins_x_sign", ("A", "Dst", "equal"), _SIGNED)
    points.add("valid.op_x_wide_x_row_valid", WITH_DST, WIDTHS, NO_YES, exclude=tuple(
        Exclude((op, "16", None), "it reads rows of 32 bits only (M24)") for op in MOVES[:2]
    ))  # fmt: skip
    points.add("move.op_x_datum", ("MOVA2D", "MOVB2D"), ("0", "denormal flushed", "denormal kept",
               "normal"))  # fmt: skip


def _bin(column: Any, firsts: tuple[int, ...]) -> I64:
    found: I64 = np.searchsorted(np.asarray(firsts), column, side="right").astype(np.int64)
    return found


def _everywhere(points: Tally, name: str, *columns: Any, where: Any = True) -> None:
    """Count a sample for each element of arrays of one shape."""
    shape = np.broadcast_shapes(*(np.shape(c) for c in columns), np.shape(where))
    flat = (np.broadcast_to(c, shape).reshape(-1) for c in columns)
    points.hit(name, *flat, where=np.broadcast_to(where, shape).reshape(-1))


class _Factors:
    """Datums of one file as an operation takes them (M11, M13, M16); n × 16 or n × rows × 16."""

    def __init__(self, data: NDArray[Any], five: Any, tf32: Any, keep: Any) -> None:
        data = data.astype(np.int64)
        self.sign = data >> 18 & 1
        self.exponent = np.where(five, data & 31, data & 255)
        mantissa = data >> 8 & 0x3FF
        self.mantissa = np.where(five | tf32, mantissa, mantissa & ~7)
        self.zero: Flags = (self.exponent == 0) & ~np.broadcast_to(keep, data.shape)


def count(points: Tally, table: Table, fmt: Formats) -> None:
    """Count what instructions read and wrote."""
    _eltwise(points, table, fmt)
    _dots(points, table, fmt)
    _results(points, table, fmt)
    _pools(points, table, fmt)
    _moved(points, table)
    records, which = table.answers("answer_d", table.is_op(*WITH_DST))
    op = numbers(table, WITH_DST)[which]
    points.hit(
        "valid.op_x_wide_x_row_valid", op, _row_wide(table, fmt)[which], records["row_valid"]
    )  # fmt: skip


def _row_wide(table: Table, fmt: Formats) -> Flags:
    """Whether rows of Dst are read with 32 bits."""
    found: Flags = fmt.wide | table.is_op("MOVA2D", "MOVB2D")
    return found


def _five(fmt: Formats, file: int) -> Flags:
    found: Flags = fmt.forced | (CLASS_OF[fmt.codes[file]] == E5)
    return found


def _factors(table: Table, fmt: Formats, file: int, data: Any, which: I64) -> _Factors:
    shape = (-1, *(1,) * (data.ndim - 1))
    keep = (table.config(2) == 1) & (file == 1) & ~table.is_op(*PRODUCTS[:2])
    columns = (_five(fmt, file), CLASS_OF[fmt.codes[file]] == TF32, keep)
    return _Factors(data, *(column[which].reshape(shape) for column in columns))


def _adjust(fmt: Formats) -> I64:
    """What is added to the sum of exponents (M17)."""
    bias = np.where(fmt.five, np.where(fmt.wide, 97, -15), -127)
    found: I64 = bias - 5 * (fmt.phase & 1) - 7 * (fmt.phase >> 1)
    return found


def _eltwise(points: Tally, table: Table, fmt: Formats) -> None:
    chosen = table.is_op(*ELTWISE) & ~fmt.integers
    rows_a, which = table.answers("answer_a", chosen)
    rows_b, _ = table.answers("answer_b", chosen)
    rows_d, _ = table.answers("answer_d", chosen)
    if not len(which):
        return
    data_b = rows_b["data"]
    column = table.field("bcast_col0")[which] == 1
    data_b = np.where(column[:, None], data_b[:, :1], data_b)
    a = _factors(table, fmt, 0, rows_a["data"], which)
    b = _factors(table, fmt, 1, data_b, which)
    op = numbers(table, ELTWISE)[which][:, None]
    five = fmt.five[which][:, None].astype(np.int64)
    sums = op > 0
    zeros = a.zero + 2 * b.zero
    apart = a.exponent - b.exponent
    distance = _bin(abs(apart), _DISTANCE_FIRSTS)
    both = sums & (zeros == 0)
    larger = (apart < 0) | (apart == 0) & (a.mantissa < b.mantissa)
    _everywhere(
        points, "sum.op_x_kind_x_distance_x_larger", op - 1, five, distance, larger, where=both
    )
    opposite = a.sign ^ b.sign ^ (op == ELTWISE.index("ELWSUB"))
    _everywhere(points, "sum.op_x_signs_x_distance", op - 1, opposite, distance, where=both)
    _everywhere(points, "sum.op_x_zeros", op - 1, zeros, where=sums)
    accumulates = table.field("dest_accum_en")[which][:, None]
    cancels = both & (apart == 0) & (a.mantissa == b.mantissa) & (opposite == 1)
    _everywhere(
        points, "sum.cancels_x_accumulates_x_kind", op - 1, accumulates, five, where=cancels
    )
    _everywhere(points, "product.zeros_x_phase", zeros, fmt.phase[which][:, None], where=~sums)
    exponent = a.exponent + b.exponent + _adjust(fmt)[which][:, None]
    top = np.where((five == 1) & ~fmt.wide[which][:, None], 31, 255)
    place = np.select(
        [exponent <= 0, exponent == 1, exponent < top, exponent == top], [0, 1, 2, 3], 4
    )
    _everywhere(points, "product.kind_x_exponent", five, place, where=~sums & (zeros == 0))
    old = _exponent(rows_d["data"], fmt, which)
    widened = 112 * (five & fmt.wide[which][:, None])
    new = np.where(sums, np.maximum(a.exponent, b.exponent) + widened, exponent)
    apart = new - old
    place = np.select(
        [old == 0, apart > _FAR, apart > 0, apart == 0, apart >= -_FAR], [0, 1, 2, 3, 4], 5
    )
    used = (~sums | (accumulates == 1)) & ~(a.zero & b.zero)
    _everywhere(points, "accumulate.op_x_old", op, place, where=used)


def _exponent(data: NDArray[Any], fmt: Formats, which: I64) -> I64:
    """Exponents of rows of Dst, as stored."""
    wide, five = fmt.wide[which][:, None], fmt.five[which][:, None]
    data = data.astype(np.int64)
    found: I64 = np.where(wide, data >> 16 & 255, np.where(five, data & 31, data & 255))
    return found


def _dots(points: Tally, table: Table, fmt: Formats) -> None:
    for number, (name, rows) in enumerate((("MVMUL", 8), ("GAPOOL", 4))):
        chosen = table.is_op(name) & ~fmt.integers
        rows_a, which = table.answers("answer_a", chosen)
        rows_b, _ = table.answers("answer_b", chosen)
        if not len(which):
            continue
        which = which[::16]
        a = _factors(table, fmt, 0, rows_a["data"].reshape(-1, 16, 16), which)
        b = _factors(table, fmt, 1, rows_b["data"].reshape(-1, rows, 16), which)
        adjust = _adjust(fmt)[which].reshape(-1, 1, 1, 1)
        zero = a.zero[:, None] | b.zero[:, :, :, None]  # n, row, k, column
        sums = a.exponent[:, None] + b.exponent[:, :, :, None] + adjust
        exponents = np.where(zero, np.maximum(adjust, 0), sums)
        halves = exponents.reshape(*exponents.shape[:2], 2, 8, 16)
        most = np.maximum(halves.max(axis=3), 0)
        first, second = most[:, :, 0], most[:, :, 1]
        apart = abs(first - second)
        place = np.select(
            [(first == 0) & (second == 0), first == 0, second == 0, apart == 0, apart < 13],
            [0, 1, 2, 3, 4], 5,
        )  # fmt: skip
        _everywhere(points, "dot.op_x_groups", number, place)
        spread = most[:, :, :, None] - halves
        factors = ~zero.reshape(halves.shape)
        _everywhere(
            points, "dot.op_x_spread_in_group", number, _bin(spread, _SPREAD_FIRSTS),
            where=factors & (most[:, :, :, None] > 0),
        )  # fmt: skip
        many = zero.sum(axis=2)
        some = np.where(many == 0, 0, np.where(many == 16, 2, 1))
        phase = fmt.phase[which].reshape(-1, 1, 1)
        _everywhere(points, "dot.op_x_phase_x_zero_factors", number, phase, some)


def _writes(table: Table, chosen: Flags) -> tuple[Any, I64]:
    """Rows of Dst that the ``chosen`` instructions wrote."""
    writes = table.events["matrix_write"]
    which = table.which(writes["cycle"])
    mine = chosen[which] & (writes["target"] == 2)
    return writes[mine], which[mine]


def _results(points: Tally, table: Table, fmt: Formats) -> None:
    writes, which = _writes(table, table.is_op(*ARITHMETIC))
    if not len(which):
        return
    data = writes["data"].astype(np.int64)
    five, wide, integers = (column[which][:, None] for column in (fmt.five, fmt.wide, fmt.integers))
    pools = table.is_op("GMPOOL")[which][:, None]
    five, integers = five & ~pools, integers & ~pools
    exponent = np.where(wide, data >> 16 & 255, np.where(five, data & 31, data & 255))
    # the magnitude in its own order: exponent, mantissa
    magnitude = (data >> 16 & 255) << 23 | (data >> 24 & 127) << 16 | data & 0xFFFF
    form = np.select([integers, wide, five], [3, 2, 1], 0)
    top = np.where(integers, magnitude == 0x7FFF_FFFF, exponent == np.where(five & ~wide, 31, 255))
    nothing = np.where(integers, magnitude == 0, exponent == 0)
    result = np.select([nothing, top, (exponent < 4) & ~integers], [0, 3, 1], 2)
    op = numbers(table, ARITHMETIC)[which][:, None]
    _everywhere(points, "result.op_x_form_x_result", op, form, result)
    saturating = numbers(table, (*ELTWISE, *PRODUCTS[:2]))[which][:, None]
    plus = 1 - (data >> 31 & 1)
    _everywhere(
        points, "integer.op_x_sign_x_saturated", saturating, plus, top,
        where=integers & (saturating >= 0),
    )  # fmt: skip


def _pools(points: Tally, table: Table, fmt: Formats) -> None:
    chosen = table.is_op("GMPOOL") & ~fmt.five & ~fmt.integers
    rows_a, which = table.answers("answer_a", chosen)
    rows_d, own = table.answers("answer_d", chosen)
    if not len(which):
        return
    a = _factors(table, fmt, 0, rows_a["data"].reshape(-1, 16, 16), which[::16])
    size = np.where(a.zero, 0, a.exponent << 10 | a.mantissa)
    signed = np.where(a.sign == 1, ~size, size).max(axis=1)
    wide = fmt.wide[own][:, None]
    data = rows_d["data"].astype(np.int64)
    high = np.where(wide, data >> 16, data)
    low = np.where(wide, data >> 13 & 7, 0)
    old = (high & 255) << 10 | (high >> 8 & 127) << 3 | low
    old = np.where(high >> 15 & 1 == 1, ~old, old)
    old = np.where(rows_d["row_valid"][:, None] == 1, old, ~0x3FFFF)
    place = np.select([signed > old, signed < old], [0, 1], 2)
    _everywhere(points, "pool.wins_x_sign", place, np.maximum(signed, old) >= 0)


def _moved(points: Tally, table: Table) -> None:
    for number, (name, answer) in enumerate((("MOVA2D", "answer_a"), ("MOVB2D", "answer_b"))):
        rows, which = table.answers(answer, table.is_op(name))
        data = rows["data"].astype(np.int64)
        kept = table.config(2)[which][:, None]
        small = data & 255 == 0
        place = np.select([data & 0x3FFFF == 0, small], [np.zeros_like(data), 1 + kept], 3)
        _everywhere(points, "move.op_x_datum", number, place)
