# SPDX-License-Identifier: Apache-2.0
"""The front end's ordinary bench."""

from __future__ import annotations

from typing import Any, ClassVar

from tilepath.tb.frontend.streams import THREADS
from tilepath.tests.bench.ordinary.agent import BlockEnv
from tilepath.tests.bench.ordinary.drivers import ItemDriver, LevelDriver
from tilepath.tests.bench.ordinary.monitors import Handshake, PortMonitor


class CoreDriver(ItemDriver):
    """Pushes words, writes MopCfg and requests mop_syncs."""

    pinless = True
    others = (
        *("push_valid_i", "push_word_i", "cfg_valid_i", "cfg_index_i", "cfg_data_i"),
        "sync_req_i",
    )

    def build_phase(self) -> None:
        """Look up what answers."""
        super().build_phase()
        self._taken = self.ports.reader("push_ready_o")
        self._acknowledged = self.ports.reader("sync_ack_o")

    async def drive(self, item: Any) -> None:
        """Start all that the item asks for in one cycle, and wait until it is done."""
        if item.background:
            raise ValueError("this bench knows no mop_sync in the background")
        pin = self.pin
        for _ in range(item.gap):
            await self.edge
        pushing, syncing = item.push, item.sync
        if pushing:
            pin["push_valid_i"].value = 1
            pin["push_word_i"].value = item.word
        if item.mopcfg:
            pin["cfg_valid_i"].value = 1
            pin["cfg_index_i"].value = item.index
            pin["cfg_data_i"].value = item.data
        if syncing:
            pin["sync_req_i"].value = 1
        await self.edge
        if item.mopcfg:
            pin["cfg_valid_i"].value = 0
        while True:
            if pushing and self._taken():
                pin["push_valid_i"].value = 0
                pushing = False
            if syncing and self._acknowledged():
                pin["sync_req_i"].value = 0
                syncing = False
            if not pushing and not syncing:
                return
            await self.edge


class ThreadMonitor(PortMonitor):
    """All ports of one thread."""

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


class Env(BlockEnv):
    """An agent for each thread, and one for what they share."""

    block = "frontend"
    names: ClassVar = {
        **{"mopcfg": "cfg", "sync": "sync_req", "ready": "issue", "status": "obs"},
        **{stream: f"obs_{stream}" for stream in ("ingest", "mq", "rq")},
    }

    def make_agents(self) -> None:
        """Three of threads, and one more."""
        watched = (
            Handshake("push", "accept", "push_ready_o"),
            Handshake("sync", "sync_ack", "sync_ack_o"),
            Handshake("brisc", "brisc_accept", "brisc_ready_o"),
            *("mopcfg", "ingest", "mq", "rq", "fault", "sticky", "status", "qstatus", "ready"),
        )
        for t in range(THREADS):
            self.agent(
                f"t{t}",
                {"core": CoreDriver, "gate": LevelDriver},
                {ThreadMonitor: watched},
                index=t,
                prefix="t",
                undriven=("brisc_valid_i", "brisc_word_i"),
            )
        self.agent("shared", {"sfpu_cc": LevelDriver}, {PortMonitor: ("sfpu_cc",)})
