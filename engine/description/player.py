# SPDX-License-Identifier: Apache-2.0
"""What a player plays: items of 32-bit words that the HDL half reads from chunk files.

Two kinds. An ``item`` player presents one item at a time and keeps it until the harness says that
it is done; it has a gap (idle cycles before the item) and, where the player has a port for it, a
wait for go. A ``level`` player drives values for a number of cycles. Fields are named and have
widths; ``packing`` says where each is in an item. Word 0 = ``END`` closes the stimulus.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilepath.engine.description import packing
from tilepath.engine.description.boundary import Field, Stream
from tilepath.engine.description.packing import (
    END,
    GAP_MASK,
    WAIT_GO,
    Items,
    PlayerKind,
)
from tilepath.engine.description.recorded import Recorded

__all__ = ["END", "GAP_MASK", "WAIT_GO", "ChunkWriter", "Items", "Player", "Waits", "plays"]


HELD: Final = ("idle", "after_source", "after_count", "and_source", "and_count")
"""Fields of a player with ``hold`` that say what an item waits for."""


class Hold(NamedTuple):
    """What items can wait for (``held``): bits of ``busy``, and counts of items done."""

    busy: int
    counts: int


class Waits(NamedTuple):
    """Waits by name, as sequences use them.

    ``ways``: the conditions that an item has room for, and how the names of the fields begin that
    hold the groups of each; ``condition``: those groups, ``count`` and ``source`` among them;
    ``sources``: whose items are counted, by number; ``everyone``: the number of all sources
    together, 0 if there is none; ``units``: bits of ``idle`` by name; ``more``: what other sources
    stand for, with the groups' names in braces.
    """

    ways: Mapping[str, str]
    condition: Field
    sources: Mapping[str, int]
    everyone: int = 0
    units: Mapping[str, int] = {}
    more: Mapping[int, str] = {}


@dataclass(frozen=True)
class Player:
    """A source of stimulus.

    ``fields``: what an item says, each field a port of the module; ``head``: those among them that
    are in the item's first word, beside the gap, because they are few bits. ``rest``: what a level
    player drives before its stimulus and behind it, where that is not 0. ``essential``: the run of
    a finite test goes on until this player is exhausted. ``go``: the module has a port ``go_i``,
    for which an item can wait. ``hold``: fields ``idle``, ``after_…`` and ``and_…`` are what an
    item waits for; instead of them the module has ports ``busy_i`` and ``count_i``. ``copies``,
    ``prefix`` and ``module`` as in ``Stream``; the module's own name is ``<block>_play_<name>``.
    ``waits``: what items can wait for, by name.

    ``records``: the input streams that record what is played; ``unrecorded`` is the reason why
    there is none, or why not all of it is recorded.
    """

    name: str
    kind: PlayerKind = "item"
    fields: tuple[Field, ...] = ()
    essential: bool = True
    copies: int = 0
    prefix: str = "t"
    module: str = ""
    go: bool = False
    hold: Hold | None = None
    head: tuple[str, ...] = ()
    rest: Mapping[str, int] = field(default_factory=dict)
    records: tuple[Recorded, ...] = ()
    unrecorded: str = ""
    waits: Waits | None = None

    @property
    def instances(self) -> tuple[str, ...]:
        """The names of the instances: ``<name>`` or ``t0.<name>``, ``t1.<name>``, …."""
        if self.copies == 0:
            return (self.name,)
        return tuple(f"{self.prefix}{i}.{self.name}" for i in range(self.copies))

    @property
    def shown(self) -> tuple[Field, ...]:
        """What the module has ports for: all fields but those that say what an item waits for."""
        return tuple(one for one in self.fields if not (self.hold and one.name in HELD))

    @cached_property
    def layout(self) -> packing.Layout:
        """Return where the fields are in an item."""
        return packing.Layout(self.kind, self.fields, self.head, self.go)

    @property
    def words(self) -> int:
        """Number of 32-bit words of an item."""
        return self.layout.words

    def pack(self, **values: ArrayLike) -> Items:
        """Items (n × words) from fields by name, and ``gap``, ``wait`` (with ``go``) or ``cycles``.

        Scalars and arrays broadcast; what is left out is 0. ``ValueError`` for a value that does
        not fit, and for a name that is no field.
        """
        return packing.pack(self.layout, values)

    def unpack(self, items: Items) -> dict[str, NDArray[Any]]:
        """The inverse of :meth:`pack`: field → values, n or, for long fields, n × words."""
        return packing.unpack(self.layout, items)

    def malformed(self, items: Items) -> NDArray[np.bool_]:
        """Return which items (n × words) :meth:`pack` would not make."""
        return packing.malformed(self.layout, items)

    def cycles(self, items: Items) -> int:
        """The fewest cycles that ``items`` (shape n × words) can take."""
        if self.kind == "level":
            return int(np.maximum(items[:, 0], 1).sum(dtype=np.int64))
        return int((items[:, 0] & GAP_MASK).sum(dtype=np.int64)) + len(items)


def plays(
    stream: Stream,
    name: str = "",
    before: tuple[Field, ...] = (),
    behind: tuple[Field, ...] = (),
    **others: Any,
) -> Player:
    """The player of what an input ``stream`` records: its fields, more before or behind them."""
    return Player(
        name or stream.name,
        "level" if stream.kind == "level" else "item",
        fields=(*before, *stream.fields, *behind),
        copies=stream.copies,
        prefix=stream.prefix,
        records=(Recorded(stream.name),),
        **others,
    )


class ChunkWriter:
    """Writes one player's items as numbered chunk files, and drops those already played."""

    def __init__(self, player: Player, name: str, directory: Path, keep: bool) -> None:
        self.player = player
        self.name = name
        self._directory = directory
        self._keep = keep
        self._next = 0
        self._dropped = 0
        self._ends: list[int] = []
        self._cycles: list[int] = []
        self._written = 0
        self.finished = False

    def path(self, index: int) -> Path:
        """Path of chunk ``index``."""
        return self._directory / f"{self.name}.{index}.bin"

    def checked(self, items: Items) -> Items:
        """``items`` (n × words, uint32) as they are; ``ValueError`` for a wrong shape or an end."""
        if items.ndim != 2 or items.shape[1] != self.player.words:
            raise ValueError(
                f"player {self.name} takes items of {self.player.words} words, "
                f"not an array of shape {items.shape}"
            )
        if items.dtype != np.uint32:
            raise ValueError(f"player {self.name} takes items of uint32, not {items.dtype}")
        if bool((items[:, 0] == END).any()):
            raise ValueError(f"player {self.name}: word 0 of an item is the end marker")
        return items

    def write(self, items: Items) -> None:
        """Append a chunk of items; errors as for :meth:`checked`."""
        if len(self.checked(items)) == 0:
            return
        self._put(items)
        self._written += len(items)
        self._ends.append(self._written)
        self._cycles.append(self.player.cycles(items))

    def finish(self) -> None:
        """Write the end marker; nothing can follow."""
        self._put(np.full((1, self.player.words), END, np.uint32))
        self.finished = True

    def _put(self, items: Items) -> None:
        path = self.path(self._next)
        part = path.with_suffix(".part")
        # $fread fills a vector from its most significant byte
        part.write_bytes(np.ascontiguousarray(items[:, ::-1]).astype(">u4").tobytes())
        part.replace(path)
        self._next += 1

    def cycles_left(self, consumed: int) -> int:
        """Fewest cycles that the chunks not yet begun can take, given ``consumed`` items.

        Of a chunk whose first item comes next, the player may be at the end of that item's gap.
        """
        left = 0
        begin = 0
        done = 0
        for end, cycles in zip(self._ends, self._cycles, strict=True):
            if begin > consumed:
                left += cycles
            if end <= consumed:
                done += 1
            begin = end
        if not self._keep:
            # the player may have read one item ahead, so the last finished chunk stays
            for _ in range(done - 1):
                self.path(self._dropped).unlink(missing_ok=True)
                self._dropped += 1
                del self._ends[0], self._cycles[0]
        return left
