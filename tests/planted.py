# SPDX-License-Identifier: Apache-2.0
"""Deliberate bugs: how they are kept, planted into a copy of the RTL, and must be caught.

A bug is a unified diff against the repository, with a header of four lines: licence, ``bug:`` what
is wrong, ``breaks:`` the decision it breaks, ``caught by:`` the test to try first. ``patch -p1``
and ``git apply`` take the files as they are. Each block has a folder of them, a :class:`Catalogue`.
"""

from __future__ import annotations

import importlib
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Final

import pytest

from tilepath.cli.plan import run_seed
from tilepath.tb.kernel.description.block import ROOT
from tilepath.tb.kernel.description.registry import load_block
from tilepath.tb.kernel.description.stimulus import TestSpec
from tilepath.tb.kernel.host.run import RunRequest, RunResult, run
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

_HEADER: Final = re.compile(
    r"SPDX-License-Identifier: Apache-2\.0\n"
    r"bug: (?P<what>.+)\nbreaks: (?P<breaks>.+)\ncaught by: (?P<caught_by>\w+)\n(?P<diff>--- .*)",
    re.DOTALL,
)
_ASSERTIONS: Final = re.compile(r"^`ifndef SYNTHESIS\n.*?^`endif\n", re.MULTILINE | re.DOTALL)
_HUNK: Final = re.compile(r"^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@.*\n", re.MULTILINE)


@dataclass(frozen=True)
class Bug:
    """One deliberate bug; ``diff`` is the patch without its header."""

    name: str
    what: str
    breaks: str
    caught_by: str
    diff: str


@dataclass(frozen=True)
class Catalogue:
    """The bugs of one block: ``*.patch`` in ``folder``.

    ``decision`` is a regular expression: what a bug's ``breaks:`` may name. The regression is that
    of ``profile``. ``alone``: bugs that share no build although they could. ``bench``: the DUT is
    among the bench's HDL.
    """

    block: str
    folder: Path
    decision: str
    profile: str = "baseline"
    alone: tuple[str, ...] = ()
    bench: bool = False
    tests: Mapping[str, TestSpec] = field(init=False)

    def __post_init__(self) -> None:
        found: Mapping[str, TestSpec] = importlib.import_module(
            f"tilepath.sequences.{self.block}"
        ).TESTS
        object.__setattr__(self, "tests", found)

    @property
    def bench_of(self) -> str:
        """The block whose bench's HDL is copied as well; none by default."""
        return self.block if self.bench else ""

    def names(self) -> list[str]:
        """The names of all bugs."""
        return sorted(path.stem for path in self.folder.glob("*.patch"))

    def read(self, name: str) -> Bug:
        """The bug called ``name``; ``ValueError`` when its header is not as it should be."""
        path = self.folder / f"{name}.patch"
        match = _HEADER.fullmatch(path.read_text())
        if match is None:
            raise ValueError(f"{path.name} does not begin with SPDX, bug:, breaks:, caught by:")
        bug = Bug(name=name, **match.groupdict())
        if not re.fullmatch(self.decision, bug.breaks):
            raise ValueError(f"{path.name} breaks {bug.breaks!r}, which is no {self.decision}")
        return bug

    def regression(self, first: str) -> Iterator[tuple[str, int]]:
        """Tests and seeds of the default regression; the runs of test ``first`` come first."""
        for test in sorted(self.tests, key=lambda name: name != first):
            for index in range(self.tests[test].seeds):
                yield test, run_seed(ROOT_SEED, self.block, test, index)

    def caught(self, name: str, folder: Path, sim: str = SIM) -> RunResult:
        """Plant a bug and run the default regression until a test finds it, and how it says so.

        ``folder`` is for this bug alone, and gone afterwards. The calling test fails when nothing
        finds the bug.
        """
        bug = self.read(name)
        root = plant(bug, folder, self.bench_of)
        for test, seed in self.regression(first=bug.caught_by):
            request = RunRequest(
                block=self.block,
                test=test,
                seed=seed,
                sim=sim,
                profile=self.profile,
                coverage=False,
                block_cycles=BLOCK_CYCLES,
                source_root=root,
                build_root=folder / "build",
                out_dir=folder / "runs",
                start=START,
            )
            result = run(request)
            if result.report is not None:
                assert_report(self.block, result)
                shutil.rmtree(folder)
                return result
        pytest.fail(f"no test of the default regression catches {name}: {bug.what} ({bug.breaks})")

    def check(self, at_least: int, decisions: Iterable[str]) -> None:
        """Enough bugs, each in one place and with a test to try first; all decisions broken."""
        bugs = [self.read(name) for name in self.names()]
        assert len(bugs) >= at_least
        assert len({bug.diff for bug in bugs}) == len(bugs)
        assert len({bug.what for bug in bugs}) == len(bugs)
        assert set(decisions) <= {bug.breaks for bug in bugs}
        assert {bug.caught_by for bug in bugs} <= set(self.tests)


