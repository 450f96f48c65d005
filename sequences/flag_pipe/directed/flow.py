# SPDX-License-Identifier: Apache-2.0
"""How tiles flow: both ways at once, one pair in the way of the other, large slots, full ports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Final

import numpy as np

from tilepath.isa.boundary.flag_pipe import READ_PORTS
from tilepath.sequences.flag_pipe.directed.timing import config
from tilepath.sequences.flag_pipe.script import (
    BOTH,
    C2V,
    GM_WINDOW,
    L1_BYTES,
    SLOT_MAX,
    UB_BYTES,
    V2C,
    Config,
    Script,
    script_test,
)
from tilepath.tb.flag_pipe.streams import MEMORY
from tilepath.tb.kernel.description.packing import Items
from tilepath.tb.kernel.description.stimulus import Context, TestSpec


def overlapped(script: Script, _ctx: Context) -> None:
    """Two and more tiles are on their way in each direction of both pairs at once."""
    for beats in (1, 4, 16):
        for ahead in range(2, script.setup.slots(BOTH) + 1):
            script.anew()
            for pair in (0, 1):
                script.both(pair, config(script, BOTH, beats, pair))
            for _ in range(3):
                for _ in range(ahead):
                    script.push(0, 0).push(1).push(0, 1).push(2)
                script.phase()
                for _ in range(ahead):
                    for core, peer in ((0, 0), (1, 0), (0, 1), (2, 1)):
                        script.pop(core, peer).release(core, peer)


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


def ports(script: Script, _ctx: Context) -> None:
    """All cores move data through the shared ports at once."""
    for beats in (1, 2, 3, 4, 5, 16):
        for mask in (V2C, BOTH):
            script.anew()
            for pair in (0, 1):
                script.both(pair, config(script, mask, beats, pair))
            tiles = min(4, script.setup.slots(mask))
            for _ in range(tiles):
                if mask == BOTH:
                    script.push(0, 0).push(0, 1)
                script.push(1).push(2)
            script.phase()
            for _ in range(tiles):
                for pair in (0, 1):
                    script.pop(0, pair).release(0, pair)
                    if mask == BOTH:
                        script.pop(pair + 1).release(pair + 1)


def first_requests(script: Script, _ctx: Context) -> None:
    """The first requests at the shared ports since reset, of all cores at once: the turn is 0."""
    for pair in (0, 1):
        script.both(pair, config(script, BOTH, 1, pair))
    script.phase().push(0, 0).push(1).push(2).push(0, 1)
    script.phase().pop(0).pop(1).pop(2)


def edges(script: Script, _ctx: Context) -> None:
    """Rings and tiles at the first and at the last bytes of their memories, the largest slot."""
    s = script.setup
    for mask, slot in ((C2V, s.beat), (V2C, s.beat), (BOTH, 4 * s.beat), (C2V, 32768),
                       (V2C, SLOT_MAX), (BOTH, SLOT_MAX)):  # fmt: skip
        size = s.slots(mask) * slot
        if not s.a2a3 and mask & C2V and size > UB_BYTES:
            continue
        for last, pair in product((0, 1), (0, 1)):
            gm = (1 << 32) - s.nflags * slot if last or slot * s.nflags >= GM_WINDOW else s.beat
            c2v, v2c = (max(0, UB_BYTES - size), L1_BYTES - size) if last else (0, 0)
            script.anew(1 << pair).both(pair, Config(mask, slot, gm, c2v, v2c))
            for core, other in ((0, pair + 1), (pair + 1, 0)) * 2:
                if (mask & C2V) if core == 0 else (mask & V2C):
                    # rings on a5 fill the memory from one end: tiles come from the other
                    script.push(core, pair, 0 if last else s.sram(core) - slot)
                    script.pop(other, pair, s.sram(other) - slot if last else 0)
                    script.release(other, pair).phase()


def both_banks(script: Script, _ctx: Context) -> None:
    """Both cores of a pair SET in the same cycle, tags of both directions wrap in the same."""
    for pair in (0, 1):
        script.anew().both(pair, config(script, BOTH, 1, pair))
        for _ in range(4 * script.setup.slots(BOTH)):
            script.push(0, pair).push(pair + 1).pop(0, pair).pop(pair + 1)
            script.phase(idle=True)
            script.release(0, pair).release(pair + 1).phase(idle=True)


def _steady(port: str, ready: float, latency: int) -> Iterator[Items]:
    """For 4,000 cycles ready in a share of them, evenly."""
    count = np.arange(4000)
    values = {"ready": np.floor((count + 1) * ready) > np.floor(count * ready)}
    if port in READ_PORTS:
        values["latency"] = np.full(4000, latency)
    yield MEMORY[port].pack(cycles=1, **values)


def _levels(ready: float, latency: int) -> dict[str, Iterable[Items]]:
    return {f"{port}_mem": lambda _ctx, port=port: _steady(port, ready, latency) for port in MEMORY}


TESTS: Final[tuple[TestSpec, ...]] = (
    script_test("overlapped", "tiles on their way in both directions", overlapped, {"rsp": 200}),
    script_test("head_of_line", "the cube waits for one of two pairs", head_of_line, {"rsp": 100}),
    script_test("ports", "all cores at the shared ports at once", ports, {"rsp": 200}),
    script_test(
        "ports_slow", "the same, ready every other cycle, latency 5", ports, {"rsp": 200},
        levels=_levels(0.5, 5),
    ),
    script_test(
        "ports_rare", "the same, ready in one of eight cycles, latency 31", ports, {"rsp": 200},
        levels=_levels(0.125, 31),
    ),
    script_test(
        "first_requests", "every shared port is first asked by all cores at once", first_requests,
        {"rsp": 10}, seeds=2,  # from both states that registers begin with
    ),
    script_test("edges", "rings and tiles at the ends of their memories", edges, {"rsp": 20}),
    script_test("both_banks", "SETs of both banks in the same cycle", both_banks, {"rsp": 100}),
)  # fmt: skip
