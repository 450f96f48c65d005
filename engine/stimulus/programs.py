# SPDX-License-Identifier: Apache-2.0
"""The programs of a block: a folder of text files, each a test of its file's name.

One operation a line, ``#`` begins a comment, ``repeat n`` … ``endrepeat`` nest, and ``end``
must be the last line. What an operation does is the block's affair: see its ``programs``
module.

With a :class:`SectionLoader` lines belong to sections, each for a player that runs on its own.
``thread 1`` begins the section of a thread's instructions, a word of :class:`Sections` one of
another player's operations. ``gap 20`` are idle cycles before the next operation of the section;
``wait`` says what that operation waits for: a number of things that were done elsewhere
(``wait issue 1 20``), where no number means all that stand above, repeats counted as they run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np

from tilepath.engine.description.player import GAP_MASK, Items
from tilepath.engine.description.stimulus import Context, Stimulus, TestSpec
from tilepath.engine.project import project
from tilepath.engine.text import Line, TextError, Where, blocks, lines, read_text

SUFFIX: Final = ".tt"

_WORD = re.compile(r"(0[xX])?[0-9a-fA-F]{8}")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|[0-9]+")
_WORD_LIMIT: Final = 1 << 32
_BEGINS = re.compile(r"repeat\b", re.IGNORECASE)
_ENDS = re.compile(r"endrepeat\b", re.IGNORECASE)


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
    """The number that ``text`` is; ``ValueError`` if it is none or takes over 32 bits."""
    if _WORD.fullmatch(text):
        return int(text, 16)
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{text!r} is not a number (decimal, 0x, or eight hexadecimal digits)")
    value = int(text, 16 if text[:2].lower() == "0x" else 10)
    if value >= _WORD_LIMIT:
        raise ValueError(f"{text} does not fit in 32 bits")
    return value


def numbers(rest: list[str], name: str, count: int | None = None) -> list[int]:
    """The numbers in ``rest``, the operands of ``name``: ``count`` of them, or any number."""
    if count is not None and len(rest) != count:
        raise ValueError(f"{name} takes {count} number{'s' if count > 1 else ''}")
    return [number(text) for text in rest]


class Loader:
    """Plays the lines of a program; a block's loader says what an operation does."""

    max_items = 1_000_000
    """Most operations, repeats counted as they run."""

    def __init__(self, path: Path, text: str, profile: str) -> None:
        self._path = path
        self._text = text
        self._profile = profile
        self._budget = self.max_items

    def operation(self, line: str) -> None:
        """Do what ``line`` says; ``ValueError``, of whatever kind, if that makes no sense."""
        raise NotImplementedError

    def players(self) -> dict[str, Items]:
        """What the operations have made of it: player instance → items; empty if nothing."""
        raise NotImplementedError

    def load(self) -> Program:
        """The program; :class:`TextError` for a truncated or malformed one."""
        given = list(lines(self._text, str(self._path)))
        end = next((at for at, line in enumerate(given) if line.word.lower() == "end"), None)
        if end is None:
            last = Where(str(self._path), self._text.rstrip().count("\n") + 1, 1)
            raise last.error("no end line: the file is truncated")
        for line in given[end + 1 :]:
            raise line.error("something follows the end line")
        if given[end].rest:
            raise given[end].error("end takes nothing behind it")
        self._play([*blocks(given[:end], _BEGINS, _ENDS, "endrepeat")])
        players = self.players()
        if not players:
            raise given[end].error("the program does nothing")
        return Program(self._path.stem, players)

    def word(self, text: str) -> int:
        """A 32-bit word: eight hexadecimal digits, or a line of assembly."""
        if not text:
            raise ValueError("a word is missing")
        return number(text) if _WORD.fullmatch(text) else project().assemble(text, self._profile)

    def count(self, rest: list[str], name: str, least: int) -> int:
        """The one operand of ``name``, at least ``least``."""
        (value,) = numbers(rest, name, 1)
        if value < least:
            raise ValueError(f"{name} takes a number of at least {least}")
        if value > self.max_items:
            raise ValueError(f"{name} takes a number of at most {self.max_items}")
        return value

    def _spend(self, line: Line) -> None:
        self._budget -= 1
        if self._budget < 0:
            raise line.error(f"more than {self.max_items} operations")

    def _play(self, given: Sequence[Line]) -> None:
        for line in given:
            self._spend(line)
            try:
                if line.body is None:
                    self.operation(line.text)
                    continue
                for _ in range(self.count(line.rest.split(), "repeat", 1)):
                    self._spend(line)
                    self._play(line.body)
            except TextError:  # of a line inside a repeat
                raise
            except ValueError as error:  # a bad line, or items refuse a value that does not fit
                raise line.error(error) from None


@dataclass(frozen=True)
class Sections:
    """The sections of a block's programs.

    ``players``: the word that begins a section → its player. ``conditions``: the word of a section
    → the condition that so many of its operations are done; ``after_issue``: that so many words of
    a thread are. ``threads``: how many there are. ``levels``: players without gaps and waits.
    """

    players: Mapping[str, str]
    conditions: Mapping[str, Callable[[int], Any]]
    after_issue: Callable[[int, int], Any]
    threads: int
    levels: tuple[str, ...] = ()


