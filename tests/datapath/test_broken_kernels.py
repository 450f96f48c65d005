# SPDX-License-Identifier: Apache-2.0
"""A kernel in which one thing is wrong fails the check that it passes as it is."""

from __future__ import annotations

import re

import pytest

from tilepath.models.kernels import parse, play
from tilepath.models.kernels.play import machine_of
from tilepath.models.machine.run import Order
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
    ("reduce", {"OVER": 2, "MAX": 0}, "SEC2_FidelityIncr=1", "SEC2_FidelityIncr=0"),
    ("tilize", {}, "Shift_amount_cntx1=2", "Shift_amount_cntx1=1"),
    ("tilize", {}, "row == 15,0,0,15,0,0,0,0,row == 15", "0,0,0,15,0,0,0,0,row == 15"),
    ("untilize", {}, "YsrcIncr=1, YdstIncr=1", "YsrcIncr=1, YdstIncr=2"),
    ("untilize", {"AT_ONCE": 1}, "SETADC 4,0,1,32*lower", "SETADC 4,0,1,16*lower"),
    ("untilize", {"AT_ONCE": 1}, "INCADCZW 4,0,0,1,0", "NOP"),
    ("transpose", {}, "TRNSPSRCB", "NOP"),
    ("transpose", {"WIDE": 1}, "MOVD2B LOW,", "MOVD2B 0,"),
    ("transpose", {"WIDE": 1}, "1,4,(16*TO", "0,4,(16*TO"),  # the modifier moves the rows
    ("transpose", {"WIDE": 1}, "Zero_Flag_disabled_src=WIDE", "Zero_Flag_disabled_src=0"),
    ("transpose", {"WIDE": 1}, "const ZEROS = 1 - U", "const ZEROS = 0"),  # a stale bank
    ("direct", {}, "        SEMGET 1<<UNPACK_TO_DEST\n", ""),
    ("direct", {}, "64 + 16*512", "64"),
    ("direct", {"INTEGERS": 1}, "ZEROACC 1,WIDE,1,0,face", "ZEROACC 1,WIDE,0,0,face"),
    ("compress", {}, "cntx0_3=13", "cntx0_3=15"),
    ("compress", {"BFP": 1}, "Exp_threshold=128", "Exp_threshold=127"),
    ("compress", {}, "row % 4 < 3", "0"),
    ("square", {}, "ZEROACC 1,0,0,1,face", "ZEROACC 1,0,0,1,0"),
    ("square", {}, "MOVD2A 0,4*i,1,1,4*i", "MOVD2A 0,4*i,1,1,0"),
    ("square", {}, "CfgContextOffset_1=again", "CfgContextOffset_1=0"),
    ("twice", {}, "StateID=1\n    set THCON", "StateID=0\n    set THCON"),
    ("twice", {}, "_MATH\n            set CFG_STATE_ID_StateID=1", "_MATH"),
    ("twice", {}, "            set PCK_DEST_RD_CTRL_Read_32b_data=0\n", ""),
    ("twice", {}, "RDCFG 12, 69", "RDCFG 12, 70"),
    ("twice", {}, "            SEMPOST 1<<PACK_DONE\n", ""),
]


Edits = tuple[tuple[str, str], ...]

# Kernel, what is written for what, and an order in which it shows; in the second it does not.
IN_SOME_ORDERS: list[tuple[str, Edits, Order, Order]] = [
    (  # core 1 takes the semaphore, and nothing holds unpack
        "direct",
        (("poll MATH_DONE >= 1\nget MATH_DONE\n", ""),
         ("SEMPOST 1<<MATH_DONE\n", "SEMPOST 1<<MATH_DONE\npoll MATH_DONE >= 1\nget MATH_DONE\n")),
        (0, 1, 2), (2, 1, 0),
    ),
    ("compress", (("SEMWAIT 1<<CLS_UNPACK | 1<<CLS_SYNC, 1<<PACK_DONE, 1<<SEM_COND_ZERO", "NOP"),),
     (0, 1, 2), (2, 1, 0)),
    ("twice", (("SEMWAIT 1<<CLS_UNPACK | 1<<CLS_SYNC, 1<<PACK_DONE, 1<<SEM_COND_ZERO", "NOP"),),
     (0, 1, 2), (2, 1, 0)),
]  # fmt: skip


def _shows(name: str, edits: Edits, profile: str, order: Order, given: dict[str, int]) -> bool:
    """Whether the kernel with all that it includes, edited, fails any check."""
    file = PROGRAMS / f"{name}.kernel"
    text = re.sub('include "(.*)"', lambda m: (PROGRAMS / m[1]).read_text(), file.read_text())
    for right, wrong in edits:
        assert text.count(right) == 1, right
        text = text.replace(right, wrong)
    kernel = parse(text, str(file), profile, given)
    verdict = play(kernel, order)
    if verdict.failed or verdict.machine.events:
        return True
    try:
        CHECKS[name](kernel, machine_of(kernel).l1, verdict.machine.l1, given)
    except AssertionError:
        return True
    return False


@pytest.mark.parametrize("name, given, right, wrong", BROKEN)
def test_it_is_seen(name: str, given: dict[str, int], right: str, wrong: str) -> None:
    given = {"TILES": 8, **({"MAX": 1} if name == "reduce" else {}), **given}
    assert any(_shows(name, ((right, wrong),), one, "round", given) for one in PROFILES)


@pytest.mark.parametrize("name, edits, shows, hides", IN_SOME_ORDERS)
def test_it_is_seen_in_some_orders(name: str, edits: Edits, shows: Order, hides: Order) -> None:
    given = {"TILES": 1 if name == "twice" else 4}
    assert _shows(name, edits, "baseline", shows, given)
    assert not _shows(name, edits, "baseline", hides, given)


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
