# SPDX-License-Identifier: Apache-2.0
"""Endless random items for one thread: segments of kinds of words, and words by the kind."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import and_
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.description.player import Items
from tilepath.engine.stimulus.segments import numbered, reordered
from tilepath.engine.stimulus.tables import Table, growing
from tilepath.isa.tables import layouts
from tilepath.sequences.control import words as w
from tilepath.sequences.control.tables import MOST_PARTS, SEGMENTS, SET_OF
from tilepath.sequences.control.word_tables import FORMS, UNITS, stream_ids
from tilepath.tb.control.items import issue

POOL: Final = 96
"""Segments that a stretch is put together from: so that some have much of one thing."""
FRESH: Final = 24
"""Of these so many are others in the next stretch."""
_STRETCH, _STRETCHES = 256, (8, 32)
"""Segments of a stretch, and stretches of a block of items, of the first and of the longest."""

_APART: Final = 8
"""Places of a word in a segment: in front of it those of the mutexes that are taken there."""
_PART: Final = 8 * _APART
_RELEASED: Final = 8 * _PART
_MUTEX: Final = SEGMENTS.index("mutex")
_TAKE, _RELEASE = (
    np.array([FORMS.index(f"{how}{mutex}") for mutex in w.MUTEXES]) for how in ("atgetm", "atrelm")
)
_OF_KIND: Final = [(t.name, f, kind) for t, f in UNITS for kind in range(len(f.names))]
_NO_FIELD: Final = np.array([
    reduce(and_, (one.ignored for one in layouts() if one.opcode == opcode), 0xFF_FFFF)
    for opcode in range(256)
])  # fmt: skip
"""Bits of words that no field has, by opcode."""


def _kinds(
    rng: np.random.Generator, tables: dict[str, Table], segments: Any
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The kinds of all words of ``segments``, in their order, and how many each segment has."""
    each, number = numbered(segments["counts"].reshape(-1))
    segment, part = np.divmod(each, MOST_PARTS)
    sets = SET_OF[part, segments["kind"][segment]]
    whose, places = [segment], [part * _PART + number * _APART + len(w.MUTEXES)]
    kinds = [tables["step"].some(rng, len(sets), ("word",), set=sets)["word"]]
    mutexes = np.flatnonzero(segments["kind"] == _MUTEX)
    own = segments[mutexes]
    held = own["held"] | (~own["held"].any(1)[:, None] & (np.arange(len(w.MUTEXES)) == 0))
    for which, place, codes in (
        (held, own["places"] * _APART + np.arange(len(w.MUTEXES)), _TAKE),
        (held & own["again"], own["places"] * _APART + np.arange(len(w.MUTEXES)), _TAKE),
        (held, _RELEASED + own["order"], _RELEASE),
    ):
        row, mutex = np.nonzero(which)
        whose.append(mutexes[row])
        places.append(place[row, mutex])
        kinds.append(codes[mutex])
    of = np.concatenate(whose)
    order = np.lexsort((np.concatenate(places), of))
    return np.concatenate(kinds)[order], np.bincount(of, minlength=len(segments))


def words_of(
    rng: np.random.Generator, tables: dict[str, Table], kinds: NDArray[np.int64]
) -> NDArray[np.int64]:
    """A word of each of ``kinds``, which are positions in ``FORMS``; ``tables`` by name."""
    words = np.empty(len(kinds), np.int64)
    order = kinds.astype(np.int16).argsort(kind="stable")
    drawn = []
    for kind, count in enumerate(np.bincount(kinds).tolist()):
        if count:
            table, forms, own = _OF_KIND[kind]
            drawn.append(forms.words(rng, tables[table], own, count))
    words[order] = np.concatenate(drawn)
    return words


def with_ignored(
    rng: np.random.Generator, table: Table, words: NDArray[np.int64]
) -> NDArray[np.int64]:
    """``words`` with bits that no field has, by ``table``."""
    drawn = table.some(rng, len(words), ("other", "bits"))
    ignored = _NO_FIELD[words >> 24] * drawn["other"]
    return words & ~ignored | drawn["bits"] & ignored


def _prelude(thread: int) -> Items:
    """What the words that follow need: semaphores with a maximum, selectors of known streams."""
    first = [w.seminit(0xFF, 1, 3)]
    selectors = zip(w.BANK_SEL, stream_ids(thread), strict=True)
    return issue([*first, *(w.setc16(index, stream) for index, stream in selectors)])


def thread_items(
    rng: np.random.Generator, tables: dict[str, Table], thread: int
) -> Iterator[Items]:
    """Blocks of items without end for ``issue`` of ``thread``; they depend on arguments alone."""
    yield _prelude(thread)
    for stretches in growing(*_STRETCHES):
        segments = tables["segment"].rows(rng, POOL + FRESH * (stretches - 1))
        kinds, sizes = _kinds(rng, tables, segments)
        starts = FRESH * np.arange(stretches)[:, None]
        picked = starts + rng.integers(0, POOL, (stretches, _STRETCH))
        kinds = kinds[reordered(sizes, picked.reshape(-1))]
        gaps = tables["gap"].some(rng, len(kinds), ("gap",))["gap"]
        words = words_of(rng, tables, kinds)
        yield issue(with_ignored(rng, tables["ignored"], words), gaps)
