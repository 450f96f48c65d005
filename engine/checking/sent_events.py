# SPDX-License-Identifier: Apache-2.0
"""Items of an ``item`` player against the records of one stream, one for one and in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.checking.echo import Echo
from tilepath.engine.checking.finding import of_stimulus
from tilepath.engine.checking.mismatch import values_text
from tilepath.engine.description.block import Block
from tilepath.engine.description.recorded import Columns
from tilepath.engine.description.stream import Records

_NEAR: Final = 8  # items and records looked at to tell what became of an item


class EventEcho:
    """What one player sends to one stream of events."""

    def __init__(self, block: Block, player: str, echo: Echo) -> None:
        self._block = block
        self._player = player
        self._echo = echo
        self._stream = echo.stream
        self._written = 0  # items, those recorded elsewhere included
        self._kept = 0  # of what is compared, the last item, to tell if it comes again
        self._index: NDArray[np.int64] = np.zeros(0, np.int64)
        self._values: Columns = {}
        self._known: Columns = {}

    def sent(self, items: NDArray[np.uint32]) -> None:
        """Append what ``items`` must make of records."""
        chosen, values, known = self._echo.records(items)
        index = np.arange(self._written, self._written + len(items))[chosen]
        self._written += len(items)
        self._index = np.concatenate((self._index, index))
        for name in values:
            self._values[name] = _joined(self._values.get(name), values[name])
            self._known[name] = _joined(self._known.get(name), known[name])

    def check(self, streams: Mapping[str, Records], consumed: int, end: int) -> None:
        """Compare the records of a block of cycles; raises :class:`CheckError`."""
        records = streams[self._stream]
        if self._echo.own:
            records = records[records[self._echo.own] == self._echo.copy]
        common = min(len(records), len(self._index) - self._kept)
        same = self._equal(records[:common], self._kept)
        if not same.all():
            self._fail(records, int(np.argmin(same)))
        if len(records) > common:
            self._fail(records, common)
        done = self._kept + common
        # of the items presented, the last may not be done
        if done < np.searchsorted(self._index, consumed - 1):
            self._lost(done, end)
        if done > np.searchsorted(self._index, consumed):
            text = f"item {self._index[done - 1]} of {self._player} was recorded in "
            text += f"{self._stream}; the player says that it presented {consumed}"
            raise of_stimulus(text, [], int(records["cycle"][common - 1]) if common else end)
        self._kept = min(1, done)
        self._index = self._index[done - self._kept :]
        for columns in (self._values, self._known):
            for name in columns:
                columns[name] = columns[name][done - self._kept :]

    def _equal(self, records: Records, first: int) -> NDArray[np.bool_]:
        """Return which of ``records`` equal the items from place ``first`` on."""
        same = np.ones(len(records), bool)
        for name, column in self._values.items():
            part = slice(first, first + len(records))
            differ = (records[name] ^ column[part]) & self._known[name][part]
            same &= differ == 0 if differ.ndim == 1 else (differ == 0).all(axis=1)
        return same

    def _lost(self, at: int, end: int) -> None:
        text = f"item {self._index[at]} of {self._player} never reached {self._stream}"
        raise of_stimulus(text, [self._item(at)], end)

    def _fail(self, records: Records, place: int) -> None:
        """Raise what became of the item whose record is another, ``place`` in ``records``."""
        at = self._kept + place
        near = records[place : place + _NEAR]
        cycle = int(near["cycle"][0])
        number = f"item {self._index[at]}" if at < len(self._index) else "one item more than sent"
        text = f"{number} of {self._player} {self._what(at, near)}"
        lines = [self._item(at + k) for k in range(2) if at + k < len(self._index)]
        lines += [f"recorded in cycle {int(r['cycle'])}: {self._record(r)}" for r in near[:2]]
        raise of_stimulus(f"{text} ({self._stream}, cycle {cycle})", lines, cycle)

    def _what(self, at: int, near: Records) -> str:
        """What became of the item at ``at``, where ``near`` was recorded instead."""
        left = len(self._index) - at
        if at and self._fits(near, at - 1):
            return "was recorded after the one before it had come twice"
        if left == 0:
            return "was recorded"
        for skipped in range(1, min(left, _NEAR)):
            if self._fits(near, at + skipped):
                return "never reached the DUT" + (f", nor {skipped - 1} more" * (skipped > 1))
        if left > 1 and len(near) > 1:
            one, other = self._fits(near[:1], at + 1), self._fits(near[1:2], at)
            return "came in another order" if one and other else "was changed"
        return "was changed"

    def _fits(self, near: Records, first: int) -> bool:
        """Whether ``near`` are the items from place ``first`` on, as far as there are any."""
        part = near[: len(self._index) - first]
        return len(part) > 0 and bool(self._equal(part, first).all())

    def _item(self, at: int) -> str:
        fields = (
            f"{name} {values_text(self._block, self._stream, name, column[at])}"
            for name, column in self._values.items()
        )
        return f"sent as item {self._index[at]}: {'  '.join(fields)}"

    def _record(self, record: Records) -> str:
        names = self._values
        return "  ".join(
            f"{n} {values_text(self._block, self._stream, n, record[n])}" for n in names
        )


def _joined(one: NDArray[np.uint32] | None, other: NDArray[np.uint32]) -> NDArray[np.uint32]:
    return other if one is None or len(one) == 0 else np.concatenate((one, other))
