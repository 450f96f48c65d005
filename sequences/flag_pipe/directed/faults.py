# SPDX-License-Identifier: Apache-2.0
"""Everything that is reported: errors in every state, endpoints that differ, lost SETs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Final

from tilepath.engine.description.stimulus import ANY, Context, TestSpec
from tilepath.isa.boundary.flag_pipe import PIPES
from tilepath.sequences.flag_pipe.directed.flow import traffic
from tilepath.sequences.flag_pipe.directed.timing import config
from tilepath.sequences.flag_pipe.script import (
    BOTH,
    C2V,
    INIT,
    L1_BYTES,
    TFREE,
    TPOP,
    TPUSH,
    UB_BYTES,
    V2C,
    Config,
    Fields,
    Script,
    direction,
    good_init,
    produced,
    script_test,
)

_TOP: Final = 1 << 32


def bad_commands(script: Script, core: int, c: Config) -> Iterator[Fields]:
    """Commands with an error for an endpoint that was or was not initialised with ``c``."""
    s = script.setup
    beat, end, size = s.beat, s.sram(core), s.slots(c.mask) * c.slot
    good = {"op": INIT, **good_init(c)}
    for op in range(4, 8):
        yield {"op": op}
    if core:
        for op in range(4):
            yield {"op": op, "peer": 1}
    for mask in (0, 4, 5, 6, 7, 8, 16, 32, 64, 128, 0x83):
        yield {**good, "dir_mask": mask, "slot_size": 0}
        yield {**good, "dir_mask": mask}
    for slot in (0, 1, beat // 2, beat + beat // 2, (1 << 30) + beat, 1 << 31, _TOP - beat):
        yield {**good, "slot_size": slot}
    if s.slots(c.mask) < 1 << 3:
        yield {**good, "period": 3}
    row = c.slot.bit_length() - 1
    for split in (
        {"split": 3, "row": row}, {"split": 1, "slot_size": 3 * beat}, {"split": 2, "row": 0},
    ):  # fmt: skip
        yield {**good, **split}
    whole = s.nflags * c.slot
    for gm in (0, 1, beat // 2, beat + 1, _TOP - whole + beat, _TOP - beat):
        if s.a2a3:
            yield {**good, "gm_base": gm}
    for name, way, most in (("c2v_buf", C2V, s.sram(1)), ("v2c_buf", V2C, L1_BYTES)):
        if c.mask & way and not s.a2a3:
            for base in (1, beat // 2, most - size + beat, most, _TOP - size, _TOP - beat):
                yield {**good, name: base}
    yield good  # REINIT, if it was
    for op in (TPUSH, TPOP, TFREE):
        yield {"op": op}
        for tile in (1, beat // 2, end - c.slot + beat, end, _TOP - c.slot, _TOP - beat):
            yield {"op": op, "tile_addr": tile}


def lone_bits(script: Script, _ctx: Context) -> None:
    """Operands of one bit too low or too high: sizes, bases, masks, tiles (T19).

    On ``a2a3`` also legal rings that pass a lower power of 2 than the end of the addresses. In
    global memory sizes are bad from the one on of which ``nflags`` are 2^32 bytes.
    """

    def bad(name: str, low: int, high: int, bits: int = 32) -> Iterator[Fields]:
        yield from ({name: 1 << b} for b in range(bits) if not low <= 1 << b < high)

    s = script.setup
    most = _TOP // s.nflags if s.a2a3 else UB_BYTES // s.slots(BOTH) + 1
    sizes = [*bad("dir_mask", 1, BOTH + 1, 8), *bad("slot_size", s.beat, most)]
    whole = (2 * s.beat).bit_length() - 1  # a row of it is a slot
    sizes += [{"split": 2, "row": row} for row in range(32) if row != whole]
    bases = [*bad("c2v_buf", s.beat, s.sram(1)), *bad("v2c_buf", s.beat, L1_BYTES)]
    for pair in (0, 1):
        c, peers = config(script, BOTH, 2, pair), {0: pair, pair + 1: 0}
        script.anew()
        for core, peer in peers.items():
            for fields in sizes + ([*bad("gm_base", s.beat, _TOP)] if s.a2a3 else bases):
                script.raw(core, INIT, **{**good_init(c), "peer": peer, **fields})
        script.both(pair, c).phase()
        for (core, peer), op in product(peers.items(), (TPUSH, TPOP) if s.a2a3 else (TPUSH,)):
            behind = {"tile_addr": (L1_BYTES if core == 0 else UB_BYTES) - s.beat}
            for fields in (*bad("tile_addr", s.beat, s.sram(core)), behind):
                script.raw(core, op, peer=peer, **fields)
        traffic(script, pair)
        for bit in range(19, 32 if s.a2a3 else 19):
            gm = (_TOP - s.beat) ^ (1 << bit)
            script.anew().init(0, replace(c, gm=gm), pair)


def is_bad(script: Script, core: int, pair: int, c: Config, fields: Fields) -> bool:
    """Whether a command of :func:`bad_commands` has an error now."""
    config = script.side(core, pair).config
    op = fields["op"]
    if op > TFREE or (core and fields.get("peer")):
        return True
    if config is None:
        return op != INIT or fields != {"op": INIT, **good_init(c)}
    way = produced(core) if op == TPUSH else BOTH ^ produced(core)
    if op == INIT or not config.mask & way:
        return True
    held = len(script.side(core, pair).tiles)
    if op == TFREE:
        return held == 0
    limit = op == TPOP and held >= script.limit(config)
    tile = "tile_addr" in fields and (op == TPUSH or script.setup.a2a3)
    return limit or tile


def errors(script: Script, _ctx: Context) -> None:
    """Every error code in every state: before INIT, idle, filled, full, held, empty again."""
    for mask in (C2V, V2C, BOTH):
        for pair in (0, 1):
            c = config(script, mask, 2, pair)
            script.anew()
            _all(script, pair, c)
            script.both(pair, c).phase()
            _all(script, pair, c)
            slots = script.setup.slots(mask)
            for fill in (1, slots - 1):
                for core in (0, pair + 1):
                    for _ in range(fill):
                        if script.can(core, TPUSH, pair):
                            script.push(core, pair)
                script.phase()
                _all(script, pair, c)
            for core in (0, pair + 1):
                while script.can(core, TPOP, pair):
                    script.pop(core, pair)
            script.phase()
            _all(script, pair, c)
            for core in (0, pair + 1):
                while script.can(core, TFREE, pair) or script.can(core, TPOP, pair):
                    held = script.can(core, TFREE, pair)
                    script.do(core, TFREE if held else TPOP, pair)
            script.phase()
            _all(script, pair, c)
            traffic(script, pair)


def _all(script: Script, pair: int, c: Config) -> None:
    """All errors there are now."""
    for core in (0, pair + 1):
        for fields in bad_commands(script, core, c):
            if is_bad(script, core, pair, c, fields):
                script.raw(core, **{"peer": pair if core == 0 else 0, **fields})
    script.phase()


def held_too_long(script: Script, _ctx: Context) -> None:
    """TPOP after TPOP without a TFREE, and TFREE before any TPOP."""
    for mask in (C2V, V2C, BOTH):
        for pair in (0, 1):
            c = config(script, mask, 1, pair)
            script.anew().both(pair, c)
            for core in (0, pair + 1):
                for _ in range(script.limit(c) + 2):
                    if script.can(core, TPUSH, pair):
                        script.push(core, pair)
            script.phase()
            for core in (0, pair + 1):
                if not mask & ~produced(core):
                    continue
                script.raw(core, TFREE, peer=pair if core == 0 else 0)
                while script.can(core, TPOP, pair):
                    script.pop(core, pair)
                for _ in range(2):
                    script.raw(core, TPOP, peer=pair if core == 0 else 0)
                    if script.can(core, TPUSH, pair):
                        script.push(core, pair)
                while script.can(core, TFREE, pair):
                    script.release(core, pair)
                script.raw(core, TFREE, peer=pair if core == 0 else 0)
                while script.can(core, TPOP, pair):
                    script.pop(core, pair).release(core, pair)


def recovery(script: Script, _ctx: Context) -> None:
    """Behind errors of each kind a legal command of each kind."""
    for op, pair, mask in product((INIT, TPUSH, TPOP, TFREE), (0, 1), (C2V, V2C, BOTH)):
        c = config(script, mask, 2, pair)
        for core in (0, pair + 1):
            way, peer = direction(core, op), pair if core == 0 else 0
            if op != INIT and not mask & way:
                continue
            good, seen = good_init(c), set[str]()
            for fields in bad_commands(script, core, c):
                kind = repr([n for n, v in fields.items() if n not in good or v != good[n]])
                kind += repr((fields["op"], fields.get("peer")))
                if kind in seen:
                    continue
                script.anew(1 << pair)
                if op != INIT:
                    script.both(pair, c)
                    if op != TPUSH:
                        script.push(pair + 1 if core == 0 else 0, pair)
                    if op == TFREE:
                        script.pop(core, pair)
                    script.phase()
                if not is_bad(script, core, pair, c, fields):
                    continue
                seen.add(kind)
                script.raw(core, **{"peer": peer, **fields})
                if op == INIT:
                    script.init(core, c, pair)
                else:
                    script.do(core, op, pair)


def mismatch(script: Script, _ctx: Context) -> None:
    """Endpoints that differ in each part of their configuration; each side keeps to its own."""
    beat = script.setup.beat
    for pair in (0, 1):
        for mask in (C2V, V2C, BOTH):
            c = config(script, mask, 2, pair)
            for change in (
                {"slot": beat}, {"gm": c.gm + beat}, {"c2v": c.c2v + beat}, {"v2c": c.v2c + beat},
            ):  # fmt: skip
                for own, other in ((c, replace(c, **change)), (replace(c, **change), c)):
                    script.anew().init(0, own, pair).init(pair + 1, other)
                    traffic(script, pair, 2)
            row = (4 * beat).bit_length() - 1
            wide = replace(config(script, mask, 4, pair), split=2, row=row)
            for own, other in (
                (c, replace(c, period=1)), (c, replace(c, split=1)), (wide, replace(c, split=1)),
                (wide, replace(wide, row=row - 1)), *[[replace(c, split=1, row=k) for k in (0, 1)]],
            ):  # fmt: skip
                script.anew().init(0, own, pair).init(pair + 1, other).phase()
        for one in (C2V, V2C, BOTH):
            for two in (C2V, V2C, BOTH):
                if one != two:
                    script.anew()
                    script.init(0, config(script, one, 1, pair), pair)
                    script.init(pair + 1, config(script, two, 1, pair)).phase()


def set_set(script: Script, _ctx: Context) -> None:
    """Both sides are consumers: their free flags are taken for ready ones, and SET again.

    Then a SET comes ever later against the WAIT that consumes the flag, which was 1 already.
    """

    def start(pair: int) -> None:
        script.anew()
        script.init(0, config(script, V2C, 1, pair), pair)
        script.init(pair + 1, config(script, C2V, 1, pair)).phase()

    for pair, turned in product((0, 1), (False, True)):
        one, two = (pair + 1, 0) if turned else (0, pair + 1)
        peer = {0: pair, pair + 1: 0}
        start(pair)
        for core in (one, two):
            for _ in range(2):
                script.raw(core, TPOP, peer=peer[core]).raw(core, TFREE, peer=peer[core])
            script.phase()
        for late in range(6):
            start(pair)
            script.raw(one, TPOP, peer=peer[one]).phase()
            script.raw(one, TFREE, peer=peer[one], after=script.refused(0).done("clr"))
            script.refused(0, gap=late)
            script.raw(two, TPOP, peer=peer[two], after=script.done("clr"))
    script.anew()  # which of the two was first is a matter of time


def set_set_of_pipes(script: Script, _ctx: Context) -> None:
    """A SET of a set flag in each pipe but the first, of either bank."""
    for pair, pipe, turned in product((0, 1), range(1, PIPES), (False, True)):
        script.anew().on(pipe)
        script.init(0, config(script, V2C, 1, pair), pair)
        script.init(pair + 1, config(script, C2V, 1, pair)).phase()
        core = 0 if turned else pair + 1
        for op in (TPOP, TFREE):
            script.raw(core, op, peer=0 if core else pair)
    script.anew().on(0)


TESTS: Final[tuple[TestSpec, ...]] = (
    script_test("errors", "every error code in every state", errors, {"rsp": 500}, faults=ANY),
    script_test("lone_bits", "operands of one bit too low or too high", lone_bits, {"rsp": 150},
                faults=("bad_dirmask", "bad_slot", "bad_split", "bad_base", "bad_tile")),
    script_test("hold_limit", "TPOP and TFREE out of turn", held_too_long, {"rsp": 60},
                faults=("hold_lim", "free_empty")),
    script_test("recovery", "a legal command behind each error", recovery, {"rsp": 500},
                faults=ANY),
    script_test("mismatch", "endpoints that differ", mismatch, {"rsp": 100},
                faults=("cfg_mismatch",)),
    script_test("set_set", "SETs of flags that are set", set_set, {"rsp": 20},
                faults=("cfg_mismatch", "cv_set_set", "vc_set_set")),
    script_test("set_set_of_pipes", "SETs of flags that are set, of all pipes", set_set_of_pipes,
                {"rsp": 20}, faults=("cfg_mismatch", "cv_set_set", "vc_set_set")),
)  # fmt: skip
