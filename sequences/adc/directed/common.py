# SPDX-License-Identifier: Apache-2.0
"""What directed tests of the address counters share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle, product
from typing import Final

from tilepath.isa import profiles
from tilepath.sequences.adc import words as w
from tilepath.sequences.adc.random_tests import floor
from tilepath.sequences.adc.timeline import Timeline
from tilepath.tb.kernel.description.stimulus import Context, Stimulus, TestSpec

Place = tuple[int, int, int]
"""Set, target and number of a counter."""
PLACES: Final[tuple[Place, ...]] = tuple(product(range(3), range(3), range(8)))
KINDS: Final = (*w.OPS, "unpack", "pack", "flop")
THREADS: Final = range(3)


def top(profile: str, counter: int) -> int:
    """The largest value of a counter, by its number (A1)."""
    zw_width = profiles.get(profile).zw_w
    return (1 << (18, 13, zw_width, zw_width)[counter & 3]) - 1


def reached(kind: str) -> tuple[Place, ...]:
    """The counters that ``kind`` can write."""
    dimensions = {"xy": (w.X, w.Y), "zw": (w.Z, w.W), "xx": (w.X,)}.get(kind[-2:], tuple(range(4)))
    targets: tuple[int, ...] = (0, 1, 2)
    if kind in ("unpack", "pack"):
        dimensions, targets = (w.Y, w.Z), (0, 1) if kind == "unpack" else (2,)
    return tuple(p for p in PLACES if p[1] in targets and p[2] & 3 in dimensions)


class Shared:
    """For each pair of kinds the counters that both can write, one after the other."""

    def __init__(self) -> None:
        self._turns: dict[tuple[str, str], Iterator[Place]] = {}

    def next(self, one: str, other: str) -> Place | None:
        """The next such counter; ``None`` when there is none."""
        if (one, other) not in self._turns:
            both = [p for p in reached(one) if p in reached(other)]
            # a step that is prime to the number of places: sets, targets and counters change
            mixed = [both[7 * i % len(both)] for i in range(len(both))]
            self._turns[one, other] = cycle(mixed)
        return next(self._turns[one, other], None)


def timeline_test(
    name: str,
    summary: str,
    build: Callable[[Timeline], None],
    *,
    faults: tuple[str, ...] = (),
    **least: int,
) -> TestSpec:
    """A directed test of what ``build`` puts on a timeline; ``least`` as in :func:`floor`."""

    def stimulus(ctx: Context) -> Stimulus:
        tl = Timeline(ctx.profile)
        build(tl)
        return tl.stimulus()

    return TestSpec(name, summary, "directed", stimulus, floor=floor(least), faults=faults)
