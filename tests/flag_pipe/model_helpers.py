# SPDX-License-Identifier: Apache-2.0
"""Short ways to lead the models of the flag pipe: commands, memory ports, programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from tilepath.isa import profiles
from tilepath.isa.boundary.flag_pipe import BOUNDARY, READ_PORTS, SPLITS, WRITE_PORTS
from tilepath.models.flag_pipe import Command, FlagPipeModel, Op
from tilepath.models.flag_pipe.timing_state import STROBES
from tilepath.tests.model_runs import Records as Records
from tilepath.tests.model_runs import rows
from tilepath.tests.model_runs import stream as stream_of

stream = partial(stream_of, BOUNDARY)
columns = rows
PORTS: Final = (*READ_PORTS, *WRITE_PORTS)
SLOT: Final = 128
C2V_BUF, V2C_BUF, GM_BASE = 0x8000, 0x10000, 0x4000


def init(mask: int, peer: int = 0, size: int = SLOT, **others: int) -> Command:
    """INIT with rings that overlap nothing: each pair has its own."""
    usual = {
        "gm_base": GM_BASE + peer * 0x20000,
        "c2v_buf": C2V_BUF,
        "v2c_buf": V2C_BUF + peer * 0x10000,
    }
    return Command(Op.INIT, peer, dir_mask=mask, slot_size=size, **(usual | others))


def both_inits(mask: int, pair: int = 0, **others: int) -> tuple[Command, Command]:
    """INIT of AIC and of AIVp for a pair."""
    cube = init(mask, pair, **others)
    return cube, cube._replace(peer=0)


def push(tile: int = 0, peer: int = 0, stamp: int = 0, beats: int = SLOT // 32) -> Command:
    """TPUSH; with a stamp of a tile that is computed before."""
    filled = beats if stamp else 0
    return Command(Op.TPUSH, peer, tile_addr=tile, fill_beats=filled, stamp=stamp)


def pop(peer: int = 0, tile: int = 0) -> Command:
    """TPOP; on a2a3 to ``tile``."""
    return Command(Op.TPOP, peer, tile_addr=tile)


def free(peer: int = 0, **others: int) -> Command:
    """TFREE."""
    return Command(Op.TFREE, peer, **others)


def ports(**changed: Sequence[Sequence[int]]) -> dict[str, Records]:
    """Levels of all memory ports, at rest but for those given as (cycle, ready, latency)."""
    rest = {port: [(0, 1, 1)] if port in READ_PORTS else [(0, 1)] for port in PORTS}
    rows: dict[str, Any] = {**rest, **changed}
    return {f"{port}_mem": stream(f"{port}_mem", levels) for port, levels in rows.items()}


def random_ports(rng: np.random.Generator, cycles: int) -> dict[str, Records]:
    """Back-pressure and latencies of each port by chance, ready at the end."""
    found = {}
    for port in PORTS:
        count = int(rng.integers(1, 60))
        at = np.unique(rng.integers(0, cycles, count))
        rows = np.zeros(at.size, BOUNDARY.stream(f"{port}_mem").dtype)
        rows["cycle"] = at
        rows["ready"] = rng.random(at.size) < rng.choice([0.3, 0.6, 0.95])
        if port in READ_PORTS:
            rows["latency"] = rng.integers(0, rng.choice([2, 5, 32]), at.size)
        rows["ready"][-1] = 1
        found[f"{port}_mem"] = rows
    return found


def offers(commands: Sequence[Iterable[tuple[int, Command]]]) -> dict[str, Records]:
    """The ``cmd`` streams of commands with the cycles in which they are offered."""
    return {
        f"core{core}.cmd": stream("cmd", [(at, *command) for at, command in given])
        for core, given in enumerate(commands)
    }


def asap(commands: Sequence[Iterable[Command]], gap: int = 1) -> dict[str, Records]:
    """``cmd`` streams in which each core takes its commands as fast as it can."""
    return offers([[(gap * k, c) for k, c in enumerate(given)] for given in commands])


def model_run(
    inputs: Mapping[str, Records], cycles: int, profile: str = "baseline"
) -> tuple[dict[str, Records], FlagPipeModel]:
    """A run of the cycle-exact model, in one piece."""
    model = FlagPipeModel(profile)
    return model.step(inputs, cycles), model


_TILES = 0x40000  # of L1: behind all rings
_UB_TILES = 0x18000


def random_profile(rng: np.random.Generator) -> str:
    """A profile with parameters of the flag pipe by chance."""
    chosen = {"platform": ("a2a3", "a5"), "nflags": (4, 8), "flag_lat": (1, 2, 4)}
    chosen |= {"beat_bytes": (16, 32), "hold_max": (1, 2, 4, 8)}
    return ",".join(["baseline", *(f"{name}={rng.choice(of)}" for name, of in chosen.items())])


@dataclass
class _End:
    """A core's end of a pair, as far as the program knows it."""

    core: int
    peer: int
    init: Command
    slots: int
    limit: int
    popped: int = 0
    freed: int = 0

    @property
    def size(self) -> int:
        """Bytes of a tile: a vector's may be half of a slot."""
        return self.init.slot_size >> (self.core > 0 and self.init.split > 0)

    @property
    def slot(self) -> int:
        """Address of the slot held longest, on a5."""
        base = self.init.c2v_buf if self.core else self.init.v2c_buf
        return base + self.freed % self.slots * self.init.slot_size


