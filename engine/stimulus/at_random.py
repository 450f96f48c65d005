# SPDX-License-Identifier: Apache-2.0
"""Stimulus of a block about which nothing is known: all of its players at random."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from tilepath.engine.description.player import Items, Player
from tilepath.engine.description.registry import load_block
from tilepath.engine.description.stimulus import Context, Stimulus, TestSpec

_AT_ONCE: Final = 500  # items


_SELDOM: Final = re.compile(r"flush|clear|clr")  # levels which, if often 1, hide all else
_RARE: Final = 32


def _items(ctx: Context, name: str, player: Player, below: Mapping[str, int]) -> Iterator[Items]:
    rng = ctx.rng(name)
    seldom = player.kind == "level" and _SELDOM.search(player.name)
    while True:
        fields = {}
        for field in player.fields:
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
            yield player.pack(cycles=rng.integers(1, 9, _AT_ONCE), **fields)
        else:
            yield player.pack(gap=rng.integers(0, 4, _AT_ONCE), **fields)


def at_random(block: str, below: Mapping[str, int] = {}) -> dict[str, TestSpec]:
    """A test that plays what there is to be played, without end.

    ``below``: what values of a level, or of a field (``in.sel``), stay below.
    """

    def stimulus(ctx: Context) -> Stimulus:
        players = load_block(block).player_table
        return {name: _items(ctx, name, player, below) for name, player in players.items()}

    summary = "all inputs at random"
    return {"random": TestSpec("random", summary, "random", stimulus, endless=True, seeds=3)}
