# SPDX-License-Identifier: Apache-2.0
"""Counters that wrap, tiles at the limits of their rings, SETREG, flags, histograms, inputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from tilepath.engine.description.packing import Items
from tilepath.engine.description.stimulus import Context
from tilepath.isa import profiles
from tilepath.models import format_codes as C
from tilepath.sequences.adc import words as counter_words
from tilepath.sequences.pack import words
from tilepath.sequences.pack.directed import common
from tilepath.sequences.pack.directed.common import BF16, FP32, cell, first, is_one, load, way
from tilepath.sequences.pack.script import PACKERS, Script, script_test
from tilepath.tb.pack import streams

_SOURCES: Final = (
    FP32, BF16, cell(C.FP16), cell(C.BFP8A), cell(C.BFP8), cell(C.FP8, 0, 1),
    cell(C.TF32, 1), cell(C.INT32, 1), cell(C.INT16), cell(C.INT8, 1),
)  # fmt: skip
_SECTIONS: Final = (C.BFP8, C.FP8, C.FP32)
_LIMIT: Final = 0x2000
_ROW: Final = [0x3F80 + k for k in range(16)]


def _tiles(script: Script, _ctx: Context) -> None:
    """Limits, sections of 0 lines, relative addresses, addresses above 17 bits, offsets."""
    common.begin(script)
    for over in (-2, 0, 1, 200):  # against the last line that does not wrap
        setup = way(BF16, l1_dest=2 * _LIMIT + 1 + over, limit=_LIMIT, fifo=0x100)
        common.packs(script, setup, _ROW, "bf16")
    relative = {"l1_dest": (0x8000_4000, 0x100, 0x200, 0x300)}
    for high, limit in ((0, 0), (1 << 17, 0), (1 << 20, 0), (1 << 17, _LIMIT), (0, 1 << 16 | 9)):
        lines = tuple(line | high for line in common.LINES)
        setup = way(BF16, l1_dest=lines, limit=limit, fifo=0x100 if limit else 0)
        common.packs(script, setup, _ROW, "bf16")
    for to in _SECTIONS:
        for more in ({}, {"exp_size": 0, "row_size": 0}):
            for place in ({}, relative):
                fields = {**more, **place}
                common.packs(script, way(BF16, to, **fields), _ROW, "bf16", thread=2)
                packed = way(BF16, to, uncompressed=0, **fields)
                common.packs(script, packed, _ROW, "bf16", 15, thread=1)
    of = cell(C.INT8, 1)
    for exp_size in (0, 3):
        common.packs(script, way(of, exp_size=exp_size), _ROW, of.stored)
    for value in (0, 0xFFFF, 100):
        for add, no_header in ((0, 0), (1, 0), (1, 1)):
            script.phase().offset(15, value)
            setup = way(BF16, add_offset=add, no_header=no_header)
            common.packs(script, setup, _ROW, "bf16")


def _far(script: Script, _ctx: Context) -> None:
    """Rows of wide untilized tiles, the last that is within 256 KiB of the first, and behind it."""
    if not profiles.get(script.profile).pack_ch1_offset18:
        return
    common.begin(script)
    for of, rows in ((BF16, 31), (FP32, 31), (FP32, 15)):
        for more in (0, 1):
            tiles = (1 << 18) // (rows * 32 * of.datum_bytes) + more
            for name in "yzw":
                stride = {f"{name}_stride1": 32 * of.datum_bytes * tiles}
                load(script, way(of, l1_dest=0x2000, **stride), _ROW, of.stored)
                script.phase(idle=False)
                for row in (rows - 1, rows):
                    first(script, **{"y1": 0, "z1": 0, "w1": 0, f"{name}1": row})
                    script.word(0, words.pacr(1, last=1))


def _positions(script: Script, _ctx: Context) -> None:
    """Masked tiles behind one that ends within a plane, or at its end; closed twice; zeros."""
    common.begin(script)
    for rows, mask in ((5, 0x00FF), (16, 0x00FF), (3, 0xFFFF), (2, 0x7FFF)):
        setup = way(BF16, edge_mask=mask, reads=16)
        for _ in range(2):
            common.packs(script, setup, _ROW * rows, "bf16")
        script.word(0, words.pacr(15, flush=1), words.pacr(15, zero=1, last=1))
        script.word(0, *[words.pacr(15, last=last) for last in (0, 1, 1)])


def _counters(script: Script, _ctx: Context) -> None:
    """Each counter runs over; each increment; every update, with Flush, ZeroWrite, no datums."""
    profile = profiles.get(script.profile)
    top = {"y": (1 << 13) - 1, "z": (1 << profile.zw_w) - 1}
    load(script, way(FP32, y_stride=0x8000), _ROW, "bf16")
    script.phase(idle=False)
    script.counters(0, x0=0, x1=15, y0=1)
    script.word(0, words.pacr(1, last=1))
    load(script, way(BF16, x_stride=2, y_stride=0, z_stride=0), _ROW, "bf16")
    script.phase(idle=False)
    updates = [{f"{n}Incr": 1} for n in ("Ysrc", "Zsrc", "Ydst", "Zdst")]
    updates += [
        {f"Y{name}Incr": incr, f"Y{name}CR": cr, f"Y{name}Clear": clear}
        | {f"Z{name}Incr": incr & 1, f"Z{name}Clear": clear}
        for name in ("src", "dst")
        for incr, cr, clear in (
            (15, 0, 0), (0, 1, 0), (1, 1, 0), (0, 0, 1), (3, 0, 1), (0, 1, 1), (3, 1, 1),
        )
    ]  # fmt: skip
    for number, update in enumerate(updates):
        thread = number % 3
        word = int(counter_words.addr_mod(**{n: 0 for n in counter_words.ADDR_MOD} | update))
        script.phase().addr_mod(thread, number & 3, word)
        for x1, flush, zero in ((15, 0, 0), (15, 1, 0), (15, 0, 1), (0, 0, 0)):
            script.counters(
                thread, x0=1 if x1 == 0 else 0, x1=x1, y0=top["y"], z0=top["z"], y1=top["y"],
                z1=top["z"],
            )  # fmt: skip
            last = 1 - flush
            script.word(thread, words.pacr(1, last=last, flush=flush, zero=zero, mode=number & 3))


def _instructions(script: Script, _ctx: Context) -> None:
    """All flags in open and closed tiles; overrides; sources that bypass; ZeroWrite of many."""
    common.begin(script)
    load(script, way(BF16), _ROW, "bf16")
    for thread in range(3):
        first(script, thread=thread, w0=1, w1=1)
    script.phase(idle=False)
    for mask in (1, 15):
        for mode in (0, common.STEP):
            script.word(1, words.pacr(mask, last=1, override=1, which=2, mode=mode))
    first(script, x0=16, thread=2)
    script.word(2, words.pacr(15, last=1), words.pacr(15, last=1))
    for flags in range(16):
        names = {"last": flags & 1, "flush": flags >> 1 & 1, "zero": flags >> 2 & 1}
        word = words.pacr(1, **names, concat=flags >> 3)
        script.word(0, words.pacr(1, flush=1), word, words.pacr(1), word)
    script.phase()
    for thread in range(3):
        for override in (0, 1):
            for which in range(4):
                script.word(thread, words.pacr(1, last=1, override=override, which=which))
        script.phase()
    for edge in (0, 1):
        for stats in (0, 1):
            script.phase().stats(0, stats)
            setup = way(BF16, edge_mode=edge, edge_mask=0)
            common.packs(script, setup, _ROW, "bf16", 1, zero=1)
            of_l1 = {**setup, "source_l1": (1, 0, 0, 0)}
            for last in (0, 1):
                common.packs(script, of_l1, _ROW, "bf16", 1, last, concat=edge)
    if is_one(script):
        script.phase()
        for zeros in (17, 32, 33, 1024):
            first(script, zeros)
            script.word(0, words.pacr(0, last=1, zero=1))


def _source(script: Script, _ctx: Context) -> None:
    """Packer 0 reads L1: all formats, not from the begin of a line, zeros behind it; ReLU."""
    common.begin(script)
    for of in _SOURCES:
        setup = way(of, source_l1=(1, 0, 0, 0), base0=0x1000, relu=1)
        for line in range(0x100, 0x110, 4):
            script.l1(line, np.arange(16, dtype=np.uint32) * 0x1804_9201)
        common.packs(script, setup, _ROW * 3, of.stored, 1)
        first(script, 9, x0=3)
        for last in (0, 1):
            script.word(0, words.pacr(1), words.pacr(1, zero=1), words.pacr(1, last=last))


def _setregs(script: Script, _ctx: Context) -> None:
    """SETREG behind open and closed tiles, with all selects, scalers, values and addresses."""
    common.begin(script)
    codes = [(BF16, to) for to in C.FLOATS]
    codes += [(of, of.from_) for of in _SOURCES if of.integer]
    one = words.is_bh(script.profile)
    for number, (of, to) in enumerate(codes):
        slots = tuple((0x405 + number) << 12 | slot for slot in (0x123, 0xBFF))
        load(script, way(of, to, slots=slots), _ROW, of.stored)
        first(script)
        script.phase(idle=False)
        for select in range(4 if one else 2):
            for is_open in (0, 1):
                mask = 1 if one else 15
                script.word(0, words.pacr(mask, flush=1), words.pacr(mask, last=1 - is_open))
                for stream in (0x11, 0x3F):
                    if one:
                        script.word(0, words.load_bh(0, 0x1234), words.load_bh(1, 0xBEEF + select))
                        script.word(0, words.setreg_bh(select, stream))
                    else:
                        value = (0, 0x3FF, 0x155)[(number + select) % 3]
                        script.word(0, words.setreg(value, select, stream))


def _bases(_ctx: Context) -> Iterator[Items]:
    scalers = {f"scaler{k}": 100 + k for k in range(4)}
    yield streams.levels(streams.SETREG_BASE, [8_000], base=1 << 21 | 1 << 22, **scalers)


def _latencies(_ctx: Context) -> Iterator[Items]:
    yield streams.levels(streams.L1_LATENCY, [45] * 180, latency=[1, 5, 20, 31] * 45)


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


TESTS: Final = (
    script_test(
        "addresses",
        "tiles at the limits of rings and sections, counters, all flags, sources, SETREG",
        common.joined(_tiles, _far, _positions, _counters, _instructions, _source, _setregs),
        {"issue": 200, "w0.write": 200, "source": 20, "setreg": 10},
        {"setreg_base": _bases, "l1_latency": _latencies},
        faults=("limit_fifo", "relative_fifo", "exp_overlap", "rsi_overflow", "l1_range", "wrap",
         "setreg_address", "reads_per_plane", "threads", "intf_group", "edge_position"),
    ),
    script_test(
        "inputs",
        "configuration, Dst, offsets, histograms; words that meet",
        _inputs,
        {"issue": 30, "w0.write": 10},
        faults=("x_override", "empty"),
    ),
)  # fmt: skip
