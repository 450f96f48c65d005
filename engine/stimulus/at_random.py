# SPDX-License-Identifier: Apache-2.0
"""Stimulus of a block about which nothing is known: all of its players at random."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilepath.engine.description.player import Items, Player
from tilepath.engine.description.registry import load_block
from tilepath.engine.description.stimulus import Context, Stimulus, TestSpec

_AT_ONCE: Final = 500  # items


def _items(ctx: Context, name: str, player: Player) -> Iterator[Items]:
    rng = ctx.rng(name)
    while True:
        fields = {}
        for field in player.fields:
            shape = (_AT_ONCE,) if field.words == 1 else (_AT_ONCE, field.words)
            top = 1 << (field.width if field.words == 1 else 32)
            fields[field.name] = rng.integers(0, top, shape)
        if player.kind == "level":
            yield player.pack(cycles=rng.integers(1, 9, _AT_ONCE), **fields)
        else:
            yield player.pack(gap=rng.integers(0, 4, _AT_ONCE), **fields)


def at_random(block: str) -> dict[str, TestSpec]:
    """A test that plays what there is to be played, without end."""

    def stimulus(ctx: Context) -> Stimulus:
        players = load_block(block).player_table
        return {name: _items(ctx, name, player) for name, player in players.items()}

    summary = "all inputs at random"
    return {"random": TestSpec("random", summary, "random", stimulus, endless=True, seeds=3)}
