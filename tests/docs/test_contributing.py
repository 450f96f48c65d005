# SPDX-License-Identifier: Apache-2.0
"""What is said to whoever carries on is true: targets, paths, hooks, the workflow, versions."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tilepath import __version__
from tilepath.tests.commands import ROOT, make, passed

PAGE: Final = (ROOT / "CONTRIBUTING.md").read_text()
CODE: Final = re.findall(r"`([^`\n]+)`", PAGE)
TARGETS: Final = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
HOOKS: Final[dict[str, dict[str, Any]]] = {
    hook["id"]: hook
    for repo in yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    for hook in repo["hooks"]
}
# hook → a file and what it is made to contain
FAULTS: Final = {
    "ruff-check": ("isa/planted.py", "import os\n"),
    "ruff-format": ("isa/planted.py", "x = [ 1 ]\n"),
    "house-rules": ("isa/planted.py", "x = 1\n"),
    "generated-isa": ("isa/constants.py", "# stale\n"),
    "generated-errata": ("docs/silicon.md", "stale\n"),
    "generated-pictures": ("docs/pictures/adc.svg", "stale\n"),
}


def test_the_page_is_short() -> None:
    assert len(PAGE.splitlines()) <= 80


def test_its_targets_exist() -> None:
    named = [shlex.split(code)[1:] for code in CODE if code.startswith("make ")]
    assert len(named) > 10
    for words in named:
        passed(make("-n", *words))


def test_its_paths_exist() -> None:
    names = [code for code in CODE if re.fullmatch(r"[\w.-]*/[\w./-]*|[\w-]+\.md", code)]
    made = {"build/", "runs/"}
    assert len(names) > 15
    assert [name for name in names if name not in made and not (ROOT / name).exists()] == []


def test_ci_runs_what_the_page_says() -> None:
    (loop,) = re.findall(r"^for target in (.+); do$", (ROOT / ".ci/run").read_text(), re.MULTILINE)
    section = PAGE.partition("## What CI runs")[2].partition("\n## ")[0]
    assert re.findall(r"`make ([a-z-]+)`", section) == loop.split()
    assert set(loop.split()) <= TARGETS


def test_help_names_every_target_in_a_group() -> None:
    said = make("help").stdout
    groups = re.findall(r"^([a-z ]+)\n((?:  [a-z-]+ .*\n)+)", said, re.MULTILINE)
    named = [line.split()[0] for _, lines in groups for line in lines.splitlines()]
    assert sorted(named) == sorted(TARGETS) and len(groups) > 3


def test_the_workflow_calls_ci() -> None:
    (path,) = (ROOT / ".github" / "workflows").iterdir()
    workflow = yaml.safe_load(path.read_text())
    (job,) = workflow["jobs"].values()
    assert job["steps"][-1] == {"run": "bash .ci/run"} and (ROOT / ".ci" / "run").exists()
    assert 0 < job["timeout-minutes"] <= 120
    wanted = job["steps"][1]["with"]["python-version"]
    assert f'requires-python = ">={wanted}"' in (ROOT / "pyproject.toml").read_text()


def test_the_changelog_has_the_usual_form() -> None:
    text = (ROOT / "CHANGELOG.md").read_text()
    assert re.findall(r"^## (.+)$", text, re.MULTILINE)[0] == "[Unreleased]"
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert set(re.findall(r"^### (.+)$", text, re.MULTILINE)) <= kinds
    assert f"To be {__version__}," in text or f"## [{__version__}] - " in text


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project, with the environment of this one."""
    root = tmp_path_factory.mktemp("copy") / "tilepath"
    left_out = shutil.ignore_patterns(".git", ".venv", "build", "runs", "__pycache__", ".*_cache")
    shutil.copytree(ROOT, root, ignore=left_out)
    (root / ".venv" / "bin").mkdir(parents=True)
    for program in ("python", "ruff"):
        script = root / ".venv" / "bin" / program
        module = " -m ruff" if program == "ruff" else ""
        paths = f"PYTHONPATH={shlex.quote(str(root.parent))}"
        script.write_text(f'#!/bin/sh\n{paths} exec {shlex.quote(sys.executable)}{module} "$@"\n')
        script.chmod(0o755)
    return root


def test_each_hook_has_a_planted_fault() -> None:
    assert HOOKS.keys() == FAULTS.keys()
    assert {hook["language"] for hook in HOOKS.values()} == {"system"}


@pytest.mark.parametrize("name", FAULTS)
def test_a_hook_finds_what_is_planted(name: str, checkout: Path) -> None:
    file, text = FAULTS[name]
    hook, path = HOOKS[name], checkout / file
    before = path.read_text() if path.exists() else None
    given = [] if hook.get("pass_filenames") is False else [file if before else "isa/codec.py"]
    command = shlex.split(hook["entry"])

    def status(names: list[str]) -> int:
        return subprocess.run([*command, *names], cwd=checkout, capture_output=True).returncode

    assert status(given) == 0
    path.write_text(text)
    try:
        assert status([file] if given else []) == 1
    finally:
        if before is None:
            path.unlink()
        else:
            path.write_text(before)
