# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the arbiter: words at all clients."""

from __future__ import annotations

from collections.abc import Iterator

from tilepath.engine.description.player import Items
from tilepath.engine.description.registry import load_block
from tilepath.engine.description.stimulus import Context, Stimulus, TestSpec


def _words(ctx: Context, client: str) -> Iterator[Items]:
    player, rng = load_block("arbiter").player_table[client], ctx.rng(client)
    while True:
        gaps = rng.choice([0, 0, 3, 40], 4000)
        yield player.pack(word=rng.integers(0, 256, 4000), gap=gaps)


def _stimulus(ctx: Context) -> Stimulus:
    ready, rng = load_block("arbiter").player_table["out_ready"], ctx.rng("ready")

    def takes() -> Iterator[Items]:
        while True:
            yield ready.pack(cycles=rng.integers(1, 6, 4000), value=rng.integers(0, 2, 4000))

    return {"out_ready": takes(), **{client: _words(ctx, client) for client in "abc"}}


TESTS = {
    "random": TestSpec(
        *("random", "words at all clients", "random", _stimulus),
        endless=True,
        seeds=3,
        floor={"out": 1000},
    )
}
