# SPDX-License-Identifier: Apache-2.0
"""The worked timelines of docs/flag_pipe.md section 7, and SETs against WAITs cycle by cycle."""

from __future__ import annotations

from typing import Final

from tilepath.sequences.flag_pipe.script import (
    BOTH,
    C2V,
    TFREE,
    TPOP,
    TPUSH,
    V2C,
    Config,
    Script,
    script_test,
)
from tilepath.tb.kernel.description.stimulus import Context, TestSpec

ROUNDS: Final = 6


def config(script: Script, mask: int, beats: int = 4, pair: int = 0) -> Config:
    """A configuration of a pair with rings at the beginning of their memories."""
    slot = beats * script.setup.beat
    size = script.setup.nflags * slot
    return Config(mask, slot, script.setup.beat + pair * size, 0, pair * size)


def _consume(script: Script, use: int) -> None:
    script.pop(1)
    after = script.rest(1, use)
    script.release(1, after=after)


def one_way(use: int, script: Script, _ctx: Context) -> None:
    """The cube pushes as fast as it can; AIV0 pops, uses and frees."""
    script.both(0, config(script, C2V))
    for k in range(ROUNDS):
        if k >= script.setup.slots(C2V):
            _consume(script, use)
        script.push(0)
    while script.can(1, TPOP):
        _consume(script, use)


def two_ways(script: Script, _ctx: Context) -> None:
    """Both cores push, pop, use and free, alike on both sides."""
    script.both(0, config(script, BOTH))
    for _ in range(ROUNDS):
        script.push(0).push(1).pop(0).pop(1)
        after = script.rest(1, 6)
        script.release(0, after=after).release(1, after=after)


def sweep_ready(script: Script, _ctx: Context) -> None:
    """A TPOP comes ever later against the TPUSH: before, with and behind the SET."""
    for mask in (C2V, V2C):
        for pair in (0, 1):
            cube, vector = 0, pair + 1
            producer, consumer = (cube, vector) if mask == C2V else (vector, cube)
            for late in range(18):
                script.anew().both(pair, config(script, mask, 1, pair)).phase()
                start = script.refused(0).done("clr")
                script.push(producer, pair, after=start)
                script.refused(0, gap=late)
                script.pop(consumer, pair, after=script.done("clr"))
                script.release(consumer, pair)


def sweep_free(script: Script, _ctx: Context) -> None:
    """The ring is full, and a TFREE comes ever later against the TPUSH that waits for it."""
    for mask in (C2V, V2C):
        for pair in (0, 1):
            producer, consumer = (0, pair + 1) if mask == C2V else (pair + 1, 0)
            for late in range(12):
                script.anew().both(pair, config(script, mask, 1, pair))
                for _ in range(script.setup.slots(mask)):
                    script.push(producer, pair)
                script.pop(consumer, pair).phase()
                start = script.refused(0).done("clr")
                script.release(consumer, pair, after=start)
                script.refused(0, gap=late)
                script.push(producer, pair, after=script.done("clr"))


def wraps(script: Script, _ctx: Context) -> None:
    """Tags wrap four times, with every distance between producer and consumer."""
    for mask in (C2V, V2C, BOTH):
        slots = script.setup.slots(mask)
        script.anew()
        for pair in (0, 1):
            script.both(pair, config(script, mask, 1, pair))
        for ahead in range(1, slots + 1):
            for _ in range(slots + 1):
                for pair in (0, 1):
                    for core in (0, pair + 1):
                        for _ in range(ahead):
                            if script.can(core, TPUSH, pair):
                                script.push(core, pair)
                    if ahead % 2:  # all are pushed before the first is popped
                        script.phase()
                    for core in (0, pair + 1):
                        while script.can(core, TPOP, pair):
                            script.pop(core, pair)
                            if not script.can(core, TPOP, pair):
                                while script.can(core, TFREE, pair):
                                    script.release(core, pair)


_FLOOR: Final = {"rsp": 8}
TESTS: Final[tuple[TestSpec, ...]] = (
    script_test(
        "timeline_use_40", "one way, the consumer is slow", lambda s, c: one_way(40, s, c), _FLOOR
    ),
    script_test(
        "timeline_use_6", "one way, the consumer is fast", lambda s, c: one_way(6, s, c), _FLOOR
    ),
    script_test("timeline_two_ways", "two ways, both cores alike", two_ways, _FLOOR),
    script_test("sweep_ready", "TPOP before, with and behind the SET", sweep_ready, {"rsp": 200}),
    script_test("sweep_free", "TFREE before, with and behind the TPUSH", sweep_free, {"rsp": 500}),
    script_test("wraps", "tags wrap, at every distance of their ends", wraps, {"rsp": 500}),
)
