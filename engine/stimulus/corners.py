# SPDX-License-Identifier: Apache-2.0
"""Corners: tests that draw only what random ones meet too seldom, as rows of ``corners.toml``.

A row is a test of its name (docs/write-a-sequence.md). ``of`` is the random test whose tables it
narrows, by ``knobs`` and ``draw``; ``for`` are the points of coverage, or bins, and ``only`` the
planted bugs that it is there for. It is played with its ``seeds``, whatever seed a regression has,
for so many ``cycles``. ``stimulus`` stands for what it plays with these: as long as that stays, so
do the bins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from tilepath.engine.description.stimulus import TestSpec
from tilepath.engine.errors import there_are
from tilepath.engine.host.files import read_tables
from tilepath.engine.stimulus.tables import TableError, Tables

_ROOT: Final = Path(__file__).parents[2]
_LEFT_OUT: Final[Mapping[str, Any]] = {
    **{"what": "", "of": "", "knobs": [], "draw": "", "for": [], "only": []},
    **{"seeds": [], "stimulus": "", "cycles": 0},
}


@dataclass(frozen=True)
class Row:
    """A row of a file; ``place`` is its file, line and name."""

    name: str
    place: str
    what: str
    of: str
    knobs: tuple[str, ...]
    draw: str
    bins: tuple[str, ...]
    bugs: tuple[str, ...]
    seeds: tuple[int, ...]
    stimulus: str
    cycles: int


def corners_file(block: str) -> Path:
    """Return where the rows of a block are, if it has any."""
    return _ROOT / "sequences" / block / "corners.toml"


def read_rows(path: Path) -> list[Row]:
    """Return the rows of a file; ``ValueError`` in one line, with file and line."""
    tables = read_tables(path, _ROOT)
    return [_row(name, given, f"{place}: {name}") for name, given, place in tables]


def _row(name: str, given: Any, place: str) -> Row:
    if not isinstance(given, dict) or not name.isidentifier():
        raise ValueError(f"{place} is no row [name], of letters, digits and _")
    for key, value in given.items():
        if key not in _LEFT_OUT:
            raise ValueError(f"{place}: {key!r} is no key; {there_are(_LEFT_OUT, key)}")
        kind, called = (int, "number") if key in ("seeds", "cycles") else (str, "text")
        many = value if isinstance(value, list) else [value]
        if type(value) is not type(_LEFT_OUT[key]) or any(type(one) is not kind for one in many):
            wanted = f"list of {called}s" if _LEFT_OUT[key] == [] else called
            raise ValueError(f"{place}: {key} is no {wanted}")
    if not (given.get("for") or given.get("only")):
        raise ValueError(f"{place}: it names neither bins (for) nor bugs (only)")
    values = ({**_LEFT_OUT, **given}[key] for key in _LEFT_OUT)
    fields: Any = (tuple(one) if isinstance(one, list) else one for one in values)
    return Row(name, place, *fields)


def corner_tests(block: str, tests: Mapping[str, TestSpec]) -> dict[str, TestSpec]:
    """Add the tests of the block's rows; ``ValueError`` in one line, with file and line."""
    found = dict(tests)
    for row in read_rows(corners_file(block)):
        if row.name in found:
            raise ValueError(f"{row.place}: there is a test of that name already")
        found[row.name] = _test(row, tests)
    return found


def _test(row: Row, tests: Mapping[str, TestSpec]) -> TestSpec:
    tables = {name: one.tables for name, one in tests.items() if isinstance(one.tables, Tables)}
    if row.of not in tables:
        raise ValueError(f"{row.place}: {row.of!r} has no tables; {there_are(tables, row.of)}")
    base, wide = tests[row.of], tables[row.of]
    try:
        narrow = wide.adjusted(row.knobs, row.draw)
    except TableError as error:
        raise ValueError(f"{row.place}: {error}") from None
    return replace(
        base,
        name=row.name,
        summary=row.what,
        kind="directed",
        labels=("corner",),
        faults=() if narrow.legal and not wide.legal else base.faults,
        tables=narrow,
        seeds=max(1, len(row.seeds)),
        known=row.seeds or (1,),
        cycles=row.cycles or None,
        floor={},
    )
