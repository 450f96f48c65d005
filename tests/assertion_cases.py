# SPDX-License-Identifier: Apache-2.0
"""Assertions of a block's HDL: each fires when edits of the RTL break what it watches."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from tilepath.tb.kernel.host.run import RunRequest, RunResult, run
from tilepath.tests.planted import SIM, Catalogue, Edit, changed_rtl
from tilepath.tests.planted_together import edit_together


@dataclass(frozen=True)
class Broken:
    """What an assertion says, ``*`` for numbers; ``edits`` of the RTL make it, in ``test``."""

    says: str
    test: str
    edits: tuple[Edit, ...]


def stored_cases(file: Path) -> tuple[Broken, ...]:
    """The cases of a table of TOML."""
    return tuple(
        Broken(
            row["says"],
            row["test"],
            tuple((at["file"], at["old"], at["new"]) for at in (row, *row.get("also", ()))),
        )
        for row in tomllib.loads(file.read_text())["broken"]
    )


def ids(cases: Iterable[Broken]) -> list[str]:
    """Names for pytest."""
    return [case.says.replace(" ", "_") for case in cases]


def results_of(
    catalogue: Catalogue, cases: Sequence[Broken]
) -> Callable[..., dict[str, RunResult]]:
    """A fixture: what an assertion says → its run; all in one build, which takes a minute or two.

    Files in the edits are named below ``rtl/``; seeds are those of the default regression.
    """

    @pytest.fixture(scope="module")
    def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RunResult]:
        folder = tmp_path_factory.mktemp("assertions")
        edits = {f"case{number}": case.edits for number, case in enumerate(cases)}
        together = replace(edit_together(catalogue, folder / "planted", edits), block_cycles=4_096)
        seeds = dict(catalogue.regression(first=""))
        runs = [(name, x.test, seeds[x.test]) for name, x in zip(edits, cases, strict=True)]
        found = zip(cases, together.run(runs, folder / "runs"), strict=True)
        return {case.says: result for case, result in found}

    return results


def fires(cases: Sequence[Broken]) -> Callable[..., None]:
    """A test of each case, which wants the fixture ``results``."""

    @pytest.mark.parametrize("case", cases, ids=ids(cases))
    def test_assertion_fires(case: Broken, results: dict[str, RunResult]) -> None:
        """And no other before it, nor the comparison with the model."""
        result = results[case.says]
        assert result.status == "error"
        assert result.report is None
        log = (result.run_dir / "sim.log").read_text()
        (said,) = re.findall(r"%Fatal: .*Assertion failed in \S+: (.*)", log)
        assert fnmatchcase(said, case.says)

    return test_assertion_fires


def run_alone(
    block: str,
    test: str,
    edits: Iterable[Edit],
    folder: Path,
    below: str | None = None,
    sim: str = SIM,
    profile: str = "baseline",
) -> RunResult:
    """A run of ``test`` with a build of its own; edits are of files of ``below``, or the block."""
    return run(
        RunRequest(
            block=block,
            test=test,
            seed=1,
            sim=sim,
            profile=profile,
            coverage=False,
            source_root=changed_rtl(folder, block if below is None else below, edits),
            build_root=folder / "build",
            out_dir=folder / "runs",
        )
    )
