# SPDX-License-Identifier: Apache-2.0
"""Programs for blocks whose items wait for one another (``engine/description/waiting.py``).

Beside threads such a program has a section ``config``, whose lines write bank 0:

    write 76 0x1000            word index, data: a store of a core
    add 124 0x81               data is what stands there, so much higher: RDCFG, ADDDMAREG, WRCFG

An operation can wait for two things, and for bits of ``busy`` (``wait idle 0x3``) besides. A word
SETC16 goes through the port for it; the order of the thread's lines stays.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Final

from tilepath.engine.description.player import Items
from tilepath.engine.description.waiting import Holding
from tilepath.engine.stimulus.programs import Given, SectionLoader, numbers
from tilepath.isa import constants

_BANK: Final = 1  # multi-hot
_WAITS: Final = 2


class HeldLoader(SectionLoader):
    """Plays the lines of such a program; a block's loader adds its own sections.

    ``holding``: what its items can wait for. ``opcodes``: words that threads can issue, beside
    SETC16, to ``unit``.
    """

    holding: ClassVar[Holding]
    opcodes: ClassVar[frozenset[int]]
    unit: ClassVar[str]

    def __init__(self, path: Path, text: str, profile: str) -> None:
        super().__init__(path, text, profile)
        self._config: dict[int, int] = {}

    def item(self, kind: str, *fields: Any, **waits: Any) -> Items:
        """An item of a ``kind`` of player; those of ``cfg`` are banks, index and one word."""
        raise NotImplementedError

    def operate(self, section: str, name: str, rest: list[str]) -> bool:
        """Do an operation of a section of the block's own; whether there is such a one."""
        raise NotImplementedError

    def do(self, section: str, name: str, rest: list[str], line: str) -> None:
        """Write configuration, issue a word, or do what ``operate`` does."""
        if section == "cfg" and name in ("write", "add"):
            index, data = numbers(rest, name, 2)
            if name == "add":
                data += self._config.get(index, 0)
            self._config[index] = data & 0xFFFF_FFFF
            self.put("cfg", _BANK, index, data & 0xFFFF_FFFF)
        elif section not in self.sections.players.values():
            self._word(int(section[1]), self.word(line))
        elif not self.operate(section, name, rest):
            raise ValueError(f"there is no operation {name!r} here")

    def put(self, kind: str, *fields: Any) -> None:
        """An item of the section's player, which waits for all that was said."""
        given = self.given()
        given.put(self.item(kind, *fields, **_head(given)))

    def _word(self, thread: int, word: int) -> None:
        if word >> 24 == constants.OP_SETC16:
            self._setc16(thread, word)
        elif word >> 24 in self.opcodes:
            self.put("issue", word)
        else:
            raise ValueError(f"word {word:08X} goes to no port of {self.unit}")

    def _setc16(self, thread: int, word: int) -> None:
        own, port = self.given(), self.given(f"t{thread}.setc16")
        port.gap, own.gap = own.gap, 0
        port.idle, own.idle = own.idle, 0
        same = self.holding.source_of(self._after(f"t{thread}.setc16", 0))
        # its own order is kept anyway
        port.after = [c for c in own.after if self.holding.source_of(c) != same]
        own.after = []
        if own.rows:
            self._append(port, self._after(f"t{thread}.issue", len(own.rows)))
        port.put(self.item("setc16", word >> 16 & 0x7F, word & 0xFFFF, **_head(port)))
        self._append(own, self._after(f"t{thread}.setc16", len(port.rows)))

    def _after(self, player: str, count: int) -> int:
        return int(self.holding.after(player, count))

    def _append(self, given: Given, condition: int) -> None:
        # of two counts of one thing the later one says it all
        source = self.holding.source_of(condition)
        same = [c for c in given.after if self.holding.source_of(c) == source]
        given.after = [c for c in given.after if c not in same]
        given.after.append(max([condition, *same]))
        if len(given.after) > _WAITS:
            raise ValueError(f"an operation waits for {_WAITS} things at most")

    def wait(self, kind: str, operands: list[str]) -> None:
        """Let the next operation wait for a count, or for ``busy`` bits."""
        given = self.given()
        if kind == "idle":
            (mask,) = numbers(operands, "wait idle", 1)
            if mask >> self.holding.busy:
                raise ValueError(f"wait idle takes a mask of {self.holding.busy} bits")
            given.idle |= mask
        elif kind == "issue" or kind in self.sections.conditions:
            self._append(given, self.counted(kind, operands))
        else:
            raise ValueError(f"wait takes issue, {', '.join(self.sections.conditions)} or idle")


def _head(given: Given) -> dict[str, Any]:
    after, and_after = (*given.after, 0, 0)[:_WAITS]
    return {"gaps": given.gap, "idle": given.idle, "after": after, "and_after": and_after}
