# SPDX-License-Identifier: Apache-2.0
"""The picture of a run: what it says of the worked timelines, and the pictures in docs/."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tilepath.engine.host.run import RunRequest
from tilepath.isa.boundary.flag_pipe import OPS
from tilepath.tb.flag_pipe.timeline import TFREE, TPOP, TPUSH, Timeline, read_timeline
from tilepath.tb.flag_pipe.timeline_svg import draw
from tilepath.tests.cli.fakes import invoke
from tilepath.tests.commands import refused
from tilepath.tests.cosim_runs import FAST, simulate

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
FOUR: Final = "baseline,nflags=4"
PICTURES: Final = [
    ("flag_pipe_one_way", "timeline_use_40", FOUR),
    ("flag_pipe_two_ways", "timeline_two_ways", "baseline"),
]
Runs = Callable[..., Path]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """Folder of a run of a test, simulated once."""
    done: dict[tuple[str, str], Path] = {}

    def run_dir(test: str, profile: str = "baseline") -> Path:
        if (test, profile) not in done:
            out = tmp_path_factory.mktemp("runs")
            done[test, profile] = simulate(
                RunRequest("flag_pipe", test, 1, FAST, profile, out_dir=out)
            )
        return done[test, profile]

    return run_dir


def steps(found: Timeline, core: int, op: int) -> list[tuple[int, ...]]:
    """Of each command: accepted, first and last cycle of WAIT, response."""
    mine = [c for c in found.commands if (c.core, c.op) == (core, op)]
    spans = [(c, c.span("WAIT")) for c in mine]
    return [(c.accepted, *((s.begin, s.end - 1) if s else ()), c.done) for c, s in spans]


def test_one_way(runs: Runs) -> None:
    """The first table of section 7, and what it means for flags and slots."""
    found = read_timeline(runs("timeline_use_40", FOUR))
    assert steps(found, 0, TPUSH)[:5] == [
        (2, 3, 3, 10), (11, 12, 12, 19), (20, 21, 21, 28), (29, 30, 30, 37), (38, 39, 57, 64)
    ]  # fmt: skip
    popped = [(5, 6, 12, 13), (56, 57, 57, 58), (101, 102, 102, 103), (146, 147, 147, 148)]
    assert steps(found, 1, TPOP)[:4] == popped
    assert [done for _, done in steps(found, 1, TFREE)][:5] == [55, 100, 145, 190, 235]
    assert [(use.begin, use.end - use.begin) for use in found.uses[:2]] == [(14, 40), (59, 40)]
    slot = [(s.kind, s.begin, s.end) for s in found.slots if s.row == (0, 0, 0, 0)]
    assert slot[:6] == [
        ("free", 2, 4), ("writing", 4, 11), ("ready", 11, 13), ("held", 13, 56), ("free", 56, 58),
        ("writing", 58, 65),
    ]  # fmt: skip
    ready = [(s.kind, s.begin, s.end) for s in found.flags if s.row == (("cv0", 0), 0)]
    assert {("flying", 11, 12), ("set", 12, 13), ("flying", 65, 66)} <= set(ready)
    sets = [(s.cycle, s.flag) for s in found.signals if (s.kind, s.bank) == ("SET", ("vc0", 0))]
    assert sets[:6] == [(1, 0), (2, 1), (3, 2), (4, 3), (55, 0), (100, 1)]


def test_halves(runs: Runs) -> None:
    """The cube is as fast as the slower vector; its commands are of both pairs (section 7)."""
    found = read_timeline(runs("timeline_halves", FOUR))
    plain = read_timeline(runs("timeline_use_40", FOUR))
    assert steps(found, 0, TPUSH) == steps(plain, 0, TPUSH)
    assert steps(found, 2, TPOP) == steps(plain, 1, TPOP)
    assert [done for *_, done in steps(found, 1, TPOP)][:5] == [13, 22, 31, 40, 67]
    assert [done for _, done in steps(found, 1, TFREE)][:5] == [15, 24, 33, 42, 69]
    written = {s.row[0] for s in found.slots if (s.kind, s.begin) == ("writing", 4)}
    assert written == {0, 1}
    assert "AIC TPUSH 0, C2V of both: accepted 38, " in " ".join(facts(draw(found, 0, 110, (1,))))


def test_two_ways(runs: Runs) -> None:
    """Both cores alike, each round 20 cycles later; V2C has the upper half of the flags."""
    found = read_timeline(runs("timeline_two_ways"))
    for core in (0, 1):
        for op, first in ((TPUSH, (5, 6, 6, 13)), (TPOP, (14, 15, 15, 16)), (TFREE, (23, 24))):
            rounds = [tuple(cycle + 20 * k for cycle in first) for k in range(5)]
            assert steps(found, core, op)[:5] == rounds, OPS[op]
    ready = {(s.bank, s.way, s.flag) for s in found.signals if (s.kind, s.means) == ("SET", "r")}
    assert ready == {(("cv0", 0), 0, k) for k in range(4)} | {
        (("vc0", 0), 1, 4 + k) for k in range(4)
    }


@pytest.mark.parametrize(
    "test", ["scenes_errors", "head_of_line", "set_set", "deadlock", "halves_a5", "halves_deadlock"]
)
def test_any_run(runs: Runs, test: str) -> None:
    """Each response has its command, and the flags are SET and consumed as they were recorded."""
    found = read_timeline(runs(test))
    for row in {span.row for span in found.flags}:
        spans = [s for s in found.flags if s.row == row and s.kind == "set"]
        sets = [s.cycle for s in found.signals if (s.kind, s.bank, s.flag) == ("SET", *row)]
        assert {s.begin for s in spans} <= {cycle + found.flag_lat for cycle in sets}
        waits = {s.cycle for s in found.signals if (s.kind, s.bank, s.flag) == ("WAIT", *row)}
        clears = {mark.cycle for mark in found.marks if mark.text == "clear"}
        assert {s.end - 1 for s in spans} <= waits | clears | {found.cycles - 1}
    stuck = any(mark.text.startswith("deadlock") for mark in found.marks)
    assert stuck == ("deadlock" in test)
    for pairs in ((0,), (1,), (0, 1)):
        ElementTree.fromstring(draw(found, 0, 150, pairs))


def facts(svg: str) -> list[str]:
    """What the tooltips of a picture say."""
    return re.findall("<title>(.*?)</title>", svg)


@pytest.mark.parametrize(("name", "test", "profile"), PICTURES)
def test_pictures_of_the_docs(runs: Runs, name: str, test: str, profile: str) -> None:
    """What docs/ shows is what a run is drawn as today."""
    shown = (DOCS / f"{name}.svg").read_text(encoding="utf-8")
    drawn = facts(draw(read_timeline(runs(test, profile)), 0, 110))
    assert len(drawn) > 50
    assert facts(shown) == drawn
    assert f"{name}.svg" in (DOCS / "flag_pipe.md").read_text(encoding="utf-8")


def test_command(runs: Runs, tmp_path: Path) -> None:
    run_dir = runs("timeline_two_ways")
    result = invoke("pipe-timeline", run_dir)
    assert (result.exit_code, "cycles 0 to 131" in result.stdout) == (0, True)
    svg = (run_dir / "timeline.svg").read_text(encoding="utf-8")
    assert "flag_pipe: timeline_two_ways, seed 1, baseline, verilator" in svg
    assert "platform a5" in svg
    file = tmp_path / "part.svg"
    assert invoke("pipe-timeline", run_dir, "-o", file, "--from", "40", "--to", "60").exit_code == 0
    assert "cycles 40 to 60" in file.read_text(encoding="utf-8")
    long = invoke("pipe-timeline", runs("scenes_errors"), "-o", file)
    assert "cycles 0 to 299" in long.stdout
    assert "the rest: --from 300" in long.stdout


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--from", "60", "--to", "40"), "no cycles to draw from 60 to 40"),
        (("--from", "5000"), "no cycles to draw from 5000"),
        (("--from", "0", "--to", "8000"), "too many"),
        (("--pair", "1"), "no command for pair 1"),
        (("-o", "/nonexistent/x.svg"), "/nonexistent/x.svg: cannot be written"),
    ],
)
def test_what_cannot_be_drawn(runs: Runs, options: tuple[str, ...], expected: str) -> None:
    refused(invoke("pipe-timeline", runs("timeline_two_ways"), *options), expected)
