# SPDX-License-Identifier: Apache-2.0
"""A player's items are packed into words and unpacked again; a layout says where fields are.

Word 0 of an item has the gap in [15:0] and the wait for go in [16]; of a level, the number of
cycles. The fields follow in their order from word 1 on: a field that does not fit into what is left
of a word begins the next one, and one of several words, or of several values, begins a word. The
flags of an item's head, in their order, are in word 0 from bit 17 on; its bit 31 stays 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilepath.engine.description.boundary import Field, fitting

END: Final = 0xFFFF_FFFF
GAP_MASK: Final = 0xFFFF
WAIT_GO: Final = 1 << 16
_GAP: Final = (0, 0, 0, GAP_MASK)
_WAIT: Final = (0, 16, 0, 1)
_HEAD_BITS: Final = 17
_HEAD_END: Final = 31
_WORD_BITS: Final = 32

Items = NDArray[np.uint32]
PlayerKind = Literal["item", "level"]


def gaps_of(items: Items) -> Items:
    """The gap of each item."""
    return items[:, 0] & np.uint32(GAP_MASK)


def with_gaps(items: Items, gaps: ArrayLike) -> Items:
    """``items`` with other gaps (0 … 65535); ``ValueError`` for a gap out of range."""
    made = items.copy()
    made[:, 0] = items[:, 0] & np.uint32(END ^ GAP_MASK) | fitting("gap", gaps, 0, GAP_MASK)
    return made


class Place(NamedTuple):
    """A field's place: its first word, its lowest bit there, and how many words it takes."""

    word: int
    low: int
    words: int


def places(fields: Sequence[Field], head: Sequence[str], taken: set[str]) -> dict[str, Place]:
    """Field → its place in an item; ``head``: names of those in word 0.

    ``ValueError`` for a field described twice, or ``taken``, and for a head that is too wide.
    """
    found: dict[str, Place] = {}
    flag, word, low = _HEAD_BITS, 1, 0
    for f in fields:
        if f.name in taken:
            raise ValueError(f"field {f.name} of a player is described twice")
        taken.add(f.name)
        if f.name in head:
            found[f.name] = Place(0, flag, 1)
            flag += f.width
            continue
        if low and (low + f.width > _WORD_BITS or f.words > 1):
            word, low = word + 1, 0
        found[f.name] = Place(word, low, f.words)
        word, low = (word + f.words, 0) if f.words > 1 else (word, low + f.width)
    if flag > _HEAD_END or (head and "cycles" in taken):
        raise ValueError(f"{', '.join(head)} do not fit into word 0 of an item")
    return found


class Layout:
    """A layout says where everything is in the items of a player."""

    def __init__(
        self, kind: PlayerKind, fields: Sequence[Field], head: Sequence[str] = (), go: bool = False
    ) -> None:
        """Errors as for :func:`places`."""
        self.kind = kind
        self.fields = {f.name: f for f in fields}
        own = {"cycles"} if kind == "level" else {"gap", "wait"} if go else {"gap"}
        self.go = go
        self.places = places(fields, head, own)
        ends = [place.word + place.words for place in self.places.values()]
        self.words = max([1, *ends])
        self.numbers = {"cycles": (0, 0, 1, END - 1)}
        if kind == "item":
            self.numbers = {"gap": _GAP, "wait": _WAIT} if go else {"gap": _GAP}
        for name, at in self.places.items():
            if at.words == 1:
                self.numbers[name] = (at.word, at.low, 0, (1 << self.fields[name].width) - 1)
        """Of what is one number: its word, its lowest bit there, the least and the most it is."""


