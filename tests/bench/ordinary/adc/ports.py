# SPDX-License-Identifier: Apache-2.0
"""The pins of the address counters."""

from __future__ import annotations

from typing import Any

from tilepath.tb.adc.streams import TARGETS
from tilepath.tests.bench.ordinary.ports import Ports

PER_THREAD = (
    *("issue_valid_i", "issue_word_i"),
    *("fault_illegal_o", "fault_x_override_o", "fault_empty_o"),
)
UNPACK = (
    *("unpack_valid_i", "unpack_unpacker_i", "unpack_thread_i", "unpack_adc_i"),
    *("unpack_y0_i", "unpack_z0_i", "unpack_y1_i", "unpack_z1_i"),
)
PACK = ("pack_valid_i", "pack_sets_i", "pack_addr_mod_i")
FLOP = (
    *("flop_valid_i", "flop_thread_i", "flop_select_i", "flop_channel_i", "flop_counter_i"),
    *("flop_checkpoint_i", "flop_value_i"),
)
FAULTS = ("fault_unpack_thread_o", "fault_flop_thread_o", "fault_flop_select_o", "conflict_o")
_COUNTERS = ("live_o", "cr_o")


class ThreadPorts(Ports):
    """Issue port of thread ``index``, and the counters of its set.

    ``counters``: target → four handles: live values and checkpoints of channel 0, then of 1.
    """

    def __init__(self, dut: Any, index: int) -> None:
        super().__init__(dut, PER_THREAD, index)
        self.counters = {
            target: [
                getattr(dut, port)[6 * index + 2 * place + channel]
                for channel in (0, 1)
                for port in _COUNTERS
            ]
            for place, target in enumerate(TARGETS)
        }

    def idle(self) -> None:
        """No instruction."""
        self.issue_valid.value = 0
        self.issue_word.value = 0


class UnitPorts(Ports):
    """The ports of the three units, and what all writers share."""

    def __init__(self, dut: Any) -> None:
        super().__init__(dut, (*UNPACK, *PACK, *FLOP, *FAULTS))

    def idle(self) -> None:
        """No command."""
        for port in (*UNPACK, *PACK, *FLOP):
            getattr(self.dut, port).value = 0
