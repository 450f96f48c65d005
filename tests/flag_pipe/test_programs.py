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
from tilepath.models.pipe_program import TextError
from tilepath.sequences.flag_pipe.programs import FOLDER
from tilepath.sequences.flag_pipe.programs import played as played_by_model
from tilepath.sequences.flag_pipe.random_programs import PROGRAMS
from tilepath.tb.flag_pipe.streams import CMD
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
    text = (FOLDER / "starved.pipe").read_text()
    (tmp_path / "mine.pipe").write_text(text)
    printed = played("mine.pipe", tmp_path)
    assert re.search(r"mine +1 .*pass: stands still, as predicted", printed)
    (results,) = tmp_path.glob("runs/*/results.xml")
    assert re.search(r'name="note" value="stands still, [^"]*AIV0 blocked at', results.read_text())


def test_rings_where_the_bench_has_no_memory(tmp_path: Path) -> None:
    """They are laid into what it has, if they fit."""
    profile, text = "baseline,platform=a2a3", (FOLDER / "attention_a2a3.pipe").read_text()
    file = tmp_path / "far.pipe"
    file.write_text(re.sub(r"(gm \w+ base=0x)", r"\g<1>1000", text))
    verdict, _, items = played_by_model(file, profile)
    assert verdict == "DONE"
    assert set(CMD.unpack(items["core0.cmd"])["gm_base"]) == {0, 32, 0x8020, 0xC020}
    init = "initialize_pipe C2V slot_size=0x80000 gm=q\n}"
    cores = "".join(f"func @f{core} on {core} {{\n{init}\n" for core in ("AIC", "AIV0"))
    file.write_text(f"platform a2a3\ngm q base=0x20 size=0x400000\n{cores}")
    with pytest.raises(TextError, match=r"far.pipe:4:1: rings of 4194336 B in global memory"):
        played_by_model(file, profile)
