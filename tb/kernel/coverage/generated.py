# SPDX-License-Identifier: Apache-2.0
"""The points of plans as compiled functions, generated from their lines.

They are C: a C compiler, which simulating needs anyway, takes a thirtieth of the time that Numba
takes for the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from ctypes import c_int64, c_void_p
from typing import Any, Final

import numpy as np

from tilepath.models.columns import leaves
from tilepath.tb.kernel.coverage.expression import I64, variable
from tilepath.tb.kernel.coverage.plan import CoveragePlan, Point
from tilepath.tb.kernel.host.library import library

Count = Callable[[Any, I64, Any], None]
"""Counts rows of an account in an array, in the order of ``plan.group``; brings up its memory."""

_INDENT: Final = "    "
# Whole numbers are 64 bits wide; division is that of Python, and by 0 that of NumPy.
_HEAD: Final = """\
typedef long long i64;
#define COLUMN(kind, name) typedef kind name __attribute__((aligned(1), may_alias))
COLUMN(unsigned char, u1); COLUMN(signed char, i1);
COLUMN(unsigned short, u2); COLUMN(short, i2);
COLUMN(unsigned int, u4); COLUMN(int, i4);
COLUMN(unsigned long long, u8); COLUMN(long long, i8);
static inline i64 floored(i64 a, i64 b) {
    return b ? a / b - (a % b && (a < 0) != (b < 0)) : 0;
}
static inline i64 modulo(i64 a, i64 b) { return b ? a - floored(a, b) * b : 0; }
"""


def counting(plans: Sequence[CoveragePlan]) -> list[Count]:
    """A function for each of ``plans``; they are compiled once, by one call of the compiler.

    Where there is no compiler they count by NumPy, which is slow.
    """
    text = "".join(f"{line}\n" for n, plan in enumerate(plans) for line in _lines(plan, n))
    compiled = library(_HEAD + text)
    if compiled is None:
        return [_plainly(plan) for plan in plans]
    return [_called(plan, compiled[f"count_{n}"]) for n, plan in enumerate(plans)]


def _plainly(plan: CoveragePlan) -> Count:
    def count(rows: Any, counts: I64, memory: Any) -> None:
        counts += plan.plain(rows, memory)

    return count


def _called(plan: CoveragePlan, function: Any) -> Count:
    def count(rows: Any, counts: I64, memory: Any) -> None:
        assert rows.dtype == plan.described and counts.flags.c_contiguous
        whole = np.ascontiguousarray(rows)
        function(whole.ctypes.data, len(whole), counts.ctypes.data, memory.ctypes.data)

    function.argtypes = (c_void_p, c_int64, c_void_p, c_void_p)
    function.restype = None
    return count


def _lines(plan: CoveragePlan, number: int) -> Iterator[str]:
    """A loop over the rows; columns first, so that they are read once."""
    used = set(plan.rows.names)
    for point in plan.points:
        used |= plan.condition(point).names | plan.times(point).names
        used.update(*(plan.index(name).names for name in point.axes))
    size = plan.described.itemsize
    rows = [name for name in plan.kept if any(one.startswith(f"{name}.") for one in used)]
    for name in rows:
        used.update(*(one.names for one in plan.keeps(name)))
    yield f"void count_{number}(const char *row, i64 rows, i64 *counts, char *memory) {{"
    for table in sorted(plan.tables):
        values = ", ".join(f"{value}ll" for value in np.ravel(plan.constants[table]))
        yield f"{_INDENT}static const i64 t_{table}[] = {{{values}}};"
    last = sum(one.most for one in plan.kept.values())
    yield f"{_INDENT}const char *kept[{last + 1}];"  # in memory, or among the rows
    yield f"{_INDENT}for (int k = 0; k < {last}; k++) kept[k] = memory + k * {size};"
    yield f"{_INDENT}for (; rows--; row += {size}) {{"
    yield from _columns(plan, used, "row")
    first = 0
    for name, one in plan.kept.items():
        if name in rows:
            place = f"{first} + modulo({plan.keeps(name)[0].source()}, {one.most})"
            yield f"{_INDENT * 2}const char **const kept_{name} = kept + {place};"
            yield from _columns(plan, used, f"*kept_{name}", f"{name}.")
        first += one.most
    yield f"{_INDENT * 2}if ({plan.rows.source()}) {{"
    for point in plan.points:
        yield from _count(plan, point)
    yield f"{_INDENT * 2}}}"
    for name in rows:
        holds = plan.keeps(name)[1].source()
        yield f"{_INDENT * 2}if ({holds}) *kept_{name} = row;"
    yield f"{_INDENT}}}"
    yield f"{_INDENT}for (int k = 0; k < {last}; k++, memory += {size})"
    yield f"{_INDENT * 2}if (kept[k] != memory) __builtin_memcpy(memory, kept[k], {size});"
    yield "}"


def _columns(plan: CoveragePlan, used: set[str], row: str, before: str = "") -> Iterator[str]:
    """Those of ``row`` that are used, by names that begin with ``before``."""
    fields = leaves(plan.described)
    for column, elements in plan.columns.items():
        if before + column in used:
            described, offset = fields[column]
            kind = described.base.str[1:].replace("b1", "u1")
            place = f"(const {kind} *)({row} + {offset})"
            left, right = (f"{kind} *", place) if elements else ("i64 ", f"*{place}")
            yield f"{_INDENT * 2}const {left}{variable(before + column)} = {right};"


def _count(plan: CoveragePlan, point: Point) -> Iterator[str]:
    """One point: all that can be asked outside the loops over places, the loops, the rest."""
    places = plan.places(point)
    declared = plan.group.named[point.name]
    asked: tuple[list[str], list[str]] = ([], [])  # outside the loops, and inside
    for text in plan.condition(point).conjuncts() if point.when != "1" else ():
        one = plan.condition(point, text)
        asked[bool(one.names & set(places))].append(one.source())
    found: tuple[list[str], list[str]] = ([], [])
    limits: tuple[list[str], list[str]] = ([], [])
    where = "0"
    for number, (name, axis) in enumerate(zip(point.axes, declared.axes, strict=True)):
        index = plan.index(name)
        value = f"v_{name}"
        if name not in places:
            value = f"bin{number}"
            inside = bool(index.names & set(places))
            found[inside].append(f"const i64 {value} = {index.source()};")
            limits[inside].append(f"0 <= {value} && {value} < {len(axis)}")
        where = f"({where}) * {len(axis)} + {value}"
    depth = 2
    yield f"{_INDENT * depth}{{"
    opened = 1
    for within, loops in enumerate(({}, places)):
        for place, most in loops.items():
            yield f"{_INDENT * depth}for (i64 v_{place} = 0; v_{place} < {most}; v_{place}++) {{"
            opened += 1
        for lines, conditions in (([], asked[within]), (found[within], limits[within])):
            yield from (f"{_INDENT * depth}{line}" for line in lines)
            if conditions:
                yield f"{_INDENT * depth}if ({' && '.join(conditions)}) {{"
                opened += 1
    yield f"{_INDENT * depth}counts[{declared.base} + {where}] += {plan.times(point).source()};"
    yield f"{_INDENT * depth}{'}' * opened}"
