# SPDX-License-Identifier: Apache-2.0
"""The endless tests: one for each preset of :mod:`knobs`; and some of their scenes to the end."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from tilepath.isa.boundary.flag_pipe import READ_PORTS
from tilepath.sequences.flag_pipe.knobs import PRESETS, Knobs
from tilepath.sequences.flag_pipe.random_scene import Scenes
from tilepath.sequences.flag_pipe.script import Script, script_test
from tilepath.sequences.kernel.draw import Draw
from tilepath.sequences.kernel.script import Feed
from tilepath.tb.flag_pipe.streams import MEMORY
from tilepath.tb.kernel.description.packing import Items
from tilepath.tb.kernel.description.stimulus import ANY, Context, Stimulus, TestSpec

_BLOCK: Final = 64
SCENES: Final = 6


def memory_items(rng: np.random.Generator, knobs: Knobs, port: str) -> Iterator[Items]:
    """Endless stimulus of ``<port>_mem``: of one kind for some hundred cycles."""
    d = Draw(rng)
    while True:
        kind, slow = d.by(knobs.ready), d.by(knobs.latencies)
        part = {"always": 1.0, "light": 0.8, "heavy": 0.2, "bursts": 0.5}[kind]
        values = {"ready": rng.random(_BLOCK) < part}
        if port in READ_PORTS:
            top = {"one": 1, "short": 6, "any": 31}[slow]
            values["latency"] = rng.integers(slow != "one", top + 1, _BLOCK)
        cycles = rng.integers(1, 40 if kind in ("always", "bursts") else 4, _BLOCK)
        yield MEMORY[port].pack(cycles=cycles, **values)


def random_stimulus(ctx: Context, knobs: Knobs) -> Stimulus:
    """Endless stimulus of all players."""
    scenes = Scenes(ctx.rng("scenes"), knobs)
    players: dict[str, Iterable[Items]] = Feed(Script(ctx.profile), scenes).stimulus()
    for port in MEMORY:
        players[f"{port}_mem"] = memory_items(ctx.rng(port), knobs, port)
    return players


def _preset(name: str) -> Callable[[Context], Stimulus]:
    return lambda ctx: random_stimulus(ctx, PRESETS[name])


def _to_the_end(name: str) -> TestSpec:
    """A finite test of some scenes: the model without time must come to the same state.

    It cannot where the two rings of a pair differ on ``a2a3``: a TPOP then copies what a TPUSH may
    be writing. Those pairs are left to the endless test. On ``a5`` nothing is copied out of a ring.
    """
    knobs = PRESETS[name]

    def build(script: Script, ctx: Context) -> None:
        agreed = replace(knobs, mismatch=0.0) if script.setup.a2a3 else knobs
        scenes = Scenes(ctx.rng("scenes"), agreed)
        for _ in range(SCENES):
            scenes(script)

    def levels(port: str) -> Callable[[Context], Iterable[Items]]:
        return lambda ctx: itertools.islice(memory_items(ctx.rng(port), knobs, port), 8)

    return script_test(
        name.replace("random", "scenes"),
        f"{SCENES} scenes of {name} to their end",
        build,
        {"rsp": 20},
        levels={f"{port}_mem": levels(port) for port in MEMORY},
        faults=() if knobs.legal() else ANY,
    )


_SUMMARIES: Final = {
    "random_default": "default constraints: legal programs of every kind",
    "random_bidirectional": "both directions at once, short tiles, no pressure",
    "random_rates": "producers and consumers of different speed",
    "random_pressure": "memories that are slow and not ready",
    "random_errors": "commands with errors, endpoints that differ, clears that are refused",
}
TESTS: dict[str, TestSpec] = {
    name: TestSpec(
        name,
        summary,
        "random",
        _preset(name),
        endless=True,
        floor={"rsp": 60},
        faults=() if PRESETS[name].legal() else ANY,
    )
    for name, summary in _SUMMARIES.items()
}
TESTS |= {test.name: test for test in map(_to_the_end, _SUMMARIES)}
