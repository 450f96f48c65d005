# SPDX-License-Identifier: Apache-2.0
"""Scripts of the stand-in: configuration, rows of SrcA, SrcB and Dst, words of threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import ArrayLike

from tilepath.engine.description.packing import Items
from tilepath.engine.stimulus import script
from tilepath.engine.stimulus.script import Fields
from tilepath.isa import assemble
from tilepath.isa.boundary.standin import THREADS
from tilepath.sequences.config_script import ConfigScript
from tilepath.sequences.standin import config
from tilepath.sequences.standin.words import modifier
from tilepath.tb.standin import streams

A, B, DST = range(3)
COLUMNS: Final = 16
_NO_WORD: Final = 60  # of ThreadConfig: not read here


class Script(ConfigScript):
    """Collects items of the stand-in's players that can wait."""

    holding = streams.HOLDING
    waiter = ("cfg", (0, 4, 0, (0, 0, 0, 0)))
    leads: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "cfg": (0, 4, 0, (0, 0, 0, 0)),
        "setc16": (_NO_WORD, 0),
    }

    def __init__(self, profile: str) -> None:
        super().__init__()
        self.profile = profile
        self._thread: list[dict[int, int]] = [{} for _ in range(THREADS)]

    def make(self, player: str, rows: Sequence[Fields], **heads: ArrayLike) -> Items:
        """As the base has it."""
        columns = [np.array(column) for column in zip(*rows, strict=True)]
        return streams.items(player, tuple(columns), **heads)

    def issue(self, thread: int, *words: int | str, gap: int = 0) -> Self:
        """``thread`` issues words, as numbers or in assembly: the first after ``gap``."""
        for word in words:
            code = assemble(word, self.profile) if isinstance(word, str) else word
            self.add("issue", (thread, code), gap)
            gap = 0
        return self

    def setup(self, banks: int = 3, **fields: int) -> Self:
        """Write the Config words that differ (``config.CONFIG``) in ``banks`` (multi-hot)."""
        for bank in range(2):
            if banks >> bank & 1:
                self.words(bank, config.config_words(**fields))
        return self

    def setc16(self, thread: int, index: int, value: int) -> Self:
        """Write a word of ThreadConfig if it differs from what was written last."""
        if self._thread[thread].get(index, 0) != value:
            self.add(f"t{thread}.setc16", (index, value))
            self._thread[thread][index] = value
        return self

    def thread(self, thread: int, **fields: int) -> Self:
        """Write the fields of ``config.THREAD``; what is left out is 0."""
        for index, value in config.thread_words(**fields).items():
            self.setc16(thread, index, value)
        return self

    def modifier(self, thread: int, number: int, **fields: int) -> Self:
        """Write the address modifier ``number`` of ``thread``."""
        for index, value in modifier(number, **fields).items():
            self.setc16(thread, index, value)
        return self

    def load(self, target: int, bank: int, row: int, data: ArrayLike, valid: int = 1) -> Self:
        """Write rows (n × 16) from ``row`` on: 19 bits a column, of Dst's storage 16.

        ``valid``: of Dst, the valid bit.
        """
        size = 1024 if target == DST else 64
        for k, columns in enumerate(np.reshape(np.asarray(data), (-1, COLUMNS))):
            self.add("load", (target, bank, (row + k) % size, valid, tuple(columns.tolist())))
        return self


script_test = partial(script.script_test, Script)
