# SPDX-License-Identifier: Apache-2.0
"""What answers the control block: stubs of the six units, and the registers of all streams."""

from __future__ import annotations

from itertools import count

from cocotb.triggers import RisingEdge
from pyuvm import uvm_component

from tilepath.tb.control.items import COUNT_REGISTER, PHASE_REGISTER
from tilepath.tb.control.streams import THREADS, UNITS, VIEWERS
from tilepath.tests.bench.ordinary.ports import Ports
from tilepath.tests.bench.ordinary.responder import Responder

# Conditions of STALLWAIT that the units make: SFPU 11, XMOV 9, MATH 4, PACK 3, UNPACK1 2, UNPACK0 1
_CONDITION = (1, 2, 3, 4, 11, 9)
_FORCED = 0x0BFF  # bits 10 and 12 are made by the DUT


class UnitStubs(Responder):
    """Stands for the six units: busy after a word, asking for configuration in its entry cycle."""

    def __init__(self, name: str, parent: uvm_component, ports: Ports) -> None:
        super().__init__(name, parent, ports)
        units, dut, read = range(len(UNITS)), ports.dut, ports.reader
        self._pins = [dut.unit_ready_i[u] for u in units]
        self._valid = [read("unit_valid_o", u) for u in units]
        self._entering = [
            (read("unit_word_o", u), dut.view_thread_i[u], dut.view_index_i[u])
            for u in range(len(VIEWERS))
        ]
        self._thread = [read("unit_thread_o", u) for u in units]
        self._conditions = [dut.stream_busy_i, *(dut.busy_i[t] for t in range(THREADS))]
        self.pins = [*self._conditions, *(pin for each in self._entering for pin in each[1:])]
        self._left = [0] * len(UNITS)
        self._ready = [1] * len(UNITS)
        self._whose = [0] * len(UNITS)
        self._driven = [0] * len(self._conditions)

    def idle(self) -> None:
        """Nothing is busy, nobody reads; all units are ready."""
        super().idle()
        for pin in self._pins:
            pin.value = 1

    def begin(self) -> None:
        """Drive readiness and conditions."""
        self._show(self._left)
        self._work = self.shared.work

    def end(self) -> None:
        """Take words."""
        left, work = self._left, self._work
        for unit, ready in enumerate(self._ready):
            if left[unit]:
                left[unit] -= 1
            if ready and self._valid[unit]():
                left[unit] = getattr(work, UNITS[unit]) if work else 0
                self._whose[unit] = self._thread[unit]()
                if unit < len(VIEWERS):
                    self._enter(unit)

    def _show(self, left: list[int]) -> None:
        """Drive what has changed."""
        forced = self.shared.conditions
        values, stall = [0] * len(self._conditions), 0
        if forced:
            busy = (forced.busy0, forced.busy1, forced.busy2)
            values, stall = [forced.stream_busy, *(b & _FORCED for b in busy)], forced.stall
        for unit, cycles in enumerate(left):
            if cycles:
                values[1 + self._whose[unit]] |= 1 << _CONDITION[unit]
            ready = int(not cycles and not stall >> unit & 1)
            if ready != self._ready[unit]:
                self._ready[unit] = ready
                self._pins[unit].value = ready
        for place, value in enumerate(values):
            if value != self._driven[place]:
                self._driven[place] = value
                self._conditions[place].value = value

    def _enter(self, unit: int) -> None:
        """In the cycle to come, look at the configuration word that the instruction names."""
        word, view_thread, view_index = self._entering[unit]
        view_thread.value = self._whose[unit]
        view_index.value = word() & 511


class StreamRegisters(Responder):
    """The registers of all streams: answers the DUT in the same cycle, and publishes writes."""

    def __init__(self, name: str, parent: uvm_component, ports: Ports) -> None:
        super().__init__(name, parent, ports)
        dut, read = ports.dut, ports.reader
        self._registers: dict[tuple[int, int], int] = {}
        self._waits = [read("wait_stream_o", thread) for thread in range(THREADS)]
        self._stream, self._register = read("stream_o"), read("stream_register_o")
        ports_of_waits = (dut.wait_phase_i, dut.wait_msgs_i)
        self.pins = [pins[t] for t in range(THREADS) for pins in ports_of_waits]
        self.pins.append(dut.stream_data_i)

    def write(self, stream: int, register: int, data: int) -> None:
        """What is written at the end of a cycle shows in the next one."""
        self._registers[stream, register] = data
        self.publish("stream_write", stream, register, data)

    async def run_phase(self) -> None:
        """Answer once in each cycle: what the DUT asks for comes from its flip-flops."""
        read = self._registers.get
        driven = [0] * len(self.pins)
        falling = self.ports.clk.falling_edge
        await RisingEdge(self.ports.rst)
        for cycle in count():
            await falling
            self.cycle = cycle
            answers = []
            for selected in self._waits:
                stream = selected()
                answers.append(read((stream, PHASE_REGISTER), 0) & 0xFFFFF)
                answers.append(read((stream, COUNT_REGISTER), 0) & 0x1FFFF)
            answers.append(read((self._stream(), self._register()), 0))
            for place, answer in enumerate(answers):
                if answer != driven[place]:
                    driven[place] = answer
                    self.pins[place].value = answer
