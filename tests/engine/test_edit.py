# SPDX-License-Identifier: Apache-2.0
"""What is different about a stream, told from small traces of both sides."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from tilepath.engine.checking.edit import WINDOW, first_edit
from tilepath.tests.engine.fakes import TABLE, records

Rows = list[tuple[Any, ...]]
WORDS: Rows = [(10 * n, 0x100 + 7 * n) for n in range(1, 40)]
"""Events far apart, each with a value of its own."""

DENSE: Rows = [(n, 0x100 + 7 * n) for n in range(1, 40)]
TICKS: Rows = [(10 * n,) for n in range(1, 40)]
LEVEL: Rows = [(10 * n, n % 4) for n in range(1, 40)]


def moved(rows: Rows, cycles: int, add: int = 0) -> Rows:
    """The same events later, with other values."""
    return [(cycle + cycles, *(value + add for value in values)) for cycle, *values in rows]


def check(stream: str, expected: Rows, actual: Rows, kind: str, count: int = 1) -> None:
    fields = [field.name for field in TABLE[stream].fields]
    held = records(stream, [()] if TABLE[stream].kind == "level" else [])
    sides = records(stream, expected), records(stream, actual)
    assert first_edit(*sides, fields, held) == (kind, count)


@pytest.mark.parametrize("rows", [WORDS, DENSE])
def test_words(rows: Rows) -> None:
    odd = (rows[0][0], 0x9999)
    check("put", rows, [odd, *rows[1:]], "different")
    check("put", rows, moved(rows, 0, add=1), "different")  # all that follows is, too
    check("put", rows, rows[3:], "missing", 3)
    check("put", rows[1:], rows, "extra")
    check("put", rows, moved(rows, 1), "late")
    check("put", moved(rows, 1), rows, "early")
    # what takes a place moves what follows
    check("put", rows, [odd, *moved(rows, 1)], "extra")
    check("put", rows, [(c, *value) for (c, _), (_, *value) in pairwise(rows)], "missing")
    check("put", rows, [odd, *rows[2:]], "different")  # and the one behind it missing
    swapped = [(c, rows[n ^ 1][1]) for n, (c, _) in enumerate(rows[:38])]  # two by two
    check("put", rows, swapped, "different")


def test_words_far_apart() -> None:
    check("put", WORDS, [moved(WORDS, 3)[0], *WORDS[1:]], "late")
    check("put", WORDS, [(13, 0x9999), *WORDS[1:]], "missing")  # and another one extra
    odd = [(row[0] - 5, 0x107 + 7 * n % 5) for n, row in enumerate(WORDS)]
    check("put", WORDS, sorted([*WORDS, *odd]), "extra")
    # from here on the RTL does something else; one of its values is one of the model's
    other = [(10 * n, WORDS[4][1] if n == 3 else 0x5000 + n) for n in range(1, 40)]
    for cycles, kind in ((0, "different"), (-1, "extra"), (1, "missing")):
        check("put", WORDS, moved(other, cycles), kind)


def test_the_same_values_in_the_same_order() -> None:
    """Cycles are those of the next event each; the values tell that none is extra or missing."""
    values = [1, 1, 2, 2, *[3] * 30]
    model = [(20 + n, value) for n, value in enumerate(values)]
    rtl = [(17, 1), *((19 + n, value) for n, value in enumerate(values) if n)]
    check("put", model, [(17, 1), (20, 1), *rtl[2:]], "early")
    check("put", rtl, model, "late")
    check("put", model, [(17, 1), *model], "extra")


def test_events_without_values() -> None:
    check("t0.tick", TICKS, TICKS[1:], "missing")
    check("t0.tick", TICKS[2:], TICKS, "extra", 2)
    check("t0.tick", TICKS, [(11,), *TICKS[1:]], "late")
    check("t0.tick", TICKS[:1], [(9,)], "early")


def test_of_a_level_changes_count() -> None:
    """A bit that is wrong and stays wrong does not hide what changes in which cycle."""
    check("state", LEVEL, LEVEL[1:], "missing")
    check("state", LEVEL, moved(LEVEL, 1), "late")
    wrong = [(cycle, value ^ 2) for cycle, value in LEVEL]
    check("state", LEVEL[1:], wrong, "extra")
    check("state", LEVEL, wrong, "different")


def test_at_the_end_of_a_trace() -> None:
    check("put", [], WORDS[:2], "extra", 2)
    check("put", WORDS, [], "missing", WINDOW)
    check("put", WORDS[:1], moved(WORDS[:1], 2), "late")
    check("put", WORDS[:1], moved(WORDS[:1], 0, add=1), "different")
    check("put", WORDS[:1], moved(WORDS[:1], 2, add=1), "missing")
    check("put", WORDS[1:2], WORDS[:2], "extra")
