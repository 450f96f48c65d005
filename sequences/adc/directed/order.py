# SPDX-License-Identifier: Apache-2.0
"""What follows what at the same counter (unpack-adc section 7, cross 10)."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.sequences.adc import words as w
from tilepath.sequences.adc.directed.common import KINDS, THREADS, Place, Shared, timeline_test
from tilepath.sequences.adc.timeline import Timeline
from tilepath.tb.kernel.description.stimulus import TestSpec

_NO_OVERRIDE: Final = ("setadcxx", "unpack", "pack", "flop")
_LATER: Final = 3


def _pairs(tl: Timeline) -> None:
    """Every ordered pair of writers at a counter, in the next cycle and later.

    By the owner of the set alone, and with the first, the second or both from another thread.
    """
    shared = Shared()
    for first, second, distance in product(KINDS, KINDS, (1, _LATER)):
        for foreign in product((0, 1), repeat=2):
            kinds = zip((first, second), foreign, strict=True)
            if any(other and kind in _NO_OVERRIDE for kind, other in kinds):
                continue
            place = shared.next(first, second)
            if place is None:
                continue
            owner = place[0]
            tl.touch("flop", place, 6).step().touch("flop_cr", place, 3).settle()
            for kind, other, value in ((first, foreign[0], 1), (second, foreign[1], 1)):
                tl.touch(kind, place, value, (owner + other) % 3).step(distance)
            tl.settle()


def _chains(tl: Timeline) -> None:
    """UNPACR, SETADC.., INCADC.. of one thread, cycle after cycle, at the same counter."""
    for thread, unpacker, c in product(THREADS, (0, 1), (1, 2, 5, 6)):
        place = (thread, unpacker, c)
        for set_ in ("setadc", w.of_counter("setadc", c)):
            tl.touch("flop", place, 77).step()
            tl.touch("unpack", place, 2).step()
            tl.touch(set_, place, 5).step()
            tl.touch(w.of_counter("incadc", c), place, 3).settle()


def _streaks(tl: Timeline) -> None:
    """The same counter written in each of many cycles, kinds in turn."""
    places: tuple[Place, ...] = ((0, 0, 1), (1, 1, 6), (2, 2, 5), (2, 0, 2))
    for place in places:
        c = place[2]
        update = "pack" if place[1] == 2 else "unpack"
        kinds = [w.of_counter(family, c) for family in ("incadc", "addrcr", "setadc", "incadc")]
        streak = (*kinds, update, "flop_cr", *kinds[:2], update, update) * 3
        for number, kind in enumerate(streak):
            tl.touch(kind, place, 1 if kind == "pack" else 1 + number % 3).step()


def _build(tl: Timeline) -> None:
    _pairs(tl)
    _chains(tl)
    _streaks(tl)


TESTS: Final[tuple[TestSpec, ...]] = (
    timeline_test(
        "order",
        "every ordered pair of writers at one counter",
        _build,
        issue=200,
        level=50,
        faults=("x_override",),
    ),
)
