# SPDX-License-Identifier: Apache-2.0
"""The verdict comes first: waves are made when all of it is there, and may be left out or lost."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from tilepath.engine.commands import jobs
from tilepath.engine.commands.regression import Outcome
from tilepath.engine.commands.run_list import PlannedRun
from tilepath.engine.commands.simulation import RunOptions
from tilepath.engine.host import waves as host
from tilepath.engine.host.request import RunRequest, RunResult, write_json
from tilepath.tests.cli import fakes
from tilepath.tests.cli.fakes import FakeKernel, passing, processes_below, under_way
from tilepath.tests.cli.files import stored
from tilepath.tests.commands import ROOT, alive

_MAIN: Final = f"""
import sys
from {__name__} import main
main()
"""


def failing(run: PlannedRun, options: RunOptions) -> Outcome:
    """Random runs fail alike, the seed's last digit being the cycle; the others pass."""
    outcome = passing(run, options)
    if run.test != "random_mix":
        return outcome
    folder = options.out / run.block / f"{run.test}-{run.seed}"
    (folder / "report.txt").write_text(f"MISMATCH of {run.seed}\n  again   run it again\n")
    more = {"report": folder / "report.txt", "cycles": 1000 + run.seed % 10}
    return replace(outcome, status="fail", message="word differs", **more)  # type: ignore[arg-type]


Made = list[tuple[Path, bool]]


@pytest.fixture
def made(kernel: FakeKernel, monkeypatch: pytest.MonkeyPatch) -> Made:
    """Folders that waves were made in, and whether the results of all runs were there by then."""
    kernel.behaviour = failing
    seen: Made = []

    def make(folder: Path, begins: Callable[[str], None]) -> Path | None:
        assert kernel.out is not None
        seen.append((folder, (kernel.out / "results.xml").is_file()))
        begins("compiling the RTL of alpha with waves" if len(seen) == 1 else "")
        return folder / "rerun" / "waves.fst"

    monkeypatch.setattr(jobs, "make_waves", make)
    return seen


def test_everything_is_said_before_waves_are_made(kernel: FakeKernel, made: Made) -> None:
    shown = kernel.regression("--block", "alpha", "--jobs", 1, status=1).stdout
    lines = shown.splitlines()
    (folder, complete), *more = made
    assert complete and not more  # three runs failed alike
    label = f"alpha/random_mix seed {folder.name.rpartition('-')[2]}"
    at = lines.index(
        f"making waves of {label}: compiling the RTL of alpha with waves (Ctrl-C: without)"
    )
    assert lines[at + 1 :] == [f"waves of {label}: {folder}/rerun/waves.fst"]
    before = "\n".join(lines[:at])
    first = before.index("  again   run it again")
    assert before.index("[1/4]") < first < before.index("[4/4]") < before.index("4 runs: 1 passed")
    assert "results: " in before and before.count("MISMATCH of") == 1


def test_the_first_of_each_group_has_waves(kernel: FakeKernel, made: Made) -> None:
    shown = kernel.regression("--seeds", 4, status=1).stdout
    shortest: dict[str, PlannedRun] = {}
    for run in kernel.runner.runs:
        if run.test == "random_mix":
            least = shortest.setdefault(run.block, run)
            shortest[run.block] = min(least, run, key=lambda one: one.seed % 10)
    assert len(made) == 2 and all(complete for _, complete in made)
    for folder, _ in made:
        assert int(folder.name.rpartition("-")[2]) % 10 == shortest[folder.parent.name].seed % 10
    assert shown.count("making waves of ") == 2 and shown.count(" (Ctrl-C: without)") == 2


@pytest.mark.parametrize("option", ["--no-waves", "--waves"])
def test_waves_of_no_run_or_of_every_one_are_not_made_again(
    kernel: FakeKernel, made: Made, option: str
) -> None:
    shown = kernel.regression(option, status=1).stdout
    assert made == [] and "making waves" not in shown
    assert kernel.runner.options.waves is (option == "--waves")


def test_what_fails_there_is_a_line(
    kernel: FakeKernel, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(_folder: Path, begins: Callable[[str], None]) -> Path | None:
        begins("")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(jobs, "make_waves", make)
    shown = kernel.regression("--block", "alpha", status=1).stdout
    assert "no waves of alpha/random_mix seed " in shown.splitlines()[-1]
    assert shown.rstrip().endswith("No space left on device")


def test_where_nothing_differed_there_is_nothing_to_say(kernel: FakeKernel) -> None:
    """These folders hold no run that found a mismatch."""
    kernel.behaviour = failing
    assert "waves" not in kernel.regression(status=1).stdout


# -- interrupted


def main() -> None:
    """``tilepath`` with runs that fail, and waves that never end."""

    def make(folder: Path, begins: Callable[[str], None]) -> Path | None:
        begins("compiling")
        process = subprocess.Popen(
            ["sh", "-c", "sleep 600 & echo $! > child; wait"], cwd=folder, start_new_session=True
        )
        (folder / "parent").write_text(str(process.pid))
        raise RuntimeError(f"ended with {process.wait()}")

    jobs.make_waves = make
    fakes.main(failing)


def _making_waves(out: Path) -> AbstractContextManager[subprocess.Popen[str]]:
    """A regression whose verdicts are there and whose waves are being made."""
    return under_way(out, 2, "-c", _MAIN, "run")


@pytest.mark.parametrize("group", [False, True], ids=["kill", "terminal"])
def test_an_interrupt_loses_only_the_waves(tmp_path: Path, group: bool) -> None:
    with _making_waves(tmp_path) as process:
        (os.killpg if group else os.kill)(process.pid, signal.SIGINT)
        shown, errors = process.communicate(timeout=20)
        assert (process.returncode, errors) == (1, "")
        assert shown.splitlines()[-1] == "interrupted: no more waves"
        assert "7 runs: 2 passed, 5 failed" in shown and "coverage of alpha" in shown
        assert shown.count("making waves") == 1  # there were two groups
        assert not any(alive(below) for below in processes_below(tmp_path))
    assert (tmp_path / "results.xml").is_file() and (tmp_path / "alpha/coverage.json").is_file()


def test_a_terminated_one_ends_as_ever(tmp_path: Path) -> None:
    with _making_waves(tmp_path) as process:
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=20)
        assert process.returncode == 143 and errors.startswith("tilepath: interrupted")
        assert not any(alive(below) for below in processes_below(tmp_path))
    assert (tmp_path / "results.xml").is_file()


