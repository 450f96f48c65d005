# SPDX-License-Identifier: Apache-2.0
"""What follows a MOP: the cycle between expansion and next word, seen or hidden (F11, F20)."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.sequences.frontend import words as w
from tilepath.sequences.frontend.directed.common import (
    Cfg,
    Scenes,
    alternating,
    cfg,
    cfg_of_length,
    plain,
    scene_test,
    stalled,
)
from tilepath.tb.kernel.description.stimulus import TestSpec

_NEXT: Final[dict[str, tuple[int, ...]]] = {
    "mop": (w.mop(1), plain(0x90)),
    "mop_cfg": (w.mop_cfg(0x1234), plain(0x90)),
    "plain": (plain(0x91), plain(0x90)),
    "replay": (w.replay(2, 3), plain(0x90)),
    "record": (w.replay(2, 2, 0, 1), plain(0x92), plain(0x93), plain(0x90)),
    "empty": (),
}
_AHEAD: Final = (0, 1, 2, 3, 5, 7, 8, 9, 10, 12)


def _occupancy(scenes: Scenes) -> None:
    """What follows by length of the expansion by words in M at its end (0 … 8).

    While the issue port is stalled, R keeps two words and M the rest of those ahead of the MOP.
    """
    for length, ahead, follower in product((0, 1, 2, 3, 5), _AHEAD, _NEXT.values()):
        words = [*(plain(i) for i in range(ahead)), w.mop(1), *follower]
        for hold in (0, 22 + ahead, 44):
            scenes.mop(cfg_of_length(length), words, stalled(hold))


def _template0_occupancy(scenes: Scenes) -> None:
    """The same for template 0, whose expansions have at least one word."""
    config = [0, 0, w.NOP, plain(0xA0), w.NOP, w.NOP, w.NOP, plain(0xF0), w.NOP]
    for count1, ahead, follower in product((0, 1, 4), (0, 2, 4, 8, 9, 11), _NEXT.values()):
        words = [*(plain(i) for i in range(ahead)), w.mop(0, count1, 2), *follower]
        for hold in (0, 40):
            scenes.mop(config, words, stalled(hold))


def _release(scenes: Scenes) -> None:
    """The stall ends in each cycle around the end of the expansion."""
    for length, hold in product((0, 1, 3), range(9, 26)):
        for ahead in (0, 6, 9):
            words = [*(plain(i) for i in range(ahead)), w.mop(1), plain(0x91), w.mop(1), plain(2)]
            scenes.mop(cfg_of_length(length), words, stalled(hold))
    for length, first in product((0, 1, 2, 3), (0, 1)):
        words = [w.mop(1), plain(0x91), w.mop(1), w.mop(1), w.mop_cfg(1), w.mop(1), plain(2)]
        scenes.mop(cfg_of_length(length), words, alternating(60, first))
        scenes.mop(cfg_of_length(length), words * 3)


def _replay_position(scenes: Scenes) -> None:
    """REPLAYs in any places of the expansion by their count: two words or more hide the cycle."""
    for places, count in product(range(16), (1, 2, 3, 9, 33, 0)):
        if count in (0, 33) and places not in (1, 2, 4, 8):
            continue
        config = _with_replays(places, count)
        for follower in _NEXT.values():
            scenes.mop(config, [plain(1), w.mop(1), *follower])
    for count, follower in product((1, 2, 5), _NEXT.values()):
        play = w.replay(9, count)
        # expansions of one and of two words, where first and last are the same or neighbours
        scenes.mop(cfg(1, 1, last0=play), [w.mop(1), *follower])
        scenes.mop(cfg(1, 2, loop=play), [w.mop(1), *follower])
        scenes.mop(cfg(1, 2, last0=play), [w.mop(1), *follower])
        scenes.mop([0, 0, w.NOP, play, 0, 0, 0, play, 0], [w.mop(0, 3, 5), *follower])
        scenes.mop(cfg(1, 3, loop=play), [w.mop(1), *follower], stalled(30))


def _with_replays(places: int, count: int) -> Cfg:
    """An expansion of four words, with a REPLAY of ``count`` where ``places`` has a bit."""
    own = [plain(0x50), plain(0x10, 0x26), plain(0x1F, 0x27), plain(0xE0, 0x51)]
    start, loop, last, end = (
        w.replay(4 * i, count) if places >> i & 1 else word for i, word in enumerate(own)
    )
    return cfg(1, 2, start=start, end0=end, loop=loop, last0=last)


TESTS: Final[tuple[TestSpec, ...]] = (
    scene_test("mop_next", "what follows a MOP, by expansion length and words in M", _occupancy),
    scene_test("mop_next_t0", "the same for template 0", _template0_occupancy),
    scene_test("mop_release", "a stall that ends around the end of an expansion", _release),
    scene_test("mop_replay_place", "REPLAYs in an expansion: place and count", _replay_position),
)
