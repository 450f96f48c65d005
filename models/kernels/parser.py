# SPDX-License-Identifier: Apache-2.0
"""Reads the text of a kernel; ``docs/kernels.md`` has the language."""

from __future__ import annotations

import math
import re
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from tilepath.engine.text import Line, TextError, Where, opened, read_text, tree
from tilepath.isa import profiles
from tilepath.models import tiles
from tilepath.models.kernels.checks import check
from tilepath.models.kernels.expressions import ExpressionError, array
from tilepath.models.kernels.program import (
    THREADS,
    ConfigWord,
    Expect,
    Kernel,
    Numbers,
    Source,
    Tile,
)
from tilepath.models.kernels.scope import Scope
from tilepath.models.kernels.threads import Thread
from tilepath.models.machine import items as I
from tilepath.models.tiles.formats import format_of

MAX_TILES: Final = 4096
_LINE: Final = 16
_LONGEST_SIDE: Final = 9999  # numbers
_LONGEST_TILES: Final = 1 << 24  # bytes, more than any L1
_TILE: Final = re.compile(
    r"(?P<name>[A-Za-z_]\w*)(?:\[(?P<grid>[^\]]*)\])?\s+(?P<form>\w+)\s+"
    r"(?P<rows>\d{1,4}|{[^{}]+})x(?P<columns>\d{1,4}|{[^{}]+})\s+at\s+(?P<at>[^=]*?)"
    r"(?P<flat>\s+flat)?(?:\s*=\s*(?P<source>.+))?",
    re.ASCII,
)
_WITHIN: Final = re.compile(r"\s+within\s+([0-9.eE+-]+)\s*(%?)$")
_FILE: Final = re.compile(r'"([^"]+)"')


