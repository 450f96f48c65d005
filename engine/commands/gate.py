# SPDX-License-Identifier: Apache-2.0
"""``tilepath gate``: tests run on the RTL and on its netlist, whose streams must be the same.

The netlist's run has the bench, the checks and the folder of any other run; its request and result
say ``netlist``. The RTL's run of the same test and seed is beside it, in ``rtl/``. Coverage is not
collected: what a netlist reaches says nothing that its RTL does not.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.netlist import netlist
from tilepath.engine.commands.regression import Outcome, Progress
from tilepath.engine.commands.run_list import PlannedRun, RunList
from tilepath.engine.commands.simulation import KernelRunner, RunOptions, announced
from tilepath.engine.description.registry import load_block


class GateRunner:
    """Runs each test twice; the outcome is the netlist's, or the RTL's where that does not pass."""

    def __init__(self, options: RunOptions) -> None:
        self._options = replace(options, coverage=False, keep=True)
        self._rtl = KernelRunner(replace(self._options, out=options.out / "rtl"))
        self._netlists: dict[str, KernelRunner] = {}

    def check(self, plan: RunList) -> None:
        """Raise :class:`UsageError` when these runs cannot work."""
        if self._options.sim != "verilator":
            raise UsageError(f"{self._options.sim} is too slow for netlists: leave --sim out")
        for block in map(load_block, plan.blocks):
            if not block.dut:
                raise UsageError(f"block {block.name} joins others: it has no netlist of its own")
            if block.macros:
                boxes = ", ".join(block.macros)
                raise UsageError(f"the netlist of {block.name} has black boxes ({boxes}): not run")
        self._rtl.check(plan)

    def wave_note(self) -> str:
        """Return the note that :class:`KernelRunner` has."""
        return self._rtl.wave_note()

    def in_order(self, blocks: Sequence[str]) -> list[str]:
        """Yield the outcomes as :class:`KernelRunner` does."""
        return self._rtl.in_order(blocks)

    def build(self, block: str, progress: Progress) -> None:
        """Compile the RTL, synthesize it, compile the netlist."""
        shutil.rmtree(self._options.out / "rtl" / block, ignore_errors=True)
        self._rtl.build(block, progress)
        with announced(f"the netlist of {block}, from its RTL", progress) as begins:
            tree = netlist(load_block(block), self._options.profile, begins=begins)
        self._netlists[block] = KernelRunner(replace(self._options, netlist=tree))
        self._netlists[block].build(block, progress)

    def run(self, run_: PlannedRun) -> Outcome:
        """Simulate both, check both, compare what they have recorded."""
        of_rtl = self._rtl.run(run_)
        if not of_rtl.passed:
            return replace(of_rtl, message=f"the RTL, not its netlist: {of_rtl.message}")
        found = self._netlists[run_.block].run(run_)
        folder = Path(run_.block) / f"{run_.test}-{run_.seed}" / "trace"
        traces = [out / folder for out in (self._options.out / "rtl", self._options.out)]
        if not found.passed or not (names := different(*traces)):
            return found
        message = f"the netlist records other streams than its RTL: {', '.join(names)}"
        return replace(found, status="fail", message=message)

    def record(self, outcome: Outcome) -> None:
        """Leave a result of what could not be done."""
        self._netlists.get(outcome.run.block, self._rtl).record(outcome)


def different(one: Path, other: Path) -> list[str]:
    """Names of files that are not the same in two folders of traces, or in one of them only."""
    files = [{path.name: path.read_bytes() for path in folder.iterdir()} for folder in (one, other)]
    names = sorted(files[0].keys() | files[1].keys())
    return [Path(name).stem for name in names if files[0].get(name) != files[1].get(name)]
