# SPDX-License-Identifier: Apache-2.0
"""Assertions of a block's HDL: edits of it that make each of them fire.

They are in ``tests/<block>/assertions.toml``. A case ``says`` what the assertion does, ``*`` for
numbers, in ``test``; in ``file`` the text ``old``, which stands there once, becomes ``new``; what
else has to change is in ``also``. ``builds`` are with what: ``together`` with the others of the
file, or alone with ``any`` simulator or the one named. ``profile`` shows it, if not the usual one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from tilepath.engine.commands.planted import copy_sources
from tilepath.engine.description.block import ROOT
from tilepath.engine.description.registry import load_block
from tilepath.engine.host.run import RunRequest, RunResult, run
from tilepath.tests.planted import SIM, Catalogue, Edit, broken, edit_files
from tilepath.tests.planted_together import edit_together


@dataclass(frozen=True)
class Broken:
    """An assertion of ``block`` that fires; the other fields are those of the file."""

    block: str
    says: str
    test: str
    edits: tuple[Edit, ...]
    builds: tuple[str, ...]
    profile: str


def stored_cases() -> Iterator[Broken]:
    """The cases of all blocks."""
    for file in sorted(ROOT.glob("tests/*/assertions.toml")):
        stored = tomllib.loads(file.read_text())
        for row in stored["broken"]:
            edits = tuple((at["file"], at["old"], at["new"]) for at in (row, *row.get("also", ())))
            builds = row.get("builds", stored.get("builds", ["any"]))
            profile = row.get("profile", "baseline")
            block = file.parent.name
            yield Broken(block, row["says"], row["test"], edits, tuple(builds), profile)


def run_alone(case: Broken, sim: str, folder: Path) -> RunResult:
    """A run with a build of its own."""
    copy_sources(folder, load_block(case.block))
    edit_files(folder, case.edits)
    return run(
        RunRequest(
            block=case.block,
            test=case.test,
            seed=1,
            sim=SIM if sim == "any" else sim,
            profile=case.profile,
            coverage=False,
            source_root=folder,
            build_root=folder / "build",
            out_dir=folder / "runs",
        )
    )


def silent(catalogue: Catalogue, cases: list[Broken], folder: Path) -> list[str]:
    """Which of the cases do not fire, or not first; all in one build, of a minute or two.

    Seeds are those of the default regression.
    """
    edits = {f"case{number}": case.edits for number, case in enumerate(cases)}
    together = replace(edit_together(catalogue, folder / "planted", edits), block_cycles=4_096)
    seeds = dict(catalogue.regression(first=""))
    runs = [(name, x.test, seeds[x.test]) for name, x in zip(edits, cases, strict=True)]
    found = zip(cases, together.run(runs, folder / "runs"), strict=True)
    return [case.says for case, result in found if not _fires(case, result)]


def _fires(case: Broken, result: RunResult) -> bool:
    """And no other assertion before it, nor the comparison with the model."""
    said = re.findall(
        r"%Fatal: .*Assertion failed in \S+: (.*)", (result.run_dir / "sim.log").read_text()
    )
    stopped = result.status == "error" and result.report is None
    return stopped and len(said) == 1 and fnmatchcase(said[0], case.says)


def fires_alone(case: Broken, sim: str, folder: Path) -> None:
    """The run must be broken off by the assertion."""
    broken(run_alone(case, sim, folder), case.says.partition("*")[0], ".sv:")
