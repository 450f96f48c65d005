# SPDX-License-Identifier: Apache-2.0
"""Kernels under schedules as jobs of a regression: each is a ``tilepath model --schedules``."""

from __future__ import annotations

import hashlib
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from tilepath.cli.kernels import load_kernel, schedules_of
from tilepath.engine.commands.errors import UsageError, for_user
from tilepath.engine.commands.own_tests import own_suffixes
from tilepath.engine.commands.regression import Outcome
from tilepath.engine.commands.report import ShowProgress
from tilepath.engine.commands.run_list import PlannedRun, RunList
from tilepath.engine.commands.simulation import EngineRunner, RunOptions
from tilepath.engine.host import children
from tilepath.engine.host.files import read_text
from tilepath.engine.host.traits import signature

_THREAD: Final = re.compile(r"^\s*thread\b", re.MULTILINE)


@for_user(OSError, ValueError)
def with_folders(tests: Sequence[str]) -> list[str]:
    """``tests``, a folder among them standing for the kernels in it; files with whole paths.

    What kernels include is a file without a thread. ``UsageError`` for a folder without kernels.
    """
    found: list[str] = []
    for test in tests:
        path = Path(test)
        if not path.is_dir():
            found.append(str(path.resolve()) if test.endswith(own_suffixes()) else test)
            continue
        files = sorted(path.resolve().glob("*.kernel"))
        kernels = [str(file) for file in files if _THREAD.search(read_text(file))]
        if not kernels:
            raise UsageError(f"there is no kernel in {path}")
        found += kernels
    return found


def kernels_of(tests: Sequence[str], schedules: str) -> dict[str, Path]:
    """Kernels by name; ``UsageError`` for none, for two of one name, and for no schedule."""
    schedules_of(schedules, letter=True)
    files = [Path(test) for test in tests if test.endswith(".kernel")]
    found = {file.stem: file for file in files}
    if not files:
        raise UsageError("--schedules is of kernels: give --test FILE.kernel, or their folder")
    if len(found) < len(files):
        raise UsageError("--schedules: two kernels have the same name; rename one")
    return found


class ScheduledRunner(EngineRunner):
    """Starts the command for each of ``files``, and takes what it prints for the report."""

    def __init__(self, options: RunOptions, files: Mapping[str, Path], schedules: str) -> None:
        super().__init__(options)
        self._files, self._schedules = files, schedules

    def check(self, plan: RunList) -> None:
        """``UsageError`` for a file that is no kernel."""
        for run in plan.runs:
            load_kernel(self._files[run.test], self._options.profile, {})

    def in_order(self, blocks: Sequence[str]) -> list[str]:
        """As they come."""
        return list(blocks)

    def build(self, block: str, progress: ShowProgress) -> None:
        """Nothing: who comes first compiles the model, and others wait for that."""

    def record(self, outcome: Outcome) -> None:
        """Nothing: the regression's file has it."""

    def run(self, run_: PlannedRun) -> Outcome:
        """A kernel's command; its status is the verdict."""
        options, began = self._options, time.monotonic()
        words = ["model", str(self._files[run_.test]), "--schedules", self._schedules]
        words += ["--profile", options.profile] if options.profile != "baseline" else []
        again = shlex.join(["tilepath", *words])
        done = subprocess.run(
            children.guarded([sys.executable, "-m", "tilepath", *words]),
            capture_output=True,
            text=True,
            check=False,
            timeout=options.timeout,
            pass_fds=children.inherited(),
        )
        if done.returncode not in (0, 1):
            raise RuntimeError(done.stderr.strip().rpartition("\n")[2] or done.returncode)
        said = done.stdout.splitlines()[-1]
        outcome = Outcome(
            run_,
            "pass",
            events=len(schedules_of(self._schedules, letter=True)),
            seconds=time.monotonic() - began,
            command=again,
            digest=hashlib.sha256(done.stdout.encode()).hexdigest(),
        )
        if done.returncode == 0:
            return outcome
        report = run_.folder(options.out) / "report.txt"
        report.parent.mkdir(parents=True, exist_ok=True)
        report.write_text(f"{done.stdout}\nagain:  {again}\n")
        what = f"{run_.test}: {signature(said)}"
        return replace(outcome, status="fail", message=said, report=report, signature=what)
