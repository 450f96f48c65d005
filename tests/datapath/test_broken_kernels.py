# SPDX-License-Identifier: Apache-2.0
"""A kernel in which one thing is wrong fails the check that it passes as it is.

``broken_kernels.toml`` has some of ours, ``broken_plans.toml`` kernels that are drawn from plans.
"""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tilepath.engine.description.registry import tests_of
from tilepath.engine.host.run import RunRequest, run
from tilepath.models.kernels import parse, play
from tilepath.models.kernels.play import machine_of
from tilepath.models.machine.run import Order
from tilepath.sequences.datapath.drawn_kernel import DrawnKernel, Stage
from tilepath.sequences.datapath.formats import Way
from tilepath.sequences.datapath.kernels import own_tests
from tilepath.tb.datapath.streams import OWN_KERNELS
from tilepath.tests.cosim_runs import FAST
from tilepath.tests.datapath.kernel_files import PROFILES, PROGRAMS, edited
from tilepath.tests.datapath.kernel_numbers import CHECKS
from tilepath.tests.tables import beside

BROKEN = [(name, *row) for name, rows in beside(__file__, "broken_kernels").items() for row in rows]
_WAIT = "SEMWAIT 1<<CLS_UNPACK | 1<<CLS_SYNC, 1<<PACK_DONE, 1<<SEM_COND_ZERO"
_TAKE = "poll MATH_DONE >= 1\nget MATH_DONE\n"
IN_SOME_ORDERS = {
    # core 1 takes the semaphore, and nothing holds unpack
    "direct": [(_TAKE, ""), ("SEMPOST 1<<MATH_DONE\n", f"SEMPOST 1<<MATH_DONE\n{_TAKE}")],
    "compress": [(_WAIT, "NOP")],
    "twice": [(_WAIT, "NOP")],
}


def _shows(
    name: str, edits: list[tuple[str, str]], profile: str, order: Order, given: dict[str, int]
) -> bool:
    """Whether the kernel with all that it includes, edited, fails any check."""
    kernel = parse(edited(name, *edits), "<kernel>", profile, given)
    verdict = play(kernel, order)
    if verdict.failed or verdict.machine.events:
        return True
    if name not in CHECKS:
        return False
    try:
        CHECKS[name](kernel, machine_of(kernel).l1, verdict.machine.l1, given)
    except AssertionError:
        return True
    return False


@pytest.mark.parametrize("name, given, right, wrong", BROKEN)
def test_it_is_seen(name: str, given: dict[str, int], right: str, wrong: str) -> None:
    given = {"TILES": 8, **({"MAX": 1} if name == "reduce" else {}), **given}
    assert any(_shows(name, [(right, wrong)], one, "round", given) for one in PROFILES)


@pytest.mark.parametrize("name", IN_SOME_ORDERS)
def test_it_is_seen_in_some_orders(name: str) -> None:
    edits, given = IN_SOME_ORDERS[name], {"TILES": 1 if name == "twice" else 4}
    assert _shows(name, edits, "baseline", (0, 1, 2), given)
    assert not _shows(name, edits, "baseline", (2, 1, 0), given)


def test_without_a_mutex_counts_are_lost() -> None:
    text = (PROGRAMS / "mutex.kernel").read_text()
    locked = (PROGRAMS / "locked.kernel").read_text()
    text = text.replace('include "locked.kernel"', re.sub("AT(GETM|RELM).*", "NOP", locked))
    kernel = parse(text, str(PROGRAMS / "mutex.kernel"), given={"TILES": 8})
    found = [
        sum(play(kernel, order).machine.read_config(205 + k) for k in range(4))
        for order in ("round", (0, 1, 2))
    ]
    assert found[0] < 24 and found[1] == 24


# --- kernels of plans that break one rule: each shows as it is said to, and in these orders

ALL: tuple[tuple[int, ...], ...] = tuple(itertools.permutations(range(3)))
RULES = beside(__file__, "broken_plans")


