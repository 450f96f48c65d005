# SPDX-License-Identifier: Apache-2.0
"""Who gets what several ask for, and what happens to semaphores.

Source: frontend-config section 7, paragraph SEM; C19, C20, C23, C24; docs/control.md sections 5
and 7. A requester is one that only rule 4 of section 3 can hold, and to which the resource is
available.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, Point, among, each
from tilepath.tb.control.coverage import labels
from tilepath.tb.control.coverage.labels import THREADS, plan

_FOUR: Final = (*THREADS, "risc")
_INSTR: Final = ("seminit", "sempost", "semget")
_NUMBERS: Final = each(tuple("01234567"))


def _sets(requesters: tuple[str, ...]) -> tuple[str, ...]:
    """Every set of requesters but the empty one, in the order of its bits."""
    return tuple(
        "+".join(r for k, r in enumerate(requesters) if bits >> k & 1)
        for bits in range(1, 1 << len(requesters))
    )


def _losers(requesters: tuple[str, ...]) -> tuple[Exclude, ...]:
    """Winners that did not compete."""
    return tuple(
        Exclude((None, some, tuple(one for one in requesters if one not in some.split("+"))),
                "who does not compete does not win")
        for some in _sets(requesters)
    )  # fmt: skip


_GRANT: Final = plan(
    "grant",
    {
        "shared": Bins("resource - CONFIG", ("config", "sync")),
        "competitors": Bins("asked - 1", _sets(_FOUR)),
        "winner": Bins("winner", _FOUR),
        "unit": Bins(
            "0 if resource == SCALAR else resource + 1 if resource < SCALAR else resource",
            ("scalar", *labels.UNITS, *labels.MUTEXES),
        ),
        "threads": Bins("asked - 1", _sets(THREADS)),
        "thread": Bins("winner", THREADS),
        "requester": each(THREADS),
        "risc": Bins("cores_get", ("risc_post", "risc_get")),
        "instruction": Bins("kinds[requester] - STALLWAIT", (*labels.WAITS, *_INSTR)),
        "who": Bins({"risc": "winner == 3", "instruction": "winner == requester"}),
    },
    Point("arbiter.competitors_x_winner", "C24", "shared competitors winner",
          exclude=_losers(_FOUR)),
    Point("arbiter.threads_x_winner", "C24", "unit threads thread", exclude=_losers(THREADS)),
    Point("sem.risc_x_instruction_x_winner", "C24", "risc instruction who",
          when="resource == SYNC and asked >> 3 and asked >> requester & 1"),
    **labels.RESOURCES, STALLWAIT=labels.KINDS["STALLWAIT"],
)  # fmt: skip
_CONTEST: Final = plan(
    "contest",
    {
        "level": among("level", 0, "1-14", other="15"),
        "winner": Bins("get_wins", ("post", "get")),
    },
    Point("sem.post_and_get_requested_x_winner", "C20 C24", "level winner"),
)
_ONE: Final = "not selected & selected - 1"
_SEMAPHORE: Final = plan(
    "semaphore",
    {
        "number": _NUMBERS,
        "op": Bins(
            {"seminit": "operation == 0", "sempost": "operation == 1 and thread < 3",
             "semget": "operation == 2 and thread < 3", "risc_post": "operation == 1",
             "risc_get": "operation == 2"}
        ),
        # A value can be in several of these
        "value": each(("0", "1", "max-1", "max", "15")),
        "instruction": Bins("operation", _INSTR),
        "selected": Bins({"none": "selected == 0", "1": _ONE, "2-7": "selected < 255", "8": "1"}),
        "saturates": Bins("operation - 1", ("sempost_15", "semget_0")),
        "lost": Bins("operation - 1", ("risc_post", "risc_get")),
        "init": Bins({"below_max": "word.value < word.max", "max": "word.value == word.max",
                      "above_max": "1"}),
        "access": Bins("operation < 3", labels.READ_WRITE),
        "seen": each(("old", "new")),
        "acting": Bins("beside[seen]", _INSTR),
    },
    Point("sem.op_x_value", "C20 C23", when="selected >> number & 1 and (levels[number] == "
          "(value if value < 2 else maxima[number] - 3 + value if value < 4 else 15))"),
    Point("sem.instruction_x_selected", "C20", when="thread < 3"),
    # Only some of the selected ones are at the limit
    Point("sem.some_saturate", "C20", "saturates",
          when="thread < 3 and limited and limited != selected"),
    Point("fault.risc_sem_lost", "C26", "lost",
          when="thread == 3 and 0 < operation < 3 and limited"),
    Point("sem.init_value", "C23", "init", when="operation == 0 and selected"),
    # A read of the cores in the cycle in which an instruction acts (old value), and in the next
    Point("sem.risc_read_x_instruction", "C20", "seen acting"),
    Point("sem.risc_access_x_index", "C20", "access number",
          when="thread == 3 and selected >> number & 1"),
)  # fmt: skip
PLANS: Final = (_GRANT, _CONTEST, _SEMAPHORE)
