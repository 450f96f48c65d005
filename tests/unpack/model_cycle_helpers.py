# SPDX-License-Identifier: Apache-2.0
"""Programs for the cycle model of the unpackers, as rows of its input streams."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tilepath import isa
from tilepath.isa.boundary.unpack import BOUNDARY
from tilepath.isa.codec import maker
from tilepath.models import format_codes as F
from tilepath.models.unpack import UnpackModel, UnpackState
from tilepath.models.unpack.faults import FAULTS
from tilepath.tb.unpack.items import command
from tilepath.tests.model_runs import run_in_pieces
from tilepath.tests.unpack.model_helpers import load, plain

Records = npt.NDArray[Any]
Row = Sequence[Any]

SETDVALID = 7  # UNPACR_NOP in the encoding of the default profile
ZEROSRC = 1
NOP = 2
OVERLAY = 3
SETREG = 4
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


nop = maker("UNPACR_NOP", "unpacker no_op")


def stream(name: str, rows: Iterable[Row]) -> Records:
    """Structured array from rows (cycle, fields); a wide field is a sequence of words."""
    given = sorted((tuple(row) for row in rows), key=lambda row: row[0])
    return np.array(given, dtype=BOUNDARY.stream(name).dtype)


def model_with(l1: npt.NDArray[np.uint8] | None, profile: str) -> UnpackModel:
    """A model whose L1 has something in it without having been written."""
    model = UnpackModel(profile)
    if l1 is not None:
        model.l1[:] = l1
    return model


def model_run(
    inputs: Mapping[str, Records],
    cuts: Iterable[int],
    profile: str = "baseline",
    l1: npt.NDArray[np.uint8] | None = None,
) -> dict[str, Records]:
    """Output streams of a run cut at ``cuts`` (the last one is its end)."""
    out = run_in_pieces(model_with(l1, profile), inputs, cuts)
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

    def matrix(self, cycle: int, *thing: int, **fields: int) -> Program:
        """A command of the Matrix Unit: as ``items.command`` makes it, or ``fields`` and 0."""
        given = command(*thing) if thing else fields
        names = BOUNDARY.stream("matrix").fields
        return self.add("matrix", cycle, *(given.get(field.name, 0) for field in names))

    def matrix_write(
        self,
        cycle: int,
        target: int,
        bank: int,
        row: int,
        data: Any,
        wide: int = 0,
        access: int = 0,
    ) -> Program:
        """A row that the Matrix Unit writes; ``data``: 16 columns, or one value for all."""
        columns = np.broadcast_to(data, 16).tolist()
        return self.add("matrix_write", cycle, target, bank, row, wide, access, columns)

    def issue(self, cycle: int, word: int, thread: int = 0) -> Program:
        """Issue a word to the unpacker it names."""
        return self.add(f"u{word >> 23 & 1}.issue", cycle, thread, word)

    def inputs(self) -> dict[str, Records]:
        return {name: stream(name, rows) for name, rows in self.rows.items()}

    def run(self, cycles: int = 200, cuts: Iterable[int] = ()) -> Run:
        """The outputs of the set-up and ``cycles`` cycles behind it."""
        end = self.start + cycles
        return Run(model_run(self.inputs(), [*cuts, end], self.profile), self.start)


def both_units(
    code: int = F.BF16,
    apart: tuple[Mapping[str, int], Mapping[str, int]] = ({}, {}),
    **same: int,
) -> Program:
    """A set-up in which both unpackers unpack the same datums, bytes that are not all 0.

    Keyword arguments as for ``plain``; ``apart``: those of unpacker 0, and of 1, alone.
    """
    s = joined(
        plain(code, unit=0, **{**same, **apart[0]}), plain(code, unit=1, **{**same, **apart[1]})
    )
    load(s, 0x4010, np.arange(4096) % 251)
    return Program(s)


def joined(state: UnpackState, other: UnpackState) -> UnpackState:
    """The first state, with the set-up of the other one's unpacker too."""
    state.config |= other.config
    state.thread_config |= other.thread_config
    state.adc.live |= other.adc.live
    return state


class Run:
    """Outputs with cycles counted from the end of the set-up."""

    def __init__(self, out: dict[str, Records], start: int) -> None:
        self.out = out
        self.start = start

    def all(self, name: str) -> Records:
        """Records of a stream after the set-up; ``cycle`` is as recorded."""
        records = self.out[name]
        return records[records["cycle"] >= self.start]

    def answers(self) -> Records:
        """Rows that the Matrix Unit has read after the set-up: cycle, file, data, row_valid."""
        found = answers({name: self.all(name) for name in ANSWERS})
        found["cycle"] -= self.start
        return found

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

    def level(self, name: str, cycle: int, field: str = "value") -> int:
        """Value of a level in a cycle."""
        records = self.out[name]
        before = records[records["cycle"] <= self.start + cycle]
        return int(before[field][-1]) if before.size else 0

    def changes(self, name: str, field: str = "value") -> list[tuple[int, int]]:
        """Cycle and value of each change of a level after the set-up."""
        return [(row[0], row[1]) for row in self.rows(name, field)]

    def faults(self, unit: int = 0) -> list[tuple[int, tuple[str, ...]]]:
        """Cycle and names of the faults of instructions."""
        return [
            (cycle, tuple(name for bit, name in enumerate(FAULTS) if flags >> bit & 1))
            for cycle, flags in self.rows(f"u{unit}.fault", "flags")
        ]

    def flags(self, name: str) -> list[tuple[int, tuple[str, ...]]]:
        """Cycle and names of the flags of a fault stream of single bits."""
        fields = (self.out[name].dtype.names or ())[1:-1]
        return [
            (int(record["cycle"]) - self.start, tuple(f for f in fields if record[f]))
            for record in self.all(name)
        ]
