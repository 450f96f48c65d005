# SPDX-License-Identifier: Apache-2.0
"""What a player plays: items of 32-bit words that the HDL half reads from chunk files.

Two kinds. An ``item`` player presents one item at a time and keeps it until the harness says that
it is done; word 0 has the gap in [15:0] (idle cycles before the item) and a "wait for go" flag in
[16]; the rest belongs to the block. A ``level`` player drives word 1 for word 0 cycles.
In an array of items, column 0 is word 0. Word 0 = ``END`` closes the stimulus.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

END = 0xFFFF_FFFF
GAP_MASK = 0xFFFF
WAIT_GO = 1 << 16

Items = NDArray[np.uint32]


@dataclass(frozen=True)
class Player:
    """A source of stimulus.

    ``essential``: the run of a finite test goes on until this player is exhausted.
    ``copies`` and ``module`` as in ``Stream``; the module's own name is ``<block>_play_<name>``.
    """

    name: str
    kind: Literal["item", "level"] = "item"
    words: int = 2
    essential: bool = True
    copies: int = 0
    module: str = ""

    @property
    def instances(self) -> tuple[str, ...]:
        """The names of the instances: ``<name>`` or ``t0.<name>``, ``t1.<name>``, …."""
        if self.copies == 0:
            return (self.name,)
        return tuple(f"t{i}.{self.name}" for i in range(self.copies))

    def cycles(self, items: Items) -> int:
        """The fewest cycles that ``items`` (shape n × words) can take."""
        if self.kind == "level":
            return int(np.maximum(items[:, 0], 1).sum(dtype=np.int64))
        return int((items[:, 0] & GAP_MASK).sum(dtype=np.int64)) + len(items)


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
        """Fewest cycles that the chunks not yet begun can take, given ``consumed`` items."""
        left = 0
        begin = 0
        done = 0
        for end, cycles in zip(self._ends, self._cycles, strict=True):
            if begin >= consumed:
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
