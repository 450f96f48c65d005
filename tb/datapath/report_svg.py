# SPDX-License-Identifier: Apache-2.0
"""Draws a report of ``datapath`` as SVG, light or dark as the reader's system is.

A lane each for tiles, threads, units, banks and semaphores. A column is a cycle, or as many as fit
the width; of a thread its colours are the shares of what it did in them, of a unit the height is
the share of busy cycles, of a bank of those in which the Matrix Unit has it, of a semaphore its
value. Where there is room, what a thread did is written into it.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.drawing import CLASSES, LETTER, TEXT, Drawing, document, fits
from tilepath.models.control.waiting_text import SEMAPHORE_NAMES
from tilepath.tb.datapath.report import GROUPS, Report
from tilepath.tb.datapath.units import BANKS

Shares = NDArray[np.float64]

_LEFT: Final = 176
_WIDE: Final = 1120  # pixels of the cycles, at most
_SCALE: Final = 8  # of a cycle, at most
_THREAD, _LANE = 34, 15  # heights
_COLOURS: Final = (  # of groups, light and dark; of units, banks, semaphores, tiles
    ("#4c9a5b", "#66b878"), ("#e8962e", "#e8a04c"), ("#9079bd", "#a98ad8"), ("#4f8bcb", "#6aa2e0"),
    ("#2a8f94", "#54b8bd"), ("#94842f", "#b8a74e"), ("#c4628a", "#d97ba0"), ("#9db0c4", "#8ba0b6"),
    ("#d9d9d9", "#8a9099"), ("#f2d16b", "#d8c06a"), ("none", "none"),
    ("#4f8bcb", "#6aa2e0"), ("#9079bd", "#a98ad8"), ("#e8962e", "#e8a04c"), ("#dbe9f6", "#2b3a4a"),
)  # fmt: skip
_UNIT, _BANK, _SEMAPHORE, _TILE = range(len(GROUPS), len(_COLOURS))


def _style() -> str:
    light, dark = (
        "".join(f".k{k}{{fill:{pair[side]}}}" for k, pair in enumerate(_COLOURS)) for side in (0, 1)
    )
    night = (
        f"text{{fill:#ddd}}.g{{fill:#9aa3ad}}.grid{{stroke:#2a2e34}}.paper{{fill:#16181c}}{dark}"
        ".bx{stroke:#8a929c}"
    )
    return (
        f"{TEXT}{CLASSES}.paper{{fill:#fff}}.o{{fill:none}}.w{{fill:#111;pointer-events:none}}"
        f"{light}@media(prefers-color-scheme:dark){{{night}}}"
    )


def draw(found: Report) -> str:
    """The picture, from the first item of a core to what was done last."""
    picture = _Picture(found)
    bottom = picture.body()
    d = picture.d
    back = Drawing(d.first, d.last, d.left, d.scale)
    back.axis(picture.top, bottom, _step(d.scale))
    width = max(d.x(d.last + 1), _LEFT + 600) + 90
    return document(width, bottom + 8, _style(), 'class="paper"', back.parts, d.parts)


def _step(scale: float) -> int:
    """Cycles between lines of the axis: a number of every other one has room."""
    steps = (k * int(10**n) for n in range(12) for k in (1, 2, 5))
    return next(step for step in steps if step * scale >= 24)


class _Picture:
    def __init__(self, found: Report) -> None:
        self.found = found
        cycles = found.end - found.begin
        self.d = Drawing(found.begin, found.end - 1, _LEFT, min(_SCALE, _WIDE / cycles))
        columns = min(cycles, _WIDE)
        self.edges = found.begin + np.arange(columns + 1) * cycles // columns
        self.top = 112

    def shares(self, values: NDArray[np.bool_] | NDArray[np.int64]) -> Shares:
        """The mean of what is given by cycle, in each column."""
        begin, end = self.found.begin, self.found.end
        part = values[begin:end].astype(np.float64)
        return np.add.reduceat(part, self.edges[:-1] - begin) / np.diff(self.edges)

    def area(self, low: Shares, high: Shares, y: float, height: float, colour: int) -> None:
        """What lies between two shares of a lane that begins at ``y``."""
        spans = np.flatnonzero(high > low)
        if not len(spans):
            return
        turns = np.flatnonzero((np.diff(low) != 0) | (np.diff(high) != 0)) + 1
        path = ""
        for a, b in pairwise([0, *turns.tolist(), len(low)]):
            if high[a] > low[a]:
                x, right = (self.d.x(int(self.edges[k])) for k in (a, b))
                up, down = (y + height * (1 - float(s[a])) for s in (high, low))
                path += f"M{x:.5g} {up:.5g}H{right:.5g}V{down:.5g}H{x:.5g}z"
        self.d.parts.append(f'<path class="k{colour}" d="{path}"/>')

    def body(self) -> float:
        """Everything, from top to bottom; where it ends."""
        self.head()
        y = self.tiles(self.top)
        for thread in range(len(self.found.why)):
            y = self.thread(thread, y)
        y = self.lanes(y + 8, "units, busy", "busy, bound", self._units())
        y = self.lanes(y + 8, "banks, the Matrix Unit's", "", self._banks())
        return self.lanes(y + 8, "semaphores", "", self._semaphores())

    def head(self) -> None:
        """Which run, how long a tile takes, legend."""
        found, d = self.found, self.d
        d.text(12, 22, f"datapath: {found.title}", "h")
        d.text(12, 40, found.summary, "g")
        x = 12.0
        for number, group in enumerate(GROUPS[:-1]):
            d.parts.append(f'<rect class="k{number}" x="{x:g}" y="54" width="10" height="9"/>')
            d.text(x + 13, 62, group)
            x += len(group) * LETTER + 28
        columns = d.scale < 1
        each = f"{len(self.edges) - 1} columns of {1 / d.scale:.1f} cycles" if columns else "cycles"
        d.text(12, 80, f"Shares of {each}; what is pointed at says more.", "g")

    def tiles(self, y: float) -> float:
        """A box from the end of the tile before to the end of each."""
        before = self.found.begin
        for number, done in enumerate(self.found.done):
            tip = f"tile {number}: done in cycle {done}, {done + 1 - before} cycles"
            self.d.box(before, done + 1, y, 14, str(number), tip, "", f" k{_TILE}")
            before = done + 1
        self.d.text(12, y + 11, "tiles", "c")
        return y + 22

    def thread(self, thread: int, y: float) -> float:
        """Shares of groups of reasons, and the reasons that there is room for."""
        found, why = self.found, self.found.why[thread]
        groups = np.array([GROUPS.index(text.partition(":")[0]) for text in found.reasons])[why]
        low = np.zeros(len(self.edges) - 1)
        for number in range(len(GROUPS) - 1):
            high = np.minimum(low + self.shares(groups == number), 1.0)
            self.area(low, high, y, _THREAD, number)
            low = high
        for begin, end in runs(why, found.begin, found.end):
            text, wide = found.reasons[why[begin]], self.d.scale * (end - begin)
            if wide < 5 or text == "no item":
                continue
            x = self.d.x(begin)
            self.d.parts.append(
                f'<rect class="o" pointer-events="all" x="{x:.5g}" y="{y:g}" width="{wide:.4g}" '
                f'height="{_THREAD}"><title>{escape(text)}: {begin} to {end - 1}, {end - begin} '
                "cycles</title></rect>"
            )
            short = text.partition(": ")[2]
            choices = (text, short, *short.removeprefix("core ").split()[:1])
            if label := next((t for t in choices if fits(f"{t}  ", wide)), ""):
                self.d.text(x + wide / 2, y + _THREAD / 2 + 3, label, "m w")
        self.d.text(12, y + 20, f"thread {thread}", "c")
        return y + _THREAD + 6

    def lanes(self, y: float, name: str, more: str, lanes: Iterator[_Lane]) -> float:
        """Lanes of shares under a heading."""
        self.d.text(12, y + 10, name, "c")
        self.d.text(self.d.x(self.d.last + 1) + 6, y + 10, more, "g")
        y += 16
        for title, shares, colour, text in lanes:
            self.d.text(_LEFT - 6, y + 10, title, "e")
            self.d.line(_LEFT, y + 12, self.d.x(self.d.last + 1), y + 12, "grid")
            self.area(np.zeros(len(shares)), shares, y, 12, colour)
            self.d.text(self.d.x(self.d.last + 1) + 6, y + 10, text)
            y += _LANE
        return y

    def _units(self) -> Iterator[_Lane]:
        begin, end = self.found.begin, self.found.end
        for unit in self.found.units:
            busy = 100 * unit.busy[begin:end].mean()
            bound = 100 * unit.work[begin:end].mean()
            yield unit.name, self.shares(unit.busy), _UNIT, f"{busy:.0f} %, {bound:.0f} %"

    def _banks(self) -> Iterator[_Lane]:
        for name, owner in zip(BANKS, self.found.owners, strict=True):
            yield name, self.shares(owner), _BANK, ""

    def _semaphores(self) -> Iterator[_Lane]:
        for number, values in enumerate(self.found.semaphores):
            if most := values.max():
                shares = self.shares(values) / most
                yield SEMAPHORE_NAMES[number], shares, _SEMAPHORE, f"up to {most}"


_Lane = tuple[str, Shares, int, str]


def runs(values: NDArray[Any], begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Stretches of equal values from ``begin`` to before ``end``: the first cycle, and behind."""
    turns = begin + 1 + np.flatnonzero(np.diff(values[begin:end]))
    return pairwise([begin, *turns.tolist(), end])
