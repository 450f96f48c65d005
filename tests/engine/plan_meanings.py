# SPDX-License-Identifier: Apache-2.0
"""What the lines of the blocks' coverage plans count of rows by chance, kept in a file.

A line that is changed by accident, a condition turned round or a number that is another, counts
something else. Who changes one on purpose writes the file anew::

    python -m tilepath.tests.engine.plan_meanings
"""

from __future__ import annotations

import csv
import io
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tilepath.engine.compiled.columns import column as column_of
from tilepath.engine.compiled.cycle_exact import concatenated
from tilepath.engine.coverage.generated import counting
from tilepath.engine.coverage.plan import CoveragePlan, Point
from tilepath.engine.coverage.planned import PlannedCoverage
from tilepath.engine.description.registry import block_names, load_block
from tilepath.engine.host.files import write_whole

FILE = Path(__file__).with_suffix(".csv")
_ROWS = 20_000
_MET = 500  # more of them for each point
_SIGNS = (0, 0, 0, 0, 0, 0, 1 << 31, 1 << 15)
_COLUMN = re.compile(r"([a-z][\w.]*)(?:\[(\d+)\])?")
_SHIFT = re.compile(r"(?:<<|>>) (?:[a-z]\w*\.)*([a-z]\w*)")
_NUMBER = re.compile(r"\b(?:0x[0-9A-Fa-f]+|\d+)\b")


def plans() -> Iterator[tuple[str, CoveragePlan]]:
    """Block and plan."""
    for name in block_names():
        model = load_block(name).coverage("baseline")
        for plan in model.plans if isinstance(model, PlannedCoverage) else ():
            yield name, plan


def _text(plan: CoveragePlan) -> str:
    """All expressions."""
    texts = [part for p in plan.points for part in (p.when, p.times)]
    texts += [plan.where] if plan.where != "1" else []
    return " ".join(texts + [one.expression() or "" for one in plan.bins.values()])


def _named(plan: CoveragePlan) -> list[int]:
    """Numbers that the lines of a plan name, and places in tables that are not as the last."""
    found = {int(text, 0) for text in _NUMBER.findall(_text(plan))}
    for value in plan.constants.values():
        found.update(value if isinstance(value, tuple) else (value,))
    for table in plan.tables:
        values = np.ravel(plan.constants[table])
        found.update(np.flatnonzero(values != values[-1]).tolist())
    return sorted(found)


def rows_by_chance(plan: CoveragePlan, count: int = _ROWS) -> Any:
    """Rows that no model would leave: each field small, or named by the plan, or anything.

    Of a word of 32 bits the highest eight may be named; no column shifts by more than there is. In
    half of the rows small fields are often alike, in some of these 0, or but for a sign.
    """
    rng = np.random.default_rng(6)
    named = np.array(_named(plan), np.int64)
    rows = np.zeros(count, plan.described)
    shifts = set(_SHIFT.findall(_text(plan)))
    alike = rng.integers(0, 4, count) * rng.integers(0, 2, count)
    share = rng.choice((0, 0, 0.6, 0.95), count)
    for column, elements in plan.columns.items():
        shape = (count, elements) if elements else (count,)
        values = column_of(rows, column)
        is_bit = values.dtype == np.bool_
        values = values.view(np.uint8) if is_bit else values
        info = np.iinfo(values.dtype)
        small = rng.integers(max(info.min, -2), 10, shape)
        same = share > rng.random(shape).T
        small = np.where(same, alike, small.T).T
        anything = rng.integers(info.min, int(info.max) + 1, shape, dtype=np.int64)
        chosen = rng.choice(named, shape)
        chosen = np.where((chosen >= info.min) & (chosen <= info.max), chosen, small)
        highest = rng.choice(named, shape) & 0xFF
        words = highest << 24 | anything & 0xFF_FFFF if info.bits >= 32 and not info.min else chosen
        which = np.where(same.T, 0, rng.choice(4, shape, p=(0.6, 0.2, 0.1, 0.1)))
        values[:] = np.choose(which, (small, chosen, words, anything))
        if info.bits == 32 and not info.min:
            values ^= rng.choice(np.array(_SIGNS, np.uint32), shape)
        if is_bit or column.rpartition(".")[2] in shifts:
            values &= 1 if is_bit else 31
    return concatenated([rows, *(_met(plan, point, rows, rng) for point in plan.points)])


def _met(plan: CoveragePlan, point: Point, rows: Any, rng: np.random.Generator) -> Any:
    """Rows in which more conditions of a point hold: columns of rows in which one does.

    Before each come those that the plan keeps, which are likewise but for what is asked of them.
    """
    count = _MET * 8 if plan.kept else _MET
    every = {"": rows[rng.integers(0, len(rows), count)]}
    every |= {f"{name}.": every[""].copy() for name in plan.kept}
    places = {row + path: (its, path) for row, its in every.items() for path in plan.columns}
    columns: dict[str, Any] = plan.values(rows)
    columns |= {name: int(rng.integers(0, n)) for name, n in plan.places(point).items()}
    rows_too = plan.rows.conjuncts() if plan.where != "1" else []
    for text in (*rows_too, *plan.condition(point).conjuncts()):
        one = plan.condition(point, text)
        holds = np.flatnonzero(np.broadcast_to(one.values(columns), len(rows)))
        if len(holds):
            chosen = rng.choice(holds, count)
            for name, element in _COLUMN.findall(text):
                if name in places:
                    where = (..., int(element)) if element else ...
                    column_of(*places[name])[where] = columns[name][chosen][where]
    order = np.arange(len(every) * count).reshape(-1, count)[::-1].T.ravel()
    return concatenated(list(every.values()))[order]


def counted(plan: CoveragePlan, rows: Any) -> np.ndarray[Any, Any]:
    """By what is generated from the lines."""
    counts = np.zeros(plan.group.size, np.int64)
    counting([plan])[plan.account](rows, [counts], [plan.memory()])
    return counts


def told(block: str, plan: CoveragePlan, counts: np.ndarray[Any, Any]) -> list[list[str]]:
    """Lines of the file: block, account, point, rows counted, checksum of its bins' counts."""
    found = []
    for name, point in plan.group.named.items():
        own = counts[point.base : point.base + point.size]
        checksum = zlib.crc32(np.ascontiguousarray(own, "<i8").tobytes())
        found.append([block, plan.account, name, str(own.sum()), f"{checksum:08x}"])
    return found


def kept() -> list[list[str]]:
    """The lines of the file."""
    with FILE.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def main() -> None:
    """Write the file anew."""
    text = io.StringIO()
    for block, plan in plans():
        lines = told(block, plan, counted(plan, rows_by_chance(plan)))
        csv.writer(text, lineterminator="\n").writerows(lines)
    write_whole(FILE, text.getvalue().encode())


if __name__ == "__main__":
    main()
