# SPDX-License-Identifier: Apache-2.0
"""Groups of every length, compressed rows with runs of zeros, tile positions, sums in L1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from tilepath.engine.description.packing import Items
from tilepath.engine.description.stimulus import Context
from tilepath.models import format_codes as C
from tilepath.sequences.pack import words
from tilepath.sequences.pack.directed import common
from tilepath.sequences.pack.directed.common import BF16, FP32, cell, first, is_one, load, way
from tilepath.sequences.pack.script import Script, script_test
from tilepath.tb.pack import streams

_RUNS: Final = (1, 5, 14, 15, 16, 17, 25, 31, 40)
_SIZES: Final = (C.FP32, C.BF16, C.BFP8, C.BFP4)
_COMPRESSED: Final = (
    *((BF16, to) for to in C.FLOATS if to not in (C.BFP2, C.BFP2A)),
    (cell(C.INT32, 1), C.INT32), (cell(C.INT16), C.INT16),
    (cell(C.INT8, 1), C.INT8),
)  # fmt: skip
_READS: Final = (1, 2, 3, 4, 8, 16)
_ROWS: Final = (1, 2, 3, 4, 5, 6, 7, 8, 32)
_FP32: Final = (0, 0x8000_0001, 0x3F80_0000, 0x7F80_0000, 0x7FC0_0000)
_BF16: Final = (0, 0x8001, 0x3F80, 0x7F80, 0x7FC0)
_FP16: Final = (0, 0x8001, 0x3C00, 0x7800, 0x7C00)
_INT32: Final = (0, 0x8000_0000, 5, 0x8000_0005, 0x7FFF_FFFF, 0xFFFF_FFFF)
# beside all pairs: sums that cancel, overflow, underflow, and are -0
_MORE: Final[dict[int, tuple[tuple[int, int], ...]]] = {
    C.FP32: (
        (0x3F80_0000, 0xBF80_0000), (0x7F7F_FFFF, 0x7F7F_FFFF), (0x0080_0000, 0x80C0_0000),
        (0x8000_0000, 0x8000_0000), (0x7F80_0000, 0xFF80_0000), (0xFF80_0000, 0x7F80_0000),
    ),
    C.BF16: (
        (0x3F80, 0xBF80), (0x7F7F, 0x7F7F), (0x0080, 0x80C0), (0x8000, 0x8000), (0x7F80, 0xFF80),
        (0xFF80, 0x7F80), (0x00FF, 0x8080), (0x7FC0, 0xFFC0), (0x7FC0, 0xFF80), (0xFF80, 0x7FC0),
        (0x7F81, 0xFF7F), (0xFF7F, 0x7F81),
    ),
    C.FP16: (
        (0x3C00, 0xBC00), (0x7800, 0xF800), (0x7C00, 0xFC00), (0x7BFF, 0x7BFF), (0x0400, 0x8401),
        (0x0800, 0x8401), (0x8000, 0x8000), (0x7FFF, 0x7FFF),
    ),
    C.INT32: ((5, 0x8000_0005), (0x7FFF_FFFF, 1), (0xFFFF_FFFF, 0x8000_0001)),
}  # fmt: skip
_SUMS: Final = (
    (FP32, _FP32), (cell(C.BF16, 0, 1), _BF16), (cell(C.FP16, 0, 1), _FP16),
    (cell(C.INT32, 1), _INT32),
)  # fmt: skip


def _groups(script: Script, _ctx: Context) -> None:
    """Tiles of 1 to 16 datums, of one instruction, of two and of more; all formats."""
    common.begin(script)
    steps = np.arange(256)
    values = 127 - steps % 11 << 7 | steps * 37 & 0x7F
    for to in (*C.FLOATS,):
        load(script, way(BF16, to), values, "bf16")
        script.phase(idle=False)
        for count in range(1, 17):
            first(script, count)
            script.word(0, words.pacr(1, mode=common.STEP, last=1))
        for counts in ((1, 1, 1, 1), (5, 5, 5, 5), (9, 9)):
            first(script, counts[0])
            parts = [words.pacr(1, mode=common.STEP)] * (len(counts) - 1)
            script.word(0, *parts, words.pacr(1, last=1, zero=counts[0] == 9))
        for count in (1, 2, 8, 9, 16, 17, 18, 32, 33, 256, 257):
            if count < 17 or not is_one(script):
                first(script, count - 1, x0=1)
                script.word(0, words.pacr(15, last=1), words.pacr(15, flush=1))
    for to in (C.BFP8, C.BFP2):  # tiles of so many groups
        load(script, way(BF16, to), values, "bf16")
        first(script)
        script.phase(idle=False)
        for groups in range(1, 17):
            script.word(0, *[words.pacr(1)] * (groups - 1), words.pacr(1, last=1))


def _compressed(script: Script, _ctx: Context) -> None:
    """Runs of zeros of all lengths, rows of many instructions, tiles of 1 to 33 datums."""
    common.begin(script)
    runs: list[int] = [0x3F80]
    for run in _RUNS:
        runs += [0] * run + [0x3F80 + run]
    for to in _SIZES:
        rows = load(script, way(BF16, to, uncompressed=0, row_size=5), runs, "bf16")
        first(script)
        script.phase(idle=False)
        more = [words.pacr(1, mode=common.STEP, concat=1)] * (rows - 1)
        script.word(0, *more, words.pacr(1, last=1))
        first(script)
        script.word(0, *more[:3], words.pacr(1, flush=1, concat=1))
        for rows in _ROWS:  # of 1 datum: a tile of so many rows
            first(script, 1)
            script.word(0, *[words.pacr(1)] * (rows - 1), words.pacr(1, last=1, concat=rows & 1))
        for instructions, count in ((1, 15), (2, 15), (3, 11), (2, 16), (4, 8), (5, 9)):
            first(script, count)
            words_of_row = [words.pacr(1, concat=1, mode=common.STEP)] * (instructions - 1)
            script.word(0, *words_of_row, words.pacr(1), words.pacr(1, last=1))
    for of, to in _COMPRESSED:
        common.packs(script, way(of, to, uncompressed=0), [0x3F80, 0, 1], of.stored, 1)
    load(script, way(FP32, uncompressed=0), [0x3F80_0000 + k for k in range(64)], "fp32")
    first(script)
    script.phase(idle=False)
    for _ in range(3):  # longer than L1 is ready
        script.word(0, *[words.pacr(15)] * 27, words.pacr(15, last=1))
    load(script, way(BF16, C.BF16, uncompressed=0), [0x3F80] * 64, "bf16")
    script.phase(idle=False)
    for lengths in ((15, 16), (16, 16), (16, 16, 1), (16, 16, 16)):
        first(script, 16)
        for k, length in enumerate(lengths):
            if length != 16:
                script.counters(0, x1=length - 1)
            last = int(k == len(lengths) - 1)
            script.word(0, words.pacr(1, last=last, concat=1 - last, mode=common.STEP))
            script.counters(0, x1=15)


def _positions(script: Script, _ctx: Context) -> None:
    """Tile positions that wrap; row sets and sections; edges whose first column is not 0."""
    common.begin(script)
    for number, reads in enumerate(_READS):
        for transposed in (0, 1):
            setup = way(
                BF16, C.BFP8, reads=reads, transposed=transposed, edge_mask=(
                0xFFFF, 0x00FF, 0, 0xF0F0), row_map=0x1BE4_4E93, face_map=0xE41B_39C6,
                face_enable=number & 1, row_select=0xE4, face_select=0xE4,
            )  # fmt: skip
            load(script, setup, [0x3F80] * 64, "bf16")
            script.phase(idle=False)
            first(script)
            script.word(0, *[words.pacr(1)] * (2 * reads), words.pacr(1, last=1))
            first(script, 9, x0=3)
            script.word(0, *[words.pacr(1)] * 5, words.pacr(1, last=1))
    for number in range(4):  # all row sets, each with all sections
        for face in (0, 1):
            fields = {"face_enable": face, "z_offset": number, "row_select": number * 0x55}
            setup = way(BF16, edge_mask=(0xFFFF, 0x00FF, 0, 0xF0F0), face_map=0xE4E4_E4E4,
                        row_map=0x1B1B_1B1B, **fields)  # fmt: skip
            common.packs(script, setup, [0x3F80] * 64, "bf16", 1)


def _sums(script: Script, _ctx: Context) -> None:
    """Operands of all classes, twice into the same lines; lines that are not full."""
    common.begin(script)
    for of, operands in _SUMS:
        pairs: list[tuple[int, int]] = [(a, b) for a in operands for b in operands]
        pairs += _MORE[of.from_]
        pairs += pairs[: -len(pairs) % 16]
        old: Any = np.array([a for a, _ in pairs], np.uint32)
        if of.datum_bytes == 2:
            old = old.astype(np.uint16).view(np.uint32)
        new = [b for _, b in pairs]
        rows = load(script, way(of, accumulate=1), new, of.stored)
        script.l1(common.LINES[0], old)
        first(script)
        script.phase(idle=False)
        script.word(0, *[words.pacr(1, mode=common.STEP)] * (rows - 1), words.pacr(1, last=1))
        first(script, 5)
        script.word(0, *[words.pacr(1, last=1)] * 5)
    load(script, way(FP32, accumulate=1), [0x3F80_0000 + k for k in range(64)], "fp32")
    script.phase(idle=False)
    for count in range(1, 9):  # entries of so many lines, with four lanes
        first(script, count)
        script.word(0, words.pacr(15, last=1))
    first(script, 16)
    script.word(0, *[words.pacr(15, mode=common.STEP)] * 12, words.pacr(15, last=1))


def _banks(script: Script, _ctx: Context) -> None:
    """Rows of adjacent lanes in one bank."""
    for of, remap, rows in ((BF16, 0, (125, 126, 127)), (FP32, 1, (29, 30, 31))):
        for row in rows:
            setup = way(of, remap=remap, dst_offset=(row, row + 1, row + 2, row + 3))
            common.packs(script, setup, [0x3F80] * 16, of.stored)


def _queues(script: Script, _ctx: Context) -> None:
    """More instructions than can be under way, of all packers and of each."""
    load(script, way(BF16), 0x3F80 + np.arange(512), "bf16")
    first(script, 16 if is_one(script) else 256)
    script.phase(idle=False)
    for mask in (15, 1, 2, 4, 8):
        script.word(0, *[words.pacr(mask, mode=common.STEP)] * 14, words.pacr(mask, last=1))


def _left_over(script: Script, _ctx: Context) -> None:
    """Datums of a tile that was not compressed lie before compressed ones, more than L1 takes."""
    common.begin(script)
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


def _starts(script: Script, _ctx: Context) -> None:
    """Rows of one datum: more lines of row starts than others, when L1 takes nothing."""
    load(script, way(BF16, C.BFP4, uncompressed=0, row_size=16), [0x3F80] * 16, "bf16")
    script.phase(idle=False)
    first(script, 1)
    script.word(0, *[words.pacr(1)] * 71, words.pacr(1, last=1))


def _sides(script: Script, _ctx: Context) -> None:
    """Tiles that change from BFP8 to FP32: an exponent line right behind all lines of an entry."""
    if not is_one(script):
        return
    setup = way(FP32, (C.BFP8, *[C.FP32] * 3))
    load(script, setup, [0x3F80_0000] * 64, "fp32")
    first(script)
    script.phase(idle=False)
    for _ in range(100):
        script.word(0, *[words.pacr(15, context=k) for k in (0, 1, 1)])
        script.word(0, words.pacr(15, context=1, last=1))
    load(script, way(BF16, C.BFP8), [0x3F80] * 64, "bf16")
    first(script)
    script.phase(idle=False)
    for groups in range(12, 16):  # four more, as the tile ends: one exponent line and a part
        script.word(0, *[words.pacr(1)] * groups, words.pacr(15, last=1))


def _shared_lines(script: Script, _ctx: Context) -> None:
    """Four groups of half or a quarter of a line, behind some that leave its line open."""
    if not is_one(script):
        return
    for to in (C.BFP4, C.BFP2):
        load(script, way(BF16, to), 0x3F80 + 0x18 * np.arange(64) % 0x100, "bf16")
        first(script)
        script.phase(idle=False)
        for groups in range(1, 4):
            four = words.pacr(15)
            script.word(0, *[words.pacr(1)] * groups, four, four, words.pacr(1, last=1))


def _latencies(_ctx: Context) -> Iterator[Items]:
    yield streams.levels(streams.L1_LATENCY, [15_000], latency=31)


def _ready(_ctx: Context) -> Iterator[Items]:
    """Long times in which L1 is not ready, and short ones."""
    yield streams.levels(streams.L1_READY, [400, 200, 3, 1, 9, 2, 90, 30] * 40, value=[15, 0] * 160)


def _late(_ctx: Context) -> Iterator[Items]:
    yield streams.levels(streams.L1_READY, [500, 1, 100, 60, 600], value=[0, 15, 0, 15, 0])


TESTS: Final = (
    script_test(
        "elements",
        "groups, compressed rows and tiles of all lengths; tile positions; sums of all operands",
        common.joined(
            _groups,
            _compressed,
            _positions,
            _sums,
            _banks,
            _queues,
            _left_over,
            _sides,
            _shared_lines,
        ),
        {"issue": 400, "w0.write": 400, "p0.read": 20},
        {"l1_latency": _latencies, "l1_ready": _ready},
        faults=("reads_per_plane", "intf_group", "open_change", "edge_position", "fp16_accumulate"),
    ),
    script_test(
        "padding",
        "compressed tiles of many rows, and one that ends in an open block, when L1 takes nothing",
        common.joined(_padding, _starts),
        {"issue": 10, "w0.write": 10},
        {"l1_ready": _late},
        faults=("open_change", "rows"),
    ),
)
