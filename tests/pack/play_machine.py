# SPDX-License-Identifier: Apache-2.0
"""Programs of the packers, executed by the golden model without time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from tilepath.tb.kernel.description.player import Items
from tilepath.tb.pack.streams import HOLDING, PLAYERS
from tilepath.tests import play_machine
from tilepath.tests.play_machine import Row


class Play(play_machine.Play):
    """What is around the packers: Dst, L1, offsets of destinations."""

    def __init__(self, stimulus: Mapping[str, Iterable[Items]], profile: str) -> None:
        super().__init__(PLAYERS, HOLDING.sources, stimulus, profile)

    def _issue(self, thread: int, row: Row) -> None:
        self.machine.execute(thread, row["word"])

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
