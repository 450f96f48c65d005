# SPDX-License-Identifier: Apache-2.0
"""Monitors of the front end: five for each thread, and one for what the threads share."""

from __future__ import annotations

from tilepath.tests.bench.ordinary.monitors import PortMonitor


class CoreMonitor(PortMonitor):
    """Push port, MopCfg write port and mop_sync."""

    def build_phase(self) -> None:
        """Make the names of the streams."""
        super().build_phase()
        self._push, self._accept = self.name_of("push"), self.name_of("accept")
        self._sync, self._ack = self.name_of("sync"), self.name_of("sync_ack")
        self._mopcfg = self.name_of("mopcfg")

    def sample(self, cycle: int) -> None:
        """Look at the three ports."""
        p = self.ports
        self.handshake(self._push, self._accept, cycle, p.push_valid, p.push_ready, p.push_word)
        self.handshake(self._sync, self._ack, cycle, p.sync_req, p.sync_ack)
        if p.cfg_valid.value:
            self.event(self._mopcfg, cycle, int(p.cfg_index.value), int(p.cfg_data.value))


class BriscMonitor(PortMonitor):
    """BRISC port."""

    def build_phase(self) -> None:
        """Make the names of the streams."""
        super().build_phase()
        self._brisc, self._accept = self.name_of("brisc"), self.name_of("brisc_accept")

    def sample(self, cycle: int) -> None:
        """Look at the port."""
        p = self.ports
        self.handshake(self._brisc, self._accept, cycle, p.brisc_valid, p.brisc_ready, p.brisc_word)


class ExpanderMonitor(PortMonitor):
    """Words that the expanders take and write."""

    def build_phase(self) -> None:
        """Make the names of the streams."""
        super().build_phase()
        p = self.ports
        self._writes = (
            (self.name_of("ingest"), p.obs_ingest, p.obs_ingest_word),
            (self.name_of("mq"), p.obs_mq, p.obs_mq_word),
            (self.name_of("rq"), p.obs_rq, p.obs_rq_word),
        )

    def sample(self, cycle: int) -> None:
        """Look at the three places."""
        for stream, valid, word in self._writes:
            if valid.value:
                self.event(stream, cycle, int(word.value))


class IssueMonitor(PortMonitor):
    """Issue port; an illegal word is not offered, it is retired."""

    def build_phase(self) -> None:
        """Make the names of the streams."""
        super().build_phase()
        self._issue, self._ready = self.name_of("issue"), self.name_of("ready")

    def sample(self, cycle: int) -> None:
        """Look at the port."""
        p = self.ports
        ready = int(p.issue_ready.value)
        self.level(self._ready, cycle, ready)
        illegal = int(p.issue_illegal.value)
        if illegal or (ready and p.issue_valid.value):
            self.event(self._issue, cycle, int(p.issue_word.value), illegal)


class StatusMonitor(PortMonitor):
    """Faults, sticky faults, states of the expanders and qstatus."""

    def build_phase(self) -> None:
        """Make the names of the streams."""
        super().build_phase()
        self._fault, self._sticky = self.name_of("fault"), self.name_of("sticky")
        self._status, self._qstatus = self.name_of("status"), self.name_of("qstatus")

    def sample(self, cycle: int) -> None:
        """Look at all of them."""
        p = self.ports
        illegal = int(p.fault_illegal.value)
        race = int(p.fault_mopcfg_race.value)
        collision = int(p.fault_collision.value)
        if illegal or race or collision:
            self.event(self._fault, cycle, illegal, race, collision)
        sticky = int(p.sticky_mopcfg_race.value), int(p.sticky_collision.value)
        self.level(self._sticky, cycle, *sticky)
        states = int(p.obs_mop_state.value), int(p.obs_replay_state.value)
        self.level(self._status, cycle, *states)
        self.level(self._qstatus, cycle, int(p.qstatus.value))


class SharedMonitor(PortMonitor):
    """The one input that all threads share."""

    def sample(self, cycle: int) -> None:
        """Look at ``sfpu_cc``."""
        self.level("sfpu_cc", cycle, int(self.ports.sfpu_cc.value))
