# SPDX-License-Identifier: Apache-2.0
"""What a program of the flag pipe is made of: functions on cores, buffers, operations.

Sizes and addresses are in bytes. Every node keeps the place in the text that it comes from, which
does not count when nodes are compared. ``docs/pipe-programs.md`` says what everything means.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from functools import cached_property
from typing import Final, Literal, NamedTuple

from tilepath.engine.text import Where
from tilepath.isa import constants, profiles
from tilepath.isa.boundary.flag_pipe import PIPES, SPLITS

Core = Literal["AIC", "AIV0", "AIV1"]
CORES: Final[tuple[Core, ...]] = ("AIC", "AIV0", "AIV1")
Dir = Literal["C2V", "V2C"]
DIRS: Final[tuple[Dir, ...]] = ("C2V", "V2C")
DIR_BIT: Final[Mapping[Dir, int]] = {"C2V": constants.PIPE_DIR_C2V, "V2C": constants.PIPE_DIR_V2C}

SPACES: Final[Mapping[Dir, str]] = {"C2V": "UB", "V2C": "L1"}
"""Where the ring of a direction is on A5: in its consumer."""
GM_BYTES: Final = 1 << 32
FLAGS: Final = range(0, 2 * PIPES, 2)
"""The first flags of the pipes of a pair."""


class Platform(IntEnum):
    """A platform has its rings in global memory, or in the consumer's SRAM."""

    A2A3 = constants.PIPE_PLATFORM_A2A3
    A5 = constants.PIPE_PLATFORM_A5


A2A3: Final = Platform.A2A3
A5: Final = Platform.A5

SRAM_BYTES: Final[Mapping[Platform, Mapping[str, int]]] = {
    A2A3: {"L1": 524288, "UB": 196608},
    A5: {"L1": 524288, "UB": 262144},
}


class Auto(Enum):
    """The base of a region that the allocator is to choose."""

    AUTO = "auto"


AUTO: Final = Auto.AUTO
Ref = str  # the name of a reserve or import, where an address could stand


NOWHERE: Final = Where("<program>", 0, 0)


@dataclass(frozen=True, kw_only=True)
class Node:
    """Something with a place; what it is made of can be given as lists."""

    where: Where = field(default=NOWHERE, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, list):
                object.__setattr__(self, name, tuple(value))


@dataclass(frozen=True)
class Alloc(Node):
    """A tile's memory in the function's own SRAM."""

    name: str
    base: int | Auto
    size: int


@dataclass(frozen=True)
class ReserveBuffer(Node):
    """A ring's memory in its consumer's SRAM; the core tells ``memory_space`` where it is None."""

    name: str
    size: int
    base: int | Auto = AUTO
    memory_space: str | None = None


@dataclass(frozen=True)
class ImportPeerBuffer(Node):
    """The base of a reserve of ``peer_func``; a literal one must be the same."""

    name: str
    peer_func: str
    base: int | Auto = AUTO


@dataclass(frozen=True)
class GmRef(Node):
    """An address in global memory."""

    buf: str
    offset: int = 0


@dataclass(frozen=True)
class Init(Node):
    """``initialize_pipe`` of a pair; ``flag``: the first flag of the pipe, 0, 2, 4 or 6 (T34).

    ``sync_period``: slots for which there is one credit (T36). With a ``split`` it is for both
    vectors (T37), as in ``SPLITS``; ``row``: bytes of a row of the whole tile, of columns.
    """

    dir_mask: int
    slot_size: int
    gm: GmRef | None = None
    c2v_buf: Ref | int = 0
    v2c_buf: Ref | int = 0
    peer: int = 0
    flag: int = 0
    sync_period: int = 1
    split: int = constants.PIPE_SPLIT_NONE
    row: int = 0

    def halves(self) -> str:
        """How tiles are halved, in words."""
        return SPLITS[self.split] + (f" with rows of {self.row} B" if self.row else "")

    def buf(self, direction: Dir) -> Ref | int:
        """The consumer's buffer of a direction."""
        return self.c2v_buf if direction == "C2V" else self.v2c_buf

    def dirs(self) -> tuple[Dir, ...]:
        """The active directions; none if the mask is invalid."""
        return tuple(d for d in DIRS if 1 <= self.dir_mask <= 3 and self.dir_mask & DIR_BIT[d])


@dataclass(frozen=True)
class Push(Node):
    """Send a tile."""

    tile: str
    peer: int = 0
    flag: int = 0


