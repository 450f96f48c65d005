# SPDX-License-Identifier: Apache-2.0
"""What an UNPACR will read, and whether it is legal: so that random stimulus can be.

A picture of the programmer's view, without time: :class:`View` holds what has been written and
what instructions leave behind; :meth:`View.plan` says of a Regular UNPACR where it reads and which
faults it would raise (not the warnings, and not ``bfpa``, which is a matter of the data).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from tilepath.isa import formats, profiles
from tilepath.sequences.unpack.config import Setup, Thread
from tilepath.sequences.unpack.counters import Counters
from tilepath.sequences.unpack.memory import Memory

M32: Final = 0xFFFF_FFFF
X, Y, Z, W = range(4)
X1, Y1, Z1, W1 = range(4, 8)
BFP: Final = frozenset(code for code, fmt in formats.formats().items() if fmt.shared)
BFPA: Final = frozenset((2, 3, 11))
BFP2: Final = frozenset((11, 15))
BFP8: Final = frozenset((2, 6))
WIDE: Final = frozenset((0, 4, 8))
_QUARTERS: Final = tuple(
    {3: 2, 7: 2, 11: 1, 15: 1}.get(code, (16, 8, 4, 4)[code & 3]) for code in range(16)
)
_TWO: Final = frozenset((1, 5, 9))
_FP32_OUT: Final = frozenset((0, 4, 5, 1))
MOST: Final = 2048
"""Compressed datums that a plan looks at."""


def quarters(code: int) -> int:
    """Size of a datum of format ``code`` in quarters of a byte."""
    return _QUARTERS[code]


def bits(code: int) -> int:
    """Size of a datum of format ``code`` in bits."""
    return 2 * quarters(code)


def _up16(value: int) -> int:
    return -(-value // 16) * 16


@dataclass
class Plan:
    """A Regular UNPACR.

    ``rows``: (where, datums) in quarters of a byte; ``exponents`` the same in sixteenths, cut where
    the pointer may wrap. ``slots``: how far OutAddr moves; ``writes``: whether a slot is written.
    Compressed: ``groups``: the highest bytes that datums take; ``rsi``: addresses of the two
    entries. ``sections`` as of :meth:`View.sections`.
    """

    faults: set[str]
    ctx: int
    adc: int
    code: int
    out: int
    to_dst: bool
    compressed: bool
    count: int
    rows: list[tuple[int, int]] = field(default_factory=list)
    exponents: list[tuple[int, int]] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)
    rsi: tuple[int, int] = (0, 0)
    sections: tuple[int, int, int] = (0, 0, 0)
    bounded: bool = False
    slots: int = 0
    out_addr: int = 0
    writes: bool = False

    @property
    def empty(self) -> bool:
        """Whether there is nothing to do."""
        return self.count == 0


class View:
    """Configuration, counters and pointers as a program leaves them."""

    def __init__(self, profile: str) -> None:
        self.profile = profiles.get(profile)
        self.memory = Memory(profile)
        self.setups = [[Setup(), Setup()] for _ in range(2)]
        self.threads = [Thread() for _ in range(3)]
        self.counters = Counters(self.profile.zw_w)
        self.bank = [0, 0]
        self.row = [[0] * 3 for _ in range(2)]
        self.context = [[0] * 3 for _ in range(2)]

    def setup(self, thread: int, unpacker: int) -> Setup:
        """What ``thread`` has set up for ``unpacker``: in the bank of its StateID."""
        return self.setups[self.threads[thread].state][unpacker]

    def number(self, thread: int, word: int) -> int:
        """The context of an UNPACR in MultiContextMode."""
        u = word >> 23 & 1
        number = self.context[u][thread] if word >> 3 & 1 else word >> 10 & 7
        return number + self.threads[thread].offset[u] & 7

    # -- what an instruction means

    def plan(self, thread: int, word: int) -> Plan:
        """The Regular UNPACR ``word`` of ``thread``, if it came now."""
        u = word >> 23 & 1
        s = self.setup(thread, u)
        multi, faults = word >> 7 & 1, set[str]()
        ctx, adc = 0, thread
        if multi:
            ctx = self.number(thread, word)
            adc = word >> 8 & 3
            if adc == 3:
                faults.add("context_adc")
                adc = 0
        if u and ctx >= 2:
            faults.add("context_range")
        plain = s.ctx_uncompressed >> ctx & 1 if multi else s.uncompressed
        own = multi and s.ovrd_format
        code = s.ctx_in[ctx] if own else s.in_format
        out = s.ctx_out[ctx] if own else s.out_format
        to_dst = not u and bool(s.ctx_if_sel >> ctx & 1 if multi else s.if_sel)
        compressed = not plain and code not in BFP2
        p = Plan(faults, ctx, adc, code, out, to_dst, compressed, 0)
        if word & (1 << 5 | 1 << 14):
            faults.add("reserved_bit")
        self._formats(p, s, plain, word)
        self._modes(p, s, thread)
        self._input(p, s, thread, word)
        self._output(p, s, thread, u, multi)
        return p

    def commit(self, thread: int, word: int) -> None:
        """What an UNPACR leaves behind (section 6), and its increments."""
        u = word >> 23 & 1
        s, own = self.setup(thread, u), self.threads[thread]
        if word >> 1 & 1:
            return
        if word >> 13 & 1:
            self._advance(u, thread, self.context[u][thread], s)
            return
        multi = word >> 7 & 1
        adc = word >> 8 & 3 if multi else thread
        if multi and word >> 3 & 1:
            self._advance(u, thread, self.context[u][thread] + own.offset[u], s)
        if word >> 6 & 1:
            self.flip(thread, u)
        elif s.set_upd:
            self.row[u][thread] = (self.row[u][thread] + 16 + 16 * own.base[u]) & 63
        inc = (word >> 17 & 3, word >> 15 & 3, word >> 21 & 3, word >> 19 & 3)
        self.counters.update(u, {thread, 0 if adc == 3 else adc}, inc)

    def flip(self, thread: int, unpacker: int) -> None:
        """The bank goes to the Matrix Unit."""
        self.bank[unpacker] ^= 1
        self.row[unpacker][thread] = self.threads[thread].base[unpacker] * 16

    def _advance(self, u: int, thread: int, number: int, s: Setup) -> None:
        n = (number & 7) + 1 & 7
        self.context[u][thread] = n if n < 1 << s.context_count else 0

    # -- parts of a plan

    @staticmethod
    def x_dim(s: Setup, u: int, ctx: int, multi: int) -> int:
        """XDim of a context."""
        return s.ctx_x_dim[ctx & 3] if multi and not u else s.x_dim

    @classmethod
    def sections(
        cls, s: Setup, u: int, ctx: int, multi: int, code: int, compressed: bool
    ) -> tuple[int, int, int]:
        """Byte addresses of RSI, of exponents (if any) and of datums."""
        z_dim, w_dim = max(1, s.z_dim), max(1, s.w_dim)
        where = (s.base[ctx] + s.offset[ctx & 3] + 1 + s.digest << 4) & M32
        rsi = where
        if compressed:
            where += _up16(2 * ((s.blobs or s.y_dim) * z_dim * w_dim + 1))
        exponents = where
        if code in BFP and not s.force_exponent and (code in BFP8 or not s.no_exponents):
            where += _up16(-(-cls.x_dim(s, u, ctx, multi) * s.y_dim * z_dim * w_dim // 16))
        return rsi, exponents, where

    def _formats(self, p: Plan, s: Setup, plain: int, word: int) -> None:
        reserved, zero = {p.code, p.out} & {12, 13}, word >> 4 & 1
        if reserved:
            p.faults.add("format_code")
        if not reserved and p.code != p.out and p.code != 0:
            p.faults.add("format_pair")
        if p.code == 0 and p.out not in _FP32_OUT | {12, 13}:
            p.faults.add("format_fp32")
        if not p.to_dst and not zero and p.code == p.out and p.code in WIDE:  # U23
            p.faults.add("format_src")
        if not plain and p.code in BFP2:
            p.faults.add("compressed_bfp2")
        small = p.code in BFP and p.code not in BFP8
        if small and s.no_exponents and not s.force_exponent:
            p.faults.add("bfp_alias")

    def _modes(self, p: Plan, s: Setup, thread: int) -> None:
        if s.throttle == 3:
            p.faults.add("throttle")
        combo = p.compressed or s.upsample or quarters(p.code) < 4
        if s.tilize and combo:
            p.faults.add("tilize_combo")
        tilize = s.tilize and not combo
        if p.to_dst and (s.transpose or (not tilize and s.shift[p.ctx & 3])):
            p.faults.add("dst_modes")
        if p.to_dst and self.threads[thread].ovrd:
            p.faults.add("dst_ovrd")

    def _input(self, p: Plan, s: Setup, thread: int, word: int) -> None:
        u, multi, search = word >> 23 & 1, word >> 7 & 1, word >> 2 & 1
        x_dim, z_dim = self.x_dim(s, u, p.ctx, multi), max(1, s.z_dim)
        p.sections = self.sections(s, u, p.ctx, multi, p.code, p.compressed)
        rsi, exponents, where = p.sections
        shared = p.code in BFP and not s.force_exponent
        one, two = self.counters.of(p.adc, u), self.counters.of(thread, u)
        x, y, x1 = one[X], one[Y] & 255, one[X1]
        plane = (two[W] & 255) * z_dim + (two[Z] & 255)
        if p.compressed:
            e0 = rsi + 2 * plane * (s.blobs if search and s.blobs else s.y_dim)
            self._packed(p, s, e0, word, (x, y, x1, x_dim), where)
            first = self.memory.u16(e0 + 2 * y) if not self._far(e0 + 2 * y) else 0
        else:
            if one[Y] > 255:
                p.faults.add("y_range")
            x_pos, y_pos, x_end = x, y, x1 + 1
            if search:
                x_pos, x_end = 0, x1
                if s.blobs:
                    starts = s.blob_starts
                    if multi and not u:
                        starts = s.ctx_blob_starts[p.ctx >> 1 & 1]
                    n = (x & 7) + 1
                    if n == 8:
                        p.faults.add("blobs_index")
                    x_pos, y_pos = 16 * (starts >> 4 * (y & 7) & 15), 0
                    x_end = 16 * (starts >> 4 * n & 15)
                    if n == s.blobs:
                        x_end = x_dim & 0x1F0
            limit = 8192 * 4 // max(4, quarters(p.code))
            if x_pos >= limit or x_end > limit:
                p.faults.add("x_window")
            if x_end < x_pos:
                p.faults.add("x_order")
            first = (plane * s.y_dim + y_pos) * x_dim + x_pos & M32
            p.count = max(0, x_end - x_pos)
            self._plain(p, s, u, where, first)
        if shared and p.count:
            self._exponents(p, s, exponents * 16 + first, p.count)
        size, end = quarters(p.code), self.memory.size
        beyond = any(r < 0 or (n and r + n * size > end * 4) for r, n in p.rows)
        if beyond or max(p.groups, default=0) > end:
            p.faults.add("datum")
        if any(e + n > end * 16 for e, n in p.exponents):
            p.faults.add("exponent")

    def _wrap(self, s: Setup, pointer: int, unit: int) -> int:
        """``pointer`` in parts of a byte, of which there are ``unit``, after a wrap (U24)."""
        if pointer > s.limit * 16 * unit:
            pointer = pointer - s.fifo * 16 * unit & (M32 + 1) * unit - 1
        return pointer

    def _row_width(self, code: int) -> int:
        return self.profile.row_w if quarters(code) >= 8 else 16

    def _plain(self, p: Plan, s: Setup, u: int, where: int, first: int) -> None:
        size = quarters(p.code)
        pointer = where * 4 + first * size & (M32 + 1) * 4 - 1
        aligned = pointer % 64 == 0
        tilize = s.tilize and not s.upsample and size >= 4
        if tilize:
            pointer -= pointer % 64
        pointer = self._wrap(s, pointer, 4)
        if (s.tilize or (s.transpose and not u and not p.to_dst)) and not aligned:
            p.faults.add("start_align")
        width = self._row_width(p.code)
        stride = width * size
        if tilize:
            stride = 4 * (s.shift[0] << 4 | s.shift[1] << 8 | s.shift[2] << 12)
        left = p.count
        last = pointer + max(0, left - 1) // width * stride
        if left and not tilize and last <= s.limit * 64:
            p.rows.append((pointer, left))  # rows that follow one another
            left = 0
        while left:
            n = min(left, width)
            p.rows.append((pointer, n))
            left -= n
            pointer = self._wrap(s, pointer + stride, 4)
        p.slots = p.count * (1 + self.profile.upsample_zeros[s.upsample])

    def _exponents(self, p: Plan, s: Setup, pointer: int, count: int) -> None:
        pointer = self._wrap(s, pointer, 16)
        while count:
            n = min(count, 256 - pointer % 256)
            p.exponents.append((pointer, n))
            count -= n
            pointer += n
            if pointer % 256 == 0:
                pointer = self._wrap(s, pointer, 16)

    def _far(self, address: int) -> bool:
        return address + 2 > self.memory.size

    def _packed(
        self, p: Plan, s: Setup, e0: int, word: int, xy: tuple[int, int, int, int], where: int
    ) -> None:
        """Compressed input: the RSI and the walk over datums and nibbles."""
        x, y, x1, x_dim = xy
        u, search, zero = word >> 23 & 1, word >> 2 & 1, word >> 4 & 1
        begin = e0 + 2 * y
        if search:
            end = e0 + 2 * ((x & 255) + 1)
        elif x == 0 and x1 == x_dim - 1:
            end = begin + 2
        else:
            end, p.bounded = begin, True
        p.rsi = (begin, end)
        if self._far(begin) or self._far(end):
            p.faults.add("rsi")
            return
        first = self.memory.u16(begin)
        drop, left = 0, 1 << 30
        count = max(0, self.memory.u16(end) - first)
        if p.bounded:
            if x1 + 1 < x:
                p.faults.add("x_order")
            drop, left = x, max(0, x1 + 1 - x)
            count = 1 << 16 if left else 0
        group = 8 * quarters(p.code) + 16
        datum4 = (where + first // 32 * group) * 4 + first % 32 * quarters(p.code)
        delta2 = (where + first // 32 * group + 8 * quarters(p.code)) * 2 + first % 32
        datum4, delta2 = self._wrap(s, datum4, 4), self._wrap(s, delta2, 2)
        width, zeros = self._row_width(p.code), self.profile.upsample_zeros[s.upsample]
        done = items = 0  # with what is dropped
        run, size, step = datum4, quarters(p.code), 16 * quarters(p.code)
        count = min(count, MOST)
        while done < count and items < drop + left:
            # up to where a pointer may wrap
            n = min(count - done, width - done % width, 32 - delta2 % 32)
            if zero:  # U23
                n = more = min(n, drop + left - items)
            else:
                n, more = self.memory.runs(delta2, n, drop + left - items)
            done += n
            items += more
            datum4 += n * size
            if n > 1:
                p.groups.append((datum4 - size + 3) // 4)
            if done % width == 0:
                datum4 = self._wrap(s, datum4, 4)
            delta2 += n
            p.groups.append(max(datum4 + 3, delta2 * 2 + 5) // 4)
            if delta2 % 32 == 0:
                datum4 += 64
                delta2 = self._wrap(s, delta2 + step, 2)
        emitted = max(0, min(left, items - drop))
        p.rows.append((run, 0))
        p.count = done
        if s.transpose and not u and not p.to_dst and done and run % 64:
            p.faults.add("start_align")
        p.slots = emitted * (1 + zeros)

    def _output(self, p: Plan, s: Setup, thread: int, u: int, multi: int) -> None:
        own = self.counters.of(thread, u)
        address = s.out_base + own[Y1] * s.y_stride + own[Z1] * s.z_stride + own[W1] * s.w_stride
        shift = 2 if p.out in WIDE else 1 if p.out in _TWO else 0
        replaced = multi and not u and not (p.to_dst or s.add_dest)
        if address & (1 << shift) - 1:
            p.faults.add("out_align")
        address = (address & M32) >> shift
        if replaced:
            address = s.dest[p.ctx & 3]
        elif multi and not u:
            address = address + s.dest[p.ctx & 3] & M32
        p.out_addr = address
        if not p.slots:
            return
        step = 1 if not s.interleave else 1 + self.profile.upsample_zeros[s.upsample]
        column = 0 if u or s.tilize or p.to_dst else s.shift[p.ctx & 3]
        first = 0 if u or p.to_dst else 4
        places = range(address, address + p.slots, step)
        p.writes = any(k // 16 >= first and k & 15 >= column for k in places)
        last = (address + p.slots - 1) // 16
        row = self.row[u][thread]
        if u and last + row >= 64:
            p.faults.add("srcb_row")
        if not u and not p.to_dst and not self.threads[thread].ovrd and last - 4 >= 16:
            p.faults.add("srca_row")
