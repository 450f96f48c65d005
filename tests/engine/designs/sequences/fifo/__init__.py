# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the FIFO."""

from __future__ import annotations

from collections.abc import Iterator

from designs.tb.fifo.block import BLOCK

from tilepath.engine.description.player import Items
from tilepath.engine.description.stimulus import Context, TestSpec

PUSH, READY = BLOCK.player_table["push"], BLOCK.player_table["pop_ready"]


def _pushes(ctx: Context) -> Iterator[Items]:
    rng = ctx.rng("push")
    while True:
        yield PUSH.pack(word=rng.integers(0, 1 << 16, 500), gap=rng.integers(0, 4, 500))


def _takes(ctx: Context) -> Iterator[Items]:
    rng = ctx.rng("ready")
    while True:
        yield READY.pack(cycles=rng.integers(1, 9, 500), value=rng.integers(0, 2, 500))


TESTS = {
    "random": TestSpec(
        *("random", "words at random, taken at random", "random"),
        lambda ctx: {"push": _pushes(ctx), "pop_ready": _takes(ctx)},
        endless=True, seeds=3, floor={"pop": 1000},
    )
}  # fmt: skip
