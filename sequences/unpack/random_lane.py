# SPDX-License-Identifier: Apache-2.0
"""Random instructions of a thread for an unpacker: rows of tables, tried against the view."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import compress
from typing import Any, Final, NamedTuple, Self

import numpy as np

from tilepath.engine.compiled.records import Records
from tilepath.engine.stimulus.tables import Table
from tilepath.models.format_codes import BFPA, SHARED
from tilepath.sequences.adc import words as counter_words
from tilepath.sequences.unpack.config import Setup
from tilepath.sequences.unpack.plan import bits, quarters
from tilepath.sequences.unpack.random_data import Data
from tilepath.sequences.unpack.random_walk import LANE, ROW, TRIES, step
from tilepath.sequences.unpack.script import DST, SRCA, Script
from tilepath.sequences.unpack.setup_table import AREA
from tilepath.sequences.unpack.tiles import Packed
from tilepath.sequences.unpack.view import View

_BLOCK: Final = 256
_BY_ROW: Final = ("scene", "thread", "setup0", "setup1", "nop", "bank")
_FLIP: Final = 1 << 6


class Beside(NamedTuple):
    """What goes with an UNPACR: columns of its table."""

    swap: bool
    nop: bool
    noise: list[bool]
    context: int
    of_packer: int
    moving: int


class Rows:
    """The next row of each table; ``rng``: makes a generator of a name."""

    def __init__(
        self, tables: Mapping[str, Table], rng: Callable[[str], np.random.Generator]
    ) -> None:
        self._streams: dict[str, Iterator[Any]] = {
            name: tables[name].drawn(rng(name), _BLOCK) for name in _BY_ROW
        }
        self._tile_rows = tables["row"].blocks(rng("row"), _BLOCK)
        self._tiles: Records = next(self._tile_rows)
        self._blocks = tables["unpacr"].blocks(rng("unpacr"), _BLOCK)
        self._rows: Records = np.zeros(TRIES + _BLOCK, ROW)
        self._beside: list[Any] = [None] * TRIES
        self._at = len(self._rows)
        self.order = rng("order")
        self.data = Data(tables, rng)

    def __call__(self, table: str) -> Any:
        """A row."""
        return next(self._streams[table])

    def tiles(self, count: int) -> Records:
        """So many rows of table ``row``."""
        while len(self._tiles) < count:
            self._tiles = np.concatenate((self._tiles, next(self._tile_rows)))
        found, self._tiles = self._tiles[:count], self._tiles[count:]
        return found

    def ahead(self) -> tuple[Records, int]:
        """Rows of table ``unpacr``, and from where on there are some to be tried."""
        left = len(self._rows) - self._at
        if left < TRIES:
            # what is left, then a block
            begin = TRIES - left
            self._rows[begin:TRIES] = self._rows[self._at :]
            block = next(self._blocks)
            for name in ROW.names or ():
                self._rows[name][TRIES:] = block[name]
            columns = [block[name].tolist() for name in Beside._fields]
            made = map(Beside._make, zip(*columns, strict=True))
            self._beside = [*self._beside[-TRIES:], *made]
            self._at = begin
        return self._rows, self._at

    def used(self, count: int) -> Beside:
        """So many of them are done with; what goes with the last one."""
        self._at += count
        return self._beside[self._at - 1]


class Fill(NamedTuple):
    """What an UNPACR reads: rows of datums, and exponents; ``wild``: it need not be legal.

    ``counts``: bytes from which to which say how many datums there are, if it is compressed.
    """

    code: int
    counts: list[tuple[int, int]]
    count: int
    runs: list[list[int]]
    pieces: list[list[int]]
    wild: bool

    @classmethod
    def of(cls, reaches: Records, wild: bool) -> Self:
        """That of what one reads."""
        code, compressed, count, runs, pieces, (rsi, entry), low, group = reaches[
            ["code", "compressed", "count", "run_count", "piece_count", "rsi", "low", "group"]
        ][0].tolist()
        rows, parts = reaches["runs"][0, :runs].tolist(), reaches["pieces"][0, :pieces].tolist()
        counts = [(rsi, entry + 2), (low // 4, group + 1)]
        return cls(code, counts if compressed else [], count, rows, parts, wild)


class Lane:
    """What one thread does with one unpacker in a scene.

    ``fills``: what UNPACRs read and nobody has written yet. ``made``: unpackers and banks whose
    compressed tiles are in L1 already.
    """

    def __init__(
        self, rows: Rows, script: Script, made: set[tuple[int, int]], banks: tuple[int, ...],
        who: tuple[int, int, bool],
    ) -> None:  # fmt: skip
        """``who``: thread, unpacker, and whether another thread drives the unpacker too.

        ``banks``: those of the configuration that the scene's threads use.
        """
        self.rows, self.script, self.made, self.banks = rows, script, made, banks
        self.thread, self.unpacker, self.shared = who
        self.fills: list[Fill] = []
        self.own: Records = np.zeros(1, LANE)
        self.own[["thread", "unpacker", "shared"]] = who
        view = script.view
        self._state = view.machine.model, view.reaches, self.own

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
        """One more instruction, with what it takes to make it legal; what goes with its row."""
        script, thread, reaches = self.script, self.thread, self.view.reaches
        rows, at = self.rows.ahead()
        self._prepare(int(rows["multi"][at]))
        bank = int(self.view.bank[self.unpacker])
        step(*self._state, rows, at)
        used, issued, in_vain, gap = self.own["told"][0].tolist()
        row = self.rows.used(used)
        if not issued:
            return row
        *sets, word = self.own["words"][0, : int(self.own["word_count"][0])].tolist()
        script.issued(thread, sets)
        script.issued(thread, (word,), gap, script.done("matrix") if in_vain else 0)
        names = ["to_dst", "slots", "count", "compressed"]
        to_dst, slots, count, compressed = reaches[names][0].tolist()
        if to_dst and slots:
            script.stale |= {0, 1} if self.shared else {bank}
        if word & _FLIP:
            self.release()
        if count or compressed:
            self.fills.append(Fill.of(reaches, bool(self.own["wild"][0])))
        return row

    def counter_word(self, row: Any) -> None:
        """A word that moves counters; the next UNPACR finds them wherever they are."""
        self.script.word(self.thread, row.moving | 1 << 21 + self.unpacker)

    def noise(self, row: Any) -> None:
        """A word for the packer's counters, which this unit has not."""
        word = counter_words.setadc(4, row.context, row.of_packer)
        self.script.word(self.thread, word)

    # -- L1

    def _prepare(self, multi: int) -> None:
        """Write the pictures of compressed contexts, once a scene."""
        u, view, s = self.unpacker, self.view, self.setup
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
        place = int(self.own["place"][0])
        bank = view.threads[self.thread].state
        multi = int(multi or ctx > 0)
        rsi, _, where = view.machine.sections(bank, self.unpacker, ctx, multi, code)
        count = (s.blobs or s.y_dim) * max(1, s.z_dim) * max(1, s.w_dim)
        rows = self.rows.tiles(max(1, count))
        tile = Packed(rows["length"][:count])
        tile.put_index(view.memory, rsi)
        total = tile.datums + 64
        values, runs = data.datums(code, total), data.zeros(total, rows["dense"][0])
        if not place <= where < place + AREA - total * bits(code) // 4:
            return
        Packed.put_groups(view.memory, where, code, values, runs)
        if where > s.limit * 16 and where - s.fifo * 16 >= place:
            Packed.put_groups(view.memory, where - s.fifo * 16, code, values, runs)

    # -- the Matrix Unit

    def release(self) -> None:
        """The bank that has been handed over is looked at and released, sooner or later."""
        row, file = self.rows("bank"), self.unpacker
        reads = row.read_row[: row.reads]
        bank = self.script.released[file] & 1
        stale = self.script.stale
        # of two threads, either may be ahead of the other
        is_open = file == SRCA and self.shared and any_dst(self.script, self.banks)
        if file == SRCA and (bank in stale or is_open):
            reads = []  # its contents are not defined (U37)
            if row.dst:
                for number in row.dst_row:
                    self.script.matrix(0, DST, row=number)
        if file == SRCA and not is_open:
            stale.discard(bank)
        self.script.release(file, row.stalls, reads)


