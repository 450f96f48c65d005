# SPDX-License-Identifier: Apache-2.0
"""What a thread does, word by word: MOPs and REPLAYs as far as it is known what they stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from tilepath.isa import constants, decode
from tilepath.models.control.instructions import INSTRUCTIONS, Kind
from tilepath.models.frontend import FunctionalThread
from tilepath.models.frontend.untimed_mop import CONFIG_REGISTERS, is_nop
from tilepath.models.machine import items as I

_LOW24: Final = 0xFFFFFF
_UNKNOWN: Final = _LOW24  # opcode 0, in place of a word that nobody has given
_FRONT_END: Final = (constants.OP_MOP, constants.OP_MOP_CFG, constants.OP_REPLAY)


class StreamError(ValueError):
    """A stream that cannot be: one line, with its thread."""


@dataclass(frozen=True)
class Step:
    """A word that issues, or with ``item`` what the core does; of neither: nobody knows what.

    ``where``: its place in a text, or thread and number. ``issues``: or else it is one for the
    front end; ``defect``: a MOP whose loop makes passes that nobody wants.
    """

    word: int = -1
    where: object = None
    item: I.Item | None = None
    issues: bool = True
    defect: bool = False

    @property
    def kind(self) -> Kind:
        """Which kind of word issues; ``Kind.RISC``: none."""
        issues = self.word >= 0 and self.issues
        return Kind(int(INSTRUCTIONS[self.word >> 24].kind)) if issues else Kind.RISC

    @property
    def is_known(self) -> bool:
        """Whether it is a word or of the core."""
        return self.word >= 0 or self.item is not None

    @property
    def name(self) -> str:
        """The mnemonic."""
        return decode(self.word).mnemonic


class _Thread:
    """A front end that words go through as their numbers, as it looks at nothing but opcodes."""

    def __init__(self, profile: str) -> None:
        self.front = FunctionalThread(profile)
        self.front.mop_cfg[2:] = self.front.buffer_in_use[:] = _UNKNOWN
        self._given: list[Step] = []
        self._missing = {0, 1}  # registers of MopCfg that are counts and flags

    def _numbered(self, step: Step) -> int:
        if step.word >> 24 in _FRONT_END:
            return step.word
        self._given.append(step)
        return step.word & ~_LOW24 | len(self._given) - 1

    def store(self, index: int, step: Step) -> None:
        """Store in MopCfg."""
        self._missing.discard(index)
        if index < CONFIG_REGISTERS:
            self.front.mop_cfg[index] = step.word if index < 2 else self._numbered(step)

    def push(self, step: Step) -> Iterator[Step]:
        """What comes of a word; first itself if it is for the front end."""
        given = self._numbered(step)
        if step.word >> 24 in _FRONT_END:
            mop, double = step.word >> 24 == constants.OP_MOP, step.word >> 23 & 1
            outer, inner, start, end = (int(one) for one in self.front.mop_cfg[:4])
            none = outer & 127 == 1 and inner & 127 == 0 and is_nop(start) and not is_nop(end)
            if mop and self._missing & ({0, 1} if double else {1}):
                given = _UNKNOWN
            known = mop and double and _UNKNOWN not in (given, start, end)
            yield Step(step.word, step.where, issues=False, defect=bool(known and none))
        for found in self.front.feed([given]).tolist():
            if found == _UNKNOWN:
                yield Step(where=step.where)
            elif found >> 24 in _FRONT_END:  # which is illegal here
                yield Step(found, step.where)
            else:
                yield self._given[found & _LOW24]


def steps_of(number: int, items: Iterable[I.Item | int], profile: str) -> Iterator[Step]:
    """What thread 0 to 2 does with the items of its core.

    Raises:
        StreamError: it ends in the middle of a recording.
    """
    thread, pushed = _Thread(profile), 0
    for item in items:
        if isinstance(item, I.MopCfg):
            step = Step(item.value, item.where or f"thread {number}, MopCfg {item.index}")
            thread.store(item.index, step)
        elif isinstance(item, int | I.Push):
            words, where = ((item,), ()) if isinstance(item, int) else (item.words, item.where)
            for place, word in enumerate(words):
                pushed += 1
                known = where[place] if where else f"thread {number}, word {pushed}"
                yield from thread.push(Step(word, known))
        else:
            yield Step(item=item)
    if missing := thread.front.unrecorded:
        what = f"ends inside of a recording, {missing} words of its REPLAY are missing"
        raise StreamError(f"thread {number} {what}")
