# SPDX-License-Identifier: Apache-2.0
"""Agents and environment of the address counters' ordinary bench."""

from __future__ import annotations

from typing import ClassVar

from tilepath.tb.adc.streams import SETS
from tilepath.tests.bench.ordinary.adc import drivers, monitors
from tilepath.tests.bench.ordinary.agent import BlockEnv, InterfaceAgent


class ThreadAgent(InterfaceAgent):
    """One thread, and the set that belongs to it."""

    drivers: ClassVar = {"issue": drivers.IssueDriver}
    monitors = (monitors.IssueMonitor, monitors.CounterMonitor)


class UnitAgent(InterfaceAgent):
    """Unpackers, packers and REG2FLOP."""

    drivers: ClassVar = {
        "unpack": drivers.UnpackDriver,
        "pack": drivers.PackDriver,
        "flop": drivers.FlopDriver,
    }
    monitors = (monitors.UnitMonitor,)


class Env(BlockEnv):
    """An agent for each thread, and one for the units."""

    block = "adc"

    def make_agents(self) -> list[InterfaceAgent]:
        """Three of threads, and one more."""
        threads = [ThreadAgent(f"t{t}", self, self.ports(t)) for t in range(SETS)]
        return [*threads, UnitAgent("units", self, self.ports())]
