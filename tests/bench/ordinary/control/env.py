# SPDX-License-Identifier: Apache-2.0
"""The control block's ordinary bench."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from tilepath.tb.control.streams import THREADS, UNITS, VIEWERS
from tilepath.tests.bench.ordinary.agent import BlockEnv
from tilepath.tests.bench.ordinary.control.responders import StreamRegisters, UnitStubs
from tilepath.tests.bench.ordinary.drivers import HeldDriver, LevelDriver, PinlessDriver, Progress
from tilepath.tests.bench.ordinary.monitors import Handshake, PortMonitor
from tilepath.tests.bench.ordinary.ports import Reader, reader

_SOURCES = (*(f"t{thread}.issue" for thread in range(THREADS)), "risc", "risc_sem")
_BELOW = 1 + len(_SOURCES)  # a source that is a semaphore; the next one, too


class Shared(Progress):
    """What items wait for: accesses of each source, or a semaphore; and levels without pins."""

    conditions: Any = None
    work: Any = None

    def __init__(self, semaphores: Reader) -> None:
        super().__init__(_SOURCES, 0xFFFF)
        self._semaphores = semaphores

    def free(self, item: Any) -> bool:
        """Source 0 is nothing."""
        return not item.after_source

    def met(self, item: Any) -> bool:
        """Enough was done, or the semaphore is below or above the limit."""
        source = item.after_source
        if source < _BELOW:
            return bool(self.counts[source] >= item.after_count)
        value = self._semaphores() >> 4 * item.after_semaphore & 15
        return bool(value < item.after_limit if source == _BELOW else value > item.after_limit)


class StreamDriver(HeldDriver):
    """Writes stream registers, which have no pins: in the cycle in which the item begins."""

    pinless = True

    def end(self, item: Any) -> None:
        """The register shows it from now on."""
        self.shared.streams.write(item.stream, item.register, item.data)


class ConditionsDriver(LevelDriver):
    """``hold``, and what is forced upon conditions, streams and units, which the stubs do."""

    def show(self, item: Any) -> None:
        """Tell the stubs, too."""
        super().show(item)
        self.shared.conditions = item


class ConditionMonitor(PortMonitor):
    """What the units answer."""

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

    def sample(self, cycle: int) -> None:
        """Look at both ports; the streams have no number, they have the unit's name."""
        if self._view is not None and self._reading:
            self.event(f"view_{self._unit}", cycle, *self._view())
        self._reading = bool(self._valid())
        if self._reading:
            self.event(self._unit, cycle, *self._word())


class StateMonitor(PortMonitor):
    """Semaphores, mutexes, config pipeline and scalar unit, and what these write."""

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


class Env(BlockEnv):
    """An agent for each thread and unit, and for whatever else is around the block or inside."""

    block = "control"
    names: ClassVar = {
        **{stream: f"obs_{stream}" for stream in ("latch", "setc16", "mutexes", "config_pipe")},
        **{"scalar": "obs_scalar", "semaphores": "obs_sem", "offer": "issue"},
        **{"risc_done": "risc", "risc_sem_done": "risc_sem"},
        "issue": ("", "issue_word_i"),
        "adc": ("adc_valid_o", "issue_word_i"),
        "risc_thread_write": (
            *("obs_thread_write_o", "obs_thread_write_thread_o", "obs_thread_write_index_o"),
            "risc_data_i",
        ),
        "config_write": (
            *("obs_write_o", "obs_write_source_o", "obs_write_banks_o", "obs_write_index_o"),
            *("obs_write_quad_o", "obs_write_data_o"),
        ),
        "flop_write": (
            *("obs_flop_o", "obs_scalar_thread_o", "obs_flop_bank_o", "obs_flop_index_o"),
            *("obs_flop_quad_o", "obs_flop_data_o"),
        ),
    }

    def make_agents(self) -> None:
        """Three of threads, six of units, and four more."""
        self.shared = Shared(reader(self.dut.obs_sem_value_o))
        issue = partial(HeldDriver, ready="issue_ready_o")
        gate = (
            Handshake("offer", "issue", "issue_ready_o"),
            "adc",
            "setc16",
            "fault",
            "latch",
            "busy",
        )
        for t in range(THREADS):
            self.agent(f"t{t}", {"issue": issue}, {PortMonitor: gate}, index=t, prefix="t")
        for u in range(len(UNITS)):
            self.agent(f"unit{u}", monitors={UnitMonitor: ()}, index=u)
        cores = {name: partial(HeldDriver, ready=f"{name}_done_o") for name in ("risc", "risc_sem")}
        accesses = [Handshake(name, f"{name}_done", f"{name}_done_o") for name in cores]
        self.agent("cores", cores, {PortMonitor: (*accesses, "risc_thread_write", "risc_fault")})
        self.agent("streams", {"stream": StreamDriver}, responder=StreamRegisters)
        self.agent(
            "stubs",
            {"conditions": ConditionsDriver, "work": PinlessDriver},
            {ConditionMonitor: ("hold", "stream_busy")},
            responder=UnitStubs,
        )
        state = (
            *("semaphores", "mutexes", "config_pipe", "scalar", "sticky"),
            *("config_write", "flop_write", "flop_adc"),
        )
        self.agent("state", monitors={StateMonitor: state})
