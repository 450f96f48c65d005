# SPDX-License-Identifier: Apache-2.0
"""The value of a level in any cycle: a level is recorded when it changes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.records import Records

Ints = npt.NDArray[np.int64]
Streams = Mapping[str, Records]


class Levels:
    """Values of levels in any cycle of the present block of cycles."""

    def __init__(self) -> None:
        self._last: dict[str, Records] = {}  # of each stream before this block, if there was one
        self._streams: Streams = {}

    def begin(self, streams: Streams) -> None:
        """Another block of cycles."""
        for name, records in self._streams.items():
            if len(records):
                self._last[name] = records[-1:].copy()
        self._streams = streams

    def at(self, cycles: Ints, name: str, field: str = "value") -> Ints:
        """Values of a field in ``cycles``."""
        records = self._streams[name]
        last = int(self._last[name][field][0]) if name in self._last else 0
        values = np.concatenate(([last], records[field].astype(np.int64)))
        found: Ints = values[np.searchsorted(records["cycle"], cycles, side="right")]
        return found

    def value(self, name: str, cycles: Ints) -> Ints:
        """Values of a level that has one field."""
        return self.at(cycles, name)

    def changes(self, *names: str) -> Ints:
        """Cycles in which any of these levels changes."""
        cycles = [self._streams[name]["cycle"].astype(np.int64) for name in names]
        return np.unique(np.concatenate(cycles))
