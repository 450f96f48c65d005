# SPDX-License-Identifier: Apache-2.0
"""Monitors of the control block: one for each thread and each unit, the cores, and the state."""

from __future__ import annotations

from typing import ClassVar

from tilepath.tb.control.streams import THREADS, UNITS, VIEWERS
from tilepath.tests.bench.ordinary.control.drivers import RiscDriver, SemDriver
from tilepath.tests.bench.ordinary.monitors import Handshake, PortMonitor

_LATCH = tuple(f"obs_latch_{name}_o" for name in ("valid", "kind", "block", "what", "target"))


class GateMonitor(PortMonitor):
    """Issue port of one thread, its wait latch, and what its instructions do at once."""

    handshakes = (
        Handshake(
            *("offer", "issue", "issue_valid_i", "issue_ready_o"),
            *(("issue_word_i",), ("issue_word_i",)),
        ),
    )
    events: ClassVar = {
        "adc": ("adc_valid_o", "issue_word_i"),
        "setc16": ("obs_setc16_o", "obs_setc16_index_o", "obs_setc16_data_o"),
    }
    flags: ClassVar = {"fault": ("fault_o",)}
    levels: ClassVar = {"latch": _LATCH}


class CoreMonitor(PortMonitor):
    """Accesses of the cores to configuration and semaphores."""

    handshakes = (
        Handshake(
            *("risc", "risc_done", "risc_valid_i", "risc_done_o"),
            *(tuple(RiscDriver.fields.values()), ("risc_data_o",)),
        ),
        Handshake(
            *("risc_sem", "risc_sem_done", "risc_sem_valid_i", "risc_sem_done_o"),
            *(tuple(SemDriver.fields.values()), ("risc_sem_data_o",)),
        ),
    )
    events: ClassVar = {
        "risc_thread_write": (
            *("obs_thread_write_o", "obs_thread_write_thread_o", "obs_thread_write_index_o"),
            "risc_data_i",
        )
    }
    flags: ClassVar = {"risc_fault": ("risc_fault_cfg_oob_o", "risc_fault_state_reset_o")}


class ConditionMonitor(PortMonitor):
    """What the units answer."""

    levels: ClassVar = {"busy": ("busy_i",), "stream_busy": ("stream_busy_i",)}

    def build_phase(self) -> None:
        """Look up the units."""
        super().build_phase()
        self._ready = [self.ports.reader("unit_ready_i", unit) for unit in range(len(UNITS))]
        self._seen = 0

    def sample(self, cycle: int) -> None:
        """All units' readiness is one number."""
        super().sample(cycle)
        ready = sum(read() << unit for unit, read in enumerate(self._ready))
        if ready != self._seen:
            self._seen = ready
            self.event("unit_ready", cycle, ready)


class UnitMonitor(PortMonitor):
    """Words for one unit, and the configuration that it reads in the cycle after."""

    def build_phase(self) -> None:
        """Look its ports up."""
        super().build_phase()
        assert self.ports.index is not None
        self._unit = UNITS[self.ports.index]
        self._valid = self.ports.reader("unit_valid_o")
        self._word = self.sampler(self._unit, "unit_thread_o", "unit_word_o")
        self._view, self._reading = None, False
        if self._unit in VIEWERS:
            self._view = self.sampler(
                f"view_{self._unit}", "view_thread_i", "view_index_i", "view_data_o"
            )

    def name_of(self, stream: str) -> str:
        """The streams have no number, they have the unit's name."""
        return stream

    def sample(self, cycle: int) -> None:
        """Look at both ports."""
        if self._view is not None and self._reading:
            self.event(f"view_{self._unit}", cycle, *self._view())
        self._reading = bool(self._valid())
        if self._reading:
            self.event(self._unit, cycle, *self._word())


class StateMonitor(PortMonitor):
    """Semaphores, mutexes, config pipeline and scalar unit, and what these write."""

    levels: ClassVar = {
        "semaphores": ("obs_sem_value_o", "obs_sem_max_o"),
        "mutexes": ("obs_mutexes_o",),
        "config_pipe": ("obs_config_pipe_o",),
        "scalar": ("obs_scalar_busy_o", "obs_scalar_thread_o"),
        "sticky": ("sticky_cfg_oob_o",),
    }
    events: ClassVar = {
        "config_write": (
            *("obs_write_o", "obs_write_source_o", "obs_write_banks_o", "obs_write_index_o"),
            *("obs_write_quad_o", "obs_write_data_o"),
        ),
        "flop_write": (
            *("obs_flop_o", "obs_scalar_thread_o", "obs_flop_bank_o", "obs_flop_index_o"),
            *("obs_flop_quad_o", "obs_flop_data_o"),
        ),
        "flop_adc": (
            *("flop_adc_valid_o", "flop_adc_thread_o", "flop_adc_select_o", "flop_adc_channel_o"),
            *("flop_adc_counter_o", "flop_adc_checkpoint_o", "flop_adc_value_o"),
        ),
    }

    def build_phase(self) -> None:
        """Look up what belongs to the thread that a port names."""
        super().build_phase()
        read = self.ports.reader
        self._rdcfg, self._rdcfg_thread = read("obs_rdcfg_o"), read("obs_rdcfg_thread_o")
        self._rdcfg_values = self.sampler("t0.rdcfg", "obs_rdcfg_gpr_o", "obs_rdcfg_data_o")
        self._halves, self._thread = read("obs_gpr_halves_o"), read("obs_scalar_thread_o")
        self._gpr_values = self.sampler("t0.gpr", "obs_gpr_o", "obs_gpr_halves_o", "obs_gpr_data_o")
        self._names = [(f"t{t}.rdcfg", f"t{t}.gpr") for t in range(THREADS)]

    def sample(self, cycle: int) -> None:
        """Look at all of them."""
        super().sample(cycle)
        if self._rdcfg():
            self.event(self._names[self._rdcfg_thread()][0], cycle, *self._rdcfg_values())
        if self._halves():
            self.event(self._names[self._thread()][1], cycle, *self._gpr_values())
