# SPDX-License-Identifier: Apache-2.0
"""The packers without time, led by what a run recorded.

Instructions take effect in the order of issue. What is written in the cycle in which an instruction
issues is there when it is sampled (docs/pack.md section 4), so it comes before it; of the
histograms, Dst and L1 that is so only where tests leave the packers alone meanwhile. Each packer
has a port of its own to L1 (section 2), so what several of them write to one line while they are
busy, or a test besides, may come in another order: what one of them wrote last is there.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.compiled.state import State
from tilepath.engine.description.stream import Records
from tilepath.isa import profiles
from tilepath.isa.boundary.pack import PACKERS
from tilepath.models.pack import PackState
from tilepath.models.pack.state import sum_of

_WORDS: Final = 4  # of a line

Act = tuple[int, int, str, Any]  # cycle, place within the cycle, stream, record


class _Line(NamedTuple):
    """A line of L1 as it was recorded since all packers were idle.

    ``phase``: how often they had become idle then. ``words``: what each wrote last, by packer
    (``PACKERS``: the test), in the order in which they did.
    """

    phase: int
    words: dict[int, NDArray[np.uint32]]


class UntimedPackers:
    """Leads ``PackState``."""

    def __init__(self, profile: str) -> None:
        self._state = PackState(profile)
        self._packers = profiles.get(profile).packers
        self._phase = 0
        self._lines: dict[int, _Line] = {}

    def follow(self, inputs: Mapping[str, Records], expected: Mapping[str, Records]) -> None:
        """Execute what one block of cycles has recorded."""
        if self._packers > 1:  # else all is in order
            self._note_writes(inputs, expected)
        order = enumerate(self._state.streams)
        parts = [_acts(name, inputs[name], place) for place, name in order]
        for _, _, name, record in heapq.merge(*parts, key=lambda act: act[:2]):
            self._state.apply(name, record)

    def state(self) -> State:
        """As the boundary describes it."""
        l1 = self._state.l1.copy().view("<u4")
        for number, line in self._lines.items():
            held = l1[_WORDS * number : _WORDS * (number + 1)]
            written = [*line.words.values()]
            if any(np.array_equal(held, words) for words in written[:-1]):  # in another order
                held[:] = written[-1]
        return {
            "dst": self._state.dst.copy(),
            "dst_valid": self._state.dst_valid.copy(),
            "bins": self._state.bins.copy(),
            "maximum": self._state.maximum.copy(),
            "l1_sum": sum_of(l1),
        }

    def _note_writes(self, inputs: Mapping[str, Records], expected: Mapping[str, Records]) -> None:
        """Note who writes which lines in a block of cycles, and what."""
        idle = expected["busy"]["cycle"][expected["busy"]["value"] == 0]
        for cycle, whose, number, data in sorted(_writes(inputs, expected), key=lambda w: w[:2]):
            phase = self._phase + int(np.searchsorted(idle, cycle, side="right"))
            line = self._lines.get(number)
            if line is None or line.phase != phase:
                line = self._lines[number] = _Line(phase, {})
            line.words.pop(whose, None)
            line.words[whose] = data.copy()
        self._phase += len(idle)


def _writes(
    inputs: Mapping[str, Records], expected: Mapping[str, Records]
) -> Iterator[tuple[int, int, int, NDArray[np.uint32]]]:
    """Yield what is written to L1, by each packer and by the test: cycle, who, line, words."""
    for packer in range(PACKERS):
        for record in expected[f"w{packer}.write"]:
            yield int(record["cycle"]), packer, int(record["line"]), record["data"]
    for record in inputs["l1_write"]:
        for k, data in enumerate(record["data"].reshape(-1, _WORDS)):
            yield int(record["cycle"]), PACKERS, int(record["line"]) + k, data


def _acts(name: str, records: Records, place: int) -> Iterator[Act]:
    for cycle, record in zip(records["cycle"].tolist(), records, strict=True):
        yield cycle, place, name, record