@dataclass
class Given:
    """What a player has been given so far, and what its next item must wait for."""

    rows: list[Items] = field(default_factory=list)
    gap: int = 0
    idle: int = 0
    after: list[int] = field(default_factory=list)

    def put(self, item: Items) -> None:
        """Add an item, which has waited for all that."""
        self.rows.append(item)
        self.gap = self.idle = 0
        self.after = []


class SectionLoader(Loader):
    """Plays the lines of such a program; a block's loader knows what its sections do."""

    max_items = 100_000

    sections: ClassVar[Sections]

    def __init__(self, path: Path, text: str, profile: str) -> None:
        super().__init__(path, text, profile)
        self._given: dict[str, Given] = {}
        self._section = ""

    def do(self, section: str, name: str, rest: list[str], line: str) -> None:
        """Do the operation ``name`` of ``section`` (a player's name), which is no gap or wait."""
        raise NotImplementedError

    def wait(self, kind: str, operands: list[str]) -> None:
        """Let the next operation wait for what ``kind`` and ``operands`` say."""
        raise NotImplementedError

    def players(self) -> dict[str, Items]:
        """What the players have been given."""
        return {
            name: np.concatenate(given.rows) for name, given in self._given.items() if given.rows
        }

    def operation(self, line: str) -> None:
        """Begin a section, or let it do something."""
        name, *rest = line.lower().split()
        if name == "thread":
            self._section = f"t{self.thread(numbers(rest, name, 1)[0])}.issue"
        elif name in self.sections.players and not rest:
            self._section = self.sections.players[name]
        elif not self._section:
            *most, last = ("thread", *self.sections.players)
            raise ValueError(f"no section yet: {', '.join(most)} or {last}")
        elif self._section in self.sections.levels:
            self.do(self._section, name, rest, line)
        elif name == "gap":
            given = self.given()
            given.gap += numbers(rest, name, 1)[0]
            if given.gap > GAP_MASK:
                raise ValueError(f"a gap is at most {GAP_MASK} cycles")
        elif name == "wait":
            self.wait(rest[0] if rest else "", rest[1:])
        else:
            self.do(self._section, name, rest, line)

    def given(self, player: str = "") -> Given:
        """What ``player`` has been given; by default the one of the section."""
        return self._given.setdefault(player or self._section, Given())

    def thread(self, chosen: int) -> int:
        """``chosen``, if there is such a thread."""
        if chosen >= self.sections.threads:
            raise ValueError(f"there is no thread {chosen}")
        return chosen

    def counted(self, kind: str, operands: list[str]) -> int:
        """The condition of ``wait issue`` or of ``wait`` with the word of a section."""
        found = numbers(operands, f"wait {kind}")
        if kind == "issue":
            if not found:
                raise ValueError("wait issue takes the number of a thread, and a count at most")
            thread, *count = found
            so_far = self._so_far(f"t{self.thread(thread)}.issue", count)
            return int(self.sections.after_issue(thread, so_far))
        so_far = self._so_far(self.sections.players[kind], found)
        return int(self.sections.conditions[kind](so_far))

    def _so_far(self, player: str, count: list[int]) -> int:
        if len(count) > 1:
            raise ValueError("wait takes one count at most")
        done = self._given.get(player)
        return count[0] if count else len(done.rows) if done else 0


@dataclass(frozen=True)
class ProgramFiles:
    """The program files in ``directory``.

    ``loader`` plays their lines; ``floor`` has the fewest events that the test of a program must
    have seen, given the threads that it has lines for.
    """

    directory: Path
    loader: type[Loader]
    floor: Callable[[Sequence[int]], Mapping[str, int]]

    def names(self) -> tuple[str, ...]:
        """Names of the programs, in alphabetical order."""
        return tuple(sorted(path.stem for path in self.directory.glob(f"*{SUFFIX}")))

    def path(self, name: str) -> Path:
        """The file of the program ``name``."""
        return self.directory / f"{name}{SUFFIX}"

    def load(self, program: str | Path, profile: str) -> Program:
        """Read a program by its name, or a file that may be anywhere.

        ``TextError`` for an unreadable, truncated or malformed one.
        """
        path = self.path(program) if isinstance(program, str) else program
        return self.loader(path, read_text(path), profile).load()

    def test(self, name: str) -> TestSpec:
        """The program ``name`` as a test; its first comment is the summary."""
        summary, threads = _summary_and_threads(self.path(name))

        def stimulus(ctx: Context) -> Stimulus:
            return self.load(name, ctx.profile).stimulus()

        return TestSpec(name, summary, "program", stimulus, floor=self.floor(threads))

    def tests(self) -> dict[str, TestSpec]:
        """Name → test, of all programs."""
        return {name: self.test(name) for name in self.names()}


def _summary_and_threads(path: Path) -> tuple[str, list[int]]:
    """A program's first comment, and the threads that it has lines for."""
    text = path.read_text(encoding="utf-8", errors="replace")
    comments = (line[1:].strip() for line in text.splitlines() if line.startswith("#"))
    summary = next((line for line in comments if not line.startswith("SPDX")), "")
    return summary, sorted({int(n) for n in re.findall(r"(?m)^thread ([0-2])", text)})
