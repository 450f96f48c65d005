# SPDX-License-Identifier: Apache-2.0
"""Files that tests of the command line begin from."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tilepath.engine.commands.yosys import Sources
from tilepath.engine.coverage.report import CoverageReport
from tilepath.engine.description.block import ROOT
from tilepath.engine.host.folders import build_folder
from tilepath.engine.host.request import RunRequest, RunResult
from tilepath.tests.commands import Done, python
from tilepath.tests.tables import beside

CASES = beside(__file__, "cases")

PARTS = (
    *("__init__.py", "__main__.py", "pyproject.toml", "cli", "engine", "isa"),
    *("tb/__init__.py", "project.py", "sequences/__init__.py"),
)


def write(root: Path, name: str, text: str) -> Path:
    """A file ``name`` below ``root``."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def stored(
    out: Path,
    which: tuple[str, str, int],
    status: str = "pass",
    coverage: CoverageReport | None = None,
    ran: int = 10,
    began: str = "",
    ends: Sequence[int] | None = None,
    **options: object,
) -> Path:
    """The folder of a run as the kernel leaves it; without ``status``: killed before its end.

    ``which``: block, test and seed; ``ran``: cycles; ``ends``: of blocks of cycles, in what it
    leaves of its outcome; ``options``: other fields of the request.
    """
    request = replace(RunRequest(*which, "verilator", out_dir=out), **options)  # type: ignore[arg-type]
    folder = request.run_dir
    folder.mkdir(parents=True)
    request.write_json(folder / "request.json")
    if ends is not None:
        (folder / "outcome.json").write_text(json.dumps({"ends": ends}))
    if coverage is not None:
        coverage.write_json(folder / "coverage.json")
    if status:
        RunResult(
            *(*which, request.sim, request.profile, status, ran, 5, 0.1, ""),
            run_dir=folder,
            command="",
            coverage_file=None if coverage is None else folder / "coverage.json",
            began=began,
        ).write_json()
    return folder


def source(name: str) -> str:
    """A file in ``designs``."""
    return (Path(__file__).with_name("designs") / name).read_text()


def design(root: Path, text: str, *macros: str, **parameters: int) -> Sources:
    """The module ``dut`` of ``text``, with what it has in it."""
    return Sources("dut", [write(root, "dut.sv", text)], parameters, root, macros)


def small_checkout(folder: Path) -> Path:
    """The command line and the engine in ``folder / "tilepath"``, without any block."""
    root = folder / "tilepath"
    for part in PARTS:
        source, target = ROOT / part, root / part
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    return root


def environment_of(root: Path) -> dict[str, str]:
    """For ``tilepath`` of such a checkout; much of a build is there already."""
    more = {"PYTHONPATH": str(root.parent), "TILEPATH_BUILD": str(build_folder())}
    return {**os.environ, **more}


def tilepath(root: Path, *arguments: str | Path) -> Done:
    """The command of such a checkout."""
    return python("-m", "tilepath", *arguments, cwd=root, env=environment_of(root))
