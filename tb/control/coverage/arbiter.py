# SPDX-License-Identifier: Apache-2.0
"""Coverage of arbitration: which requesters compete for which resource, and who wins (C24).

Source: docs/control.md section 7. A requester is one that only rule 4 of section 3 can hold, and to
which the resource is available. Whether RISC won is known a cycle later, when its access is done.
"""

from __future__ import annotations

from typing import Final

from tilepath.models.jit import kernel
from tilepath.tb.control.coverage.layout import (
    CONFIG,
    EV,
    GEV,
    HISTORY,
    I64,
    ISSUED,
    KIND,
    OFFERED,
    PER_THREAD,
    READY,
    REQ,
    REQM,
    RISC_DONE,
    RSEM_DONE,
    THREAD_AXIS,
    U32,
    UNIT,
    UNITS,
    WORD,
    i64,
)
from tilepath.tb.control.coverage.words import resource
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup

GROUP = PointGroup()


def _sets(requesters: tuple[str, ...]) -> tuple[str, ...]:
    """Every set of requesters but the empty one, in the order of its bits."""
    return tuple(
        "+".join(r for k, r in enumerate(requesters) if bits >> k & 1)
        for bits in range(1, 1 << len(requesters))
    )


def _losers(requesters: tuple[str, ...], before: int) -> tuple[Exclude, ...]:
    """Winners that did not compete; ``before``: axes in front."""
    return tuple(
        Exclude((None,) * before + (some, winner), "who does not compete does not win")
        for some in _sets(requesters)
        for winner in requesters
        if winner not in some.split("+")
    )


_FOUR: Final = (*THREAD_AXIS, "risc")
SHARED: Final = GROUP.add(
    "arbiter.competitors_x_winner",
    ("config", "sync"),
    _sets(_FOUR),
    _FOUR,
    exclude=_losers(_FOUR, 1),
)
THREADS: Final = GROUP.add(
    "arbiter.threads_x_winner",
    ("scalar", *UNITS, "mutex0", "mutex2", "mutex3", "mutex4"),
    _sets(THREAD_AXIS),
    THREAD_AXIS,
    exclude=_losers(THREAD_AXIS, 1),
)
READY_UNIT: Final = GROUP.add(
    "unit.ready_x_outcome",
    UNITS,
    ("not_ready", "ready"),
    ("waits", "issues"),
    exclude=(Exclude((None, "not_ready", "issues"), "no word issues to a unit that is not ready"),),
)

MEMORY: Final = 1


@kernel
def _winner(c: U32, p: int, requests: int) -> int:
    """The requesting thread that issued in row ``p``; -1: none."""
    for thread in range(3):
        if requests >> thread & 1 and i64(c[p, thread * PER_THREAD + EV]) & ISSUED:
            return thread
    return -1


@kernel
def count_arbiters(c: U32, _mem: I64, n: I64) -> None:
    """Count this group over a block of cycles; ``n`` are the counts."""
    for t in range(HISTORY, len(c)):
        requests = i64(c[t - 1, REQ])
        done = i64(c[t, GEV])
        for shared in range(2):
            some = requests >> 4 * shared & 15
            if some:
                winner = _winner(c, t - 1, some)
                if winner < 0 and done & (RISC_DONE if shared == CONFIG else RSEM_DONE):
                    winner = 3
                if winner >= 0:
                    n[SHARED + (shared * 15 + some - 1) * 4 + winner] += 1
        threads = requests >> 8 | i64(c[t - 1, REQM]) << 21
        for r in range(11):
            some = threads >> 3 * r & 7
            if some:
                winner = _winner(c, t - 1, some)
                if winner >= 0:
                    n[THREADS + (r * 7 + some - 1) * 3 + winner] += 1
        for thread in range(3):
            base = thread * PER_THREAD
            ev = i64(c[t, base + EV])
            wanted = resource(i64(c[t, base + KIND]), i64(c[t, base + WORD])) - UNIT
            if ev & OFFERED and 0 <= wanted < 6:
                ready = i64(c[t, READY]) >> wanted & 1
                issues = 1 if ev & ISSUED else 0
                n[READY_UNIT + (wanted * 2 + ready) * 2 + issues] += 1
