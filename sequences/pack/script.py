# SPDX-License-Identifier: Apache-2.0
"""Scripts of the packers: configuration, Dst and L1 by name, instructions of threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilepath.engine.description.packing import Items
from tilepath.engine.stimulus import script
from tilepath.engine.stimulus.script import Fields
from tilepath.isa import config_field
from tilepath.sequences.adc import words as counter_words
from tilepath.sequences.config_script import ConfigScript
from tilepath.sequences.pack import config
from tilepath.sequences.pack.dst import Image
from tilepath.tb.pack import streams
from tilepath.tb.pack.streams import THREADS

COUNTERS: Final = ("x0", "y0", "z0", "w0", "x1", "y1", "z1", "w1")
PACKERS: Final = 2  # target of the address counters
_NOTHING: Final = int(counter_words.packed("incadcxy", 1 << PACKERS, (0, 0, 0, 0)))
_BEYOND: Final = (1 << 17) - 4  # a line that no L1 has
_CHUNK: Final = 16  # words of four lines
_ADDR_MOD: Final = config_field("ADDR_MOD_PACK_SEC0_YsrcIncr").addr32
_ISSUE: Final = tuple(f"t{thread}.issue" for thread in range(THREADS))
_STATS: Final = config_field("ENABLE_ACC_STATS_Enable").addr32
_READ, _CLEAR = 0, 1
WAYS: Final = ("setc16", "stored", "overruled")
"""How a word of ThreadConfig is written."""
SETC16, STORED, OVERRULED = range(3)


class Script(ConfigScript):
    """Collects items of the packers' players."""

    holding = streams.HOLDING
    waiter = ("offset", (0, 0))
    leads: Mapping[str, tuple[Any, ...]] = {
        "issue": (_NOTHING,),
        "cfg": (0, 40, 0, (0, 0, 0, 0)),
        "setc16": (60, 0),
        "l1_write": (_BEYOND, (0,) * _CHUNK),
        "hist": (_READ, 0, 0),
        "offset": (0, 0),
        "flop": (0, 64, 0, (0, 0, 0, 0)),
        "store": (0, 60, 0),
    }

    def __init__(self, profile: str) -> None:
        super().__init__()
        self.profile = profile
        self._thread: list[dict[int, int]] = [{} for _ in range(THREADS)]

    def make(self, player: str, rows: Sequence[Fields], **heads: ArrayLike) -> Items:
        """As the base has it."""
        columns = [np.array(column) for column in zip(*rows, strict=True)]
        return streams.items(player, columns, **heads)

    # -- what the players do

    def word(self, thread: int, *words: int, gap: int = 0, after: int = 0, idle: int = 0) -> Self:
        """``thread`` issues ``words``: the first after ``gap`` and conditions, then straight on."""
        for word in words:
            self.add(_ISSUE[thread], (word,), gap, after, idle)
            gap = after = idle = 0
        return self

    def counters(self, thread: int, **values: int) -> Self:
        """Set counters of the packers in the set of ``thread``."""
        numbers = {COUNTERS.index(name): value for name, value in values.items()}
        return self.word(thread, *counter_words.set_words(PACKERS, numbers))

    def setup(
        self, setup: config.Setup, *banks: int, wide: bool = True, flops: Sequence[int] = (0, 0)
    ) -> Self:
        """Make ``setup`` that of banks (0): writes the words that differ, as ``words`` does.

        ``flops``: for each of them, in their order.
        """
        words = config.words(setup)
        for number, bank in enumerate(banks or (0,)):
            self.words(bank, words, wide, flops[number])
        return self

    def setc16(
        self, thread: int, index: int, value: int, gap: int = 0, after: int = 0, way: int = SETC16
    ) -> Self:
        """Write a word of ThreadConfig, if it differs from what was written last.

        ``way``: a number of ``WAYS``: ``overruled`` is a SETC16, beside which a core stores the
        complement.
        """
        if self._thread[thread].get(index, 0) == value and not gap and not after:
            return self
        self._thread[thread][index] = value
        if way == STORED:
            return self.store(thread, index, value)
        if way == OVERRULED:
            return self.overruled(thread, index, value, value ^ 0xFFFF)
        self.add(f"t{thread}.setc16", (index, value), gap, after)
        return self

    def addr_mod(
        self, thread: int, number: int, value: int, after: int = 0, way: int = SETC16
    ) -> Self:
        """Write ADDR_MOD_PACK word ``number`` (0 to 3) of ``thread``."""
        return self.setc16(thread, _ADDR_MOD + number, value, after=after, way=way)

    def bank(self, thread: int, bank: int, way: int = SETC16) -> Self:
        """Write StateID of ``thread``."""
        return self.setc16(thread, 0, bank, way=way)

    def stats(self, thread: int, enable: int, way: int = SETC16) -> Self:
        """Write ENABLE_ACC_STATS of ``thread``."""
        return self.setc16(thread, _STATS, enable, way=way)

    def offset(self, packers: int, value: int) -> Self:
        """l1_dest_addr_offset of ``packers`` (4 bits)."""
        self.add("offset", (packers, value))
        return self

    def dst(self, image: Image, longest: int = 9, after: int = 0) -> Self:
        """Write the rows of ``image``, at most ``longest`` at once, after a condition."""
        self.add_all("dst_write", [*image.runs(longest)], after)
        return self

    def zero(self, half: int | None = None) -> Self:
        """ZEROACC: the valid bits of a half, or all; what is written comes after it."""
        self.add("dst_zero", (int(half is None), half or 0))
        return self

    def l1(self, line: int, data: NDArray[np.uint32]) -> Self:
        """Write ``data`` (bytes as 32-bit words) from ``line`` on; zeros complete four lines."""
        words = np.zeros(-(-len(data) // _CHUNK) * _CHUNK, np.uint32)
        words[: len(data)] = data
        chunks = enumerate(words.reshape(-1, _CHUNK))
        self.add_all("l1_write", [(line + 4 * k, chunk) for k, chunk in chunks])
        return self

    def histogram(self, packer: int, *modes: int) -> Self:
        """Read the histogram of a packer in these modes (6, 7 and 9 mean something)."""
        for mode in modes:
            self.add("hist", (_READ, mode, packer))
        return self

    def clear(self) -> Self:
        """CLREXPHIST."""
        self.add("hist", (_CLEAR, 0, 0))
        return self


script_test = partial(script.script_test, Script)
