# SPDX-License-Identifier: Apache-2.0
"""Programs of the unpackers, executed by the golden model without time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.tb.kernel.description.player import Items
from tilepath.tb.unpack.items import DST, READ, RELEASE, SRCB, ZERO
from tilepath.tb.unpack.streams import HOLDING, PLAYERS
from tilepath.tests import play_machine
from tilepath.tests.play_machine import Row

_UNPACKERS: Final = (0x42, 0x43)


class Play(play_machine.Play):
    """``reads`` and ``valid`` are what the Matrix Unit saw."""

    def __init__(self, stimulus: Mapping[str, Iterable[Items]], profile: str) -> None:
        super().__init__(PLAYERS, HOLDING.sources, stimulus, profile)
        self.reads: list[NDArray[np.uint32]] = []
        self.valid: list[int] = []
        self._pointer = [0, 0]  # of the Matrix Unit

    def words(self) -> NDArray[np.uint32]:
        """What the Matrix Unit read: n × 16."""
        return np.array(self.reads, np.uint32).reshape(-1, 16)

    def _issue(self, thread: int, row: Row) -> bool:
        word = row["word"]
        unit = word >> 23 & 1
        if word >> 24 in _UNPACKERS:
            m = self.machine
            if m.src_owner[unit, m.src_bank[unit]]:
                return False
        self.machine.execute(thread, word)
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
