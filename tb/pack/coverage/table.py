# SPDX-License-Identifier: Apache-2.0
"""Tables of what was seen: a row an instruction, and a row for each packer that takes part."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.isa.constants import CFG_WORDS, OP_PACR
from tilepath.models.pack import fields as F
from tilepath.models.pack.state import MODE, PACKER, PACKERS, PLAN
from tilepath.models.records import record
from tilepath.tb.pack.coverage.points import I64

INSTRUCTIONS: Final = 512  # rows of a table
PARTS: Final = INSTRUCTIONS * PACKERS

INSTRUCTION: Final = record(
    cycle=np.int64,
    thread=np.int64,
    word=np.int64,
    bank=np.int64,
    packers=np.int64,  # bit mask
    of_set=np.int64,  # of counters
    faults=np.int64,
    writes=np.int64,  # SETREG
    address=np.int64,
    config=(np.uint32, CFG_WORDS),  # of its bank, and of the other
    other=(np.uint32, CFG_WORDS),
    addr_mod=np.int64,
    acc_stats=np.int64,  # a bit a thread
    live=(np.uint32, (3, 2, 4)),  # the packers' counters, before and behind their update
    after=(np.uint32, (3, 2, 4)),
    checkpoint=(np.uint32, (3, 2, 4)),
    offsets=(np.uint16, PACKERS),
    modes=(MODE, PACKERS),
    # what packers have begun, a bit each: unit, data line, exponents, row starts, block
    begun=np.int64,
)
PART: Final = record(
    instruction=np.int64,  # row of the other table
    packer=np.int64,
    before=PACKER,
    after=PACKER,
    plan=PLAN,
    kept=np.int64,  # datums behind downsampling
    pushed=np.int64,  # elements into the gather
    augmented=np.int64,  # of the tile, by the instruction
    chain=np.int64,  # PACRs of the row
    partial=np.int64,  # what closing pads, a bit each: unit, data line, exponents, row starts
    units=np.int64,  # that leave the gather
    entries=np.int64,  # row starts of the tile's last line of them
    group_parts=np.int64,  # most instructions that a group is made of
    lines=np.int64,  # that are written
)


class Instructions:
    """Rows of the table of instructions, and what their words and settings say.

    ``at``: the rows meant, in any order, also more than once.
    """

    def __init__(self, rows: NDArray[Any], at: I64 | None = None) -> None:
        self.rows = rows
        self.at: I64 = np.arange(len(rows)) if at is None else at
        self.word: I64 = self["word"]
        self.is_pacr = self.word >> 24 == OP_PACR

    def __len__(self) -> int:
        return len(self.at)

    def __getitem__(self, name: str) -> I64:
        """A column."""
        found: I64 = self.rows[name][self.at].astype(np.int64)
        return found

    def get(self, field: F.Field) -> I64:
        """A field of the words."""
        found: I64 = self.word >> field.lsb & field.mask
        return found

    def config(self, field: F.ConfigField, words: I64 | int = 0) -> I64:
        """A field of the settings, ``words`` words further."""
        column = self.rows["config"][self.at, field.word + words]
        found: I64 = column.astype(np.int64) >> field.lsb & field.mask
        return found

    def mode(self, name: str, packer: I64 | int = 0) -> I64:
        """A value of a packer's mode."""
        found: I64 = self.rows["modes"][name][self.at, packer]
        return found

    def counter(self, channel: int, which: int, table: str = "live") -> I64:
        """A counter of the set that each instruction uses."""
        column = self.rows[table][self.at, self["of_set"], channel, which]
        found: I64 = column.astype(np.int64)
        return found


class Parts(Instructions):
    """Rows of the table of packers, beside those of their instructions."""

    def __init__(self, parts: NDArray[Any], rows: NDArray[Any], bh_fields: int) -> None:
        super().__init__(rows, parts["instruction"])
        self.parts = parts
        self._bh_fields = bh_fields
        self.packer: I64 = parts["packer"]
        chosen = self.get(F.CFG_CONTEXT) if bh_fields else self.packer
        self.block: I64 = np.array(F.BLOCKS)[chosen]

    def where(self, some: NDArray[np.bool_]) -> Parts:
        """The rows where ``some`` is set."""
        return Parts(self.parts[some], self.rows, self._bh_fields)

    def of_mode(self, name: str) -> I64:
        """A value of the packer's mode."""
        return self.mode(name, self.packer)

    def own(self, field: F.ConfigField) -> I64:
        """A field of the packer's block."""
        return self.config(field, self.block)

    def plan(self, name: str) -> I64:
        """What the packer was going to do."""
        found: I64 = self.parts["plan"][name]
        return found


def bits(column: NDArray[Any], low: int, width: int = 1) -> I64:
    """Bits of a column."""
    found: I64 = column.astype(np.int64) >> low & ((1 << width) - 1)
    return found
