# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for the kernel, so that the command line is tested without a simulator.

``python -m tests.cli.fakes ...`` is the ``tilepath`` command with these in place.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from typer.testing import CliRunner, Result

from tilepath.cli import main as cli
from tilepath.engine.commands import jobs, run_list
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.regression import Outcome
from tilepath.engine.commands.report import ShowProgress
from tilepath.engine.commands.run_list import PlannedRun, RunList
from tilepath.engine.commands.simulation import RunOptions
from tilepath.tests.commands import alive, begun, complaints, until


@dataclass(frozen=True)
class FakeTest:
    """A test as planning sees it."""

    summary: str = "does this and that"
    kind: str = "random"
    seeds: int = 3
    labels: tuple[str, ...] = ()
    known: tuple[int, ...] = ()
    cycles: int | None = None

    @property
    def tags(self) -> tuple[str, ...]:
        """Its kind and its labels."""
        return (self.kind, *self.labels)


BLOCKS: dict[str, dict[str, FakeTest]] = {
    "alpha": {
        "random_mix": FakeTest(),
        "corner": FakeTest("one corner", "directed", 1, ("quick",)),
    },
    "beta": {"random_mix": FakeTest(seeds=2), "matmul": FakeTest("a program", "program", 1)},
}


def pretend(replaced: Callable[[object, str, object], None] = setattr) -> None:
    """Have two blocks with two tests each, and no others."""
    replaced(run_list, "block_names", lambda: list(BLOCKS))
    replaced(run_list, "tests_of", BLOCKS.__getitem__)


def invoke(*arguments: object) -> Result:
    """Call the command line inside this process."""
    return CliRunner().invoke(cli.app, [str(one) for one in arguments], catch_exceptions=False)


def printed(*arguments: object, status: int = 0) -> str:
    """What a command prints that ends with ``status`` and has nothing to complain of."""
    result = invoke(*arguments)
    assert (result.exit_code, complaints(result.stderr)) == (status, []), result.output
    return result.stdout


Behaviour = Callable[[PlannedRun, RunOptions], Outcome]


def passing(run: PlannedRun, options: RunOptions) -> Outcome:
    """A run that passes, and has covered a bin that depends on its test."""
    folder = options.out / run.block / f"{run.test}-{run.seed}"
    folder.mkdir(parents=True, exist_ok=True)
    coverage = folder / "coverage.json"
    bins = {"random_mix": 0, "corner": 0, "matmul": 0, "never": 0}
    bins[run.test] += 1
    report = {
        "block": run.block,
        "profile": options.profile,
        "runs": 1,
        "points": {"kind": bins},
        "axes": {},
    }
    coverage.write_text(json.dumps(report))
    return Outcome(
        run,
        "pass",
        cycles=1000,
        events=12345,
        seconds=0.5,
        report=folder,
        coverage_file=coverage if options.coverage else None,
    )


def hitting(change: Callable[[PlannedRun, dict[str, int]], dict[str, int]]) -> Behaviour:
    """Runs that pass, and have hit what ``change`` makes of the bins of a passing run."""

    def behaviour(run: PlannedRun, options: RunOptions) -> Outcome:
        outcome = passing(run, options)
        assert outcome.coverage_file is not None
        report = json.loads(outcome.coverage_file.read_text())
        report["points"]["kind"] = change(run, report["points"]["kind"])
        outcome.coverage_file.write_text(json.dumps(report))
        return outcome

    return behaviour


def having(**fields: object) -> Behaviour:
    """Runs that pass but for these fields of their outcome."""
    return lambda run, options: replace(passing(run, options), **fields)


def sleeping(run: PlannedRun, options: RunOptions) -> Outcome:
    """A run that never ends: a process in a session of its own, with a child of its own."""
    folder = options.out / run.block / f"{run.test}-{run.seed}"
    folder.mkdir(parents=True, exist_ok=True)
    process = subprocess.Popen(
        ["sh", "-c", "sleep 600 & echo $! > child; wait"], cwd=folder, start_new_session=True
    )
    (folder / "parent").write_text(str(process.pid))
    code = process.wait()
    return Outcome(run, "error", message=f"the simulator ended with status {code}")


