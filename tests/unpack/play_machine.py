# SPDX-License-Identifier: Apache-2.0
"""A program's items executed by the golden model without time, in an order that they allow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.models.machine import Machine
from tilepath.tb.kernel.description.player import Items
from tilepath.tb.unpack.items import DST, READ, RELEASE, SRCB, ZERO
from tilepath.tb.unpack.streams import PLAYERS

_SOURCES: Final = (
    *(f"t{thread}.issue" for thread in range(3)),
    "cfg",
    *(f"t{thread}.setc16" for thread in range(3)),
    "matrix",
    "l1_write",
)  # of conditions, 1 … 9
_ORDER: Final = ("matrix", "l1_write", "cfg", *_SOURCES[4:7], *_SOURCES[:3])
_SETC16: Final = 0xB2
_UNPACKERS: Final = (0x42, 0x43)


_PLAYERS: Final = {name: player for player in PLAYERS for name in player.instances}

Row = dict[str, Any]


def _rows(name: str, parts: Iterable[Items]) -> list[Row]:
    """The items of a player, each as its fields."""
    player = _PLAYERS[name]
    items = np.concatenate([np.zeros((0, player.words), np.uint32), *parts])
    fields = {field: values.tolist() for field, values in player.unpack(items).items()}
    return [dict(zip(fields, row, strict=True)) for row in zip(*fields.values(), strict=True)]


class Play:
    """Plays items of all players: ``reads`` and ``valid`` are what the Matrix Unit saw."""

    def __init__(self, stimulus: Mapping[str, Iterable[Items]], profile: str) -> None:
        self.machine = Machine(profile)
        self.reads: list[NDArray[np.uint32]] = []
        self.valid: list[int] = []
        self._pointer = [0, 0]  # of the Matrix Unit
        self._items = {name: _rows(name, stimulus.get(name, ())) for name in _SOURCES}
        self._done = dict.fromkeys(_SOURCES, 0)

    def run(self) -> Play:
        """Play everything; ``AssertionError`` if the players wait for one another."""
        while any(self._done[name] < len(items) for name, items in self._items.items()):
            assert any(self._step(name) for name in _ORDER), f"all wait: {self._done}"
        return self

    def words(self) -> NDArray[np.uint32]:
        """What the Matrix Unit read: n × 16."""
        return np.array(self.reads, np.uint32).reshape(-1, 16)

    def _step(self, name: str) -> bool:
        """The next item of a player, if it may."""
        place = self._done[name]
        if place == len(self._items[name]):
            return False
        row = self._items[name][place]
        held = self._holds(row["after_source"], row["after_count"])
        if not (held and self._holds(row["and_source"], row["and_count"])):
            return False
        kind = name.rpartition(".")[2]
        if not getattr(self, f"_{kind}")(int(name[1]) if "." in name else 0, row):
            return False
        self._done[name] += 1
        return True

    def _holds(self, source: int, count: int) -> bool:
        if source == 0:
            return True
        done = sum(self._done.values()) if source == 10 else self._done[_SOURCES[source - 1]]
        return done >= count

    def _issue(self, thread: int, row: Row) -> bool:
        word = row["word"]
        unit = word >> 23 & 1
        if word >> 24 in _UNPACKERS:
            m = self.machine
            if m.src_owner[unit, m.src_bank[unit]]:
                return False
        self.machine.execute(thread, word)
        return True

    def _cfg(self, _: int, row: Row) -> bool:
        index = row["index"]
        first, count = (index & ~3, 4) if row["wide"] else (index, 1)
        for bank in range(2):
            if row["banks"] >> bank & 1:
                self.machine.config[bank, first : first + count] = row["data"][:count]
        return True

    def _setc16(self, thread: int, row: Row) -> bool:
        self.machine.execute(thread, _SETC16 << 24 | row["index"] << 16 | row["value"])
        return True

    def _l1_write(self, _: int, row: Row) -> bool:
        at = 16 * row["line"]
        self.machine.l1[at : at + 64] = np.array(row["data"], "<u4").view(np.uint8)
        return True

    def _matrix(self, _: int, row: Row) -> bool:
        op, file, bank, at = (row[name] for name in ("op", "file", "bank", "row"))
        wait, toggle, follow = (row[name] for name in ("wait", "toggle", "follow"))
        unit = int(file == SRCB)
        bank = self._pointer[unit] if follow else bank
        m = self.machine
        if wait and not m.src_owner[unit, bank]:
            return False
        if op == RELEASE:
            m.src_owner[unit, bank] = 0
        elif op == ZERO and file == DST:  # P58
            m.dst_valid[:] = 0 if at & 1 else m.dst_valid & (np.arange(1024) // 512 != bank)
        elif op == READ:
            files = (m.src_a[bank], m.src_b[bank], m.dst)
            self.reads.append(files[file][at].astype(np.uint32))
            self.valid.append(int(m.dst_valid[at]) if file == DST else 0)
        self._pointer[unit] ^= toggle
        return True
