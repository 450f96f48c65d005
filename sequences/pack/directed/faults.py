# SPDX-License-Identifier: Apache-2.0
"""What random tests cannot: other formats in open tiles, every bit, first cycles, busy packers."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tilepath.engine.description.stimulus import ANY, Context
from tilepath.isa import profiles
from tilepath.models import format_codes as C
from tilepath.sequences.adc import words as counter_words
from tilepath.sequences.config_script import ALL_ROWS
from tilepath.sequences.pack import config, words
from tilepath.sequences.pack.directed import common
from tilepath.sequences.pack.directed.common import (
    BF16,
    FP32,
    cell,
    first,
    is_one,
    load,
    packs,
    way,
)
from tilepath.sequences.pack.dst import COLUMNS, Image
from tilepath.sequences.pack.script import COUNTERS, PACKERS, Script, script_test
from tilepath.tb.pack.streams import THREADS

_ROW: Final = [0x3F80, 0xBF81] * 16
_Fields = dict[str, Any]
_ROUNDS: Final = 12  # of all bits 1, all 0, any
_ALL: Final = 0xFFFF_FFFF
_OWN: Final = (37, 38, 39, 40, 60, 67)  # words of ThreadConfig: those of packers, and others
_TWICE: Final = 124  # a run of nine rows from there on needs two cycles
_MASKED: Final[_Fields] = {
    "to": C.BFP8, "edge_mode": 1, "edge_mask": (0xFFFF, 0, 0, 0), "row_map": (0, 0x5555_5555, 0, 0),
}  # fmt: skip
# What differs from the set-up of a BF16, where one wrong thing alone is seen
_WRONG: Final[tuple[_Fields, ...]] = (
    {"relu": 2, "relu_threshold": 0x8000},
    _MASKED,  # by a row set that is not in use
    {**_MASKED, "row_select": 0x55, "face_enable": 1, "face_map": 0},
    {"raw": 1, "round_10b": 1},
    {"inner": C.INT8, "from_": C.INT8, "to": C.INT8},
    {"source_l1": (1, 0, 0, 0), "source_high": (1, 0, 0, 0), "base0": 0x2000},
    {"limit": 1 << 16 | 9, "fifo": 0x100},
)
# What elements are: 32, 16, 8 bits, numbers of groups of either kind; another one of the kind
_KINDS: Final = (
    (C.FP32, C.TF32), (C.BF16, C.FP16), (C.FP8, C.INT8),
    (C.BFP8A, C.BFP4A), (C.BFP8, C.BFP4),
)  # fmt: skip
_PATHS: Final[tuple[_Fields, ...]] = ({}, {"uncompressed": 0}, {"accumulate": 1})


def _pacr(script: Script, thread: int, x0: int = 0, x1: int = 15, **fields: int) -> None:
    script.counters(thread, x0=x0, x1=x1, y0=0)
    script.word(thread, words.pacr(**{"mask": 1, "last": 1} | fields))


def _set_ups(script: Script, _ctx: Context) -> None:
    for fields in _WRONG:
        load(script, way(BF16, **fields), _ROW, "bf16")
        script.phase(idle=False)
        _pacr(script, 0)


def _goes_on(script: Script, before: config.Setup, after: config.Setup, kind: str) -> None:
    """A tile of which seven datums, and seventeen more, are left to another set-up."""
    values = [*range(0x3F80, 0x3FA0), *range(0x80, 0x100)]
    load(script, before, values if kind == "bf16" else range(0x60, 0x100), kind)
    script.phase(idle=False)
    _pacr(script, 0, x1=6 if before["to"] != after["to"] else 15, last=0)
    script.phase().setup(after)
    script.phase(idle=False)
    _pacr(script, 0, x1=15)


def _other_kinds(script: Script, _ctx: Context) -> None:
    """An open tile goes on as every kind of element, and as sums or compressed (P68)."""
    for before, _ in _KINDS:
        for after, same in _KINDS:
            to = same if after == before else after
            _goes_on(script, way(BF16, before), way(BF16, to), "bf16")
    uint8 = cell(C.INT8, 1, unsigned=1)
    for after, _ in _KINDS:
        to = C.BFP2A if after == C.BFP8A else after
        _goes_on(script, way(uint8, C.BFP8A), way(uint8, to), "int32")
    for one in _PATHS:
        for other in _PATHS:
            if one != other:
                _goes_on(script, way(FP32, **one), way(FP32, **other), "fp32")


def _no_exponent_address(script: Script, _ctx: Context) -> None:
    """SETREG closes tiles that another packer's instruction has made BFP8 (P68)."""
    if is_one(script):
        return
    for mine, others in ((14, 1), (1, 2)):
        load(script, way(BF16), _ROW, "bf16")
        script.phase(idle=False)
        _pacr(script, 0, mask=mine, x1=4, last=0)
        to = tuple(C.BFP8 if mine >> p & 1 else C.BF16 for p in range(4))
        script.phase().setup(way(BF16, to))
        script.phase(idle=False)
        _pacr(script, 0, mask=others)
        script.word(0, words.setreg(0, stream=40, packers=mine))


