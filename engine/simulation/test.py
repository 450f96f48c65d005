# SPDX-License-Identifier: Apache-2.0
"""The pyuvm test that runs inside the simulator, whatever the block."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import cocotb
from pyuvm import (
    ConfigDB,
    set_sv_uvm_style_reporting_enabled,
    uvm_component,
    uvm_sequence,
    uvm_test,
)

from tilepath.engine.checking.finding import CheckError, parts
from tilepath.engine.checking.mismatch import MismatchError
from tilepath.engine.checking.trace import TraceError
from tilepath.engine.compiled.jit_cache import COMPILED
from tilepath.engine.description.blame import told
from tilepath.engine.description.player import Items, Player
from tilepath.engine.description.registry import load_block, tests_of
from tilepath.engine.description.stimulus import Stimulus
from tilepath.engine.host.request import REQUEST_VARIABLE, RunRequest, write_json
from tilepath.engine.host.verbosity import tell_pyuvm
from tilepath.engine.simulation.agent import BurstSequence, PlayerAgent
from tilepath.engine.simulation.block_end import SimControl
from tilepath.engine.simulation.env import BlockEnv

_QUIET_BLOCKS = 16  # blocks without any event before a run counts as stuck
_QUIET_CYCLES = 4096  # of a short run, whose blocks are short


def _stuck_error(headline: str, waiting: list[str], players: list[str]) -> CheckError:
    """Return an error whose report says what waits in the model, and players for what."""
    lines = waiting or ["nothing waits in the DUT, by the model"]
    report = parts(f"STUCK {headline}", lines, players)
    return CheckError("; ".join([headline, *(waiting or players[:1])]), report)


def _die_of_signals() -> None:
    """Undo what simulators do: they take signals for ``$finish``, and then nobody knows why."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class TestSequence(uvm_sequence):
    """The virtual sequence: starts one sequence for each player on that player's sequencer."""

    __test__ = False

    def __init__(
        self, name: str, stimulus: Stimulus, agents: dict[str, PlayerAgent], control: SimControl
    ) -> None:
        super().__init__(name)
        self._stimulus, self._agents, self._control = stimulus, agents, control

    async def body(self) -> None:
        """Called by ``start``."""
        if unknown := set(self._stimulus) - set(self._agents):
            raise ValueError(f"the test has stimulus for unknown players {sorted(unknown)}")
        for name, agent in self._agents.items():
            sequence = BurstSequence(name, self._watched(self._stimulus.get(name, ())))
            cocotb.start_soon(sequence.start(agent.sequencer))

    def _watched(self, source: Iterable[Items]) -> Iterator[Items]:
        """The items of ``source``; an exception of whoever wrote it ends the test by its name."""
        try:
            for items in source:
                self._control.spent.on("stimulus")
                yield items
        except Exception as error:
            self._control.failed(error, 0)
            raise


