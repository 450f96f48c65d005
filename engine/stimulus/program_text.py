# SPDX-License-Identifier: Apache-2.0
"""What the text files of all blocks' programs have in common: lines, repeats, numbers, words.

One operation a line, ``#`` begins a comment, ``repeat n`` … ``endrepeat`` nest, and ``end``
must be the last line. What an operation does is the block's affair: see its ``programs``
module, and ``section_text``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tilepath.engine.description.player import Items
from tilepath.engine.description.stimulus import Stimulus
from tilepath.isa import IsaError, assemble

MAX_DEPTH: Final = 20

_WORD = re.compile(r"(0[xX])?[0-9a-fA-F]{8}")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|[0-9]+")
_WORD_LIMIT: Final = 1 << 32


class ProgramError(ValueError):
    """A program that cannot be played: one line, ``file:line: what is wrong``."""


class BadLineError(ValueError):
    """What is wrong with a line, without its place."""


@dataclass(frozen=True)
class Program:
    """A program, ready to play: player instance → items."""

    name: str
    players: Mapping[str, Items]

    def stimulus(self) -> Stimulus:
        """The program as the ``stimulus`` of a test."""
        return {name: [items] for name, items in self.players.items()}


def is_number(text: str) -> bool:
    """Whether ``text`` is a number: decimal, hexadecimal with 0x, or eight hexadecimal digits."""
    return bool(_WORD.fullmatch(text) or _NUMBER.fullmatch(text))


def number(text: str) -> int:
    """The number that ``text`` is; :class:`BadLineError` if it is none or takes over 32 bits."""
    if _WORD.fullmatch(text):
        return int(text, 16)
    if not _NUMBER.fullmatch(text):
        raise BadLineError(f"{text!r} is not a number (decimal, 0x, or eight hexadecimal digits)")
    value = int(text, 16 if text[:2].lower() == "0x" else 10)
    if value >= _WORD_LIMIT:
        raise BadLineError(f"{text} does not fit in 32 bits")
    return value


class Loader:
    """Plays the lines of a program; a block's loader says what an operation does."""

    max_items = 1_000_000
    """Most operations, repeats counted as they run."""

    def __init__(self, path: Path, text: str, profile: str) -> None:
        self._path = path
        self._profile = profile
        self._budget = self.max_items
        stripped = (line.partition("#")[0].strip() for line in text.splitlines())
        self._lines = [(at, line) for at, line in enumerate(stripped, 1) if line]
        self._last = len(text.splitlines())

    def operation(self, line: str) -> None:
        """Do what ``line`` says; ``ValueError``, of whatever kind, if that makes no sense."""
        raise NotImplementedError

    def players(self) -> dict[str, Items]:
        """What the operations have made of it: player instance → items; empty if nothing."""
        raise NotImplementedError

    def load(self) -> Program:
        """The program; :class:`ProgramError` for a truncated or malformed one."""
        matching = self._structure()
        self._play(0, len(self._lines) - 1, matching)
        players = self.players()
        if not players:
            raise self._error(self._lines[-1][0], "the program does nothing")
        return Program(self._path.stem, players)

    def word(self, text: str) -> int:
        """A 32-bit word: eight hexadecimal digits, or a line of assembly."""
        if not text:
            raise BadLineError("a word is missing")
        if _WORD.fullmatch(text):
            return number(text)
        try:
            return assemble(text, self._profile)
        except IsaError as error:
            raise BadLineError(str(error)) from None

    def count(self, rest: list[str], name: str, least: int) -> int:
        """The one operand of ``name``, at least ``least``."""
        if len(rest) != 1:
            raise BadLineError(f"{name} takes one number")
        value = number(rest[0])
        if value < least:
            raise BadLineError(f"{name} takes a number of at least {least}")
        if value > self.max_items:
            raise BadLineError(f"{name} takes a number of at most {self.max_items}")
        return value

    def _error(self, at: int, what: str) -> ProgramError:
        return ProgramError(f"{self._path}:{at}: {what}")

    def _structure(self) -> dict[int, int]:
        """Place of each ``repeat`` → place of its ``endrepeat``."""
        matching: dict[int, int] = {}
        opened: list[int] = []
        for place, (at, line) in enumerate(self._lines):
            head = line.split()[0].lower()
            if head == "repeat":
                opened.append(place)
                if len(opened) > MAX_DEPTH:
                    raise self._error(at, f"repeats nested more than {MAX_DEPTH} deep")
            elif head == "endrepeat":
                if not opened:
                    raise self._error(at, "endrepeat without repeat")
                matching[opened.pop()] = place
            elif head == "end" and place != len(self._lines) - 1:
                raise self._error(self._lines[place + 1][0], "something follows the end line")
        if not self._lines or self._lines[-1][1].split()[0].lower() != "end":
            raise self._error(self._last, "no end line: the file is truncated")
        if opened:
            raise self._error(self._lines[opened[-1]][0], "repeat without endrepeat")
        if len(self._lines[-1][1].split()) > 1:
            raise self._error(self._lines[-1][0], "end takes nothing behind it")
        return matching

    def _spend(self, at: int) -> None:
        self._budget -= 1
        if self._budget < 0:
            raise self._error(at, f"more than {self.max_items} operations")

    def _play(self, begin: int, end: int, matching: Mapping[int, int]) -> None:
        place = begin
        while place < end:
            at, line = self._lines[place]
            self._spend(at)
            try:
                if place in matching:
                    for _ in range(self.count(line.split()[1:], "repeat", 1)):
                        self._spend(at)
                        self._play(place + 1, matching[place], matching)
                    place = matching[place]
                else:
                    self.operation(line)
            except ProgramError:  # of a line inside a repeat
                raise
            except ValueError as error:  # a bad line, or items refuse a value that does not fit
                raise self._error(at, str(error)) from None
            place += 1
