# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/: as their descriptions say, and nothing in them lies on anything else."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET

import pytest

from tilepath.engine.commands.pictures import FOLDER, Picture, Rect, descriptions, stale, width

PICTURES = descriptions()


def segments(picture: Picture) -> list[tuple[str, str, Rect]]:
    """Each straight part of an arrow: from and to which box, and where."""
    found = []
    for edge in picture.edges:
        for (x0, y0), (x1, y1) in itertools.pairwise(picture.route(edge)):
            place = Rect(min(x0, x1) - 1, min(y0, y1) - 1, max(x0, x1) + 1, max(y0, y1) + 1)
            found.append((edge.source, edge.target, place))
    return found


def test_the_svgs_are_fresh() -> None:
    assert stale() == []
    assert {path.stem for path in FOLDER.glob("*.svg")} == set(PICTURES)


@pytest.mark.parametrize("name", PICTURES)
def test_nothing_lies_on_anything_else(name: str) -> None:
    picture = PICTURES[name]
    boxes, labels = picture.places, [(edge.label, place) for edge, place in picture.labels()]
    for (one, a), (other, b) in itertools.combinations(boxes.items(), 2):
        assert not a.meets(b), (one, other)
    for text, place in labels:
        for box, where in boxes.items():
            assert not place.meets(where), (text, box)
        for source, target, where in segments(picture):
            assert not place.meets(where), (text, source, target)
    for (one, a), (other, b) in itertools.combinations(labels, 2):
        assert not a.meets(b), (one, other)
    for source, target, where in segments(picture):
        for box, place in boxes.items():
            inside = Rect(place.left + 2, place.top + 2, place.right - 2, place.bottom - 2)
            assert not where.meets(inside), (source, target, box)


@pytest.mark.parametrize("name", PICTURES)
def test_texts_are_inside_their_boxes_and_all_inside_the_picture(name: str) -> None:
    picture = PICTURES[name]
    across, down = picture.size()
    assert across > width(picture.title) * 1.2 and across < 1500
    for box, place in picture.places.items():
        node = picture.nodes[box]
        assert max(map(width, node.lines)) <= place.right - place.left, box
        assert 15 * len(node.lines) <= place.bottom - place.top, box
    for rect in (*picture.places.values(), *(place for _, place in picture.labels())):
        assert rect.left >= 0 and rect.top >= 25 and rect.right <= across and rect.bottom <= down


@pytest.mark.parametrize("name", PICTURES)
def test_every_box_is_joined_to_something_and_the_picture_is_shown(name: str) -> None:
    picture = PICTURES[name]
    ends = {end for edge in picture.edges for end in (edge.source, edge.target)}
    assert ends == set(picture.nodes) and picture.title
    ET.fromstring(picture.svg())
    pages = [p.read_text() for p in FOLDER.parent.glob("*.md")]
    assert any(re.search(rf"!\[[^]]+\]\(pictures/{name}\.svg\)", text) for text in pages)


@pytest.mark.parametrize("line", ["box a 0", "box a 0 0 x\na -> b", "what"])
def test_a_description_that_is_none(line: str) -> None:
    with pytest.raises(ValueError, match=r"p\.txt:\d+: '.*' is no box, arrow or title"):
        Picture.parse(line, "p.txt")
