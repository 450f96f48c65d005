# SPDX-License-Identifier: Apache-2.0
"""What a player's items must make of records in one stream, whoever says so of the block."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.description.balances import PartlyRecorded
from tilepath.engine.description.block import Block
from tilepath.engine.description.player import Items, Player
from tilepath.engine.description.recorded import Columns, Recorded

_ALL = np.uint32(0xFFFF_FFFF)


@dataclass(frozen=True)
class Echo:
    """One stream that shows what one instance of a player plays.

    ``stream``: the instance that records; ``own``: its field that says whose item it is, with the
    number ``copy``, if several share it. ``idle``: what a level shows before the first item and
    behind the last, ``None`` if that says nothing.
    """

    player: Player
    stream: str
    values: Callable[[Columns], Columns]
    chosen: Callable[[Columns], NDArray[np.bool_]] | None = None
    known: Callable[[Columns], Columns] | None = None
    own: str = ""
    copy: int = 0
    idle: Mapping[str, int] | None = None

    def records(self, items: Items) -> tuple[NDArray[np.bool_], Columns, Columns]:
        """Return which items are recorded; of these, the records' fields, and the bits compared."""
        columns = self.player.unpack(items)
        mask = np.ones(len(items), bool) if self.chosen is None else self.chosen(columns)
        values = self.values(columns)
        known = {} if self.known is None else self.known(columns)
        masks = {name: known.get(name, np.full_like(v, _ALL)) for name, v in values.items()}
        return mask, _cut(values, mask), _cut(masks, mask)


def _cut(columns: Columns, mask: NDArray[np.bool_]) -> Columns:
    return {name: column[mask] for name, column in columns.items()}


def echoes_of(block: Block, name: str, player: Player) -> list[Echo]:
    """Every stream that shows what instance ``name`` of ``player`` plays."""
    known = [_whole(block, name, player, recorded) for recorded in player.records]
    parts = [part for part in block.balances.partly if part.player == player.name]
    return known + [_part(block, name, player, part) for part in parts]


def _stream_of(block: Block, player: str, stream: str) -> str:
    """The instance of ``stream`` that records what the instance ``player`` plays."""
    thread, dot, _ = player.rpartition(".")
    own = f"{thread}{dot}{stream}"
    name = own if own in block.stream_table else stream
    if name not in block.stream_table:
        raise ValueError(f"block {block.name} has no stream {stream}, which {player} names")
    return name


def _whole(block: Block, name: str, player: Player, recorded: Recorded) -> Echo:
    stream = _stream_of(block, name, recorded.stream)
    left_out = {*recorded.but, recorded.copy}
    fields = [f.name for f in block.stream_table[stream].fields if f.name not in left_out]
    sources = {field: recorded.named.get(field, field) for field in fields}
    when = recorded.when

    def values(columns: Columns) -> Columns:
        return {field: columns[source] for field, source in sources.items()}

    def chosen(columns: Columns) -> NDArray[np.bool_]:
        return when(columns) if callable(when) else columns[when] != 0

    return Echo(
        player,
        stream,
        values,
        chosen=chosen if when else None,
        own=recorded.copy,
        copy=player.instances.index(name),
        idle={field: player.rest.get(source, 0) for field, source in sources.items()},
    )


def _part(block: Block, name: str, player: Player, part: PartlyRecorded) -> Echo:
    return Echo(player, _stream_of(block, name, part.stream), part.values, known=part.known)
