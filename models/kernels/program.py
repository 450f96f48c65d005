# SPDX-License-Identifier: Apache-2.0
"""What the text of a kernel says, as values."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tilepath.engine.text import Where
from tilepath.models import tiles
from tilepath.models.machine.items import CoreProgram
from tilepath.models.tiles import host, layout

THREADS: Final = 3
Numbers = npt.NDArray[Any]
Source = str | Numbers | bytes


@dataclass(frozen=True)
class Tile:
    """Tiles of one name, one behind the other in L1.

    Attributes:
        grid: how many: () one, (n,) a row of n, (rows, columns) those of a matrix, row by row.
        shape: rows and columns of a tile.
        face: of a face; ``None``: the tile is not cut into faces.
        at: byte address of the first, which is that of its header.
        size: bytes from one to the next.
        source: what it holds at first: ``zeros``, ``random``, ``arange``, numbers of a file, or
            bytes of a file of host tiles.
        limits: of ``random``: the least and the greatest integer; ``None``: standard normal.
    """

    name: str
    form: tiles.Format
    grid: tuple[int, ...]
    shape: tuple[int, int]
    face: tuple[int, int] | None
    at: int
    size: int
    source: Source
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
        if isinstance(self.source, bytes):
            return self.from_l1(self.from_host(self.source))
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

    def first_bytes(self) -> npt.NDArray[np.uint8]:
        """What L1 holds at first, from ``at`` on."""
        if isinstance(self.source, bytes):
            return self.from_host(self.source)
        return self.to_l1(self.numbers())

    def from_host(self, data: bytes) -> npt.NDArray[np.uint8]:
        """The bytes of all tiles, from ``at`` on, of those that the host has.

        Raises ``ValueError`` for a format that it has not, or another number of bytes.
        """
        size = self.host_size()
        if len(data) != self.count * size:
            raise ValueError(f"{len(data)} bytes; tiles of {size} bytes, {self.count} are wanted")
        found = np.zeros((self.count, self.size), np.uint8)
        found[:, layout.LINE :][:, :size] = np.frombuffer(data, np.uint8).reshape(-1, size)
        return found.reshape(-1)

    def to_host(self, data: npt.NDArray[np.uint8]) -> bytes:
        """The other way: without headers, and without what fills a line."""
        cut = data.reshape(self.count, self.size)[:, layout.LINE :][:, : self.host_size()]
        return cut.tobytes()

    def doubt(self, data: npt.NDArray[np.uint8]) -> str:
        """Why such bytes can hardly be of the format, in one line; empty: they can."""
        return next(filter(None, (doubt for _, doubt in self._read(data))), "")

    def host_size(self) -> int:
        """Bytes of a tile on the host; ``ValueError`` for a format that it has not."""
        host.format_of(self.form)
        alone = tiles.Layout(self.form, self.shape, self.face, header=0)
        return alone.before + alone.datums

    def _read(self, data: npt.NDArray[np.uint8]) -> list[tuple[Numbers, str]]:
        one = tiles.Layout(self.form, self.shape, self.face)
        return [layout.read(data[k * self.size :], one) for k in range(self.count)]

    def to_l1(self, numbers: Numbers) -> npt.NDArray[np.uint8]:
        """The bytes of all tiles, from ``at`` on."""
        parts = [tiles.to_l1(one, self.form, face=self.face) for one in self._cut(numbers)]
        return np.concatenate(parts)

    def from_l1(self, data: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
        """The numbers in such bytes: shape ``whole``."""
        stacked = np.array([numbers for numbers, _ in self._read(data)], np.float64)
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
    """A kernel for one profile: ``programs`` of threads 0 to 2, what stands before and behind.

    ``places``: of each thread's statements, where in its program: item, word of it.
    ``doubts``: lines about files of host tiles that can hardly be of the format.
    """

    file: str
    profile: str
    tiles: dict[str, Tile] = field(default_factory=dict)
    config: list[ConfigWord] = field(default_factory=list)
    programs: tuple[CoreProgram, ...] = ()
    places: tuple[dict[Where, list[tuple[int, int]]], ...] = ()
    expects: list[Expect] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
