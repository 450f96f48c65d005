# SPDX-License-Identifier: Apache-2.0
"""Short ways to lead the models of the flag pipe: commands, memory ports, programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final

import numpy as np

from tilepath.engine.description.stimulus import Context
from tilepath.isa.boundary.flag_pipe import BOUNDARY, READ_PORTS, WRITE_PORTS
from tilepath.models.flag_pipe import Command, FlagPipeModel, Op
from tilepath.models.flag_pipe.timing_state import STROBES
from tilepath.sequences.flag_pipe import TESTS
from tilepath.tb.flag_pipe.streams import CMD
from tilepath.tests.model_runs import Records as Records
from tilepath.tests.model_runs import rows
from tilepath.tests.model_runs import stream as stream_of
from tilepath.tests.stimulus.helpers import starts

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


def random_profile(rng: np.random.Generator) -> str:
    """A profile with parameters of the flag pipe by chance."""
    chosen = {"platform": ("a2a3", "a5"), "nflags": (4, 8), "flag_lat": (1, 2, 4)}
    chosen |= {"beat_bytes": (16, 32), "hold_max": (1, 2, 4, 8)}
    return ",".join(["baseline", *(f"{name}={rng.choice(of)}" for name, of in chosen.items())])


def _drawn(rng: np.random.Generator, profile: str) -> dict[str, Records]:
    """Commands of scenes, legal ones or not, or of a program that stands still in the end."""
    name = str(rng.choice(("random_default", "random_errors", "programs_hang")))
    given = TESTS[name].stimulus(Context("flag_pipe", name, int(rng.integers(1 << 32)), profile, 0))
    found = {}
    for player in BOUNDARY.stream("cmd").instances:
        rows: list[tuple[int, ...]] = []
        for items in islice(given.get(player, ()), 1):
            fields = CMD.unpack(items)
            columns = (starts(items), *(fields[field].tolist() for field in Command._fields))
            rows = [*zip(*columns, strict=True)]
        found[player] = stream("cmd", rows)
    return found


def random_inputs(rng: np.random.Generator, cycles: int, profile: str) -> dict[str, Records]:
    """Commands, strobes and levels in some cycles."""
    commands = _drawn(rng, profile)
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
