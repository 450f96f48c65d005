# SPDX-License-Identifier: Apache-2.0
"""Kernels under schedules as jobs of a regression: each is a ``tilepath model --schedules``."""

from __future__ import annotations

import hashlib
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tilepath.cli.errors import UsageError, for_user
from tilepath.cli.kernels import load_kernel, schedules_of
from tilepath.cli.regression import Outcome, Progress
from tilepath.cli.run_list import PlannedRun, RunList
from tilepath.cli.simulation import RunOptions
from tilepath.tb.kernel.host import children
from tilepath.tb.kernel.host.files import read_text
from tilepath.tb.kernel.host.traits import signature

OWN: Final = (".pipe", ".kernel")
"""Files of the user's that stand for tests."""
MODEL: Final = "model"
"""What stands in the place of a simulator's name."""
_BLOCK: Final = "kernels"
_THREAD: Final = re.compile(r"^\s*thread\b", re.MULTILINE)
_ASIDE: Final = re.compile(r"tiles of \w+ are right$|:\d+: warning: ")
_MISSING: Final = ": a wait is missing: "


@for_user(OSError, ValueError)
def with_folders(tests: Sequence[str]) -> list[str]:
    """``tests``, a folder among them standing for the kernels in it; files with whole paths.

    What kernels include is a file without a thread. ``UsageError`` for a folder without kernels.
    """
    found: list[str] = []
    for test in tests:
        path = Path(test)
        if not path.is_dir():
            found.append(str(path.resolve()) if test.endswith(OWN) else test)
            continue
        files = sorted(path.resolve().glob("*.kernel"))
        kernels = [str(file) for file in files if _THREAD.search(read_text(file))]
        if not kernels:
            raise UsageError(f"there is no kernel in {path}")
        found += kernels
    return found


class Scheduled:
    """What kernels are run under schedules, and how many, or which."""

    def __init__(self, tests: Sequence[str], schedules: str, this_rtl: bool) -> None:
        """``UsageError`` for no schedule, no kernel, or two of one name."""
        self.files = {Path(test).stem: Path(test) for test in tests if test.endswith(".kernel")}
        self.options = ["--schedules", schedules, *["--this-rtl"] * this_rtl]
        self.count = len(schedules_of(schedules, letter=not this_rtl))
        if not self.files:
            raise UsageError("--schedules is of kernels: give --test FILE.kernel, or their folder")
        if len(self.files) < sum(test.endswith(".kernel") for test in tests):
            raise UsageError("--schedules: two kernels have the same name; rename one")

    def runs(self) -> tuple[PlannedRun, ...]:
        """A job for each kernel."""
        return tuple(PlannedRun(_BLOCK, name, 0) for name in self.files)

    def runner(self, options: RunOptions) -> ScheduledRunner:
        """What does the jobs of a profile."""
        return ScheduledRunner(self, options)


class ScheduledRunner:
    """Starts the command for each kernel, and takes what it prints for the report."""

    def __init__(self, asked: Scheduled, options: RunOptions) -> None:
        self._asked, self._options = asked, options

    def check(self, plan: RunList) -> None:
        """``UsageError`` for a file that is no kernel."""
        for run in plan.runs:
            load_kernel(self._asked.files[run.test], self._options.profile, {})

    def wave_note(self) -> str:
        """Nothing: there are no waves."""
        return ""

    def in_order(self, blocks: Sequence[str]) -> list[str]:
        """As they come."""
        return list(blocks)

    def build(self, block: str, progress: Progress) -> None:
        """Nothing: who comes first compiles the model, and others wait for that."""

    def run(self, run: PlannedRun) -> Outcome:
        """A kernel's command; its status is the verdict."""
        options, began = self._options, time.monotonic()
        words = ["model", str(self._asked.files[run.test]), *self._asked.options]
        words += ["--profile", options.profile] if options.profile != "baseline" else []
        again = shlex.join(["tilepath", *words])
        try:
            done = subprocess.run(
                children.guarded([sys.executable, "-m", "tilepath", *words]),
                capture_output=True,
                text=True,
                check=False,
                stdin=subprocess.DEVNULL,
                timeout=options.timeout,
                pass_fds=children.inherited(),
            )
        except subprocess.TimeoutExpired:
            text = f"the run took longer than {options.timeout} s"
            return Outcome(run, "error", message=text, command=again, signature="timeout")
        seconds = time.monotonic() - began
        if done.returncode not in (0, 1):
            text = (done.stderr.strip() or f"status {done.returncode}").splitlines()[-1]
            return Outcome(run, "error", seconds=seconds, message=text, command=again)
        lines = [line for line in done.stdout.splitlines() if not _ASIDE.search(line)]
        told = next((line for line in lines if _MISSING in line), lines[0])
        message = "" if done.returncode == 0 else told
        return Outcome(
            run,
            "fail" if done.returncode else "pass",
            events=self._asked.count,
            seconds=seconds,
            message=message,
            report=self._stored(run, f"{done.stdout}\nagain:  {again}\n") if message else None,
            command=again,
            digest=hashlib.sha256(done.stdout.encode()).hexdigest(),
            signature=f"{run.test}: {signature(message.partition(': ')[2])}" if message else "",
        )

    def _stored(self, run: PlannedRun, text: str) -> Path:
        file = self._options.out / run.block / f"{run.test}-{run.seed}" / "report.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def record(self, outcome: Outcome) -> None:
        """Nothing: the regression's file has it."""
