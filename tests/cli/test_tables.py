# SPDX-License-Identifier: Apache-2.0
"""Knobs, conditions and histograms from the command line."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tilepath.engine.checking.stored import check_run
from tilepath.engine.description.stimulus import Context
from tilepath.engine.host.request import RunRequest, RunResult
from tilepath.tests.cli.fakes import invoke
from tilepath.tests.cli.files import CASES
from tilepath.tests.commands import refused

RUN = ("run", "--block", "adc", "--test", "random")
DRAWS = ("draws", "--block", "adc", "--test", "random")
SET = ("--knob", "op=setadc:3,setadcxx:1", "--knob", "flop.pause=7")
WHERE = 'counter <= 3 and op == "setadc"'


@pytest.mark.parametrize("command", [RUN, DRAWS], ids=lambda command: command[0])
@pytest.mark.parametrize(
    ("arguments", "says"),
    [*CASES["knobs"], (["--where", "op == 1 and " * 200 + "op"], "longer than 1000")],
)
def test_what_cannot_be_is_one_line_and_leaves_nothing(
    tmp_path: Path, command: Sequence[str], arguments: list[str], says: str
) -> None:
    out = tmp_path / ("out.csv" if command is DRAWS else "out")
    line = refused(invoke(*command, *arguments, "--out", out), says)
    assert line.startswith("tilepath: adc/random: ")
    assert list(tmp_path.iterdir()) == []


def test_requests_keep_them(tmp_path: Path) -> None:
    request = RunRequest(
        "adc", "random", 3, "verilator", out_dir=tmp_path, knobs=("op=setadc:3", "pace=none"),
        where=WHERE,
    )  # fmt: skip
    request.run_dir.mkdir(parents=True)
    request.write_json(request.run_dir / "request.json")
    assert RunRequest.from_json(request.run_dir / "request.json") == request
    context = request.context
    assert (context.knobs, context.where) == (request.knobs, WHERE)


def test_a_test_draws_as_asked() -> None:
    from tilepath.sequences.adc import TESTS
    from tilepath.tb.adc.streams import ISSUE

    context = Context("adc", "random", 1, "baseline", 2000)
    plain, asked = context, replace(context, knobs=("illegal=0", "ignored=0"), where=WHERE)
    words = [
        ISSUE.unpack(next(iter(TESTS["random"].stimulus(one)["t0.issue"])))["word"]
        for one in (plain, asked)
    ]
    assert len(set((words[0] >> 24).tolist())) > 8
    assert set((words[1] >> 24).tolist()) == {0x50}  # SETADC
    assert set((words[1] >> 18 & 7).tolist()) == {0, 1, 2, 3}
    # a floor is the test's own, not that of what is asked
    assert TESTS["random"].drawn_as(plain).floor and not TESTS["random"].drawn_as(asked).floor


def test_a_run_with_knobs_can_be_checked_again(tmp_path: Path) -> None:
    result = invoke(*RUN, *SET, "--where", WHERE, "--cycles", "2000", "--seed", "7",
                    "--out", tmp_path)  # fmt: skip
    assert result.exit_code == 0, result.output
    folder = tmp_path / "adc" / "random-7"
    found = RunResult.from_json(folder / "result.json")
    assert (found.knobs, found.where) == (SET[1::2], WHERE)
    assert json.loads((folder / "result.json").read_text())["where"] == WHERE
    assert check_run(folder).status == "pass"


def test_what_another_profile_cannot_draw_fails_the_run(tmp_path: Path) -> None:
    arguments = ("--profile", "blackhole", "--where", "top == 255", "--seed", "1")
    result = invoke(*RUN, *arguments, "--out", tmp_path)
    assert result.exit_code == 1
    assert "no row of 102,400 keeps constraint top == 255" in result.output


def test_list_shows_tables() -> None:
    result = invoke("list", "--knobs", "--block", "adc")
    lines = result.stdout.splitlines()
    assert result.exit_code == 0 and lines[:2] == ["adc/random", "table issue"]
    assert "  override  yes 40 %" in lines and "  pause        pauses, mean 4.0" in lines
    default = lines[lines.index("adc/random_default: what differs") :]
    assert "  override  yes 0 %" in default
    assert not any("towards" in line for line in default[:10])
    assert "no table flop" in lines[lines.index("adc/threads: what differs") :]


def test_draws_in_the_terminal() -> None:
    result = invoke(*DRAWS, *SET, "--rows", "4000")
    lines = result.stdout.splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith("issue.op  for instruction.op_"))
    assert [line.split()[0] for line in lines[at + 1 : at + 3]] == ["setadc", "setadcxx"]
    shares = [float(line.split()[1]) for line in lines[at + 1 : at + 3]]
    assert 72 < shares[0] < 78 and abs(sum(shares) - 100) < 0.2
    assert lines[at + 1].count("█") == 40 and 11 < lines[at + 2].count("█") < 16
    assert any(line.split()[:3] == ["0", "…", "16383"] for line in lines)
    assert invoke(*DRAWS, *SET, "--rows", "4000").stdout == result.stdout


def test_draws_apart_for_each_value(tmp_path: Path) -> None:
    assert " setadc setadcxx" in invoke(*DRAWS, *SET, "--by", "op", "--rows", "500").stdout
    out = tmp_path / "draws.csv"
    assert invoke(*DRAWS, *SET, "--by", "op", "--rows", "3000", "--out", out).exit_code == 0
    rows = list(csv.DictReader(out.open()))
    assert {row["table"] for row in rows} == {"issue"} and "op" not in {r["column"] for r in rows}
    override = [row for row in rows if row["column"] == "override"]
    assert sum(int(row["rows"]) for row in override) == 3000
    assert {(row["group"], row["value"]) for row in override} == {
        (op, value) for op in ("setadc", "setadcxx") for value in ("no", "yes")
    }


@pytest.mark.parametrize("by", [(), ("--by", "op")])
def test_draws_as_a_picture(tmp_path: Path, by: tuple[str, ...]) -> None:
    out = tmp_path / "draws.svg"
    assert invoke(*DRAWS, *SET, *by, "--out", out).exit_code == 0
    picture = ElementTree.parse(out).getroot()
    width, height = float(picture.attrib["width"]), float(picture.attrib["height"])
    name = "{http://www.w3.org/2000/svg}"
    for bar in picture.iter(f"{name}rect"):
        place = {key: float(bar.attrib.get(key, 0)) for key in ("x", "y", "width", "height")}
        assert place["x"] >= 0 and place["x"] + place["width"] <= width
        assert place["y"] >= 0 and place["y"] + place["height"] <= height
    texts = {text.text for text in picture.iter(f"{name}text")}
    assert {"issue.override", "setadc", "no", "yes"} <= texts
    assert "prefers-color-scheme:dark" in out.read_text()
