# SPDX-License-Identifier: Apache-2.0
"""Programs for the cycle model of the unpackers: what is given, and what is seen then.

Both can be text (``timelines.toml``, ``points.toml``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tilepath import isa
from tilepath.isa.boundary import Origin
from tilepath.isa.boundary.unpack import BOUNDARY
from tilepath.models.unpack import OPCODES, UnpackModel, UnpackState
from tilepath.models.unpack.faults import FAULTS, flag_names
from tilepath.tests.model_runs import run_in_pieces
from tilepath.tests.unpack.model_helpers import number_list, said, set_up, word_of

Records = npt.NDArray[Any]
Row = Sequence[Any]

LATENCY = 4
ANSWERS = ("answer_a", "answer_b", "answer_d")


def answers(streams: Mapping[str, Records]) -> Records:
    """Rows that the Matrix Unit has read, in order: cycle, file, data, row_valid (0 of Src)."""
    kinds = [("cycle", "i8"), ("file", "i8"), ("data", "u4", 16), ("row_valid", "i8")]
    parts = []
    for file, name in enumerate(ANSWERS):
        records = streams[name]
        part = np.zeros(len(records), kinds)
        part["cycle"], part["file"], part["data"] = records["cycle"], file, records["data"]
        if name == "answer_d":
            part["row_valid"] = records["row_valid"]
        parts.append(part)
    found = np.concatenate(parts)
    return found[np.lexsort((found["file"], found["cycle"]))]


def stream(name: str, rows: Iterable[Row]) -> Records:
    """Structured array from rows (cycle, fields); a wide field is a sequence of words."""
    given = sorted((tuple(row) for row in rows), key=lambda row: row[0])
    return np.array(given, dtype=BOUNDARY.stream(name).dtype)


def model_run(
    inputs: Mapping[str, Records], cuts: Iterable[int], profile: str = "baseline"
) -> dict[str, Records]:
    """Output streams of a run cut at ``cuts`` (the last one is its end)."""
    out = run_in_pieces(UnpackModel(profile), inputs, cuts)
    for records in out.values():
        assert (np.diff(records["cycle"].astype(np.int64)) > 0).all()
        if "mask" in (records.dtype.names or ()):  # slots that are not written have no data
            masked = records["mask"][:, None] >> np.arange(32) & 1 == 0
            assert records["mask"].all() and not records["data"][masked].any()
    return out


def _config_rows(config: npt.NDArray[Any]) -> list[Row]:
    """Writes of four words each, one a cycle from cycle 0 on, where a word is not 0."""
    rows: list[Row] = []
    for index in range(0, config.shape[1], 4):
        banks = [config[bank, index : index + 4].tolist() for bank in range(2)]
        if banks[0] == banks[1]:
            if any(banks[0]):
                rows.append((len(rows), 3, index, 1, banks[0]))
            continue
        for bank in range(2):
            if any(banks[bank]):
                rows.append((len(rows), 1 << bank, index, 1, banks[bank]))
    return rows


def _counter_words(live: npt.NDArray[Any]) -> list[int]:
    """Words of a thread that set the unpackers' counters of its own set."""
    words = []
    for unit in range(2):
        for channel in range(2):
            for which in range(4):
                value = int(live[unit, channel, which])
                assert value < 1 << 16, "bits 17:16 would name a thread"
                if value:
                    words.append(
                        isa.encode(
                            "SETADC", target=1 << unit, channel=channel, xyzw=which, value=value
                        )
                    )
    return words


def l1_rows(l1: npt.NDArray[np.uint8]) -> list[Row]:
    """Writes of 64 bytes each, one a cycle from cycle 0 on, where a byte is not 0."""
    groups = np.flatnonzero(l1.reshape(-1, 64).any(axis=1))
    words = np.ascontiguousarray(l1).view("<u4").reshape(-1, 16)
    return [(n, 4 * group, words[group].tolist()) for n, group in enumerate(groups.tolist())]


