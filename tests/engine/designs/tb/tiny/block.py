# SPDX-License-Identifier: Apache-2.0
"""The tiny block as the engine sees it, with model and coverage."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from tilepath.engine.coverage.seen import StreamPoints
from tilepath.engine.description.balances import Balances
from tilepath.engine.description.block import Block
from tilepath.engine.description.boundary import Boundary, Field, Origin, Records, Stream
from tilepath.engine.description.player import plays

LIE = 0xBAD  # the model is wrong about this word

PUT = Stream("put", "input", fields=(Field("word", 32),))
GATE = Stream("gate", "input", "level", (Field("open"),))
GOT = Stream("got", "output", fields=(Field("word", 32), Field("wide", 70)))
COUNT = Stream("count", "output", "level", (Field("value", 2),))
BOUNDARY = Boundary("tiny", (PUT, GATE, GOT, COUNT))


class TinyModel:
    """Expected outputs, cycle after cycle."""

    def __init__(self) -> None:
        self._cycle = 0
        self._open = self._count = self._puts = 0
        self._offer: int | None = None
        self._taken: int | None = None  # in the cycle before

    def step(self, inputs: Mapping[str, Records], until: int) -> Mapping[str, Records]:
        """Outputs of the cycles up to ``until``."""
        none = {name: stream.empty() for name, stream in BOUNDARY.table.items()}
        puts = dict((inputs or none)["put"][["cycle", "word"]].tolist())
        gates = dict((inputs or none)["gate"][["cycle", "open"]].tolist())
        got: list[tuple[int, int, tuple[int, int, int], int]] = []
        count: list[tuple[int, int]] = []
        for cycle in range(self._cycle, until):
            if self._taken is not None:
                word = self._taken
                shown = (word + (2 if word == LIE else 1)) & 0xFFFF_FFFF
                cause = Origin("put", self._puts).encode(BOUNDARY.inputs)
                got.append((cycle, shown, (word, word ^ 0xFFFF_FFFF, 0x2A), cause))
                self._puts += 1
                self._count = (self._count + 1) & 3
                count.append((cycle, self._count))
                self._taken = None
            self._open = gates.get(cycle, self._open)
            self._offer = puts.get(cycle, self._offer)
            if self._open and self._offer is not None:
                self._taken, self._offer = self._offer, None
        self._cycle = until
        return {"got": np.array(got, GOT.expected_dtype), "count": np.array(count, COUNT.dtype)}

    def waiting(self) -> list[str]:
        """The word that stands before a shut gate."""
        return [] if self._offer is None else [f"word {self._offer} waits for the gate"]


POINTS = {"gate": (("shut", "open"), lambda streams: streams["gate"]["open"])}
BLOCK = Block(
    name="tiny",
    dut="tiny",
    rtl=("tiny",),
    streams=BOUNDARY.streams,
    players=(plays(PUT, "source"), plays(GATE, essential=False, rest={"open": 1})),
    model=lambda _profile: TinyModel(),
    coverage=partial(StreamPoints, "tiny", points=POINTS),
    balances=Balances(pairs=(("put", "got"),)),
    parameters=lambda _profile: {"Step": 1},
    explain=lambda _stream, field, value: f"number {value}" if field == "word" else "",
)
