# SPDX-License-Identifier: Apache-2.0
"""Endless random items for one thread: segments of kinds of words, and words by the kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.description.player import Items
from tilepath.engine.stimulus.segments import numbered, reordered
from tilepath.engine.stimulus.tables import Table, growing
from tilepath.sequences.control import words as w
from tilepath.sequences.control.tables import MOST_PARTS, SEGMENTS, SET_OF
from tilepath.sequences.control.word_tables import FORMS, stream_ids, with_ignored, words_of
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
