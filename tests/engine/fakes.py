# SPDX-License-Identifier: Apache-2.0
"""A block that exists only as a description, and the traces of runs that never were."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tilepath.engine.checking.trace import TraceBlock
from tilepath.engine.coverage.bins import Exclude, PointGroup
from tilepath.engine.coverage.model import CoverageModel, Tally
from tilepath.engine.description.block import Block
from tilepath.engine.description.boundary import Origin
from tilepath.engine.description.player import Player, plays
from tilepath.engine.description.recorded import Recorded
from tilepath.engine.description.stream import BATCH, FILLER, MARKER, Field, Records, Stream

STREAMS = (
    Stream("put", "input", fields=(Field("word", 32),)),
    Stream("gate", "input", "level", (Field("open"),)),
    Stream("got", "output", fields=(Field("word", 32), Field("wide", 70))),
    Stream("tick", "output", copies=2),
    Stream("state", "output", "level", (Field("value", 2),)),
    Stream("fault", "output", fields=(Field("thread", 2), Field("bad"), Field("kinds", 3))),
)
PLAYERS = (
    plays(STREAMS[0], "source"),
    Player(
        "gate",
        "level",
        STREAMS[1].fields,
        essential=False,
        copies=2,
        records=(Recorded("gate"),),
    ),
)
Rows = Sequence[Sequence[Any]]


class FakeModel:
    """Expects what it was told to; remembers its inputs."""

    def __init__(self, expected: Sequence[Mapping[str, Records]] = ()) -> None:
        self.expected = list(expected)
        self.steps: list[tuple[dict[str, int], int]] = []

    def step(self, inputs: Mapping[str, Records], until: int) -> Mapping[str, Records]:
        """The next block of expected outputs."""
        self.steps.append(({name: len(records) for name, records in inputs.items()}, until))
        return self.expected.pop(0) if self.expected else {}


POINTS = PointGroup()
POINTS.add("size", ("small", "large"))
POINTS.add("pair", ("a", "b"), ("x", "y"), exclude=(Exclude(("b", "y"), "they never meet"),))


class FakeCoverage(CoverageModel):
    """Two points, and what a test hits."""

    def __init__(self, profile: str = "baseline", *more: Tally) -> None:
        self.tally = Tally(POINTS)
        super().__init__("fake", profile, self.tally, *more)


def explain(_stream: str, field: str, value: int) -> str:
    """A name for each state, and for each bit of faults that come together."""
    if field == "kinds":
        return {1: "odd", 2: "even", 4: "prime"}.get(value, "")
    return ("IDLE", "BUSY")[value] if field == "value" and value < 2 else ""


def fake_block(*models: FakeModel) -> Block:
    """The block; each model asked of it is the next of ``models``."""
    given = list(models)
    return Block(
        name="fake",
        dut="fake",
        rtl=(),
        streams=STREAMS,
        players=PLAYERS,
        model=lambda _profile: given.pop(0) if given else FakeModel(),
        coverage=FakeCoverage,
        explain=explain,
    )


TABLE = fake_block().stream_table


def records(stream: str | Stream, rows: Rows = (), origins: Iterable[int] | None = None) -> Records:
    """Records of ``stream``, one of ours by its name, from rows (cycle, fields).

    Expected ones have ``origins``: events of ``put``, or -1 for none.
    """
    chosen = TABLE[stream] if isinstance(stream, str) else stream
    found = np.zeros(len(rows), chosen.dtype if origins is None else chosen.expected_dtype)
    for record, row in zip(found, rows, strict=True):
        for field, value in zip(chosen.dtype.names or (), row, strict=False):
            record[field] = value
    if origins is not None:
        inputs = fake_block().inputs
        found["origin"] = [n if n < 0 else Origin("put", n).encode(inputs) for n in origins]
    return found


def side(**rows: Rows) -> dict[str, Records]:
    """Records of every stream; streams left out are empty (``__`` stands for a dot)."""
    given = {name.replace("__", "."): some for name, some in rows.items()}
    return {name: records(name, given.get(name, ())) for name in TABLE}


def trace_block(start: int, end: int, **rows: Rows) -> TraceBlock:
    """A block of cycles as the recorders would have written it."""
    return TraceBlock(start, end, side(**rows))


def encode(stream: Stream, rows: Records, count_before: int = 0) -> bytes:
    """One block of a trace file: the records, the marker, fillers to the end of the batch."""
    width = stream.dtype.itemsize // 4
    words = np.frombuffer(rows.tobytes(), "<u4").reshape(-1, width)
    marker = np.zeros((1, width), "<u4")
    marker[0, :2] = MARKER, count_before + len(rows)
    fill = -(len(rows) + 1) % BATCH
    filler = np.zeros((fill, width), "<u4")
    filler[:, 0] = FILLER
    return np.concatenate([words, marker, filler]).astype("<u4").tobytes()


def write_traces(folder: Path, blocks: Sequence[Mapping[str, Records]]) -> None:
    """A folder of trace files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, stream in TABLE.items():
        data, count = b"", 0
        for block in blocks:
            data += encode(stream, block[name], count)
            count += len(block[name])
        (folder / f"{name}.bin").write_bytes(data)
