# SPDX-License-Identifier: Apache-2.0
"""The points of a plan as one compiled function, generated from its lines."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from tilepath.models.jit import kernel
from tilepath.tb.kernel.coverage.expression import I64
from tilepath.tb.kernel.coverage.plan import Plan, Point

_INDENT: Final = "    "


def counting(plan: Plan) -> Callable[[Any, I64], None]:
    """A function that counts rows of the account in an array, in the order of ``plan.group``.

    All that it does stands in its text, whose digest is its name: so what was compiled is found
    again, and is not taken for another.
    """
    body = "\n".join(_lines(plan))
    tables = {name: plan.constants[name] for name in sorted(plan.tables)}
    name = f"count_{plan.account}_{hashlib.sha256(f'{body}{tables}'.encode()).hexdigest()[:16]}"
    space: dict[str, Any] = {"_i64": np.int64, "__name__": __name__}
    space |= {name: np.array(values) for name, values in tables.items()}
    exec(compile(f"def {name}(_rows, _counts):\n{body}\n", __file__, "exec"), space)
    counted: Callable[[Any, I64], None] = kernel(space[name])
    return counted


def _lines(plan: Plan) -> Iterator[str]:
    """A loop over the rows; columns first, so that they are read once."""
    used: set[str] = set()
    for point in plan.points:
        used |= plan.condition(point).names | plan.times(point).names
        used.update(*(plan.index(name).names for name in point.axes))
    yield f"{_INDENT}for _number in range(len(_rows)):"
    yield f"{_INDENT * 2}_row = _rows[_number]"
    for column, elements in plan.columns.items():
        if column in used:
            value = f"_row.{column}" if elements else f"_i64(_row.{column})"
            yield f"{_INDENT * 2}{column} = {value}"
    for point in plan.points:
        yield from _count(plan, point)


def _count(plan: Plan, point: Point) -> Iterator[str]:
    """One point: all that can be asked outside the loops over places, the loops, the rest."""
    places = plan.places(point)
    declared = plan.group.named[point.name]
    asked: tuple[list[str], list[str]] = ([], [])  # outside the loops, and inside
    for text in plan.condition(point).conjuncts() if point.when != "1" else ():
        one = plan.condition(point, text)
        asked[bool(one.names & set(places))].append(one.source())
    found: tuple[list[str], list[str]] = ([], [])
    limits: tuple[list[str], list[str]] = ([], [])
    where = ""
    for number, (name, axis) in enumerate(zip(point.axes, declared.axes, strict=True)):
        index = plan.index(name)
        value = name
        if name not in places:
            value = f"_bin{number}"
            inside = bool(index.names & set(places))
            found[inside].append(f"{value} = {index.source()}")
            limits[inside].append(f"0 <= {value} < {len(axis)}")
        where = f"({where}) * {len(axis)} + {value}" if where else value
    depth = 2
    for within, loops in enumerate(({}, places)):
        for place, most in loops.items():
            yield f"{_INDENT * depth}for {place} in range({most}):"
            depth += 1
        for lines, conditions in (([], asked[within]), (found[within], limits[within])):
            yield from (f"{_INDENT * depth}{line}" for line in lines)
            if conditions:
                yield f"{_INDENT * depth}if {' and '.join(conditions)}:"
                depth += 1
    yield f"{_INDENT * depth}_counts[{declared.base} + {where}] += {plan.times(point).source()}"
