# SPDX-License-Identifier: Apache-2.0
"""Every assertion of the blocks' HDL fires when what it watches is broken.

Edits that make each of them fire are in ``tests/<block>/assertions.toml``. A case ``says`` what the
assertion does, ``*`` for numbers, in ``test``; in ``file`` the text ``old``, which stands there
once, becomes ``new``; what else has to change is in ``also``. ``builds`` are with what:
``together`` with the others of the file, or alone with ``any`` simulator or the one named.
``profile`` shows it, if not the usual one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

import pytest

from tilepath.engine.commands.planted import copy_sources
from tilepath.engine.description.block import ROOT
from tilepath.engine.description.registry import load_block
from tilepath.engine.host.run import RunRequest, RunResult, run
from tilepath.sequences.flag_pipe import TESTS
from tilepath.tests.blocks.test_bugs_in_batches import ROWS
from tilepath.tests.cosim_runs import EACH_SIMULATOR, loading, missing
from tilepath.tests.flag_pipe import outside_cosim
from tilepath.tests.planted import SIM, Catalogue, Edit, assertions, broken, edit_files
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


CASES: Final = list(stored_cases())
ELSEWHERE: Final = {
    **{"fe_queue.sv": 1, "mop_expander.sv": 1, "replay_expander.sv": 1},
    **{"tp_player.sv": 2, "tp_recorder.sv": 2, "tp_state_pkg.sv": 2, "flag_pipe_memory.sv": 1},
}
"""Those of ``tests/frontend/test_assertions.py`` and of the last test here."""


def test_all_assertions_are_known() -> None:
    """A ``$fatal`` more, and there has to be a case more."""
    found = assertions("rtl", "tb", "engine")
    counts = {name: count for name, count in found.items() if not name.endswith("_proof.sv")}
    assert ELSEWHERE.items() <= counts.items()
    cases = {(case.block, case.says, case.edits[0][0]) for case in CASES if "," not in case.profile}
    assert len(cases) + sum(ELSEWHERE.values()) == sum(counts.values())


@pytest.mark.parametrize("block", dict.fromkeys(x.block for x in CASES if "together" in x.builds))
def test_assertions_fire(block: str, tmp_path: Path) -> None:
    """And none fires before it."""
    cases = [case for case in CASES if case.block == block and "together" in case.builds]
    assert silent(ROWS[block].bugs, cases, tmp_path) == []


@pytest.mark.parametrize(
    ("case", "sim"),
    [(x, sim) for x in CASES for sim in x.builds if sim != "together"],
    ids=lambda of: of.says.replace(" ", "_") if isinstance(of, Broken) else of,
)
def test_assertion_fires_alone(case: Broken, sim: str, tmp_path: Path) -> None:
    if sim != "any" and (why := missing(sim)):
        pytest.skip(why)
    fires_alone(case, sim, tmp_path)


@pytest.mark.parametrize("sim", EACH_SIMULATOR)
def test_an_access_beyond_the_memory_stops_the_run(
    sim: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A legal ring, but where the bench of the flag pipe has no memory."""
    monkeypatch.setitem(TESTS, outside_cosim.TEST.name, outside_cosim.TEST)
    profile = "baseline,platform=a2a3"
    request = RunRequest(
        "flag_pipe", outside_cosim.TEST.name, 1, sim,
        profile=profile, coverage=False, out_dir=tmp_path,
    )  # fmt: skip
    with loading(outside_cosim.__name__):
        result = run(request)
    broken(result, "flag_pipe_memory: an access beyond the memory, before cycle ")