def plant(bug: Bug, folder: Path, bench_of: str = "") -> Path:
    """Copy ``rtl/`` into ``folder``, put ``bug`` in, and take the assertions out; the new root.

    Without assertions it is the comparison with the model that must find the bug. ``bench_of``: as
    in :func:`copy_rtl`.
    """
    copy_rtl(folder, bench_of)
    for name, found in groupby(changes(bug), key=lambda change: change.file):
        path = folder / name
        text = (ROOT / name).read_text()
        for change in sorted(found, key=lambda change: -change.start):
            text = text[: change.start] + change.new + text[change.end :]
        path.write_text(without_assertions(text))
    return folder


def copy_sources(folder: Path, bench_of: str = "") -> None:
    """Copy ``rtl/`` into ``folder``, and the HDL of the bench of a block if one is named."""
    for name in ("rtl", *(("tb/hdl", f"tb/{bench_of}/hdl") if bench_of else ())):
        shutil.copytree(ROOT / name, folder / name)


def copy_rtl(folder: Path, bench_of: str = "") -> None:
    """The same, and take the assertions out."""
    copy_sources(folder, bench_of)
    for path in folder.rglob("*.sv"):
        path.write_text(without_assertions(path.read_text()))


def without_assertions(text: str) -> str:
    """An RTL file as synthesis sees it."""
    return _ASSERTIONS.sub("", text)


@dataclass(frozen=True)
class Change:
    """What a patch does at one place: ``file`` is to have ``new`` from ``start`` to ``end``."""

    file: str
    start: int
    end: int
    new: str


def changes(bug: Bug) -> Iterator[Change]:
    """The changes of a bug, of whole lines; ``ValueError`` when its patch no longer fits.

    Done here, because neither ``patch`` nor ``git`` need be there, and both accept places that only
    look similar.
    """
    for part in re.split(r"^--- a/", bug.diff, flags=re.MULTILINE)[1:]:
        name, _, hunks = part.partition("\n")
        path = ROOT / name
        if not path.is_file():
            raise ValueError(f"bug {bug.name} no longer applies: there is no {name}")
        text = path.read_text()
        pieces = _HUNK.split(hunks)[1:]
        for line, body in zip(pieces[::2], pieces[1::2], strict=True):
            lines = body.splitlines(keepends=True)
            at = _place(text, "".join(x[1:] for x in lines if x[0] in " -"), int(line))
            if at < 0:
                raise ValueError(
                    f"bug {bug.name} no longer applies to {name}, line {line}:\n{body}"
                )
            for same, found in groupby(lines, key=lambda x: x[0] == " "):
                group = list(found)
                old = [x[1:] for x in group if x[0] in " -"]
                if not same:
                    yield from _changes(name, at, old, [x[1:] for x in group if x[0] == "+"])
                at += sum(map(len, old))


def _changes(file: str, at: int, old: list[str], new: list[str]) -> Iterator[Change]:
    """The lines ``old`` at ``at`` become ``new``: each its own, where as many."""
    if len(old) != len(new):
        old, new = ["".join(old)], ["".join(new)]
    for before, after in zip(old, new, strict=True):
        yield Change(file, at, at + len(before), after)
        at += len(before)


def _place(text: str, old: str, line: int) -> int:
    """Offset of the lines ``old``: at ``line``, else in the only place where they are; or -1."""
    lines = text.splitlines(keepends=True)
    at = sum(len(x) for x in lines[: line - 1])
    if text.startswith(old, at):
        return at
    found = [m.end() for m in re.finditer("^", text, re.MULTILINE) if text.startswith(old, m.end())]
    return found[0] if len(found) == 1 else -1


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
    assert named == ["cycle", *fields] and (fields or re.search("late|early|tick", found[1]))
    assert re.search(r"^  caused by: \S", report, re.MULTILINE)


Edit = tuple[str, str, str]
"""A file of a block's RTL, what is in it in one place only, and what is to be there instead."""


def changed_rtl(folder: Path, block: str, edits: Iterable[Edit]) -> Path:
    """A copy of the RTL with ``edits`` of files of ``block`` made one after the other; its root."""
    shutil.copytree(ROOT / "rtl", folder / "rtl")
    for name, old, new in edits:
        path = folder / "rtl" / block / name
        text = path.read_text()
        assert text.count(old) == 1, f"{name} no longer has {old!r} once"
        path.write_text(text.replace(old, new))
    return folder


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
