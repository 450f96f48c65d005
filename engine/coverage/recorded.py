# SPDX-License-Identifier: Apache-2.0
"""Records as compiled loops take them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.description.stream import Records, Stream

Rows = NDArray[np.uint32]


class Recorded:
    """Brings the records of a stream into one layout: contiguous, read-only, as in a trace.

    A model's records may have more fields. One layout is one compiled loop, for traces that may
    be written to and for those that may not.
    """

    def __init__(self, stream: Stream) -> None:
        self._dtype = stream.dtype
        self._names = ("cycle", *(f.name for f in stream.fields))
        self._words = 1 + stream.payload_words
        self._columns: dict[str, int] = {}
        column = 1
        for f in stream.fields:
            self._columns[f.name] = column
            column += f.words

    def records(self, records: Records) -> Records:
        """Their fields by name."""
        if records.dtype == self._dtype:
            found = np.ascontiguousarray(records).view()
        else:
            found = np.zeros(len(records), self._dtype)
            for name in self._names:
                found[name] = records[name]
        found.flags.writeable = False
        return found

    def rows(self, records: Records) -> Rows:
        """Rows of 32-bit words: the cycle, then the fields in their order."""
        rows = self.records(records).view(np.uint32).reshape(len(records), self._words)
        rows.flags.writeable = False
        return rows

    def column(self, field: str) -> int:
        """Where ``field`` begins in a row."""
        return self._columns[field]
