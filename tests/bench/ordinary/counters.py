# SPDX-License-Identifier: Apache-2.0
"""The monitor of address counters, wherever they are."""

from __future__ import annotations

from tilepath.tb.adc.streams import TARGETS
from tilepath.tests.bench.ordinary.monitors import PortMonitor
from tilepath.tests.bench.ordinary.ports import reader


class CounterMonitor(PortMonitor):
    """One thread; of the counters of a target, live values and checkpoints of two channels."""

    def build_phase(self) -> None:
        """Look the counters up; they have no ports of their own."""
        targets = [name for name in self.streams if name in TARGETS]
        self.streams = [name for name in self.streams if name not in TARGETS]
        super().build_phase()
        dut, first = self.ports.dut, 2 * len(TARGETS) * (self.ports.index or 0)
        self._counters = [
            (
                self.name_of(target),
                [
                    reader(getattr(dut, port)[first + 2 * TARGETS.index(target) + channel])
                    for channel in (0, 1)
                    for port in ("live_o", "cr_o")
                ],
            )
            for target in TARGETS
            if target in targets
        ]
        self._values = [[0, 0, 0, 0] for _ in self._counters]

    def sample(self, cycle: int) -> None:
        """Look at all counters and checkpoints."""
        super().sample(cycle)
        for place, (stream, reads) in enumerate(self._counters):
            values = [read() for read in reads]
            if values != self._values[place]:
                self._values[place] = values
                self.event(stream, cycle, *_fields(*values[:2]), *_fields(*values[2:]))


def _fields(live: int, checkpoint: int) -> tuple[int, ...]:
    """X and its checkpoint, then Y, Z and W with the live value in the low half."""
    pairs = [(live >> low & 0x1FFF, checkpoint >> low & 0x1FFF) for low in (19, 33, 47)]
    return live & 0x3FFFF, checkpoint & 0x3FFFF, *(high << 16 | value for value, high in pairs)
