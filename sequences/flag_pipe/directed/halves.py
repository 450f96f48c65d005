# SPDX-License-Identifier: Apache-2.0
"""Tiles in halves (T37): the cube's commands are for both vectors."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Final

from tilepath.engine.description.stimulus import Context, TestSpec
from tilepath.isa import constants as isa
from tilepath.isa.boundary.flag_pipe import PIPES
from tilepath.sequences.flag_pipe.directed.flow import MASKS
from tilepath.sequences.flag_pipe.directed.timing import config
from tilepath.sequences.flag_pipe.script import (
    BOTH,
    C2V,
    GM_LOW,
    INIT,
    TPOP,
    TPUSH,
    UB_A2A3,
    V2C,
    Config,
    Script,
    good_init,
    script_test,
)

UP_DOWN, LEFT_RIGHT = isa.PIPE_SPLIT_UP_DOWN, isa.PIPE_SPLIT_LEFT_RIGHT
# Beats of a slot and, of columns, of a row
_SHAPES: Final = (
    *((2, 0), (6, 0), (8, 0), (4, 0)),
    *((2, 2), (4, 2), (6, 2), (4, 4), (8, 4), (12, 4), (8, 8), (16, 8), (24, 8)),
)


def halved(c: Config, row: int = 0) -> Config:
    """A configuration in halves, of columns where there are bytes of a row."""
    return replace(c, split=LEFT_RIGHT if row else UP_DOWN, row=max(0, row.bit_length() - 1))


def _flow(script: Script, tiles: int, peer: int = 0) -> None:
    """Some tiles each way, to the end."""
    for core, _ in product(range(3), range(tiles)):
        if script.can(core, TPUSH, peer):
            script.push(core, peer)
    for core in (1, 2, 0):
        while script.can(core, TPOP, peer):
            script.pop(core, peer).release(core, peer)


def halves(script: Script, _ctx: Context) -> None:
    """All shapes of halves, ways and periods; the ring runs over, and either vector is late."""
    s = script.setup
    for turn, (mask, (beats, row)) in enumerate(product(MASKS, _SHAPES)):
        slots, peer = s.slots(mask), turn % 2
        c = halved(config(script, mask, beats), row * s.beat)
        c = replace(c, period=turn % slots.bit_length())
        script.anew().on(turn % PIPES).both(peer, c)
        for tiles in (1, slots, slots - 1, slots):
            _flow(script, tiles, peer)
        for late in (1, 2):
            start = script.phase().refused(0, gap=30).done("clr")
            for _ in range((1 << c.period) * bool(mask & V2C)):
                script.push(3 - late).push(late, after=start).pop(0, peer).release(0, peer)
                start = 0
            while script.can(0, TPUSH, peer):
                script.push(0, peer)
            for vector in (3 - late, late) if mask & C2V else ():
                for _ in range(1 << c.period):
                    script.pop(vector, after=start * (vector == late)).release(vector)
                    start *= vector != late
            _flow(script, 1, peer)
    script.on(0)


def large(script: Script, _ctx: Context) -> None:
    """The largest halves that a vector has room for, up to the end of it and one beat further."""
    s = script.setup
    slot = 2 * UB_A2A3 if s.a2a3 else 1 << 15
    for mask, row in ((C2V, 0), (V2C, 1 << 16), (V2C, 0), (C2V, 1 << 15)):
        c = halved(Config(mask, slot, GM_LOW - s.nflags * slot), min(row, slot & -slot))
        script.anew().both(0, c)
        for op, core in product((TPUSH, TPOP), range(3)):
            if mask == (C2V if (core == 0) == (op == TPUSH) else V2C):
                tile = s.sram(core) - c.tile(core)
                script.raw(core, op, tile_addr=tile + s.beat) if s.a2a3 or op == TPUSH else None
                script.push(core, tile=tile) if op == TPUSH else script.pop(core, tile=tile)
                script.phase()


def clears(script: Script, _ctx: Context) -> None:
    """With halves a clear is of both pairs or of none, at every distance from an INIT or a push.

    Where one pair has had its INIT, one with halves is the second of that.
    """
    c = halved(config(script, BOTH, 2), 2 * script.setup.beat)
    for pair, late, op, first in product((0, 1), range(10), (INIT, TPUSH), (1, 2)):
        script.anew()
        if op == TPUSH:
            script.both(0, c)
        start = script.phase().refused(0).done("clr")
        fields = {**good_init(c), "peer": pair} if op == INIT else {"tile_addr": 0}
        script.raw(0, op, after=start, **fields)
        for pairs in (first, 3 - first, 3):
            script.refused(pairs, gap=late)
        script.phase().refused(1 << pair).phase(idle=False).clear()
    for pair in (0, 1):
        script.anew().both(pair, config(script, C2V, 2)).phase()
        script.raw(0, INIT, **{**good_init(c), "peer": 1 - pair})
        script.both(1 - pair, config(script, C2V, 2, 1)).push(0, pair).pop(pair + 1)


TESTS: Final[tuple[TestSpec, ...]] = (
    script_test("halves", "halves of all shapes, either vector late", halves, {"rsp": 500}),
    script_test("halves_large", "the largest halves", large, {"rsp": 20}, faults=("bad_tile",)),
    script_test("halves_clear", "clears of one pair where there are halves", clears, {"rsp": 40},
                faults=("clr_busy", "not_init", "cfg_mismatch", "reinit")),
)  # fmt: skip