def _lines(script: Script, _ctx: Context) -> None:
    """Lines beyond L1, behind their sections, too many rows; the source beyond L1."""
    beyond = profiles.get(script.profile).l1_bytes // 16
    for to, more in (
        (C.BF16, {"l1_dest": beyond}),
        (C.BFP8, {"exp_size": 0}),
        (C.BFP8, {"exp_size": 2}),
        (C.BFP2, {"uncompressed": 0, "row_size": 0}),
        (C.BF16, {"uncompressed": 0, "row_size": 0}),
        (C.BF16, {"uncompressed": 0, "row_size": 2}),
    ):
        load(script, way(BF16, to, **more), _ROW, "bf16")
        script.phase(idle=False)
        for _ in range(40):
            _pacr(script, 0, mask=15, last=0)
        _pacr(script, 0, mask=15)
    # and the last one closing
    for rows, x1 in ((32, 15), (33, 15), (34, 15), (32, 0), (33, 0), (72, 0)):
        load(script, way(BF16, uncompressed=0), _ROW, "bf16")
        script.phase(idle=False)
        for _ in range(rows):
            _pacr(script, 0, x1=x1, last=0)
        _pacr(script, 0, x1=x1)
    # 40 rows, of which the last 20 have another format
    for to in (C.BF16, C.FP16):
        load(script, way(BF16, to, uncompressed=0), _ROW, "bf16")
        script.phase(idle=False)
        for row in range(20):
            _pacr(script, 0, last=int(to == C.FP16 and row == 19))
    for line in (beyond, 8 << 14 | 0x3FFF):
        fields = {"base0": 16 * (line & 0x3FFF), "source_high": (line >> 14, 0, 0, 0)}
        load(script, way(BF16, source_l1=(1, 0, 0, 0), **fields), _ROW, "bf16")
        script.phase(idle=False)
        _pacr(script, 0)


def _counter_words(script: Script, _ctx: Context) -> None:
    """Words that the address counters do not have, or that do nothing."""
    one = 1 << PACKERS
    script.phase(idle=False)  # some change the counters of another thread
    for thread in range(3):
        script.word(thread, 0x0100_0000, int(counter_words.setadc(one, 0, 1 << 16)))
        script.word(thread, int(counter_words.packed("setadcxy", 0, (0, 0, 0, 0), 15)))


