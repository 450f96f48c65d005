# SPDX-License-Identifier: Apache-2.0
"""Directed stimulus for the bins of the MOP expander; used by ``test_coverage_scenarios``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tilepath.tests.frontend.model_reference import EXP
from tilepath.tests.frontend.test_coverage_bench import (
    DMANOP,
    MOP1,
    MOP_CFG,
    NOP,
    NOP_JUNK,
    PLAIN,
    SFPNOP,
    Port,
    Script,
    mop0,
    one,
    pushing,
    replay,
)

A, B, C, D, E = (PLAIN + n for n in range(1, 6))


def loops(
    outer: int, inner: int, loop: int = A, loop1: int = NOP, start: int = NOP, end0: int = NOP,
    end1: int = NOP, last0: int = B, last1: int = C,
) -> tuple[int, ...]:  # fmt: skip
    """MopCfg for template 1, in its order."""
    return outer, inner, start, end0, end1, loop, loop1, last0, last1


def mops(*configs: tuple[int, ...], word: int = MOP1) -> Script:
    """One MOP with each configuration, written while nothing runs."""

    def script(p: Port) -> Iterator[None]:
        for config in configs:
            yield from p.config(*config)
            yield from p.push(word)
            yield from p.until(p.idle)

    return script


def t1_flags(p: Port) -> Iterator[None]:
    """Counts of 0 to 3, and each combination of NOPs."""
    for flags in product((A, NOP), repeat=4):
        loop1, start, end0, end1 = flags
        yield from p.config(*loops(0, 0, B, loop1, start, end0, end1))
        for outer in range(4):
            p.write(0, outer)
            yield
            for inner in range(4):
                p.write(1, inner)
                yield
                yield from p.push(MOP1)
                yield from p.until(p.idle)


LONG = [
    loops(outer, inner) if outer < 127 or inner < 127 else loops(127, 127, A, B, C, D, E)
    for outer, inner in product((0, 1, 2, 3, 127), repeat=2)
]

BUGS = [
    loops(1 | high, 0, A, loop1, NOP, end0, end1)
    for high, end0, loop1, end1 in product((0, 0x80), (DMANOP, SFPNOP, A), (A, NOP), (A, NOP))
]

LAST = [
    loops(outer, inner, A, B if on else NOP, last1=(B if on else A) if same else D)
    for on, outer, inner, same in product((0, 1), (1, 2, 3), (1, 2), (0, 1))
]


SLOT_WORDS = (
    NOP, NOP_JUNK, DMANOP, SFPNOP, A, MOP1, MOP_CFG, replay(3, 2), replay(3, 2, 1),
)  # fmt: skip


def slots(p: Port) -> Iterator[None]:
    """Each kind of word in each slot; a NOP in EndOp1 needs an EndOp0 that is none."""
    for word in SLOT_WORDS:
        yield from p.config(0x82, 0x82, *([word] * 7))
        yield from p.push(MOP1)
        yield from p.until(p.expanded)
        yield from p.config(2, 0x82, NOP, A, word)
        yield from p.push(MOP1)
        yield from p.until(p.expanded)
        yield from p.config(0, 3, *([word] * 7))
        yield from p.push(mop0(1, 1))
        yield from p.until(p.expanded)


def t0_chain(p: Port) -> Iterator[None]:
    """Template 0: counts, flags and masks; the first MOP sees MaskHi as reset left it."""
    yield from p.config(0, 0, *range(PLAIN, PLAIN + 7))
    yield from p.push(mop0(16, 0x1234), MOP_CFG, MOP_CFG | 1, mop0(17), mop0(18), MOP_CFG)
    yield from p.until(p.idle)
    masks = (0, 0xFFFFFFFF, 0x55555555, 0x00010000, 0x80000000)
    chain = list(product(range(4), (0, 1, 15, 16, 31, 32, 127), masks))
    edges = (1, 0x8000, 0x10000, 0x18000, 0xFFFF, 0xFFFF0000)
    for flags, count1, mask in chain + [(3, 31, mask) for mask in edges]:
        p.write(1, flags | 0x100)
        yield
        yield from p.push(MOP_CFG | mask >> 16, mop0(count1, mask))
        yield from p.until(p.idle)


def transitions(p: Port) -> Iterator[None]:
    """Next word, expansion length, and level of M when the expansion ends."""
    after = (MOP1, MOP_CFG, PLAIN, replay())
    for ready, nxt, length, level in product((0, 1), (*after, None), range(4), (0, 3, 8)):
        before = level - length
        if before < 0 and ready == 0:
            continue
        p.ready(1)
        yield from p.settle()
        yield from p.config(*loops(1 if length else 0, length))
        p.ready(ready)
        # Two words fill R, the rest waits in M; without a stall, words on their way are enough.
        yield from p.push(*([PLAIN] * (2 + before if ready == 0 else level)))
        yield from p.gap(6 * (1 - ready))
        yield from p.push(*(w for w in (MOP1, nxt) if w is not None))
        yield from p.gap(8)
    p.ready(1)
    yield from p.settle()


def last_replays(p: Port) -> Iterator[None]:
    """The last playing REPLAY of an expansion of four words."""
    for count, place in product((1, 2, 5), range(3)):
        words = [A, A, A]
        words[place] = replay(0, count)
        yield from p.config(*loops(1, 2, words[1], NOP, words[0], words[2], NOP, words[1]))
        yield from p.push(MOP1)
        yield from p.until(p.idle)


def stalls(p: Port) -> Iterator[None]:
    """M full when a MOP arrives, and while it expands; with the bug condition and without."""
    for config, at_ingest, later in product(
        (loops(1, 0, end0=A), loops(2, 6)), (False, True), (False, True)
    ):
        yield from p.config(*config)
        if at_ingest:
            p.ready(0)
            yield from p.push(*([PLAIN] * 10), MOP1)
            yield from p.gap(12)
            p.ready(1)
            yield from p.until(lambda: p.thread.mop_state == EXP)
        else:
            yield from p.push(MOP1)
        if later:
            p.ready(0)
            yield from p.gap(20)
        p.ready(1)
        yield from p.settle()


def replays_in_mops(p: Port) -> Iterator[None]:
    """A MOP emits REPLAY words of each mode while the replay expander is in each state."""
    kinds = (replay(0, 3), replay(8, 3, 1), replay(16, 3, 1, 1))
    first = (NOP, replay(0, 30), replay(0, 20, 1), replay(0, 20, 1, 1))
    for word, before in product(kinds, first):
        yield from p.config(*loops(2, 12, word, last0=word, last1=word))
        yield from p.push(before, MOP1)
        yield from p.until(p.expanded)
        yield from p.push(*([PLAIN] * 24))
        yield from p.until(lambda: not p.thread.mq)
        yield from p.gap(40)


def test_a_zero_length_mop_counts_once() -> None:
    assert one(pushing(MOP1)).counts("t1.length")["0"] == 1
