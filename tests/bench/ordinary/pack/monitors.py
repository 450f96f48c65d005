# SPDX-License-Identifier: Apache-2.0
"""Monitors of the packers: two for each thread, one for what they write and read, one more."""

from __future__ import annotations

from typing import ClassVar

from tilepath.isa.boundary.adc import TARGETS
from tilepath.isa.boundary.pack import LANES, PACKERS, RUN, SLOTS
from tilepath.tests.bench.ordinary.adc.monitors import CounterMonitor
from tilepath.tests.bench.ordinary.monitors import PortMonitor, Sample
from tilepath.tests.bench.ordinary.ports import Reader


class ThreadMonitor(CounterMonitor):
    """A thread's words for the counters, its own configuration, and its counters."""

    targets = (TARGETS.index("packers"),)
    events: ClassVar = {
        "counter": ("counter_valid_i", "counter_word_i"),
        "setc16": ("setc16_valid_i", "setc16_index_i", "setc16_value_i"),
    }
    flags: ClassVar = {
        "counter_fault": (
            *("counter_fault_illegal_o", "counter_fault_x_override_o", "counter_fault_empty_o"),
        )
    }


def _names(prefix: str, count: int, stream: str) -> tuple[str, ...]:
    return tuple(f"{prefix}{k}.{stream}" for k in range(count))


class LineMonitor(PortMonitor):
    """Rows of Dst, lines of L1 and their faults: of each kind several streams at once."""

    # streams → the vector that says which of them have something, the ports of the fields
    vectors: ClassVar = {
        _names("l", LANES, "row"): ("row_granted_o", "row_row_o"),
        _names("w", SLOTS, "write"): (
            *("write_valid_o", "write_line_o", "write_kind_o", "write_data_o"),
        ),
        _names("p", PACKERS, "run_fault"): ("run_fault_valid_o", "run_fault_o"),
        _names("p", PACKERS, "read"): ("read_valid_o", "read_line_o", "read_count_o"),
    }

    def build_phase(self) -> None:
        """Look all signals up; the read of the source is the last one's last."""
        super().build_phase()
        dut, stream = self.ports.dut, self.ports.stream
        self._vectors: list[tuple[Reader, list[tuple[str, Sample]]]] = []
        for names, (valid, *ports) in self.vectors.items():
            samples = [
                (name, Sample(stream(name), [getattr(dut, port)[k] for port in ports]))
                for k, name in enumerate(names)
            ]
            self._vectors.append((self.ports.reader(valid), samples))
        self._vectors[-1][1].append(
            ("source", Sample(stream("source"), [dut.read_line_o[PACKERS]]))
        )

    def sample(self, cycle: int) -> None:
        """Look at what is valid."""
        for read, streams in self._vectors:
            valid = read()
            while valid:
                low = valid & -valid
                name, fields = streams[low.bit_length() - 1]
                self.event(name, cycle, *fields())
                valid ^= low


class UnitMonitor(PortMonitor):
    """What all packers have in common."""

    events: ClassVar = {
        "issue": ("issue_valid_i", "issue_thread_i", "issue_word_i"),
        "cfg": ("cfg_valid_i", "cfg_banks_i", "cfg_index_i", "cfg_wide_i", "cfg_data_i"),
        "dst_zero": ("zero_valid_i", "zero_all_i", "zero_half_i"),
        "hist": ("hist_valid_i", "hist_op_i", "hist_mode_i", "hist_packer_i"),
        "offset": ("offset_valid_i", "offset_packers_i", "offset_value_i"),
        "setreg": ("setreg_valid_o", "setreg_address_o", "setreg_data_o"),
        "hist_data": ("hist_valid_o", "hist_data_o"),
        "fault": ("fault_valid_o", "fault_thread_o", "fault_flags_o"),
    }
    flags: ClassVar = {
        "unit_fault": ("unit_fault_o",),
        "counter_conflict": ("counter_conflict_o",),
    }
    levels: ClassVar = {
        "setreg_base": ("setreg_base_i", "setreg_scaler_i"),
        "l1_ready": ("l1_ready_i",),
        "ready": ("ready_o",),
        "busy": ("busy_o",),
    }

    def build_phase(self) -> None:
        """Look up what makes a run of rows."""
        super().build_phase()
        self._written = self.ports.reader("dst_written_o")
        self._run = [
            self.ports.reader(f"dst_{name}_i") for name in ("row", "count", "mask", "data")
        ]

    def sample(self, cycle: int) -> None:
        """Look at all of them; each mask has a word of its own."""
        super().sample(cycle)
        if self._written():
            row, count, mask, data = (read() for read in self._run)
            words = sum((mask >> 16 * k & 0xFFFF) << 32 * k for k in range(RUN))
            self.event("dst_write", cycle, row, count, words, data)
