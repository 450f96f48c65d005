# SPDX-License-Identifier: Apache-2.0
"""Endless random items for one thread's ``core`` player, fast enough for the simulator.

A player consumes about an item a cycle, far more than Python can make one by one. So there is a
pool of segments (:mod:`segments`). Each block of items joins segments chosen at random; then the
payload of every plain word and every gap is drawn anew for the whole block, and part of the pool
is replaced. What a block repeats is the structure of a segment, never its data.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.sequences.frontend.draws import Source, weighted
from tilepath.sequences.frontend.knobs import Knobs
from tilepath.sequences.frontend.segments import SegmentMaker
from tilepath.sequences.frontend.words import PLAIN
from tilepath.sequences.kernel.gaps import GAP_TABLE, gap_tables
from tilepath.sequences.kernel.knobs import Weights
from tilepath.tb.frontend.streams import CORE
from tilepath.tb.kernel.description.packing import Items

POOL: Final = 128
FRESH: Final = 32
JOINED: Final = 256
_STRETCH: Final = 256

# words of an item in which there are instructions
_WORDS: Final = tuple(CORE.layout.places[name].word for name in ("word", "data"))
_PAYLOAD: Final = np.zeros(256, np.uint32)
_PAYLOAD[list(PLAIN)] = 0x00FF_FFFF


def refresh(items: Items, rng: np.random.Generator) -> None:
    """Draw bits [23:0] anew, in place, of plain words that are pushed or written to MopCfg.

    Opcodes stay, so that NOPs, MOPs and REPLAYs do. Loop counts are spared too: with junk in
    their upper bits their "opcode" is C0 or above, which no plain word has.
    """
    for column in _WORDS:
        values = items[:, column]
        noise = rng.integers(0, 1 << 32, len(values), np.uint32)
        values ^= noise & _PAYLOAD[values >> 24]


def _tables(weights: Weights, rng: np.random.Generator) -> NDArray[np.uint32] | None:
    """Tables of gaps (n by 256) to index with random bytes; ``None`` when all gaps are 0."""
    names = weighted(weights, 16)
    return None if set(names) == {"none"} else gap_tables(names, rng, longest=(40, 200))


def add_gaps(items: Items, tables: NDArray[np.uint32] | None, rng: np.random.Generator) -> None:
    """Put a random gap, in place, in front of each item; stretches of items share a table."""
    if tables is None:
        return
    stretches = -(-len(items) // _STRETCH)
    chosen = rng.integers(0, len(tables), stretches).repeat(_STRETCH)[: len(items)]
    places = rng.integers(0, GAP_TABLE, len(items), np.uint8)
    items[:, 0] |= tables[chosen, places]


def core_items(rng: np.random.Generator, knobs: Knobs, profile: str) -> Iterator[Items]:
    """Blocks of items (n by 3) without end; they depend on the arguments alone."""
    maker = SegmentMaker(knobs, Source(rng), profile)
    tables = _tables(knobs.gaps, rng)
    yield maker.start()
    pool = [maker.segment() for _ in range(POOL)]
    oldest = 0
    while True:
        chosen = rng.integers(0, POOL, JOINED).tolist()
        block = np.concatenate([pool[i] for i in chosen])
        refresh(block, rng)
        add_gaps(block, tables, rng)
        yield block
        for i in range(oldest, oldest + FRESH):
            pool[i % POOL] = maker.segment()
        oldest = (oldest + FRESH) % POOL