@dataclass(frozen=True)
class Pop(Node):
    """Receive a tile; its slot is held until it is freed."""

    tile: str
    peer: int = 0
    flag: int = 0


@dataclass(frozen=True)
class Free(Node):
    """Give back the slot that has been held longest."""

    peer: int = 0
    flag: int = 0


@dataclass(frozen=True)
class Use(Node):
    """Compute on a tile for a number of cycles."""

    tile: str
    cycles: int = 0


@dataclass(frozen=True)
class Loop(Node):
    """A body that runs ``n`` times."""

    n: int
    body: Sequence[Stmt]


@dataclass(frozen=True)
class If(Node):
    """Two arms; ``decisions`` of its executions, over and over: whether ``then`` is taken."""

    then: Sequence[Stmt]
    else_: Sequence[Stmt] = ()
    decisions: Sequence[bool] = (True,)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.decisions:
            raise self.where.error("an if without a decision")


Op = Init | Push | Pop | Free
Stmt = Op | Use | Loop | If
Transfer = Push | Pop | Free
OP_NAME: Final[Mapping[type, str]] = {
    Init: "initialize_pipe",
    Push: "tpush",
    Pop: "tpop",
    Free: "tfree",
    Use: "use",
}


class Link(NamedTuple):
    """A pipe of a pair, by the first of its flags (T34)."""

    pair: int
    flag: int = 0

    def __str__(self) -> str:
        return f"pair {self.pair}" + (f" flag {self.flag}" if self.flag else "")


@dataclass(frozen=True)
class Func(Node):
    """What runs on a core."""

    name: str
    core: Core
    body: Sequence[Stmt] = ()
    allocs: Sequence[Alloc] = ()
    reserves: Sequence[ReserveBuffer] = ()
    imports: Sequence[ImportPeerBuffer] = ()

    @property
    def memory_space(self) -> str:
        """The core's own SRAM."""
        return "L1" if self.core == "AIC" else "UB"

    def pair(self, op: Op) -> int:
        """The pair that an operation of this function belongs to; of both the first."""
        return op.peer if self.core == "AIC" else int(self.core[-1])

    @cached_property
    def halved(self) -> frozenset[int]:
        """The flags of pipes of halves (T37)."""
        return frozenset(n.flag for n in self.nodes() if isinstance(n, Init) and n.split)

    def links(self, op: Op) -> tuple[Link, ...]:
        """The pipes that an operation is for: with halves that of both vectors, of the cube."""
        both = self.core == "AIC" and op.flag in self.halved
        return (Link(0, op.flag), Link(1, op.flag)) if both else (self.link(op),)

    def tile_bytes(self, init: Init) -> int:
        """Bytes of a tile of this core: a vector has half of a slot where tiles are in halves."""
        return init.slot_size // 2 if init.split and self.core != "AIC" else init.slot_size

    def link(self, op: Op) -> Link:
        """The pipe that an operation of this function belongs to."""
        return Link(self.pair(op), op.flag)

    def direction(self, op: Transfer) -> Dir:
        """Return where the tiles of an operation of this function go."""
        return "C2V" if isinstance(op, Push) == (self.core == "AIC") else "V2C"

    def consumes(self, direction: Dir) -> bool:
        """Whether this core is where tiles of a direction go."""
        return (direction == "V2C") == (self.core == "AIC")

    def nodes(self) -> Iterator[Op | Use]:
        """Every operation and use, in the order of the text."""
        return leaves(self.body)

    def inits(self) -> dict[Link, Init]:
        """Pipe → its first Init in the text."""
        found: dict[Link, Init] = {}
        for node in self.nodes():
            if isinstance(node, Init):
                for link in self.links(node):
                    found.setdefault(link, node)
        return found


def leaves(body: Sequence[Stmt]) -> Iterator[Op | Use]:
    """Every operation and use of a body, in the order of the text."""
    for node in body:
        if isinstance(node, Loop):
            yield from leaves(node.body)
        elif isinstance(node, If):
            yield from leaves(node.then)
            yield from leaves(node.else_)
        else:
            yield node


