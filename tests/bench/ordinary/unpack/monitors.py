# SPDX-License-Identifier: Apache-2.0
"""Monitors of the unpackers: two for each thread, one for each unpacker, one for the rest."""

from __future__ import annotations

from typing import ClassVar

from tilepath.tb.unpack.streams import SLOTS, UNPACKERS, WRITES
from tilepath.tests.bench.ordinary.adc.monitors import CounterMonitor
from tilepath.tests.bench.ordinary.monitors import PortMonitor

_GROUP = (1 << SLOTS) - 1
_LOW = (1 << 19) - 1
_HIGH = (1 << 13) - 1


class ThreadMonitor(CounterMonitor):
    """A thread's words for the counters, its own configuration, and its counters."""

    targets = range(UNPACKERS)
    events: ClassVar = {
        "counter": ("counter_valid_i", "counter_word_i"),
        "setc16": ("setc16_valid_i", "setc16_index_i", "setc16_value_i"),
    }
    flags: ClassVar = {
        "counter_fault": (
            *("counter_fault_illegal_o", "counter_fault_x_override_o", "counter_fault_empty_o"),
        )
    }


class UnpackerMonitor(PortMonitor):
    """What one unpacker takes, reads, writes and reports."""

    events: ClassVar = {
        "issue": ("issue_valid_i", "issue_thread_i", "issue_word_i"),
        "read": (
            *("l1_valid_o", "l1_count_o", "l1_lines_o", "l1_has_exponent_o", "l1_exponent_o"),
            *("l1_has_delta_o", "l1_delta_o", "l1_rsi_count_o", "l1_rsi_o"),
        ),
        "clear": ("clear_valid_o", "clear_banks_o", "clear_value_o"),
        "overlay": ("overlay_valid_o", "overlay_stream_o", "overlay_count_o"),
        "setreg": ("setreg_valid_o", "setreg_address_o", "setreg_data_o"),
        "fault": ("fault_valid_o", "fault_thread_o", "fault_flags_o"),
    }
    flags: ClassVar = {"read_fault": ("read_fault_o",), "write_fault": ("write_fault_o",)}
    levels: ClassVar = {"pointers": ("pointers_o",)}

    def build_phase(self) -> None:
        """Look up what makes a write."""
        super().build_phase()
        read = self.ports.reader
        names = ("dst", "wide", "bank", "transpose", "address", "mask", "low", "high")
        *self._common, self._mask, self._low, self._high = (read(f"write_{n}_o") for n in names)
        self._write_valid = read("write_valid_o")
        self._writes = [self.name_of(name) for name in WRITES]

    def sample(self, cycle: int) -> None:
        """Look at all of them."""
        super().sample(cycle)
        if self._write_valid():
            self._write(cycle)

    def _write(self, cycle: int) -> None:
        """A record for each 32 slots of which any is written; a slot's data in its own word."""
        common = [read() for read in self._common]
        mask, low, high = self._mask(), self._low(), self._high()
        for group, name in enumerate(self._writes):
            some = mask >> SLOTS * group & _GROUP
            if some:
                words = 0
                for slot in range(SLOTS):
                    word = low >> 19 * (SLOTS * group + slot) & _LOW
                    if group == 0:
                        word |= (high >> 13 * slot & _HIGH) << 19
                    words |= word << 32 * slot
                self.event(name, cycle, *common, some, words)


class UnitMonitor(PortMonitor):
    """What both unpackers have in common."""

    events: ClassVar = {
        "cfg": ("cfg_valid_i", "cfg_banks_i", "cfg_index_i", "cfg_wide_i", "cfg_data_i"),
        "matrix": (
            *("matrix_valid_i", "matrix_op_i", "matrix_file_i", "matrix_bank_i", "matrix_row_i"),
        ),
        "matrix_read": ("matrix_read_valid_o", "matrix_read_data_o", "matrix_read_row_valid_o"),
    }
    flags: ClassVar = {
        "unit_fault": ("unit_fault_o",),
        "counter_conflict": ("counter_conflict_o",),
    }
    levels: ClassVar = {
        "matrix_bank": ("matrix_banks_i",),
        "setreg_base": ("setreg_base0_i", "setreg_base1_i"),
        "ready": ("ready_o",),
        "hold": ("hold_o",),
        "owner": ("owner_o",),
        "busy": ("busy_o",),
    }
