# SPDX-License-Identifier: Apache-2.0
"""The counters: their values at the ends, sums that wrap, checkpoints."""

from __future__ import annotations

from typing import Final

from tilepath.sequences.adc import words as w
from tilepath.sequences.adc.directed.common import PLACES, Place, reached, timeline_test, top
from tilepath.sequences.adc.timeline import Timeline
from tilepath.tb.kernel.description.stimulus import TestSpec


def _values(tl: Timeline) -> None:
    """Each counter, live value and checkpoint: 1, its largest value, 0; nothing else changes."""
    for place in PLACES:
        for kind in ("flop", "flop_cr"):
            for value in (1, top(tl.profile, place[2]), 0):
                tl.touch(kind, place, value).step()
    for place in reversed(PLACES):
        value = (place[0] * 24 + place[1] * 8 + place[2]) * 3 + 1
        tl.touch("flop", place, value).step().touch("flop_cr", place, value + 1).step()


def _sum(tl: Timeline, kind: str, place: Place, base: int, value: int) -> None:
    """``value`` added to ``base`` by ``kind``, of the live value or of the checkpoint."""
    carries = kind.startswith("addrcr") or kind == "pack_cr"
    tl.touch("flop_cr" if carries else "flop", place, base).step()
    tl.touch(kind, place, value).step()


def _wraps(tl: Timeline) -> None:
    """Sums that end below, at and beyond the largest value of each counter (A1, A15)."""
    for place in PLACES:
        c = place[2]
        largest = top(tl.profile, c)
        for kind in (w.of_counter("incadc", c), w.of_counter("addrcr", c)):
            for base, value in ((largest, 1), (largest, 7), (largest - 1, 1), (largest - 7, 4)):
                _sum(tl, kind, place, base, value)
    for place in reached("unpack"):
        largest = top(tl.profile, place[2])
        for base, value in ((largest, 1), (largest, 3), (largest - 1, 1), (largest - 3, 2)):
            _sum(tl, "unpack", place, base, value)
    for place in reached("pack"):
        largest = top(tl.profile, place[2])
        _sum(tl, "pack", place, largest, 1)
        _sum(tl, "pack", place, largest - 1, 1)
        _sum(tl, "pack", place, 5, 1)
        if place[2] & 3 == w.Y:
            for base, value in ((largest, 15), (largest, 1), (largest - 1, 1), (9, 4)):
                _sum(tl, "pack", place, base, value)
                _sum(tl, "pack_cr", place, base, value)


def _reloads(tl: Timeline) -> None:
    """ADDRCR.. and CR, by whether the checkpoint is the live value and whether it moves (A4)."""
    for number, place in enumerate(PLACES):
        c = place[2]
        set_ = w.of_counter("setadc", c)
        for drift, value in ((0, 0), (0, 3), (2, 0), (2, 3)):
            tl.touch(set_, place, 1 + number % 7).step()
            tl.touch(w.of_counter("incadc", c), place, drift).step()
            tl.touch(w.of_counter("incadc", c), place, 1 if drift else 0).step()
            tl.touch(w.of_counter("addrcr", c), place, value).step()
            if place in reached("pack"):
                tl.touch(set_, place, 5).step().touch("pack", place, drift and 1).step()
                if c & 3 == w.Y:
                    tl.touch("pack_cr", place, value).step()
    clears = {w.Y: ("YsrcClear", "YdstClear"), w.Z: ("ZsrcClear", "ZdstClear")}
    for place in reached("pack"):
        c = place[2]
        for live, checkpoint in ((0, 0), (0, 9), (9, 0), (8, 9)):
            tl.touch("flop", place, live).step().touch("flop_cr", place, checkpoint).step()
            tl.pack(1 << place[0], **{clears[c & 3][c >> 2]: 1}).step()


def _build(tl: Timeline) -> None:
    _values(tl)
    _wraps(tl)
    _reloads(tl)


TESTS: Final[tuple[TestSpec, ...]] = (
    timeline_test(
        "counters",
        "each counter at its ends, sums that wrap, checkpoints",
        _build,
        issue=550,
        flop=1300,
        level=250,
    ),
)
