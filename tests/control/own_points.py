# SPDX-License-Identifier: Apache-2.0
"""Plays for the coverpoints of what is a thread's own: conditions, banks, ``hold``."""

from __future__ import annotations

from typing import Final

from tilepath.tests.control.control_play import (
    COUNTER,
    DMANOP,
    MATH,
    NOP,
    Play,
    add,
    pulse,
    stall,
    until,
)

_A, _B = 1 << 7, 1 << 8
_MOVA2D, _MOVB2D, _ZEROACC = 0x12000000, 0x13000000, 0x10000000
_ILLEGAL: Final = 0xFF000000

OWN: Final[list[tuple[str, str, str, Play]]] = [
    ("banks.waits_x_taken_x_outcome_x_thread", "both*b*held*t1", "both*both*held*t1",
     Play([], [MATH], busy=until(9, _B))),
    ("banks.waits_x_taken_x_outcome_x_thread", "a*b*issued*t0", "a*none*issued*t0",
     Play([_MOVA2D], busy=until(9, _B))),
    ("banks.waits_x_taken_x_outcome_x_thread", "none*both*issued*t0", "both*both*held*t0",
     Play([_ZEROACC], busy=until(9, _A | _B))),
    ("banks.waits_x_taken_x_outcome_x_thread", "b*none*issued*t2", "b*b*held*t2",
     Play([], [], [(9, _MOVB2D)], busy=until(9, _B), ready=pulse(9, value=63))),
    ("banks.waits_x_last_taken", "both*a", "both*both",
     Play([MATH], busy=lambda t: (t < 9) * _A | (t < 5) * _B)),
    ("banks.waits_x_last_taken", "b*b", "both*b", Play([_MOVB2D], busy=until(5, _A | _B))),
    ("banks.waiting_x_passing_thread", "t0*t2", "t2*t0",
     Play([MATH], [], [(3, _ZEROACC)], busy=until(9, _A))),
    ("banks.file_x_taken_for_x_thread", "a*own_only*t0", "a*others_only*t0",
     Play([MATH], busy=until(0), own={0: until(9, _A)})),
    ("banks.file_x_taken_for_x_thread", "b*others_only*t1", "b*own_only*t1",
     Play([], [MATH], own={2: until(9, _B)})),
    ("hold.class_x_thread", "b6*t0", "nop*t0", Play([MATH], hold=until(5))),
    ("hold.class_x_thread", "wait*t2", "b6*t2", Play([], [], [stall(1, 1)], hold=until(5, 4))),
    ("hold.also_x_thread", "inside*t0", "latched*t0", Play([add(1, 2, 3), NOP], hold=pulse(2))),
    ("hold.also_x_thread", "unavailable*t0", "inside*t0",
     Play([MATH], busy=until(9, _A), hold=pulse(2))),
    ("hold.also_x_thread", "latched*t1", "latched*t0",
     Play([], [stall(1, 1), COUNTER], busy=until(9), hold=pulse(4, value=3))),
    ("hold.cycles_x_thread", "3-4*t1", "1*t1", Play(hold=pulse(3, 4, 5, value=2))),
    ("hold.cycles_x_thread", "5-6*t0", ">6*t0", Play(hold=until(6))),
    ("hold.cycles_x_thread", ">6*t0", "5-6*t0", Play(hold=until(7))),
    ("hold.cycles_x_thread", "1*t2", "2*t2", Play(hold=pulse(7, value=4))),
    ("hold.threads", "0+2", "0+1+2", Play(hold=until(2, 5))),
    ("hold.thread_x_issuing_thread", "t0*t1", "t1*t0", Play([(1, NOP)], [(1, NOP)], hold=until(3))),
    ("hold.illegal_leaves", "t1", "t0", Play([], [_ILLEGAL], hold=until(3, 2))),
    ("hold.latch_cleared_under", "stallwait", "semwait",
     Play([stall(1, 1)], busy=until(4), hold=pulse(2, 3, 4, 5, 6))),
    ("hold.behind_x_thread", "issues*t0", "waits*t0", Play([DMANOP], hold=until(3))),
    ("hold.behind_x_thread", "waits*t0", "issues*t0",
     Play([MATH], busy=pulse(3, 4, 5, value=_B), hold=until(3))),
    ("conditions.condition_x_busy_for_x_thread_x_other", "cond4*own*t1*t0", "cond4*other*t1*t0",
     Play([], [stall(1, 1 << 4)], own={1: until(9, 1 << 4)})),
    ("conditions.condition_x_busy_for_x_thread_x_other", "cond11*other*t2*t0",
     "cond11*other*t2*t1", Play([], [], [stall(1, 1 << 11)], own={0: until(9, 1 << 11)})),
]  # fmt: skip
