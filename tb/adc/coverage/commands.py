# SPDX-License-Identifier: Apache-2.0
"""A block's commands as arrays, one row a cycle and one column a writer (docs/adc.md section 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.isa import config_field
from tilepath.tb.adc.coverage.layout import (
    ADDRCRXY,
    FIRST_THREAD,
    FLOP,
    INCADCXY,
    INCADCZW,
    OPCODES,
    OPS,
    PACK,
    PACKED,
    SETADC,
    SETADCXX,
    THREADS,
    UNPACK,
    WRITERS,
    YZ,
    Column,
)
from tilepath.tb.kernel.description.stream import Records

I64 = NDArray[np.int64]

# What a command does to a counter that it touches
SET: Final = 0
INCREMENT: Final = 1
RELOAD: Final = 2  # checkpoint += amount, live = checkpoint
CLEAR: Final = 3
FLOP_ONE: Final = 4  # live value or checkpoint alone

_OP_OF: Final = np.full(256, -1, np.int64)
_OP_OF[list(OPCODES)] = range(len(OPS))
_XY: Final = np.array((0, 1, 4, 5))
_ZW: Final = np.array((2, 3, 6, 7))
_UNPACK_PORT, _PACK_PORT, _FLOP_PORT = range(FIRST_THREAD)
_BIT: Final = 1 << np.arange(8, dtype=np.int64)


def pack_field(addr_mod: Column, name: str) -> I64:
    """Field ``name`` of ADDR_MOD_PACK words."""
    field = config_field(f"ADDR_MOD_PACK_SEC0_{name}")
    return np.asarray(addr_mod, np.int64) >> field.lsb & ((1 << field.width) - 1)


@dataclass
class Instructions:
    """The words at the issue ports that are instructions, and those that are not."""

    cycle: I64
    thread: I64
    word: I64
    op: I64  # -1: none of the eight

    @classmethod
    def of(cls, streams: Mapping[str, Records]) -> Instructions:
        """All threads' words, thread after thread."""
        records = [streams[f"{name}.issue"] for name in THREADS]
        thread = np.repeat(np.arange(len(THREADS)), [len(r) for r in records])
        word = np.concatenate([r["word"] for r in records]).astype(np.int64)
        cycle = np.concatenate([r["cycle"] for r in records]).astype(np.int64)
        return cls(cycle, thread, word, _OP_OF[word >> 24])

    def where(self, mask: Column) -> Instructions:
        """The rows where ``mask`` is set."""
        return Instructions(self.cycle[mask], self.thread[mask], self.word[mask], self.op[mask])

    @property
    def target(self) -> I64:
        """Multi-hot (A7)."""
        return self.word >> 21 & 7

    @property
    def override(self) -> I64:
        """ThreadOverride; SETADCXX has none (A3)."""
        where = np.where(self.op == SETADC, self.word >> 16, self.word >> 18) & 3
        return np.where(self.op == SETADCXX, np.int64(0), where)

    @property
    def set(self) -> I64:
        """The set of counters that is meant."""
        return np.where(self.override == 0, self.thread, self.override - 1)

    @property
    def counter(self) -> I64:
        """SETADC: number of the counter."""
        return (self.word >> 20 & 1) * 4 + (self.word >> 18 & 3)

    @property
    def values(self) -> I64:
        """n by 4: the 3-bit values."""
        shifts: I64 = np.array((6, 9, 12, 15))
        return (self.word[:, None] >> shifts) & 7

    @property
    def mask_bits(self) -> I64:
        """n by 4: bits of ``mask``."""
        return (self.word[:, None] >> np.arange(4)) & 1