def killed_first(then: Behaviour, times: int) -> Behaviour:
    """Runs whose simulators are killed so many times before they do what ``then`` says."""
    begun: Counter[int] = Counter()

    def behaviour(run: PlannedRun, options: RunOptions) -> Outcome:
        begun[run.seed] += 1
        if begun[run.seed] <= times:
            return Outcome(run, "error", message="the simulator was killed (SIGKILL): by somebody")
        return then(run, options)

    return behaviour


class FakeRunner:
    """A runner whose runs do what they are told to; remembers what it was asked for."""

    def __init__(self, options: RunOptions, kernel: FakeKernel) -> None:
        self.options = options
        self.kernel = kernel
        self.built: list[str] = []
        self.runs: list[PlannedRun] = []
        self.recorded: list[Outcome] = []
        self._lock = threading.Lock()

    def check(self, plan: RunList) -> None:
        """As in the real one: a tool may be missing."""
        if self.options.sim == "icarus" and "NO_ICARUS" in os.environ:
            raise UsageError("SIM=icarus needs Icarus Verilog")

    def wave_note(self) -> str:
        """A note if the test wants one."""
        return self.kernel.note

    def in_order(self, blocks: Sequence[str]) -> list[str]:
        """The last one first."""
        return list(reversed(blocks))

    def build(self, block: str, progress: ShowProgress) -> None:
        """Remember; fail when told to."""
        progress.compiling(block)
        with self._lock:
            self.built.append(block)
        if block == self.kernel.broken:
            raise self.kernel.breaks_with or RuntimeError(f"{block} does not compile\nsee the log")

    def run(self, run: PlannedRun) -> Outcome:
        """Remember and behave."""
        with self._lock:
            self.runs.append(run)
        return self.kernel.behaviour(run, self.options)

    def record(self, outcome: Outcome) -> None:
        """Remember."""
        self.recorded.append(outcome)


class FakeKernel:
    """What a test adjusts before, and looks at after, a fake regression.

    ``out``: the folder of its results, where one is called with :meth:`regression`.
    """

    def __init__(self, behaviour: Behaviour = passing, out: Path | None = None) -> None:
        self.behaviour = behaviour
        self.out = out
        self.broken: str | None = None
        self.breaks_with: Exception | None = None
        self.note = ""
        self.runners: list[FakeRunner] = []

    @property
    def runner(self) -> FakeRunner:
        """The runner of the last regression."""
        return self.runners[-1]

    def make_runner(self, options: RunOptions) -> FakeRunner:
        """Called by the command line."""
        self.runners.append(FakeRunner(options, self))
        return self.runner

    def regression(self, *arguments: object, status: int = 0) -> Result:
        """``tilepath run`` inside this process, which ends with ``status``."""
        result = invoke("run", "--out", self.out, *arguments)
        assert result.exit_code == status, result.output
        return result


def main(behaviour: Behaviour = sleeping) -> None:
    """``tilepath`` with such runs, by default some that never end."""
    pretend()
    jobs.make_runner = FakeKernel(behaviour).make_runner
    cli.main()


def processes_below(directory: Path) -> list[int]:
    """Ids of the processes that :func:`sleeping` runs have noted in ``directory``."""
    files = [*directory.glob("**/parent"), *directory.glob("**/child")]
    return [int(file.read_text()) for file in files if file.read_text().strip()]


@contextmanager
def under_way(out: Path, number: int, *command: str) -> Iterator[subprocess.Popen[str]]:
    """Python with a command and ``--out out``, once it has ``number`` such processes."""
    with begun(*command, "--out", out, stdout=subprocess.PIPE) as process:
        try:
            until(lambda: len(processes_below(out)) == number or process.poll() is not None)
            yield process
        finally:
            for below in processes_below(out):
                if alive(below):
                    os.kill(below, signal.SIGKILL)


if __name__ == "__main__":
    main()