class Program:
    """Input rows of a run that begins with the set-up of ``state``.

    Attributes:
        rows: stream name -> rows.
        start: first cycle behind the set-up.
    """

    def __init__(self, state: UnpackState | None = None, profile: str = "baseline") -> None:
        self.profile = profile
        self.rows: dict[str, list[Row]] = {name: [] for name in BOUNDARY.inputs}
        self.rows["l1_latency"] = [(0, LATENCY)]
        if state is not None:
            self._set_up(state)
        self.start = 1 + max((rows[-1][0] for rows in self.rows.values() if rows), default=-1)

    def _set_up(self, state: UnpackState) -> None:
        rows = self.rows
        rows["cfg"] = _config_rows(state.config)
        rows["l1_write"] = l1_rows(state.l1)
        for thread in range(3):
            values = state.thread_config[thread]
            for n, index in enumerate(np.flatnonzero(values).tolist()):
                rows[f"t{thread}.setc16"].append((n, index, int(values[index])))
            words = _counter_words(state.adc.live[thread])
            rows[f"t{thread}.counter"] = list(enumerate(words))

    def add(self, name: str, cycle: int, *fields: Any) -> Program:
        """A record ``cycle`` cycles after the set-up."""
        self.rows[name].append((self.start + cycle, *fields))
        return self

    def issue(self, cycle: int, word: int, thread: int = 0) -> Program:
        """Issue a word to the unpacker it names."""
        return self.add(f"u{word >> 23 & 1}.issue", cycle, thread, word)

    def say(self, line: str) -> Program:
        """Cycles, and behind them what ``said`` takes apart: an instruction, or a stream.

        A field of one value has one for all cycles, or one for each.
        """
        cycles, rest = line.split(maxsplit=1)
        thread, name, fields = said(rest)
        for k, cycle in enumerate(number_list(cycles)):
            if name.isupper():
                word = word_of(name, fields, self.profile)
                if word >> 24 in OPCODES:
                    self.issue(cycle, word, thread)
                else:
                    self.add(f"t{thread}.counter", cycle, word)
                continue
            values: list[Any] = []
            for field in BOUNDARY.stream(name).fields:
                given = fields.get(field.name, [0])
                if field.words > 1:
                    values.append(given + [0] * (field.words - len(given)))
                else:
                    values.append(given[k % len(given)])
            self.add(name, cycle, *values)
        return self

    def inputs(self) -> dict[str, Records]:
        return {name: stream(name, rows) for name, rows in self.rows.items()}

    def run(self, cycles: int = 200) -> Run:
        """The outputs of the set-up and ``cycles`` cycles behind it."""
        end = self.start + cycles
        return Run(model_run(self.inputs(), [end], self.profile), self.start)


def program(case: Mapping[str, Any]) -> Program:
    """The program of a table: what ``set_up`` sets up, if any; ``given``: as for ``say``."""
    profile = case.get("profile", "baseline")
    made = Program(set_up(case) if "tile" in case or "both" in case else None, profile)
    if "latency" in case:
        made.rows["l1_latency"] = [(0, case["latency"])]
    for line in case["given"]:
        made.say(line)
    return made


def seen(text: str) -> list[tuple[Any, ...]]:
    """Rows: cycles, and behind a colon their fields, with commas between them."""
    found: list[tuple[Any, ...]] = []
    for part in text.split():
        cycles, _, fields = part.partition(":")
        row: list[Any] = []
        for field in fields.split(",") if fields else ():
            row += number_list(field) if field[0].isdigit() else [field]
        found += [(cycle, *row) for cycle in number_list(cycles)]
    return found


class Run:
    """Outputs with cycles counted from the end of the set-up."""

    def __init__(self, out: dict[str, Records], start: int) -> None:
        self.out = out
        self.start = start

    def all(self, name: str) -> Records:
        """Records of a stream after the set-up; ``cycle`` is as recorded."""
        records = self.out[name]
        return records[records["cycle"] >= self.start]

    def cycles(self, name: str) -> list[int]:
        """Cycles of the records of a stream."""
        return [int(cycle) - self.start for cycle in self.all(name)["cycle"]]

    def rows(self, name: str, *fields: str) -> list[tuple[int, ...]]:
        """Cycle and chosen fields of each record."""
        records = self.all(name)
        return [
            (int(record["cycle"]) - self.start, *(int(record[field]) for field in fields))
            for record in records
        ]

    def shown(self, key: str) -> list[tuple[Any, ...]]:
        """Cycle, and the fields that ``key`` names behind a stream, ``data[0:8]`` some of many.

        Unless it names any: the value of a level, the names of faults. The origin is a text.
        """
        name, *fields = key.split()
        records, found = self.all(name), []
        names = records.dtype.names or ()
        if not fields and "value" in names:
            fields = ["value"]
        for record in records:
            row: list[Any] = [int(record["cycle"]) - self.start]
            for field in fields:
                row += _values(record, field)
            if not fields and name.endswith("_fault"):
                row.append("+".join(one for one in names[1:-1] if record[one]))
            elif not fields and name.endswith(".fault"):
                row.append("+".join(flag_names(int(record["flags"]), FAULTS)))
            found.append(tuple(row))
        return found


def _values(record: Any, field: str) -> list[Any]:
    name, _, part = field.partition("[")
    if name == "origin":
        stream, number = Origin.decode(int(record[name]), BOUNDARY.inputs)
        return [f"{stream}/{number}"]
    values = np.ravel(record[name]).tolist()
    return values[slice(*map(int, part[:-1].split(":")))] if part else values
