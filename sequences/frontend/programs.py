# SPDX-License-Identifier: Apache-2.0
"""Programs as text files: one operation a line.

    # comment; also behind an operation
    thread 1                     the lines that follow belong to this thread (0, 1, 2)
    ttreplay 16,16,0,1           push a word, in assembly as ``isa.assemble`` takes it
    26000000                     push a word, as eight hexadecimal digits (0x in front or not)
    mopcfg 0 4                   MopCfg write: index 0 … 8, then a number or a line of assembly
    mopcfg 5 ttreplay 16,16,0,0
    sync                         mop_sync; ``sync background`` does not wait for it
    gap 20                       idle cycles of the thread's core
    brisc 02000000               BRISC pushes a word once the expander is idle
    brisc unsafe ttnop           … or at once, so that it may collide (F18)
    brisc gap 20                 idle cycles of the thread's BRISC port
    stall 30                     issue port: not ready for so many cycles …
    ready 5                      … then ready; ready for ever at the end
    repeat 4                     the lines up to the matching ``endrepeat``, four times
    endrepeat
    end                          must be the last line: a file without it is truncated

Numbers are decimal, hexadecimal with 0x, or eight hexadecimal digits. The three threads, their
BRISC ports and their issue ports each run on their own: the order of lines matters within one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from isa import IsaError, assemble
from sequences.frontend.builder import ThreadScript
from sequences.frontend.words import MOPCFG_WORDS
from tb.frontend.items import brisc, level
from tb.frontend.streams import THREADS
from tb.kernel.player import GAP_MASK, Items
from tb.kernel.stimulus import Context, Stimulus, TestSpec

DIRECTORY: Final = Path(__file__).parent / "programs"
SUFFIX: Final = ".tt"
MAX_ITEMS: Final = 1_000_000
MAX_DEPTH: Final = 20

_WORD = re.compile(r"(0[xX])?[0-9a-fA-F]{8}")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|[0-9]+")
_WORD_LIMIT: Final = 1 << 32


class ProgramError(ValueError):
    """A program that cannot be played: one line, ``file:line: what is wrong``."""


class _BadLine(ValueError):
    """What is wrong with a line, without its place."""


@dataclass
class _Thread:
    """What one thread's players have been given so far."""

    core: ThreadScript
    brisc: list[tuple[int, int, bool]] = field(default_factory=list)
    brisc_gap: int = 0
    gate: list[tuple[int, int]] = field(default_factory=list)


@dataclass(frozen=True)
class Program:
    """A program, ready to play: player instance → items."""

    name: str
    players: Mapping[str, Items]

    def stimulus(self) -> Stimulus:
        """The program as the ``stimulus`` of a test."""
        return {name: [items] for name, items in self.players.items()}


