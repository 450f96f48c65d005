# SPDX-License-Identifier: Apache-2.0
"""Endless random items for one thread: segments of kinds, chosen from a pool, words by the kind.

A block of items joins segments; then all words of one kind are drawn at once (``random_words``).
A mutex is held for no longer than a segment, and never waited for while one of a higher index is
held: threads that hold mutexes cannot wait for each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.sequences.control import words as w
from tilepath.sequences.control.knobs import Knobs
from tilepath.sequences.control.random_words import Hot, WordMaker, stream_ids
from tilepath.sequences.kernel.gaps import gap_tables
from tilepath.sequences.kernel.knobs import Weights
from tilepath.tb.control.items import issue
from tilepath.tb.kernel.description.player import Items

JOINED: Final = 256
POOL: Final = 96
FRESH: Final = 24
_STRETCH: Final = 256

CONFIG: Final = ("wrcfg", "rdcfg", "rmwcib", "shiftmask", "streamwrcfg")
LOOKS: Final = ("look0", "look1", "look2")
UNITS: Final = (*LOOKS, "unpack", "pack", "math", "sfpu", "xmov")
ADDITIONS: Final = ("add", "add_group", "add_immediate")
MULTIPLICATIONS: Final = ("multiply", "multiply_group", "multiply_immediate")
SCALAR: Final = ("setdmareg", *ADDITIONS, *MULTIPLICATIONS, "flop", "flop_adc", "dmanop")
SEMAPHORE: Final = ("seminit", "sempost", "sempost", "semget", "semget")
WAITS: Final = ("stallwait", "semwait", "streamwait")
OTHERS: Final = ("adc", "nop", "setc16", "dmanop")
SELECT: Final = ("setc16_bank", "setc16_hi")
HEADS: Final = (*CONFIG, *UNITS, *SCALAR, *SEMAPHORE, *OTHERS)


def weighted(weights: Weights, rng: np.random.Generator, n: int) -> list[str]:
    """``n`` keys, each as likely as its weight says."""
    names = list(weights)
    shares = np.array([weights[name] for name in names])
    return [names[i] for i in rng.choice(len(names), n, p=shares / shares.sum())]


class SegmentMaker:
    """Segments: short lists of kinds of words; ``kinds`` are those of a ``WordMaker``."""

    def __init__(self, rng: np.random.Generator, faults: tuple[str, ...]) -> None:
        self._rng = rng
        self._faults = faults

    def _some(self, kinds: tuple[str, ...], least: int, most: int) -> list[str]:
        count = int(self._rng.integers(least, most + 1))
        return [kinds[i] for i in self._rng.integers(0, len(kinds), count)]

    def _chance(self, share: float) -> bool:
        return bool(self._rng.random() < share)

    def make(self, name: str) -> list[str]:
        """A segment of this name, one of ``knobs.SEGMENTS``."""
        made: list[str] = getattr(self, f"_{name}")()
        return made

    def _config(self) -> list[str]:
        return self._some(CONFIG, 1, 6)

    def _consume(self) -> list[str]:
        """A write, and a unit that looks, one cycle or two later."""
        write = self._some((*CONFIG, "setc16", "setc16_state"), 1, 2)
        return [*write, *["nop"] * self._chance(0.5), *self._some(LOOKS, 1, 3)]

    def _accumulate(self) -> list[str]:
        """As the matrix multiplication's unpack thread does (unpack-data-path 11.3)."""
        add = self._some(ADDITIONS, 1, 1)
        middle = ["stallwait_cfg"] if self._chance(0.7) else []
        return ["look1", "rdcfg", *add, *middle, "wrcfg", *["nop"] * self._chance(0.6), "look1"]

    def _streamwrcfg(self) -> list[str]:
        select = self._some(SELECT, 0, 1)
        behind = self._some(CONFIG, 0, 3)
        wait = ["stallwait_pipe"] if self._chance(0.4) else []
        return [*select, "streamwrcfg", *behind, *wait, *self._some((*LOOKS, "nop"), 1, 2)]

    def _state(self) -> list[str]:
        return ["setc16_state", *self._some((*CONFIG, "flop", *LOOKS), 1, 3)]

    def _wait(self) -> list[str]:
        return [*self._some(WAITS, 1, 2), *self._some(HEADS, 1, 4)]

    def _streamwait(self) -> list[str]:
        before, behind = self._some(SELECT, 0, 2), self._some((*SELECT, *HEADS), 0, 3)
        return [*before, "streamwait", *behind, *self._some(HEADS, 1, 2)]

    def _semaphore(self) -> list[str]:
        return [*self._some(SEMAPHORE, 1, 4), *self._some(("semwait", *HEADS), 0, 3)]

    def _mutex(self) -> list[str]:
        held = [m for m in w.MUTEXES if self._chance(0.35)] or [w.MUTEXES[0]]
        inside = self._some((*WAITS, *HEADS, *CONFIG), 0, 4)
        places = np.sort(self._rng.integers(0, len(inside) + 1, len(held)))
        taken = list(inside)
        for mutex, place in zip(reversed(held), reversed(places), strict=True):
            # taken again now and then: the holder may
            taken[place:place] = [f"atgetm{mutex}"] * (1 + self._chance(0.1))
        order = self._rng.permutation(len(held))
        return [*taken, *(f"atrelm{held[i]}" for i in order)]

    def _scalar(self) -> list[str]:
        return self._some((*SCALAR, "rdcfg", "wrcfg"), 1, 5)

    def _units(self) -> list[str]:
        return self._some(UNITS, 1, 6)

    def _others(self) -> list[str]:
        return self._some(OTHERS, 1, 4)

    def _fault(self) -> list[str]:
        return self._some(self._faults, 1, 2)


def _prelude(thread: int) -> Items:
    """What the words that follow need: semaphores with a maximum, selectors of known streams."""
    first = [w.seminit(0xFF, 1, 3)]
    selectors = zip(w.BANK_SEL, stream_ids(thread).tolist(), strict=True)
    return issue([*first, *(w.setc16(index, stream) for index, stream in selectors)])


def thread_items(rng: np.random.Generator, knobs: Knobs, hot: Hot, thread: int) -> Iterator[Items]:
    """Blocks of items without end for ``issue`` of ``thread``; they depend on arguments alone."""
    maker = WordMaker(rng, hot, thread)
    segments = SegmentMaker(rng, maker.faults)
    names = list(maker.makers)
    code = {name: place for place, name in enumerate(names)}

    def fresh(count: int) -> list[NDArray[np.int64]]:
        chosen = weighted(knobs.segments, rng, count)
        return [np.array([code[kind] for kind in segments.make(name)]) for name in chosen]

    tables = gap_tables(weighted(knobs.gaps, rng, 32), rng, longest=(20, 100))
    yield _prelude(thread)
    pool = fresh(POOL)
    oldest = 0
    while True:
        kinds = np.concatenate([pool[i] for i in rng.integers(0, POOL, JOINED)])
        words = np.empty(len(kinds), np.uint32)
        for kind in np.unique(kinds).tolist():
            places = np.flatnonzero(kinds == kind)
            words[places] = maker.makers[names[kind]](len(places))
        stretches = rng.integers(0, len(tables), len(kinds) // _STRETCH + 1).repeat(_STRETCH)
        gaps = tables[stretches[: len(kinds)], rng.integers(0, 256, len(kinds))]
        yield issue(words, gaps)
        pool[oldest : oldest + FRESH] = fresh(FRESH)
        oldest = (oldest + FRESH) % POOL
