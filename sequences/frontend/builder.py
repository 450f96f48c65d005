# SPDX-License-Identifier: Apache-2.0
"""A thread's script, written by hand: what a TRISC pushes, writes and waits for, in order.

    script = ThreadScript()
    script.mopcfg([1, 4, NOP, NOP, NOP, replay(16, 16), NOP, mvmul, replay(16, 16)])
    script.asm("ttmop 1,0,0").sync().gap(10).asm("ttnop")
    items = script.items()

Each call adds one item or more for the thread's ``core`` player (``tb/frontend/items.py``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Self

import numpy as np

from tilepath.isa import assemble
from tilepath.isa.profiles import DEFAULT
from tilepath.sequences.frontend.words import MOPCFG_WORDS
from tilepath.tb.frontend.items import (
    CORE_WORDS,
    INDEX_SHIFT,
    MOPCFG,
    PUSH,
    SYNC,
    SYNC_BACKGROUND,
)
from tilepath.tb.kernel.description.player import GAP_MASK, Items

_WORD_MAX = 0xFFFF_FFFF


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
        self._rows: list[tuple[int, int, int]] = []
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
        flags = (SYNC if sync or background else 0) | (SYNC_BACKGROUND if background else 0)
        word = data = 0
        if push is not None:
            flags |= PUSH
            word = check_word(push)
        if mopcfg is not None:
            index, data = mopcfg
            if not 0 <= index <= 15:
                raise ValueError(f"MopCfg index {index} does not fit in 4 bits")
            flags |= MOPCFG | index << INDEX_SHIFT
            check_word(data, "MopCfg data")
        if not flags:
            raise ValueError("an item must push, write MopCfg or ask for mop_sync")
        self._rows.append((self._gap | flags, word, data))
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
        # word 0 of an item holds 16 bits of gap; an item with no flag does nothing
        while self._gap > GAP_MASK:
            self._rows.append((GAP_MASK - 1, 0, 0))
            self._gap -= GAP_MASK

    def extend(self, other: ThreadScript) -> Self:
        """Append everything that ``other`` does."""
        for first, word, data in other._rows:
            self._gap += first & GAP_MASK
            self._split_gap()
            self._rows.append((first & ~GAP_MASK | self._gap, word, data))
            self._gap = 0
        self._gap += other._gap
        self._cycles += other._cycles
        return self

    def items(self) -> Items:
        """The items so far (n by 3, uint32). A gap at the end becomes an item that does nothing."""
        rows = list(self._rows)
        if self._gap:
            rows.append((self._gap - 1, 0, 0))
        return np.array(rows, np.uint32).reshape(len(rows), CORE_WORDS)


def join(scripts: Iterable[ThreadScript]) -> ThreadScript:
    """One script that runs all of ``scripts`` in order."""
    joined = ThreadScript()
    for script in scripts:
        joined.extend(script)
    return joined