def any_dst(script: Script, banks: Iterable[int]) -> bool:
    """Whether unpacker 0 may write Dst, as set up in ``banks``."""
    setups = [script.view.setups[bank][0] for bank in banks]
    return any(s.if_sel or s.ctx_if_sel for s in setups)


def fill(data: Data, script: Script, fills: list[Fill], kept: list[tuple[int, int]]) -> None:
    """Write what is going to be read: first all datums, then all exponents.

    ``kept``: from which byte to which nothing is written.
    """
    memory = script.view.memory

    def is_free(begin: int, end: int) -> bool:
        return all(end <= first or last <= begin for first, last in kept)

    for one in fills:
        if not one.counts:
            quarter = quarters(one.code)
            ends = [(a, a + (last - first) * quarter + 3) for a, first, last in one.runs]
            free = [is_free(begin // 4, end // 4) for begin, end in ends]
            data.put(memory, one.code, one.count, compress(one.runs, free))
    # those that must be legal for a BFPa format last: they may lie where others are
    for one in sorted(fills, key=lambda one: one.code in BFPA and not one.wild):
        if one.code not in SHARED:
            continue
        for pointer, count in one.pieces:
            begin, end = pointer // 16, (pointer + count - 1) // 16 + 1
            exponents = data.exponents(one.code, end - begin, one.wild)
            if is_free(begin, end):
                memory.put(begin, exponents)
