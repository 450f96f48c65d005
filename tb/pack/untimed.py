# SPDX-License-Identifier: Apache-2.0
"""The packers without time, led by what a run recorded.

Instructions take effect in the order of issue. What is written in the cycle in which an instruction
issues is there when it is sampled (docs/pack.md section 4), so it comes before it; of the
histograms, Dst and L1 that is so only where tests leave the packers alone meanwhile. Each packer
has a port of its own to L1 (section 2), so what several of them write to one line while they are
busy, or a test besides, is taken from what was recorded.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilepath.isa import profiles
from tilepath.isa.boundary.pack import PACKERS
from tilepath.models.pack import PackState
from tilepath.models.state import State
from tilepath.tb.kernel.description.stream import Records

SUM_FACTOR: Final = 0x9E3779B97F4A7C15
_WORDS: Final = 4  # of a line

Act = tuple[int, int, str, Any]  # cycle, place within the cycle, stream, record


class _Writes(NamedTuple):
    """Lines of L1 that were written: by which packer (``PACKERS``: the test), when, and what."""

    whose: int
    cycle: NDArray[Any]
    line: NDArray[Any]
    data: NDArray[Any]  # n × words


class UntimedPackers:
    """Leads ``PackState``."""

    def __init__(self, profile: str) -> None:
        self._state = PackState(profile)
        self._packers = profiles.get(profile).packers
        self._idle: list[NDArray[Any]] = []  # cycles from which on no packer is busy
        self._lines: list[_Writes] = []

    def follow(self, inputs: Mapping[str, Records], expected: Mapping[str, Records]) -> None:
        """Execute what one block of cycles has recorded."""
        self._idle.append(expected["busy"]["cycle"][expected["busy"]["value"] == 0])
        if self._packers > 1:  # else all is in order
            self._lines += _writes(inputs, expected)
        order = enumerate(self._state.streams)
        parts = [_acts(name, inputs[name], place) for place, name in order]
        for _, _, name, record in heapq.merge(*parts, key=lambda act: act[:2]):
            self._state.apply(name, record)

    def state(self) -> State:
        """As the boundary describes it."""
        l1 = self._state.l1.copy().view("<u4")
        for line, data in self._raced().items():
            l1[_WORDS * line : _WORDS * (line + 1)] = data
        words = l1.astype(np.uint64)
        weighted = words * (2 * np.arange(len(words), dtype=np.uint64) + np.uint64(1))
        total = int(weighted.sum(dtype=np.uint64)) * SUM_FACTOR % (1 << 64)
        return {
            "dst": self._state.dst.copy(),
            "dst_valid": self._state.dst_valid.copy(),
            "bins": self._state.bins.copy(),
            "maximum": self._state.maximum.copy(),
            "l1_sum": np.array([total & 0xFFFF_FFFF, total >> 32], np.uint32),
        }

    def _raced(self) -> dict[int, NDArray[np.uint32]]:
        """Return what lines hold to which several have written since all packers were idle."""
        if not self._lines:
            return {}
        idle, cycles = np.concatenate(self._idle), np.concatenate([w.cycle for w in self._lines])
        lines, data = (
            np.concatenate([getattr(w, n) for w in self._lines]) for n in ("line", "data")
        )
        whose = np.concatenate([np.full(len(w.cycle), w.whose) for w in self._lines])
        phases = np.searchsorted(idle, cycles, side="right")
        last: dict[int, tuple[int, set[int], int]] = {}  # line: phase, who wrote, place
        for place in np.lexsort((whose, cycles)).tolist():
            line, phase = int(lines[place]), int(phases[place])
            before = last.get(line)
            by = before[1] if before is not None and before[0] == phase else set()
            last[line] = (phase, {*by, int(whose[place])}, place)
        size = len(self._state.l1) // (4 * _WORDS)
        return {n: data[place] for n, (_, by, place) in last.items() if len(by) > 1 and n < size}


def _writes(inputs: Mapping[str, Records], expected: Mapping[str, Records]) -> Iterator[_Writes]:
    """Yield what was written to L1: by each packer, and by the test."""
    for packer in range(PACKERS):
        records = expected[f"w{packer}.write"]
        yield _Writes(packer, records["cycle"], records["line"], records["data"])
    records = inputs["l1_write"]
    for k in range(records["data"].shape[1] // _WORDS):
        data = records["data"][:, _WORDS * k : _WORDS * (k + 1)]
        yield _Writes(PACKERS, records["cycle"], records["line"] + k, data)


def _acts(name: str, records: Records, place: int) -> Iterator[Act]:
    for cycle, record in zip(records["cycle"].tolist(), records, strict=True):
        yield cycle, place, name, record