def _bits(script: Script, ctx: Context) -> None:
    """Every bit of what is written, 1 and 0, then any: instructions with all of it."""
    rng, zw_w = ctx.rng("bits"), profiles.get(script.profile).zw_w
    opcodes = (words.OPCODE << 24, words.SETREG_OPCODE << 24)
    bits = {name: {"x": 18, "y": 13}.get(name[0], zw_w) for name in COUNTERS}
    for number in range(_ROUNDS):
        low, high = ((_ALL, _ALL), (0, 0))[number] if number < 2 else (0, _ALL)
        script.phase()
        for bank in (0, 1):
            new = {i: int(rng.integers(low, high, endpoint=True)) for i in config.words({})}
            script.words(bank, new, number % 4 < 2, ALL_ROWS * (number % 2))
        for thread in range(THREADS):
            script.setc16(thread, 0, number & 1)
            for index in _OWN:
                script.setc16(thread, index, low & 0xFFFF if number < 2 else number, way=number % 2)
        script.offset(15, int(rng.integers(low, high, endpoint=True)) & 0xFFFF)
        script.phase(idle=False)
        for thread in range(THREADS):
            values = {n: int(rng.integers(low, high, endpoint=True)) for n in bits}
            script.counters(thread, **{n: v & (1 << bits[n]) - 1 for n, v in values.items()})
            some = rng.integers(low, high, 6, endpoint=True) & 0xFF_FFFF
            script.word(thread, *[opcodes[k // 5] | int(word) for k, word in enumerate(some)])
    script.phase(idle=False)
    script.word(0, words.pacr(15, flush=1))
    script.phase()
    for thread in range(THREADS):
        script.bank(thread, 0)


def _long_tiles(script: Script, _ctx: Context) -> None:
    """Tiles of more rows than a position has; of each exponent more datums than a bin counts."""
    rows = 1024 if is_one(script) else 256
    values = np.repeat(np.arange(rows) * 32 // rows << 7, COLUMNS)
    for reads, transposed in ((0, 0), (1, 0), (0, 1)):
        some = np.roll(values, COLUMNS // 2 * transposed)
        load(script, way(BF16, reads=reads, transposed=transposed), some, "bf16")
        script.phase().clear().stats(0, 1)
        script.phase(idle=False)
        for place in range(17):
            script.counters(0, x0=0, x1=15 if is_one(script) else 255, y0=16 * place % rows)
            script.word(0, words.pacr(15, last=int(place == 16)))
        script.phase().histogram(3, 6, 7, 9)


def _busy(script: Script, _ctx: Context) -> None:
    """Configuration, histogram and rows of Dst that no packer reads, while the packers work."""
    load(script, way(BF16), _ROW, "bf16")
    script.phase(idle=False)
    count = 16 if is_one(script) else 256
    script.counters(0, x0=0, x1=count - 1, y0=0)
    script.word(0, *[words.pacr(15, last=1)] * 6)
    issued = script.done("t0.issue")
    script.word(0, *[words.pacr(15, last=1)] * 6)
    script.add("hist", (0, 6, 0), 20, issued)
    for bank, word in ((1, 14), (2, 14), (3, 33)):
        script.config(bank, word, 0, 30, issued)
    script.add("dst_zero", (0, 1), 40, issued)
    image = Image()
    image.put(1000, np.full(COLUMNS, 0x3F80, np.uint32), "bf16")
    script.dst(image, after=issued)


def _clears(script: Script, _ctx: Context) -> None:
    """Clears behind a row, cycle by cycle."""
    load(script, way(BF16), _ROW, "bf16")
    first(script)
    for gap in range(24):
        script.phase()
        script.word(0, words.pacr(1, last=1))
        script.add("hist", (1, 0, 0), gap + 8, script.done("t0.issue"))


def _first_cycles(script: Script, _ctx: Context) -> None:
    """From the first cycle on: a SETREG, a run of rows that meets banks twice; the last lines."""
    setreg = words.setreg_bh if words.is_bh(script.profile) else words.setreg
    script.word(0, setreg(0, stream=0))
    image = Image()
    for row in range(_TWICE, _TWICE + 9):
        image.put(row, np.full(COLUMNS, 0x3F80 + row, np.uint32), "bf16")
    script.dst(image)
    packs(script, way(FP32, l1_dest=(1 << 17) - 16, accumulate=1), range(256), "fp32", 1)
    load(script, way(BF16, dst_offset=_TWICE), [], "bf16")
    script.phase(idle=False)
    _pacr(script, 0, x1=15 if is_one(script) else 143)
    _no_exponent_address(script, _ctx)


TESTS: Final = (
    script_test(
        "first_cycles", "what can come in the first cycles, and the lines that no L1 has, first",
        _first_cycles, {"issue": 10, "w0.write": 9}, faults=ANY,
    ),
    script_test(
        "faults", "tiles that go on in another format, words that do nothing, all bits, long tiles",
        common.joined(
            _set_ups, _other_kinds, _lines, _counter_words, _bits, _long_tiles,
        ),
        {"fault": 100}, faults=ANY,
    ),
    script_test(
        "disturbances", "histogram, configuration and Dst while the packers are busy",
        common.joined(_clears, _busy), {"issue": 20, "unit_fault": 2}, faults=ANY, untimed=False,
    ),
)  # fmt: skip
