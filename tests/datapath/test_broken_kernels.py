# SPDX-License-Identifier: Apache-2.0
"""A kernel in which one thing is wrong fails the check that it passes as it is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tilepath.models.kernels import parse, play
from tilepath.models.kernels.play import machine_of
from tilepath.models.machine.run import Order
from tilepath.tests.datapath.kernel_files import PROFILES, PROGRAMS, edited
from tilepath.tests.datapath.kernel_numbers import CHECKS

_TABLE = tomllib.loads(Path(__file__).with_name("broken_kernels.toml").read_text())
BROKEN = [(name, *row) for name, rows in _TABLE.items() for row in rows]
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
