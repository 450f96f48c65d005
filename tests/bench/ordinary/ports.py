# SPDX-License-Identifier: Apache-2.0
"""The pins of one thread, looked up once."""

from __future__ import annotations

from typing import Any

SHARED = ("clk_i", "rst_ni", "sfpu_cc_i")
PER_THREAD = (
    *("push_valid_i", "push_word_i", "push_ready_o"),
    *("cfg_valid_i", "cfg_index_i", "cfg_data_i", "sync_req_i", "sync_ack_o"),
    *("brisc_valid_i", "brisc_word_i", "brisc_ready_o"),
    *("issue_valid_o", "issue_word_o", "issue_illegal_o", "issue_ready_i"),
    *("qstatus_o", "fault_illegal_o", "fault_mopcfg_race_o", "fault_collision_o"),
    *("sticky_mopcfg_race_o", "sticky_collision_o", "obs_ingest_o", "obs_ingest_word_o"),
    *("obs_mq_o", "obs_mq_word_o", "obs_rq_o", "obs_rq_word_o"),
    *("obs_mop_state_o", "obs_replay_state_o"),
)


class ThreadPorts:
    """Handles of thread ``index`` under the DUT's port names without ``_i``, ``_ni``, ``_o``."""

    def __init__(self, dut: Any, index: int) -> None:
        self.index = index
        for port in SHARED:
            setattr(self, port.rpartition("_")[0], getattr(dut, port))
        for port in PER_THREAD:
            setattr(self, port.rpartition("_")[0], getattr(dut, port)[index])

    def idle(self) -> None:
        """Drive all inputs to rest, with the issue port ready."""
        for handle in (self.push_valid, self.cfg_valid, self.sync_req, self.brisc_valid):
            handle.value = 0
        for handle in (self.push_word, self.cfg_index, self.cfg_data, self.brisc_word):
            handle.value = 0
        self.issue_ready.value = 1