class CosimTest(uvm_test):
    """Runs one :class:`RunRequest` and leaves ``outcome.json`` in its folder."""

    def __init__(self, name: str, parent: uvm_component) -> None:
        tell_pyuvm()
        set_sv_uvm_style_reporting_enabled(True)  # one report server, to which all report
        super().__init__(name, parent)
        _die_of_signals()
        self._request = RunRequest.from_json(Path(os.environ[REQUEST_VARIABLE]))
        block = load_block(self._request.block)
        self._block = replace(block, left_out=self._request.left_out)
        self._spec = tests_of(self._request.block)[self._request.test]

    def build_phase(self) -> None:
        """Create the environment."""
        self._control = SimControl(cocotb.top, self._on_failure)
        ConfigDB().set(None, "*", "CONTROL", self._control)
        block_cycles = self._request.cycles_per_block(self._spec.endless)
        self.env = BlockEnv("env", self, self._block, self._spec, self._request, block_cycles)

    async def run_phase(self) -> None:
        """Play the test to its end."""
        self.raise_objection()
        request, spent = self._request, self._control.spent
        spent.on("start")
        try:
            stimulus = self._spec.stimulus(request.context)
            stands = self._spec.stands(request.context)
            sequence = TestSequence("test", stimulus, self.env.agents, self._control)
            if request.replay is None:
                await sequence.start()
        except Exception as error:
            self._on_failure(error, 0)
            raise
        gc.freeze()  # what was imported stays; there is no need to look at it again and again
        quiet = seen = 0
        while True:
            assert self.env.monitor is not None
            await self.env.monitor.block()
            ends = self._spec.endless or self._spec.cut
            if ends and self.env.monitor.cycle >= request.endless_cycles:
                break
            done = self._essential_done()
            if self.env.scoreboard is not None:
                # outputs only: an input that toggles for ever is not progress
                seen, events = self.env.scoreboard.check.events, seen
                quiet = 0 if seen > events else quiet + 1
                # a level player that never ends cannot be waited for
                ended = done and quiet and (self._all_done() or quiet >= _QUIET_BLOCKS)
                if not self._spec.endless and ended:
                    self.env.scoreboard.at_end = True
                    break
                if quiet >= self._patience():
                    if stands:  # as it should: what is left is checked at the end
                        self.env.scoreboard.at_end = True
                        break
                    stuck = self._stuck()
                    self._on_failure(stuck, self.env.monitor.cycle)
                    raise stuck
            elif done:
                break
        self.drop_objection()

    def _patience(self) -> int:
        """Quiet blocks before a run is stuck: in an endless test no more than a quarter of it.

        But never less than ``_QUIET_CYCLES``.
        """
        if not self._spec.endless:
            return _QUIET_BLOCKS
        each = self._request.cycles_per_block(True)
        blocks = self._request.endless_cycles // each
        return max(2, -(-_QUIET_CYCLES // each), min(_QUIET_BLOCKS, blocks // 4))

    def _all_done(self) -> bool:
        return all(agent.driver.exhausted for agent in self.env.agents.values())

    def _essential_done(self) -> bool:
        return all(
            self.env.agents[name].driver.exhausted
            for name, player in self._block.player_table.items()
            if player.essential
        )

    def _stuck(self) -> CheckError:
        def waiting(name: str, player: Player) -> bool:
            return player.essential and not self.env.agents[name].driver.exhausted

        names = [n for n, p in self._block.player_table.items() if waiting(n, p)]
        scoreboard, monitor = self.env.scoreboard, self.env.monitor
        assert monitor is not None and scoreboard is not None
        return _stuck_error(
            f"nothing happened for {self._patience()} blocks of cycles before cycle "
            f"{monitor.cycle}; players that wait: {', '.join(names) or 'none'}",
            scoreboard.check.checker.waiting(),
            scoreboard.check.waits(),
        )

    def report_phase(self) -> None:
        """Errors that a sequence or a component has reported fail the run."""
        self.report_server.log_summary(self.logger)
        if errors := self.report_server.get_stats().error_count:
            assert self.env.monitor is not None
            error = AssertionError(f"{errors} UVM_ERROR reported, see sim.log")
            self._on_failure(error, self.env.monitor.cycle)
            raise error

    def final_phase(self) -> None:
        """All went well: store coverage and outcome."""
        if self.env.coverage is not None:
            report = self.env.coverage.model.report()
            report.write_json(self._request.run_dir / "coverage.json")
            self._control.spent.on("coverage")
        note = ""
        if self.env.scoreboard is not None and self.env.scoreboard.stands:
            waiting = self.env.scoreboard.check.checker.waiting()
            note = "; ".join(("stands still, as predicted", *waiting))
        self._write_outcome("pass" if self._request.check else "unchecked", note)

    def _on_failure(self, error: Exception, cycle: int) -> None:
        if isinstance(error, CheckError):
            more: dict[str, object] = {"report": error.report} if error.report else {}
            if error.cycle is not None:
                more["mismatch_cycle"] = error.cycle
            if isinstance(error, MismatchError):
                more["signature"] = error.mismatch.signature()
            self._write_outcome("fail", str(error), **more)
            return
        text = str(error)
        if not isinstance(error, (TraceError, AssertionError)):  # of the bench or the model itself
            text = f"{told(error)}; see sim.log"
            self._write_outcome("fail", f"{text} (cycle {cycle})", broken=True)
            return
        self._write_outcome("fail", f"{text} (cycle {cycle})")

    def _write_outcome(self, status: str, message: str, **more: object) -> None:
        scoreboard, monitor = self.env.scoreboard, self.env.monitor
        self._control.spent.on("model" if self._request.check else "simulator")
        outcome = {
            "status": status,
            "message": message,
            "pid": os.getpid(),
            "cycles": monitor.cycle if monitor else 0,
            "events": scoreboard.check.events if scoreboard else 0,
            "faults": dict(scoreboard.check.faults) if scoreboard else {},
            "counts": scoreboard.check.counts if scoreboard else {},
            "ends": monitor.ends if monitor else [],
            "cpu_ends": monitor.cpu_ends if monitor else [],
            "cpu": self._control.spent.until,
            "spent": self._control.spent.parts(),
            "spent_ends": monitor.spent_ends if monitor else [],
            "compiled": COMPILED,
            **more,
        }
        write_json(self._request.run_dir / "outcome.json", outcome)
