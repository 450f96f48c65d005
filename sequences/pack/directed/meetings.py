# SPDX-License-Identifier: Apache-2.0
"""What meets in time: writes of all kinds, rows of Dst that several want, words for one counter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from tilepath.engine.description.packing import Items
from tilepath.engine.description.stimulus import ANY, Context
from tilepath.models import format_codes as C
from tilepath.sequences.adc import words as counter_words
from tilepath.sequences.config_script import ALL_ROWS
from tilepath.sequences.pack import config, words
from tilepath.sequences.pack.cells import Cell
from tilepath.sequences.pack.directed import common
from tilepath.sequences.pack.directed.common import BF16, FP32, LINES, first, is_one, load, way
from tilepath.sequences.pack.script import PACKERS, Script, script_test
from tilepath.tb.pack import streams
from tilepath.tb.pack.streams import DST_READ, RUN, RUN_WORDS, THREADS

_ROWS: Final = 32  # of storage that are in use: two a bank
_WRITES: Final = 1_500
_PACRS: Final = 60  # of each packer, or as many rows of the one
_UNREAD: Final = 40, 64  # words of Config that packers do not read
_OWN: Final = (0, 37, 38, 39, 40, 45, 60)  # words of ThreadConfig
_TIMES: Final = 200
_ROW: Final = [0x3F80 + k for k in range(16)]


def _writes(script: Script, rng: np.random.Generator, after: int) -> None:
    """Rows are written; with no column, so that what packers get does not depend on the cycle."""
    for number in range(_WRITES):
        row = int(rng.integers(_ROWS))
        count = 1 + int(rng.integers(min(RUN, 16 - row % 16)))
        fields = (row, count, [0] * RUN, [0] * RUN_WORDS)
        script.add("dst_write", fields, 0, after if number == 0 else 0)


def _of(of: Cell, kind: str) -> common.Build:
    """Rows of one width."""

    def build(script: Script, ctx: Context) -> None:
        rng = ctx.rng(kind)
        common.begin(script)
        rows = _ROWS // 2 if of.wide else _ROWS
        load(script, way(of, dst_offset=(0, 2, 4, 6)), rng.integers(0, 1 << 16, 16 * rows), kind)
        script.phase(idle=False)
        script.counters(0, x0=0, x1=15 if is_one(script) else 127, y0=0)
        script.word(0, words.pacr(15, mode=common.STEP))
        issued = script.done("t0.issue")
        for number in range(_PACRS):
            if number % 8 == 7:
                script.counters(0, y0=0)
            script.word(0, *[words.pacr(15, mode=common.STEP)] * (8 if is_one(script) else 1))
        script.word(0, words.pacr(15, last=1))
        _writes(script, rng, issued)
        script.add("dst_zero", (0, 1), 100, issued)  # of the other half, which nobody reads

    return build


def _reads(ctx: Context) -> Iterator[Items]:
    """The Matrix Unit reads, a row again and again."""
    rng = ctx.rng("dst_read")
    count = rng.integers(1, 12, 400)
    row, wide = rng.integers(0, _ROWS, 400), rng.integers(0, 2, 400)
    gap = np.zeros(count.sum(), np.int64)
    gap[np.cumsum(count) - count] = rng.integers(0, 8, 400)
    row &= ~(8 * wide)
    yield DST_READ.pack(gap=gap, row=np.repeat(row, count), wide=np.repeat(wide, count))


def _words(bank: int) -> dict[int, int]:
    """All that packers read; the banks differ in where tiles go."""
    dest = tuple(line + 0x200 * bank for line in LINES)
    return config.words(way(BF16, l1_dest=dest))


def _second_writes(script: Script, ctx: Context) -> None:
    rng, stored = ctx.rng("setc16"), ctx.rng("store")
    for bank in (0, 1):
        script.words(bank, _words(bank), wide=bank == 1, flops=ALL_ROWS)
    for number in range(_TIMES):
        script.config(0, _UNREAD[0], 0)
        for thread in range(THREADS):
            script.add(f"t{thread}.setc16", _thread_word(rng))
        script.store(number % THREADS, *_thread_word(stored))
    load(script, {}, rng.integers(0, 1 << 16, 1024), "bf16")
    for thread in range(THREADS):
        script.phase()
        script.flop(thread & 1, _UNREAD[1], (0,) * 4).store(thread, 60, 0)
        first(script, thread=thread)
        script.phase(idle=False)
        for mode in range(4):
            mask = 1 if is_one(script) else 15
            script.word(thread, *[words.pacr(mask, mode=mode)] * 4, words.pacr(mask, last=1))


def _thread_word(rng: np.random.Generator) -> tuple[int, int]:
    return int(rng.choice(_OWN)), int(rng.integers(0, 8))


def _inputs(script: Script, _ctx: Context) -> None:
    """Writes of all kinds, histograms read and cleared around rows, words that meet."""
    common.begin(script)
    _columns(script)
    script.phase()
    for banks in range(4):
        for index in (60, 60, 204, 204):
            script.config(banks, index, 0)
            script.config4(banks, index, (0, 0, 0, 0))
    rows = np.zeros((9, 16), np.uint16)
    for count in range(1, 10):
        masks = [(0xFFFF, 0, 0x0FF0)[k % 3] if k < count else 0 for k in range(9)]
        script.add("dst_write", (1020, count, masks, rows.view(np.uint32).ravel()))
    for which in (None, 0, 1):
        script.zero(which)
    for half, row in ((0, 248), (1, 760)):  # runs of two cycles, met in the first, in both
        script.phase()
        for _ in range(half + 1):
            script.zero(half)
        script.add("dst_write", (row, 9, [0xFFFF] * 9, rows.view(np.uint32).ravel()))
    for thread in range(3):
        script.setc16(thread, 60, 1)
    script.l1(0x1_FFF0, np.ones(16, np.uint32))
    script.offset(15, 0).offset(15, 0xFFFF).offset(15, 0)
    for packer in range(4):
        script.histogram(packer, 6, 7, 9, 3)
    for thread in range(3):
        load(script, way(BF16), _ROW, "bf16")
        script.phase().stats(thread, 1)
        first(script)
        script.word(0, *[words.pacr(1, last=1)] * 8).stats(thread, 0)
    script.phase()
    for other in (1, 2, 0):  # words for a set whose counters a PACR moves
        sets = counter_words.packed("setadcxy", 1 << PACKERS, (0, 1, 0, 0), 2, other + 1 & 3)
        script.word(other, *[words.pacr(1, last=1, mode=common.STEP)] * 6)
        script.word((other + 1) % 3, *[int(sets)] * 40)
        script.phase()
    values = np.arange(1, 145, dtype=np.uint16).view(np.uint32)
    script.add("dst_write", (1023, 2, [0xFFFF] * 2 + [0] * 7, values))  # two rows of a bank


def _columns(script: Script) -> None:
    """Some columns of rows of the upper half, after all was set to zero."""
    masks = (0x0FF0, 0xFFFF, 0x7FFF, 1, 0, 0x8000, 0, 0, 0)
    rows = np.full((9, 16), 0x3F81, np.uint16).view(np.uint32).ravel()
    load(script, way(BF16, dst_offset=600), _ROW, "bf16")
    for parts in ((0xFFFF,) * 9, masks):
        script.phase().zero(None)
        script.phase().add("dst_write", (600, 9, parts, rows))
        script.phase()
        first(script)
        script.phase(idle=False)
        script.word(0, *[words.pacr(1, mode=common.STEP)] * 8, words.pacr(1, last=1))


def _left_over(script: Script, _ctx: Context) -> None:
    """Datums of a tile that was not compressed lie before compressed ones, more than L1 takes."""
    for _ in range(2 if is_one(script) else 12):
        load(script, way(BF16), 0x3F80 + np.arange(64), "bf16")
        script.phase(idle=False)
        first(script, 7)
        script.word(0, words.pacr(1))
        script.phase().setup(way(BF16, uncompressed=0))
        first(script)
        script.phase(idle=False)
        script.word(0, *[words.pacr(1, concat=1)] * 29, words.pacr(1, last=1))


def _padding(script: Script, _ctx: Context) -> None:
    """Behind what is left over a block that is padded when the entry before makes twelve lines."""
    load(script, way(BF16, C.FP8), 0x3F80 + np.arange(64), "bf16")
    script.phase(idle=False)
    first(script, 14)
    script.word(0, words.pacr(1))
    script.phase().setup(way(BF16, C.FP8, uncompressed=0))
    first(script)
    script.phase(idle=False)
    script.word(0, *[words.pacr(1, concat=1)] * 2, *[words.pacr(1)] * 6)
    script.counters(0, x1=0)
    script.word(0, words.pacr(1, last=1))


def _tiles_of_rows(script: Script, _ctx: Context) -> None:
    """Compressed tiles of rows of one datum, of all sizes of datums."""
    for to in (C.FP32, C.BF16, C.BFP8, C.BFP4):
        load(script, way(BF16, to, uncompressed=0, row_size=5), _ROW * 11, "bf16")
        script.phase(idle=False)
        for rows in (*range(1, 9), 32):
            first(script, 1)
            script.word(0, *[words.pacr(1)] * (rows - 1), words.pacr(1, last=1, concat=rows & 1))


def _sides(script: Script, _ctx: Context) -> None:
    """Tiles that change from BFP8 to FP32: an exponent line right behind all lines of an entry."""
    if not is_one(script):
        return
    load(script, way(FP32, (C.BFP8, *[C.FP32] * 3)), [0x3F80_0000] * 64, "fp32")
    first(script)
    script.phase(idle=False)
    for _ in range(100):
        script.word(0, *[words.pacr(15, context=k) for k in (0, 1, 1)])
        script.word(0, words.pacr(15, context=1, last=1))


def _ready(_ctx: Context) -> Iterator[Items]:
    """Long times in which L1 is not ready, first of all, and short ones."""
    yield streams.levels(streams.L1_READY, [500, 1, 100, 60, 600], value=[0, 15, 0, 15, 0])
    yield streams.levels(streams.L1_READY, [400, 200, 3, 1, 9, 2, 90, 30] * 40, value=[15, 0] * 160)


TESTS: Final = (
    script_test(
        "contention",
        "rows of Dst that packers, the Matrix Unit and writers want in the same cycle",
        common.joined(_of(BF16, "bf16"), _of(FP32, "fp32")),
        {"issue": 100, "dst_read": 1000, "unit_fault": 20},
        {"dst_read": _reads}, faults=ANY,
        known=(1,),  # others miss bins of blackhole
    ),
    script_test(
        "second_writes",
        "REG2FLOP writes beside the config unit, cores' stores beside SETC16",
        _second_writes,
        {"issue": 40, "flop": 15, "store": _TIMES, "w0.write": 20},
        faults=ANY,
    ),
    script_test(
        "inputs",
        "configuration, Dst, offsets, histograms; words that meet",
        _inputs,
        {"issue": 30, "w0.write": 10},
        faults=("x_override", "empty"),
    ),
    script_test(
        "padding",
        "compressed tiles, some behind datums that are left over, when L1 takes nothing",
        common.joined(_padding, _tiles_of_rows, _left_over, _tiles_of_rows, _sides),
        {"issue": 10, "w0.write": 10},
        {"l1_ready": _ready},
        faults=("open_change", "rows"),
    ),
)  # fmt: skip