def pack(layout: Layout, values: dict[str, ArrayLike]) -> Items:
    """Items (n × words) from ``values`` by field, which broadcast; what is left out is 0.

    ``gap`` and ``wait``, or ``cycles`` (1 if left out), are values as well. A field of several
    words has them on the last axis of its array. ``ValueError`` for a value that does not fit its
    field, and for a name that is no field.
    """
    if (one := _one(layout, values)) is not None:
        return one
    given = dict(values)
    columns: list[tuple[int, Items]] = [(0, _head(layout, given))]
    for name, value in given.items():
        if name not in layout.places:
            raise ValueError(
                f"{name}: no field of the player, which has {', '.join(layout.places)}"
            )
        place = layout.places[name]
        for number, part in enumerate(_parts(layout.fields[name], value)):
            columns.append((place.word + number, part << np.uint32(place.low)))
    shape = np.broadcast_shapes((1,), *(part.shape for _, part in columns))
    items = np.zeros((*shape, layout.words), np.uint32)
    for word, part in columns:
        items[..., word] |= part
    return items


def _one(layout: Layout, values: dict[str, ArrayLike]) -> Items | None:
    """An item of numbers that fit, quickly; ``None`` for all else."""
    words = [0] * layout.words
    if layout.kind == "level" and "cycles" not in values:
        words[0] = 1
    for name, value in values.items():
        plain = isinstance(value, int) or getattr(value, "ndim", 1) == 0
        if not plain or name not in layout.numbers:
            return None
        word, low, least, most = layout.numbers[name]
        if not least <= (number := int(value)) <= most:  # type: ignore[arg-type]  # it is one
            return None
        words[word] |= number << low
    return np.array([words], np.uint32)


def _head(layout: Layout, given: dict[str, ArrayLike]) -> Items:
    if layout.kind == "level":
        return fitting("cycles", given.pop("cycles", 1), 1, END - 1)
    gap = fitting("gap", given.pop("gap", 0), 0, GAP_MASK)
    if not layout.go:
        return gap
    return gap | fitting("wait", given.pop("wait", 0), 0, 1) * np.uint32(WAIT_GO)


def _parts(field: Field, values: ArrayLike) -> list[Items]:
    """The words of a field, lowest first, each for all items."""
    most = (1 << min(field.width, _WORD_BITS)) - 1
    checked = fitting(field.name.replace("_", " "), values, 0, most)
    if field.words == 1:
        return [checked]
    if checked.ndim == 0 or checked.shape[-1] != field.words:
        raise ValueError(f"{field.name}: {field.words} words an item, not shape {checked.shape}")
    return [checked[..., number] for number in range(field.words)]


def malformed(layout: Layout, items: Items) -> NDArray[np.bool_]:
    """Return which items (n × words) have bits of no field, or levels for no time."""
    allowed = np.zeros(layout.words, np.uint32)
    if layout.kind == "level":
        allowed[0] = END
    else:
        allowed[0] = GAP_MASK | (WAIT_GO if layout.go else 0)
    for name, (word, low, words) in layout.places.items():
        width = layout.fields[name].width
        mask = ((1 << min(width, _WORD_BITS)) - 1) << low
        allowed[word : word + words] |= np.uint32(mask)
    wrong: NDArray[np.bool_] = np.logical_or.reduce((items & ~allowed) != 0, axis=1)
    if layout.kind == "level":
        wrong = wrong | (items[:, 0] == 0) | (items[:, 0] == END)
    return wrong


def unpack(layout: Layout, items: Items) -> dict[str, NDArray[Any]]:
    """What :func:`pack` made ``items`` (n × words) from: field → values (n, or n × words)."""
    head = items[:, 0]
    found: dict[str, NDArray[Any]] = {"cycles": head}
    if layout.kind == "item":
        found = {"gap": head & np.uint32(GAP_MASK)}
    if layout.go:
        found["wait"] = head >> np.uint32(16) & np.uint32(1)
    for name, (word, low, words) in layout.places.items():
        if words > 1:
            found[name] = items[:, word : word + words]
        else:
            mask = np.uint32((1 << layout.fields[name].width) - 1)
            found[name] = items[:, word] >> np.uint32(low) & mask
    return found
