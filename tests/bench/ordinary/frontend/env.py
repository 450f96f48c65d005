# SPDX-License-Identifier: Apache-2.0
"""Agents and environment of the front end's ordinary bench."""

from __future__ import annotations

from typing import ClassVar

from tilepath.tb.frontend.streams import THREADS
from tilepath.tests.bench.ordinary.agent import BlockEnv, InterfaceAgent
from tilepath.tests.bench.ordinary.frontend import drivers, monitors


class ThreadAgent(InterfaceAgent):
    """One thread."""

    drivers: ClassVar = {"core": drivers.CoreDriver, "gate": drivers.ReadyDriver}
    monitors = (monitors.ThreadMonitor,)
    undriven = ("brisc_valid_i", "brisc_word_i")


class SharedAgent(InterfaceAgent):
    """What all threads share."""

    drivers: ClassVar = {"sfpu_cc": drivers.ConditionDriver}
    monitors = (monitors.SharedMonitor,)


class Env(BlockEnv):
    """An agent for each thread, and one for what they share."""

    block = "frontend"

    def make_agents(self) -> list[InterfaceAgent]:
        """Three of threads, and one more."""
        threads = [ThreadAgent(f"t{t}", self, self.ports(t)) for t in range(THREADS)]
        return [*threads, SharedAgent("shared", self, self.ports())]
