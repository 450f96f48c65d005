# SPDX-License-Identifier: Apache-2.0
"""Corners: random tests that draw only what others meet too seldom, as rows of ``corners.toml``.

    [long_loops]
    what = "loops of template 1 at their ends"    # what the test does
    of = "random_mop"                             # the random test that plays it
    knobs = ["outer=1:1,127:1"]                   # as of --knob; may be left out
    draw = "segment.kind == 'template1'"          # as of --where; may be left out
    for = ["t1.outer_x_inner 127*"]               # points of coverage, or bins of one
    only = ["loop_7_bits"]                        # planted bugs that no other test finds
    seeds = [3]                                   # written by 'tilepath corners --write'

A row is a test of its name. It is there for bins, for bugs, or for both.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from tilepath.isa.errors import there_are
from tilepath.sequences.kernel.floors import floors
from tilepath.sequences.kernel.tables import TableError, Tables
from tilepath.tb.kernel.description.stimulus import TestSpec

_ROOT: Final = Path(__file__).parents[2]
_TEXTS: Final = ("what", "of", "draw")
_LISTS: Final = ("knobs", "for", "only")
_KEYS: Final = (*_TEXTS, *_LISTS, "seeds")
_LINE: Final = re.compile(r"at line (\d+)")


@dataclass(frozen=True)
class Row:
    """A row of a file; ``place`` is its file and line."""

    name: str
    place: str
    what: str
    of: str
    draw: str
    knobs: tuple[str, ...]
    bins: tuple[str, ...]
    bugs: tuple[str, ...]
    seeds: tuple[int, ...]


def corners_file(block: str) -> Path:
    """Where the rows of a block are, if it has any."""
    return _ROOT / "sequences" / block / "corners.toml"


def read_rows(path: Path) -> list[Row]:
    """The rows of a file; ``ValueError`` in one line, with file and line."""
    shown = path.relative_to(_ROOT) if path.is_relative_to(_ROOT) else path
    text = path.read_text()
    try:
        entries = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:  # two of one name, too
        line = _LINE.search(str(error))
        raise ValueError(f"{shown}:{line[1] if line else text.count(chr(10))}: {error}") from None
    lines = {
        found[1]: text.count("\n", 0, found.start()) + 1
        for found in re.finditer(r"^\[(\w+)\]", text, re.MULTILINE)
    }
    return [_row(name, one, f"{shown}:{lines.get(name, 1)}") for name, one in entries.items()]


def _row(name: str, given: Any, place: str) -> Row:
    if not isinstance(given, dict):
        raise ValueError(f"{place}: {name} is no table [{name}]")
    for key, value in given.items():
        if key not in _KEYS:
            raise ValueError(f"{place}: {name}: {key!r} is no key; {there_are(_KEYS, key)}")
        kind: type = int if key == "seeds" else str
        many = value if isinstance(value, list) and key not in _TEXTS else [value]
        if isinstance(value, list) == (key in _TEXTS) or not all(type(x) is kind for x in many):
            wanted = "a text" if key in _TEXTS else f"a list of {kind.__name__}"
            raise ValueError(f"{place}: {name}: {key} is not {wanted}")
        if key == "seeds" and not all(0 <= seed < 1 << 64 for seed in many):
            raise ValueError(f"{place}: {name}: seeds are from 0 to 2^64 - 1")
    if missing := [key for key in ("what", "of") if key not in given]:
        raise ValueError(f"{place}: {name}: it has no {missing[0]}")
    if not (given.get("for") or given.get("only")):
        raise ValueError(f"{place}: {name}: it names neither bins (for) nor bugs (only)")
    texts = (given.get(key, "") for key in _TEXTS)
    lists = (tuple(given.get(key, ())) for key in (*_LISTS, "seeds"))
    return Row(name, place, *texts, *lists)


def corner_tests(block: str, tests: Mapping[str, TestSpec]) -> dict[str, TestSpec]:
    """``tests`` and those of the block's rows; ``ValueError`` in one line, with file and line."""
    found = dict(tests)
    for row in read_rows(corners_file(block)):
        if row.name in found:
            raise ValueError(f"{row.place}: there is a test {row.name!r} already")
        found[row.name] = _test(block, row, tests)
    return found


def _test(block: str, row: Row, tests: Mapping[str, TestSpec]) -> TestSpec:
    having = [name for name, one in tests.items() if isinstance(one.tables, Tables)]
    if row.of not in having:
        raise ValueError(f"{row.place}: {row.name}: {row.of!r}: {there_are(having, row.of)}")
    base = tests[row.of]
    assert isinstance(base.tables, Tables)
    try:
        tables = base.tables.adjusted(row.knobs, row.draw)
    except TableError as error:
        raise ValueError(f"{row.place}: {row.name}: {error}") from None
    return replace(
        base,
        faults=() if tables.legal and not base.tables.legal else base.faults,
        name=row.name,
        summary=row.what,
        tables=tables,
        seeds=max(1, len(row.seeds)),
        known=row.seeds,
        labels=("corner",),
        floor=floors(block, row.name),
    )


def with_seeds(text: str, chosen: Mapping[str, Sequence[int]]) -> str:
    """The text of a file with these seeds, by row, as the last line of each row."""
    parts = re.split(r"^(?=\[\w+\])", text, flags=re.MULTILINE)
    for number, part in enumerate(parts):
        found = re.match(r"\[(\w+)\]", part)
        if found and found[1] in chosen:
            kept = re.sub(r"^seeds = \[[^\]]*\]\n", "", part.rstrip() + "\n", flags=re.MULTILINE)
            end = "\n" if number + 1 < len(parts) else ""
            parts[number] = f"{kept}seeds = {list(chosen[found[1]])}\n{end}"
    return "".join(parts)
