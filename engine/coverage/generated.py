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

from tilepath.engine.compiled.columns import leaves
from tilepath.engine.coverage.expression import I64, variable
from tilepath.engine.coverage.plan import CoveragePlan, Point
from tilepath.engine.host.library import library

Count = Callable[[Any, Sequence[I64], Sequence[Any]], None]
"""Counts rows of an account for plans: each has an array, in the order of ``plan.group``, and rows
that are kept (``plan.memory``)."""

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


def counting(plans: Sequence[CoveragePlan]) -> dict[str, Count]:
    """Account → a function for those of ``plans`` that are over its rows, in their order.

    They are compiled once, by one call of the compiler. Where there is none they count by NumPy,
    which is slow.
    """
    accounts = {
        plan.account: [one for one in plans if one.account == plan.account] for plan in plans
    }
    every = enumerate(accounts.values())
    compiled = library(_HEAD + "".join(f"{line}\n" for n, own in every for line in _lines(own, n)))
    if compiled is None:
        return {account: _plainly(own) for account, own in accounts.items()}
    numbered = enumerate(accounts.items())
    return {account: _called(own, compiled[f"count_{n}"]) for n, (account, own) in numbered}


def _plainly(plans: Sequence[CoveragePlan]) -> Count:
    def count(rows: Any, counts: Sequence[I64], memories: Sequence[Any]) -> None:
        for plan, own, memory in zip(plans, counts, memories, strict=True):
            own += plan.plain(rows, memory)

    return count


def _called(plans: Sequence[CoveragePlan], function: Any) -> Count:
    places = c_void_p * len(plans)

    def count(rows: Any, counts: Sequence[I64], memories: Sequence[Any]) -> None:
        assert rows.dtype == plans[0].described and all(own.flags.c_contiguous for own in counts)
        whole = np.ascontiguousarray(rows)
        given = (places(*(one.ctypes.data for one in some)) for some in (counts, memories))
        function(whole.ctypes.data, len(whole), *given)

    function.argtypes = (c_void_p, c_int64, places, places)
    function.restype = None
    return count


def _lines(plans: Sequence[CoveragePlan], number: int) -> Iterator[str]:
    """A loop over the rows, in which each plan has its block; columns first, read once."""
    size = plans[0].described.itemsize
    yield f"void count_{number}(const char *row, i64 rows, i64 **all_counts, char **memories) {{"
    for n, plan in enumerate(plans):
        last = len(plan.memory())
        yield f"{_INDENT}const char *kept_{n}[{last + 1}];"  # in its memory, or among the rows
        yield f"{_INDENT}for (int k = 0; k < {last}; k++) kept_{n}[k] = memories[{n}] + k * {size};"
        for table in sorted(plan.tables):
            values = ", ".join(f"{value}ll" for value in np.ravel(plan.constants[table]))
            yield f"{_INDENT}static const i64 t_{table}_{n}[] = {{{values}}};"
    yield f"{_INDENT}for (; rows--; row += {size}) {{"
    for n, plan in enumerate(plans):
        yield from _block(plan, n)
    yield f"{_INDENT}}}"
    for n, plan in enumerate(plans):
        yield f"{_INDENT}for (int k = 0; k < {len(plan.memory())}; k++, memories[{n}] += {size})"
        yield f"{_INDENT * 2}if (kept_{n}[k] != memories[{n}])"
        yield f"{_INDENT * 3}__builtin_memcpy(memories[{n}], kept_{n}[k], {size});"
    yield "}"


def _block(plan: CoveragePlan, number: int) -> Iterator[str]:
    """What one of the plans does with a row."""
    used = set(plan.rows.names)
    for point in plan.points:
        used |= plan.condition(point).names | plan.times(point).names
        used.update(*(plan.index(name).names for name in point.axes))
    rows = [name for name in plan.kept if any(one.startswith(f"{name}.") for one in used)]
    for name in rows:
        used.update(*(one.names for one in plan.keeps(name)))
    yield f"{_INDENT * 2}{{ i64 *const counts = all_counts[{number}];"
    for table in sorted(plan.tables):
        yield f"{_INDENT * 2}const i64 *const t_{table} = t_{table}_{number};"
    yield from _columns(plan, used, "row")
    first = 0
    for name, one in plan.kept.items():
        if name in rows:
            place = f"{first} + modulo({plan.keeps(name)[0].source()}, {one.most})"
            yield f"{_INDENT * 2}const char **const before_{name} = kept_{number} + {place};"
            yield from _columns(plan, used, f"*before_{name}", f"{name}.")
        first += one.most
    yield f"{_INDENT * 2}if ({plan.rows.source()}) {{"
    for point in plan.points:
        yield from _count(plan, point)
    yield f"{_INDENT * 2}}}"
    for name in rows:
        yield f"{_INDENT * 2}if ({plan.keeps(name)[1].source()}) *before_{name} = row;"
    yield f"{_INDENT * 2}}}"


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