def _init(rng: np.random.Generator, pair: int, beat: int) -> Command:
    """INIT of a pair; half of those of pair 0 are of both, with halves of rows or of columns."""
    size = beat * int(rng.choice([1, 2, 3, 4, 9]))
    mask = int(rng.integers(1, 4))
    pipe, period, split, row = rng.spawn(1)[0].integers((4, 3, 4, 2)).tolist()
    if pair or split in (0, len(SPLITS)):
        return init(mask, pair, size, pipe=pipe, period=period)
    row = beat.bit_length() + row  # of two beats, or four
    return init(mask, pair, 4 * size, pipe=pipe, period=period, split=split, row=row)


def _step(rng: np.random.Generator, end: _End, a2a3: bool, beat: int) -> list[Command]:
    """A command that the end's directions allow, or one with an error."""
    mask, size = end.init.dir_mask, end.size
    pushes, pops = (mask & 1, mask & 2) if end.core == 0 else (mask & 2, mask & 1)
    tile = (_UB_TILES if end.core else _TILES) + 0x400 * int(rng.integers(0, 8))
    kind = rng.random()
    held = end.popped - end.freed
    if kind < 0.1:  # an error
        wrong = [op for op in (4, 5, 6, 7, Op.INIT) if op or rng.random() < 0.5]
        wrong += [] if pushes else [Op.TPUSH]
        wrong += [Op.TPOP] if not pops or held == end.limit else []
        wrong += [Op.TFREE] if not held else []
        return [Command(int(rng.choice(wrong)), end.peer, dir_mask=5, tile_addr=tile + 1)]
    if pushes and (not pops or kind < 0.5):
        stamp = int(rng.integers(0, 1 << 32))
        return [Command(Op.TPUSH, end.peer, tile_addr=tile, fill_beats=size // beat, stamp=stamp)]
    if held and (kind < 0.75 or held == end.limit):
        look = tile if a2a3 else end.slot
        end.freed += 1
        return [Command(Op.TFREE, end.peer, look_addr=look, look_beats=size // beat)]
    end.popped += 1
    return [Command(Op.TPOP, end.peer, tile_addr=tile)]


def random_program(rng: np.random.Generator, profile: str) -> list[list[Command]]:
    """Commands of each core: INITs somewhere, pushes and pops at random, errors in between.

    A pop that is not fed, or a push into a full ring that nobody empties, is quite likely.
    """
    chosen: Any = profiles.get(profile)
    a2a3, beat = chosen.platform == "a2a3", chosen.beat_bytes
    programs: list[list[Command]] = [[], [], []]
    ends: list[list[_End]] = [[], [], []]
    for pair in range(2):
        if pair and rng.random() < 0.3:
            continue
        given = _init(rng, pair, beat)
        slots = chosen.nflags // (2 if given.dir_mask == 3 else 1)
        vectors = (1, 2) if given.split else (1 + pair,)
        for core, peer in ((0, pair), *((core, 0) for core in vectors)):
            limit = min(slots, chosen.hold_max)
            ends[core].append(_End(core, peer, given._replace(peer=peer), slots, limit))
    for core, mine in enumerate(ends):
        for end in mine:
            programs[core].append(end.init)
        if rng.random() < 0.2:
            programs[core].insert(0, Command(Op.TPOP, int(core == 0)))
        for _ in range(int(rng.integers(0, 40)) if mine else 0):
            end = mine[int(rng.integers(0, len(mine)))]
            step = _step(rng, end, a2a3, beat)
            programs[core] += [c._replace(pipe=end.init.pipe) for c in step]
        for end in mine if rng.random() < 0.5 else ():  # hand back what is held
            left = end.popped - end.freed
            programs[core] += [Command(Op.TFREE, end.peer, end.init.pipe)] * left
    return programs


def random_inputs(rng: np.random.Generator, cycles: int, profile: str) -> dict[str, Records]:
    """Commands, strobes and levels in some cycles."""
    commands = asap(random_program(rng, profile), int(rng.integers(1, 12)))
    offered = {name: rows[rows["cycle"] < cycles] for name, rows in commands.items()}
    strobes = {}
    for name in STROBES:
        at = np.unique(rng.integers(0, cycles, 12))
        fields = BOUNDARY.stream(name).fields
        values = [rng.integers(0, 1 << field.width, at.size) for field in fields]
        strobes[name] = stream(name, zip(at, *values, strict=True))
    return random_ports(rng, cycles) | offered | strobes


def seen(inputs: dict[str, Records], cycles: int, profile: str) -> dict[str, Records]:
    """Every stream of a run of the model."""
    return inputs | model_run(inputs, cycles, profile)[0]
