# SPDX-License-Identifier: Apache-2.0
"""What a Regular UNPACR means (docs/unpack.md section 5), as columns of a table of instructions.

The columns say which bins are meant; they are no second golden model: what is undefined is only as
exact as coverage needs. Addresses count sixteenths of a byte where they are called pointers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.isa.profiles import Profile
from tilepath.tb.unpack.coverage.layout import COLUMN, I64
from tilepath.tb.unpack.coverage.levels import Level

Bool = NDArray[np.bool_]
M32: Final = 0xFFFF_FFFF
M36: Final = 0xF_FFFF_FFFF
SRCA, SRCB, DST = range(3)
FP32, FP16, BFP8A, BFP4A, TF32, BF16, BFP8, BFP4, INT32, INT16, FP8, BFP2A = range(12)
INT8, BFP2 = 14, 15
_QUARTERS: Final = np.array([16, 8, 4, 2, 16, 8, 4, 2, 16, 8, 4, 1, 16, 8, 4, 1])
"""Size of a datum in quarters of a byte, by format code."""
BFP_CODES: Final = (BFP8A, BFP4A, BFP8, BFP4, BFP2A, BFP2)
WIDE_CODES: Final = (FP32, TF32, INT32)
COUNTERS: Final = ("x0", "y0", "z0", "w0", "x1", "y1", "z1", "w1")


def _of(codes: I64, some: tuple[int, ...]) -> Bool:
    found: Bool = np.isin(codes, some)
    return found


@dataclass
class Instructions:
    """A table of instructions (``layout``), and the counters that each samples.

    ``adc``: X, Y of channel 0 and X1 of the set WhichADC; ``own``: Z, W of channel 0, Y, Z, W of
    channel 1 of the thread's.
    """

    table: I64
    adc: dict[str, I64]
    own: dict[str, I64]

    def __getitem__(self, name: str) -> I64:
        """A column by name."""
        found: I64 = self.table[:, COLUMN[name]]
        return found

    def __len__(self) -> int:
        return len(self.table)

    def bits(self, name: str, low: int, width: int = 1) -> I64:
        """Bits of a column."""
        found: I64 = self.table[:, COLUMN[name]] >> low & ((1 << width) - 1)
        return found

    def where(self, mask: Bool) -> Instructions:
        """The rows where ``mask`` is set."""
        return Instructions(
            self.table[mask],
            {name: column[mask] for name, column in self.adc.items()},
            {name: column[mask] for name, column in self.own.items()},
        )

    @classmethod
    def of(cls, table: I64, counters: tuple[tuple[Level, ...], ...]) -> Instructions:
        """With the counters; ``counters[set][unpacker]``."""
        word = table[:, COLUMN["word"]]
        thread = table[:, COLUMN["thread"]]
        named = word >> 8 & 3
        named = np.where(named == 3, 0, named)
        sets = {"adc": np.where(word >> 7 & 1, named, thread), "own": thread}
        found: dict[str, dict[str, I64]] = {}
        for which, chosen in sets.items():
            columns = {name: np.zeros(len(table), np.int64) for name in COUNTERS}
            for s in range(3):
                for u in range(2):
                    rows = np.flatnonzero((chosen == s) & (table[:, COLUMN["u"]] == u))
                    for number, name in enumerate(COUNTERS):
                        values = counters[s][u].at(table[rows, COLUMN["sample"]], number)
                        columns[name][rows] = values
            found[which] = columns
        return cls(table, found["adc"], found["own"])


def _pick(i: Instructions, names: tuple[str, ...], number: I64, low: I64 | int = 0) -> I64:
    """Per row the column named by ``number``, shifted right."""
    columns = np.stack([i[name] for name in names], axis=1)
    found: I64 = columns[np.arange(len(i)), number] >> low
    return found


class Regular:
    """Columns of Regular UNPACRs, by the names of section 5."""

    def __init__(self, i: Instructions, profile: Profile) -> None:
        self.i = i
        self._context(i)
        self._formats(i, profile)
        self._input(i)
        self._output(i)
        self._want(i)

    def _context(self, i: Instructions) -> None:
        self.u = i["u"]
        u0 = self.u == 0
        self.multi = i.bits("word", 7)
        self.use_counter = i.bits("word", 3)
        multi = self.multi == 1
        self.offset4 = i["contexts"] >> 8 * self.u & 15
        number = np.where(self.use_counter == 1, i["context"], i.bits("word", 10, 3))
        self.ctx = np.where(multi, number + self.offset4 & 7, 0)
        self.c3 = self.ctx & 3
        high = np.where(self.ctx > 3, 12, 0)
        reg2, reg2b = i["reg2"], i["reg2b"]
        disable = reg2b >> self.ctx + high & 1
        self.uncompressed = np.where(multi, disable, i.bits("td0", 4)) == 1
        context_sel = reg2b >> self.ctx + 4 + high & 1
        self.to_dst = u0 & (np.where(multi, context_sel, reg2 >> 11 & 1) == 1)
        self.dest = np.where(u0, np.where(self.to_dst, DST, SRCA), SRCB)
        xdim = _pick(i, ("xdim01", "xdim01", "xdim23", "xdim23"), self.c3, 16 * (self.c3 & 1))
        self.xdim = np.where(multi & u0, xdim, i["td0"] >> 16) & 0xFFFF
        self.ydim = i["td1"] & 0xFF
        self.zdim_field, self.wdim_field = i["td1"] >> 16 & 0xFF, i["td2"] & 0xFF
        self.zdim, self.wdim = np.maximum(self.zdim_field, 1), np.maximum(self.wdim_field, 1)
        self.blobs = i.bits("td0", 8, 3)
        self.search = i.bits("word", 2)
        self.all_zero = i.bits("word", 4)
        self.flip = i.bits("word", 6)

    def _formats(self, i: Instructions, profile: Profile) -> None:
        reg2 = i["reg2"]
        reg7 = _pick(i, tuple(f"reg7_{k}" for k in range(4)), self.c3, 16 + 8 * (self.ctx >> 2))
        self.by_context = (self.multi == 1) & (reg2 >> 14 & 1 == 1)
        self.code = np.where(self.by_context, reg7 & 15, i["td0"] & 15)
        self.out = np.where(self.by_context, reg7 >> 4 & 15, reg2 & 15)
        self.quarters: I64 = _QUARTERS[self.code]
        self.bfp = _of(self.code, BFP_CODES)
        bfp2 = _of(self.code, (BFP2, BFP2A))
        self.compressed = ~self.uncompressed & ~bfp2
        self.plain_bfp2 = ~self.uncompressed & bfp2
        self.rate = reg2 >> 12 & 3
        self.zeros: I64 = np.array(profile.upsample_zeros)[self.rate]
        self.interleave = reg2 >> 15 & 1
        self.tileize = reg2 >> 9 & 1
        self.tilize = (
            (self.tileize == 1) & self.uncompressed & (self.rate == 0) & (self.quarters >= 4)
        )
        shift = reg2 >> 16 + 4 * self.c3 & 15
        self.colshift = np.where((self.dest == SRCA) & ~self.tilize, shift, 0)
        self.haloize = reg2 >> 8 & 1
        self.transpose = np.where(self.dest == SRCA, self.haloize, 0)
        self.row_w = np.where(self.quarters >= 8, profile.row_w, 16)
        self.e4m3 = (self.code == FP8) & (i.bits("reg1", 22) == 1)
        self.unsigned = i["alu"] >> 15 + self.u & 1
        self.wide = _of(self.out, WIDE_CODES)
        self.force = i.bits("reg2b", 8)
        self.no_section = i.bits("td0", 5)

    def _input(self, i: Instructions) -> None:
        base = _pick(i, tuple(f"base{k}" for k in range(8)), self.ctx)
        self.offset = _pick(i, tuple(f"reg7_{k}" for k in range(4)), self.c3) & 0xFFFF
        self.digest = i["td3"] >> 24 & 0xFF
        address = (base + self.offset + 1 + self.digest) * 16
        x, self.y_full, x1 = i.adc["x0"], i.adc["y0"] & 0x1FFF, i.adc["x1"]
        self.x, self.x1 = x, x1
        y, z, w = self.y_full & 0xFF, i.own["z0"] & 0xFF, i.own["w0"] & 0xFF
        planes = np.where(self.blobs != 0, self.blobs, self.ydim) * self.zdim * self.wdim
        self.rsi_address = address
        address = address + np.where(self.compressed, 2 * (planes + 1) + 15 & ~15, 0)
        self.read_exponents = self.bfp & (self.force == 0)
        self.exponents = address
        self.elements = self.xdim * self.ydim * self.zdim * self.wdim
        self.n_exponents = (self.elements + 15) // 16
        bfp8 = _of(self.code, (BFP8, BFP8A))
        self.section = self.read_exponents & (bfp8 | (self.no_section == 0))
        address = address + np.where(self.section, self.n_exponents + 15 & ~15, 0)
        self.datums = address & M32
        # uncompressed: X window
        blob = (self.search == 1) & (self.blobs != 0)
        self.blob_mode = blob
        by_context = (self.multi == 1) & (self.u == 0)
        lo, hi = i["td2"] >> 16 & 0xFFFF, i["td3"] & 0xFFFF
        own = np.where(self.ctx & 2, i["blobs23"], i["blobs01"])
        starts = np.where(by_context, own, lo | hi << 16)
        n = (x & 7) + 1
        self.blob_index = n
        last = np.where(n == 8, 0, starts >> 4 * (n & 7) & 15) * 16
        blob_end = np.where(n == self.blobs, self.xdim & 0x1F0, last)
        self.xpos = np.where(blob, (starts >> 4 * (y & 7) & 15) * 16, np.where(self.search, 0, x))
        ypos = np.where(blob, 0, y)
        xend = np.where(blob, blob_end, np.where(self.search, x1, x1 + 1))
        self.xend = xend
        first = ((w * self.zdim + z) * self.ydim + ypos) * self.xdim + self.xpos
        self.first = first & M32
        self.count = np.maximum(xend - self.xpos, 0)
        size = self.quarters * 4
        datum = (self.datums * 16 + self.first * size) & M36
        self.unaligned = datum & 0xFF
        datum = np.where(self.tilize, datum & ~0xFF, datum)
        self.limit, self.fifo = (i["limit"] & 0x1FFFF) * 256, (i["fifo"] & 0x1FFFF) * 256
        self.datum_raw = datum
        self.exponent_raw = ((self.exponents & M32) * 16 + self.first) & M36
        self.datum, self.datum_wraps = self.wrap(datum)
        self.exponent, self.exponent_wraps = self.wrap(self.exponent_raw)
        shifts = i["reg2"]
        # Shift0 << 4, Shift1 << 8, Shift2 << 12
        self.stride = shifts >> 16 & 0xFFF
        self.stride = self.stride << 4
        # compressed: entries of RSI
        rows = np.where(blob, self.blobs, self.ydim)
        entry = (w * self.zdim + z) * rows
        self.rsi_first = (self.rsi_address + 2 * (entry + y)) & M32
        self.whole = (x == 0) & (x1 == self.xdim - 1)
        self.bounded = self.compressed & (self.search == 0) & ~self.whole
        end = np.where(self.search == 1, entry + (x & 0xFF) + 1, entry + y + 1)
        self.rsi_end = (self.rsi_address + 2 * end) & M32
        self.drop = np.where(self.bounded, x, 0)
        self.items = np.where(self.bounded, np.maximum(x1 + 1 - x, 0), -1)

    def wrap(self, pointer: I64) -> tuple[I64, Bool]:
        """A pointer after *wrap*, and whether it has changed."""
        wraps = (pointer > self.limit) & (self.fifo != 0)
        return np.where(wraps, pointer - self.fifo & M36, pointer), wraps

    def _output(self, i: Instructions) -> None:
        address = i.bits("out_base", 0, 18)
        for name, word, low in (("y1", "xy", 16), ("z1", "zw", 0), ("w1", "zw", 16)):
            address = address + (i.own[name] & 0xFFFF) * (i[word] >> low & 0xFFFF)
        half = _of(self.out, (FP16, BF16, INT16))
        shift = np.where(self.wide, 2, np.where(half, 1, 0))
        self.out_raw = address & M32
        address = self.out_raw >> shift
        dest = _pick(i, ("dest01", "dest01", "dest23", "dest23"), self.c3, 16 * (self.c3 & 1))
        dest &= 0xFFFF
        uses_dest = (self.multi == 1) & (self.u == 0)
        self.uses_dest = uses_dest
        self.adds_dest = uses_dest & (self.to_dst | (i.bits("exponent", 8) == 1))
        address = np.where(self.adds_dest, address + dest, np.where(uses_dest, dest, address))
        self.out_address = address & M32
        self.src_base = i["src_set"] & 3
        self.ovrd = i["src_set"] >> 2 & 1
        self.set_upd = i["reg2"] >> 10 & 1
        row = self.out_address >> 4
        added = np.where((self.dest == SRCA) & (self.ovrd == 1), 0, i["row"])
        to_src = row - np.where(self.dest == SRCA, 4, 0) + added & 63
        to_dst = row - 4 & np.where(self.ovrd == 1, 15, 1023)
        self.register_row = np.where(self.dest == DST, to_dst, to_src)

    def _want(self, i: Instructions) -> None:
        self.throttle = i["reg2"] >> 4 & 3
        asked: I64 = np.array([1, 2, 4, 4])[self.throttle]
        bfp2 = _of(self.code, (BFP2, BFP2A))
        bfp4_dst = _of(self.code, (BFP4, BFP4A)) & (self.dest == DST)
        two = (self.zeros == 1) | (self.zeros == 2)
        conditions = [self.tilize, self.compressed, self.zeros >= 3, bfp2, two, bfp4_dst]
        self.rule: I64 = np.select(conditions, [1, 2, 3, 4, 5, 6], 0)
        few = np.minimum(asked, 2)
        one = np.ones_like(asked)
        self.want: I64 = np.select(conditions, [4 * one, one, one, one, few, few], asked)
