# SPDX-License-Identifier: Apache-2.0
"""A thread's script, written by hand: what a TRISC pushes, writes and waits for, in order.

    script = ThreadScript()
    script.mopcfg([1, 4, NOP, NOP, NOP, replay(16, 16), NOP, mvmul, replay(16, 16)])
    script.asm("ttmop 1,0,0").sync().gap(10).asm("ttnop")
    items = script.items()

Each call adds one item or more for the thread's ``core`` player (``tb/frontend/streams.py``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Self

import numpy as np

from tilepath.engine.description.packing import GAP_MASK, Items
from tilepath.isa import assemble
from tilepath.isa.profiles import DEFAULT
from tilepath.sequences.frontend.words import MOPCFG_WORDS
from tilepath.tb.frontend.streams import CORE

_WORD_MAX = 0xFFFF_FFFF


class CoreItem(NamedTuple):
    """One item of a ``core`` player; one that asks for nothing is idle for a cycle."""

    gap: int = 0
    push: int = 0
    mopcfg: int = 0
    sync: int = 0
    background: int = 0
    index: int = 0
    word: int = 0
    data: int = 0


def packed(rows: Sequence[CoreItem]) -> Items:
    """The items of ``rows``, as the player takes them; ``ValueError`` for what does not fit."""
    columns = np.array(rows, np.int64).reshape(len(rows), len(CoreItem._fields)).T
    return CORE.pack(**dict(zip(CoreItem._fields, columns, strict=True)))


def check_word(word: int, what: str = "word") -> int:
    """``word`` itself; ``ValueError`` when it is not an unsigned 32-bit number."""
    if not 0 <= word <= _WORD_MAX:
        raise ValueError(f"{what} {word:#x} does not fit in 32 bits")
    return word


class ThreadScript:
    """Builds the items of one ``core`` player; every method returns the script itself.

    ``cycles`` counts the cycles that the script takes when each push and each mop_sync is served
    in the cycle in which it is asked for.
    """

    def __init__(self, profile: str = DEFAULT) -> None:
        self._profile = profile
        self._rows: list[CoreItem] = []
        self._gap = 0
        self._cycles = 0

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def cycles(self) -> int:
        """Cycles from the start of the script to its end, a gap at the end included."""
        return self._cycles

    def item(
        self,
        push: int | None = None,
        mopcfg: tuple[int, int] | None = None,
        sync: bool = False,
        background: bool = False,
    ) -> Self:
        """One item: any of push, MopCfg write (index 0 … 15, data) and mop_sync, all at once.

        ``background``: the mop_sync is requested and not waited for. ``ValueError`` for a word or
        an index out of range, and for an item that asks for nothing.
        """
        made = CoreItem(gap=self._gap, sync=sync or background, background=background)
        if push is not None:
            made = made._replace(push=1, word=check_word(push))
        if mopcfg is not None:
            index, data = mopcfg
            if not 0 <= index <= 15:
                raise ValueError(f"MopCfg index {index} does not fit in 4 bits")
            made = made._replace(mopcfg=1, index=index, data=check_word(data, "MopCfg data"))
        if not (made.push or made.mopcfg or made.sync):
            raise ValueError("an item must push, write MopCfg or ask for mop_sync")
        self._rows.append(made)
        self._gap = 0
        self._cycles += 1
        return self

    def push(self, *words: int) -> Self:
        """Push words, one a cycle while there is room."""
        for word in words:
            self.item(push=word)
        return self

    def asm(self, *lines: str) -> Self:
        """Push lines of assembly; ``isa.IsaError``, a ``ValueError``, for a bad one."""
        return self.push(*(assemble(line, self._profile) for line in lines))

    def mopcfg(self, words: Mapping[int, int] | Sequence[int], push: int | None = None) -> Self:
        """Write MopCfg: a mapping index → word, or all nine words in order.

        With ``push``, that word is offered together with the last write. ``ValueError`` when a
        sequence has not exactly nine words. Nothing keeps the writes off an expansion that is
        still going on (F7): call :meth:`sync` first.
        """
        if isinstance(words, Mapping):
            writes = list(words.items())
        elif len(words) == MOPCFG_WORDS:
            writes = list(enumerate(words))
        else:
            raise ValueError(f"MopCfg has {MOPCFG_WORDS} words, not {len(words)}")
        for place, write in enumerate(writes):
            self.item(mopcfg=write, push=push if place == len(writes) - 1 else None)
        return self

    def sync(self, background: bool = False) -> Self:
        """mop_sync: wait until no MOP is queued or expanding (F21), or only ask for it."""
        return self.item(sync=True, background=background)

    def gap(self, cycles: int) -> Self:
        """Stay idle for ``cycles``; ``ValueError`` when negative."""
        if cycles < 0:
            raise ValueError(f"a gap of {cycles} cycles")
        self._gap += cycles
        self._cycles += cycles
        self._split_gap()
        return self

    def _split_gap(self) -> None:
        # a gap has 16 bits; an item with no flag does nothing
        while self._gap > GAP_MASK:
            self._rows.append(CoreItem(gap=GAP_MASK - 1))
            self._gap -= GAP_MASK

    def extend(self, other: ThreadScript) -> Self:
        """Append everything that ``other`` does."""
        for row in other._rows:
            self._gap += row.gap
            self._split_gap()
            self._rows.append(row._replace(gap=self._gap))
            self._gap = 0
        self._gap += other._gap
        self._cycles += other._cycles
        return self

    def items(self) -> Items:
        """The items so far (n by 3, uint32). A gap at the end becomes an item that does nothing."""
        rows = list(self._rows)
        if self._gap:
            rows.append(CoreItem(gap=self._gap - 1))
        return packed(rows)
