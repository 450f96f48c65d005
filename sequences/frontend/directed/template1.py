# SPDX-License-Identifier: Apache-2.0
"""Template 1: loop counts, NOPs in the tested slots, alternation, the hardware bug (F3-F6, F10)."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.sequences.frontend import words as w
from tilepath.sequences.frontend.directed.common import (
    Scenes,
    alternating,
    cfg,
    plain,
    scene_test,
    stalled,
)
from tilepath.sequences.frontend.lengths import mop_words
from tilepath.tb.kernel.description.stimulus import TestSpec

_COUNTS: Final = (0, 1, 2, 5, 127)
_MOP: Final = w.mop(1)
_START: Final = plain(0xA0, 0x50)
_END0: Final = plain(0xE0, 0x51)
_END1: Final = plain(0xE1, 0x52)
_LOOP1: Final = plain(0x11, 0x70)
_LOOKALIKES: Final = (w.DMANOP, w.SFPNOP, w.NOP | 0xABCDEF)
_JUNK: Final = (0x80, 0xFFFF_FF80, 0x0000_0100)


def _counts(scenes: Scenes) -> None:
    """Outer by inner count by which of the four tested slots is a NOP."""
    configs = [
        cfg(
            outer,
            inner,
            start=_START if start else w.NOP,
            end0=_END0 if end0 else w.NOP,
            end1=_END1 if end1 else w.NOP,
            loop1=_LOOP1 if loop1 else w.NOP,
        )
        for outer, inner in product(_COUNTS, _COUNTS)
        for loop1, start, end0, end1 in product((0, 1), repeat=4)
    ]
    # the longest first, so that the threads end at about the same time
    for config in sorted(configs, key=lambda c: mop_words(_MOP, c), reverse=True):
        scenes.mop(config, [_MOP, plain(1)])


def _corners(scenes: Scenes) -> None:
    """Counts with bits above 6, NOP look-alikes in every slot, immediates, more loop counts."""
    for outer, inner, junk0, junk1 in product((0, 1, 2, 127), (0, 1, 2), _JUNK, (0, *_JUNK)):
        config = cfg(outer | junk0, inner | junk1, end0=_END0)
        scenes.mop(config, [_MOP, plain(2)])
    for end0, junk0, junk1 in product((_END0, w.DMANOP, w.SFPNOP), (0, *_JUNK), (0, *_JUNK)):
        scenes.mop(cfg(1 | junk0, junk1, end0=end0), [_MOP, plain(2)])
    for slot, word in product(range(2, 9), (*_LOOKALIKES, w.NOP)):
        for outer, inner in ((1, 0), (1, 1), (2, 2), (2, 3)):
            for base in (cfg(outer, inner), cfg(outer, inner, _START, _END0, _END1, loop1=_LOOP1)):
                base[slot] = word
                scenes.mop(base, [_MOP, plain(3)])
    for count1, mask in product((0, 1, 64, 127), (0, 1, 0x8000, 0xFFFF)):
        scenes.mop(cfg(2, 2, end0=_END0), [w.mop(1, count1, mask), plain(4)])
    for outer, inner in ((3, 4), (126, 1), (1, 126), (126, 0), (64, 2), (2, 64), (127, 3)):
        scenes.mop(cfg(outer, inner, start=_START, loop1=_LOOP1), [_MOP, plain(5)])


def _alternation(scenes: Scenes) -> None:
    """LoopOp1 by outer passes by what stands last: the flip happens on the override too (F5)."""
    loop = plain(0x10, 0x26)
    lasts = (plain(0x1E, 0x28), loop, w.NOP, w.replay(3, 2))
    loop1s = (_LOOP1, w.NOP, *_LOOKALIKES, loop, w.replay(7, 3))
    for outer, inner, loop1 in product((1, 2, 3), (1, 2, 3), loop1s):
        for last1, last0 in product((*lasts, loop1), lasts[:2]):
            config = cfg(outer, inner, loop1=loop1, last1=last1, last0=last0)
            scenes.mop(config, [_MOP, plain(6)])
    for outer, inner in product((2, 3), (1, 2, 3)):
        config = cfg(outer, inner, start=_START, end0=_END0, end1=_END1, loop1=_LOOP1)
        for gate in (stalled(30), alternating(60)):
            scenes.mop(config, [_MOP, plain(7)], gate)


def _bug(scenes: Scenes) -> None:
    """The hardware bug and its four neighbours under back-pressure, with M empty, filling, full."""
    neighbours = (
        cfg(1, 0, end0=_END0),
        cfg(1, 0, end0=_END0, end1=_END1),
        cfg(1, 0, end0=w.DMANOP),
        cfg(1, 0, end0=w.SFPNOP, end1=_END1, loop1=_LOOP1),
        cfg(1, 0, end0=w.replay(4, 2)),
        cfg(2, 0, end0=_END0),
        cfg(1, 1, end0=_END0),
        cfg(1, 0, start=_START, end0=_END0),
        cfg(1, 0, end0=w.NOP, end1=_END1),
        cfg(0, 0, end0=_END0),
    )
    gates = ((), stalled(3), stalled(40), alternating(120), alternating(121, 1), _bursts())
    before = (0, 3, 10, 12)
    for config, gate, ahead in product(neighbours, gates, before):
        scenes.mop(config, [*(plain(i) for i in range(ahead)), _MOP, plain(8)], gate)


def _bursts() -> tuple[tuple[int, int], ...]:
    return tuple((length, place & 1) for place, length in enumerate((20, 5, 9, 1, 17, 30, 12)))


def _flip_and_bug(scenes: Scenes) -> None:
    _alternation(scenes)
    _bug(scenes)


TESTS: Final[tuple[TestSpec, ...]] = (
    scene_test("t1_counts", "template 1: loop counts by NOPs in the tested slots", _counts, 10000),
    scene_test("t1_corners", "template 1: junk bits, NOP look-alikes, immediates", _corners),
    scene_test(
        "t1_flip_and_bug",
        "template 1: alternation and its overrides; the hardware bug under back-pressure",
        _flip_and_bug,
        1000,
    ),
)
