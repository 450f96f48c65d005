# SPDX-License-Identifier: Apache-2.0
"""Compiling is announced when it happens, before the runs, and takes none of their time."""

from __future__ import annotations

import io
import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from tilepath.engine.commands import report, simulation
from tilepath.engine.commands.regression import Outcome
from tilepath.engine.commands.run_list import PlannedRun
from tilepath.engine.commands.simulation import EngineRunner, RunOptions
from tilepath.engine.host import build, compiled, store
from tilepath.engine.host.spent import PARTS
from tilepath.tests.cli.fakes import FakeKernel, having


def _said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fresh: bool, broken: bool = False
) -> list[str]:
    def built(_block: str, _options: object, begins: Callable[[], None]) -> None:
        if fresh:
            begins()
        if broken:
            raise build.BuildError("no")

    def made(_block: str, _profile: str, begins: Callable[[], None]) -> bool:
        if fresh:
            begins()
        return not broken

    monkeypatch.setattr(simulation, "build", built)
    monkeypatch.setattr(simulation, "compile_model", made)
    output = StringIO()
    progress = report.ShowProgress(report.make_console(output), [])
    try:
        EngineRunner(RunOptions("icarus", "baseline", tmp_path)).build("adc", progress)
    except build.BuildError:
        assert broken
    return output.getvalue().splitlines()


def test_what_is_compiled_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = [re.sub(r"[\d.]+ s", "n s", text) for text in _said(monkeypatch, tmp_path, True)]
    for what in ("the RTL of adc for icarus", "the model of adc"):
        assert [text for text in said if what in text] == [
            f"compiling {what} (once, for all runs)",
            f"compiled {what}: n s",
        ]


def test_the_smallest_block_is_compiled_first_and_then_the_largest(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """And before them comes what needs no compiling."""
    monkeypatch.setattr(simulation, "is_built", lambda block, _options: block == "adc")
    runner = EngineRunner(RunOptions("verilator", "baseline", tmp_path))
    blocks = ["pack", "control", "flag_pipe", "adc"]
    assert runner.in_order(blocks) == ["adc", "flag_pipe", "pack", "control"]


def test_a_terminal_shows_what_is_compiled_and_a_table_that_fills() -> None:
    output = StringIO()
    console = Console(file=output, force_terminal=True, width=100, color_system=None)
    runs = [PlannedRun("adc", "random", seed) for seed in (1, 2)] + [PlannedRun("pack", "wrong", 1)]
    with report.ShowProgress(console, runs) as progress:
        progress.compiling("the RTL of adc")
        progress.finished(Outcome(runs[0], "pass", events=1234))
        progress.refresh()
        shown = output.getvalue()
        progress.compiled("the RTL of adc", 3.0)
        progress.finished(Outcome(runs[1], "fail"))
        progress.refresh()
    assert re.search(r"adc +1/2 +0 +1,234", shown) and re.search(r"pack +0/1 +0 +0", shown)
    assert "compiling the RTL of adc, 0 s" in shown
    later = output.getvalue()[len(shown) :]
    assert "[2/3] adc/random seed 2: fail" in later and re.search(r"adc +2/2 +1 +1,234", later)
    assert "compiling" not in later.rpartition("adc ")[2]


def test_what_was_compiled_before_or_does_not_compile_is_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert _said(monkeypatch, tmp_path, fresh=False) == []
    said = _said(monkeypatch, tmp_path, fresh=True, broken=True)
    assert [text for text in said if text.startswith("compiled")] == []


def test_it_stands_in_front_of_the_runs(kernel: FakeKernel) -> None:
    lines = kernel.regression("--block", "alpha").stdout.splitlines()
    assert lines[1] == "compiling alpha (once, for all runs)" and lines[2].startswith("[1/4]")


def test_a_model_is_announced_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    done: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
        done.append(command)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setenv("TILEPATH_BUILD", str(tmp_path))
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    monkeypatch.setattr(compiled.subprocess, "run", run)
    begun: list[str] = []
    for _ in range(3):
        compiled.compile_model("adc", "baseline", lambda: begun.append("adc"))
    assert len(begun) == len(done) == 1
    assert done[0][-2:] == ["adc", "baseline"]


def test_compiling_leaves_nothing_behind_but_a_log(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fails(_command: object, work: Path, _out: object) -> None:
        (work / "header.gch").write_bytes(bytes(1000))
        raise subprocess.CalledProcessError(1, "make")

    monkeypatch.setattr(build, "_execute", fails)
    options = build.BuildOptions("verilator", build_root=tmp_path)
    with pytest.raises(build.BuildError):
        build.build("adc", options)
    (folder,) = (tmp_path / "verilator").iterdir()
    assert {path.name for path in folder.iterdir()} == {"lock", "used", "build.log"}


def test_all_builds_together_are_below_300_megabytes() -> None:
    assert 2 * store.KEEP_BYTES < 300e6


def _printed(outcomes: Sequence[Outcome]) -> list[list[str]]:
    output = io.StringIO()
    report.print_spent(report.make_console(output), outcomes)
    return [line.split() for line in output.getvalue().splitlines()]


def _outcome(block: str, seed: int, **spent: float) -> Outcome:
    return Outcome(PlannedRun(block, "random_mix", seed), "pass", spent=spent)


def test_one_block_needs_no_sum_and_runs_that_left_nothing_no_table() -> None:
    rows = _printed([_outcome("alpha", 1, start=1), _outcome("beta", 1)])
    assert [row[0] for row in rows] == ["CPU", "alpha"]
    assert _printed([_outcome("alpha", 1)]) == []


def test_a_regression_ends_with_the_sums_of_all_its_runs(kernel: FakeKernel) -> None:
    kernel.behaviour = having(spent={"stimulus": 1.25, "model": 2.0})
    lines = [line.split() for line in kernel.regression().stdout.splitlines()]
    table = lines[lines.index(["CPU", "seconds", *PARTS, "whole"]) + 1 :][:3]
    assert table == [
        ["alpha", "0.0", "5.0", "0.0", "0.0", "8.0", "0.0", "13.0"],
        ["beta", "0.0", "3.8", "0.0", "0.0", "6.0", "0.0", "9.8"],
        ["together", "0.0", "8.8", "0.0", "0.0", "14.0", "0.0", "22.8"],
    ]


def test_kernels_that_runs_compiled_are_named() -> None:
    names = ("models.pack.cycle._run", "models.adc.untimed._apply")
    outcomes = [replace(_outcome("alpha", seed, model=1), compiled=names[:seed]) for seed in (1, 2)]
    printed = _printed(outcomes)
    assert " ".join(printed[-1]) == f"{report.IN_RUNS}: {names[1]}, {names[0]}"
