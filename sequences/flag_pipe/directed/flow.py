# SPDX-License-Identifier: Apache-2.0
"""How tiles flow, and how pairs are launched anew: what random tests meet too seldom."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Final

from tilepath.engine.description.stimulus import Context, TestSpec
from tilepath.isa.boundary.flag_pipe import PIPES
from tilepath.sequences.flag_pipe.directed.timing import config
from tilepath.sequences.flag_pipe.script import (
    BOTH,
    C2V,
    GM_LOW,
    GM_TOP,
    INIT,
    L1_BYTES,
    TPOP,
    TPUSH,
    UB_A2A3,
    UB_BYTES,
    V2C,
    Config,
    Script,
    good_init,
    script_test,
)

MASKS: Final = (C2V, V2C, BOTH)


def head_of_line(script: Script, _ctx: Context) -> None:
    """The cube waits for pair p while the other pair is empty, half full and full."""
    for mask in (C2V, V2C, BOTH):
        for pair in (0, 1):
            other = 1 - pair
            slots = script.setup.slots(mask)
            for filled in (0, 1, 2, slots):
                script.anew()
                for p in (0, 1):
                    script.both(p, config(script, mask, 1, p))
                way = C2V if mask & C2V else V2C
                producer = 0 if way == C2V else other + 1
                for _ in range(filled):
                    script.push(producer, other)
                if mask & C2V:  # full: the cube waits in a TPUSH
                    for _ in range(slots):
                        script.push(0, pair)
                    script.phase()
                    start = script.refused(0, gap=30).done("clr")
                    script.pop(pair + 1, after=start).release(pair + 1)
                    script.push(0, pair)
                if mask & V2C:  # empty: in a TPOP
                    script.phase()
                    start = script.refused(0, gap=30).done("clr")
                    script.push(pair + 1, after=start).pop(0, pair).release(0, pair)
                if filled and mask & C2V:
                    script.pop(other + 1).release(other + 1)


def first_requests(script: Script, _ctx: Context) -> None:
    """The first requests at the shared ports since reset, of all cores at once: the turn is 0."""
    for pair in (0, 1):
        script.both(pair, config(script, BOTH, 1, pair))
    script.phase().push(0, 0).push(1).push(2).push(0, 1)
    script.phase().pop(0).pop(1).pop(2)


def edges(script: Script, _ctx: Context) -> None:
    """Rings and tiles at the first and at the last bytes of their memories."""
    s = script.setup
    for mask, slot in ((C2V, s.beat), (V2C, s.beat), (BOTH, 4 * s.beat), (C2V, 32768),
                       (V2C, 65536), (BOTH, 65536)):  # fmt: skip
        size = s.slots(mask) * slot
        if not s.a2a3 and mask & C2V and size > UB_BYTES:
            continue
        for last, pair in product((0, 1), (0, 1)):
            whole = s.nflags * slot
            gm = (GM_LOW if whole > GM_TOP else 1 << 32) - whole if last else s.beat
            c2v, v2c = (max(0, UB_BYTES - size), L1_BYTES - size) if last else (0, 0)
            script.anew(1 << pair).both(pair, Config(mask, slot, gm, c2v, v2c))
            for core, other in ((0, pair + 1), (pair + 1, 0)) * 2:
                if (mask & C2V) if core == 0 else (mask & V2C):
                    # rings on a5 fill the memory from one end: tiles come from the other
                    script.push(core, pair, 0 if last else s.sram(core) - slot)
                    script.pop(other, pair, s.sram(other) - slot if last else 0)
                    script.release(other, pair).phase()


def large(script: Script, _ctx: Context) -> None:
    """The largest slots of which tiles fit into SRAMs, to the last of their rings.

    On ``a2a3`` then slots that no core can move: the INIT is good, the tile is what does not fit.
    """
    s = script.setup
    mask, slot = (V2C, UB_A2A3) if s.a2a3 else (V2C, L1_BYTES // s.nflags)
    script.both(0, Config(mask, slot, GM_LOW - s.nflags * slot, 0, 0))
    for _ in range(s.nflags):
        script.push(1, tile=0).pop(0, tile=L1_BYTES - slot).release(0)
    if not s.a2a3:
        return
    script.both(1, Config(C2V, L1_BYTES, s.beat)).push(0, 1, tile=0).phase()
    script.anew().both(1, Config(BOTH, 1 << 20, s.beat))
    for core in (0, 2):
        script.raw(core, TPUSH, peer=1 - core // 2)


def traffic(script: Script, pair: int, tiles: int = 1) -> None:
    """Some tiles through each ring that there is, to the end."""
    for core in (0, pair + 1):
        for _ in range(tiles):
            if script.can(core, TPUSH, pair):
                script.push(core, pair)
    for core in (pair + 1, 0):
        while script.can(core, TPOP, pair):
            script.pop(core, pair).release(core, pair)


def starts(script: Script, _ctx: Context) -> None:
    """Who has its INIT first: the cube, the vector, both; or one when the other waits."""
    for mask, pair in product(MASKS, (0, 1)):
        c, cores = config(script, mask, 1, pair), (0, pair + 1)
        for first in (0, 1):
            one, two = cores[first], cores[1 - first]
            for gap in (0, 1, 3, 12):
                script.anew().init(one, c, pair)
                script.refused(0, gap=gap).init(two, c, pair, after=script.done("clr"))
                traffic(script, pair, 2)
            for op in (TPUSH, TPOP):
                if not mask & ((C2V if one == 0 else V2C) if op == TPUSH else mask):
                    continue
                way = C2V if (one == 0) == (op == TPUSH) else V2C
                if not mask & way:
                    continue
                script.anew().init(one, c, pair)
                tokens = script.free if op == TPUSH else script.ready
                tokens[pair][way] += 1  # which comes with the other side
                script.do(one, op, pair)
                tokens[pair][way] -= 1
                script.init(two, c, pair, after=script.done(f"core{one}.cmd"))
                if op == TPOP:
                    tokens[pair][way] += 1
                    script.push(two, pair)
                    script.release(one, pair)
                    script.ready[pair][way] -= 1
                traffic(script, pair, 1)


def relaunch_without(script: Script, _ctx: Context) -> None:
    """INIT without a clear is refused, whatever the masks; the old configuration goes on."""
    for before, after in product(MASKS, MASKS):
        for pair in (0, 1):
            script.anew(1 << pair).both(pair, config(script, before, 1, pair))
            traffic(script, pair, 3)
            script.phase()
            again = good_init(config(script, after, 2, pair))
            for core in (0, pair + 1):
                script.raw(core, INIT, **{**again, "peer": pair if core == 0 else 0})
            traffic(script, pair, 3)


def all_pipes(script: Script, _ctx: Context) -> None:
    """All pipes of both pairs at once, the masks turned round; the last pushed is popped first.

    The second INIT of a pipe comes when tiles are in those before.
    """
    for turn in range(len(MASKS)):
        script.anew()
        order = [(pipe, pair) for pipe in range(PIPES) for pair in (0, 1)]
        for pipe, pair in order:
            c = config(script.on(pipe), MASKS[(turn + pipe) % 3], 1 + pipe, pair + 2 * pipe)
            script.both(pair, c)
            for core in (0, pair + 1):
                for _ in range(2):
                    if script.can(core, TPUSH, pair):
                        script.push(core, pair)
        for _ in range(2 * script.setup.nflags):
            for pipe, pair in reversed(order):
                script.on(pipe)
                for core in (0, pair + 1):
                    if script.can(core, TPOP, pair):
                        script.pop(core, pair).release(core, pair)
                    if script.can(core, TPUSH, pair):
                        script.push(core, pair)
    script.on(0)


def credits_(script: Script, _ctx: Context) -> None:
    """A credit for 1 to all slots of a ring, of each mask; the producer waits for each of them.

    With one for each slot rings get empty, too, from each slot on: tags in every relation.
    """
    s = script.setup
    for mask, pair, period in product(MASKS, (0, 1), range(4)):
        if 1 << period > s.slots(mask):
            continue
        c = replace(config(script, mask, 1, pair), period=period)
        script.anew(1 << pair).both(pair, c)
        cores = (0, pair + 1)
        for turn in range(2 * s.nflags):
            for core, other in (cores, cores[::-1]):
                while script.can(core, TPUSH, pair):
                    script.push(core, pair)
                script.phase()
                for _ in range(1 if period or turn % 2 else s.slots(mask)):
                    if script.can(other, TPOP, pair):
                        script.pop(other, pair).release(other, pair).phase()


def refusals(script: Script, _ctx: Context) -> None:
    """Clears at every distance from a command of the vector, and of the cube for either pair.

    What is granted or not is the model's to say: a clear that comes in the middle leaves the rest
    of the commands with errors, which wait for nothing.
    """
    for pair, by, late, pipe in product((0, 1), (0, 1), range(14), (0, PIPES - 1)):
        script.on(pipe).anew()
        for p in (0, 1):
            script.both(p, config(script, C2V if by == 0 else V2C, 2, p))
        script.phase()
        start = script.refused(0).done("clr")
        core = 0 if by == 0 else pair + 1
        script.push(core, pair, after=start)
        script.refused(1 << pair, gap=late)
        script.refused(2 >> pair)
        # from here on nobody knows what is there
        script.phase().refused(3).phase(idle=False)
        script.clear()
    script.on(0)


def clears(script: Script, _ctx: Context) -> None:
    """The cube works for one pair and offers more, while the other is cleared and launched."""
    for pair in (0, 1):
        other = 1 - pair
        script.anew()
        for p in (0, 1):
            script.both(p, config(script, BOTH, 16, p))
        traffic(script, other, 2)
        script.phase()
        begun = script.push(0, pair).done("core0.cmd")
        script.push(0, pair).clear(1 << other, after=begun)
        script.both(other, config(script, V2C, 1, other), after=script.done("clr"))
        traffic(script, other, 2)
        traffic(script, pair)


TESTS: Final[tuple[TestSpec, ...]] = (
    script_test("head_of_line", "the cube waits for one of two pairs", head_of_line, {"rsp": 100}),
    script_test(
        "first_requests", "every shared port is first asked by all cores at once", first_requests,
        {"rsp": 10}, seeds=2,  # from both states that registers begin with
    ),
    script_test("edges", "rings and tiles at the ends of their memories", edges, {"rsp": 20}),
    script_test("large_slots", "the largest slots", large, {"rsp": 20}, faults=("bad_tile",)),
    script_test("starts", "orders of the two INITs of a pair", starts, {"rsp": 200}),
    script_test(
        "relaunch_without_clear", "INIT of a pair that was not cleared", relaunch_without,
        {"rsp": 200}, faults=("reinit",),
    ),
    script_test(
        "clear_refused", "clears at every distance from a command", refusals, {"rsp": 100},
        faults=("clr_busy", "not_init"),
    ),
    script_test("all_pipes", "all pipes of both pairs at once", all_pipes, {"rsp": 200}),
    script_test("credits", "a credit for one to all slots", credits_, {"rsp": 200}),
    script_test("clear_one", "one pair is cleared, the cube works for the other", clears,
                {"rsp": 40}),
)  # fmt: skip
