# SPDX-License-Identifier: Apache-2.0
"""The pins of the control block, and what its drivers and responders share besides them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tilepath.tb.control.streams import THREADS, UNITS, VIEWS
from tilepath.tests.bench.ordinary.ports import Ports, plain

PER_THREAD = (
    *("issue_valid_i", "issue_word_i", "issue_ready_o", "adc_valid_o", "fault_o"),
    *("obs_latch_valid_o", "obs_latch_kind_o", "obs_latch_block_o", "obs_latch_what_o"),
    *("obs_latch_target_o", "obs_setc16_o", "obs_setc16_index_o", "obs_setc16_data_o"),
)
CORES = (
    *("risc_valid_i", "risc_write_i", "risc_address_i", "risc_data_i"),
    *("risc_done_o", "risc_sem_valid_i", "risc_sem_write_i", "risc_sem_index_i"),
    *("risc_sem_get_i", "risc_sem_done_o", "risc_sem_data_o"),
    *("risc_fault_cfg_oob_o", "risc_fault_state_reset_o"),
    *("obs_thread_write_o", "obs_thread_write_thread_o", "obs_thread_write_index_o"),
)
STATE = (
    *("obs_sem_value_o", "obs_sem_max_o", "obs_mutexes_o", "obs_config_pipe_o"),
    *("obs_scalar_busy_o", "obs_scalar_thread_o", "sticky_cfg_oob_o"),
    *("obs_rdcfg_o", "obs_rdcfg_thread_o", "obs_rdcfg_gpr_o", "obs_rdcfg_data_o"),
    *("obs_gpr_halves_o", "obs_gpr_o", "obs_gpr_data_o"),
    *("obs_write_o", "obs_write_source_o", "obs_write_banks_o", "obs_write_index_o"),
    *("obs_write_quad_o", "obs_write_data_o"),
    *("obs_flop_o", "obs_flop_bank_o", "obs_flop_index_o", "obs_flop_quad_o", "obs_flop_data_o"),
    *("flop_adc_valid_o", "flop_adc_thread_o", "flop_adc_select_o", "flop_adc_channel_o"),
    *("flop_adc_counter_o", "flop_adc_checkpoint_o", "flop_adc_value_o"),
)
_MOST = 0xFFFF


@dataclass
class Shared:
    """What items wait for, and the levels that only the stubs of the units see.

    Drivers change it right behind a rising edge; it is read at falling edges, when all have.
    ``counts``: by source (``tb/control/items.py``), issued words and accesses done.
    """

    semaphores: Any  # the handle of their values
    counts: list[int] = field(default_factory=lambda: [0] * 6)
    conditions: int = 0
    work: int = 0

    def count(self, source: int) -> None:
        """One more word of a thread issued, or one more access done."""
        self.counts[source] = min(_MOST, self.counts[source] + 1)

    def met(self, after: int) -> bool:
        """Whether what the word ``after`` names is so in this cycle."""
        source = after >> 16 & 7
        if source < 6:
            return self.counts[source] >= after & _MOST
        value = int(self.semaphores.value) >> 4 * (after >> 12 & 7) & 15
        return value < after & 15 if source == 6 else value > after & 15


class SharingPorts(Ports):
    """Pins, and what is shared."""

    def __init__(
        self, dut: Any, shared: Shared, names: tuple[str, ...], index: int | None = None
    ) -> None:
        super().__init__(dut, names, index)
        self.shared = shared


class ThreadPorts(SharingPorts):
    """The pins of thread ``index``."""

    def __init__(self, dut: Any, shared: Shared, index: int) -> None:
        super().__init__(dut, shared, PER_THREAD, index)

    def idle(self) -> None:
        """No word."""
        self.issue_valid.value = 0
        self.issue_word.value = 0


class CorePorts(SharingPorts):
    """The ports of the cores."""

    def __init__(self, dut: Any, shared: Shared) -> None:
        super().__init__(dut, shared, ("risc_data_o", *CORES))
        self.risc_read = dut.risc_data_o
        self.risc_data = dut.risc_data_i

    def idle(self) -> None:
        """No access."""
        for port in CORES:
            if port.endswith("_i"):
                getattr(self.dut, port).value = 0


class StreamPorts(SharingPorts):
    """Where stream registers are read: one stream a thread, and one register for STREAMWRCFG."""

    def __init__(self, dut: Any, shared: Shared) -> None:
        super().__init__(dut, shared, ("stream_o", "stream_register_o", "stream_data_i"))
        self.waits = [
            (dut.wait_stream_o[t], dut.wait_phase_i[t], dut.wait_msgs_i[t]) for t in range(THREADS)
        ]

    def idle(self) -> None:
        """All registers are 0."""
        self.stream_data.value = 0
        for _, phase, messages in self.waits:
            phase.value = 0
            messages.value = 0


class UnitPorts(SharingPorts):
    """The ports of the six units, lists by number, and the conditions of STALLWAIT."""

    def __init__(self, dut: Any, shared: Shared) -> None:
        super().__init__(dut, shared, ("busy_i", "stream_busy_i"))
        for port in ("unit_ready_i", "unit_valid_o", "unit_thread_o", "unit_word_o"):
            setattr(self, plain(port), [getattr(dut, port)[u] for u in range(len(UNITS))])
        for port in ("view_thread_i", "view_index_i", "view_data_o"):
            setattr(self, plain(port), [getattr(dut, port)[v] for v in range(len(VIEWS))])

    def idle(self) -> None:
        """All units are ready, nothing is busy."""
        self.busy.value = 0
        self.stream_busy.value = 0
        for ready in self.unit_ready:
            ready.value = 1
        for handle in (*self.view_thread, *self.view_index):
            handle.value = 0


class StatePorts(Ports):
    """What config, sync and scalar unit show."""

    def __init__(self, dut: Any) -> None:
        super().__init__(dut, STATE)
