# SPDX-License-Identifier: Apache-2.0
"""Pictures of docs/: ``docs/pictures/*.txt``, each drawn as an SVG of the same name.

Boxes stand in a grid, and arrows go along its rows and columns. A line of a description is one of::

    title The house
    box NAME COLUMN ROW first line | second line      logic
    queue …, store …, port …                          the same: a queue, state, an end of the block
    A -> B a label                                    along the row of A, then the column of B
    A |> B a label                                    along the column of A, then the row of B
    A <-> B a label                                   an arrow in both directions

``python -m tilepath.engine.commands.pictures`` draws all of them, and runs the programs in pages that draw
pictures of their own; with ``--check`` it says which of the former are stale.
Widths of texts are estimated from above, so that they fit whatever the viewer's font is.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from typing import Final, NamedTuple

from tilepath.engine.description.block import ROOT

FOLDER: Final = ROOT / "docs" / "pictures"

_FILL: Final = {"box": "#dbe9f6", "queue": "#fdf0c9", "store": "#dff0dc", "port": "none"}
_WIDTHS: Final = (("mwMW…×", 11.0), ("ABCDEFGHIJKLNOPQRSTUVXYZ", 8.6), ("", 7.2))  # px, of bold
_LINE: Final = 15
_PAD: Final = 10
_GAP: Final = 34
_MARGIN: Final = 14
_NODE: Final = re.compile(r"(box|queue|store|port) (\S+) (\d+) (\d+) (.+)")
_EDGE: Final = re.compile(r"(\S+) (->|\|>|<->) (\S+)(?: (.+))?")
_STYLE: Final = (
    "text{font:11px 'DejaVu Sans',Verdana,Arial,sans-serif;fill:#222;text-anchor:middle}"
    ".b{font-weight:bold}.t{font-size:14px;font-weight:bold;text-anchor:start}.l{fill:#555}"
    "path{stroke:#555;stroke-width:1.3;fill:none}rect{stroke:#555}"
)
_HEAD: Final = (
    '<marker id="a" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="6" markerHeight="6" '
    'orient="auto-start-reverse"><path d="M0 0L6 3L0 6z" style="fill:#555;stroke:none"/></marker>'
)


class Rect(NamedTuple):
    """Left, top, right, bottom, in px."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Rect) -> bool:
        """Whether they have more than an edge in common."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


@dataclass(frozen=True)
class Node:
    """A box; ``lines``: its text, the first in bold."""

    kind: str
    column: int
    row: int
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Edge:
    """An arrow; ``way``: the sign in the description."""

    source: str
    way: str
    target: str
    label: str


@dataclass
class Picture:
    """A description, and where everything is."""

    title: str = ""
    nodes: dict[str, Node] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)

    @classmethod
    def parse(cls, text: str, name: str) -> Picture:
        """Read a description; ``ValueError`` with file and line for one that is none."""
        found = cls()
        for number, line in enumerate(text.splitlines(), 1):
            line = line.partition("#")[0].strip()
            if node := _NODE.fullmatch(line):
                lines = tuple(part.strip() for part in node[5].split("|"))
                found.nodes[node[2]] = Node(node[1], int(node[3]), int(node[4]), lines)
            elif (edge := _EDGE.fullmatch(line)) and {edge[1], edge[3]} <= found.nodes.keys():
                found.edges.append(Edge(edge[1], edge[2], edge[3], edge[4] or ""))
            elif line.startswith("title "):
                found.title = line.removeprefix("title ")
            elif line:
                raise ValueError(f"{name}:{number}: {line!r} is no box, arrow or title")
        return found

    def __post_init__(self) -> None:
        self._places: dict[str, Rect] = {}

    @property
    def places(self) -> dict[str, Rect]:
        """Return where the boxes are."""
        if not self._places:
            lefts, widths = self._tracks([n.column for n in self.nodes.values()], self._widths())
            tops, heights = self._tracks([n.row for n in self.nodes.values()], self._heights())
            for name, node in self.nodes.items():
                left, top = _MARGIN + lefts[node.column], 2.6 * _MARGIN + tops[node.row]
                place = Rect(left, top, left + widths[node.column], top + heights[node.row])
                self._places[name] = place
        return self._places

    def _widths(self) -> tuple[dict[int, float], dict[int, float]]:
        """Return the widths of each column, and of the gap behind it with its arrows' labels."""
        sizes: dict[int, float] = {}
        gaps: dict[int, float] = {}
        for node in self.nodes.values():
            size = max(map(width, node.lines)) + 2 * _PAD
            sizes[node.column] = max(sizes.get(node.column, 0), size)
        for edge in self.edges:
            one, other = self.nodes[edge.source], self.nodes[edge.target]
            first = min(one.column, other.column)
            if one.row == other.row and edge.label:
                gaps[first] = max(gaps.get(first, 0), width(edge.label) + 16)
            elif edge.label:  # beside the vertical part
                upright = other if edge.way != "|>" else one
                need = width(edge.label) + 8 - sizes[upright.column] / 2
                gaps[upright.column] = max(gaps.get(upright.column, 0), need)
        return sizes, gaps

    def _heights(self) -> tuple[dict[int, float], dict[int, float]]:
        sizes: dict[int, float] = {}
        for node in self.nodes.values():
            size = len(node.lines) * _LINE + 2 * _PAD
            sizes[node.row] = max(sizes.get(node.row, 0), size)
        return sizes, {}

    @staticmethod
    def _tracks(
        numbers: list[int], sized: tuple[dict[int, float], dict[int, float]]
    ) -> tuple[dict[int, float], dict[int, float]]:
        """Return where each column or row begins, and its size."""
        sizes, gaps = sized
        begins, at = {}, 0.0
        for number in range(max(numbers) + 1):
            begins[number] = at
            at += sizes.get(number, 0) + max(_GAP, gaps.get(number, 0))
        return begins, sizes

    def route(self, edge: Edge) -> list[tuple[float, float]]:
        """The corners of an arrow, both ends included."""
        one, other = self.places[edge.source], self.places[edge.target]
        (x0, y0), (x1, y1) = _middle(one), _middle(other)
        if y0 == y1:
            ends = (one.right, other.left) if x0 < x1 else (one.left, other.right)
            return [(ends[0], y0), (ends[1], y0)]
        if x0 == x1:
            ends = (one.bottom, other.top) if y0 < y1 else (one.top, other.bottom)
            return [(x0, ends[0]), (x0, ends[1])]
        if edge.way == "|>":
            begin = one.bottom if y0 < y1 else one.top
            return [(x0, begin), (x0, y1), (other.left if x0 < x1 else other.right, y1)]
        begin = one.right if x0 < x1 else one.left
        return [(begin, y0), (x1, y0), (x1, other.top if y0 < y1 else other.bottom)]

    def labels(self) -> Iterator[tuple[Edge, Rect]]:
        """Yield arrows' labels and places: above a level arrow, right of an upright part."""
        for edge in self.edges:
            if not edge.label:
                continue
            corners, size = self.route(edge), width(edge.label)
            if len(corners) == 2 and corners[0][1] == corners[1][1]:
                x, y = (corners[0][0] + corners[1][0]) / 2, corners[0][1]
                yield edge, Rect(x - size / 2, y - 17, x + size / 2, y - 3)
                continue
            upright = next((a, b) for a, b in pairwise(corners) if a[0] == b[0])
            # in the gap beside the box in which the upright part ends
            x, y = upright[0][0], self._gap(edge, upright[0][1], upright[1][1])
            yield edge, Rect(x + 5, y - 7, x + 5 + size, y + 7)

    def _gap(self, edge: Edge, begin: float, end: float) -> float:
        down = 1 if begin < end else -1
        return begin + down * _GAP / 2 if edge.way == "|>" else end - down * _GAP / 2

    def size(self) -> tuple[int, int]:
        """Width and height of the whole."""
        rects = [*self.places.values(), *(place for _, place in self.labels())]
        across = max(_MARGIN + 1.3 * width(self.title), *(rect.right for rect in rects))
        return round(across + _MARGIN), round(max(rect.bottom for rect in rects) + _MARGIN)

    def svg(self) -> str:
        """The picture."""
        across, down = self.size()
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {down}" '
            f'width="{across}" height="{down}">',
            "<!-- SPDX-License-Identifier: Apache-2.0 -->",
            f"<style>{_STYLE}</style><defs>{_HEAD}</defs>",
            f'<rect width="{across}" height="{down}" style="fill:#fff;stroke:none"/>',
            f'<text class="t" x="{_MARGIN}" y="20">{escape(self.title)}</text>',
            *self._drawn(),
            "</svg>\n",
        ])  # fmt: skip

    def _drawn(self) -> Iterator[str]:
        for edge in self.edges:
            path = "L".join(f"{x:g} {y:g}" for x, y in self.route(edge))
            start = ' marker-start="url(#a)"' if edge.way == "<->" else ""
            yield f'<path d="M{path}" marker-end="url(#a)"{start}/>'
        for edge, place in self.labels():
            x, y = (place.left + place.right) / 2, place.bottom - 3
            yield f'<text class="l" x="{x:g}" y="{y:g}">{escape(edge.label)}</text>'
        for name, place in self.places.items():
            node = self.nodes[name]
            if node.kind != "port":
                wide, high = place.right - place.left, place.bottom - place.top
                round_ = ' rx="9"' if node.kind == "queue" else ""
                yield (
                    f'<rect x="{place.left:g}" y="{place.top:g}" width="{wide:g}" '
                    f'height="{high:g}" fill="{_FILL[node.kind]}"{round_}/>'
                )
            x, y = _middle(place)
            y -= _LINE * (len(node.lines) - 1) / 2 - 4
            for number, line in enumerate(node.lines):
                bold = ' class="b"' if number == 0 else ""
                yield f'<text{bold} x="{x:g}" y="{y + _LINE * number:g}">{escape(line)}</text>'


