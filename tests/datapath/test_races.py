# SPDX-License-Identifier: Apache-2.0
"""Races by happens-before: kernels have none, and where a wait is gone the two are named."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tilepath.cli.main import app
from tilepath.engine.description.stimulus import Context
from tilepath.models.kernels import Kernel, load, parse
from tilepath.models.kernels.play import play
from tilepath.models.kernels.races import races
from tilepath.models.kernels.tries import tries
from tilepath.models.machine.schedule import schedules
from tilepath.sequences.datapath.drawn_kernel import plan
from tilepath.sequences.datapath.random_kernels import TESTS
from tilepath.tests.commands import refused
from tilepath.tests.datapath.kernel_files import CASES, PROFILES, PROGRAMS, edited
from tilepath.tests.datapath.test_schedules import EDITS, MISSING, NAMES

_MOST_TILES = 8
_PLANS = 24
# A STALLWAIT for a bank right behind the word that gives it back, where either bank will do
_UNSHOWN = {"waits"}
_WAIT = re.compile(r"\s*(STALLWAIT|SEMWAIT|poll|NOP)\b")


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", NAMES)
def test_all_is_in_order(name: str, profile: str) -> None:
    given = [given for one, given in CASES if one == name and given.get("TILES", 1) <= _MOST_TILES]
    kernel = load(PROGRAMS / f"{name}.kernel", profile, given[-1] if given else {})
    for letter in (True, False):
        found = races(kernel, letter, most=1)
        assert (found.told, found.unshown) == ([], name in _UNSHOWN)


def test_all_is_in_order_in_drawn_kernels() -> None:
    ctx = Context("datapath", "random_plans", 7, "baseline", 0).with_tables(
        TESTS["random_plans"].tables
    )
    for row in itertools.islice(ctx.table("plan").drawn(ctx.rng("plan"), 64), _PLANS):
        found = races(plan(row).kernel("baseline"), most=1)
        assert (found.told, found.unshown) == ([], 0)


def _without(name: str, *edits: tuple[str, str]) -> Kernel:
    return parse(edited(name, *edits), "<kernel>", given={"TILES": 3})


@pytest.mark.parametrize("row", MISSING, ids=lambda row: f"{row['kernel']}, {row['schedule']}")
def test_the_two_that_a_wait_ordered_are_named(row: dict[str, Any]) -> None:
    found = races(_without(row["kernel"], tuple(row["edit"])))
    said = [(race.first.what, race.second.what, race.place) for race in found.told]
    assert any(all(map(str.startswith, one, row["race"])) for one in said), said


def _thread_of(lines: list[str], number: int) -> tuple[int, int]:
    """The lines of the thread that a line is in."""
    begins = [n for n, line in enumerate(lines) if line.startswith("thread ")]
    return max(n for n in begins if n <= number), min(
        (n for n in begins if n > number), default=len(lines)
    )


@pytest.mark.parametrize("name", ["add1", "copy"])
def test_all_that_schedules_notice_is_a_race_beside_the_line_that_is_gone(name: str) -> None:
    lines, noticed = edited(name).split("\n"), 0
    for gone in (n for n, line in enumerate(lines) if _WAIT.match(line)):
        text = "\n".join([*lines[:gone], "", *lines[gone + 1 :]])
        kernel = parse(text, "<kernel>", given={"TILES": 3})
        if play(kernel).failed or not any(one.lines for one in tries(kernel, schedules(12))):
            continue
        noticed += 1
        begin, end = _thread_of(lines, gone)
        sides = [side.where for race in races(kernel).told for side in (race.first, race.second)]
        assert any(begin < side.line <= end for side in sides if side), lines[gone]
    assert noticed >= 4


def _told(*args: str) -> tuple[int, list[str]]:
    done = CliRunner().invoke(app, ["model", *args, "--races"])
    return done.exit_code, done.stdout.splitlines()


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "my.kernel"
    file.write_text(edited("add1", EDITS[0]))
    code, lines = _told(str(file), "--set", "TILES=3")
    assert code == 1 and lines[-1] == f"{file}: races: 4"
    at = next(n for n, line in enumerate(lines) if line.startswith("race: "))
    assert re.fullmatch(
        rf"race: {file}:\d+:13 store THCON_SEC0_REG3_Base_address \(core 0, under way\) and "
        rf"{file}:\d+:9 UNPACR \(thread 0, as it issues\): nothing orders them; "
        r"both touch THCON_SEC0_REG3_Base_address",
        lines[at],
    )
    assert re.match(r"  with schedule \S+: .* numbers of out are wrong", lines[at + 1])
    assert re.match(r"  with STALLWAIT 1<<CLS_UNPACK, .*_TRISC_CFG in front of", lines[at + 2])
    code, lines = _told(str(file), "--set", "TILES=3", "--this-rtl")
    assert code == 0 and lines[-1].endswith("20 schedules, profile baseline")


def test_what_no_schedule_shows_is_counted() -> None:
    code, lines = _told(str(PROGRAMS / "waits.kernel"), "--schedules", "4")
    said = "1 pairs of statements that nothing orders: none of 7 schedules shows them"
    assert code == 0 and lines[-2].endswith(said)


def test_what_fails_without_schedules_is_told_as_always(tmp_path: Path) -> None:
    file = tmp_path / "my.kernel"
    file.write_text(edited("add1", ("        SEMPOST 1<<MATH_PACK\n", "")))
    code, lines = _told(str(file))
    assert code == 1 and "deadlock after" in lines[0]
    assert not any("race" in line for line in lines)


def test_bad_input(tmp_path: Path) -> None:
    kernel, cut = str(PROGRAMS / "add1.kernel"), tmp_path / "cut.kernel"
    cut.write_text("thread 0 {\n    REPLAY 0, 2, 0, 1\n    NOP\n}\n")
    for args, said in (
        ((kernel, "--schedules", "0"), "0 schedules: want one or more"),
        ((str(cut),), "thread 0 ends inside of a recording, 1 words of its REPLAY are missing"),
    ):
        refused(CliRunner().invoke(app, ["model", *args, "--races"]), said)


def test_more_than_there_is_room_for_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilepath.models.kernels.races._MOST", 2)
    found = races(_without("add1", EDITS[0]))
    assert (len(found.told), found.left_out) == (2, True)
