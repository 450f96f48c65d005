# SPDX-License-Identifier: Apache-2.0
"""What the text of a kernel says, as values."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tilepath.models import tiles
from tilepath.models.machine.items import Item

THREADS: Final = 3
_LONGEST: Final = 300
Numbers = npt.NDArray[Any]


class KernelError(ValueError):
    """A kernel that cannot be: one line, ``file:line:column: what is wrong``."""


class Where(NamedTuple):
    """A place in a text; lines and columns from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def error(self, what: object) -> KernelError:
        """What is wrong there, in a line that is not too long."""
        text = " ".join(str(what).split())
        return KernelError(f"{self}: {text if len(text) <= _LONGEST else text[:_LONGEST] + '…'}")


@dataclass(frozen=True)
class Tile:
    """Tiles of one name, one behind the other in L1.

    Attributes:
        grid: how many: () one, (n,) a row of n, (rows, columns) those of a matrix, row by row.
        shape: rows and columns of a tile.
        face: of a face; ``None``: the tile is not cut into faces.
        at: byte address of the first, which is that of its header.
        size: bytes from one to the next.
        source: what it holds at first: ``zeros``, ``random``, ``arange``, numbers of a file.
        limits: of ``random``: the least and the greatest integer; ``None``: standard normal.
    """

    name: str
    form: tiles.Format
    grid: tuple[int, ...]
    shape: tuple[int, int]
    face: tuple[int, int] | None
    at: int
    size: int
    source: str | Numbers
    limits: tuple[int, int] | None
    where: Where

    @property
    def count(self) -> int:
        """How many tiles."""
        return math.prod(self.grid)

    @property
    def end(self) -> int:
        """Byte address behind the last one."""
        return self.at + self.count * self.size

    @property
    def whole(self) -> tuple[int, ...]:
        """Shape of the array of all its numbers: of a matrix of tiles (rows, columns)."""
        if len(self.grid) == 2:
            return self.grid[0] * self.shape[0], self.grid[1] * self.shape[1]
        return (*self.grid, *self.shape)

    def numbers(self) -> Numbers:
        """What it holds at first: shape ``whole``; the same each time."""
        if not isinstance(self.source, str):
            return self.source
        if self.source == "zeros":
            return np.zeros(self.whole)
        if self.source == "arange":
            return np.arange(math.prod(self.whole)).reshape(self.whole)
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        if self.limits is None:
            return rng.normal(size=self.whole)
        return rng.integers(*self.limits, size=self.whole, endpoint=True)

    def to_l1(self, numbers: Numbers) -> npt.NDArray[np.uint8]:
        """The bytes of all tiles, from ``at`` on."""
        parts = [tiles.to_l1(one, self.form, face=self.face) for one in self._cut(numbers)]
        return np.concatenate(parts)

    def from_l1(self, data: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
        """The numbers in such bytes: shape ``whole``."""
        found = [
            tiles.from_l1(data[k * self.size :], self.form, self.shape, face=self.face)
            for k in range(self.count)
        ]
        stacked = np.array(found, np.float64)
        if len(self.grid) < 2:
            return stacked.reshape(self.whole)
        split = stacked.reshape(*self.grid, *self.shape)
        return split.transpose(0, 2, 1, 3).reshape(self.whole)

    def _cut(self, numbers: Numbers) -> Numbers:
        if len(self.grid) < 2:
            return numbers.reshape(-1, *self.shape)
        rows, columns = self.shape
        split = numbers.reshape(self.grid[0], rows, self.grid[1], columns)
        return split.transpose(0, 2, 1, 3).reshape(-1, rows, columns)


class ConfigWord(NamedTuple):
    """A word of Config (both banks), or of ThreadConfig (all threads), before the threads start."""

    space: str
    word: int
    value: int


@dataclass(frozen=True)
class Expect:
    """What a tile holds at the end.

    ``want``: an expression of the tiles' first numbers, or an array of a file. ``tolerance``: of
    the difference; ``relative``: times the largest number that is wanted.
    """

    name: str
    want: str | Numbers
    tolerance: float
    relative: bool
    where: Where


@dataclass(frozen=True)
class Kernel:
    """A kernel for one profile: ``programs`` of threads 0 to 2, what stands before and behind."""

    file: str
    profile: str
    tiles: dict[str, Tile] = field(default_factory=dict)
    config: list[ConfigWord] = field(default_factory=list)
    programs: tuple[list[Item], ...] = ()
    expects: list[Expect] = field(default_factory=list)
