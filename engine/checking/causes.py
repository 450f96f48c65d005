# SPDX-License-Identifier: Apache-2.0
"""An event is caused by the recorded input that the model names, or by the last that may be."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Final

import numpy as np

from tilepath.engine.description.block import Block
from tilepath.engine.description.boundary import ORIGIN_STREAMS, Origin
from tilepath.engine.description.stream import Records

_HISTORY: Final = 4  # blocks of cycles whose inputs are kept
_SHOWN: Final = 4  # inputs that may be the cause

Cause = tuple[str, int, Records]
"""An input stream, an index, and the record, or none if that was too long ago."""


class Causes:
    """The inputs of the last blocks of cycles."""

    def __init__(self, block: Block) -> None:
        self._block = block
        self._history: deque[Mapping[str, tuple[int, Records]]] = deque(maxlen=_HISTORY)

    def keep(self, inputs: Mapping[str, tuple[int, Records]]) -> None:
        """A block of cycles more: of each input stream the index of its first record, and all."""
        self._history.append(inputs)

    def of(self, event: Records) -> Cause | None:
        """What caused an expected event, if the model knows."""
        if len(event) == 0 or "origin" not in (event.dtype.names or ()):
            return None
        origin = Origin.decode(int(event["origin"][0]), self._block.inputs)
        if origin is None:
            return None
        first, records = self._kept(origin.stream)
        at = origin.index - first
        return *origin, records[at : at + 1] if at >= 0 else records[:0]

    def last(self, name: str, expected: Records, cycle: int) -> list[Cause]:
        """The last inputs that may have caused what stream ``name`` has in ``cycle``.

        Of each input stream that is not another thread's the last record, and of those that the
        model traces some of the ``expected`` events to, if there is one, as much earlier as these
        take at least. These come first; then the latest do, and those of this thread.
        """
        copies = next(s.instances for s in self._block.streams if name in s.instances)
        own = _thread(name)
        others = {_thread(copy) for copy in copies} - {own}
        inputs = [n for n in self._block.inputs if self._block.stream_table[n].kind == "event"]
        delays = {n: took for n in inputs if (took := self._delay(n, expected)) is not None}
        found = []
        for stream in inputs:
            first, records = self._kept(stream)
            took = delays.get(stream, min(delays.values(), default=0))
            until = np.searchsorted(records["cycle"], (cycle - took, cycle), "right")
            at = int(until[0] or until[1]) - 1
            if at >= 0 and (stream in delays or _thread(stream) not in others):
                far = stream not in delays, -int(records["cycle"][at]), _thread(stream) != own
                found.append((far, (stream, first + at, records[at : at + 1])))
        return [cause for _, cause in sorted(found, key=lambda one: one[0])[:_SHOWN]]

    def _kept(self, stream: str) -> tuple[int, Records]:
        """The index of the first record of an input stream that is kept, and all that are."""
        parts = [part[stream] for part in self._history]
        return parts[0][0], np.concatenate([records for _, records in parts])

    def _delay(self, stream: str, expected: Records) -> int | None:
        """The fewest cycles from an input of ``stream`` to what it caused; ``None`` for nothing."""
        if "origin" not in (expected.dtype.names or ()):
            return None
        first, records = self._kept(stream)
        index, number = np.divmod(expected["origin"], ORIGIN_STREAMS)
        known = (number == self._block.inputs.index(stream)) & (index >= first)
        took = expected["cycle"][known] - records["cycle"][index[known] - first].astype(np.int64)
        return int(took.min()) if len(took) else None


def _thread(stream: str) -> str:
    """What a copy of a stream has in front of its name; nothing if there are no copies."""
    return stream.rpartition(".")[0]