@dataclass(frozen=True)
class Program:
    """Functions of the cores of a cluster.

    ``gm_bufs`` has base and size of buffers in global memory; ``sram`` the sizes that the program
    may use, where it is less than there is. Raises :class:`TextError` for two functions of
    a name or on a core, a core, peer, flag or buffer in global memory that there is not, and a
    ring that is larger than its memory.
    """

    platform: Platform
    funcs: Sequence[Func]
    gm_bufs: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    sram: Mapping[str, int] = field(default_factory=dict)
    hold_max: int = profiles.get().hold_max
    nflags: int = profiles.get().nflags
    beat_bytes: int = profiles.get().beat_bytes

    def __post_init__(self) -> None:
        object.__setattr__(self, "funcs", tuple(self.funcs))
        names = [f.name for f in self.funcs]
        cores = [f.core for f in self.funcs]
        for k, func in enumerate(self.funcs):
            if func.name in names[:k]:
                raise func.where.error(f"there are two functions @{func.name}")
            if func.core in cores[:k]:
                raise func.where.error(f"there are two functions on {func.core}")
            if func.core not in CORES:
                raise func.where.error(f"there is no core {func.core}")
            for node in func.nodes():
                peer = getattr(node, "peer", 0)
                if peer not in ((0, 1) if func.core == "AIC" else (0,)):
                    raise node.where.error(f"peer {peer} on {func.core}")
                if peer and getattr(node, "flag", 0) in func.halved:
                    message = f"peer {peer}: with a split a pipe is for both vectors"
                    raise node.where.error(message)
                if getattr(node, "flag", 0) not in FLAGS:
                    known = ", ".join(map(str, FLAGS))
                    message = f"flag is {getattr(node, 'flag', 0)}: one of {known} is wanted"
                    raise node.where.error(message)
                if isinstance(node, Init):
                    self._refuse(node)
                    self._refuse_halves(node)
        cube = self.on("AIC")
        for func in self.funcs:
            for link, init in func.inits().items():
                other = cube.inits().get(link) if cube else None
                if other and init.halves() != other.halves():
                    message = f"{link}: split is {init.halves()}, of the cube {other.halves()}"
                    raise init.where.error(message)

    def _refuse_halves(self, init: Init) -> None:
        """Raise for halves that do not add up, or are no whole beats (T40)."""
        message, piece, row = "", 2 * self.beat_bytes, init.row
        if (init.split == constants.PIPE_SPLIT_LEFT_RIGHT) != (row > 0):
            message = "split=left_right and the bytes of a row go together"
        elif row and (row < piece or row & (row - 1)):
            message = f"row is {row}: a power of 2 from {piece} on is wanted"
        elif init.split and init.slot_size % (row or piece):
            whole = f"rows of {row} B" if row else f"two halves of whole beats ({self.beat_bytes})"
            message = f"slot_size {init.slot_size} is not made of {whole}"
        if message:
            raise init.where.error(message)

    def _refuse(self, init: Init) -> None:
        """Raise for what an Init cannot have."""
        if (gm := init.gm) and gm.buf not in self.gm_bufs:
            raise gm.where.error(f"there is no gm buffer {gm.buf!r}")
        slots, spaces = self.nflags, {"GM": GM_BYTES}
        if self.platform == A5:
            slots = self.slot_num(init)
            spaces = {SPACES[way]: self.capacity(SPACES[way]) for way in init.dirs()}
        for space, size in spaces.items():
            if slots * init.slot_size > size:
                message = f"{slots} slots of {init.slot_size} B do not fit into {space} ({size})"
                raise init.where.error(message)

    def capacity(self, space: str) -> int:
        """Bytes of a memory space."""
        return self.sram.get(space, SRAM_BYTES[self.platform][space])

    def reserves(self, func: Func) -> Sequence[ReserveBuffer]:
        """Return those of a function that count: A2A3 knows none."""
        return func.reserves if self.platform == A5 else ()

    def slot_num(self, init: Init) -> int:
        """Slots of each of a pair's rings."""
        return self.nflags // 2 if init.dir_mask == constants.PIPE_DIR_BOTH else self.nflags

    def periods(self, init: Init) -> list[int]:
        """How many slots there may be for a credit: powers of 2 up to all of a ring (T36)."""
        return [1 << k for k in range(self.slot_num(init).bit_length())]

    def hold_limit(self, init: Init | None) -> int:
        """Slots that a consumer may hold: no more than its ring has."""
        return min(self.hold_max, self.slot_num(init)) if init else self.hold_max

    def gm_base(self, init: Init) -> int:
        """Return where a pair's rings in global memory begin; 0 is none."""
        return self.gm_bufs[init.gm.buf][0] + init.gm.offset if init.gm else 0

    def on(self, core: str) -> Func | None:
        """The function of a core."""
        return next((func for func in self.funcs if func.core == core), None)

    def buddy(self, func: Func, pair: int) -> Func | None:
        """The function at the other end of a pair."""
        return self.on(f"AIV{pair}" if func.core == "AIC" else "AIC")
