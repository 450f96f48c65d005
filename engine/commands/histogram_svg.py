# SPDX-License-Identifier: Apache-2.0
"""Histograms as SVG, light or dark as the reader's system is: a panel each, a bar a bin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

import numpy as np
from numpy.typing import NDArray

_WIDTHS: Final = (("mwMW…×", 11.0), ("ABCDEFGHIJKLNOPQRSTUVXYZ", 8.6), ("", 7.2))  # px, of bold
_ACROSS: Final = 3  # panels beside each other
_BAR: Final = 150
_ROW: Final = 16
_MARGIN: Final = 14
_COLOURS: Final = (
    ("#3b76b8", "#79aee8"), ("#d9822b", "#f0a860"), ("#4c9a5b", "#7ccb8b"), ("#b0486f", "#e084a8"),
    ("#7a5ba8", "#b39be0"), ("#8a7a2b", "#cdbb62"), ("#2a8f94", "#62c8cd"), ("#9a5b3c", "#d39a7c"),
    ("#5f6b7a", "#a3b1c2"), ("#a83b3b", "#e88080"), ("#5b8a2b", "#a0cd6a"), ("#3b4fb8", "#8a9cf0"),
)  # fmt: skip


@dataclass(frozen=True)
class Histogram:
    """A histogram counts a column's rows by value or range (``bins``) in each of ``groups``."""

    table: str
    column: str
    bins: Sequence[str]
    groups: Sequence[str]
    counts: NDArray[np.int64]
    """Groups × bins."""
    aims: Sequence[tuple[str, int]] = ()
    """Points of coverage that the column is there for, and their bins."""

    @property
    def shares(self) -> NDArray[np.float64]:
        """Return the share that each bin has of its group."""
        return np.asarray(self.counts / np.maximum(self.counts.sum(1, keepdims=True), 1))


def _style() -> str:
    light = "".join(f".g{k}{{fill:{one}}}" for k, (one, _) in enumerate(_COLOURS))
    dark = "".join(f".g{k}{{fill:{other}}}" for k, (_, other) in enumerate(_COLOURS))
    return (
        "text{font:11px 'DejaVu Sans',Verdana,Arial,sans-serif;fill:#222}.e{text-anchor:end}"
        ".b{font-weight:bold}.t{font-size:14px;font-weight:bold}.paper{fill:#fff}"
        f"{light}@media(prefers-color-scheme:dark){{text{{fill:#ddd}}.paper{{fill:#16181c}}{dark}}}"
    )


def draw(title: str, found: Sequence[Histogram]) -> str:
    """A panel for each histogram; of groups, bars beside each other in colours."""
    groups = found[0].groups
    label = max(width(text) for one in found for text in one.bins)
    label = max([label, *(width(f"{one.table}.{one.column}") - _BAR for one in found)])
    wide = round(label + _BAR + 70)
    parts: list[str] = []
    top = 44.0
    if len(groups) > 1:
        left = float(_MARGIN)
        for number, group in enumerate(groups):
            parts.append(
                f'<rect class="g{number}" x="{left:g}" y="{top - 9:g}" width="9" height="9"/>'
            )
            parts.append(f'<text x="{left + 13:g}" y="{top:g}">{escape(group)}</text>')
            left += width(group) + 30
        top += 24
    for first in range(0, len(found), _ACROSS):
        row = found[first : first + _ACROSS]
        for place, one in enumerate(row):
            parts += _panel(one, _MARGIN + place * wide, top, label)
        top += max(_ROW * len(one.bins) + 34 for one in row)
    across, down = 2 * _MARGIN + min(_ACROSS, len(found)) * wide, round(top)
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {down}" '
        f'width="{across}" height="{down}">',
        "<!-- SPDX-License-Identifier: Apache-2.0 -->",
        f"<style>{_style()}</style>",
        f'<rect class="paper" width="{across}" height="{down}"/>',
        f'<text class="t" x="{_MARGIN}" y="22">{escape(title)}</text>',
        *parts,
        "</svg>\n",
    ])  # fmt: skip


def width(text: str) -> float:
    """Return the most px that a line of text of 11 px is wide, whatever the viewer's font is."""
    return sum(next(px for some, px in _WIDTHS if c in some or not some) for c in text)


def _panel(one: Histogram, left: float, top: float, label: float) -> Iterator[str]:
    yield f'<text class="b" x="{left:g}" y="{top:g}">{escape(f"{one.table}.{one.column}")}</text>'
    shares = one.shares
    most = shares.max() or 1
    high = (_ROW - 4) / len(one.groups)
    for place, text in enumerate(one.bins):
        y = top + 8 + place * _ROW
        yield f'<text class="e" x="{left + label:g}" y="{y + 10:g}">{escape(text)}</text>'
        for number, share in enumerate(shares[:, place]):
            size = _BAR * share / most
            yield (
                f'<rect class="g{number}" x="{left + label + 6:g}" y="{y + number * high:.4g}" '
                f'width="{size:.4g}" height="{high:.3g}">'
                f"<title>{escape(one.groups[number])} {100 * share:.2f} %</title></rect>"
            )
        if len(one.groups) == 1:
            x = left + label + 10 + _BAR * shares[0, place] / most
            yield f'<text x="{x:.4g}" y="{y + 10:g}">{100 * shares[0, place]:.1f} %</text>'
