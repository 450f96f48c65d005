# SPDX-License-Identifier: Apache-2.0
"""Scripts of the unpackers: phases as in ``engine/stimulus/script.py``.

A :class:`Script` keeps a picture of what has been written (``view.View``); what it writes a second
time is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike

from tilepath.engine.description.player import Items
from tilepath.engine.stimulus import script
from tilepath.engine.stimulus.script import NONE, Feed, Fields
from tilepath.sequences.adc.words import packed, set_words
from tilepath.sequences.config_script import ConfigScript
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.config import (
    ALU_WORD,
    DST_MAP_WORD,
    MISC,
    RESETS,
    Setup,
    Thread,
)
from tilepath.sequences.unpack.view import CHUNK, View
from tilepath.tb.unpack import items
from tilepath.tb.unpack.items import DST, NOTHING, READ, RELEASE, SRCA, SRCB, ZERO
from tilepath.tb.unpack.streams import HOLDING

PLAYERS: Final = HOLDING.sources
THREADS: Final = range(3)
_ISSUE: Final = tuple(f"t{thread}.issue" for thread in THREADS)
UNPACKERS: Final = range(2)

__all__ = [
    "DST", "FENCE", "NOTHING", "READ", "RELEASE", "SRCA", "SRCB", "ZERO", "Feed", "Script",
    "script_test",
]  # fmt: skip


FENCE: Final = packed("incadcxy", 4, (0, 0, 0, 0))
"""A word that changes nothing: it can issue when the address phase of what came before is over."""
_IDLE: Final = (0,) * len(items.COMMAND)

# What a player does first in a phase, if its first item has a gap: nothing that anybody notices.
_LEADS: Final[Mapping[str, tuple[Any, ...]]] = {
    "issue": (FENCE,),
    "cfg": (0, 40, 0, (0, 0, 0, 0)),
    "setc16": (60, 0),
    "flop": (0, 150, 0, (0, 0, 0, 0)),
    "store": (0, 60, 0),
    "matrix": _IDLE,
    "matrix_write": (3, 0, 0, (0,) * 16, 0, 0, 0),  # to no file
    "l1_write": (0, bytes(CHUNK)),  # no set-up reads there
}


class Script(ConfigScript):
    """Collects items. ``view``: what has been written so far, and how the counters stand.

    ``released``: how often each file has been. ``stale``: SrcA banks that must not be read (U37).
    """

    holding = HOLDING
    waiter = ("matrix", _IDLE)
    leads = _LEADS

    def __init__(self, profile: str) -> None:
        super().__init__()
        self.profile = profile
        self.view = View(profile)
        self.released = [0, 0]
        self.stale: set[int] = set()
        self._thread: list[dict[int, int]] = [{}, {}, {}]
        self._begin = 0

    def make(self, player: str, rows: Sequence[Fields], **heads: ArrayLike) -> Items:
        """As the base has it."""
        kind = player.rpartition(".")[2]
        if kind == "cfg":
            return _configs(rows, heads)
        columns = list(zip(*rows, strict=True))
        if kind == "l1_write":
            lines, data = columns
            words = np.frombuffer(b"".join(data), "<u4").reshape(len(lines), -1)
            return items.l1_write(lines, words, **heads)
        if kind == "matrix":
            return items.matrix(dict(zip(items.COMMAND, columns, strict=True)), **heads)
        return _MAKE[kind](*columns, **heads)

    def phase(self, idle: bool = True) -> Self:
        """As the base has it."""
        self._begin = len(self.history or ())
        return super().phase(idle)

    # -- what the players do

    def word(self, thread: int, *words: int, gap: int = 0, after: int = 0, idle: int = 0) -> Self:
        """``thread`` issues ``words``: the first after ``gap`` and conditions, then straight on.

        ``idle``: bits of ``busy`` that must be 0. The view follows.
        """
        for word in words:
            self.view.machine.pass_by(thread, word)
        return self.issued(thread, words, gap, after, idle)

    def issued(
        self, thread: int, words: Iterable[int], gap: int = 0, after: int = 0, idle: int = 0
    ) -> Self:
        """The same of words that the view has followed already."""
        for word in words:
            self.add(_ISSUE[thread], (word,), gap, after, idle)
            gap = after = idle = 0
        return self

    def fence(self, thread: int) -> Self:
        """A word that issues only when what the thread issued before has been sampled."""
        return self.word(thread, FENCE)

    def counters(self, thread: int, unpacker: int, **values: int) -> Self:
        """Set counters of ``thread``: ``x0`` … ``w1``."""
        numbers = {w.ALL_COUNTERS.index(name): value for name, value in values.items()}
        return self.word(thread, *set_words(unpacker, numbers))

    def setup(
        self, banks: int, unpacker: int, setup: Setup, wide: bool = True, flops: int = 0
    ) -> Self:
        """Make ``setup`` that of ``unpacker`` in ``banks``: writes the words that differ.

        ``wide``: four at a time where that saves writes; ``flops`` as in ``words``.
        """
        for bank in (0, 1):
            if not banks >> bank & 1:
                continue
            self.words(bank, self.view.set_up(bank, unpacker, setup), wide, flops)
        return self

    def unsigned(self, value: int, banks: int = 3) -> Self:
        """Write word 1 of the configuration (:func:`tilepath.sequences.unpack.config.alu_word`)."""
        if any(banks >> b & 1 and self._config[b].get(ALU_WORD, 0) != value for b in (0, 1)):
            self.config(banks, ALU_WORD, value)
        return self

    def dst_map(self, value: int) -> Self:
        """Write Config word 220: bit 0 swizzle, bit 1 remap of Dst's rows (P52)."""
        if self._config[0].get(DST_MAP_WORD, 0) != value:
            self.config(3, DST_MAP_WORD, value)
        return self

    def thread(
        self, thread: int, own: Thread, after: int = 0, stores: int = 0, overruled: int = 0
    ) -> Self:
        """Make ``own`` the thread's words: writes those that differ, and a reset always.

        Bits of the words in their order: ``stores``: a core stores it, if it is no reset;
        ``overruled``: a core stores its complement beside the SETC16.
        """
        known, new = self._thread[thread], own.words()
        for place, (index, value) in enumerate(new.items()):
            reset = index == MISC and own.reset != (0, 0)
            if known.get(index, 0) == value and not reset:
                continue
            known[index] = value
            if stores >> place & 1 and not reset:
                # bits that would be resets, had a SETC16 written them
                self.store(thread, index, value | (RESETS if index == MISC else 0))
            elif overruled >> place & 1 and not after:
                self.overruled(thread, index, value, value ^ 0xFFFF)
            else:
                self.setc16(thread, index, value, after=after)
        self.view.set_thread(thread, own, new)
        return self

    def setc16(self, thread: int, index: int, value: int, gap: int = 0, after: int = 0) -> Self:
        """Write a word of ``thread``; the view does not follow (use :meth:`thread`)."""
        self.add(f"t{thread}.setc16", (index, value), gap, after)
        self._thread[thread][index] = value
        return self

    def matrix(
        self, op: int, file: int, bank: int = 0, row: int = 0, *, wait: int = 0, toggle: int = 0,
        gap: int = 0, after: int = 0, idle: int = 0,
    ) -> Self:  # fmt: skip
        """The Matrix Unit does one thing (``items.command``); ``wait``, ``toggle`` of the file."""
        bit = 1 << file if file < DST else 0
        flags = {"wait": bit * wait, "toggle": bit * toggle}
        given = items.command(op, file, bank, row) | flags
        self.add("matrix", tuple(given.get(name, 0) for name in items.COMMAND), gap, after, idle)
        return self

    def matrix_write(
        self, target: int, bank: int, row: int, data: tuple[int, ...], wait: int = 0, after: int = 0
    ) -> Self:
        """The Matrix Unit writes a row of 16 columns."""
        self.add("matrix_write", (target, bank, row, data, 0, 0, wait), 0, after)
        return self

    def release(self, file: int, gap: int = 0, reads: Iterable[int] = ()) -> Self:
        """The Matrix Unit takes the next bank of ``file``, reads rows, ``gap`` later releases it.

        One for each time that the bank is handed over, in that order.
        """
        bank = self.released[file] & 1
        self.released[file] += 1
        first = 1
        for row in reads:
            self.matrix(READ, file, bank, row, wait=first)
            first = 0
        if first and gap:
            self.matrix(NOTHING, file, bank, wait=1)
            first = 0
        return self.matrix(RELEASE, file, bank, wait=first, toggle=1, gap=gap)

    def memory(self) -> Self:
        """Write what has been put into the view's memory since."""
        self.add_all("l1_write", self._written())
        return self

    def _written(self) -> list[tuple[int, bytes]]:
        """The first line and the bytes of each chunk that has been changed."""
        lines, data = self.view.memory.flush()
        raw = data.astype("<u4").tobytes()
        return [(line, raw[k * CHUNK : (k + 1) * CHUNK]) for k, line in enumerate(lines.tolist())]

    def memory_before(self) -> Self:
        """The same, but in the phase before this one: this one waits for it."""
        writes = self._written()
        if self.history is not None:
            self.history[self._begin : self._begin] = [("l1_write", fields) for fields in writes]
        barriers = [self._before] + [NONE] * len(writes)
        rows = [(fields, 0, 0, one, 0) for fields, one in zip(writes, barriers, strict=False)]
        self._items["l1_write"] += rows
        self.counts["l1_write"] += len(rows)
        for barrier in {id(b): b for b in (self._gate, self._barrier)}.values():
            barrier.count += len(rows)
        return self


_MAKE: Final[Mapping[str, Callable[..., Items]]] = {
    "issue": items.issue, "setc16": items.setc16, "matrix_write": items.matrix_write,
    "flop": items.flop, "store": items.store,
}  # fmt: skip


def _configs(rows: Sequence[Fields], heads: Mapping[str, ArrayLike]) -> Items:
    """Writes of one word and of four, in order."""
    banks, index, wide, data = (list(c) for c in zip(*rows, strict=True))
    # a write of one word has 0 for the others
    return items.cfg_wide(banks, index, data, wide=wide, **heads)


script_test = partial(script.script_test, Script)
