# SPDX-License-Identifier: Apache-2.0
"""SVG for a page that has its styles: both sides around a difference, coverage by jobs done."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

import numpy as np

from tilepath.engine.checking.mismatch import SHOWN, Mismatch, values_text
from tilepath.engine.drawing import LETTER, Drawing

_LEFT: Final = 190  # pixels of names
_COLUMN: Final = 76  # of a cycle
_LANE: Final = 15
_TOP: Final = 34
_LETTERS: Final = int((_COLUMN - 4) / LETTER)
SIDES: Final = ("model", "RTL")


def waveform(found: Mismatch) -> str:
    """A column for each cycle in which either side has an event, two lanes for each field.

    Cycles are numbered; where some without events lie between two columns, a gap is marked. Each
    value is in the box's title as well, with what it means. What only one side has is of class
    ``odd``.
    """
    sides = [[*found.before, *records[:SHOWN]] for records in (found.expected, found.actual)]
    cycles = sorted({int(record["cycle"]) for side in sides for record in side})
    fields = [field.name for field in found.block.stream_table[found.stream].fields]
    drawing = Drawing(0, len(cycles) - 1, _LEFT, _COLUMN)
    bottom = _TOP + (2 * _LANE + 8) * len(fields)
    drawing.text(_LEFT - 6, _TOP - 8, "cycle", "e")
    for column, cycle in enumerate(cycles):
        x = drawing.x(column)
        kind = "odd" if cycle == found.cycle else ""
        drawing.text(x + 2, _TOP - 8, str(cycle), kind)
        skipped = column and cycle > cycles[column - 1] + 1
        drawing.line(x, _TOP - 4, x, bottom, "gap" if skipped else "grid")
    for row, field in enumerate(fields):
        y = _TOP + (2 * _LANE + 8) * row
        drawing.text(4, y + _LANE, field)
        for lane, (name, side, other) in enumerate(zip(SIDES, sides, sides[::-1], strict=True)):
            drawing.text(_LEFT - 6, y + _LANE * (lane + 1) - 4, name, "e")
            _lane(drawing, found, field, side, other, cycles, y + _LANE * lane)
    width, height = _LEFT + _COLUMN * len(cycles) + 4, bottom + 4
    label = f"{found.stream}: {', '.join(SIDES)} in cycles {cycles[0]} to {cycles[-1]}"
    return "\n".join(
        [
            f'<svg class="wave" role="img" aria-label="{label}" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}">',
            *drawing.parts,
            "</svg>",
        ]
    )


def _lane(
    drawing: Drawing,
    found: Mismatch,
    field: str,
    side: Sequence[np.void],
    other: Sequence[np.void],
    cycles: Sequence[int],
    y: float,
) -> None:
    """One side's values of ``field``."""
    theirs = {int(record["cycle"]): record for record in other}
    for record in side:
        cycle = int(record["cycle"])
        column, twin = cycles.index(cycle), theirs.get(cycle)
        odd = twin is None or bool((twin[field] != record[field]).any())
        text = values_text(found.block, found.stream, field, record[field])
        short = text.partition(" (")[0]
        short = short if len(short) <= _LETTERS else short[: _LETTERS - 1] + "…"
        tip = f"{field} in cycle {cycle}: {text}"
        drawing.box(column, column + 1, y, _LANE - 3, short, tip, "", " odd" if odd else "")


_WIDTH: Final = 560
_HEIGHT: Final = 120
_SIDE: Final = 50
_ABOVE: Final = 14


def growth(name: str, steps: Sequence[tuple[int, int]], jobs: int, total: int) -> str:
    """A curve of bins hit by jobs done.

    ``steps``: number of a job that hit a bin first, from 1, and how many were hit with it;
    ``jobs``, ``total``: how many jobs and bins there are, at least one of each.
    """

    def place(job: float, bins: float) -> tuple[float, float]:
        across, up = (_WIDTH - 10) * job / jobs, _HEIGHT * bins / total
        return round(_SIDE + across, 1), round(_ABOVE + _HEIGHT - up, 1)

    corners, hit = [place(0, 0)], 0
    for job, bins in (*steps, (jobs, steps[-1][1] if steps else 0)):
        corners += [place(job, hit), place(job, bins)]
        hit = bins
    curve = " ".join(f"{x:g},{y:g}" for x, y in corners)
    (left, bottom), (right, top) = place(0, 0), place(jobs, total)
    last = steps[-1][0] if steps else 0
    label = f"{name}: {hit} of {total} bins after {jobs} jobs, the last of them new in job {last}"
    texts = [
        (left - 4, top + 4, "e", str(total)),
        (left - 4, bottom, "e", "0"),
        (left, bottom + 14, "", "job 1"),
        (right, bottom + 14, "e", f"job {jobs}"),
    ]
    return "\n".join(
        [
            f'<svg role="img" aria-label="{escape(label)}" viewBox="0 0 {_SIDE + _WIDTH} '
            f'{_ABOVE + _HEIGHT + 22}" width="{_SIDE + _WIDTH}" height="{_ABOVE + _HEIGHT + 22}">',
            f'<path class="grid" d="M{left:g} {top:g}H{right:g}M{left:g} {bottom:g}H{right:g}"/>',
            f'<polyline class="curve" points="{curve}"/>',
            *(
                f'<text class="{kind}" x="{x:g}" y="{y:g}">{text}</text>'
                for x, y, kind, text in texts
            ),
            "</svg>",
        ]
    )
