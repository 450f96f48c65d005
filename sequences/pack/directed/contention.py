# SPDX-License-Identifier: Apache-2.0
"""Packers, the Matrix Unit and those who write Dst want its rows at the same time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from tilepath.engine.description.packing import Items
from tilepath.engine.description.stimulus import ANY, Context
from tilepath.sequences.pack import words
from tilepath.sequences.pack.cells import Cell
from tilepath.sequences.pack.directed import common
from tilepath.sequences.pack.directed.common import BF16, FP32, is_one, load, way
from tilepath.sequences.pack.script import Script, script_test
from tilepath.tb.pack.streams import DST_READ, RUN, RUN_WORDS

_ROWS: Final = 32  # of storage that are in use: two a bank
_WRITES: Final = 1_500
_PACRS: Final = 60  # of each packer, or as many rows of the one


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


TESTS: Final = (
    script_test(
        "contention",
        "rows of Dst that packers, the Matrix Unit and writers want in the same cycle",
        common.joined(_of(BF16, "bf16"), _of(FP32, "fp32")),
        {"issue": 100, "dst_read": 1000, "unit_fault": 20},
        {"dst_read": _reads}, faults=ANY,
    ),
)  # fmt: skip