def width(text: str) -> float:
    """Return the most px that a line of text of 11 px is wide."""
    return sum(next(px for some, px in _WIDTHS if c in some or not some) for c in text)


def _middle(place: Rect) -> tuple[float, float]:
    return (place.left + place.right) / 2, (place.top + place.bottom) / 2


def descriptions() -> dict[str, Picture]:
    """Name → picture, of all; ``ValueError`` for a description that is none."""
    return {
        path.stem: Picture.parse(path.read_text(), path.name)
        for path in sorted(FOLDER.glob("*.txt"))
    }


def stale() -> list[str]:
    """Names of the SVGs that are not what their description gives."""
    names = []
    for name, picture in descriptions().items():
        path = FOLDER / f"{name}.svg"
        if not path.is_file() or path.read_text() != picture.svg():
            names.append(path.name)
    return names


def draw_pages() -> None:
    """Run the programs in pages of docs/ that draw what the page shows."""
    for page in sorted(FOLDER.parent.glob("*.md")):
        for program in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL):
            if re.search(r'Path\(".*\.svg"\)', program):
                command = (sys.executable, "-c", program)
                subprocess.run(command, cwd=page.parent, check=True, stdout=subprocess.DEVNULL)


def main(arguments: list[str]) -> int:
    """Draw all, or with ``--check`` none; 0 when all is well, else 1."""
    if arguments == ["--check"]:
        for name in stale():
            print(f"{name} is stale: python -m tilepath.engine.commands.pictures")
        return int(bool(stale()))
    for name, picture in descriptions().items():
        (FOLDER / f"{name}.svg").write_text(picture.svg())
    draw_pages()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
