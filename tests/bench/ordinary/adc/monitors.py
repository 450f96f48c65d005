# SPDX-License-Identifier: Apache-2.0
"""Monitors of the address counters: two for each thread, and one for the units."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from tilepath.tb.adc.streams import TARGETS
from tilepath.tests.bench.ordinary.adc.drivers import FlopDriver, PackDriver, UnpackDriver
from tilepath.tests.bench.ordinary.monitors import PortMonitor
from tilepath.tests.bench.ordinary.ports import reader


class IssueMonitor(PortMonitor):
    """Instructions of one thread, and their faults."""

    events: ClassVar = {"issue": ("issue_valid_i", "issue_word_i")}
    flags: ClassVar = {"fault": ("fault_illegal_o", "fault_x_override_o", "fault_empty_o")}


class CounterMonitor(PortMonitor):
    """The counters of one set: of these targets, live values and checkpoints of two channels."""

    targets: ClassVar[Iterable[int]] = range(len(TARGETS))

    def build_phase(self) -> None:
        """Look the counters up."""
        super().build_phase()
        dut, first = self.ports.dut, 2 * len(TARGETS) * (self.ports.index or 0)
        self._counters = [
            (
                self.name_of(TARGETS[place]),
                [
                    reader(getattr(dut, port)[first + 2 * place + channel])
                    for channel in (0, 1)
                    for port in ("live_o", "cr_o")
                ],
            )
            for place in self.targets
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


class UnitMonitor(PortMonitor):
    """Commands of the units, their faults, and conflicts."""

    events: ClassVar = {
        "unpack": ("unpack_valid_i", *UnpackDriver.fields.values()),
        "pack": ("pack_valid_i", *PackDriver.fields.values()),
        "flop": ("flop_valid_i", *FlopDriver.fields.values()),
    }
    flags: ClassVar = {
        "unit_fault": ("fault_unpack_thread_o", "fault_flop_thread_o", "fault_flop_select_o"),
        "conflict": ("conflict_o",),
    }
