# SPDX-License-Identifier: Apache-2.0
"""Directed tests: the configuration of reset, and stores of cores beside SETC16s."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tilepath.engine.description.packing import Items
from tilepath.engine.description.stimulus import ANY, Context
from tilepath.isa import profiles
from tilepath.isa.boundary.standin import THREADS
from tilepath.sequences.standin.script import COLUMNS, A, B, Script, script_test
from tilepath.tb.standin.streams import STORE


def _after_reset(script: Script, ctx: Context) -> None:
    """Sums and moves of every thread before anything is written to Config, then in bank 1."""
    rng = ctx.rng("after_reset")
    script.phase()
    for file in (A, B):
        script.load(file, 0, 0, rng.integers(1 << 19, size=(16, COLUMNS)))
    words = (
        "ttelwadd 0,0,0,0,0",
        "ttelwmul 0,0,0,0,0",
        "ttmova2d 0,0,0,1,16",
        "ttmovb2d 0,0,0,4,24",
    )
    for bank in range(2):
        for thread in range(THREADS):
            script.phase().setc16(thread, 0, bank)  # StateID
            script.phase(idle=False).issue(thread, "ttsetrwc 0,0,0,0,0,15", *words)


_STORED: Final = (0, 1, *range(12, 20), *range(28, 36), *range(47, 55), *(60,) * 20)
"""Words of ThreadConfig: StateID, offset, modifiers; one that is not read, the most often."""


def _second_writes(script: Script, ctx: Context) -> None:
    """Modifiers are what SETC16s and cores' stores have left."""
    rng = ctx.rng("setc16")
    for thread in range(THREADS):
        for _ in range(200):
            index, value = int(rng.choice(_STORED)), int(rng.integers(0, 1 << 12))
            script.add(f"t{thread}.setc16", (index, value))
    named = range(8 if profiles.get(ctx.profile).math_enc == "BH" else 4)
    for thread in range(THREADS):
        script.phase().issue(thread, "ttsetrwc 0,0,0,0,0,15")
        script.issue(thread, *[f"ttmovb2a 0,{number},0,0" for number in named])
        script.issue(thread, *[f"ttmova2d 0,0,{number},0,0" for number in named])


def _stores(ctx: Context) -> Iterable[Items]:
    rng = ctx.rng("store")
    index, value = rng.choice(_STORED, 200), rng.integers(0, 1 << 12, 200)
    last = STORE.pack(gap=[2000, 0, 0], thread=range(THREADS), index=60)
    return [STORE.pack(thread=rng.integers(0, THREADS, 200), index=index, value=value), last]


TESTS: Final = {
    test.name: test
    for test in (
        script_test(
            "after_reset", "sums and moves with the configuration of reset", _after_reset,
            {"issue": 30, "matrix_write": 100}, faults=ANY,
        ),
        script_test(
            "second_writes", "cores' stores to ThreadConfig, beside SETC16s", _second_writes,
            {"rwc": 20, "store": 100}, faults=ANY, levels={"store": _stores},
        ),
    )
}  # fmt: skip
