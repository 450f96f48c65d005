# SPDX-License-Identifier: Apache-2.0
"""Item players whose items can wait for something: for units that are idle, for other players.

An item is held back when its gap is over, before the first cycle in which all of this is true, as
registered (what happened in earlier cycles): no bit of ``idle`` is set in the block's ``busy``, and
the two conditions ``after`` and ``and`` hold: at least ``count`` items of ``source`` were done
since reset. Sources: 0: nothing, always true; then one an instance of a player; the last one: all
of these players together. If each item of a phase of a test waits until as many items were done as
all the phases before have, then phases follow one another. Counters stop at 2^28 - 1. A condition
need not last: an item that has been offered stays offered. ``tp_hold`` and ``tp_counts`` are the
HDL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from numpy.typing import ArrayLike

from tilepath.engine.description.boundary import Field, Stream
from tilepath.engine.description.packing import Items
from tilepath.engine.description.player import Hold, Player, Waits, plays

_SOURCE_LSB: Final = 28
_MOST: Final = (1 << _SOURCE_LSB) - 1
CONDITION: Final = Field("after", 32, bits=(("count", _SOURCE_LSB), ("source", 4)))


@dataclass(frozen=True)
class Holding:
    """What items of a block can wait for: ``busy`` bits, and the ``sources`` (instances).

    ``units``: bits of ``busy`` by name.
    """

    busy: int
    sources: tuple[str, ...]
    units: Mapping[str, int] = field(default_factory=dict)

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields that stand before those of any item."""
        parts = [(f"{way}_{part}", w) for way in ("after", "and") for part, w in CONDITION.bits]
        return (Field("idle", self.busy), *(Field(name, width) for name, width in parts))

    def player(self, name: str, *fields: Field, **others: Any) -> Player:
        """A player of ``fields`` whose items can wait."""
        return Player(name, fields=(*self.fields, *fields), **self._can_wait, **others)

    def plays(self, stream: Stream) -> Player:
        """The player of an input stream whose items can wait."""
        return plays(stream, before=self.fields, **self._can_wait)

    @property
    def _can_wait(self) -> dict[str, Any]:
        everyone = len(self.sources) + 1
        sources = {name: number for number, name in enumerate(self.sources, 1)}
        ways = {"after": "after", "and_after": "and"}
        waits = Waits(ways, CONDITION, sources, everyone, self.units)
        return {"head": ("idle",), "hold": Hold(self.busy, everyone + 1), "waits": waits}

    def pack(self, player: Player, waits: dict[str, ArrayLike], **fields: ArrayLike) -> Items:
        """Items of ``player`` with what they wait for: gaps, idle, after, and_after.

        ``ValueError`` for a value that does not fit, ``TypeError`` for an unknown name.
        """
        if unknown := waits.keys() - {"gaps", "idle", "after", "and_after"}:
            raise TypeError(f"an item waits for nothing like {', '.join(sorted(unknown))}")
        heads: dict[str, ArrayLike] = {"gap": waits.get("gaps", 0), "idle": waits.get("idle", 0)}
        for name, condition in (("after", "after"), ("and", "and_after")):
            parts = CONDITION.split(waits.get(condition, 0))
            heads |= {f"{name}_{part}": value for part, value in parts.items()}
        return player.pack(**heads, **fields)

    def items_of(self, players: Mapping[str, Player]) -> Callable[..., Items]:
        """Return what makes items of ``players``."""

        def items(player: str, fields: Iterable[ArrayLike], **waits: ArrayLike) -> Items:
            """Items of a player (its name with or without the copy) from its fields in order.

            They are scalars or arrays, which broadcast; of a field of several words the last axis
            has them. ``waits``, ``ValueError``: as of :meth:`pack`.
            """
            kind = players[player.rpartition(".")[2]]
            named = {field.name: value for field, value in zip(kind.shown, fields, strict=True)}
            return self.pack(kind, waits, **named)

        return items

    def after(self, instance: str, count: ArrayLike) -> Items:
        """Condition: ``count`` items of the player ``instance`` were done."""
        return CONDITION.value(source=1 + self.sources.index(instance), count=count)

    def condition(self, instance: str, count: int) -> int:
        """:meth:`after` of one number; ``ValueError`` if it does not fit."""
        if not 0 <= count <= _MOST:
            raise ValueError(f"count: 0 to {_MOST}, not {count}")
        return 1 + self.sources.index(instance) << _SOURCE_LSB | count

    def after_all(self, count: ArrayLike) -> Items:
        """Condition: ``count`` items of all item players together were done: a barrier."""
        return CONDITION.value(source=1 + len(self.sources), count=count)

    @staticmethod
    def source_of(condition: int) -> int:
        """The source that a condition counts items of."""
        return int(CONDITION.split(condition)["source"])
