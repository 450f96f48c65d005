# SPDX-License-Identifier: Apache-2.0
"""Stimulus of the registers, drawn from a table."""

from __future__ import annotations

from collections.abc import Iterator

from tilepath.engine.description.player import Items
from tilepath.engine.description.registry import load_block
from tilepath.engine.description.stimulus import Context, TestSpec
from tilepath.engine.stimulus.tables import Table, Tables, choice, uniform

ACCESS = Table(
    "access",
    write=choice([0, 1]),
    addr=choice(range(8), [4, 4, 4, 4, 1, 1, 1, 1]),
    data_=uniform(0, (1 << 32) - 1),
    gap=uniform(0, 3),
)


def _requests(ctx: Context) -> Iterator[Items]:
    bus, rng = load_block("regs").player_table["bus"], ctx.rng("bus")
    while True:
        rows = ctx.table("access").rows(rng, 4000)
        yield bus.pack(**{name.rstrip("_"): rows[name] for name in rows.dtype.names})


def _events(ctx: Context) -> Iterator[Items]:
    events, rng = load_block("regs").player_table["events"], ctx.rng("events")
    while True:
        value = rng.integers(0, 16, 4000) & rng.integers(0, 16, 4000)
        yield events.pack(cycles=rng.integers(1, 9, 4000), value=value)


TESTS = {
    "random": TestSpec(
        *("random", "registers at random, events at random", "random"),
        lambda ctx: {"bus": _requests(ctx), "events": _events(ctx)},
        endless=True,
        seeds=3,
        floor={"rsp": 1000},
        tables=Tables(ACCESS),
    )
}
