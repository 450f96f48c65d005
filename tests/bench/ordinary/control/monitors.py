# SPDX-License-Identifier: Apache-2.0
"""Monitors of the control block: one for each thread, the cores, the units, and the state."""

from __future__ import annotations

from typing import Any

from tilepath.tb.control.streams import THREADS, UNITS, VIEWS
from tilepath.tests.bench.ordinary.monitors import PortMonitor

_WORD = 0xFFFF_FFFF


class GateMonitor(PortMonitor):
    """Issue port of one thread, its wait latch, and what its instructions do at once."""

    def build_phase(self) -> None:
        """Make the names of the streams, and the list of the latch's pins."""
        super().build_phase()
        self._offer, self._issue = self.name_of("offer"), self.name_of("issue")
        self._adc, self._fault = self.name_of("adc"), self.name_of("fault")
        self._latch, self._setc16 = self.name_of("latch"), self.name_of("setc16")
        p = self.ports
        of_latch = (p.obs_latch_kind, p.obs_latch_block, p.obs_latch_what, p.obs_latch_target)
        self._latch_pins = (p.obs_latch_valid, *of_latch)
        self._waits = False

    def sample(self, cycle: int) -> None:
        """Look at all of them."""
        p = self.ports
        offered, ready = bool(p.issue_valid.value), bool(p.issue_ready.value)
        if offered and not self._waits:
            self.event(self._offer, cycle, int(p.issue_word.value))
        self._waits = offered and not ready
        if ready:
            self.event(self._issue, cycle, int(p.issue_word.value))
        if p.adc_valid.value:
            self.event(self._adc, cycle, int(p.issue_word.value))
        faults = int(p.fault.value)
        if faults:
            self.event(self._fault, cycle, *(faults >> bit & 1 for bit in range(9)))
        self.level(self._latch, cycle, *[int(pin.value) for pin in self._latch_pins])
        if p.obs_setc16.value:
            index, data = int(p.obs_setc16_index.value), int(p.obs_setc16_data.value)
            self.event(self._setc16, cycle, index, data)


class CoreMonitor(PortMonitor):
    """Accesses of the cores to configuration and semaphores."""

    def build_phase(self) -> None:
        """Nothing is under way."""
        super().build_phase()
        self._risc = self._sem = False

    def sample(self, cycle: int) -> None:
        """Look at both ports."""
        p = self.ports
        offered, done = bool(p.risc_valid.value), bool(p.risc_done.value)
        if offered and not self._risc:
            access = (p.risc_write, p.risc_address, p.risc_data)
            self.event("risc", cycle, *[int(pin.value) for pin in access])
        self._risc = offered and not done
        if done:
            self.event("risc_done", cycle, int(p.risc_read.value))
        if p.obs_thread_write.value:
            where = int(p.obs_thread_write_thread.value), int(p.obs_thread_write_index.value)
            self.event("risc_thread_write", cycle, *where, int(p.risc_data.value) & 0xFFFF)
        outside, reset = int(p.risc_fault_cfg_oob.value), int(p.risc_fault_state_reset.value)
        if outside or reset:
            self.event("risc_fault", cycle, outside, reset)
        offered, done = bool(p.risc_sem_valid.value), bool(p.risc_sem_done.value)
        if offered and not self._sem:
            access = (p.risc_sem_write, p.risc_sem_index, p.risc_sem_get)
            self.event("risc_sem", cycle, *[int(pin.value) for pin in access])
        self._sem = offered and not done
        if done:
            self.event("risc_sem_done", cycle, int(p.risc_sem_data.value))


class UnitMonitor(PortMonitor):
    """Words for the six units, what they answer, and the configuration that three of them read."""

    def build_phase(self) -> None:
        """Nobody reads configuration yet."""
        super().build_phase()
        self._reading: list[int] = []

    def sample(self, cycle: int) -> None:
        """Look at all ports."""
        p = self.ports
        self.level("busy", cycle, int(p.busy.value))
        self.level("stream_busy", cycle, int(p.stream_busy.value))
        ready = 0
        for unit, pin in enumerate(p.unit_ready):
            if pin.value:
                ready |= 1 << unit
        self.level("unit_ready", cycle, ready)
        for view in self._reading:
            pins = (p.view_thread[view], p.view_index[view], p.view_data[view])
            self.event(f"view_{VIEWS[view]}", cycle, *[int(pin.value) for pin in pins])
        self._reading = []
        for unit, valid in enumerate(p.unit_valid):
            if valid.value:
                thread, word = int(p.unit_thread[unit].value), int(p.unit_word[unit].value)
                self.event(UNITS[unit], cycle, thread, word)
                if unit < len(VIEWS):
                    self._reading.append(unit)


class StateMonitor(PortMonitor):
    """Semaphores, mutexes, config pipeline and scalar unit as they are."""

    def sample(self, cycle: int) -> None:
        """Look at all of them."""
        p = self.ports
        self.level("semaphores", cycle, int(p.obs_sem_value.value), int(p.obs_sem_max.value))
        self.level("mutexes", cycle, int(p.obs_mutexes.value))
        self.level("config_pipe", cycle, int(p.obs_config_pipe.value))
        scalar = int(p.obs_scalar_busy.value), int(p.obs_scalar_thread.value)
        self.level("scalar", cycle, *scalar)
        self.level("sticky", cycle, int(p.sticky_cfg_oob.value))


class WriteMonitor(PortMonitor):
    """What config and scalar unit write."""

    def build_phase(self) -> None:
        """Make the names of the streams, and lists of pins."""
        super().build_phase()
        p = self.ports
        self._rdcfg = [f"t{thread}.rdcfg" for thread in range(THREADS)]
        self._gpr = [f"t{thread}.gpr" for thread in range(THREADS)]
        where = (p.obs_write_source, p.obs_write_banks)
        self._write = (*where, p.obs_write_index, p.obs_write_quad)
        self._flop = (p.obs_scalar_thread, p.obs_flop_bank, p.obs_flop_index, p.obs_flop_quad)
        target = (p.flop_adc_thread, p.flop_adc_select, p.flop_adc_channel, p.flop_adc_counter)
        self._flop_adc = (*target, p.flop_adc_checkpoint, p.flop_adc_value)

    def sample(self, cycle: int) -> None:
        """Look at all of them."""
        p = self.ports
        if p.obs_rdcfg.value:
            stream = self._rdcfg[int(p.obs_rdcfg_thread.value)]
            self.event(stream, cycle, int(p.obs_rdcfg_gpr.value), int(p.obs_rdcfg_data.value))
        halves = int(p.obs_gpr_halves.value)
        if halves:
            stream = self._gpr[int(p.obs_scalar_thread.value)]
            self.event(stream, cycle, int(p.obs_gpr.value), halves, int(p.obs_gpr_data.value))
        if p.obs_write.value:
            where = [int(pin.value) for pin in self._write]
            self.event("config_write", cycle, *where, *_words(p.obs_write_data))
        if p.obs_flop.value:
            where = [int(pin.value) for pin in self._flop]
            self.event("flop_write", cycle, *where, *_words(p.obs_flop_data))
        if p.flop_adc_valid.value:
            self.event("flop_adc", cycle, *[int(pin.value) for pin in self._flop_adc])


def _words(pin: Any) -> tuple[int, ...]:
    """The four words of 128 bits, the lowest first."""
    data = int(pin.value)
    return data & _WORD, data >> 32 & _WORD, data >> 64 & _WORD, data >> 96
