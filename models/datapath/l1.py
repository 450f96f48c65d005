# SPDX-License-Identifier: Apache-2.0
"""What L1 answers to what it was asked, in which cycle: docs/unpack.md section 2, docs/pack.md."""

from __future__ import annotations

from operator import itemgetter
from typing import Final

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
_PLACES: Final = ("line0", "line1", "line2", "line3", "exponent", "delta", "rsi0", "rsi1")
_WEIGHTS: Final = 2 * np.arange(len(_PLACES) * LINE_WORDS, dtype=np.uint32) + 1
_LINES: Final = 1 << 17  # of packers
_NOTHING: Final = -1


def _asked(name: str, record: np.void) -> list[int]:
    """The line in each place of the answer to a request of stream ``name``."""
    if name not in REQUESTS[:UNPACKERS]:
        count = 1 if name == "pack_source" else int(record["count"])
        return [(int(record["line"]) + k) % _LINES for k in range(count)]
    wanted = [k < record["count"] for k in range(4)]
    wanted += [record["has_exponent"], record["has_delta"]]
    wanted += [k < record["rsi_count"] for k in range(2)]
    return [int(record[n]) if w else _NOTHING for n, w in zip(_PLACES, wanted, strict=True)]


class L1:
    """L1 with the order of its answers."""

    def __init__(self, profile: str) -> None:
        """Zeros, as after reset."""
        self._count = profiles.get(profile).l1_bytes // (4 * LINE_WORDS)
        # the last one stands for what does not exist, and is always 0
        self._lines = np.zeros((self._count + 1, LINE_WORDS), np.uint32)
        self._last = dict.fromkeys(PORTS, _NOTHING)  # cycle of the latest answer
        self._due: dict[str, list[tuple[int, int]]] = {port: [] for port in PORTS}

    def answers(self, streams: Streams, levels: Levels, until: int) -> dict[str, Ints]:
        """Cycle and ``sum`` of the answers before ``until``, by port."""
        names = (*REQUESTS, *(f"w{slot}.stored" for slot in range(SLOTS)), "l1_write")
        events = ((int(r["cycle"]), k, r) for k, name in enumerate(names) for r in streams[name])
        # in a cycle requests come first, and the later of two writes wins
        for cycle, number, record in sorted(events, key=itemgetter(0, 1)):
            if number < len(PORTS):
                self._answer(cycle, number, record, levels)
            elif (first := int(record["line"])) < self._count:
                words = record["data"].reshape(-1, LINE_WORDS)
                self._lines[first : first + len(words)] = words
        found = {}
        for port, due in self._due.items():
            now = [one for one in due if one[0] < until]
            self._due[port] = due[len(now) :]
            found[port] = np.array(now, np.int64).reshape(-1, 2)
        return found

    def _answer(self, cycle: int, number: int, record: np.void, levels: Levels) -> None:
        lines = np.array(_asked(REQUESTS[number], record))
        lines[(lines < 0) | (lines >= self._count)] = self._count
        words = self._lines[lines].reshape(-1)
        latency = int(levels.at(np.array([cycle]), "l1_latency", "cycles")[0])
        port = PORTS[number]
        self._last[port] = max(cycle + max(latency, 1), self._last[port] + 1)
        answer = int((words * _WEIGHTS[: len(words)]).sum(dtype=np.uint32))
        self._due[port].append((self._last[port], answer))
