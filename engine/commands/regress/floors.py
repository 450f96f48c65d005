# SPDX-License-Identifier: Apache-2.0
"""What ``tilepath floors`` does: margins to floors and new floors, from counts of regressions."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from rich.console import Console

from tilepath.engine.commands import report
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.regress.store import Store
from tilepath.engine.commands.run_list import Selection, select
from tilepath.engine.description.registry import load_block
from tilepath.engine.description.stimulus import FLOOR_CYCLES, TestSpec
from tilepath.engine.stimulus import floors

NARROW: Final = 3.0
"""Margins below that are narrow, unless the floor is very far away all the same."""

# a run that missed its floor had its counts as well: those left out, none could be missed
_COUNTED: Final = """
SELECT block, test, counts FROM jobs WHERE regression = ? AND cycles = ? AND knobs = '[]'
AND condition = '' AND (verdict = 'pass' OR message LIKE '%had only%this test needs%')
"""

Runs = list[Mapping[str, int]]


@dataclass
class Counts:
    """Events by stream of each run of ``tests`` that played what the test plays today.

    ``tests``, ``runs``, ``digests`` and ``others``, how many runs played something else, are by
    ``block/test``.
    """

    tests: Mapping[str, TestSpec]
    runs: dict[str, Runs] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    others: dict[str, int] = field(default_factory=dict)

    def add(self, file: Path, numbers: Collection[int] = ()) -> None:
        """Those in a file; of the regressions of these ``numbers``, if there are any."""
        with closing(Store(file.resolve())) as store:
            for one in store.rows("SELECT id, options FROM regressions"):
                made = json.loads(one["options"]).get("stimuli", {})
                asked = made and (not numbers or one["id"] in numbers)
                for row in store.rows(_COUNTED, one["id"], FLOOR_CYCLES) if asked else ():
                    name = f"{row['block']}/{row['test']}"
                    if name in self.tests:
                        self._add(name, made.get(name, ""), json.loads(row["counts"]))

    def _add(self, name: str, digest: str, counts: Mapping[str, int]) -> None:
        if name not in self.digests:
            self.digests |= digests({name: self.tests[name]})
        if digest == self.digests[name]:
            self.runs.setdefault(name, []).append(counts)
        else:
            self.others[name] = self.others.get(name, 0) + 1


def endless(blocks: Sequence[str] = (), tests: Sequence[str] = ()) -> dict[str, TestSpec]:
    """``block/test`` → the endless tests that are asked for; ``UsageError`` if there are none."""
    found = select(Selection(tuple(blocks), tuple(tests), ("random",)))
    return {
        f"{block}/{name}": test
        for block, some in found.tests.items()
        for name, test in some.items()
        if test.endless
    }


def digests(tests: Mapping[str, object]) -> dict[str, str]:
    """``block/test`` → what stands for its stimulus, of those that are endless."""
    return {
        name: floors.stimulus_digest(name.partition("/")[0], test)
        for name, test in tests.items()
        if isinstance(test, TestSpec) and test.endless
    }


def streams(block: str) -> dict[str, tuple[str, ...]]:
    """Each stream that can have a floor, of all instances or of one → the instances."""
    known = load_block(block)
    single = {name: (name,) for name in known.stream_table}
    return {**single, **{stream.name: stream.instances for stream in known.streams}}


@dataclass(frozen=True)
class Margin:
    """The fewest events of a stream over those that its test must have."""

    test: str
    stream: str
    seeds: int
    row: floors.Row
    floor: int

    @property
    def margin(self) -> float:
        """Infinite without a floor."""
        return self.row.fewest / self.floor if self.floor else float("inf")

    @property
    def narrow(self) -> bool:
        """Whether more seeds are to show that it suffices."""
        return self.margin < NARROW and not self.row.is_far(self.floor, self.seeds)


def margins(counts: Counts) -> Iterator[Margin]:
    """Yield the margin of each test and stream that has counts."""
    for name, runs in counts.runs.items():
        known = streams(name.partition("/")[0])
        for stream, floor in counts.tests[name].floor.items():
            row = _row(runs, known[stream])
            yield Margin(name, stream, len(runs), row, floor)


def _row(runs: Runs, instances: Sequence[str]) -> floors.Row:
    return floors.Row.of([[run.get(one, 0) for one in instances] for run in runs])


def _measured(name: str, runs: Runs, digest: str, chosen: Collection[str]) -> floors.Measured:
    """The table's part of a test, of the streams that it has floors of, or of all its events."""
    block = name.partition("/")[0]
    known = streams(block)
    wanted = chosen or [
        stream.name
        for stream in load_block(block).streams
        if stream.kind == "event" and stream.direction == "output"
    ]
    rows = {stream: _row(runs, known[stream]) for stream in wanted}
    if not chosen:
        rows = {stream: row for stream, row in rows.items() if row.floor(len(runs))}
    return floors.Measured(digest, len(runs), rows)


def show(console: Console, found: Iterable[Margin]) -> None:
    """Print margins, the least first."""
    figures = (">seeds", ">fewest", ">1 %", ">median", ">floor", ">margin")
    table = report.table_of("test", "stream", *figures)
    for one in sorted(found, key=lambda one: one.margin):
        values = (one.seeds, one.row.fewest, one.row.percent, one.row.median, one.floor)
        table.add_row(one.test, one.stream, *map(str, values), f"{one.margin:.2f}")
    if table.row_count:
        console.print(table)


def run_floors(
    files: Sequence[Path], blocks: Sequence[str], tests: Sequence[str], *, write: bool
) -> None:
    """Print the margins of the runs in files; with ``write``, make the table anew from them.

    Raises:
        UsageError: no such file or test; too few runs of which the counts are known.
    """
    wanted = endless(blocks, tests)
    found = Counts(wanted)
    for file in files:
        found.add(file)
    console = report.make_console()
    for name, number in found.others.items():
        report.say(console, f"{name}: {number} runs left out, which had another stimulus")
    if not found.runs:
        raise UsageError(
            f"no counts of these tests in {', '.join(map(str, files))}: they are kept by "
            f"'tilepath regress FILE --tag random --cycles {FLOOR_CYCLES}'"
        )
    if few := [name for name, runs in found.runs.items() if write and len(runs) < floors.LEAST]:
        raise UsageError(f"{few[0]} has fewer than {floors.LEAST} runs: too few for a floor")
    if not write:
        show(console, margins(found))
        return
    table = dict(floors.measured())
    for name, runs in found.runs.items():
        table[name] = _measured(name, runs, found.digests[name], wanted[name].floor)
    floors.write({name: one for name, one in table.items() if name in wanted or blocks or tests})
    report.say(console, f"wrote {floors.FILE}")
