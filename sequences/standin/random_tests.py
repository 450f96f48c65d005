# SPDX-License-Identifier: Apache-2.0
"""The endless tests: one for each preset of :mod:`tables`."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from tilepath.engine.description.packing import Items
from tilepath.engine.description.stimulus import ANY, Context, Stimulus, TestSpec
from tilepath.engine.stimulus.floors import floors
from tilepath.engine.stimulus.script import Feed
from tilepath.engine.stimulus.tables import Table, Tables
from tilepath.sequences.standin.random_scene import Scenes
from tilepath.sequences.standin.script import Script, script_test
from tilepath.sequences.standin.tables import PRESETS
from tilepath.tb.standin.streams import EVENTS, LEVELS

_BLOCK: Final = 64


def level_items(ctx: Context, tables: Tables, name: str) -> Iterator[Items]:
    """Endless stimulus of a level but ``pause``."""
    for rows in tables["levels"].blocks(ctx.rng(name), _BLOCK):
        if name == "implied":
            codes = np.where(rows["implied"][:, None] == 0, rows["codes"], rows["codes_e8"])
            value = codes @ (1 << 4 * np.arange(4))
        else:
            value = rows["bank" if name == "unpack_bank" else name]
        yield LEVELS[name].pack(cycles=rows["cycles"], value=value)


def pause_items(ctx: Context, tables: Tables) -> Iterator[Items]:
    """Endless stimulus of ``pause``: as often as table ``pause`` says, for some time."""
    rng = ctx.rng("pause")
    for row in tables["pause"].drawn(rng, _BLOCK):
        value = rng.integers(0, 16, int(row.times)) < row.share
        yield LEVELS["pause"].pack(cycles=rng.integers(1, 4, len(value)), value=value)


def event_items(ctx: Context, table: Table) -> Iterator[Items]:
    """Endless stimulus of ``unpack_zero`` or ``pack_read``."""
    for rows in table.blocks(ctx.rng(table.name)):
        fields = {name: rows[name] for name in table.columns}
        if "lanes" in fields:
            fields["row"] = rows["row"] * (rows["lanes"][:, None] >> np.arange(4) & 1)
        yield EVENTS[table.name].pack(**fields)


def _players(ctx: Context, tables: Tables) -> dict[str, Iterable[Items]]:
    players: dict[str, Iterable[Items]] = {
        name: level_items(ctx, tables, name) for name in LEVELS if name != "pause"
    }
    players["pause"] = pause_items(ctx, tables)
    for name in EVENTS:
        if (table := tables.get(name)) is not None:
            players[name] = event_items(ctx, table)
    return players


def random_stimulus(ctx: Context) -> Stimulus:
    """Endless stimulus of all players."""
    tables = ctx.tables
    assert isinstance(tables, Tables)
    scenes = Scenes(ctx.rng("scenes"), tables, ctx.profile)
    return {**Feed(Script(ctx.profile), scenes).stimulus(), **_players(ctx, tables)}


_SUMMARIES: Final = {
    "random_default": "default constraints: what kernels do, no fault",
    "random": "everything at once, faults included",
    "random_values": "sums, products and maxima of numbers that lie in each other's way",
    "random_counters": "row counters and their modifiers, any steps",
    "random_pressure": "pauses, and banks that are the Unpackers'",
}
_FINITE: Final = ("random_default", "random_values")


def _to_the_end(name: str, scenes: int) -> TestSpec:
    """A finite test of some scenes: the stand-in without time must come to the same state."""
    tables = PRESETS[name]

    def build(script: Script, ctx: Context) -> None:
        scene = Scenes(ctx.rng("scenes"), tables, ctx.profile)
        for _ in range(scenes):
            scene(script)

    return script_test(
        name.replace("random", "scenes"),
        f"{scenes} scenes of {name} to their end",
        build,
        {"issue": 4 * scenes, "matrix_write": 8 * scenes},
        levels={"pause": lambda ctx: itertools.islice(pause_items(ctx, tables), 40)},
    )


TESTS: dict[str, TestSpec] = {
    name: TestSpec(
        name=name,
        summary=summary,
        kind="random",
        stimulus=random_stimulus,
        endless=True,
        seeds=3 if name == "random" else 1,
        floor=floors("standin", name),
        faults=() if PRESETS[name].legal else ANY,
        tables=PRESETS[name],
    )
    for name, summary in _SUMMARIES.items()
} | {test.name: test for test in (_to_the_end(name, 12) for name in _FINITE)}
