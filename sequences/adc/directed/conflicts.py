# SPDX-License-Identifier: Apache-2.0
"""Commands of the same cycle: at the same counter, and close to it (A13)."""

from __future__ import annotations

from itertools import combinations, product
from typing import Final

from tilepath.sequences.adc import words as w
from tilepath.sequences.adc.directed.common import (
    KINDS,
    PLACES,
    THREADS,
    Place,
    Shared,
    timeline_test,
)
from tilepath.sequences.adc.timeline import Timeline
from tilepath.tb.kernel.description.stimulus import ANY, TestSpec

WRITERS: Final = ("unpack", "pack", "flop", "t0", "t1", "t2")
_YZ: Final = (1, 2, 5, 6)


def _send(tl: Timeline, writer: str, place: Place, value: int = 1) -> None:
    """Let ``writer`` touch ``place``."""
    if writer in WRITERS[:3]:
        tl.touch(writer, place, value)
    else:
        thread = int(writer[1])
        tl.touch(
            w.of_counter(("incadc", "setadc", "addrcr")[thread], place[2]), place, value, thread
        )


def _reaches(writer: str, target: int) -> bool:
    return {"unpack": target < 2, "pack": target == 2}.get(writer, True)


def _writers(tl: Timeline) -> None:
    """Every two writers in each set and target, then three, four and five at one counter."""
    for number, (s, k) in enumerate(product(THREADS, range(3))):
        place = (s, k, _YZ[number % 4])
        there = [writer for writer in WRITERS if _reaches(writer, k)]
        for size in (2, 3, 4, 5):
            for some in combinations(there, size):
                for writer in some:
                    _send(tl, writer, place)
                tl.step()
    for number, place in enumerate(PLACES):
        one, other = ((0, 1), (0, 2), (1, 2))[number % 3]
        for thread in (one, other):
            tl.touch("setadc", place, 10 + thread, thread)
        tl.step()


def _kinds(tl: Timeline) -> None:
    """Every two kinds of commands that can meet, the first applied first."""
    shared = Shared()
    updates = ("unpack", "pack")
    for one, other in product(KINDS, KINDS):
        if other in updates or (other == "flop" and one not in updates):
            continue
        for a, b in ((0, 1), (0, 2), (1, 2)):
            place = shared.next(one, other)
            if place is None:
                break
            fixed = [kind for kind in (one, other) if kind == "setadcxx"]
            if len(fixed) == 2:
                break
            # SETADCXX must come from the owner: the counter is in its set
            if fixed:
                place = ((a if one == "setadcxx" else b), *place[1:])
            tl.touch("flop", place, 50).step().touch("flop_cr", place, 40).settle()
            tl.touch(one, place, 1, a).touch(other, place, 1, b).settle()


def _busy(tl: Timeline) -> None:
    """Every combination of writers in a cycle: in conflict, and each in a set of its own."""
    for mask, apart in product(range(1, 64), (False, True)):
        for number, writer in enumerate(WRITERS):
            if mask >> number & 1:
                target = 2 if writer == "pack" else 0
                _send(tl, writer, (number % 3 if apart else 0, target, _YZ[number % 4]))
        tl.step()


def _misses(tl: Timeline) -> None:
    """Two commands that differ in set, target or counter only."""
    for one, other in combinations(WRITERS, 2):
        common = [k for k in range(3) if _reaches(one, k) and _reaches(other, k)]
        for s, k in product(THREADS, common):
            places = ((s, k, 1), (s, k, 2)), ((s, k, 5), ((s + 1) % 3, k, 5))
            for first, second in places:
                _send(tl, one, first)
                _send(tl, other, second)
                tl.step()
        for j, k in product(range(3), repeat=2):
            if j != k and _reaches(one, j) and _reaches(other, k):
                _send(tl, one, (1, j, 2))
                _send(tl, other, (1, k, 2))
                tl.step()
    _send(tl, "unpack", (0, 1, 2))
    _send(tl, "pack", (2, 2, 2))
    tl.step()


def _untouched(tl: Timeline) -> None:
    """Increments of 0 and values without a mask bit at a counter that another command touches."""
    for op, target in product(w.PACKED, range(3)):
        values = (0, 0, 0, 1) if op.startswith("incadc") else (7, 7, 7, 7)
        for s in THREADS:
            tl.issue(s, int(w.packed(op, 1 << target, values, 0b1000)))
            tl.touch("flop", (s, target, 0 if op.endswith("xy") else 2), 3).step()
    for target in range(3):
        place = (1, target, 5)
        if target == 2:
            tl.pack(7, ZsrcIncr=1)
        else:
            tl.unpack(target, 1, 2, z0=1)
        tl.touch("incadcxy", place, 2).step()


def _faulty(tl: Timeline) -> None:
    """What writes nothing is in no conflict."""
    for s in THREADS:
        for thread, adc in ((3, s), (s, 3), (3, 3)):
            tl.unpack(0, thread, adc, 1, 1, 1, 1).flop(s, 3, 1, 5)
            tl.issue(s, int(w.packed("incadcxy", 7, (1, 1, 1, 1)))).step()
        tl.issue(s, 0x42_E0_00_0F).flop(3, 0, 0, 1).issue((s + 1) % 3, 0x52_FF_FF_FF).step()
        # an illegal word next to a good one that looks like it
        tl.issue(s, int(w.setadc(0, 1, 3))).touch("flop", (s, 0, 1), 4).step()


def _bits(tl: Timeline) -> None:
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


def _build(tl: Timeline) -> None:
    for part in (_writers, _kinds, _busy, _misses, _untouched, _faulty, _bits):
        part(tl)
        tl.settle()


TESTS: Final[tuple[TestSpec, ...]] = (
    timeline_test(
        "conflicts",
        "commands that meet, or nearly",
        _build,
        issue=400,
        conflict=450,
        level=70,
        faults=ANY,
    ),
)