# -- what becomes of the run's folder


@pytest.fixture
def failed(tmp_path: Path) -> RunResult:
    """A stored run of block adc with a mismatch in cycle 1500."""
    folder = stored(tmp_path, ("adc", "random", 7), "fail", ran=3000, sim="icarus")
    outcome = {"report": "MISMATCH\n", "mismatch_cycle": 1500, "cycles": 3000}
    write_json(folder / "outcome.json", outcome)
    report = folder / "report.txt"
    report.write_text("MISMATCH\n\n  waves   none\n")
    result = replace(RunResult.from_json(folder / "result.json"), command="again", report=report)
    result.write_json()
    return result


def _made(
    failed: RunResult, monkeypatch: pytest.MonkeyPatch, fresh: bool = True, status: str = "fail"
) -> tuple[list[str], list[RunRequest], Path | None]:
    """What was said, what was run and what came of it, with a fake in place of the simulator."""
    store = failed.run_dir.parent / "store" / "icarus"
    said: list[str] = []
    runs: list[RunRequest] = []

    def build(block: str, _options: object, begins: Callable[[], None]) -> Path:
        folder = store / f"{block}-{len(list(store.glob('*'))):016x}"
        folder.mkdir(parents=True)
        if fresh:
            begins()
        return folder / "sim.vvp"

    def run(request: RunRequest) -> RunResult:
        runs.append(request)
        request.run_dir.mkdir(parents=True)
        (request.run_dir / "waves.fst").touch()
        return replace(failed, status=status)

    monkeypatch.setenv("TILEPATH_BUILD", str(store.parent))
    monkeypatch.setattr(host, "build", build)
    monkeypatch.setattr(host, "run", run)
    return said, runs, host.make_waves(failed.run_dir, said.append)


@pytest.mark.parametrize(
    ("cycle", "window", "block_cycles"), [(1500, (1300, 1550), 775), (7, (0, 57), 57)]
)
def test_report_and_result_name_the_waves(
    failed: RunResult,
    monkeypatch: pytest.MonkeyPatch,
    cycle: int,
    window: tuple[int, int],
    block_cycles: int,
) -> None:
    outcome = {"report": "MISMATCH\n", "mismatch_cycle": cycle, "cycles": 3000}
    write_json(failed.run_dir / "outcome.json", outcome)
    said, (again,), path = _made(failed, monkeypatch)
    assert path is not None and said == ["compiling the RTL of adc with waves for icarus"]
    assert (again.wave_window, again.block_cycles) == (window, block_cycles)
    assert (again.waves, again.coverage, again.check) == (True, False, True)
    assert RunResult.from_json(failed.run_dir / "result.json") == replace(failed, waves=path)
    report = (failed.run_dir / "report.txt").read_text()
    assert (
        report.startswith("MISMATCH\n\n") and "  waves   rerun/adc/random-7/waves.fst\n" in report
    )
    assert host.make_waves(failed.run_dir, said.append) is None  # it has them


def test_how_long_it_took_is_said_the_next_time(
    failed: RunResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = []
    for fresh in (True, True, False):
        shutil.rmtree(failed.run_dir / "rerun", ignore_errors=True)
        failed.write_json()
        said += _made(failed, monkeypatch, fresh)[0]
    first = "compiling the RTL of adc with waves for icarus"
    assert said == [first, f"{first}, 0 s last time", ""]


@pytest.mark.parametrize("status", ["pass", "error"])
def test_what_does_not_fail_again_leaves_nothing(
    failed: RunResult, monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    """A simulator that was killed has left waves, too."""
    before = {path: path.read_bytes() for path in failed.run_dir.iterdir()}
    with pytest.raises(RuntimeError, match=f"run again it was otherwise: {status}"):
        _made(failed, monkeypatch, status=status)
    assert {path: path.read_bytes() for path in failed.run_dir.iterdir()} == before


# -- results that another regression is writing


def test_a_directory_in_use_is_waited_for(tmp_path: Path) -> None:
    script = "from tilepath.tests.cli import fakes; fakes.main(fakes.passing)"
    command = [sys.executable, "-c", script, "run", "--out", str(tmp_path)]
    with (tmp_path / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stderr is not None
            line = process.stderr.readline()
            assert line == (
                f"tilepath: {tmp_path} is written to (processes: {os.getpid()}): waiting for it\n"
            )
            assert not (tmp_path / "alpha").exists()
            fcntl.flock(lock, fcntl.LOCK_UN)
            shown, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "") and "7 runs: 7 passed" in shown
