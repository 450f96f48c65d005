# SPDX-License-Identifier: Apache-2.0
"""1,000 random programs: the checker's verdict is what the hardware does."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from tilepath.engine.description.block import ROOT
from tilepath.sequences.flag_pipe.random_programs import PROGRAMS
from tilepath.tests.blocks.test_bugs_in_batches import ROWS
from tilepath.tests.planted_together import Together

PLATFORMS: Final = ("a5", "a2a3")
RUNS: Final = 7
HANGS: Final = 6


def wrong(test: str, platform: str, seeds: int, folder: Path) -> list[str]:
    """What is wrong with runs of a test, which start in one simulation without a planted bug."""
    catalogue = replace(ROWS["flag_pipe"].bugs, profile=f"baseline,platform={platform}")
    runs = [(f"seed {seed}", test, seed) for seed in range(seeds)]
    results = Together(catalogue, ROOT, {}).run(runs, folder)
    return [f"seed {r.seed}: {r.message}" for r in results if r.status != "pass"]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_programs_that_end(platform: str, tmp_path: Path) -> None:
    """One after the other in a few long runs."""
    assert len(PLATFORMS) * RUNS * PROGRAMS >= 1000
    assert wrong("programs", platform, RUNS, tmp_path) == []


@pytest.mark.parametrize("platform", PLATFORMS)
def test_what_expansion_makes(platform: str, tmp_path: Path) -> None:
    assert wrong("programs_expanded", platform, 1, tmp_path) == []


@pytest.mark.parametrize("platform", PLATFORMS)
def test_programs_that_stand_still(platform: str, tmp_path: Path) -> None:
    assert wrong("programs_hang", platform, HANGS, tmp_path) == []


def played(file: str, folder: Path, *options: str) -> str:
    """What a run of a program file prints."""
    command = [sys.executable, "-m", "tilepath", "run", "--test", file, "--seed", "1", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_kernel_of_attention_at_its_sizes(tmp_path: Path) -> None:
    file = Path(__file__).with_name("attention.pipe")
    printed = played(str(file), tmp_path, "--profile", "baseline,platform=a2a3")
    assert re.search(r"attention +1 .*pass", printed)


def test_a_file_of_the_users_own(tmp_path: Path) -> None:
    """It is played, and where it hangs the table and the note of the run say so."""
    text = (ROOT / "sequences/flag_pipe/programs/starved.pipe").read_text()
    (tmp_path / "mine.pipe").write_text(text)
    printed = played("mine.pipe", tmp_path)
    assert re.search(r"mine +1 .*pass: stands still, as predicted", printed)
    (results,) = tmp_path.glob("runs/*/results.xml")
    assert re.search(r'name="note" value="stands still, [^"]*AIV0 blocked at', results.read_text())
