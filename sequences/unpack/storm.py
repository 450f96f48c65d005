# SPDX-License-Identifier: Apache-2.0
"""Storm: every player for itself, nothing waits for anything but readiness.

Configuration changes while instructions run, so that what a set-up means is mixed with the next.
Two things are kept, lest a run stands still or an instruction lasts for ever: the Matrix Unit
releases banks all the time, and nothing is compressed, with X counters below a few hundred.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import Any, Final

import numpy as np

from tilepath.engine.description.player import Items
from tilepath.engine.description.stimulus import Context, Stimulus
from tilepath.isa.constants import CFG_GLOBAL_BASE, CFG_THCON_BASE
from tilepath.sequences.unpack.config import Setup
from tilepath.sequences.unpack.script import THREADS, UNPACKERS
from tilepath.sequences.unpack.setup_table import AREAS, area, setup_of
from tilepath.tb.unpack import items

_BLOCK: Final = 256
_POOL: Final = 6
"""Set-ups whose words are written in any order."""


def _setups(ctx: Context, player: str = "") -> Iterator[tuple[int, Any]]:
    """Unpackers in turn, with a row of a set-up."""
    rngs = [ctx.rng(f"{player}setup{u}") for u in UNPACKERS]
    drawn = [ctx.table(f"setup{u}").drawn(rng, _BLOCK) for u, rng in enumerate(rngs)]
    return ((u, next(drawn[u])) for u in cycle(UNPACKERS))


def config_items(ctx: Context) -> Iterator[Items]:
    """Set-ups of both unpackers in both banks; then words of others, in any order."""
    setups = _setups(ctx)
    words = [word for u, row in (next(setups), next(setups)) for word in _words(u, row, 0)]
    yield items.cfg(3, *zip(*words, strict=True))
    places = ctx.rng("places")
    for rows in ctx.table("config").blocks(ctx.rng("cfg"), _BLOCK):
        numbers = places.integers(0, AREAS, _POOL).tolist()
        pool = np.array([word for n in numbers for word in _words(*next(setups), n)])
        chosen = pool[rows["at"] * len(pool) >> 16]
        own = rows["what"] == 0
        index, value = np.where(own, chosen.T, (rows["index"], rows["value"]))
        yield items.cfg(rows["banks"], index, value, rows["pause"])


def flop_items(ctx: Context) -> Iterator[Items]:
    """Words of set-ups, one or four at a time, in any order."""
    setups, places = _setups(ctx, "flop "), ctx.rng("flop places")
    for rows in ctx.table("flop").blocks(ctx.rng("flop"), _BLOCK):
        numbers = places.integers(0, AREAS, _POOL).tolist()
        pool = np.array([four for n in numbers for four in _fours(*next(setups), n)])
        index, *fours = pool[rows["at"] * len(pool) >> 16].T
        first = np.choose(index & 3, fours)[:, None] * np.array([1, 0, 0, 0])
        data = np.where(rows["wide"][:, None], np.transpose(fours), first)
        yield items.flop(rows["bank"], index, rows["wide"], data, gaps=rows["pause"])


def _fours(unpacker: int, row: Any, number: int) -> Iterator[tuple[int, ...]]:
    """Of each word that REG2FLOP can write: index, the four words around it."""
    words = dict(_words(unpacker, row, number))
    for index in words:
        if CFG_THCON_BASE <= index < CFG_GLOBAL_BASE:
            yield (index, *(words.get(k, 0) for k in range(index & ~3, (index & ~3) + 4)))


def _words(unpacker: int, row: Any, number: int) -> list[tuple[int, int]]:
    """(index, value) of all words of a set-up in area ``number``."""
    return list(setup_of(row, area(unpacker, number)).words(unpacker).items())


def _setc16(rows: Any) -> Items:
    return items.setc16(rows["index"], rows["value"], rows["pause"])


def _store(rows: Any) -> Items:
    return items.store(rows["thread"], rows["index"], rows["value"], gaps=rows["pause"])


def _matrix(rows: Any) -> Items:
    fields = {name: rows[name] for name in items.COMMAND if name != "wait"}
    return items.matrix(fields, gaps=rows["pause"])


def _write(rows: Any) -> Items:
    names = ("target", "bank", "row", "words", "wide", "access")
    return items.matrix_write(*(rows[name] for name in names), gaps=rows["pause"])


def _memory(rows: Any) -> Items:
    return items.l1_write(rows["chunk"] * 4, rows["words"], rows["pause"])


def first_words() -> int:
    """How many items :func:`config_items` begins with."""
    return sum(len(Setup().words(u)) for u in UNPACKERS)


def _issue(rows: Any) -> Items:
    """UNPACRs, NOPs and counter words, once the first set-ups are there."""
    words = np.where(rows["storm"], rows["instruction"], rows["moved"])
    return items.issue(words, rows["gap"], after=int(items.after_cfg(first_words())))


def storm_stimulus(ctx: Context) -> Stimulus:
    """Stimulus of all item players."""
    return {
        "cfg": config_items(ctx),
        "flop": flop_items(ctx),
        "store": map(_store, _blocks(ctx, "store", "store")),
        "matrix": map(_matrix, _blocks(ctx, "matrix", "matrix")),
        "matrix_write": map(_write, _blocks(ctx, "write", "matrix_write")),
        "l1_write": map(_memory, _blocks(ctx, "memory", "l1_write")),
        **{f"t{t}.issue": map(_issue, _blocks(ctx, "word", f"t{t}.issue")) for t in THREADS},
        **{f"t{t}.setc16": map(_setc16, _blocks(ctx, "setc16", f"t{t}.setc16")) for t in THREADS},
    }


def _blocks(ctx: Context, table: str, player: str) -> Iterator[Any]:
    found: Iterator[Any] = ctx.table(table).blocks(ctx.rng(player), _BLOCK)
    return found
