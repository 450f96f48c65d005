# SPDX-License-Identifier: Apache-2.0
"""A program's items executed by the golden model without time, in an order that they allow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np

from tilepath.models.machine import Machine
from tilepath.tb.kernel.description.player import Items
from tilepath.tb.pack.streams import HOLDING, PLAYERS

_SETC16: Final = 0xB2
_PLAYERS: Final = {name: player for player in PLAYERS for name in player.instances}
Row = dict[str, Any]


class Play:
    """Plays items of all players that items can wait for."""

    def __init__(self, stimulus: Mapping[str, Iterable[Items]], profile: str) -> None:
        self.machine = Machine(profile)
        self._items = {name: _rows(name, stimulus.get(name, ())) for name in HOLDING.sources}
        self._done = dict.fromkeys(self._items, 0)

    def run(self) -> Play:
        """Play everything; ``AssertionError`` if the players wait for one another."""
        order = sorted(self._items, key=lambda name: name.endswith(".issue"))
        while any(self._done[name] < len(rows) for name, rows in self._items.items()):
            assert any(self._step(name) for name in order), f"all wait: {self._done}"
        return self

    def _step(self, name: str) -> bool:
        place = self._done[name]
        if place == len(self._items[name]):
            return False
        row = self._items[name][place]
        if not (self._holds(row, "after") and self._holds(row, "and")):
            return False
        getattr(self, f"_{name.rpartition('.')[2]}")(int(name[1]) if "." in name else 0, row)
        self._done[name] += 1
        return True

    def _holds(self, row: Row, way: str) -> bool:
        source, count = row[f"{way}_source"], row[f"{way}_count"]
        if source > len(HOLDING.sources):
            return bool(sum(self._done.values()) >= count)
        return bool(source == 0 or self._done[HOLDING.sources[source - 1]] >= count)

    def _issue(self, thread: int, row: Row) -> None:
        self.machine.execute(thread, row["word"])

    def _cfg(self, _: int, row: Row) -> None:
        index = row["index"]
        first, count = (index & ~3, 4) if row["wide"] else (index, 1)
        for bank in range(2):
            if row["banks"] >> bank & 1 or index >= 180:
                self.machine.config[bank, first : first + count] = row["data"][:count]

    def _setc16(self, thread: int, row: Row) -> None:
        self.machine.execute(thread, _SETC16 << 24 | row["index"] << 16 | row["value"])

    def _dst_write(self, _: int, row: Row) -> None:
        rows = np.array(row["data"], "<u4").view("<u2").reshape(-1, 16)
        for k in range(row["count"]):
            columns = row["mask"][k] >> np.arange(16) & 1 == 1
            self.machine.dst[(row["row"] + k) % 1024, columns] = rows[k, columns]
            self.machine.dst_valid[(row["row"] + k) % 1024] = 1

    def _dst_zero(self, _: int, row: Row) -> None:
        half = 0x18_0000 if row["all"] else 0x10_0000 | row["half"]
        self.machine.execute(1, 0x10 << 24 | half)

    def _offset(self, _: int, row: Row) -> None:
        for packer in range(4):
            if row["packers"] >> packer & 1:
                self.machine.l1_dest_addr_offset[packer] = row["value"]

    def _l1_write(self, _: int, row: Row) -> None:
        at = 16 * row["line"]
        self.machine.l1[at : at + 64] = np.array(row["data"], "<u4").view(np.uint8)


def _rows(name: str, parts: Iterable[Items]) -> list[Row]:
    """The items of a player, each as its fields."""
    player = _PLAYERS[name]
    items = np.concatenate([np.zeros((0, player.words), np.uint32), *parts])
    fields = {field: values.tolist() for field, values in player.unpack(items).items()}
    return [dict(zip(fields, row, strict=True)) for row in zip(*fields.values(), strict=True)]
