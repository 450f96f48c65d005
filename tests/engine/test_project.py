# SPDX-License-Identifier: Apache-2.0
"""What the engine is told of a project, and what is said of one that it cannot use."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilepath.engine.checking.echo import echoes_of
from tilepath.engine.checking.finding import CheckError
from tilepath.engine.checking.sent_levels import LevelEcho
from tilepath.engine.description.block import Block
from tilepath.engine.description.naming import ports, proposed
from tilepath.engine.project import ENGINE, PROJECT_VARIABLE, OneProfile, Project, ProjectError
from tilepath.tests.commands import Done, python, refused

DESIGNS = Path(__file__).parent


def _tilepath(project: str, *words: str) -> Done:
    told = {PROJECT_VARIABLE: project, "PYTHONPATH": str(DESIGNS)}
    return python("-m", "tilepath", *words, env={**os.environ, **told})


@pytest.mark.parametrize("name", ["nosuch", "os", "designs.wrong_project"])
def test_what_is_no_project(name: str, tmp_path: Path) -> None:
    assert tmp_path
    refused(_tilepath(name, "list"), f"{PROJECT_VARIABLE}={name}")


def test_commands_know_the_designs_of_a_project() -> None:
    done = _tilepath("designs.project", "list", "--block", "fifo")
    assert done.returncode == 0 and "words at random, taken at random" in done.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["run", "--block", "fifo", "--profile", "other"], "unknown profile 'other'; there are:"),
        (["regress", "x.sqlite", "--test", "."], "no scheduled"),
    ],
)
def test_what_a_project_has_not(words: list[str], says: str) -> None:
    refused(_tilepath("designs.project", *words), says)


def test_a_project_without_words_and_profiles() -> None:
    project = Project(ENGINE.parent, "designs")
    with pytest.raises(ValueError, match="no assembly: 'NOP'"):
        project.assemble("NOP", "baseline")
    with pytest.raises(ProjectError, match="no witness"):
        project.extension("witness")
    profiles = OneProfile()
    assert profiles.names() == ("baseline",) and profiles.get("baseline").rtl_parameters() == {}
    assert (profiles.readings("baseline"), profiles.changed("baseline", "")) == ("", [])


def test_a_level_of_more_than_one_word_is_held_against_its_stimulus() -> None:
    wiring = proposed("wide", ports("clk value_i:70", "out_o"))
    (player,) = wiring.players()
    block: Any = Block(
        *("wide", "wide", ("wide",), wiring.boundary().streams, (player,)),
        *(lambda _profile: None,) * 2,  # type: ignore[arg-type]
    )
    stream = block.stream_table["value"]
    sent = [[1, 2, 3], [1, 9, 3]]
    for shown, wrong in ((sent, ""), ([[1, 2, 3], [1, 8, 3]], "item 1 of value is not what value")):
        (echo,) = echoes_of(block, "value", player)
        level = LevelEcho(block, "value", echo)
        level.sent(player.pack(cycles=[3, 5], value=sent))
        first = int(level._cycles[1])
        records = np.array([(first, shown[0]), (first + 3, shown[1])], stream.dtype)
        if not wrong:
            level.check({"value": records}, 2, first + 6)
            continue
        with pytest.raises(CheckError, match=wrong):
            level.check({"value": records}, 2, first + 6)
