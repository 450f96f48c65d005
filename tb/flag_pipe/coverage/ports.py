# SPDX-License-Identifier: Apache-2.0
"""Coverage of the memories' ports: how long they refuse, latencies, cores that share them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilepath.isa.boundary.flag_pipe import READ_PORTS, SHARED_PORTS
from tilepath.tb.flag_pipe.coverage.points import PORTS, Points
from tilepath.tb.kernel.description.stream import Records

Users = Mapping[str, list[tuple[int, int, int]]]
"""Port → from a cycle on: how many cores use it, beats of the tile of the one that came last."""


class Ports:
    """Counts into ``counts``."""

    def __init__(self, points: Points, counts: NDArray[np.int64]) -> None:
        self._points = points
        self._counts = counts
        # per port, the records of its level that may matter: cycle, ready, latency
        self._levels: dict[str, list[tuple[int, int, int]]] = {p: [(-1, 0, 0)] for p in PORTS}
        self._users: dict[str, list[tuple[int, int, int]]] = {p: [(-1, 0, 0)] for p in PORTS}

    def count(self, streams: Mapping[str, Records], users: Users) -> None:
        """Count a block of cycles."""
        for number, port in enumerate(PORTS):
            level = streams[f"{port}_mem"]
            slow = level["latency"] if port in READ_PORTS else np.zeros(len(level), int)
            new = zip(level["cycle"].tolist(), level["ready"].tolist(), slow.tolist(), strict=True)
            self._levels[port] += list(new)
            self._users[port] += users.get(port, [])
            accepted = np.asarray(streams[port]["cycle"], np.int64)
            if len(accepted):
                self._port(number, port, accepted)
            self._levels[port] = self._levels[port][-40:]
            self._users[port] = self._users[port][-1:]

    def _hit(self, point: str, first: int, bins: NDArray[Any]) -> None:
        """Count ``bins`` of a row of a point with two axes."""
        base = self._points.place(point, first, 0)
        found, times = np.unique(bins, return_counts=True)
        self._counts[base + found] += times

    def _port(self, number: int, port: str, accepted: NDArray[np.int64]) -> None:
        cycle, ready, latency = np.array(self._levels[port]).T
        at = np.searchsorted(cycle, accepted, side="right") - 1
        # the first cycle in which a port is ready that was not: how long it was not
        start, since = np.zeros(len(cycle), int), 0
        for k in range(1, len(cycle)):
            if not ready[k] and ready[k - 1]:
                since = cycle[k]
            start[k] = since
        opened = np.r_[False, (ready[1:] == 1) & (ready[:-1] == 0)]
        first = opened[at] & (cycle[at] == accepted)
        length = np.where(first, accepted - start[at], 0)
        self._hit("port.refused", number, np.digitize(length, (1, 4)))
        if port in READ_PORTS:
            self._hit("port.latency", READ_PORTS.index(port), np.digitize(latency[at], (2, 7)))
        if port in SHARED_PORTS:
            begin, cores, beats = np.array(self._users[port]).T
            who = np.searchsorted(begin, accepted, side="right") - 1
            some = cores[who] > 0
            self._hit("port.cores_at_once", ("l1_wr", "gm_rd", "gm_wr").index(port),
                      cores[who][some] - 1)  # fmt: skip
            if port == "l1_wr" and not self._points.a2a3:
                two = beats[who][cores[who] == 2]
                base = self._points.at["port.two_vectors_write_l1_x_beats"]
                found, times = np.unique(two, return_counts=True)
                self._counts[base + found] += times
