# SPDX-License-Identifier: Apache-2.0
"""Random instructions of a thread for an unpacker: rows of tables, tried against the view."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from tilepath.sequences.adc import words as counter_words
from tilepath.sequences.kernel.tables import Table
from tilepath.sequences.unpack.config import Setup
from tilepath.sequences.unpack.counters import set_words
from tilepath.sequences.unpack.plan import (
    BFP,
    BFPA,
    X1,
    Y1,
    Z1,
    Plan,
    View,
    W,
    X,
    Y,
    Z,
    bits,
    quarters,
)
from tilepath.sequences.unpack.random_data import Data
from tilepath.sequences.unpack.scenes import DST, SRCA, Script
from tilepath.sequences.unpack.setup_table import AREA
from tilepath.sequences.unpack.tables import LAST
from tilepath.sequences.unpack.tiles import Packed

W1: Final = 7
_TRIES: Final = 6
_BLOCK: Final = 256
_BY_ROW: Final = ("scene", "thread", "setup0", "setup1", "unpacr", "nop", "bank", "row")
_MULTI, _COUNTER, _SEARCH, _FLIP = 1 << 7, 1 << 3, 1 << 2, 1 << 6


class Rows:
    """The next row of each table; ``rng``: makes a generator of a name."""

    def __init__(
        self, tables: Mapping[str, Table], rng: Callable[[str], np.random.Generator]
    ) -> None:
        self._streams: dict[str, Iterator[Any]] = {
            name: tables[name].drawn(rng(name), _BLOCK) for name in _BY_ROW
        }
        self.order = rng("order")
        self.data = Data(tables, rng)

    def __call__(self, table: str) -> Any:
        """A row."""
        return next(self._streams[table])


@dataclass
class Lane:
    """What one thread does with one unpacker in a scene.

    ``place``: first byte of the area of L1; ``shared``: another thread drives the unpacker too.
    ``most``: datums, and positions of output, of an UNPACR. ``fills``: what UNPACRs read and nobody
    has written yet, and whether they need not be legal. ``made``: unpackers and banks whose compressed tiles are in L1 already.
    """

    rows: Rows
    script: Script
    thread: int
    unpacker: int
    place: int
    shared: bool
    most: int
    fills: list[tuple[Plan, bool]] = field(default_factory=list)
    made: set[tuple[int, int]] = field(default_factory=set)

    @property
    def view(self) -> View:
        """What has been written so far."""
        return self.script.view

    @property
    def setup(self) -> Setup:
        """What the unpacker reads, in the thread's bank."""
        return self.view.setup(self.thread, self.unpacker)

    # -- UNPACR

    def step(self) -> Any:
        """One more instruction, with what it takes to make it legal; its row."""
        script, thread, view = self.script, self.thread, self.view
        wild = None
        for attempt in range(_TRIES):
            row = self.rows("unpacr")
            wild = row.faults if wild is None else wild
            word = self._word(row, wild, attempt)
            self._prepare(word)
            sets = None
            if attempt or row.anew:
                sets = self._values(row, word, attempt >= _TRIES - 2)
                adc = self._adc(word)
                with view.counters.tried(self.unpacker, thread, adc, sets):
                    plan = view.plan(thread, word)
            else:
                plan = view.plan(thread, word)
            if self._fits(plan, wild):
                break
        else:
            return row
        empty = word & _FLIP and not plan.writes
        if empty and self.shared:
            return row
        if sets:
            script.word(thread, *self._as_words(sets, row, adc))
        after = script.done("matrix") if empty else 0
        bank = view.bank[self.unpacker]
        script.word(thread, word, gap=row.gap, after=after)
        if plan.to_dst and plan.slots:
            script.stale |= {0, 1} if self.shared else {bank}
        if word & _FLIP:
            self.release()
        if not plan.empty:
            self.fills.append((plan, bool(wild)))
        return row

    def _word(self, row: Any, wild: bool, attempt: int) -> int:
        adc, ctx = row.adc, row.context
        if row.multi:
            adc = adc % 3 if row.other and not self.shared else self.thread
        if self.unpacker and not wild:
            ctx = (row.context & 1) - self.view.threads[self.thread].offset[1] & 7
        word: int = row.word | self.unpacker << 23 | ctx << 10 | adc << 8
        if attempt >= 3:
            word &= ~_COUNTER
        return word ^ row.twist if wild else word

    def _adc(self, word: int) -> int:
        adc = word >> 8 & 3 if word & _MULTI else self.thread
        return 0 if adc == 3 else adc

    def _fits(self, plan: Plan, wild: bool) -> bool:
        """Whether the instruction is legal, and not too long; ``wild``: only the latter."""
        if plan.count > self.most or plan.slots > self.most:
            return False
        if wild:
            return True
        if plan.faults:
            return False
        if plan.compressed:
            if any(not plan.sections[1] <= e // 16 < plan.sections[2] for e, _ in plan.exponents):
                return False  # a wrap to where RSI or datums are
            if max(plan.rsi) >= plan.sections[1]:
                return False  # a row that the tile has not
        first, last, size = self.place, self.place + AREA, quarters(plan.code)
        return (
            all(first * 4 <= r and r + n * size <= last * 4 for r, n in plan.rows)
            and all(first * 16 <= e and e + n <= last * 16 for e, n in plan.exponents)
            and all(g < last for g in plan.groups)
        )

    def _values(self, row: Any, word: int, calm: bool) -> list[int]:
        """Values of the eight counters that suit ``word``."""
        s = self.setup
        multi, search = word & _MULTI, word & _SEARCH
        packed = not (s.ctx_uncompressed & 1 if multi else s.uncompressed)
        count = row.calm if calm else row.counts
        if self._adc(word) != self.thread:
            count = min(count, 48)
        values = [0] * 8
        if not calm:
            dims = (s.y_dim, s.z_dim - 1, s.w_dim - 1)
            values[X] = row.x
            values[Y] = row.y if row.y != LAST else row.far[0] * dims[0] >> 12
            values[Z] = row.z if row.z != LAST else max(0, dims[1])
            values[W] = row.w if row.w != LAST else max(0, dims[2])
            values[Y1], values[Z1], values[W1] = row.y1, row.z1, row.w1
        if s.tilize or s.transpose:
            values[X] = values[X] & 16 if count <= 256 else 0
        if count == 0:
            values[X] = max(1, values[X])
        values[X1] = values[X] + count - 1
        if packed:
            self._packed_values(values, row, word)
        elif search and not s.blobs:
            values[X1] = count
        elif search:
            values[X] = row.far[3] * 7 >> 12
        return values

    def _packed_values(self, values: list[int], row: Any, word: int) -> None:
        s, multi, search = self.setup, word & _MULTI, word & _SEARCH
        rows = s.blobs if s.blobs and search else s.y_dim
        dims = (max(1, rows), max(1, s.z_dim), max(1, s.w_dim))
        values[Y], values[Z], values[W] = (
            at * dim >> 12 for at, dim in zip(row.far[:3], dims, strict=True)
        )
        if search:
            values[X] = min(values[Y] + row.more, max(0, rows - 1))
            return
        if row.whole:
            ctx = self.view.number(self.thread, word) if multi else 0
            values[X] = 0
            values[X1] = View.x_dim(s, self.unpacker, ctx, int(bool(multi))) - 1
            return
        values[X] = row.px
        values[X1] = row.px + row.span

    def _as_words(self, values: list[int], row: Any, adc: int) -> list[int]:
        """The counters as they must be: X, Y, X1 of set ``adc``, the others of the own one."""
        u, t, again = self.unpacker, self.thread, row.again
        theirs, own = self.view.counters.of(adc, u), self.view.counters.of(t, u)
        far = {k: values[k] for k in (X, Y, X1) if theirs[k] != values[k] or again[k]}
        near = {k: values[k] for k in (Z, W, Y1, Z1, W1) if own[k] != values[k] or again[k]}
        found = []
        if row.joint and adc == t and X in far and X1 in far and max(far[X], far[X1]) < 1024:
            found = [counter_words.setadcxx_word(1 << u, far.pop(X), far.pop(X1))]
        found += set_words(u, far, None if adc == t else adc)
        if row.packed and near and Y1 not in near and max(near.values()) < 8:
            four = tuple(near.get(k, 0) for k in (Z, W, Z1, W1))
            mask = sum(1 << k for k, n in enumerate((Z, W, Z1, W1)) if n in near)
            found.append(counter_words.packed_word("setadczw", 1 << u, four, mask))
        else:
            found += set_words(u, near)
        return found

    def counter_word(self, row: Any) -> None:
        """A word that moves counters; the next UNPACR finds them wherever they are."""
        self.script.word(self.thread, row.moving | 1 << 21 + self.unpacker)

    def noise(self, row: Any) -> None:
        """A word for the packer's counters, which this unit has not."""
        word = counter_words.setadc_word(4, row.context, row.of_packer)
        self.script.word(self.thread, word)

    # -- L1

    def _prepare(self, word: int) -> None:
        """Write the pictures of compressed contexts, once a scene."""
        u, multi, view, s = self.unpacker, word >> 7 & 1, self.view, self.setup
        if s.ctx_uncompressed & 1 if multi else s.uncompressed:
            return
        bank = view.threads[self.thread].state
        if (u, bank) in self.made:
            return
        self.made.add((u, bank))
        for ctx in range(2 if u else 8):
            self._picture(ctx, s.ctx_in[ctx] if s.ovrd_format else s.in_format, multi)

    def _picture(self, ctx: int, code: int, multi: int) -> None:
        view, s, data = self.view, self.setup, self.rows.data
        rsi, _, where = view.sections(s, self.unpacker, ctx, multi or ctx > 0, code, True)
        count = (s.blobs or s.y_dim) * max(1, s.z_dim) * max(1, s.w_dim)
        rows = [self.rows("row") for _ in range(max(1, count))]
        tile = Packed(np.array([row.length for row in rows[:count]], np.int64))
        tile.put_index(view.memory, rsi)
        total = tile.datums + 64
        values, runs = data.datums(code, total), data.zeros(total, rows[0].dense)
        if not self.place <= where < self.place + AREA - total * bits(code) // 4:
            return
        Packed.put_groups(view.memory, where, code, values, runs)
        if where > s.limit * 16 and where - s.fifo * 16 >= self.place:
            Packed.put_groups(view.memory, where - s.fifo * 16, code, values, runs)

    # -- the Matrix Unit

    def release(self) -> None:
        """The bank that has been handed over is looked at and released, sooner or later."""
        row, file = self.rows("bank"), self.unpacker
        reads = row.read_row[: row.reads]
        bank = self.script.released[file] & 1
        stale = self.script.stale
        # of two threads, either may be ahead of the other
        if file == SRCA and (bank in stale or (self.shared and (stale or any_dst(self.script)))):
            reads = []  # its contents are not defined (U37)
            if row.dst:
                for number in row.dst_row:
                    self.script.matrix(0, DST, row=number)
        if file == SRCA and not self.shared:
            stale.discard(bank)
        self.script.release(file, row.stalls, reads)


def any_dst(script: Script) -> bool:
    """Whether unpacker 0 may write Dst, in either bank."""
    setups = [script.view.setups[bank][0] for bank in (0, 1)]
    return any(s.if_sel or s.ctx_if_sel for s in setups)


def _runs(plan: Plan, size: int, end: int) -> list[tuple[int, int, int]]:
    """The rows of ``plan`` that lie in the memory: where, first datum, and the one behind.

    One entry for rows that follow one another at once. ``size`` of a datum and ``end`` of the
    memory in quarters of a byte.
    """
    found: list[tuple[int, int, int]] = []
    place, place_at = 0, -1
    for pointer, count in plan.rows:
        if pointer >= 0 and pointer + count * size <= end:
            if pointer == place_at:
                begin, first, _ = found.pop()
                found.append((begin, first, place + count))
            else:
                found.append((pointer, place, place + count))
            place_at = pointer + count * size
        else:
            place_at = -1
        place += count
    return found


def fill(data: Data, script: Script, fills: list[tuple[Plan, bool]]) -> None:
    """Write what is going to be read: first all datums, then all exponents."""
    memory = script.view.memory
    for plan, _ in fills:
        if plan.compressed:
            continue
        size = quarters(plan.code)
        values = data.datums(plan.code, plan.count)
        for pointer, first, behind in _runs(plan, size, memory.size * 4):
            memory.put_datums(pointer, bits(plan.code), values[first:behind])
    # those that must be legal for a BFPa format last: they may lie where others are
    for plan, wild in sorted(fills, key=lambda one: one[0].code in BFPA and not one[1]):
        if plan.code not in BFP:
            continue
        for pointer, count in plan.exponents:
            begin, end = pointer // 16, (pointer + count - 1) // 16 + 1
            memory.put(begin, data.exponents(plan.code, end - begin, wild))
