# SPDX-License-Identifier: Apache-2.0
"""The pins of the unpackers, and what their drivers share besides them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tilepath.tb.unpack.streams import LATENCY
from tilepath.tests.bench.ordinary.ports import Ports
from tilepath.tests.bench.ordinary.unpack.items import HeldItem

PER_THREAD = (
    *("counter_valid_i", "counter_word_i"),
    *("setc16_valid_i", "setc16_index_i", "setc16_value_i"),
    *("counter_fault_illegal_o", "counter_fault_x_override_o", "counter_fault_empty_o"),
)
ISSUE = ("issue_valid_i", "issue_thread_i", "issue_word_i")
L1 = (
    *("l1_valid_o", "l1_count_o", "l1_lines_o", "l1_has_exponent_o", "l1_exponent_o"),
    *("l1_has_delta_o", "l1_delta_o"),
)
ANSWER = (*("l1_answer_valid_i", "l1_answer_lines_i", "l1_answer_exponent_i", "l1_answer_delta_i"),)
WRITE = (
    *("write_valid_o", "write_dst_o", "write_wide_o", "write_bank_o", "write_transpose_o"),
    *("write_address_o", "write_mask_o", "write_data_o", "write_high_o"),
)
EFFECTS = (
    *("clear_valid_o", "clear_banks_o", "clear_value_o"),
    *("overlay_valid_o", "overlay_stream_o", "overlay_count_o"),
    *("setreg_valid_o", "setreg_address_o", "setreg_data_o"),
    *("pointers_o", "fault_valid_o", "fault_thread_o", "fault_flags_o"),
    *("read_fault_o", "write_fault_o"),
)
CFG = ("cfg_valid_i", "cfg_banks_i", "cfg_index_i", "cfg_wide_i", "cfg_data_i")
MATRIX = (
    *("matrix_valid_i", "matrix_op_i", "matrix_file_i", "matrix_bank_i", "matrix_row_i"),
    *("matrix_banks_i", "setreg_base0_i", "setreg_base1_i"),
)
STATE = (
    *("ready_o", "hold_o", "owner_o", "busy_o", "unit_fault_o", "counter_conflict_o"),
    *("matrix_read_valid_o", "matrix_read_data_o", "matrix_read_row_valid_o"),
)
_MOST = (1 << 28) - 1


@dataclass
class Shared:
    """What items wait for, and what has no pins.

    Drivers change it right behind a rising edge; it is read at falling edges, when all have.
    ``counts``: items done, by source (``tb/unpack/items.py``).
    """

    busy: Any  # the handle
    owner: Any  # the handle
    counts: list[int] = field(default_factory=lambda: [0] * 11)
    latency: int = LATENCY
    matrix_banks: int = 0

    def count(self, source: int) -> None:
        """One more item of a player was done."""
        for one in (source, 10):
            self.counts[one] = min(_MOST, self.counts[one] + 1)

    def met(self, item: HeldItem) -> bool:
        """Whether what ``item`` waits for is so in this cycle."""
        if item.idle and int(self.busy.value) & item.idle:
            return False
        return self._happened(item.after) and self._happened(item.and_after)

    def _happened(self, condition: int) -> bool:
        source = condition >> 28
        return source == 0 or self.counts[source] >= condition & _MOST


class SharingPorts(Ports):
    """Pins, and what is shared."""

    def __init__(
        self, dut: Any, shared: Shared, names: tuple[str, ...], index: int | None = None
    ) -> None:
        super().__init__(dut, names, index)
        self.shared = shared


class ThreadPorts(SharingPorts):
    """The pins of thread ``index``, and its sets of counters.

    ``counters``: four handles an unpacker: live values and checkpoints of channel 0, then of 1.
    """

    def __init__(self, dut: Any, shared: Shared, index: int) -> None:
        super().__init__(dut, shared, PER_THREAD, index)
        self.counters = [
            [
                getattr(dut, port)[6 * index + 2 * u + c]
                for c in (0, 1)
                for port in ("live_o", "cr_o")
            ]
            for u in (0, 1)
        ]

    def idle(self) -> None:
        """No word, no write."""
        for handle in (self.counter_valid, self.counter_word):
            handle.value = 0
        for handle in (self.setc16_valid, self.setc16_index, self.setc16_value):
            handle.value = 0


class UnpackerPorts(SharingPorts):
    """The pins of unpacker ``index``."""

    def __init__(self, dut: Any, shared: Shared, index: int) -> None:
        super().__init__(dut, shared, (*ISSUE, *L1, *ANSWER, *WRITE, *EFFECTS), index)

    def name_of(self, stream: str) -> str:
        """Full name of this unpacker's ``stream``."""
        return f"u{self.index}.{stream}"

    def idle(self) -> None:
        """No word, no answer."""
        for handle in (self.issue_valid, self.issue_thread, self.issue_word):
            handle.value = 0
        for handle in (self.l1_answer_valid, self.l1_answer_lines):
            handle.value = 0
        for handle in (self.l1_answer_exponent, self.l1_answer_delta):
            handle.value = 0


class UnitPorts(SharingPorts):
    """The ports that both unpackers share; those of each thread and unpacker for gate and L1."""

    def __init__(
        self,
        dut: Any,
        shared: Shared,
        threads: list[ThreadPorts],
        unpackers: list[UnpackerPorts],
        profile: str,
    ) -> None:
        super().__init__(dut, shared, (*CFG, *MATRIX, *STATE))
        self.threads = threads
        self.unpackers = unpackers
        self.profile = profile

    def idle(self) -> None:
        """No write, no command."""
        for port in (*CFG, *MATRIX):
            getattr(self.dut, port).value = 0
