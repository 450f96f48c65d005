# SPDX-License-Identifier: Apache-2.0
"""Kernels of plans that break one rule of how threads work together, and how each shows.

Each is an edit of one of the files ``programs/plan_*.kernel``, in every stage of a plan in which it
matters. ``shows`` is part of what is said: who waits for what in a deadlock, a fault's name, wrong
numbers. Without time, some show only in orders in which the threads overtake each other, and waits
for units that are busy in none (``orders``). On the RTL all do.

Two rules are not in the list, as they show nowhere: that unpack waits for the core's stores, which
on the bench are done before the core goes on, and that SEMPOST waits for the Matrix Unit, which
SETRWC has waited for already.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tilepath.sequences.datapath.drawn_kernel import DrawnKernel, Stage
from tilepath.sequences.datapath.formats import Way
from tilepath.sequences.datapath.kernels import FOLDER

Order = tuple[int, int, int]
ALL: Final[tuple[Order, ...]] = tuple(itertools.permutations(range(3)))  # type: ignore[assignment]
WRONG: Final = "numbers of "
_BF16: Final = Way("BF16", "BF16", "BF16", "add")
_INCLUDE: Final = re.compile('include "(.*)"')


def _first(*pairs: tuple[int, int]) -> tuple[Order, ...]:
    """Orders in which of each pair one thread comes before another."""
    return tuple(o for o in ALL if all(o.index(one) < o.index(other) for one, other in pairs))


def _stage(op: str, **given: int) -> Stage:
    usual = {"PHASES": 1, "TERMS": 1, "SINGLE": 0, "BCAST": 0, "ROW": 0, "COLUMN": 0}
    usual |= {"HALVES": 2, "CONTEXTS": 2, "BANK": 0, "MOP": 0}
    way = _BF16 if op == "add" else _BF16._replace(how="move")
    return Stage(op, way, way if op == "add" else None, "BF16", 100, usual | given)


def _plan(tiles: int, *stages: Stage, pause: int = 0) -> DrawnKernel:
    return DrawnKernel(tiles, (32, 32), 100, (0, 1 % tiles), (0, 0, pause), 0, list(stages))


SUMS: Final = _plan(4, _stage("add"))
"""Four sums: two contexts, two halves of Dst."""
SLOW: Final = _plan(4, _stage("add"), pause=500)
"""The same, and packers that come late."""
ONE_CONTEXT: Final = _plan(4, _stage("add", CONTEXTS=1))
CHAIN: Final = _plan(1, _stage("add"), _stage("copy", BANK=1), pause=500)
"""A sum, copied once more from where it was packed to, in the other bank of configuration."""


@dataclass(frozen=True)
class Broken:
    """A rule, the edit that breaks it, and how that shows.

    Attributes:
        rule: what is not kept.
        file: of ``unpack``, ``math``, ``pack`` the one that is edited: ``right`` becomes ``wrong``.
        shows: part of what is said of it.
        orders: those of ``Machine.run`` in which it shows.
        rtl: what is said on the RTL, if not the same.
        elsewhere: what is said in other orders; empty: nothing.
    """

    rule: str
    file: str
    right: str
    wrong: str
    shows: str
    orders: tuple[Order, ...] = ALL
    rtl: str | None = None
    plan: DrawnKernel = SUMS
    elsewhere: str = ""

    def text(self) -> str:
        """The kernel, without includes."""
        return text_of(self.plan, lambda name, text: self._edited(name, text))

    def _edited(self, name: str, text: str) -> str:
        if name != f"plan_{self.file}.kernel":
            return text
        if text.count(self.right) != 1:
            raise ValueError(f"{name} has {self.right!r} {text.count(self.right)} times")
        return text.replace(self.right, self.wrong)


def text_of(plan: DrawnKernel, edited: Callable[[str, str], str] = lambda _, text: text) -> str:
    """A plan of this file as text without includes, with what its last tiles are to hold."""
    text = _INCLUDE.sub(lambda m: edited(m[1], (FOLDER / m[1]).read_text()), plan.text())
    last = plan.tile("t", len(plan.stages))
    return f"{text}expect {last} = {plan.tile('t', 0)} + {plan.tile('b', 0)}\n"


BROKEN: Final = {
    "context_kept": Broken(
        "a context is given back when its UNPACRs have issued",
        "unpack", "    SEMGET 1<<UNPACK_SYNC\n", "", "semaphore 5 (UNPACK_SYNC) is 2",
        rtl="poll < 2 of semaphore 5",
    ),
    "half_kept": Broken(
        "a half of Dst is given back when it is packed",
        "pack", "    SEMGET 1<<MATH_PACK\n", "", "semaphore 1 (MATH_PACK) is at its maximum",
    ),
    "half_not_posted": Broken(
        "a half of Dst is posted when math is through with it",
        "math", "    SEMPOST 1<<MATH_PACK\n", "", "semaphore 1 (MATH_PACK) is 0",
    ),
    "halves_not_counted": Broken(
        "MATH_PACK counts as many halves as there are",
        "pack", "SEMINIT HALVES, 0,", "SEMINIT 0, 0,", "semaphore 1 (MATH_PACK) is at its maximum",
    ),
    "banks_kept": Broken(
        "math gives both banks back",
        "math", "}\n        SETRWC 3,0,0,0,0,15\n    }\n    STALLWAIT",
        "}\n        SETRWC 1,0,0,0,0,15\n    }\n    STALLWAIT", "is the Matrix Unit's",
    ),
    "no_flip": Broken(
        "the last UNPACR of a bank hands it over",
        "unpack", "1,face == FACES - 1,0,0,0,0,0,1", "1,0,0,0,0,0,0,1", "of SrcB",
    ),
    "no_start": Broken(
        "thread 2 lets math begin when the configuration is there",
        "pack", "SEMPOST (1<<PACK_DONE)+(1<<MATH_DONE)", "SEMPOST 1<<PACK_DONE",
        "semaphore 7 (MATH_DONE) is 0",
    ),
    "banks_given_twice": Broken(
        "a bank is given back once",
        "math", "}\n        SETRWC 3,0,0,0,0,15\n    }\n    STALLWAIT",
        "}\n        SETRWC 3,0,0,0,0,15\n        SETRWC 3,0,0,0,0,15\n    }\n    STALLWAIT",
        "release_owner", _first((1, 0)), elsewhere="bank 0 of SrcA is the Unpackers'",
    ),
    "context_not_switched": Broken(
        "the unpackers go on to the context that the core has written",
        "unpack", "(n+1) % CONTEXTS, CfgContextOffset_1 = (n+1) % CONTEXTS",
        "0, CfgContextOffset_1 = 0", WRONG,
    ),
    "address_not_waited_for": Broken(
        "the core writes a context when it is free",
        "unpack", "    poll UNPACK_SYNC < CONTEXTS ", "    # ", WRONG, _first((0, 1)),
        plan=ONE_CONTEXT,
    ),
    "half_not_switched": Broken(
        "math goes on to the other half",
        "math", "Offset = 512 * ((k+1) % HALVES)", "Offset = 0", WRONG,
    ),
    "first_face_not_set": Broken(
        "each tile begins at its first face",
        "unpack", "    SETADCZW 3,0,0,0,0,15 ", "    # ", "srcb_row",
    ),
    "other_half_cleared": Broken(
        "the half that was packed is cleared",
        "pack", "ZEROACC 2, WIDE, 0, 0, k%HALVES", "ZEROACC 2, WIDE, 0, 0, (k+1)%HALVES", WRONG,
        _first((0, 2), (1, 2)),
    ),
    "one_half_too_many": Broken(
        "MATH_PACK counts no more halves than there are",
        "pack", "SEMINIT HALVES, 0,", "SEMINIT HALVES + 1, 0,", WRONG, _first((0, 2), (1, 2)),
        plan=SLOW,
    ),
    "math_does_not_wait": Broken(
        "math waits until a half is free",
        "math", "    SEMWAIT 0x142, 1<<MATH_PACK, 1<<SEM_COND_MAX\n", "", WRONG,
        _first((0, 2), (1, 2)), plan=SLOW,
    ),
    "pack_does_not_wait": Broken(
        "the packers wait until a half is full",
        "pack", "    SEMWAIT 1<<CLS_TDMA, 1<<MATH_PACK, 1<<SEM_COND_ZERO\n", "",
        "semaphore 1 (MATH_PACK) is at its maximum",
        tuple(order for order in ALL if order[2] != 2),  # what is taken from 0 is lost
    ),
    "unpack_overtakes": Broken(
        "unpack begins a stage when all of the one before is in L1",
        "unpack", "SEMWAIT 0x1FF, 1<<PACK_DONE, 1<<SEM_COND_ZERO\n", "", WRONG,
        tuple(order for order in ALL if order[2] != 0), plan=CHAIN,
    ),
    "other_bank_of_configuration": Broken(
        "a thread whose unit is configured in a bank selects it",
        "unpack", "set CFG_STATE_ID_StateID=BANK\n", "", WRONG, plan=CHAIN,
    ),
    "given_too_early": Broken(
        "a half is cleared and given back when the packers are through",
        "pack", "    STALLWAIT 1<<CLS_MATH | 1<<CLS_SYNC, 1<<STALL_COND_PACK\n", "",
        "", (), WRONG,
    ),
}  # fmt: skip
"""By name; those without orders show on the RTL only."""