def _stage(op: str, **given: int) -> Stage:
    usual = {"PHASES": 1, "TERMS": 1, "SINGLE": 0, "BCAST": 0, "ROW": 0, "COLUMN": 0}
    usual |= {"HALVES": 2, "CONTEXTS": 2, "BANK": 0, "MOP": 0}
    way = Way("BF16", "BF16", "BF16", "add" if op == "add" else "move")
    return Stage(op, way, way if op == "add" else None, "BF16", 100, usual | given)


def _plan(tiles: int, *stages: Stage, pause: int = 0) -> DrawnKernel:
    return DrawnKernel(tiles, (32, 32), 100, (0, 1 % tiles), (0, 0, pause), 0, list(stages))


PLANS = {
    "sums": _plan(4, _stage("add")),  # two contexts, two halves of Dst
    "slow": _plan(4, _stage("add"), pause=500),  # packers that come late
    "one context": _plan(4, _stage("add", CONTEXTS=1)),
    # a sum, copied once more from where it was packed to, in the other bank of configuration
    "chain": _plan(1, _stage("add"), _stage("copy", BANK=1), pause=500),
}


def _text(plan: str = "sums", file: str = "", right: str = "", wrong: str = "", **_: Any) -> str:
    """A plan as text without includes, edited, with what its last tiles are to hold."""

    def included(found: re.Match[str]) -> str:
        text = (PROGRAMS / found[1]).read_text()
        if found[1] != f"plan_{file}.kernel":
            return text
        assert text.count(right) == 1, (found[1], right)
        return text.replace(right, wrong)

    drawn = PLANS[plan]
    text = re.sub('include "(.*)"', included, drawn.text())
    last = drawn.tile("t", len(drawn.stages))
    return f"{text}expect {last} = {drawn.tile('t', 0)} + {drawn.tile('b', 0)}\n"


def _said(text: str, profile: str, order: Order) -> str:
    """All that the machine says of a kernel; empty if it is right."""
    verdict = play(parse(text, profile=profile), order)
    machine = verdict.machine
    said = [*verdict.failed, *(one.name for one in (*machine.faults, *machine.events))]
    return "\n".join(said)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", RULES)
def test_it_shows_in_these_orders_and_in_no_other(name: str, profile: str) -> None:
    row = RULES[name]
    text = _text(**row)
    for order in ALL:
        said = _said(text, profile, order)
        if "orders" not in row or "".join(map(str, order)) in row["orders"]:
            assert row["shows"] in said, order
        elif "elsewhere" in row:
            assert row["elsewhere"] in said and row["shows"] not in said, order
        else:
            assert said == "", order


@pytest.mark.parametrize("profile", PROFILES)
def test_without_an_edit_all_is_well(profile: str) -> None:
    for plan in PLANS:
        assert [_said(_text(plan), profile, order) for order in ALL] == [""] * len(ALL)


def _said_on_rtl(text: str, tmp_path: Path, patch: pytest.MonkeyPatch) -> str:
    """The same of a run on the RTL: its verdict and faults."""
    file = tmp_path / "broken.kernel"
    file.write_text(text)
    patch.setenv(OWN_KERNELS, str(file))
    patch.setitem(tests_of("datapath"), file.stem, own_tests()[file.stem])
    result = run(RunRequest("datapath", file.stem, 1, FAST, out_dir=tmp_path, cold=True))
    faults = json.loads((result.run_dir / "outcome.json").read_text())["faults"]
    return "\n".join([result.report.read_text() if result.report else result.message, *faults])


@pytest.mark.long
@pytest.mark.parametrize("name", [*RULES, None])
def test_it_shows_on_the_rtl(
    name: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = RULES.get(name, {})
    said = _said_on_rtl(_text(**row), tmp_path, monkeypatch)
    assert (row.get("rtl", row["shows"]) in said) if row else said.strip() == "", said
