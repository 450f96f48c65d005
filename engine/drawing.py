# SPDX-License-Identifier: Apache-2.0
"""Draws things over cycles as SVG: what the timelines of all blocks have in common."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

LETTER: Final = 5.3  # width of a letter of 9 pixels
TEXT: Final = "text{font:9px 'DejaVu Sans',Verdana,Arial,sans-serif;fill:#222}"
CLASSES: Final = (
    ".h{font-size:15px;font-weight:bold}.c{font-size:12px;font-weight:bold}.m{text-anchor:middle}"
    ".e{text-anchor:end}.g{fill:#666}.grid{stroke:#ececec}.bx{stroke:#555;stroke-width:.6}"
)


class Drawing:
    """Boxes, lines and text of the cycles ``first`` to ``last``, ``scale`` pixels each.

    ``left``: where the first cycle begins, in pixels.
    """

    def __init__(self, first: int, last: int, left: int, scale: float) -> None:
        self.first, self.last = first, last
        self.left, self.scale = left, scale
        self.parts: list[str] = []
        self.above: list[str] = []  # is drawn last

    def x(self, cycle: int) -> float:
        """Where a cycle begins; the border of the window for one outside."""
        return self.left + self.scale * (min(max(cycle, self.first), self.last + 1) - self.first)

    def shows(self, begin: int, end: int) -> bool:
        """Whether any of the cycles ``begin`` ≤ c < ``end`` is in the window."""
        return begin <= self.last and end > self.first

    def box(
        self,
        begin: int,
        end: int,
        y: float,
        height: int,
        text: str,
        tip: str,
        more: str,
        kind: str = "",
    ) -> None:
        """The cycles ``begin`` ≤ c < ``end``, with what they are called if there is room.

        ``more``: attributes of the box; ``kind``: classes beside ``bx``.
        """
        if not self.shows(begin, end):
            return
        left, right = self.x(begin), self.x(end)
        self.parts.append(
            f'<rect class="bx{kind}" x="{left:g}" y="{y:g}" width="{right - left:g}" '
            f'height="{height}" {more}><title>{escape(tip)}</title></rect>'
        )
        fitting = [t for t in (text, text.split()[-1] if text else "") if fits(t, right - left)]
        if fitting and fitting[0]:
            self.text((left + right) // 2, y + height - 3, fitting[0], "m")

    def text(self, x: float, y: float, text: str, kind: str = "") -> None:
        """A line of text whose base line is at ``y``."""
        kind = f' class="{kind}"' if kind else ""
        self.parts.append(f'<text{kind} x="{x:g}" y="{y:g}">{escape(text)}</text>')

    def heading(self, y: float, name: str, more: str) -> None:
        """What the rows below are, and about them."""
        self.text(12, y, name, "c")
        self.text(18 + 7.4 * len(name), y, more, "g")

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str, end: str = "") -> None:
        """A line, or with ``end`` an arrow."""
        marker = f' marker-end="url(#{end})"' if end else ""
        self.parts.append(
            f'<line class="{kind}" x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"{marker}/>'
        )

    def axis(self, top: float, bottom: float, step: int) -> None:
        """A line every ``step`` cycles, and the numbers of every other one."""
        self.text(self.left - 24, top - 8, "cycle", "e")  # half a number is right of it
        for cycle in range(self.first - self.first % -step, self.last + 2, step):
            x = self.x(cycle)
            self.line(x, top - 4, x, bottom, "grid")
            if cycle % (2 * step) == 0 and cycle <= self.last:
                self.text(x, top - 8, str(cycle), "m")


def fits(text: str, width: float) -> bool:
    """Whether a text of the usual size has room in so many pixels."""
    return len(text) * LETTER - 2 <= width


def cycles(begin: int, end: int) -> str:
    """The cycles ``begin`` ≤ c < ``end``, as they are written."""
    return str(begin) if end == begin + 1 else f"{begin}–{end - 1}"


def document(
    width: float, height: float, style: str, paper: str, *parts: Sequence[str], defs: str = ""
) -> str:
    """The SVG; ``paper``: attributes of what is behind it, ``parts``: from back to front."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
            f'width="{width:g}" height="{height:g}">',
            f"<style>{style}</style>{defs}",
            f'<rect width="{width:g}" height="{height:g}" {paper}/>',
            *(part for some in parts for part in some),
            "</svg>\n",
        ]
    )
