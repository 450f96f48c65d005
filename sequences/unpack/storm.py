# SPDX-License-Identifier: Apache-2.0
"""Storm: every player for itself, nothing waits for anything but readiness.

Configuration changes while instructions run, so that what a set-up means is mixed with the next.
Two things are kept, lest a run stands still or an instruction lasts for ever: the Matrix Unit
releases banks all the time, and nothing is compressed, with X counters below a few hundred.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from tilepath.sequences.adc import words as counter_words
from tilepath.sequences.kernel.draw import Draw
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.config import ALU_WORD, DST_MAP_WORD, MISC
from tilepath.sequences.unpack.knobs import Knobs
from tilepath.sequences.unpack.random_setup import AREA, AREAS, area, draw_setup
from tilepath.sequences.unpack.scenes import THREADS, UNPACKERS
from tilepath.tb.kernel.description.player import Items
from tilepath.tb.unpack import items

_BLOCK: Final = 256
_WORDS: Final = (0, 5, 5, 6, MISC, MISC, 42, 43)
_KINDS: Final = ("plain", "tilize", "upsample", "transpose", "shift")


def _gaps(rng: np.random.Generator, mean: float, count: int) -> np.ndarray:
    return rng.geometric(1 / (mean + 1), count) - 1


def _setup_words(d: Draw, knobs: Knobs) -> list[tuple[int, int]]:
    """(index, value) of all words of a random set-up."""
    u = d.upto(1)
    place = area(u, d.upto(AREAS - 1))[0]
    setup = draw_setup(d, knobs, u, place, d.one(_KINDS), d.chance(knobs.faults))
    return list(setup.words(u).items())


def config_items(rng: np.random.Generator, knobs: Knobs) -> Iterator[Items]:
    """Set-ups of both unpackers in both banks; then words of others, in any order."""
    d = Draw(rng)
    first = [
        word
        for u in UNPACKERS
        for word in draw_setup(d, knobs, u, area(u, 0)[0], "plain").words(u).items()
    ]
    index, value = zip(*first, strict=True)
    yield items.cfg(3, index, value)
    while True:
        pool = [word for _ in range(6) for word in _setup_words(d, knobs)]
        pool += [(ALU_WORD, d.upto(3) << 15), (d.upto(255) | 128, d.upto(0xFFFF))]
        pool += [(DST_MAP_WORD, d.upto(3))]
        chosen = [d.one(pool) for _ in range(_BLOCK)]
        # of sections, 180 and above are nothing that the unit reads
        index, value = zip(*chosen, strict=True)
        gaps = _gaps(rng, 25, _BLOCK)
        yield items.cfg(rng.integers(0, 4, _BLOCK), index, value, gaps)


def first_words() -> int:
    """How many items :func:`config_items` begins with."""
    from tilepath.sequences.unpack.config import Setup

    return sum(len(Setup().words(u)) for u in UNPACKERS)


def setc16_items(rng: np.random.Generator) -> Iterator[Items]:
    """ThreadConfig words, those that the unit reads above all."""
    while True:
        index = rng.choice(_WORDS, _BLOCK)
        value = rng.integers(0, 1 << 16, _BLOCK)
        # offsets of contexts are small for the most part
        value = np.where((index == MISC) & (rng.random(_BLOCK) < 0.5), value & 0x1111, value)
        yield items.setc16(index, value, _gaps(rng, 60, _BLOCK))


def matrix_items(rng: np.random.Generator) -> Iterator[Items]:
    """All commands, releases above all, of banks that are the Matrix Unit's or not."""
    while True:
        op = rng.choice(4, _BLOCK, p=(0.3, 0.6, 0.07, 0.03))
        file = rng.choice(3, _BLOCK, p=(0.45, 0.45, 0.1))
        toggle, follow = rng.random((2, _BLOCK)) < 0.2
        yield items.matrix(
            op, file, rng.integers(0, 2, _BLOCK), rng.integers(0, 1024, _BLOCK),
            toggle=toggle, follow=follow, gaps=_gaps(rng, 3, _BLOCK),
        )  # fmt: skip


def memory_items(rng: np.random.Generator) -> Iterator[Items]:
    """Any data, anywhere in the areas of the set-ups."""
    lines = AREA * (1 + 2 * AREAS) // 64
    while True:
        line = rng.integers(0, lines, _BLOCK) * 4
        data = rng.integers(0, 1 << 32, (_BLOCK, 16))
        yield items.l1_write(line, data, _gaps(rng, 6, _BLOCK))


def _counter(d: Draw) -> int:
    op = d.one(counter_words.OPS)
    target, override = d.between(1, 7), d.one((0, 0, 0, d.upto(3)))
    if op == "setadc":
        number = d.upto(7)
        if number & 3 == 0:
            return counter_words.setadc_word(target, number, d.upto(255))
        return counter_words.setadc_word(target, number, d.upto(15) | override << 16)
    if op == "setadcxx":
        first = d.upto(64)
        return counter_words.setadcxx_word(target, first, first + d.upto(150))
    values = tuple(d.one((0, 0, 1, d.upto(7))) for _ in range(4))
    if op.endswith("xy"):
        # sums of X stay small
        values = (0, values[1], 0, values[3]) if op == "incadcxy" else values
    return counter_words.packed_word(op, target, values, d.upto(15), override)


def _instruction(d: Draw) -> int:
    if d.chance(0.3):
        word = w.NOP_OPCODE << 24 | d.upto((1 << 24) - 1)
        return word & ~(d.upto((1 << 23) - 1) & ~0xFF) if d.chance(0.7) else word
    word = w.unpacr(
        d.upto(1), inc=(d.upto(3), d.upto(3), d.upto(3), d.upto(3)), multi=d.upto(1), ctx=d.upto(7),
        adc=d.upto(3), flip=d.flag(0.3), zero=d.flag(0.1), counter=d.upto(1), search=d.flag(0.1),
        last=d.flag(0.9),
    )  # fmt: skip
    if d.chance(0.1):
        word ^= d.one((1 << 1, 1 << 13, 1 << 5, 1 << 14, 3 << 13))
    return word


def issue_items(rng: np.random.Generator, knobs: Knobs) -> Iterator[Items]:
    """UNPACRs, NOPs and counter words, once the first set-ups are there."""
    d = Draw(rng)
    after = int(items.after_cfg(first_words()))
    while True:
        words = [
            _instruction(d) if d.chance(0.2 + 0.3 * knobs.storm) else _counter(d)
            for _ in range(_BLOCK)
        ]
        yield items.issue(words, np.where(rng.random(_BLOCK) < 0.8, 0, 3), after=after)


def storm_stimulus(
    rngs: dict[str, np.random.Generator], knobs: Knobs
) -> dict[str, Iterable[Items]]:
    """Stimulus of all item players; ``rngs``: a generator for each."""
    players: dict[str, Iterable[Items]] = {
        "cfg": config_items(rngs["cfg"], knobs),
        "matrix": matrix_items(rngs["matrix"]),
        "l1_write": memory_items(rngs["l1_write"]),
    }
    for t in THREADS:
        players[f"t{t}.issue"] = issue_items(rngs[f"t{t}.issue"], knobs)
        players[f"t{t}.setc16"] = setc16_items(rngs[f"t{t}.setc16"])
    return players
