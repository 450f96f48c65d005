# SPDX-License-Identifier: Apache-2.0
"""What L1 answers to what it was asked, in which cycle: docs/unpack.md section 2, docs/pack.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from tilepath.isa import profiles
from tilepath.isa.boundary.datapath import PACK_PORTS
from tilepath.isa.boundary.pack import LINE_WORDS, SLOTS
from tilepath.isa.boundary.unpack import UNPACKERS
from tilepath.models.levels import Ints, Levels, Streams

PORTS: Final = (
    *(f"u{u}.unpack_answer" for u in range(UNPACKERS)),
    *(f"p{port}.pack_answer" for port in range(PACK_PORTS)),
)
"""Streams of what blocks get."""
REQUESTS: Final = (
    *(f"u{u}.unpack_read" for u in range(UNPACKERS)),
    *(f"p{packer}.pack_read" for packer in range(PACK_PORTS - 1)),
    "pack_source",
)
"""Streams of what they ask for, port by port."""
_ANSWER_LINES: Final = 8
_WEIGHTS: Final = 2 * np.arange(_ANSWER_LINES * LINE_WORDS, dtype=np.uint32) + 1
_LINES: Final = 1 << 17  # of packers
_NOTHING: Final = -1


class _Event(NamedTuple):
    cycle: int
    order: int  # in the cycle: requests, lines of the packers, the test's
    port: int
    record: np.void


def _unpacked(record: np.void) -> list[int]:
    """The line in each place of an unpacker's answer."""
    lines = [int(record[f"line{k}"]) if k < record["count"] else _NOTHING for k in range(4)]
    for name in ("exponent", "delta"):
        lines.append(int(record[name]) if record[f"has_{name}"] else _NOTHING)
    return lines + [
        int(record[f"rsi{k}"]) if k < record["rsi_count"] else _NOTHING for k in range(2)
    ]


def _packed(record: np.void, count: int) -> list[int]:
    return [(int(record["line"]) + k) % _LINES for k in range(count)]


class L1:
    """L1 with the order of its answers."""

    def __init__(self, profile: str) -> None:
        """Zeros, as after reset."""
        self._count = profiles.get(profile).l1_bytes // (4 * LINE_WORDS)
        # what does not exist is the last one, which is always 0
        self._lines = np.zeros((self._count + 1, LINE_WORDS), np.uint32)
        self._last = dict.fromkeys(PORTS, _NOTHING)  # cycle of the latest answer
        self._due: dict[str, list[tuple[int, int]]] = {port: [] for port in PORTS}

    def answers(self, streams: Streams, levels: Levels, until: int) -> dict[str, Ints]:
        """Cycle and ``sum`` of the answers before ``until``, by port."""
        for event in sorted(self._events(streams), key=lambda one: one[:2]):
            self._do(event, levels)
        found = {}
        for port, due in self._due.items():
            now = [one for one in due if one[0] < until]
            self._due[port] = due[len(now) :]
            found[port] = np.array(now, np.int64).reshape(-1, 2)
        return found

    def _events(self, streams: Streams) -> Iterator[_Event]:
        for port, name in enumerate(REQUESTS):
            yield from (_Event(int(r["cycle"]), 0, port, r) for r in streams[name])
        for slot in range(SLOTS):
            yield from (_Event(int(r["cycle"]), 1, slot, r) for r in streams[f"w{slot}.stored"])
        yield from (_Event(int(r["cycle"]), 2, 0, r) for r in streams["l1_write"])

    def _do(self, event: _Event, levels: Levels) -> None:
        cycle, order, number, record = event
        if order:
            words = record["data"].reshape(-1, LINE_WORDS)
            first = int(record["line"])
            if first < self._count:
                self._lines[first : first + len(words)] = words
            return
        port = PORTS[number]
        if number < UNPACKERS:
            lines = _unpacked(record)
        else:
            lines = _packed(record, 1 if REQUESTS[number] == "pack_source" else record["count"])
        found = self._lines[[line if 0 <= line < self._count else self._count for line in lines]]
        words = found.reshape(-1)
        latency = int(levels.at(np.array([cycle]), "l1_latency", "cycles")[0])
        self._last[port] = max(cycle + max(latency, 1), self._last[port] + 1)
        answer = int((words * _WEIGHTS[: len(words)]).sum(dtype=np.uint32))
        self._due[port].append((self._last[port], answer))
