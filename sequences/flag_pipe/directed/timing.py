# SPDX-License-Identifier: Apache-2.0
"""The worked timelines of docs/flag_pipe.md section 7."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tilepath.engine.description.stimulus import Context, TestSpec
from tilepath.isa.constants import PIPE_SPLIT_UP_DOWN as UP_DOWN
from tilepath.sequences.flag_pipe.script import (
    BOTH,
    C2V,
    TPOP,
    Config,
    Script,
    script_test,
)

ROUNDS: Final = 6


def config(script: Script, mask: int, beats: int = 4, place: int = 0) -> Config:
    """A configuration with rings at the beginning of their memories.

    ``place``: of pair p and pipe q p + 2 · q, so that no two rings overlap.
    """
    slot = beats * script.setup.beat
    size = script.setup.nflags * slot
    return Config(mask, slot, script.setup.beat + place * size, place // 2 * size, place * size)


def _consume(script: Script, use: int, last: int) -> None:
    if last == 2:
        script.pop(1).release(1)
    script.pop(last)
    after = script.rest(last, use)
    script.release(last, after=after)


def one_way(use: int, script: Script, _ctx: Context, last: int = 1) -> None:
    """The cube pushes as fast as it can; the ``last`` vector pops, uses and frees.

    If that is AIV1, each vector has half, and AIV0 frees its one at once.
    """
    split = UP_DOWN if last == 2 else 0
    script.both(0, replace(config(script, C2V), split=split))
    for k in range(ROUNDS):
        if k >= script.setup.slots(C2V):
            _consume(script, use, last)
        script.push(0)
    while script.can(1, TPOP):
        _consume(script, use, last)


def two_ways(script: Script, _ctx: Context) -> None:
    """Both cores push, pop, use and free, alike on both sides."""
    script.both(0, config(script, BOTH))
    for _ in range(ROUNDS):
        script.push(0).push(1).pop(0).pop(1)
        after = script.rest(1, 6)
        script.release(0, after=after).release(1, after=after)


_FLOOR: Final = {"rsp": 8}
TESTS: Final[tuple[TestSpec, ...]] = (
    script_test(
        "timeline_use_40", "one way, the consumer is slow", lambda s, c: one_way(40, s, c), _FLOOR
    ),
    script_test(
        "timeline_use_6", "one way, the consumer is fast", lambda s, c: one_way(6, s, c), _FLOOR
    ),
    script_test(
        "timeline_halves", "one way in halves, of which one is used long",
        lambda s, c: one_way(40, s, c, 2), _FLOOR,
    ),
    script_test("timeline_two_ways", "two ways, both cores alike", two_ways, _FLOOR),
)  # fmt: skip
