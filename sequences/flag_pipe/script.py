# SPDX-License-Identifier: Apache-2.0
"""Scripts of the flag pipe: commands of three cores, with what a program knows of its pipes.

A script follows the pipes in the order in which commands are added: a command that can be done then
(:meth:`Script.can`) is done in the end, whatever the timing, because each pipe has one producer
and one consumer (T27). Every tile that is pushed has a stamp of its own, and every tile is looked
at where its TFREE is accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike

from tilepath.engine.description.packing import Items
from tilepath.engine.description.stimulus import Context
from tilepath.engine.stimulus import script
from tilepath.engine.stimulus.script import PhaseScript
from tilepath.isa import profiles
from tilepath.isa.boundary.flag_pipe import COMMAND, COMPUTE, CORES, OPS, PIPES
from tilepath.tb.flag_pipe import streams

INIT, TPUSH, TPOP, TFREE = range(len(OPS))
C2V, V2C, BOTH = 1, 2, 3
L1_BYTES: Final = 1 << 19
UB_BYTES: Final = 1 << 18
UB_A2A3: Final = 3 << 16
GM_LOW: Final = 1 << 22
GM_TOP: Final = 1 << 19
Fields = dict[str, int]
_NAMES: Final = tuple(f.name for f in (*COMMAND, *COMPUTE))


@dataclass(frozen=True)
class Setup:
    """Parameters of a profile."""

    nflags: int
    beat: int
    hold_max: int
    flag_lat: int
    a2a3: bool

    @classmethod
    def of(cls, profile: str) -> Setup:
        """Those of ``profile``."""
        p = profiles.get(profile)
        return cls(p.nflags, p.beat_bytes, p.hold_max, p.flag_lat, p.platform == "a2a3")

    def slots(self, mask: int) -> int:
        """Slots of each ring (T23)."""
        return self.nflags // 2 if mask == BOTH else self.nflags

    def sram(self, core: int) -> int:
        """Legal bytes of a core's SRAM."""
        return L1_BYTES if core == 0 else UB_A2A3 if self.a2a3 else UB_BYTES


@dataclass(frozen=True)
class Config:
    """What INIT configures; sizes and addresses in bytes; there is a credit for 2^period slots.

    ``split``: how tiles are halved (T37), ``row``: logarithm of a row's bytes.
    """

    mask: int
    slot: int
    gm: int = 0
    c2v: int = 0
    v2c: int = 0
    period: int = 0
    split: int = 0
    row: int = 0

    def tile(self, core: int) -> int:
        """Bytes of a core's tile: a vector has half of a slot where tiles are in halves."""
        return self.slot // 2 if core and self.split else self.slot


def good_init(config: Config) -> Fields:
    """The operands of an INIT."""
    c = config
    return {
        "dir_mask": c.mask, "period": c.period, "slot_size": c.slot, "gm_base": c.gm,
        "c2v_buf": c.c2v, "v2c_buf": c.v2c, "split": c.split, "row": c.row,
    }  # fmt: skip


@dataclass
class Side:
    """An endpoint, as its core's program order has it; ``tiles``: where held tiles are."""

    config: Config | None = None
    pushed: int = 0
    popped: int = 0
    freed: int = 0
    tiles: list[int] = field(default_factory=list)


def produced(core: int) -> int:
    """The direction that a core pushes into."""
    return C2V if core == 0 else V2C


def direction(core: int, op: int) -> int:
    """The direction that an operation of a core is about (T5)."""
    return produced(core) if op == TPUSH else BOTH ^ produced(core)


