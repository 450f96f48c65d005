# SPDX-License-Identifier: Apache-2.0
"""Tables worked out by hand: what a block is given, and what it shows then.

A case has ``given`` (``sequences/given.py``), and one of these, or several:

- ``see``: a stream and fields, and every record that there is: ``3:A B 7:C`` has A in cycle 3, B in
  4 and C in 7; ``0..2`` are cycles alone, and ``5:1,0`` has two fields. Fields that are not said
  are the word, the value, or the names of the faults; a number is a bit of the value. Of a level
  only what changes in these fields is there. An origin is ``push/3``.
- ``order``: the words of a stream, or a field, whatever their cycles.
- ``bins``: coverpoints; of each a bin that is hit, and those that are not.

It may have ``names`` beside those of its table, a ``profile``, and ``cycles``: how many there are.
``alone``: other streams have no record. ``unfinished`` says why not everything has been done then.
The examples of ``points.toml`` are lines that are given, and coverpoints as in ``bins``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilepath.engine.compiled.state import State, differences
from tilepath.engine.coverage.model import CoverageModel
from tilepath.engine.description.registry import load_block
from tilepath.isa.boundary import Boundary, Origin
from tilepath.sequences.given import PART, Case, Names, Rows, cases, given, numbers
from tilepath.tests.coverage_runs import Example, counted, recorded
from tilepath.tests.model_runs import Records, streams

Row = tuple[Any, ...]


def _values(text: str, names: Names) -> list[Any]:
    return [text] if text[:1].islower() else numbers(text, names)


def read(text: str, names: Names) -> list[Row]:
    """Cycle and fields of each record of a text."""
    found: list[Row] = []
    if ":" not in text:
        return [(cycle,) for cycle in numbers(text, {})]
    for part in text.split():
        first, colon, rest = part.rpartition(":")
        cycles = numbers(first, {}) if colon else [found[-1][0] + 1]
        fields = PART.findall(rest)
        if len(fields) == 1 and len(cycles) == 1:  # a name may be of many words
            values = _values(fields[0], names)
            found += [(cycles[0] + k, value) for k, value in enumerate(values)]
        else:
            row = [value for field in fields for value in _values(field, names)]
            found += [(cycle, *row) for cycle in cycles]
    return found


@dataclass(frozen=True)
class Tables:
    """How the tables of a block are played.

    ``folder``: of ``points.toml``; ``paths``: of the other tables; ``start``: which cycle they call
    0; ``rest``: levels until another is given; ``seen``: all streams of a run of the model, from
    inputs, cycles and profile.
    """

    boundary: Boundary
    paths: tuple[Path, ...]
    start: int
    rest: Mapping[str, int]
    seen: Callable[[Mapping[str, Records], int, str], Mapping[str, Records]]

    def cases(self) -> dict[str, Case]:
        """Those that say what is seen."""
        return {name: case for path in self.paths[:-1] for name, case in cases(path).items()}

    def examples(self) -> list[Example]:
        """Those that say which bins are hit."""
        found = [(case, *case["bins"]) for case in self.cases().values() if "bins" in case]
        points = cases(self.paths[-1])["points"]
        for lines in points["examples"]:
            told = [line for line in lines if not line[0].isalpha()]
            found.append(({**points, "given": told}, *lines[len(told) :]))
        return found

    def inputs(self, case: Case) -> dict[str, Records]:
        """All input streams of a case."""
        rows: Rows = {name: [(-self.start, value)] for name, value in self.rest.items()}
        rows |= given(self.boundary, case)
        late: dict[str, Iterable[Sequence[int]]] = dict.fromkeys(self.boundary.inputs, ())
        for name, some in rows.items():
            late[name] = [(cycle + self.start, *fields) for cycle, *fields in some]
        return streams(self.boundary, late)

    def end(self, case: Case) -> int:
        """The cycle behind those of a case."""
        return self.start + int(case.get("cycles", 400))

    def covered(self, case: Case) -> CoverageModel:
        """A coverage model that has seen a case."""
        block, profile = load_block(self.boundary.name), case.get("profile", "baseline")
        shown = self.seen(self.inputs(case), self.end(case), profile)
        table = block.stream_table
        return counted(block, profile, recorded(table, shown), self.end(case))

    def check(self, case: Case) -> State:
        """Assert that both models make of a case what it says; return the state at the end."""
        block, profile = load_block(self.boundary.name), case.get("profile", "baseline")
        assert block.untimed is not None
        model: Any = block.model(profile)
        untimed = block.untimed(profile)
        inputs, names = self.inputs(case), case["names"]
        outputs = model.step(inputs, self.end(case))
        if "unfinished" not in case:
            untimed.follow(inputs, outputs)
            assert not differences(untimed.state(), model.state())
        assert case.keys() & {"see", "order"}
        for key, text in case.get("see", {}).items():
            assert self.shown(outputs, key) == read(text, names), key
        for key, text in case.get("order", {}).items():
            stream, *fields = key.split()
            found = self._stream(outputs, stream)[fields[0] if fields else "word"]
            assert found.tolist() == numbers(text, names), key
        if "alone" in case:
            seen = {key.split()[0] for key in case["see"]}
            assert {name for name, records in outputs.items() if len(records)} <= seen
        return model.state()  # type: ignore[no-any-return]

    def _stream(self, outputs: Mapping[str, Records], name: str) -> Records:
        return outputs[name if name in outputs else f"t0.{name}"]

    def shown(self, outputs: Mapping[str, Records], key: str) -> list[Row]:
        """What ``see`` has of a stream and fields, as the model has it."""
        stream, *fields = key.split()
        records = self._stream(outputs, stream)
        names = records.dtype.names or ()
        if not fields:
            fields = [name for name in ("word", "value") if name in names]
        found, last = [], [0] * len(fields)
        for record in records:
            row = [self.field(record, field) for field in fields]
            if not fields and len(names) > 2:
                row = ["+".join(name for name in names[1:-1] if record[name])]
            if self.boundary.stream(stream).kind == "event" or row != last:
                found.append((int(record["cycle"]) - self.start, *row))
            last = row
        return found

    def field(self, record: Any, name: str) -> Any:
        """A value as ``see`` has it."""
        if name == "origin":
            origin = Origin.decode(int(record[name]), self.boundary.inputs)
            return f"{origin.stream.removeprefix('t0.')}/{origin.index}" if origin else "none"
        return int(record["value"]) >> int(name) & 1 if name.isdigit() else int(record[name])
