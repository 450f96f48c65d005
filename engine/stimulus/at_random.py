# SPDX-License-Identifier: Apache-2.0
"""Stimulus of a block, all of its players at random: of its own tables, or anything that fits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from tilepath.engine.compiled.records import attribute
from tilepath.engine.description.player import Items, Player
from tilepath.engine.description.registry import load_block
from tilepath.engine.description.stimulus import Context, Stimulus, TestSpec
from tilepath.engine.errors import there_are
from tilepath.engine.stimulus.tables import Table, TableError, Tables

_AT_ONCE: Final = 4000  # items, so that they cost next to nothing each
_SELDOM: Final = re.compile(r"flush|clear|clr")  # levels which, if often 1, hide all else
_RARE: Final = 32
_SPREAD: Final = 9


def anything(player: Player, rng: np.random.Generator, below: Mapping[str, int]) -> dict[str, Any]:
    """Columns of items at random; what ``below`` names stays below that."""
    fields: dict[str, Any] = {}
    seldom = player.kind == "level" and _SELDOM.search(player.name)
    for field in player.shown:
        shape = (_AT_ONCE,) if field.words == 1 else (_AT_ONCE, field.words)
        top = 1 << (field.width if field.words == 1 else 32)
        own = player.name if field.name == "value" else f"{player.name}.{field.name}"
        values = rng.integers(0, below.get(own, top), shape)
        if field.words > 1:  # the highest word is not whole
            values[:, -1] &= (1 << (field.width - 1) % 32 + 1) - 1
        if seldom:
            values *= rng.integers(0, _RARE, shape) == 0
        fields[field.name] = values
    if player.kind == "level":
        return {"cycles": rng.integers(1, 9, _AT_ONCE), **fields}
    return {"gap": rng.integers(0, 4, _AT_ONCE), **fields}


def _drawn(player: Player, table: Table, rng: np.random.Generator) -> dict[str, Any]:
    rows = table.rows(rng, _AT_ONCE)
    names = [*player.layout.numbers, *(field.name for field in player.fields)]
    return {name: rows[attribute(name)] for name in names if attribute(name) in table.columns}


def _items(
    ctx: Context, name: str, player: Player, below: Mapping[str, int], spread: int = 0
) -> Iterator[Items]:
    rng, table = ctx.rng(name), ctx.table(name)
    while True:
        fields = anything(player, rng, below) if table is None else _drawn(player, table, rng)
        if spread and table is None and player.kind == "item":
            fields["gap"] <<= rng.integers(0, spread, _AT_ONCE)
        yield player.pack(**fields)


def strays(ctx: Context) -> Stimulus:
    """Items of every player without end, events after gaps of any length.

    For players that a test has no plan for; from a table of the player's name, if there is one.
    """
    players = load_block(ctx.block).player_table
    return {name: _items(ctx, name, player, {}, _SPREAD) for name, player in players.items()}


def at_random(
    block: str,
    *tables: Table,
    below: Mapping[str, int] | None = None,
    floor: Mapping[str, int] | None = None,
) -> dict[str, TestSpec]:
    """A test that plays what there is to be played, without end.

    Args:
        block: its name.
        tables: what players' items are drawn from, each of the name of its player. A column of the
            name of a field, or ``gap`` or ``cycles``, is played; others are for those to depend on.
        below: what values of a level, or of a field (``in.sel``), stay below where no table is.
        floor: as of ``TestSpec``.
    """

    def stimulus(ctx: Context) -> Stimulus:
        players = load_block(block).player_table
        for table in tables:
            if table.name not in players:
                raise TableError(f"no player {table.name!r}; {there_are(players, table.name)}")
        return {name: _items(ctx, name, player, below or {}) for name, player in players.items()}

    test = TestSpec(
        *("random", "all inputs at random", "random", stimulus),
        endless=True,
        seeds=3,
        floor=floor or {},
        tables=Tables(*tables),
        tried=bool(tables),
    )
    return {test.name: test}
