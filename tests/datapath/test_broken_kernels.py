# SPDX-License-Identifier: Apache-2.0
"""A kernel in which one thing is wrong fails the check that it passes as it is."""

from __future__ import annotations

import pytest

from tilepath.models.kernels import parse, play
from tilepath.models.kernels.play import machine_of
from tilepath.tests.datapath.kernel_numbers import CHECKS
from tilepath.tests.datapath.test_kernels import PROFILES, PROGRAMS

# Kernel, constants, and what is written for what
BROKEN: list[tuple[str, dict[str, int], str, str]] = [
    ("reduce", {}, "ZEROACC 3,0,0,0,0 ", "NOP "),  # maxima below 0
    ("reduce", {}, "PCK_EDGE_OFFSET_SEC0_mask = 0", "PCK_EDGE_OFFSET_SEC0_mask = 2"),
    ("reduce", {}, "4 * (OVER == 0) +", "16 * (OVER == 0) +"),
    ("reduce", {"OVER": 1, "MAX": 0}, "ZEROSRC 0,1,0,1,0", "NOP"),
    ("reduce", {"OVER": 1, "MAX": 0}, "TRNSPSRCB", "NOP"),
    ("reduce", {"OVER": 1, "MAX": 0}, "MOVB2A 4*i,0,1,16 + 4*i", "MOVB2A 4*i,0,1,16"),
    ("reduce", {"OVER": 2, "MAX": 0}, "CLEARDVALID 3,0,0\n            SETRWC", "SETRWC"),
    (
        "reduce",
        {"OVER": 2, "MAX": 0},
        "SEC2_FidelityIncr=1",
        "SEC2_FidelityIncr=0",
    ),
    ("tilize", {}, "Shift_amount_cntx1=2", "Shift_amount_cntx1=1"),
    ("tilize", {}, "row == 15,0,0,15,0,0,0,0,row == 15", "0,0,0,15,0,0,0,0,row == 15"),
    ("untilize", {}, "YsrcIncr=1, YdstIncr=1", "YsrcIncr=1, YdstIncr=2"),
    ("untilize", {"AT_ONCE": 1}, "SETADC 4,0,1,32*lower", "SETADC 4,0,1,16*lower"),
    ("untilize", {"AT_ONCE": 1}, "INCADCZW 4,0,0,1,0", "NOP"),
]


@pytest.mark.parametrize("name, given, right, wrong", BROKEN)
def test_it_is_seen(name: str, given: dict[str, int], right: str, wrong: str) -> None:
    file = PROGRAMS / f"{name}.kernel"
    text = file.read_text()
    assert text.count(right) == 1
    seen = False
    for profile in PROFILES:
        given = {"TILES": 8, **({"MAX": 1} if name == "reduce" else {}), **given}
        kernel = parse(text.replace(right, wrong), str(file), profile, given)
        verdict = play(kernel)
        if verdict.failed or verdict.machine.faults or verdict.machine.events:
            seen = True
            continue
        try:
            CHECKS[name](kernel, machine_of(kernel).l1, verdict.machine.l1, given)
        except AssertionError:
            seen = True
    assert seen
