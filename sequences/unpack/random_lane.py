# SPDX-License-Identifier: Apache-2.0
"""Random instructions of a thread for an unpacker, each tried against the view before it issues."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from tilepath.sequences.adc import words as counter_words
from tilepath.sequences.kernel.draw import Draw
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.config import Setup
from tilepath.sequences.unpack.counters import set_words
from tilepath.sequences.unpack.knobs import Knobs
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
from tilepath.sequences.unpack.random_setup import AREA
from tilepath.sequences.unpack.scenes import DST, SRCA, Script
from tilepath.sequences.unpack.tiles import Packed, datums, exponents, nibbles

W1: Final = 7
_TRIES: Final = 6
_EDGES: Final = (15, 16, 17, 31, 32, 33, 47, 48, 64)


@dataclass
class Fill:
    """What an UNPACR reads and nobody has written yet."""

    code: int
    plan: Plan


@dataclass
class Lane:
    """What one thread does with one unpacker in a scene.

    ``place``: first byte of the area of L1; ``shared``: another thread drives the unpacker too.
    ``others``: threads whose counters it may use. ``made``: unpackers and banks whose compressed
    tiles are in L1 already.
    """

    d: Draw
    knobs: Knobs
    script: Script
    thread: int
    unpacker: int
    place: int
    shared: bool
    others: tuple[int, ...]
    fills: list[Fill] = field(default_factory=list)
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

    def step(self) -> None:
        """One more instruction, with what it takes to make it legal."""
        d, script, counters = self.d, self.script, self.view.counters
        wild = d.chance(self.knobs.faults)
        for attempt in range(_TRIES):
            word = self._word(wild, attempt)
            sets = []
            if attempt or d.chance(self.knobs.anew):
                sets = self._sets(word, attempt)
            before = counters.state() if sets else None
            for one in sets:
                counters.issue(self.thread, one)
            self._prepare(word)
            plan = self.view.plan(self.thread, word)
            fits = self._fits(plan, wild)
            if before:
                counters.restore(before)
            if fits:
                break
        else:
            return
        empty = word >> 6 & 1 and not plan.writes
        if empty and self.shared:
            return
        script.word(self.thread, *sets)
        after = script.done("matrix") if empty else 0
        bank = self.view.bank[self.unpacker]
        script.word(self.thread, word, gap=self._gap(), after=after)
        if plan.to_dst and plan.slots:
            script.stale |= {0, 1} if self.shared else {bank}
        if word >> 6 & 1:
            self.release()
        if not plan.empty:
            self.fills.append(Fill(plan.code, plan))

    def _gap(self) -> int:
        return self.d.between(1, 40) if self.d.chance(self.knobs.gap) else 0

    def _word(self, wild: bool, attempt: int) -> int:
        d, knobs = self.d, self.knobs
        multi = d.flag(knobs.multi)
        adc = self.thread
        if multi and self.others and d.chance(knobs.other):
            adc = d.one(self.others)
        ctx = d.upto(7)
        if self.unpacker and not wild:
            ctx = (d.upto(1) - self.view.threads[self.thread].offset[1]) & 7
        word = w.unpacr(
            self.unpacker,
            inc=(
                d.one((0, 0, 0, 1, 2, 3)),
                d.one((0, 0, 0, 1, 2, 3)),
                d.one((0, 0, 0, 1, 2, 3)),
                d.one((0, 0, 0, 1, 2, 3)),
            ),
            multi=multi,
            ctx=ctx,
            adc=adc if multi else d.upto(3),
            flip=d.flag(knobs.flip),
            zero=d.flag(knobs.zero),
            counter=d.flag(knobs.counter) if attempt < 3 else 0,
            search=d.flag(knobs.search),
            last=d.flag(0.95),
        )
        if wild and d.chance(0.3):
            word ^= d.one((1 << 5, 1 << 14, 3 << 8, 1 << 5))
        return word

    def _fits(self, plan: Plan, wild: bool) -> bool:
        """Whether the instruction is legal, and not too long; ``wild``: only the latter."""
        if plan.count > self.knobs.most or plan.slots > self.knobs.most:
            return False
        if wild:
            return True
        if plan.compressed and any(
            not plan.sections[1] <= e // 16 < plan.sections[2] for e, _ in plan.exponents
        ):
            return False  # a wrap to where RSI or datums are
        if plan.compressed and max(plan.rsi) >= plan.sections[1]:
            return False  # a row that the tile has not
        first, last, size = self.place, self.place + AREA, quarters(plan.code)
        inside = all(first * 4 <= r and r + n * size <= last * 4 for r, n in plan.rows)
        inside &= all(first * 16 <= e and e + n <= last * 16 for e, n in plan.exponents)
        return not plan.faults and inside and all(g < last for g in plan.groups)

    def _count(self) -> int:
        kind = self.d.by(self.knobs.counts)
        if kind == "few":
            return self.d.between(1, 14)
        if kind == "edge":
            return self.d.one(_EDGES)
        if kind == "any":
            return self.d.between(1, 200)
        return {"0": 0, "row": 16, "256": 256, "1024": 1024}[kind]

    def _sets(self, word: int, attempt: int) -> list[int]:
        """Words that give the counters values that suit ``word``."""
        d, s = self.d, self.setup
        multi, search = word >> 7 & 1, word >> 2 & 1
        adc = word >> 8 & 3 if multi else self.thread
        adc = 0 if adc == 3 else adc
        packed = not (s.ctx_uncompressed & 1 if multi else s.uncompressed)
        calm = attempt >= _TRIES - 2
        values = {X: 0, Y: 0, Z: 0, W: 0, X1: 0, Y1: 0, Z1: 0, W1: 0}
        count = self._count() if not calm else d.between(1, 40)
        if adc != self.thread:
            count = min(count, 48)
        if not calm:
            values[X] = d.one((0, 0, 16, 32, 1, 2, 3, 15, 31, d.upto(40)))
            values[Y] = d.one((0, 0, 1, 2, d.upto(max(0, s.y_dim - 1))))
            values[Z] = d.one((0, 0, 1, 2, 3, max(0, s.z_dim - 1)))
            values[W] = d.one((0, 0, 0, 1, max(0, s.w_dim - 1)))
        if s.tilize or s.transpose:
            values[X] = values[X] & 16 if count <= 256 else 0
        values[Y1] = d.one((0, 0, 1, 2, 3)) if not calm else 0
        values[Z1] = d.one((0, 0, 1, 2)) if not calm else 0
        values[W1] = d.one((0, 0, 0, 1)) if not calm else 0
        values[X1] = values[X] + count - 1
        if count == 0:
            values[X] = max(1, values[X])
            values[X1] = values[X] - 1
        if packed:
            self._packed_values(values, word, search)
        elif search:
            values[X1] = count if not s.blobs else values[X1]
            values[X] = d.upto(6) if s.blobs else values[X]
        return self._as_words(values, adc)

    def _packed_values(self, values: dict[int, int], word: int, search: int) -> None:
        d, s = self.d, self.setup
        multi = word >> 7 & 1
        rows = s.blobs if s.blobs and search else s.y_dim
        values[Y], values[Z] = d.upto(max(0, rows - 1)), d.upto(max(1, s.z_dim) - 1)
        values[W] = d.upto(max(1, s.w_dim) - 1)
        if search:
            values[X] = min(values[Y] + d.one((0, 0, 0, 1)), max(0, rows - 1))
            return
        if d.chance(0.4):
            number = (
                self.view.context[self.unpacker][self.thread] if word >> 3 & 1 else word >> 10 & 7
            )
            ctx = number + self.view.threads[self.thread].offset[self.unpacker] & 7
            values[X] = 0
            values[X1] = View.x_dim(s, self.unpacker, ctx if multi else 0, multi) - 1
            return
        values[X] = d.one((0, 1, 2, 3, 5, 8, 16))
        values[X1] = values[X] + d.one((0, 1, 3, 15, 16, 31, 39, d.upto(60)))

    def _as_words(self, values: dict[int, int], adc: int) -> list[int]:
        """The counters as they must be: X, Y, X1 of set ``adc``, the others of the own one."""
        d, u, t = self.d, self.unpacker, self.thread
        far = {k: v for k, v in values.items() if k in (X, Y, X1)}
        near = {k: v for k, v in values.items() if k not in far}
        theirs, own = self.view.counters.of(adc, u), self.view.counters.of(t, u)
        drop = 0.8
        far = {k: v for k, v in far.items() if theirs[k] != v or not d.chance(drop)}
        near = {k: v for k, v in near.items() if own[k] != v or not d.chance(drop)}
        found = set_words(u, far, None if adc == t else adc)
        if adc == t and X in far and X1 in far and max(far[X], far[X1]) < 1024 and d.chance(0.6):
            found = [counter_words.setadcxx_word(1 << u, far.pop(X), far.pop(X1))]
            found += set_words(u, far)
        if near and max(near.values()) < 8 and d.chance(0.5) and set(near) <= {Z, W, Z1, W1}:
            four = tuple(near.get(k, 0) for k in (Z, W, Z1, W1))
            mask = sum(1 << k for k, n in enumerate((Z, W, Z1, W1)) if n in near)
            found.append(counter_words.packed_word("setadczw", 1 << u, four, mask))
        else:
            found += set_words(u, near)
        return found

    def counter_word(self) -> None:
        """A word that moves counters; the next UNPACR finds them wherever they are."""
        d, u = self.d, self.unpacker
        op = d.one(("incadcxy", "incadczw", "addrcrxy", "addrcrzw", "setadcxy", "setadczw"))
        four = tuple(d.one((0, 0, 1, d.upto(7))) for _ in range(4))
        if op.endswith("xy"):
            four = (0, four[1], 0, four[3])
        word = counter_words.packed_word(op, 1 << u, four, d.between(1, 15))
        self.script.word(self.thread, word)

    def noise(self) -> None:
        """A word for the packer's counters, which this unit has not."""
        self.script.word(
            self.thread, counter_words.setadc_word(4, self.d.upto(7), self.d.upto(255))
        )

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
        d, u, view, s = self.d, self.unpacker, self.view, self.setup
        rsi, _, where = view.sections(s, u, ctx, multi or ctx > 0, code, True)
        rows = (s.blobs or s.y_dim) * max(1, s.z_dim) * max(1, s.w_dim)
        lengths = np.array([d.one((0, 1, 5, 16, 31, 32, 33, d.upto(40))) for _ in range(rows)])
        tile = Packed(lengths.astype(np.int64))
        tile.put_index(view.memory, rsi)
        total = tile.datums + 64
        values = datums(d.rng, code, total, self.knobs.data)
        runs = nibbles(d.rng, total, d.one((0.4, 0.8, 0.95)))
        if not self.place <= where < self.place + AREA - total * bits(code) // 4:
            return
        Packed.put_groups(view.memory, where, code, values, runs)
        if where > s.limit * 16 and where - s.fifo * 16 >= self.place:
            Packed.put_groups(view.memory, where - s.fifo * 16, code, values, runs)

    # -- the Matrix Unit

    def release(self) -> None:
        """The bank that has been handed over is looked at and released, sooner or later."""
        d, file = self.d, self.unpacker
        kind = d.by(self.knobs.stalls)
        gap = {"0": 0, "few": d.between(1, 12), "many": d.between(20, 120)}[kind]
        rows = [d.upto(63) for _ in range(d.upto(3))]
        bank = self.script.released[file] & 1
        if file == SRCA and (bank in self.script.stale or (self.shared and self._any_dst())):
            rows = []  # its contents are not defined (U37)
            if d.chance(0.5):
                for _ in range(3):
                    self.script.matrix(0, DST, row=d.one((d.upto(1023), d.upto(40))))
        if file == SRCA and not self.shared:
            self.script.stale.discard(bank)
        self.script.release(file, gap, rows)

    def _any_dst(self) -> bool:
        """Whether the bank may be stale: of two threads, either may be ahead of the other."""
        setups = [self.view.setups[bank][0] for bank in (0, 1)]
        return bool(self.script.stale) or any(s.if_sel or s.ctx_if_sel for s in setups)


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


def fill(d: Draw, knobs: Knobs, script: Script, fills: list[Fill]) -> None:
    """Write what is going to be read: first all datums, then all exponents."""
    memory = script.view.memory
    for one in fills:
        plan = one.plan
        if plan.compressed:
            continue
        size = quarters(one.code)
        values = datums(d.rng, one.code, plan.count, knobs.data)
        for pointer, first, behind in _runs(plan, size, memory.size * 4):
            memory.put_datums(pointer, bits(one.code), values[first:behind])
    # those that must be legal for a BFPa format last: they may lie where others are
    for one in sorted(fills, key=lambda one: one.code in BFPA):
        if one.code not in BFP:
            continue
        for pointer, count in one.plan.exponents:
            begin, end = pointer // 16, (pointer + count - 1) // 16 + 1
            memory.put(begin, exponents(d.rng, one.code, end - begin).astype(np.uint8))
