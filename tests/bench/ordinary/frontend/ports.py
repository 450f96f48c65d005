# SPDX-License-Identifier: Apache-2.0
"""The pins of the front end."""

from __future__ import annotations

from typing import Any

from tilepath.tests.bench.ordinary.ports import Ports

SHARED = ("sfpu_cc_i",)
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


class ThreadPorts(Ports):
    """The pins of thread ``index``."""

    def __init__(self, dut: Any, index: int) -> None:
        super().__init__(dut, PER_THREAD, index)

    def idle(self) -> None:
        """Drive all inputs to rest, with the issue port ready."""
        for handle in (self.push_valid, self.cfg_valid, self.sync_req, self.brisc_valid):
            handle.value = 0
        for handle in (self.push_word, self.cfg_index, self.cfg_data, self.brisc_word):
            handle.value = 0
        self.issue_ready.value = 1


class SharedPorts(Ports):
    """The one input that all threads share."""

    def __init__(self, dut: Any) -> None:
        super().__init__(dut, SHARED)

    def idle(self) -> None:
        """No SFPU condition."""
        self.sfpu_cc.value = 0
