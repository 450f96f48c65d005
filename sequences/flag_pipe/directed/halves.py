# SPDX-License-Identifier: Apache-2.0
"""Tiles in halves (T37): the cube's commands are for both vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Final

from tilepath.isa import constants as isa
from tilepath.isa.boundary.flag_pipe import PIPES
from tilepath.sequences.flag_pipe.directed.flow import MASKS
from tilepath.sequences.flag_pipe.directed.hangs import operations
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
from tilepath.sequences.flag_pipe.verdict import stands
from tilepath.tb.kernel.description.stimulus import Context, TestSpec

UP_DOWN, LEFT_RIGHT = isa.PIPE_SPLIT_UP_DOWN, isa.PIPE_SPLIT_LEFT_RIGHT
# Beats of a slot and, of columns, of a row
_SHAPES: Final = (
    *((2, 0), (6, 0), (8, 0), (4, 0)),
    *((2, 2), (4, 2), (6, 2), (4, 4), (8, 4), (12, 4), (8, 8), (16, 8), (24, 8)),
)


def halved(script: Script, mask: int, shape: tuple[int, int] = (4, 0), place: int = 0) -> Config:
    """A configuration of halves: of rows, or of columns where there is a row."""
    slot, row = shape
    bits = (row * script.setup.beat).bit_length() - 1 if row else 0
    split = LEFT_RIGHT if row else UP_DOWN
    return replace(config(script, mask, slot, place), split=split, row=bits)


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
    for turn, (mask, shape) in enumerate(product(MASKS, _SHAPES)):
        slots, pipe, peer = s.slots(mask), turn % PIPES, turn % 2
        c = replace(halved(script, mask, shape), period=turn % slots.bit_length())
        script.anew().on(pipe).both(peer, c)
        for tiles in (1, slots, slots - 1, slots):
            _flow(script, tiles, peer)
        for late in (1, 2):
            script.phase()
            start = script.refused(0, gap=30).done("clr")
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


def beside(script: Script, _ctx: Context) -> None:
    """Pipes of halves and others of the same pairs at once, which overlap."""
    for turn in range(len(MASKS)):
        script.anew()
        for pipe in range(PIPES):
            mask, place = MASKS[(turn + pipe) % 3], 2 * pipe
            if (pipe + turn) % 2:
                script.on(pipe).both(pipe % 2, halved(script, mask, (4, 2 * (pipe % 4)), place))
            else:
                for pair in (0, 1):
                    script.on(pipe).both(pair, config(script, mask, 4, place + pair))
        for _ in range(12):
            for core, pipe, peer in product((0, 2, 1), range(PIPES), (0, 1)):
                if core == 0 or peer == 0:
                    for op in (TPUSH, TPOP):
                        if script.on(pipe).can(core, op, peer):
                            script.do(core, op, peer)
            for core, pipe, peer in product((1, 0, 2), range(PIPES), (0, 1)):
                while (core == 0 or peer == 0) and script.on(pipe).can(core, 3, peer):
                    script.release(core, peer)
    script.on(0)


def large(script: Script, _ctx: Context) -> None:
    """The largest halves that a vector has room for, of both kinds."""
    s = script.setup
    slot = 2 * UB_A2A3 if s.a2a3 else 1 << 15
    for mask, row in ((C2V, 0), (V2C, 16), (V2C, 0), (C2V, 15)):
        c = Config(mask, slot, GM_LOW - s.nflags * slot, 0, 0, 0, LEFT_RIGHT if row else UP_DOWN)
        script.anew().both(0, replace(c, row=row if s.a2a3 else min(row, 15)))
        tiles = {"tile": 0} if s.a2a3 else {}
        for core in (0,) if mask == C2V else (1, 2):
            script.push(core, **tiles)
        for core in (1, 2) if mask == C2V else (0,):
            script.pop(core, **tiles).release(core)


def _wrong(script: Script, core: int) -> Iterator[dict[str, int]]:
    """Operands of an INIT with BAD_SPLIT, or with another error that comes first."""
    good = {**good_init(halved(script, BOTH, (4, 4))), "op": INIT}
    beat = script.setup.beat
    whole = good["row"]
    yield {**good, "split": 3}
    yield {**good, "split": UP_DOWN, "slot_size": 3 * beat}
    yield {**good, "slot_size": 6 * beat}
    for row in range(32):
        if row not in (whole, whole - 1):
            yield {**good, "row": row}
    for error in ({"dir_mask": 0}, {"slot_size": beat // 2}, {"period": 3}, {"c2v_buf": 1},
                  {"op": TPUSH}, {"op": 7}):  # fmt: skip
        yield {**good, "split": 3, **error}
    if core:
        yield {**good, "peer": 1}


def refused(script: Script, _ctx: Context) -> None:
    """Errors of halves, and tiles of halves at the end of an SRAM."""
    s = script.setup
    for pipe, peer in ((0, 0), (1, 1)):
        script.anew().on(pipe)
        for core in range(3):
            for fields in _wrong(script, core):
                script.raw(core, **{"peer": 0 if core else peer, **fields})
        script.phase().both(peer, c := halved(script, BOTH, (4, 2))).phase()
        for core in range(3):
            for other in (0, 1) if core == 0 else (0,):
                for split in (0, UP_DOWN):
                    init = {**good_init(c), "split": split}
                    script.raw(core, INIT, **{**init, "peer": other})
            for more in (s.beat, s.beat // 2):
                end = s.sram(core) - c.tile(core)
                script.raw(core, TPUSH, peer=0, tile_addr=end + more)
            script.push(core, tile=end).phase()
        _flow(script, 1)
        # one endpoint of the cube has INIT: with halves it is the second of that one
        for pair in (0, 1):
            script.anew().both(pair, config(script, C2V, 2, 0)).phase()
            script.raw(0, INIT, **{**good_init(c), "peer": 1 - pair})
            script.both(1 - pair, config(script, C2V, 2, 1))
            script.push(0, pair).pop(pair + 1).release(pair + 1)
    script.on(0)


def differ(script: Script, _ctx: Context) -> None:
    """Endpoints that do not agree how tiles are halved."""
    rows = halved(script, BOTH, (8, 0))
    columns = [halved(script, BOTH, (8, row)) for row in (4, 8)]
    for pair, own in product((0, 1), (replace(rows, row=9), *columns)):
        for other in (rows, *columns, replace(rows, split=0)):
            script.anew().init(0, own).init(2 - pair, own).init(1 + pair, other)
            script.phase().anew()


def clears(script: Script, _ctx: Context) -> None:
    """With halves a clear is of both pairs or of none, at every distance from an INIT or a push."""
    for pair, late, op, first in product((0, 1), range(10), (INIT, TPUSH), (1, 2)):
        c = halved(script, BOTH, (2, 2))
        script.anew()
        if op == TPUSH:
            script.both(0, c)
        start = script.phase().refused(0).done("clr")
        fields = {**good_init(c), "peer": pair} if op == INIT else {"tile_addr": 0}
        script.raw(0, op, after=start, **fields)
        for pairs in (first, 3 - first, 3):
            script.refused(pairs, gap=late)
        script.phase().refused(1 << pair).phase(idle=False).clear()


def _hang(
    build: Callable[[Script], tuple[int, str, str, str]],
) -> Callable[[Script, Context], None]:
    def made(script: Script, _ctx: Context) -> None:
        mask, *letters = build(script)
        script.on(1).both(0, halved(script, mask, (2, 2)))
        for core, one in enumerate(letters):
            operations(script, core, 0, one)

    return made


def _of_one(script: Script) -> tuple[int, str, str, str]:
    """Vector 1 pushes, too; vector 0 has its halves, and waits for the next."""
    slots = script.setup.slots(BOTH)
    return BOTH, "u" * (slots + 1), "of" * (slots + 1), "u" * (slots + 1)


def _of_both(_script: Script) -> tuple[int, str, str, str]:
    """All push, or all pop first."""
    return BOTH, "ofu", "ofu", "ofu"


def _unfed(_script: Script) -> tuple[int, str, str, str]:
    """Only vector 0 pushes its half."""
    return V2C, "of", "u", ""


_HANGS: Final = {
    "halves_one_stands": ("the cube and vector 1 wait for each other, vector 0 is done", _of_one),
    "halves_pop_first": ("the cube and both vectors pop first", _of_both),
    "halves_starved": ("the cube waits for the half of vector 1", _unfed),
}
TESTS: Final[tuple[TestSpec, ...]] = (
    script_test("halves", "halves of all shapes, either vector late", halves, {"rsp": 500}),
    script_test("halves_beside", "pipes of halves beside others", beside, {"rsp": 300}),
    script_test("halves_large", "the largest halves", large, {"rsp": 20}),
    script_test("halves_refused", "errors of halves", refused, {"rsp": 200},
                faults=("bad_op", "bad_dirmask", "bad_slot", "bad_period", "bad_split", "not_init",
                        "reinit", "bad_tile")),
    script_test("halves_differ", "endpoints that halve tiles differently", differ, {"rsp": 60},
                faults=("cfg_mismatch",)),
    script_test("halves_clear", "clears of one pair where there are halves", clears, {"rsp": 40},
                faults=("clr_busy", "not_init", "cfg_mismatch")),
    *(script_test(name, summary, _hang(build), {"rsp": 2}, stands=stands(_hang(build)))
      for name, (summary, build) in _HANGS.items()),
)  # fmt: skip
