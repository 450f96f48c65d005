# SPDX-License-Identifier: Apache-2.0
"""Drivers of the flag pipe, and of what its memories are told."""

from __future__ import annotations

from typing import Any, ClassVar

from tilepath.isa.boundary.flag_pipe import COMMAND, COMPUTE
from tilepath.tb.flag_pipe.streams import HOLDING
from tilepath.tests.bench.ordinary.drivers import HeldDriver, LevelDriver


class CmdDriver(HeldDriver):
    """Commands of one core."""

    valid, ready = "cmd_valid_i", "cmd_ready_o"
    fields: ClassVar = {field.name: f"{field.name}_i" for field in (*COMMAND, *COMPUTE)}

    def end(self, item: Any) -> None:
        """With its command the core looks at its memory, and fills a tile."""
        assert self.ports.index is not None
        self.source = 1 + self.ports.index
        super().end(item)
        self.shared.memories.work(self.ports.index, item)


class ClrDriver(HeldDriver):
    """Clears of pairs."""

    source = len(HOLDING.sources)
    valid = "clr_valid_i"
    fields: ClassVar = {"pairs": "clr_pairs_i"}


class WriteDriver(LevelDriver):
    """Whether a write port of a memory is ready; it has no latency."""

    fields: ClassVar = {"ready": "ready_i"}
    others = ("latency_i",)
    rest: ClassVar = {"ready_i": 1}


class ReadDriver(LevelDriver):
    """Whether a read port of a memory is ready, and how long it takes."""

    fields: ClassVar = {"ready": "ready_i", "latency": "latency_i"}
    rest: ClassVar = {"ready_i": 1, "latency_i": 1}
