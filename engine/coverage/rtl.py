# SPDX-License-Identifier: Apache-2.0
"""Coverage of the RTL's code: what Verilator has counted, merged, for people and for tools.

Verilator writes a line a point: ``C '^Akey^Bvalue^A...' count``, with file (``f``), line (``l``),
column (``n``) and object (``o``), the lines that a block has (``S``), its kind (``t``: ``line``,
``branch``, ``toggle``), a page ``v_toggle/MODULE__PARAMETERS``, and the instance (``h``). Here a
point is one of a module: what any instance has done is done.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from tilepath.engine.host.files import read_text

FILE: Final = "coverage.dat"
AT_RESET: Final = "coverage.reset.dat"
"""What was counted up to the reset, beside it: registers began with anything then."""
_RESET: Final = "rst_ni"
_HEAD: Final = "# SystemC::Coverage-3"
_POINT: Final = re.compile(r"C '(.*)' (\d+)")


class CodePoint(NamedTuple):
    """What is to be reached: a block of lines, an arm of a branch, a bit that rises or falls.

    ``what``: ``block``, ``if``, ``else`` and the like; of a toggle ``SIGNAL[BIT]:0->1``.
    ``lines``: ranges of lines such as ``12-14,17``; empty: of a toggle, or an arm within a line.
    """

    file: str
    line: int
    column: int
    kind: str
    module: str
    what: str
    lines: str

    @property
    def arm(self) -> str:
        """Return ``what`` of lines and branches; ``?:`` has its column, as a line has several."""
        return f"{self.what}:{self.column}" if self.what.startswith("cond_") else self.what

    @property
    def signal(self) -> str:
        """Return the signal that toggles, or its bit."""
        return self.what.rpartition(":")[0]

    def every_line(self) -> Iterator[int]:
        """Numbers of its lines."""
        for part in filter(None, self.lines.split(",")):
            first, _, last = part.partition("-")
            yield from range(int(first), int(last or first) + 1)


Counts = dict[CodePoint, int]


def read_counts(path: Path) -> Counts:
    """The points of a file and how often each was reached; ``ValueError`` if it is none."""
    counts: Counts = {}
    try:
        head, *rows = read_text(path).splitlines()
        if head != _HEAD:
            raise ValueError("it begins otherwise")
        for row in rows:
            match = _POINT.fullmatch(row)
            if match is None:
                raise ValueError(f"a line is {row[:40]!r}")
            point = _point(match[1])
            counts[point] = counts.get(point, 0) + int(match[2])
    except (OSError, KeyError, ValueError) as error:
        raise ValueError(f"{path} is no coverage of Verilator's: {error}") from None
    return counts


@functools.cache
def _point(key: str) -> CodePoint:
    """Kept, because each run of a regression has the same."""
    has = dict(part.split("\2", 1) for part in key.split("\1")[1:])
    module = has["page"].partition("/")[2].partition("__")[0]
    place = (has["f"], int(has["l"]), int(has["n"]))
    return CodePoint(*place, has["t"], module, has["o"], has.get("S", ""))


def merge_counts(folders: Iterable[Path]) -> tuple[Counts, set[CodePoint]]:
    """The sum of all runs in ``folders``, and what was reached up to the reset only.

    Toggles up to the reset, but for its own, do not count. Code does: some is executed only then.
    ``ValueError`` for a damaged file.
    """
    merged: Counts = {}
    later: set[CodePoint] = set()
    for folder in folders:
        before = read_counts(folder / AT_RESET)
        for point, count in read_counts(folder / FILE).items():
            since = count - before.get(point, 0)
            if since > 0:
                later.add(point)
            toggles = point.kind == "toggle" and point.signal != _RESET
            merged[point] = merged.get(point, 0) + (since if toggles else count)
    return merged, {point for point, count in merged.items() if count} - later


def dat(counts: Counts) -> str:
    """Write a file as Verilator's, which its tools and :func:`read_counts` read."""
    rows = [_HEAD]
    for point, count in sorted(counts.items()):
        fields = [f"f\2{point.file}", f"l\2{point.line}", f"n\2{point.column}"]
        fields += [f"t\2{point.kind}", f"page\2v_{point.kind}/{point.module}", f"o\2{point.what}"]
        fields += [f"S\2{point.lines}"] if point.lines else []
        key = "".join(f"\1{field}" for field in fields)
        rows.append(f"C '{key}' {count}")
    return "\n".join((*rows, ""))


def by_line(counts: Counts) -> dict[str, dict[int, int]]:
    """File → number of a line with code → how often it was reached."""
    found: dict[str, dict[int, int]] = {}
    for point, count in counts.items():
        lines = found.setdefault(point.file, {})
        for number in point.every_line():
            lines[number] = max(count, lines.get(number, 0))
    return found


def lcov(counts: Counts, root: Path) -> str:
    """Lines and branches for lcov and genhtml; files are below ``root``.

    A branch is called after its place alone: lcov adds what is called alike, and other profiles
    have other branches. A block is an ``if`` or ``?``, by its column; Verilator has ``else`` one
    behind. lcov 2 takes two blocks of a line for one if their branches are called alike, so a
    branch is its column, not 0 or 1; lcov 1 passes over what is no number.
    """
    records = []
    for file, lines in sorted(by_line(counts).items()):
        arms = [(p, n) for p, n in sorted(counts.items()) if p.file == file and p.kind == "branch"]
        rows = [
            f"BRDA:{p.line},{p.column - p.what.endswith('else')},{p.column},{n}" for p, n in arms
        ]
        rows += [f"BRF:{len(arms)}", f"BRH:{sum(n > 0 for _, n in arms)}"]
        records.append(lcov_record(root / file, rows, dict(sorted(lines.items()))))
    return "".join(records)


def lcov_record(source: Path, rows: Iterable[str], lines: Mapping[int, int]) -> str:
    """A file's record: ``rows``, and number of a line → how often it was reached."""
    reached = [f"DA:{number},{n}" for number, n in lines.items()]
    reached += [f"LF:{len(lines)}", f"LH:{sum(n > 0 for n in lines.values())}"]
    return "\n".join(("TN:tilepath", f"SF:{source}", *rows, *reached, "end_of_record", ""))


def annotated(text: str, counts: Mapping[CodePoint, int]) -> str:
    """A source with counts: before each line how often, below it what was not reached of it."""
    lines = next(iter(by_line(dict(counts)).values()), {})
    missed: dict[int, list[CodePoint]] = {}
    for point, count in sorted(counts.items()):
        if not count:
            missed.setdefault(point.line, []).append(point)
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        told = f"{lines[number]:>10}" if number in lines else " " * 10
        mark = "!" if lines.get(number, 1) == 0 or number in missed else " "
        rows.append(f"{mark}{told}  {line}")
        rows += [f"!{'':>10}  // {p.kind} {p.arm}" for p in missed.get(number, ())]
    return "\n".join((*rows, ""))
