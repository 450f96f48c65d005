# SPDX-License-Identifier: Apache-2.0
"""Programs of the unpackers, executed by the golden model without time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.description.player import Items
from tilepath.tb.unpack.items import DST, SRCA, SRCB
from tilepath.tb.unpack.matrix_unit import MatrixUnit
from tilepath.tb.unpack.streams import HOLDING, PLAYERS
from tilepath.tests import play_machine
from tilepath.tests.play_machine import Row

_UNPACKERS: Final = (0x42, 0x43)


class Play(play_machine.Play):
    """``reads`` and ``valid`` are what the Matrix Unit saw."""

    unit = "unpack"

    def __init__(self, stimulus: Mapping[str, Iterable[Items]], profile: str) -> None:
        super().__init__(PLAYERS, HOLDING.sources, stimulus, profile)
        self.reads: list[NDArray[np.uint32]] = []
        self.valid: list[int] = []
        self._pointer = [0, 0]  # of the Matrix Unit
        self._unit = MatrixUnit(self.machine)

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
        m, banks = self.machine, row["banks"]
        if row["follow"]:
            banks = self._pointer[0] | self._pointer[1] << 1
        for file in (SRCA, SRCB):
            if row["wait"] >> file & 1 and not m.src_owner[file, banks >> file & 1]:
                return False
        given = {**row, "banks": banks}
        self.reads += self._unit.read(given)
        self.valid += [0] * (row["read"] & 3).bit_count()
        if row["read"] & 1 << DST:
            self.valid.append(int(m.dst_valid[self._unit.place(row, row["row"])]))
        self._unit.zero(given)
        self._unit.clear(given)
        for file in (SRCA, SRCB):
            if row["release"] >> file & 1:
                m.src_owner[file, banks >> file & 1] = 0
            self._pointer[file] ^= row["toggle"] >> file & 1
        return True

    def _matrix_write(self, _: int, row: Row) -> bool:
        if row["wait"] and not self.machine.src_owner[row["target"], row["bank"]]:
            return False
        self._unit.write(row)
        return True
