# SPDX-License-Identifier: Apache-2.0
"""Programs whose lines belong to sections, each for a player that runs on its own.

``thread 1`` begins the section of a thread's instructions, a word of :class:`Sections` one of
another player's operations. ``gap 20`` are idle cycles before the next operation of the section;
``wait`` says what that operation waits for: a number of things that were done elsewhere
(``wait issue 1 20``), where no number means all that stand above, repeats counted as they run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from tilepath.engine.description.player import GAP_MASK, Items
from tilepath.engine.stimulus.program_text import BadLineError, Loader, number


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
            raise BadLineError(f"no section yet: {', '.join(most)} or {last}")
        elif self._section in self.sections.levels:
            self.do(self._section, name, rest, line)
        elif name == "gap":
            given = self.given()
            given.gap += numbers(rest, name, 1)[0]
            if given.gap > GAP_MASK:
                raise BadLineError(f"a gap is at most {GAP_MASK} cycles")
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
            raise BadLineError(f"there is no thread {chosen}")
        return chosen

    def counted(self, kind: str, operands: list[str]) -> int:
        """The condition of ``wait issue`` or of ``wait`` with the word of a section."""
        found = numbers(operands, f"wait {kind}")
        if kind == "issue":
            if not found:
                raise BadLineError("wait issue takes the number of a thread, and a count at most")
            thread, *count = found
            so_far = self._so_far(f"t{self.thread(thread)}.issue", count)
            return int(self.sections.after_issue(thread, so_far))
        so_far = self._so_far(self.sections.players[kind], found)
        return int(self.sections.conditions[kind](so_far))

    def _so_far(self, player: str, count: list[int]) -> int:
        if len(count) > 1:
            raise BadLineError("wait takes one count at most")
        done = self._given.get(player)
        return count[0] if count else len(done.rows) if done else 0


def numbers(rest: list[str], name: str, count: int | None = None) -> list[int]:
    """The numbers in ``rest``, the operands of ``name``: ``count`` of them, or any number."""
    if count is not None and len(rest) != count:
        raise BadLineError(f"{name} takes {count} number{'s' if count > 1 else ''}")
    return [number(text) for text in rest]
