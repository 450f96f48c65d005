# SPDX-License-Identifier: Apache-2.0
"""Endless items of each player, from the rows of its table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.description.player import Items
from tilepath.engine.description.stimulus import Context, Stimulus
from tilepath.engine.stimulus.tables import Quick, Table
from tilepath.isa import profiles
from tilepath.sequences.adc import words as w
from tilepath.tb.adc.streams import FLOP, ISSUE, PACK, SETS, UNPACK

Rows = NDArray[Any]

_OPCODE: Final = np.array([w.OPCODES[op] << 24 for op in w.OPS])
_IGNORED: Final = np.array([w.IGNORED[op] for op in w.OPS])
_FIELDS: Final = 0xFF_FFFF & ~_IGNORED
_SETADC, _SETADCXX = w.OPS.index("setadc"), w.OPS.index("setadcxx")


def issue_words(rows: Rows) -> NDArray[np.int64]:
    """The instruction words of rows of table ``issue``."""
    op, target, chosen = (rows[name] for name in ("op", "target", "chosen"))
    words = w.packed("setadcxy", target, tuple(rows["narrow"].T), rows["mask"], chosen)
    own = np.flatnonzero(op == _SETADCXX)
    words[own] = w.setadcxx(target[own], *rows["wide"][own].T & 1023)
    own = np.flatnonzero(op == _SETADC)
    counter, value, chosen = rows["counter"][own], rows["wide"][own, 0], chosen[own]
    # the top bits of the value are the override: only X takes them, in set 2 to its largest
    keep = (counter & 3 == w.X) & (value >> 16 == 3) & (chosen != 0)
    words[own] = w.setadc(
        target[own], counter, np.where(keep, value, value & 0xFFFF | chosen << 16)
    )
    words &= _FIELDS[op]
    words |= np.where(rows["illegal"], rows["opcode"] << 24, _OPCODE[op])
    words |= rows["junk"] & _IGNORED[op]
    return words


def _issue(rows: Rows) -> Items:
    return ISSUE.pack(word=issue_words(rows), gap=rows["gap"])


def _unpack(rows: Rows) -> Items:
    y0, z0, y1, z1 = rows["narrow"].T
    units = {name: rows[name] for name in ("unpacker", "thread", "adc")}
    return UNPACK.pack(**units, y0=y0, z0=z0, y1=y1, z1=z1, gap=rows["pause"])


def _pack(rows: Rows) -> Items:
    return PACK.pack(sets=rows["sets"], addr_mod=rows["addr_mod"], gap=rows["pause"])


def _flop(rows: Rows) -> Items:
    names = ("thread", "select", "channel", "counter", "checkpoint")
    fields = {name: rows[name] for name in names}
    return FLOP.pack(**fields, value=rows["wide"], gap=rows["pause"])


_MADE: Final[dict[str, Callable[[Rows], Items]]] = {
    **{f"t{thread}.issue": _issue for thread in range(SETS)},
    "unpack": _unpack,
    "pack": _pack,
    "flop": _flop,
}


def random_stimulus(ctx: Context) -> Stimulus:
    """Endless stimulus of all players for which the test has a table."""
    tables = {player: ctx.table(player.rpartition(".")[2]) for player in _MADE}
    return {player: _items(ctx, player, table) for player, table in tables.items() if table}


def _items(ctx: Context, player: str, table: Table) -> Iterator[Items]:
    if "zw" in table.columns:
        table = table.replaced(zw=profiles.get(ctx.profile).zw_w)
    return map(_MADE[player], table.by_column(Quick(ctx.rng(player).bit_generator)))