class Script(PhaseScript):
    """Collects items of the flag pipe's players.

    ``room``: for each core where tiles to push are, and where popped ones are copied to.
    """

    holding = streams.HOLDING
    waiter = ("clr", (0,))
    leads: Mapping[str, tuple[Any, ...]] = {"clr": (0,)}

    def __init__(self, profile: str) -> None:
        super().__init__()
        self.setup = Setup.of(profile)
        self.pipe = 0
        self._sides = [[Side() for _ in range(4)] for _ in range(PIPES)]
        self._free = [[{C2V: 0, V2C: 0} for _ in range(2)] for _ in range(PIPES)]
        self._ready = [[{C2V: 0, V2C: 0} for _ in range(2)] for _ in range(PIPES)]
        self.stamp = 0
        half = self.setup.sram(1) * 3 // 4
        self.room = {0: (L1_BYTES // 2, L1_BYTES * 3 // 4), 1: (half, half), 2: (half, half)}

    def make(self, player: str, rows: Sequence[tuple[Any, ...]], **heads: ArrayLike) -> Items:
        """As the base has it."""
        names = ("pairs",) if player == "clr" else _NAMES
        columns = np.array(rows, np.int64).T
        return streams.items(player, heads, **dict(zip(names, columns, strict=True)))

    # -- what a program knows

    def on(self, pipe: int) -> Self:
        """What follows is about this pipe of the pairs, the first in the beginning (T34)."""
        self.pipe = pipe
        return self

    @property
    def sides(self) -> list[Side]:
        """The endpoints of the pipe: the cube's, the vectors'."""
        return self._sides[self.pipe]

    @property
    def free(self) -> list[dict[int, int]]:
        """Free slots of the pipe, by pair and direction."""
        return self._free[self.pipe]

    @property
    def ready(self) -> list[dict[int, int]]:
        """Tiles to be popped, likewise."""
        return self._ready[self.pipe]

    def side(self, core: int, peer: int = 0) -> Side:
        """The endpoint of a core; ``peer`` counts for the cube only."""
        return self.sides[peer if core == 0 else core + 1]

    def pairs(self, core: int, peer: int = 0) -> tuple[int, ...]:
        """The pairs that a command is for: with halves both, of the cube (T37)."""
        config = self.side(core, peer).config
        return (0, 1) if core == 0 and config and config.split else (core - 1 if core else peer,)

    @staticmethod
    def _named(core: int, peer: int) -> int:
        """What a command has as its peer: a vector has one pair only."""
        return peer if core == 0 else 0

    def limit(self, config: Config) -> int:
        """How many slots may be held (T10)."""
        return min(self.setup.hold_max, self.setup.slots(config.mask))

    def can(self, core: int, op: int, peer: int = 0) -> bool:
        """Whether TPUSH, TPOP or TFREE is legal and would not wait now."""
        config = self.side(core, peer).config
        way = direction(core, op)
        if config is None or not config.mask & way:
            return False
        held = len(self.side(core, peer).tiles)
        if op == TFREE:
            return held > 0
        if op == TPUSH:
            return all(self.free[pair][way] > 0 for pair in self.pairs(core, peer))
        ready = all(self.ready[pair][way] > 0 for pair in self.pairs(core, peer))
        return ready and held < self.limit(config)

    def ring(self, core: int, op: int, peer: int = 0) -> int:
        """Base address of the ring that an operation is about (T15)."""
        config = self.side(core, peer).config
        assert config is not None
        way = direction(core, op)
        if not self.setup.a2a3:
            return config.c2v if way == C2V else config.v2c
        second = way == V2C and config.mask == BOTH
        return config.gm + second * self.setup.slots(config.mask) * config.slot

    # -- commands

    def raw(
        self, core: int, op: int, gap: int = 0, after: int = 0, idle: int = 0, **values: int
    ) -> Self:
        """A command as it is; of what it does nothing is noted."""
        given = {"op": op, "pipe": self.pipe, **values}
        self.add(f"core{core}.cmd", tuple(given.get(n, 0) for n in _NAMES), gap, after, idle)
        return self

    def init(self, core: int, config: Config, peer: int = 0, **waits: int) -> Self:
        """INIT of an endpoint that was not."""
        c, s = config, self.setup
        used = {"gm_base": c.gm} if s.a2a3 else {"c2v_buf": c.c2v} if c.mask & C2V else {}
        if not s.a2a3 and c.mask & V2C:
            used["v2c_buf"] = c.v2c
        fields = {"peer": self._named(core, peer), "dir_mask": c.mask, "period": c.period,
                  "split": c.split, "row": c.row, "slot_size": c.slot, **used}  # fmt: skip
        self.raw(core, INIT, **waits, **fields)
        assert self.side(core, peer).config is None
        if core == 0 and c.split:  # what is known of it is the same for both pairs
            self.sides[1] = self.sides[0]
        self.side(core, peer).config = config
        if c.mask & ~produced(core):
            for pair in self.pairs(core, peer):
                self.free[pair][BOTH ^ produced(core)] += s.slots(c.mask)
        return self

    def both(self, pair: int, config: Config, **waits: int) -> Self:
        """INIT of both endpoints of a pair; with halves of the cube and both vectors."""
        self.init(0, config, pair, **waits)
        for vector in self.pairs(0, pair):
            self.init(vector + 1, config, **waits)
        return self

    def push(self, core: int, peer: int = 0, tile: int | None = None, **waits: int) -> Self:
        """TPUSH of a tile with a stamp of its own."""
        config = self.side(core, peer).config
        assert config is not None
        tile = self.room[core][0] if tile is None else tile
        self.stamp += 1
        size = config.tile(core) // self.setup.beat
        compute = {"fill_beats": size, "stamp": self.stamp}
        self.raw(core, TPUSH, peer=self._named(core, peer), tile_addr=tile, **compute, **waits)
        for pair in self.pairs(core, peer):
            self.free[pair][produced(core)] -= 1
            self.ready[pair][produced(core)] += 1
        self.side(core, peer).pushed += 1
        return self

    def pop(self, core: int, peer: int = 0, tile: int | None = None, **waits: int) -> Self:
        """TPOP."""
        side = self.side(core, peer)
        assert side.config is not None
        s, slot = self.setup, side.config.slot
        place = side.popped % s.slots(side.config.mask)
        room = self.room[core][1] + (side.popped % 2) * (UB_A2A3 // 8)
        tile = room if tile is None else tile
        used = {"tile_addr": tile} if s.a2a3 else {}
        self.raw(core, TPOP, peer=self._named(core, peer), **used, **waits)
        side.tiles.append(tile if s.a2a3 else self.ring(core, TPOP, peer) + place * slot)
        side.popped += 1
        for pair in self.pairs(core, peer):
            self.ready[pair][BOTH ^ produced(core)] -= 1
        return self

    def release(self, core: int, peer: int = 0, **waits: int) -> Self:
        """TFREE; its tile is looked at before."""
        side = self.side(core, peer)
        assert side.config is not None
        size = side.config.tile(core) // self.setup.beat
        look = {"look_addr": side.tiles.pop(0), "look_beats": size}
        self.raw(core, TFREE, peer=self._named(core, peer), **look, **waits)
        side.freed += 1
        credit = 1 << side.config.period
        for pair in self.pairs(core, peer):
            self.free[pair][BOTH ^ produced(core)] += credit * (side.freed % credit == 0)
        return self

    def do(self, core: int, op: int, peer: int = 0, **waits: int) -> Self:
        """TPUSH, TPOP or TFREE."""
        return (self.push, self.pop, self.release)[op - TPUSH](core, peer, **waits)

    def clear(self, pairs: int = 3, **waits: int) -> Self:
        """A strobe that is granted: the pairs of the mask are as after reset."""
        self.add("clr", (pairs,), **waits)
        for pair in (0, 1):
            if pairs >> pair & 1:
                for sides in self._sides:
                    sides[pair], sides[2 + pair] = Side(), Side()
                for tokens in (*self._free, *self._ready):
                    tokens[pair] = {C2V: 0, V2C: 0}
        return self

    def refused(self, pairs: int, **waits: int) -> Self:
        """A strobe that is not granted, or of no pair."""
        self.add("clr", (pairs,), **waits)
        return self

    def anew(self, pairs: int = 3) -> Self:
        """When all is idle, clear these pairs; what follows waits for that."""
        return self.phase().clear(pairs).phase(idle=False)

    def rest(self, core: int, cycles: int) -> int:
        """A condition that is true so many cycles (3 or more) after ``core`` is idle again.

        As of a use: the command that waits for it is accepted 1 + ``cycles`` after the ``rsp``
        of the one before.
        """
        before = self.done(f"core{core}.cmd")
        self.refused(0, after=before, idle=1 << core).refused(0, gap=cycles - 2)
        return self.done("clr")


Build = Callable[[Script, Context], None]


def cores() -> range:
    """The numbers of the cores."""
    return range(len(CORES))


script_test = partial(script.script_test, Script)