class Commands:
    """Commands that carry out something, by cycle of the block and writer.

    ``kind`` is -1 where there is none. ``sets``, ``targets`` and ``touched`` are bit sets; what a
    command touches is their product. ``named`` are the counters it could touch with other values.
    ``thread``: who issued it, or an unpacker update's thread. ``foreign``: an instruction for
    another thread's set. ``action`` and ``amount`` are by counter as well.
    """

    def __init__(self, cycles: int) -> None:
        shape = (cycles, len(WRITERS))
        self.kind = np.full(shape, -1, np.int8)
        self.sets = np.zeros(shape, np.uint8)
        self.targets = np.zeros(shape, np.uint8)
        self.touched = np.zeros(shape, np.uint8)
        self.named = np.zeros(shape, np.uint8)
        self.thread = np.full(shape, -1, np.int8)
        self.foreign = np.zeros(shape, bool)
        self.action = np.zeros((*shape, 8), np.int8)
        self.amount = np.zeros((*shape, 8), np.int32)

    @classmethod
    def of(
        cls, streams: Mapping[str, Records], issued: Instructions, start: int, end: int
    ) -> Commands:
        """The commands of cycles ``start`` to ``end``."""
        commands = cls(end - start)
        commands._unpack(streams["unpack"], start)
        commands._pack(streams["pack"], start)
        commands._flop(streams["flop"], start)
        commands._issue(issued.where(issued.op >= 0), start)
        return commands

    def _issue(self, issued: Instructions, start: int) -> None:
        n = len(issued.op)
        at = (issued.cycle - start, issued.thread + FIRST_THREAD)
        amount = np.zeros((n, 8), np.int64)
        touches = np.zeros((n, 8), bool)
        named = np.zeros((n, 8), bool)
        single = np.flatnonzero(issued.op == SETADC)
        place = (single, issued.counter[single])
        amount[place] = issued.word[single] & 0x3FFFF
        touches[place] = named[place] = True
        double = np.flatnonzero(issued.op == SETADCXX)
        amount[double, 0] = issued.word[double] & 1023
        amount[double, 4] = issued.word[double] >> 10 & 1023
        touches[double, 0] = touches[double, 4] = True
        named[double, 0] = named[double, 4] = True
        increments = np.isin(issued.op, (INCADCXY, INCADCZW))
        touches4 = np.where(increments[:, None], issued.values != 0, issued.mask_bits == 1)
        for suffix, places in (("xy", _XY), ("zw", _ZW)):
            ops = [op for op in PACKED if OPS[op].endswith(suffix)]
            rows = np.flatnonzero(np.isin(issued.op, ops))
            at4 = (rows[:, None], places)
            amount[at4] = issued.values[rows]
            touches[at4] = touches4[rows]
            named[at4] = True
        self.kind[at] = issued.op
        self.sets[at] = 1 << issued.set
        self.targets[at] = issued.target
        self.touched[at] = touches @ _BIT
        self.named[at] = named @ _BIT
        self.thread[at] = issued.thread
        self.foreign[at] = issued.set != issued.thread
        action = np.where(issued.op >= ADDRCRXY, RELOAD, np.where(increments, INCREMENT, SET))
        self.action[at] = action[:, None]
        self.amount[at] = amount

    def _unpack(self, records: Records, start: int) -> None:
        records = records[(records["thread"] < 3) & (records["adc"] < 3)]
        at = (records["cycle"].astype(np.int64) - start, _UNPACK_PORT)
        increments = np.stack([records[name] for name in ("y0", "z0", "y1", "z1")], axis=1)
        self.kind[at] = UNPACK
        self.sets[at] = 1 << records["thread"] | 1 << records["adc"]
        self.targets[at] = 1 << records["unpacker"]
        self._fill(at, increments != 0, increments, np.full_like(increments, INCREMENT))
        self.thread[at] = records["thread"]

    def _pack(self, records: Records, start: int) -> None:
        at = (records["cycle"].astype(np.int64) - start, _PACK_PORT)
        touches, amounts, actions = [], [], []
        for name in ("Ysrc", "Zsrc", "Ydst", "Zdst"):
            amount = pack_field(records["addr_mod"], f"{name}Incr")
            clear = pack_field(records["addr_mod"], f"{name}Clear")
            reload = np.zeros_like(clear)
            if name[0] == "Y":
                reload = pack_field(records["addr_mod"], f"{name}CR")
            touches.append(clear | reload | (amount != 0))
            amounts.append(amount)
            actions.append(np.where(clear, CLEAR, np.where(reload, RELOAD, INCREMENT)))
        self.kind[at] = PACK
        self.sets[at] = records["sets"]
        self.targets[at] = 4
        self._fill(at, *(np.stack(some, axis=1) for some in (touches, amounts, actions)))

    def _flop(self, records: Records, start: int) -> None:
        records = records[(records["thread"] < 3) & (records["select"] < 3)]
        at = (records["cycle"].astype(np.int64) - start, _FLOP_PORT)
        self.kind[at] = FLOP
        self.sets[at] = 1 << records["thread"]
        self.targets[at] = 1 << records["select"]
        self.touched[at] = self.named[at] = 1 << (records["channel"] * 4 + records["counter"])
        self.action[at] = FLOP_ONE
        self.amount[at] = records["value"][:, None]

    def _fill(self, at: tuple[I64, int], touches: Column, amount: Column, action: Column) -> None:
        """What an update does to y0, z0, y1, z1."""
        bits = _BIT[list(YZ)]
        self.touched[at] = touches.astype(np.int64) @ bits
        self.named[at] = bits.sum()
        for k, counter in enumerate(YZ):
            self.amount[(*at, counter)] = amount[:, k]
            self.action[(*at, counter)] = action[:, k]
