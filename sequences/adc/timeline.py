# SPDX-License-Identifier: Apache-2.0
"""Directed stimulus of all players on one time axis.

    tl = Timeline()
    tl.issue(0, word).unpack(1, thread=0, adc=0, z0=1).step()
    tl.pack(4, YsrcIncr=4).step(3)
    players = tl.stimulus()

No command is ever refused, so a player's cycle is known when the stimulus is written: commands put
on several ports before one ``step`` reach the block in the same cycle.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from tilepath.engine.description.packing import Items, with_gaps
from tilepath.engine.description.stimulus import Stimulus
from tilepath.isa import assemble
from tilepath.isa.profiles import DEFAULT
from tilepath.sequences.adc import words as w
from tilepath.tb.adc.streams import ISSUE, PACK, UNPACK


class Timeline:
    """Collects commands by cycle; every method returns the timeline itself.

    ``now`` is the cycle that commands are put into, counted from the first.
    """

    def __init__(self, profile: str = DEFAULT) -> None:
        self.profile = profile
        self.now = 0
        self._cycles: dict[str, list[int]] = {}
        self._items: dict[str, list[Items]] = {}

    def _put(self, port: str, item: Items) -> Self:
        cycles = self._cycles.setdefault(port, [])
        if cycles and cycles[-1] == self.now:
            raise ValueError(f"two commands at {port} in cycle {self.now}")
        gap = self.now - (cycles[-1] + 1 if cycles else 0)
        cycles.append(self.now)
        self._items.setdefault(port, []).append(with_gaps(item, gap))
        return self

    def step(self, cycles: int = 1) -> Self:
        """Go on by ``cycles``."""
        self.now += cycles
        return self

    def issue(self, thread: int, word: int) -> Self:
        """An instruction word from ``thread``; ``ValueError`` if its port is taken this cycle."""
        return self._put(f"t{thread}.issue", ISSUE.pack(word=word))

    def asm(self, thread: int, *lines: str) -> Self:
        """Lines of assembly, one a cycle; goes on to the cycle after the last."""
        for line in lines:
            self.issue(thread, assemble(line, self.profile)).step()
        return self

    def unpack(
        self,
        unpacker: int,
        thread: int,
        adc: int,
        y0: int = 0,
        z0: int = 0,
        y1: int = 0,
        z1: int = 0,
    ) -> Self:
        """An unpacker update."""
        item = UNPACK.pack(unpacker=unpacker, thread=thread, adc=adc, y0=y0, z0=z0, y1=y1, z1=z1)
        return self._put("unpack", item)

    def pack(self, sets: int, **fields: int) -> Self:
        """A packer update with these fields of ADDR_MOD_PACK."""
        return self._put("pack", PACK.pack(sets=sets, addr_mod=w.addr_mod(**fields)))

    def stimulus(self) -> Stimulus:
        """All players."""
        return {port: [np.concatenate(rows)] for port, rows in self._items.items()}
