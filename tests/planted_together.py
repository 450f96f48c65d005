# SPDX-License-Identifier: Apache-2.0
"""All deliberate bugs of a catalogue in one build: each is chosen when the simulation starts.

There is one copy of the RTL for all bugs of a block that change expressions, no statements or
constants. Where a bug does, the copy has ``planted_pkg::bug == 7 ? (changed) : (as it was)``; which
bug is there stands in the file ``planted`` of the folder of the run. The other bugs need a copy and
a build each, :meth:`Catalogue.caught`.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from tilepath.engine.commands.mutants import PACKAGE
from tilepath.engine.commands.planted import ASSERTIONS, Change, copy_sources
from tilepath.engine.description.block import ROOT
from tilepath.engine.description.registry import load_block
from tilepath.engine.host.run import RunResult, run
from tilepath.tests.cosim_runs import FAST
from tilepath.tests.planted import (
    BLOCK_CYCLES,
    START,
    Catalogue,
    Edit,
    assert_report,
)

Planted = tuple[str, str, int]
"""A run: the name of a bug, or an empty one, a test and its seed."""

_SECONDS: Final = 300
"""A run that takes longer is stopped: a bug can make a simulation go on for ever."""

_COMMENT: Final = re.compile(r"//[^\n]*")
_ASSIGNMENT: Final = re.compile(r"<=|(?<![=!<>])=(?!=)|\breturn\b")
_SEMICOLON, _CLOSE, _APART = re.compile(";"), re.compile(r"\)"), re.compile("[,;]")


@dataclass(frozen=True)
class Together:
    """A copy of the RTL below ``root`` with all bugs of a catalogue; ``numbers`` choose them.

    ``block_cycles`` are between two comparisons with the model; ``start``: what registers begin
    with, in all runs.
    """

    catalogue: Catalogue
    root: Path
    numbers: Mapping[str, int]
    block_cycles: int = BLOCK_CYCLES
    start: int = START

    def run(self, runs: Sequence[Planted], folder: Path) -> Iterator[RunResult]:
        """Make ``runs``; their folders are below ``folder``."""
        for name, test, seed in runs:
            request = self.catalogue.request(
                *(test, seed),
                sim=FAST,
                block_cycles=self.block_cycles,
                source_root=self.root,
                out_dir=folder / (name or "none"),
                timeout=_SECONDS,
                start=self.start,
                prepare=True,
                provided={"planted": str(self.numbers.get(name, 0))},
            )
            yield run(request)

    def results(self, names: Iterable[str], folder: Path) -> dict[str, RunResult | None]:
        """How the default regression finds the bugs called ``names``; ``None``: not at all.

        Of each bug the runs of its test come first; what these do not find is left to the others.
        """
        found: dict[str, RunResult | None] = dict.fromkeys(names)
        tests = {
            n: self.catalogue.regression(first=self.catalogue.entries[n].caught_by) for n in found
        }
        while runs := [(n, *run) for n in found if not found[n] and (run := next(tests[n], None))]:
            for (name, _, _), result in zip(runs, self.run(runs, folder), strict=True):
                if result.report is not None:
                    assert_report(self.catalogue.block, result)
                    found[name] = result
            shutil.rmtree(folder)
        return found


def choosable(catalogue: Catalogue) -> list[str]:
    """The names of the bugs that change expressions only."""
    return [name for name in catalogue.entries if _is_choosable(catalogue, name)]


def others(catalogue: Catalogue) -> list[str]:
    """The names of the bugs that are planted alone."""
    return sorted(catalogue.entries.keys() - {*choosable(catalogue)})


def missed(catalogue: Catalogue, names: Iterable[str], folder: Path) -> list[str]:
    """Return which choosable bugs called ``names`` no test of the default regression finds."""
    found = plant_together(catalogue, folder / "planted").results(names, folder / "runs")
    shutil.rmtree(folder)
    return [name for name, result in found.items() if result is None]


def plant_together(catalogue: Catalogue, folder: Path) -> Together:
    """Copy ``rtl/`` into ``folder``, put all choosable bugs in, and take the assertions out."""
    copy_sources(folder, load_block(catalogue.block), assertions=False)
    found = {name: catalogue.entries[name].changes() for name in choosable(catalogue)}
    return _together(catalogue, folder, found, partial(ASSERTIONS.sub, ""))


def edit_together(
    catalogue: Catalogue, folder: Path, edits: Mapping[str, Iterable[Edit]]
) -> Together:
    """Do the same for named ``edits`` of files below ``rtl/``; the assertions stay.

    ``ValueError`` for an edit of something that is no expression.
    """
    shutil.copytree(ROOT / "rtl", folder / "rtl")
    found = {name: [_change(*edit) for edit in of_name] for name, of_name in edits.items()}
    return _together(catalogue, folder, found, str)


def _together(
    catalogue: Catalogue,
    folder: Path,
    named: Mapping[str, Iterable[Change]],
    finished: Callable[[str], str],
) -> Together:
    """Write the files that ``named`` change, ``finished``, to the copy in ``folder``."""
    numbers = {name: number for number, name in enumerate(named, 1)}
    files: dict[str, list[tuple[int, Change]]] = {}
    for name, found in named.items():
        for change in found:
            files.setdefault(change.file, []).append((numbers[name], change))
    for file, numbered in files.items():
        text = finished(_chosen((ROOT / file).read_text(), numbered))
        # a function that is not inlined may not look at a variable of a package
        (folder / file).write_text(text.replace("/* verilator no_inline_task */", ""))
    first = load_block(catalogue.block).rtl[0]
    (folder / "rtl" / first / "planted_pkg.sv").write_text(PACKAGE)
    return Together(catalogue, folder, numbers)


def _change(file: str, old: str, new: str) -> Change:
    """An edit as a change of its file; ``old`` has to be there once."""
    text = (ROOT / file).read_text()
    assert text.count(old) == 1, f"{file} no longer has {old!r} once"
    start = text.index(old)
    change = Change(file, start, start + len(old), new)
    if _expression(text, _least(text, change)) is None:
        raise ValueError(f"{file}: {old!r} is no expression, or a constant one")
    return change


def _is_choosable(catalogue: Catalogue, name: str) -> bool:
    changes = catalogue.entries[name].changes()
    found = [(change, (ROOT / change.file).read_text()) for change in changes]
    return all(_expression(text, _least(text, change)) is not None for change, text in found)


def _chosen(text: str, found: Iterable[tuple[int, Change]]) -> str:
    """``text`` with numbered changes, each in effect when its number is chosen."""
    least = [(number, _least(text, change)) for number, change in found]
    spans = [span for _, change in least if (span := _expression(text, change))]
    for start, end in reversed(_outermost(spans)):
        old = text[start:end]
        new: dict[int, str] = {}
        for number, change in sorted(least, key=lambda x: -x[1].start):
            if start <= change.start and change.end <= end:
                before = new.get(number, old)
                new[number] = (
                    before[: change.start - start] + change.new + before[change.end - start :]
                )
        choice = "".join(f"planted_pkg::bug == {n} ? ({_bare(x)})\n: " for n, x in new.items())
        text = f"{text[:start]} {choice}({_bare(old)}){text[end:]}"
    return text


def _bare(expression: str) -> str:
    return _COMMENT.sub("", expression).strip()


def _least(text: str, change: Change) -> Change:
    """``change`` without what it leaves as it is at its start and end."""
    old, new = text[change.start : change.end], change.new
    most = min(len(old), len(new))
    head = next((i for i in range(most) if old[i] != new[i]), most)
    most -= head
    tail = next((i for i in range(most) if old[-1 - i] != new[-1 - i]), most)
    return Change(change.file, change.start + head, change.end - tail, new[head : len(new) - tail])


def _expression(text: str, change: Change) -> tuple[int, int] | None:
    """Start and end of what to choose by: all that is assigned, else the contents of brackets."""
    text = _COMMENT.sub(lambda found: " " * len(found[0]), text)
    begin, around = _statement(text, change.start)
    assigned = _at_top(_ASSIGNMENT, text, begin)
    end = _at_top(_SEMICOLON, text, change.start)
    constant = any(text[:x].endswith("#") for x in around)
    if (
        not constant
        and "localparam" not in text[begin : change.start]
        and ";" not in text[change.start : change.end] + change.new
    ):
        if assigned is not None and assigned.end() <= change.start and end is not None:
            return assigned.end(), end.start()
        for start in (x + 1 for x in around if text[x] == "("):
            close, apart = _at_top(_CLOSE, text, start), _at_top(_APART, text, start)
            if (
                close
                and change.end <= close.start()
                and not (apart and apart.start() < close.start())
            ):
                return start, close.start()
    return None


def _statement(text: str, at: int) -> tuple[int, list[int]]:
    """Return where the statement at ``at`` begins, and the brackets open there, inner first."""
    depth = 0
    around = []
    for i in range(at - 1, -1, -1):
        if text[i] in ")]}":
            depth += 1
        elif text[i] in "([{" and depth > 0:
            depth -= 1
        elif text[i] in "([{":
            around.append(i)
        elif text[i] == ";" and depth == 0:
            return i + 1, around
    return 0, around


def _at_top(wanted: re.Pattern[str], text: str, start: int) -> re.Match[str] | None:
    """The first ``wanted`` from ``start`` on that is in no brackets opened since."""
    depth = 0
    for i in range(start, len(text)):
        if depth <= 0 and (found := wanted.match(text, i)):
            return found
        depth += (text[i] in "([{") - (text[i] in ")]}")
    return None


def _outermost(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans that are within no other, in order."""
    outer: list[tuple[int, int]] = []
    for start, end in sorted(set(spans), key=lambda span: (span[0], -span[1])):
        if not outer or start >= outer[-1][1]:
            outer.append((start, end))
    return outer