class _Parser:
    def __init__(self, text: str, file: str, profile: str, given: Mapping[str, int]) -> None:
        self._lines, self._folder = list(tree(text, file)), Path(file).parent
        self._scope = Scope(profile, given)
        places: tuple[dict[Any, Any], ...] = tuple({} for _ in range(THREADS))
        self._kernel = Kernel(file, profile, places=places)
        self._begin = Where(file, 1, 1)
        self._included = False  # whether it goes through an included file
        self._config: dict[tuple[str, int], int] = {}
        self._set_at: dict[str, Line] = {}  # configuration field → where
        self._threads: dict[int, Line] = {}
        self._polls: list[tuple[Where, Any]] = []
        self._programs = [I.CoreProgram()] * THREADS

    def kernel(self) -> Kernel:
        """All of it."""
        self._scope.play([x for x in self._lines if x.word != "thread"], self._declare)
        for line in self._lines:
            if line.word == "thread":
                self._thread(line)
        kernel = replace(self._kernel, programs=tuple(self._programs))
        for name in self._scope.given.keys() - self._scope.used:
            raise self._begin.error(f"there is no constant {name!r} to be set")
        if not self._threads:
            raise self._begin.error("there is no thread")
        kernel.config.extend(ConfigWord(*place, value) for place, value in self._config.items())
        check(kernel, self._set_at, self._polls)
        return kernel

    def _declare(self, line: Line) -> None:
        if line.word == "tile":
            self._tile(line)
        elif line.word == "config":
            for field, bits in self._scope.fields(line):
                place = field.space, field.addr32
                self._config[place] = self._config.get(place, 0) & ~field.mask | bits
                self._set_at[field.name] = line
        elif line.word == "expect":
            self._expect(line)
        elif line.word == "include":
            self._include(line, self._declare)
        else:
            known = "const, tile, config, include, thread, expect, repeat, if"
            raise line.error(f"{line.word!r} outside of a thread: want one of {known}")

    def _thread(self, line: Line) -> None:
        number = self._scope.number(line, line.rest)
        if not 0 <= number < THREADS:
            raise line.error(f"thread {number}: there are threads 0, 1, 2", line.rest)
        if line.body is None:
            raise line.error("thread without {")
        if number in self._threads:
            raise line.error(f"thread {number} is there already", line.rest)
        self._threads[number] = line
        thread = Thread(self._scope, number, self._config)
        before = dict(self._scope.names)

        def do(part: Line) -> None:
            if part.word == "include":
                self._include(part, thread.do)
            else:
                thread.do(part)

        self._scope.play(line.body, do)
        self._scope.names = before
        thread.flush()
        self._programs[number] = I.CoreProgram(thread.items)
        self._polls += thread.polls
        self._kernel.places[number].update(thread.places)

    def _include(self, line: Line, do: Callable[[Line], None]) -> None:
        """The statements of another file, which has no threads and includes none."""
        found = _FILE.fullmatch(line.rest)
        if not found:
            raise line.error('want include "file"')
        path = self._folder / found[1]
        if self._included:
            raise line.error("an included file includes none")
        try:
            text = read_text(path)
        except TextError as error:
            raise line.error(error, line.rest) from None
        self._included = True
        self._scope.play([*tree(text, str(path))], do)
        self._included = False

    # --- tiles

    def _tile(self, line: Line) -> None:
        found = _TILE.fullmatch(line.rest)
        if not found:
            raise line.error("want tile NAME[COUNT] FORMAT ROWSxCOLUMNS at ADDRESS [= NUMBERS]")
        name = found["name"]
        scope = self._scope
        if name in self._kernel.tiles:
            raise line.error(f"there is already a tile {name!r}", name)
        try:
            form = format_of(found["form"])
        except ValueError as error:
            raise line.error(error, found["form"]) from None
        grid = tuple(
            scope.limited(line, "count", part, 1, MAX_TILES)
            for part in (found["grid"] or "").split(",")
            if found["grid"] is not None
        )
        if len(grid) > 2 or np.prod(grid) > MAX_TILES:
            raise line.error(f"{name}[{found['grid']}]: at most {MAX_TILES} tiles, in 2 directions")
        rows, columns = (
            scope.limited(line, side, found[side].strip("{}"), 0, _LONGEST_SIDE)
            for side in ("rows", "columns")
        )
        shape = rows, columns
        face = None if found["flat"] else (min(shape[0], 16), 16)
        try:
            layout = tiles.Layout(form, shape, face)
        except ValueError as error:
            raise line.error(error, f"{found['rows']}x") from None
        at = scope.number(line, found["at"])
        if at % _LINE or at < 0:
            raise line.error(f"address {at:#x} is not that of a line of {_LINE} bytes", found["at"])
        size = layout.before + -(-layout.datums // _LINE) * _LINE
        source, limits = self._source(line, found["source"] or "zeros")
        tile = Tile(name, form, grid, shape, face, at, size, source, limits, line.where)
        l1 = profiles.get(scope.profile).l1_bytes
        if tile.end > l1:
            raise line.error(f"{name} ends at {tile.end:#x}, L1 at {l1:#x}", found["at"])
        for other in self._kernel.tiles.values():
            if tile.at < other.end and other.at < tile.end:
                also = f"{other.at:#x} to {other.end:#x}"
                raise line.error(f"{name} lies over {other.name}, {also}", found["at"])
        if not isinstance(source, str | bytes) and source.shape != tile.whole:
            text = f"{found['source']} has shape {source.shape}, {name} {tile.whole}"
            raise line.error(text, found["source"])
        try:
            first = tile.first_bytes()
        except ValueError as error:
            raise line.error(error, found["source"] or "") from None
        if isinstance(source, bytes) and (doubt := tile.doubt(first)):
            where = line.at(found["source"])
            self._kernel.doubts.append(f"{where}: warning: {found['source']}: {doubt}")
        self._kernel.tiles[name] = tile
        values = (at, size, at // _LINE, size // _LINE, tile.count)
        for part, value in zip(("at", "size", "line", "lines", "count"), values, strict=True):
            scope.names[f"{name}.{part}"] = value

    def _source(self, line: Line, text: str) -> tuple[Source, tuple[int, int] | None]:
        word, *rest = text.split()
        if text in ("zeros", "arange", "random"):
            return text, None
        if word == "random" and len(rest) == 2:
            low, high = (self._scope.number(line, part) for part in rest)
            if not -(1 << 31) <= low <= high < 1 << 31:
                raise line.error(f"random from {low} to {high}", rest[0])
            return "random", (low, high)
        if _FILE.fullmatch(text):
            return self._file(line, text), None
        known = 'zeros, arange, random, random LEAST GREATEST, "file.npy" or "file.tiles"'
        raise line.error(f"{text!r}: want {known}", text)

    def _file(self, line: Line, text: str) -> Numbers | bytes:
        """Numbers of NumPy's, or the bytes of a file of host tiles."""
        path = self._folder / text.strip('"')
        try:
            with opened(path) as file:
                if path.suffix == ".tiles":
                    return file.read(_LONGEST_TILES)
                found = np.load(file, allow_pickle=False)
        except OSError as error:
            raise line.error(f"{text} cannot be read: {error.strerror or error}", text) from None
        except (ValueError, EOFError, MemoryError, zipfile.BadZipFile):
            raise line.error(f"{text} is no file of numbers of NumPy's", text) from None
        if not isinstance(found, np.ndarray) or found.dtype.kind not in "iuf":
            raise line.error(f"{text} has no array of numbers", text)
        return found

    # --- what is expected

    def _expect(self, line: Line) -> None:
        name, equals, text = (part.strip() for part in line.rest.partition("="))
        if not equals or not text:
            raise line.error("want expect TILE = EXPRESSION [within TOLERANCE]")
        tile = self._kernel.tiles.get(name)
        if tile is None:
            raise line.error(f"there is no tile {name!r}", name)
        tolerance, relative = 0.0, False
        if within := _WITHIN.search(text):
            try:
                tolerance, relative = float(within[1]), bool(within[2])
            except ValueError:
                tolerance = math.inf
            if not 0 <= tolerance < math.inf:
                raise line.error(f"{within[1]!r} is no tolerance", within[1])
            text = text[: within.start()]
        want: str | Numbers = text
        if _FILE.fullmatch(text):
            given = self._file(line, text)
            if isinstance(given, bytes):
                try:
                    given = tile.from_l1(tile.from_host(given))
                except ValueError as error:
                    raise line.error(error, text) from None
            want, shape = given, given.shape
        else:
            arrays = {k: np.zeros(t.whole) for k, t in self._kernel.tiles.items()}
            try:
                shape = np.shape(np.broadcast_to(array(text, arrays), tile.whole))
            except ExpressionError as error:
                raise line.error(error, text) from None
            except ValueError:
                raise line.error(
                    f"{text} has not the shape of {name}, {tile.whole}", text
                ) from None
        if shape != tile.whole:
            raise line.error(f"{text} has shape {shape}, {name} {tile.whole}", text)
        factor = 0.01 if relative else 1.0
        made = Expect(name, want, tolerance * factor, relative, line.where)
        self._kernel.expects.append(made)


def parse(
    text: str,
    file: str = "<kernel>",
    profile: str = profiles.DEFAULT,
    given: Mapping[str, int] | None = None,
) -> Kernel:
    """The kernel that ``text`` is, for a profile; ``given``: constants that are to be others.

    Files of numbers are looked for beside ``file``.

    Raises:
        TextError: one line, ``file:line:column: what is wrong``.
        ValueError: an unknown profile.
    """
    return _Parser(text, file, profile, given or {}).kernel()


def load(
    path: Path, profile: str = profiles.DEFAULT, given: Mapping[str, int] | None = None
) -> Kernel:
    """The kernel in a file; :class:`TextError` also for one that cannot be read."""
    return parse(read_text(path), str(path), profile, given)
