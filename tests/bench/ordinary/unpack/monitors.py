# SPDX-License-Identifier: Apache-2.0
"""Monitors of the unpackers: one for each thread, one for each unpacker, one for the rest."""

from __future__ import annotations

from tilepath.tb.adc.streams import TARGETS
from tilepath.tb.unpack.streams import SLOTS, WRITES
from tilepath.tests.bench.ordinary.monitors import PortMonitor

_GROUP = (1 << SLOTS) - 1
_LOW = (1 << 19) - 1
_HIGH = (1 << 13) - 1
_LINE = (1 << 28) - 1


class ThreadMonitor(PortMonitor):
    """A thread's words for the counters, its own configuration, and its counters."""

    def build_phase(self) -> None:
        """Make the names of the streams."""
        super().build_phase()
        self._counter, self._setc16 = self.name_of("counter"), self.name_of("setc16")
        self._fault = self.name_of("counter_fault")
        self._targets = [
            (self.name_of(target), handles)
            for target, handles in zip(TARGETS, self.ports.counters, strict=False)
        ]
        self._values = {stream: [0, 0, 0, 0] for stream, _ in self._targets}

    def sample(self, cycle: int) -> None:
        """Look at all of them."""
        p = self.ports
        if p.counter_valid.value:
            self.event(self._counter, cycle, int(p.counter_word.value))
        if p.setc16_valid.value:
            self.event(self._setc16, cycle, int(p.setc16_index.value), int(p.setc16_value.value))
        illegal = int(p.counter_fault_illegal.value)
        x_override = int(p.counter_fault_x_override.value)
        empty = int(p.counter_fault_empty.value)
        if illegal or x_override or empty:
            self.event(self._fault, cycle, illegal, x_override, empty)
        for stream, handles in self._targets:
            values = [int(handle.value) for handle in handles]
            if values != self._values[stream]:
                self._values[stream] = values
                self.event(stream, cycle, *_counters(*values[:2]), *_counters(*values[2:]))


def _counters(live: int, checkpoint: int) -> tuple[int, ...]:
    """X and its checkpoint, then Y, Z and W with the live value in the low half."""
    pairs = [(live >> low & 0x1FFF, checkpoint >> low & 0x1FFF) for low in (19, 33, 47)]
    return live & 0x3FFFF, checkpoint & 0x3FFFF, *(high << 16 | value for value, high in pairs)


class UnpackerMonitor(PortMonitor):
    """What one unpacker takes, reads, writes and reports."""

    def build_phase(self) -> None:
        """Make the names of the streams."""
        super().build_phase()
        streams = ("issue", "read", "clear", "overlay", "setreg", "fault", "pointers")
        self._name = {name: self.name_of(name) for name in (*streams, *WRITES)}
        self._read_fault, self._write_fault = (
            self.name_of("read_fault"),
            self.name_of("write_fault"),
        )

    def sample(self, cycle: int) -> None:
        """Look at all of them."""
        p = self.ports
        if p.issue_valid.value:
            word = int(p.issue_word.value)
            self.event(self._name["issue"], cycle, int(p.issue_thread.value), word)
        if p.l1_valid.value:
            self._read(cycle)
        if p.write_valid.value:
            self._write(cycle)
        if p.clear_valid.value:
            banks, value = int(p.clear_banks.value), int(p.clear_value.value)
            self.event(self._name["clear"], cycle, banks, value)
        if p.overlay_valid.value:
            stream, count = int(p.overlay_stream.value), int(p.overlay_count.value)
            self.event(self._name["overlay"], cycle, stream, count)
        if p.setreg_valid.value:
            address, data = int(p.setreg_address.value), int(p.setreg_data.value)
            self.event(self._name["setreg"], cycle, address, data)
        if p.fault_valid.value:
            thread, flags = int(p.fault_thread.value), int(p.fault_flags.value)
            self.event(self._name["fault"], cycle, thread, flags)
        faults = int(p.read_fault.value)
        if faults:
            self.event(self._read_fault, cycle, *(faults >> bit & 1 for bit in range(4)))
        faults = int(p.write_fault.value)
        if faults:
            self.event(self._write_fault, cycle, *(faults >> bit & 1 for bit in range(6)))
        self._pointers(cycle)

    def _read(self, cycle: int) -> None:
        p = self.ports
        lines = int(p.l1_lines.value)
        numbers = [lines >> 28 * place & _LINE for place in range(4)]
        exponent = int(p.l1_has_exponent.value), int(p.l1_exponent.value)
        delta = int(p.l1_has_delta.value), int(p.l1_delta.value)
        self.event(self._name["read"], cycle, int(p.l1_count.value), *numbers, *exponent, *delta)

    def _write(self, cycle: int) -> None:
        """A record for each 32 slots of which any is written; a slot's data in its own word."""
        p = self.ports
        pins = (p.write_dst, p.write_wide, p.write_bank, p.write_transpose, p.write_address)
        common = [int(pin.value) for pin in pins]
        mask, data, high = (int(q.value) for q in (p.write_mask, p.write_data, p.write_high))
        for group, name in enumerate(WRITES):
            some = mask >> SLOTS * group & _GROUP
            if some:
                words = 0
                for slot in range(SLOTS):
                    word = data >> 19 * (SLOTS * group + slot) & _LOW
                    if group == 0:
                        word |= (high >> 13 * slot & _HIGH) << 19
                    words |= word << 32 * slot
                self.event(self._name[name], cycle, *common, some, words)

    def _pointers(self, cycle: int) -> None:
        value = int(self.ports.pointers.value)
        rows = [value >> 1 + 6 * thread & 63 for thread in range(3)]
        contexts = [value >> 19 + 3 * thread & 7 for thread in range(3)]
        self.level(self._name["pointers"], cycle, value & 1, *rows, *contexts, value >> 28)


class UnitMonitor(PortMonitor):
    """What both unpackers have in common."""

    def sample(self, cycle: int) -> None:
        """Look at all ports."""
        p = self.ports
        if p.cfg_valid.value:
            pins = (p.cfg_banks, p.cfg_index, p.cfg_wide, p.cfg_data)
            self.event("cfg", cycle, *[int(pin.value) for pin in pins])
        if p.matrix_valid.value:
            pins = (p.matrix_op, p.matrix_file, p.matrix_bank, p.matrix_row)
            self.event("matrix", cycle, *[int(pin.value) for pin in pins])
        self.level("matrix_bank", cycle, int(p.matrix_banks.value))
        self.level("setreg_base", cycle, int(p.setreg_base0.value), int(p.setreg_base1.value))
        self.level("ready", cycle, int(p.ready.value))
        self.level("hold", cycle, int(p.hold.value))
        self.level("owner", cycle, int(p.owner.value))
        self.level("busy", cycle, int(p.busy.value))
        faults = int(p.unit_fault.value)
        if faults:
            self.event("unit_fault", cycle, *(faults >> bit & 1 for bit in range(3)))
        if p.matrix_read_valid.value:
            data, valid = int(p.matrix_read_data.value), int(p.matrix_read_row_valid.value)
            self.event("matrix_read", cycle, data, valid)
        conflict = int(p.counter_conflict.value)
        if conflict:
            self.event("counter_conflict", cycle, conflict)
