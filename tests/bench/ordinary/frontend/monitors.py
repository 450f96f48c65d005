# SPDX-License-Identifier: Apache-2.0
"""Monitors of the front end: one for each thread, and one for what the threads share."""

from __future__ import annotations

from typing import ClassVar

from tilepath.tests.bench.ordinary.monitors import Handshake, PortMonitor


class ThreadMonitor(PortMonitor):
    """All ports of one thread."""

    handshakes = (
        Handshake("push", "accept", "push_valid_i", "push_ready_o", ("push_word_i",)),
        Handshake("sync", "sync_ack", "sync_req_i", "sync_ack_o"),
        Handshake("brisc", "brisc_accept", "brisc_valid_i", "brisc_ready_o", ("brisc_word_i",)),
    )
    events: ClassVar = {
        "mopcfg": ("cfg_valid_i", "cfg_index_i", "cfg_data_i"),
        "ingest": ("obs_ingest_o", "obs_ingest_word_o"),
        "mq": ("obs_mq_o", "obs_mq_word_o"),
        "rq": ("obs_rq_o", "obs_rq_word_o"),
    }
    flags: ClassVar = {"fault": ("fault_illegal_o", "fault_mopcfg_race_o", "fault_collision_o")}
    levels: ClassVar = {
        "sticky": ("sticky_mopcfg_race_o", "sticky_collision_o"),
        "status": ("obs_mop_state_o", "obs_replay_state_o"),
        "qstatus": ("qstatus_o",),
        "ready": ("issue_ready_i",),
    }

    def build_phase(self) -> None:
        """Look up the issue port, too."""
        super().build_phase()
        read = self.ports.reader
        self._issue = self.name_of("issue")
        self._valid, self._ready = read("issue_valid_o"), read("issue_ready_i")
        self._illegal, self._word = read("issue_illegal_o"), read("issue_word_o")

    def sample(self, cycle: int) -> None:
        """An illegal word is not offered at the issue port, it is retired."""
        super().sample(cycle)
        illegal = self._illegal()
        if illegal or (self._valid() and self._ready()):
            self.event(self._issue, cycle, self._word(), illegal)


class SharedMonitor(PortMonitor):
    """The one input that all threads share."""

    levels: ClassVar = {"sfpu_cc": ("sfpu_cc_i",)}
