# SPDX-License-Identifier: Apache-2.0
"""Items of the control block taken apart for the tests."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from tilepath.engine.description.packing import Items
from tilepath.tb.control.streams import AFTER, PLAYERS

_PLAYER = {name: player for player in PLAYERS for name in player.instances}


def fields(player: str, items: Items) -> dict[str, NDArray[Any]]:
    """What items of ``player`` say, by field."""
    return _PLAYER[player].unpack(items)


def after(player: str, items: Items) -> NDArray[Any]:
    """What items of ``player`` wait for, as ``tb.control.items`` makes it."""
    found = fields(player, items)
    return AFTER.value(**{name: found[f"after_{name}"] for name, _ in AFTER.bits})


def rows(player: str, items: Items, *names: str) -> list[list[int]]:
    """The fields ``names`` of each item of ``player``, and what it waits for."""
    found = {**fields(player, items), "after": after(player, items)}
    return [list(row) for row in zip(*(found[name].tolist() for name in names), strict=True)]
