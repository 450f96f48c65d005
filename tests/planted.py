# SPDX-License-Identifier: Apache-2.0
"""Deliberate bugs (``engine/commands/planted.py``), planted into a copy of the RTL, must be caught.

Those of a block that show in one configuration are a :class:`Catalogue`.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import pytest

from tilepath.engine.commands.planted import ASSERTIONS, Bug, copy_sources, read_bugs
from tilepath.engine.commands.run_list import first_seeds
from tilepath.engine.description.block import ROOT
from tilepath.engine.description.registry import load_block, tests_of
from tilepath.engine.description.stimulus import TestSpec
from tilepath.engine.host.run import RunRequest, RunResult, run
from tilepath.tests.cosim_runs import FAST, missing

SIM: Final = FAST if missing("icarus") else "icarus"
"""Icarus compiles in a second or two, Verilator takes most of a minute."""

ROOT_SEED: Final = 1

START: Final = 1
"""What registers begin with in all runs, which therefore share a warm simulator."""

BLOCK_CYCLES: Final = 1_024
"""Fewer than usual between two checks: most runs end in the first block."""

HEADLINE: Final = re.compile(
    r"MISMATCH ((?P<stream>[\w.]+) event (?P<event>\d+), cycle (?P<cycle>\d+): .+)\n"
)


@dataclass(frozen=True)
class Catalogue:
    """The bugs of one block, or those that only ``profile`` shows.

    ``decision`` is a regular expression: what a bug's ``breaks`` may name. The regression is that
    of ``profile``.
    """

    block: str
    decision: str
    profile: str = "baseline"

    @property
    def tests(self) -> Mapping[str, TestSpec]:
        """Those of the block."""
        return tests_of(self.block)

    @cached_property
    def entries(self) -> Mapping[str, Bug]:
        """All of them by name."""
        bugs = read_bugs(ROOT / "tests" / self.block / "bugs.toml")
        return {name: bug for name, bug in bugs.items() if bug.profile == self.profile}

    def regression(self, first: str) -> Iterator[tuple[str, int]]:
        """Tests and seeds of the default regression; the runs of test ``first`` come first."""
        for test in sorted(self.tests, key=lambda name: name != first):
            for seed in first_seeds(ROOT_SEED, self.block, test, self.tests[test]):
                yield test, seed

    def request(self, test: str, seed: int, **more: Any) -> RunRequest:
        """A run as all of planted bugs are, but for ``more``."""
        usual = {"sim": SIM, "block_cycles": BLOCK_CYCLES, "start": START, "coverage": False}
        usual["cycles"] = self.tests[test].cycles
        return RunRequest(self.block, test, seed, profile=self.profile, **{**usual, **more})

    def caught(self, name: str, folder: Path, sim: str = SIM) -> RunResult:
        """Plant a bug and run the default regression until a test finds it, and how it says so.

        ``folder`` is for this bug alone, and gone afterwards. The calling test fails when nothing
        finds the bug.
        """
        bug = self.entries[name]
        root = plant(bug, folder, self.block)
        for test, seed in self.regression(first=bug.caught_by):
            folders = {"build_root": folder / "build", "out_dir": folder / "runs"}
            result = run(self.request(test, seed, sim=sim, source_root=root, **folders))
            if result.report is not None:
                assert_report(self.block, result)
                shutil.rmtree(folder)
                return result
        pytest.fail(f"no test of the default regression catches {name}: {bug.what} ({bug.breaks})")

    def check(self, at_least: int, decisions: Iterable[str]) -> None:
        """Enough bugs, each in one place and with a test to try first; all decisions broken."""
        bugs = self.entries.values()
        assert len(bugs) >= at_least
        assert len({bug.places for bug in bugs}) == len(bugs)
        assert len({bug.what for bug in bugs}) == len(bugs)
        assert set(decisions) <= {bug.breaks for bug in bugs}
        assert {bug.caught_by for bug in bugs} <= set(self.tests)
        assert [bug for bug in bugs if not re.fullmatch(self.decision, bug.breaks)] == []


def plant(bug: Bug, folder: Path, block: str) -> Path:
    """Copy the HDL of ``block`` into ``folder`` with ``bug``, without assertions; the new root.

    It is the comparison with the model that must find the bug.
    """
    copy_sources(folder, load_block(block), assertions=False)
    for name, text in bug.planted().items():
        (folder / name).write_text(ASSERTIONS.sub("", text))
    return folder


def assert_report(block: str, result: RunResult) -> None:
    """A mismatch, told with everything that is needed to understand it and to see it again."""
    assert result.status == "fail" and result.report is not None
    report = result.report.read_text()
    if report.startswith("STATE "):
        assert re.search(r"^  \w+\[.+\]: 0x[0-9a-f]+, want 0x[0-9a-f]+$", report, re.MULTILINE)
    else:
        _assert_mismatch(block, result, report)
    said = f"test {result.test}, seed {result.seed}, profile {result.profile}, {result.sim}\n"
    assert said in report
    command = f"tilepath run --sim {result.sim} --block {block} --test {result.test}"
    command += f" --seed {result.seed}"
    if result.profile != "baseline":
        command += f" --profile {result.profile}"
    cycles = tests_of(block)[result.test].cycles
    if cycles is not None:  # of a corner
        command += f" --cycles {cycles}"
    command += f" --start {result.start}"
    assert result.command == command and f"  again   {command}\n" in report


def _assert_mismatch(block: str, result: RunResult, report: str) -> None:
    found = HEADLINE.match(report)
    assert found is not None and found[1] == result.message
    stream = load_block(block).stream_table[found["stream"]]
    assert stream.direction == "output"
    assert int(found["cycle"]) < result.cycles
    table = report.split("\n\n")[1].splitlines()
    assert table[0].split() == ["field", "expected", "(model)", "observed", "(RTL)"]
    # rows further in are of groups of bits that differ
    rows = [row.split()[0] for row in table[1:] if not row.startswith("    ")]
    named = [row for row in rows if "[" not in row]  # the others are words of an array
    fields = [f.name for f in stream.fields if f.name in named]
    assert named == ["cycle", *fields]
    assert fields or not stream.fields or re.search("late|early|tick", found[1])
    assert re.search(r"^  caused by: \S", report, re.MULTILINE)


Edit = tuple[str, str, str]
"""A file of a block's RTL, what is in it in one place only, and what is to be there instead."""


