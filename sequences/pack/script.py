# SPDX-License-Identifier: Apache-2.0
"""Programs of whole tiles as items: a thread's words, and what they need, in phases.

What a player does first in a phase waits until all that was done in earlier phases is done, and if
the phase says so until the packers are idle.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from tilepath.isa import config_field
from tilepath.sequences.pack.tile_image import COLUMNS, F64, ROWS, Kind, places, storage
from tilepath.tb.kernel.description.player import Items
from tilepath.tb.kernel.description.stimulus import Stimulus
from tilepath.tb.pack.streams import ALL_IDLE, HOLDING, RUN, RUN_WORDS, items, padded

THREAD: Final = 2
_BANK: Final = 1  # multi-hot
_RUN: Final = 8  # rows that a write has at most


class Script:
    """Collects items for ``profile``; thread 2 issues, and reads bank 0."""

    def __init__(self, profile: str) -> None:
        self.profile = profile
        self._players: dict[str, list[Items]] = {}
        self._total = 0
        self._config: dict[int, int] = {}
        self._thread: dict[int, int] = {}
        self._waits = {"after": 0, "idle": 0}
        self._fresh: set[str] = set()

    def phase(self, idle: bool = False) -> None:
        """What follows waits for all that came before, with ``idle`` for its end."""
        self._waits = {
            "after": int(HOLDING.after_all(self._total)),
            "idle": ALL_IDLE if idle else 0,
        }
        self._fresh = set()

    def put(self, player: str, *fields: Any) -> None:
        """An item of ``player``."""
        waits = {} if player in self._fresh else self._waits
        self._fresh.add(player)
        self._players.setdefault(player, []).append(items(player, fields, **waits))
        self._total += 1

    def words(self, *words: int) -> None:
        """The thread issues ``words``."""
        for word in words:
            self.put(f"t{THREAD}.issue", word)

    def setc16(self, index: int, value: int) -> None:
        """A word of the thread's configuration, if it differs."""
        if self._thread.get(index, 0) != value:
            self._thread[index] = value
            self.put(f"t{THREAD}.setc16", index, value)

    def configure(self, fields: Mapping[str, int]) -> None:
        """Write what differs from configuration with ``fields``, by name, and 0 for all others."""
        words = dict.fromkeys(self._config, 0)
        for name, value in fields.items():
            field = config_field(name)
            if not 0 <= value < 1 << field.width:
                raise ValueError(f"{name}: {value} does not fit {field.width} bits")
            words[field.addr32] = words.get(field.addr32, 0) | int(value) << field.lsb
        for index, word in words.items():
            if self._config.get(index, 0) != word:
                self.put("cfg", _BANK, index, 0, (word, 0, 0, 0))
        self._config = words

    def tile(self, kind: Kind, tile: int, numbers: F64, mapped: bool = False) -> None:
        """Write ``numbers`` to rows 64 · ``tile`` and up of Dst (``tile_image.places``)."""
        raw = storage(kind, numbers).reshape(-1, COLUMNS)
        where = places(self.profile, ROWS * tile, len(raw), kind.wide, mapped)
        if kind.wide:
            where, raw = np.concatenate((where, where + 8)), np.concatenate((raw >> 16, raw))
        order = np.argsort(where)
        where, raw = where[order], (raw[order] & 0xFFFF).astype("<u2")
        first = 0
        while first < len(where):
            count = 1
            while count < _RUN and where[first : first + count + 1][-1] == where[first] + count:
                count += 1
            data = np.ascontiguousarray(raw[first : first + count]).view("<u4").reshape(-1)
            masks = padded([0xFFFF] * count, RUN)
            self.put("dst_write", int(where[first]), count, masks, padded(data, RUN_WORDS))
            first += count

    def stimulus(self) -> Stimulus:
        """All items."""
        return {player: [np.concatenate(made)] for player, made in self._players.items()}
