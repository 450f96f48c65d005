# SPDX-License-Identifier: Apache-2.0
"""The endless tests: one for each preset of :mod:`tables`; and some of their scenes to the end."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.compiled.records import for_compiled, zeros
from tilepath.engine.description.packing import Items
from tilepath.engine.description.stimulus import ANY, Context, Stimulus, TestSpec
from tilepath.engine.stimulus.at_random import strays
from tilepath.engine.stimulus.floors import random_test
from tilepath.engine.stimulus.tables import Table
from tilepath.isa.boundary.flag_pipe import READ_PORTS
from tilepath.sequences.flag_pipe.script import COMMAND, Setup
from tilepath.sequences.flag_pipe.tables import PRESETS, of_profile
from tilepath.sequences.flag_pipe.walk import walk
from tilepath.sequences.flag_pipe.walk_commands import CLR, ITEM, STATE, WAITS, Walk
from tilepath.tb.flag_pipe import streams
from tilepath.tb.flag_pipe.streams import HOLDING, MEMORY

SCENES: Final = 6
_STEPS: Final = 4096
_AHEAD: Final = 96


def _made(room: NDArray[np.int64]) -> dict[str, Items]:
    """The items of each player that has any, from ``ITEM`` rows."""
    names, found = ITEM.names or (), {}
    room = room.reshape(-1, len(names))
    for number, player in enumerate(HOLDING.sources):
        own = dict(zip(names, room[room[:, 0] == number].T, strict=True))
        if own["gaps"].size:
            waits = {name: own[name] for name in WAITS}
            fields = ("pairs",) if number == CLR else COMMAND
            found[player] = streams.items(player, [own[name] for name in fields], **waits)
    return found


def _numbers(rows: Any) -> Any:
    """The same memory, yes and no as numbers: in a row Numba knows no arrays of them."""
    fields = rows.dtype.fields.values()
    layout: Any = {
        "names": list(rows.dtype.fields),
        "formats": [(np.uint8, one.shape) if one.base.kind == "b" else one for one, _ in fields],
        "offsets": [at for _, at in fields],
        "itemsize": rows.itemsize,
    }
    return for_compiled(rows.view(np.dtype(layout)))


def scenes(ctx: Context, most: int = _AHEAD) -> Iterator[dict[str, Items]]:
    """Blocks of items of the players that scenes have, of ``most`` scenes each."""
    rng, setup = ctx.rng("scenes"), Setup.of(ctx.profile)
    scene, step, error = (of_profile(ctx.table(name), setup) for name in ("scene", "step", "error"))
    if setup.a2a3 and ctx.test.startswith("scenes"):
        scene = scene.weighted(unlike=0.0)
    state = for_compiled(zeros(STATE))
    drawn = scene.rows(rng, 1 + most)
    drawn["keep"][1] = False
    while True:
        steps = step.rows(rng, _STEPS)
        errors = error.rows(rng, int(steps["errors"].sum()) + 3 * most)
        items = zeros(ITEM, 2 * _STEPS + 8 * most)
        done = walk(Walk(state, *map(_numbers, (drawn, steps, errors)), for_compiled(items)))
        yield _made(items[: int(state["made"][0])].view(np.int64))
        config = int(state["config"][0])
        drawn = np.concatenate([drawn[[config]], drawn[done:], scene.rows(rng, done - 1)])


def levels(ctx: Context, port: str) -> Iterator[Items]:
    """Endless stimulus of ``<port>_mem``."""
    table: Table = ctx.table("memory")
    for rows in table.blocks(ctx.rng(port)):
        latency = {"latency": rows["latency"]} if port in READ_PORTS else {}
        yield MEMORY[port].pack(cycles=rows["cycles"], ready=rows["taken"], **latency)


def random_stimulus(ctx: Context) -> Stimulus:
    """Endless stimulus of all players; strobes that scenes have not come at any time."""
    blocks = scenes(ctx)
    waiting: dict[str, deque[Items]] = {name: deque() for name in HOLDING.sources}

    def player(name: str) -> Iterator[Items]:
        while True:
            while not waiting[name]:
                for other, made in next(blocks).items():
                    waiting[other].append(made)
            yield waiting[name].popleft()

    players: dict[str, Iterable[Items]] = {name: player(name) for name in waiting}
    return strays(ctx) | players | {f"{port}_mem": levels(ctx, port) for port in MEMORY}


def to_the_end(ctx: Context) -> Stimulus:
    """Some scenes: the model without time must come to the same state.

    It cannot where the two rings of a pair differ on ``a2a3``: a TPOP then copies what a TPUSH may
    be writing. Those pairs are left to the endless test. On ``a5`` nothing is copied out of a ring.
    """
    players = {name: [made] for name, made in next(scenes(ctx, SCENES)).items()}
    return players | {f"{port}_mem": [next(levels(ctx, port))[:512]] for port in MEMORY}


_SUMMARIES: Final = {
    "default": "default constraints: legal programs of every kind",
    "bidirectional": "both directions at once, short tiles, no pressure",
    "rates": "producers and consumers of different speed",
    "pressure": "memories that are slow and not ready",
    "errors": "commands with errors, endpoints that differ, clears that are refused",
}
TESTS: dict[str, TestSpec] = {
    f"random_{name}": random_test(
        "flag_pipe",
        f"random_{name}",
        summary,
        stimulus=random_stimulus,
        faults=() if PRESETS[name].legal else ANY,
        tables=PRESETS[name],
    )
    for name, summary in _SUMMARIES.items()
}
TESTS |= {
    f"scenes_{name}": TestSpec(
        f"scenes_{name}",
        f"{SCENES} scenes of random_{name} to their end",
        "directed",
        to_the_end,
        floor={"rsp": 20},
        faults=() if PRESETS[name].legal else ANY,
        tables=PRESETS[name],
    )
    for name in _SUMMARIES
}
