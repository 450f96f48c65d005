# SPDX-License-Identifier: Apache-2.0
"""The address counters' ordinary bench; no command is refused, so each is there for a cycle."""

from __future__ import annotations

from typing import ClassVar

from tilepath.tb.adc.streams import SETS, TARGETS
from tilepath.tests.bench.ordinary.agent import BlockEnv
from tilepath.tests.bench.ordinary.counters import CounterMonitor
from tilepath.tests.bench.ordinary.drivers import ItemDriver
from tilepath.tests.bench.ordinary.monitors import PortMonitor


class Env(BlockEnv):
    """An agent for each thread with the set that belongs to it, and one for the units."""

    block = "adc"
    names: ClassVar = {"unit_fault": "fault"}

    def make_agents(self) -> None:
        """Three of threads, and one more."""
        for t in range(SETS):
            watched = {PortMonitor: ("issue", "fault"), CounterMonitor: TARGETS}
            self.agent(f"t{t}", {"issue": ItemDriver}, watched, index=t, prefix="t")
        units = ("unpack", "pack", "flop")
        self.agent(
            "units",
            dict.fromkeys(units, ItemDriver),
            {PortMonitor: (*units, "unit_fault", "conflict")},
        )
