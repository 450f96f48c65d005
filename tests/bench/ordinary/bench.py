# SPDX-License-Identifier: Apache-2.0
"""The test of the ordinary bench: reset, play the stimulus, check, say how long it took."""

from __future__ import annotations

import gc
import importlib
import os
import time
from pathlib import Path

import cocotb
import pyuvm
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge
from pyuvm import uvm_test

from tilepath.tb.kernel.description.registry import tests_of
from tilepath.tb.kernel.description.stimulus import Context
from tilepath.tb.kernel.host.request import write_json
from tilepath.tests.bench.ordinary.items import ItemSequence
from tilepath.tests.bench.ordinary.request import VARIABLE, OrdinaryRequest

_CHECK_EVERY = 1024  # cycles


@pyuvm.test()
class OrdinaryBench(uvm_test):
    """Plays a test of ``sequences.<block>`` pin by pin, cycle by cycle."""

    def build_phase(self) -> None:
        """Create the environment of the block."""
        self.request = OrdinaryRequest.from_json(os.environ[VARIABLE])
        module = importlib.import_module(f"tilepath.tests.bench.ordinary.{self.request.block}.env")
        self.env = module.Env("env", self, cocotb.top, self.request.profile)

    async def run_phase(self) -> None:
        """Run the wanted number of cycles."""
        self.raise_objection()
        dut, request = cocotb.top, self.request
        Clock(dut.clk_i, 10, "ns").start()
        dut.rst_ni.value = 0
        self.env.idle()
        self._start_sequences()
        await ClockCycles(dut.clk_i, 4)
        gc.freeze()
        began, began_cpu = time.monotonic(), time.process_time()
        dut.rst_ni.value = 1
        cycle = 0
        while cycle < request.cycles:
            span = min(_CHECK_EVERY, request.cycles - cycle)
            await ClockCycles(dut.clk_i, span)
            await FallingEdge(dut.clk_i)  # by now all monitors have seen the cycle
            cycle += span
            self.env.scoreboard.check(cycle)
        outcome = {
            "cycles": cycle,
            "events": self.env.scoreboard.compared,
            "seconds": time.monotonic() - began,
            "cpu_seconds": time.process_time() - began_cpu,
        }
        write_json(Path(request.outcome), outcome)
        self.drop_objection()

    def _start_sequences(self) -> None:
        r = self.request
        context = Context(r.block, r.test, r.seed, r.profile, r.cycles)
        stimulus = tests_of(r.block)[r.test].stimulus(context)
        players = self.env.players()
        for player, source in stimulus.items():
            if player not in players:
                raise ValueError(f"this bench has no driver for the player {player}")
            driver, sequencer = players[player]
            sequence = ItemSequence(player, driver.item_type, source)
            cocotb.start_soon(sequence.start(sequencer))
