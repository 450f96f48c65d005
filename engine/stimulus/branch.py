# SPDX-License-Identifier: Apache-2.0
"""Parts of a scene: sequences that take turns, what items wait for, what players are given."""

from __future__ import annotations

from collections.abc import Coroutine, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tilepath.engine.description.player import Items, Player
from tilepath.engine.stimulus.form import Form, Row


@dataclass(eq=False)
class Condition:
    """What later items wait for: ``value`` as items hold it, of ``count`` items of ``source``.

    ``idle``: bits of units. ``carried``: the first item of each player that waited for it.
    """

    source: str = ""
    count: int = 0
    value: int = 0
    idle: int = 0
    carried: dict[str, int] = field(default_factory=dict)


class Branch:
    """A coroutine that takes turns with others."""

    def __init__(self, run: Coroutine[Any, Any, None], conditions: list[Condition]) -> None:
        self.run = run
        self.conditions = conditions
        self.home: Feed | None = None  # the only player that it can have items for
        self.ended = False
        self.joins: tuple[Branch, ...] = ()
        self._settled = False

    def settle(self, home: Feed | None) -> None:
        """It runs a sequence of one player, or of several; what that starts changes nothing."""
        if not self._settled:
            self._settled, self.home = True, home

    def able(self) -> Iterator[Branch]:
        """Those that must go on for this one to go on: itself, or what it waits for."""
        if not self.ended:
            held = [branch for branch in self.joins if not branch.ended]
            for branch in held:
                yield from branch.able()
            if not held:
                yield self


class Feed:
    """What a player has been given and not yet taken."""

    def __init__(self, name: str, player: Player) -> None:
        self.name = name
        self.form = Form(player)
        self.rows: list[Row] = []
        self.parts: list[Items] = []
        self.ready = self.given = self.latest = 0
        self.closed = False

    def put(self, items: Items) -> None:
        """Append an array."""
        self._pack()
        self.parts.append(items)

    def taken(self) -> Items:
        """All of it."""
        self._pack()
        made = self.parts[0] if len(self.parts) == 1 else np.concatenate(self.parts)
        self.parts, self.ready = [], 0
        return made

    def _pack(self) -> None:
        if self.rows:
            self.parts.append(self.form.pack(self.rows))
            self.rows = []
