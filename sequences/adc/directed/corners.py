# SPDX-License-Identifier: Apache-2.0
"""What random tests meet too seldom: what comes first after reset, and corners of bins."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.engine.description.stimulus import ANY, TestSpec
from tilepath.sequences.adc import words as w
from tilepath.sequences.adc.directed.common import THREADS, timeline_test
from tilepath.sequences.adc.timeline import Timeline

_YZ: Final = (1, 2, 5, 6)


def _after_reset(tl: Timeline) -> None:
    """The first write to a counter, by everything that can write one (A16)."""
    tl.touch("setadc", (0, 0, 0), 9).touch("setadcxy", (1, 0, 1), 3).touch("setadczw", (2, 0, 2), 4)
    tl.touch("unpack", (0, 1, 1), 2).touch("pack", (1, 2, 6), 1).touch("flop", (2, 1, 7), 8).step()
    tl.touch("setadcxx", (0, 0, 4), 5).touch("incadcxy", (1, 1, 5), 6)
    tl.touch("incadczw", (2, 2, 3), 7).step()
    tl.touch("addrcrxy", (0, 2, 0), 1).touch("addrcrzw", (1, 1, 2), 2)
    tl.touch("flop_cr", (2, 0, 1), 77).step()
    tl.touch("addrcrxy", (1, 0, 5), 0).touch("addrcrzw", (0, 1, 3), 0).step()


def _chains(tl: Timeline) -> None:
    """UNPACR, SETADC.., INCADC.. of one thread, cycle after cycle, at the same counter."""
    for thread, unpacker, c in product(THREADS, (0, 1), _YZ):
        place = (thread, unpacker, c)
        for set_ in ("setadc", w.of_counter("setadc", c)):
            tl.touch("flop", place, 77).step()
            tl.touch("unpack", place, 2).step()
            tl.touch(set_, place, 5).step()
            tl.touch(w.of_counter("incadc", c), place, 3).settle()


def _all_writers(tl: Timeline) -> None:
    """Five writers at one counter of each set and target (A13)."""
    for number, (s, k) in enumerate(product(THREADS, range(3))):
        place = (s, k, _YZ[number % 4])
        tl.touch("pack" if k == 2 else "unpack", place).touch("flop", place)
        for thread, family in enumerate(("incadc", "setadc", "addrcr")):
            tl.touch(w.of_counter(family, place[2]), place, 1, thread)
        tl.step()
    tl.settle()


def _conflicts(tl: Timeline) -> None:
    """One to six sets and targets in conflict at once."""
    increments = [int(w.packed("incadcxy", 7, (0, 1, 0, 0), 0, k)) for k in range(4)]
    for places in range(1, 7):
        for thread in THREADS:
            tl.issue(thread, increments[0])
        if places >= 3:
            tl.pack(7, YsrcIncr=1)
        if places in (1, 2):
            tl.unpack(0, 0, places - 1, y0=1)
        elif places > 3:
            tl.unpack(1, 0, 0 if places == 4 else 2, y0=1)
        if places == 6:
            tl.flop(1, 0, 1, 99)
        tl.step()
    for override in range(4):
        for thread in THREADS:
            tl.issue(thread, increments[override])
        tl.pack(7, YsrcIncr=3, YdstIncr=1).unpack(0, 1, 2, 1, 1, 1, 1).flop(2, 1, 1, 3).step()
    tl.settle()


def _alone(tl: Timeline) -> None:
    """Each field of ADDR_MOD_PACK alone (P18), then faults of every kind in one cycle."""
    for sets, name in product(range(8), w.ADDR_MOD):
        tl.pack(sets, **{name: 1}).step()
    tl.issue(0, 0).issue(1, int(w.setadc(0, 0, 0x10001))).issue(2, int(w.setadc(0, 1, 1)))
    tl.unpack(0, 3, 3, 1, 1, 1, 1).flop(3, 3, 0, 1).pack(7).step()


def _build(tl: Timeline) -> None:
    for part in (_chains, _all_writers, _conflicts, _alone):
        part(tl)


TESTS: Final[tuple[TestSpec, ...]] = (
    timeline_test("after_reset", "the first write to a counter", _after_reset, issue=2, level=1),
    timeline_test(
        "corners", "what random tests meet too seldom", _build,
        issue=20, unpack=40, pack=50, flop=40, conflict=15, unit_fault=1, faults=ANY,
    ),
)  # fmt: skip