def load_program(path: Path, profile: str) -> Program:
    """Read ``path``; ``ProgramError`` for an unreadable, truncated or malformed file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ProgramError(f"{path}:0: cannot be read: {reason}") from None
    return _Loader(path, text, profile).load()


class _Loader:
    def __init__(self, path: Path, text: str, profile: str) -> None:
        self._path = path
        self._profile = profile
        self._threads = [_Thread(ThreadScript(profile)) for _ in range(THREADS)]
        self._current: _Thread | None = None
        self._budget = MAX_ITEMS
        stripped = (line.partition("#")[0].strip() for line in text.splitlines())
        self._lines = [(number, line) for number, line in enumerate(stripped, 1) if line]
        self._last = len(text.splitlines())

    def load(self) -> Program:
        matching = self._structure()
        self._play(0, len(self._lines) - 1, matching)
        players = dict(self._players())
        if not players:
            raise self._error(self._lines[-1][0], "the program does nothing")
        return Program(self._path.stem, players)

    def _error(self, number: int, what: str) -> ProgramError:
        return ProgramError(f"{self._path}:{number}: {what}")

    def _structure(self) -> dict[int, int]:
        """Place of each ``repeat`` → place of its ``endrepeat``."""
        matching: dict[int, int] = {}
        opened: list[int] = []
        for place, (number, line) in enumerate(self._lines):
            head = line.split()[0].lower()
            if head == "repeat":
                opened.append(place)
                if len(opened) > MAX_DEPTH:
                    raise self._error(number, f"repeats nested more than {MAX_DEPTH} deep")
            elif head == "endrepeat":
                if not opened:
                    raise self._error(number, "endrepeat without repeat")
                matching[opened.pop()] = place
            elif head == "end" and place != len(self._lines) - 1:
                raise self._error(self._lines[place + 1][0], "something follows the end line")
        if not self._lines or self._lines[-1][1].split()[0].lower() != "end":
            raise self._error(self._last, "no end line: the file is truncated")
        if opened:
            raise self._error(self._lines[opened[-1]][0], "repeat without endrepeat")
        return matching

    def _spend(self, number: int) -> None:
        self._budget -= 1
        if self._budget < 0:
            raise self._error(number, f"more than {MAX_ITEMS} operations")

    def _play(self, begin: int, end: int, matching: Mapping[int, int]) -> None:
        place = begin
        while place < end:
            number, line = self._lines[place]
            self._spend(number)
            try:
                if place in matching:
                    times = _count(line.split()[1:], "repeat", 1)
                    for _ in range(times):
                        self._spend(number)
                        self._play(place + 1, matching[place], matching)
                    place = matching[place]
                else:
                    self._operation(line)
            except _BadLine as error:
                raise self._error(number, str(error)) from None
            place += 1
        if end == len(self._lines) - 1 and len(self._lines[end][1].split()) > 1:
            raise self._error(self._lines[end][0], "end takes nothing behind it")

    def _operation(self, line: str) -> None:
        head, *rest = line.split()
        name = head.lower()
        if name == "endrepeat":
            return
        if name == "thread":
            number = _count(rest, "thread", 0)
            if number >= THREADS:
                raise _BadLine(f"there is no thread {number}")
            self._current = self._threads[number]
            return
        if self._current is None:
            raise _BadLine("no thread selected yet")
        thread = self._current
        if name in ("stall", "ready"):
            thread.gate.append((_count(rest, name, 1), int(name == "ready")))
        elif name == "gap":
            thread.core.gap(_count(rest, name, 0))
        elif name == "sync":
            if rest not in ([], ["background"]):
                raise _BadLine("sync takes nothing but the word background")
            thread.core.sync(background=bool(rest))
        elif name == "mopcfg":
            self._mopcfg(thread, rest)
        elif name == "brisc":
            self._brisc(thread, rest)
        else:
            thread.core.push(self._word(line))

    def _mopcfg(self, thread: _Thread, rest: list[str]) -> None:
        if len(rest) < 2:
            raise _BadLine("mopcfg takes an index and a word")
        index = _number(rest[0])
        if index >= MOPCFG_WORDS:
            raise _BadLine(f"MopCfg has no word {index}")
        numeric = len(rest) == 2 and (_WORD.fullmatch(rest[1]) or _NUMBER.fullmatch(rest[1]))
        data = _number(rest[1]) if numeric else self._word(" ".join(rest[1:]))
        thread.core.mopcfg({index: data})

    def _brisc(self, thread: _Thread, rest: list[str]) -> None:
        if rest[:1] == ["gap"]:
            thread.brisc_gap += _count(rest[1:], "brisc gap", 0)
            if thread.brisc_gap > GAP_MASK:
                raise _BadLine(f"a gap of the BRISC port is at most {GAP_MASK} cycles")
            return
        safe = rest[:1] != ["unsafe"]
        word = self._word(" ".join(rest if safe else rest[1:]))
        thread.brisc.append((thread.brisc_gap, word, safe))
        thread.brisc_gap = 0

    def _word(self, text: str) -> int:
        if not text:
            raise _BadLine("a word is missing")
        if _WORD.fullmatch(text):
            return _number(text)
        try:
            return assemble(text, self._profile)
        except IsaError as error:
            raise _BadLine(str(error)) from None

    def _players(self) -> Iterator[tuple[str, Items]]:
        for place, thread in enumerate(self._threads):
            if len(thread.core):
                yield f"t{place}.core", thread.core.items()
            if thread.brisc:
                rows = [brisc(word, gap, safe) for gap, word, safe in thread.brisc]
                yield f"t{place}.brisc", np.concatenate(rows)
            if thread.gate:
                cycles, values = zip(*thread.gate, strict=True)
                yield f"t{place}.gate", level(cycles, values)


def _number(text: str) -> int:
    if _WORD.fullmatch(text):
        return int(text, 16)
    if not _NUMBER.fullmatch(text):
        raise _BadLine(f"{text!r} is not a number (decimal, 0x, or eight hexadecimal digits)")
    value = int(text, 16 if text[:2].lower() == "0x" else 10)
    if value >= _WORD_LIMIT:
        raise _BadLine(f"{text} does not fit in 32 bits")
    return value


def _count(rest: list[str], name: str, least: int) -> int:
    if len(rest) != 1:
        raise _BadLine(f"{name} takes one number")
    value = _number(rest[0])
    if value < least:
        raise _BadLine(f"{name} takes a number of at least {least}")
    if value > MAX_ITEMS:
        raise _BadLine(f"{name} takes a number of at most {MAX_ITEMS}")
    return value


def program_names() -> tuple[str, ...]:
    """Names of the programs that come with the project, in alphabetical order."""
    return tuple(sorted(path.stem for path in DIRECTORY.glob(f"*{SUFFIX}")))


def _program_test(name: str) -> TestSpec:
    path = DIRECTORY / f"{name}{SUFFIX}"
    text = path.read_text(encoding="utf-8", errors="replace")
    comments = (line[1:].strip() for line in text.splitlines() if line.startswith("#"))
    summary = next((line for line in comments if not line.startswith("SPDX")), "")
    threads = sorted({int(number) for number in re.findall(r"(?m)^thread ([0-2])", text)})

    def stimulus(ctx: Context) -> Stimulus:
        return load_program(path, ctx.profile).stimulus()

    return TestSpec(
        name=name,
        summary=summary,
        kind="program",
        stimulus=stimulus,
        floor={f"t{thread}.issue": 10 for thread in threads},
    )


TESTS: dict[str, TestSpec] = {name: _program_test(name) for name in program_names()}
