# SPDX-License-Identifier: Apache-2.0
"""How coverage grew from job to job, as SVG for a page that has its styles."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

_WIDTH: Final = 560
_HEIGHT: Final = 120
_LEFT: Final = 50
_TOP: Final = 14


def growth(name: str, steps: Sequence[tuple[int, int]], jobs: int, total: int) -> str:
    """A curve of bins hit by jobs done.

    ``steps``: number of a job that hit a bin first, from 1, and how many were hit with it;
    ``jobs``, ``total``: how many jobs and bins there are, at least one of each.
    """

    def place(job: float, bins: float) -> tuple[float, float]:
        across, up = (_WIDTH - 10) * job / jobs, _HEIGHT * bins / total
        return round(_LEFT + across, 1), round(_TOP + _HEIGHT - up, 1)

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
            f'<svg role="img" aria-label="{escape(label)}" viewBox="0 0 {_LEFT + _WIDTH} '
            f'{_TOP + _HEIGHT + 22}" width="{_LEFT + _WIDTH}" height="{_TOP + _HEIGHT + 22}">',
            f'<path class="grid" d="M{left:g} {top:g}H{right:g}M{left:g} {bottom:g}H{right:g}"/>',
            f'<polyline class="curve" points="{curve}"/>',
            *(
                f'<text class="{kind}" x="{x:g}" y="{y:g}">{text}</text>'
                for x, y, kind, text in texts
            ),
            "</svg>",
        ]
    )
