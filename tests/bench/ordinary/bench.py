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

from tilepath.engine.description.registry import load_block, tests_of
from tilepath.engine.host.request import REQUEST_VARIABLE, RunRequest, write_json
from tilepath.tests.bench.ordinary.items import ItemSequence


@pyuvm.test()
class OrdinaryBench(uvm_test):
    """Plays a test of ``sequences.<block>`` pin by pin, cycle by cycle."""

    def build_phase(self) -> None:
        """Create the environment of the block."""
        self.folder = Path(os.environ[REQUEST_VARIABLE]).parent
        self.request = RunRequest.from_json(self.folder / "request.json")
        module = importlib.import_module(f"tilepath.tests.bench.ordinary.{self.request.block}.env")
        self.env = module.Env("env", self, cocotb.top, self.request.profile)

    async def run_phase(self) -> None:
        """Run the wanted number of cycles."""
        self.raise_objection()
        dut, request = cocotb.top, self.request
        length = request.cycles_per_block(True)
        Clock(dut.clk_i, 10, "ns").start()
        dut.rst_ni.value = 0
        self.env.idle()
        self._start_sequences()
        await ClockCycles(dut.clk_i, 4)
        gc.freeze()
        dut.rst_ni.value = 1
        ends: list[int] = [0]
        cpu_ends: list[float] = []
        while ends[-1] < request.endless_cycles:
            await ClockCycles(dut.clk_i, length)
            await FallingEdge(dut.clk_i)  # by now all monitors have seen the cycle
            ends.append(ends[-1] + length)
            self.env.scoreboard.check(ends[-1])
            cpu_ends.append(time.process_time())
        outcome = {
            "events": self.env.scoreboard.compared,
            "streams": self.env.scoreboard.seen,
            "ends": ends[1:],
            "cpu_ends": cpu_ends,
        }
        write_json(self.folder / "outcome.json", outcome)
        self.drop_objection()

    def _start_sequences(self) -> None:
        request = self.request
        stimulus = tests_of(request.block)[request.test].stimulus(request.context)
        players, sequencers = load_block(request.block).player_table, self.env.sequencers()
        for player, source in stimulus.items():
            if player not in sequencers:
                raise ValueError(f"this bench has no driver for the player {player}")
            sequence = ItemSequence(player, players[player], source)
            cocotb.start_soon(sequence.start(sequencers[player]))
