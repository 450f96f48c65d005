# SPDX-License-Identifier: Apache-2.0
"""Monitors of the address counters: two for each thread, and one for the units."""

from __future__ import annotations

from tilepath.tests.bench.ordinary.monitors import PortMonitor


class IssueMonitor(PortMonitor):
    """Instructions of one thread, and their faults."""

    def build_phase(self) -> None:
        """Make the names of the streams."""
        super().build_phase()
        self._issue, self._fault = self.name_of("issue"), self.name_of("fault")

    def sample(self, cycle: int) -> None:
        """Look at the port."""
        p = self.ports
        if p.issue_valid.value:
            self.event(self._issue, cycle, int(p.issue_word.value))
        illegal = int(p.fault_illegal.value)
        x_override = int(p.fault_x_override.value)
        empty = int(p.fault_empty.value)
        if illegal or x_override or empty:
            self.event(self._fault, cycle, illegal, x_override, empty)


class CounterMonitor(PortMonitor):
    """The counters of one set."""

    def build_phase(self) -> None:
        """Make the names of the streams."""
        super().build_phase()
        counters = self.ports.counters
        self._targets = [(self.name_of(target), handles) for target, handles in counters.items()]
        self._values = {stream: [0, 0, 0, 0] for stream, _ in self._targets}

    def sample(self, cycle: int) -> None:
        """Look at all counters and checkpoints."""
        for stream, handles in self._targets:
            values = [int(handle.value) for handle in handles]
            if values != self._values[stream]:
                self._values[stream] = values
                self.event(stream, cycle, *_fields(*values[:2]), *_fields(*values[2:]))


def _fields(live: int, checkpoint: int) -> tuple[int, ...]:
    """X and its checkpoint, then Y, Z and W with the live value in the low half."""
    pairs = [(live >> low & 0x1FFF, checkpoint >> low & 0x1FFF) for low in (19, 33, 47)]
    return live & 0x3FFFF, checkpoint & 0x3FFFF, *(high << 16 | value for value, high in pairs)


class UnitMonitor(PortMonitor):
    """Commands of the units, their faults, and conflicts."""

    def sample(self, cycle: int) -> None:
        """Look at the three ports and at the faults."""
        p = self.ports
        if p.unpack_valid.value:
            increments = (p.unpack_y0, p.unpack_z0, p.unpack_y1, p.unpack_z1)
            handles = (p.unpack_unpacker, p.unpack_thread, p.unpack_adc, *increments)
            self.event("unpack", cycle, *[int(handle.value) for handle in handles])
        if p.pack_valid.value:
            self.event("pack", cycle, int(p.pack_sets.value), int(p.pack_addr_mod.value))
        if p.flop_valid.value:
            where = (p.flop_thread, p.flop_select, p.flop_channel, p.flop_counter)
            handles = (*where, p.flop_checkpoint, p.flop_value)
            self.event("flop", cycle, *[int(handle.value) for handle in handles])
        unpack_thread = int(p.fault_unpack_thread.value)
        flop_thread = int(p.fault_flop_thread.value)
        flop_select = int(p.fault_flop_select.value)
        if unpack_thread or flop_thread or flop_select:
            self.event("unit_fault", cycle, unpack_thread, flop_thread, flop_select)
        conflict = int(p.conflict.value)
        if conflict:
            self.event("conflict", cycle, conflict)