def changed_rtl(folder: Path, block: str, edits: Iterable[Edit]) -> Path:
    """A copy of the RTL with ``edits`` of files of ``block`` made one after the other; its root."""
    shutil.copytree(ROOT / "rtl", folder / "rtl")
    edit_files(folder / "rtl" / block, edits)
    return folder


def edit_files(folder: Path, edits: Iterable[Edit]) -> None:
    """Make ``edits`` of files in ``folder`` one after the other."""
    for name, old, new in edits:
        path = folder / name
        text = path.read_text()
        assert text.count(old) == 1, f"{name} no longer has {old!r} once"
        path.write_text(text.replace(old, new))


def broken(result: RunResult, *texts: str) -> str:
    """The message of a run that must not have passed and names its cause."""
    assert result.status in ("error", "fail")
    assert result.report is None  # no mismatch: something is broken
    for text in texts:
        assert text in result.message
    stored = RunResult.from_json(result.run_dir / "result.json")
    assert stored.status == result.status and stored.message == result.message
    return result.message


def assertions(*folders: str) -> dict[str, int]:
    """File name → how many assertions it has, for the HDL in folders of the repository."""
    found = {
        path.name: len(re.findall(r"\$fatal|\$error|\bassert\b", path.read_text()))
        for name in folders
        for path in sorted((ROOT / name).rglob("*.sv"))
    }
    return {name: count for name, count in found.items() if count}
