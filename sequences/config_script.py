# SPDX-License-Identifier: Apache-2.0
"""Scripts of blocks that read the configuration: how its words are written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final, Self

from tilepath.engine.stimulus.script import PhaseScript
from tilepath.isa.constants import CFG_GLOBAL_BASE, CFG_THCON_BASE

ALL_ROWS: Final = (1 << (CFG_GLOBAL_BASE - CFG_THCON_BASE) // 4) - 1
"""A bit for each four words that REG2FLOP can write, from word 64 on."""


class ConfigScript(PhaseScript):
    """Collects items, and knows what they have written to Config."""

    def __init__(self) -> None:
        super().__init__()
        self._config: list[dict[int, int]] = [{}, {}]

    def config(self, banks: int, index: int, value: int, gap: int = 0, after: int = 0) -> Self:
        """Write a configuration word in ``banks`` (multi-hot)."""
        self.add("cfg", (banks, index, 0, (value, 0, 0, 0)), gap, after)
        self._note(banks, index, value)
        return self

    def config4(
        self, banks: int, index: int, values: tuple[int, ...], gap: int = 0, after: int = 0
    ) -> Self:
        """Write the four words around ``index`` at once."""
        self.add("cfg", (banks, index, 1, values), gap, after)
        self._note(banks, index & ~3, *values)
        return self

    def flop(self, bank: int, index: int, values: tuple[int, ...], wide: int = 0) -> Self:
        """REG2FLOP writes word ``index`` of ``bank``, or with ``wide`` the four around it."""
        self.add("flop", (bank, index, wide, values))
        self._note(1 << bank, index & ~3 if wide else index, *values[: 4 if wide else 1])
        return self

    def _note(self, banks: int, index: int, *values: int) -> None:
        """``values`` from ``index`` on; four are all global or none of them is."""
        for bank, known in enumerate(self._config):
            if banks >> bank & 1 or index >= CFG_GLOBAL_BASE:
                for k, value in enumerate(values, index):
                    known[k] = value

    def words(self, bank: int, new: Mapping[int, int], wide: bool = True, flops: int = 0) -> Self:
        """Write those words of ``bank`` that differ; ``wide``: four at a time if it saves some.

        ``flops``: which of these (``ALL_ROWS``) REG2FLOP writes.
        """
        known = self._config[bank]
        other = new.items() - known.items()
        todo = sorted(index for index, value in other if value or index in known)
        fours = Counter(index >> 2 for index in todo)
        for index in todo:
            if known.get(index, 0) == new[index]:
                continue
            values, whole = (new[index], 0, 0, 0), wide and fours[index >> 2] > 1
            if whole:
                four = range(index & ~3, (index & ~3) + 4)
                values = tuple(new.get(k, known.get(k, 0)) for k in four)
            is_flop = CFG_THCON_BASE <= index < CFG_GLOBAL_BASE
            if is_flop and flops >> (index - CFG_THCON_BASE >> 2) & 1:
                self.flop(bank, index, values, int(whole))
            elif whole:
                self.config4(1 << bank, index, values)
            else:
                self.config(1 << bank, index, new[index])
        return self

    def store(self, thread: int, index: int, value: int) -> Self:
        """A core stores to ThreadConfig of ``thread``."""
        self.add("store", (thread, index, value))
        return self

    def overruled(self, thread: int, index: int, value: int, stored: int) -> Self:
        """A SETC16 of ``value`` and, in its cycle, a core's store of ``stored`` to the same word.

        Each waits until all that the other's player has been given before is done, and for nothing
        else: a store that began a scene might be given a gap (:meth:`widen`), so none does.
        """
        if "store" in self._fresh:
            self.add("store", self.leads["store"])
        player = f"t{thread}.setc16"
        setc16, store = self.done(player), self.done("store")
        self.add("store", (thread, index, stored), after=setc16)
        self.add(player, (index, value), after=store)
        return self
