# SPDX-License-Identifier: Apache-2.0
"""What needs an order in time: the first cycles, and tiles behind what L1 does not take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from tilepath.engine.description.packing import Items
from tilepath.engine.description.stimulus import ANY, Context, TestSpec
from tilepath.isa import profiles
from tilepath.models import format_codes as C
from tilepath.sequences.pack import dst, words
from tilepath.sequences.pack.config import Setup
from tilepath.sequences.pack.random_setup import tile_strides
from tilepath.sequences.pack.script import Script, script_test
from tilepath.tb.pack import streams

_LINES: Final = (0x4000, 0x5000, 0x6000, 0x7000)
_SOME: Final = tuple(range(0x3F80, 0x3FC0))


def _way(to: int | tuple[int, ...], **fields: int) -> Setup:
    """The set-up in which BF16 becomes ``to``."""
    own = {"inner": C.BF16, "from_": C.BF16, "to": to, "l1_dest": _LINES, "exp_size": 64}
    return own | tile_strides(2) | {"row_size": 5} | fields


def _load(script: Script, setup: Setup, datums: Sequence[int], kind: str = "bf16") -> None:
    """In a new phase: the set-up, and rows of ``datums``."""
    script.phase().setup(setup)
    image = dst.Image()
    image.put_rows(np.arange(len(datums) // 16), np.array(datums, np.uint32), kind)
    script.dst(image).phase(idle=False)


def _packs(script: Script, count: int, *pacrs: int) -> None:
    """PACRs of the first ``count`` datums."""
    script.counters(0, x0=0, x1=count - 1, y0=0).word(0, *pacrs)


def _left_over(script: Script, to: int, count: int, first: int, *pacrs: int) -> None:
    """``first`` datums of a tile that was not compressed lie before rows that are."""
    _load(script, _way(to), _SOME)
    _packs(script, first, words.pacr(1))
    script.phase().setup(_way(to, uncompressed=0)).phase(idle=False)
    _packs(script, count, *pacrs)


def _tiles_of_rows(script: Script) -> None:
    """Compressed tiles of rows of one datum, of all sizes of datums."""
    for to in (C.FP32, C.BF16, C.BFP8, C.BFP4):
        _load(script, _way(to, uncompressed=0), _SOME)
        for rows in (*range(1, 9), 32):
            last = words.pacr(1, last=1, concat=rows & 1)
            _packs(script, 1, *[words.pacr(1)] * (rows - 1), last)


def _several(script: Script) -> None:
    """Of several packers exponents without an address, of one a side line behind eight others."""
    if profiles.get(script.profile).packers > 1:
        _load(script, _way(C.BF16), _SOME)
        _packs(script, 5, words.pacr(14))
        script.phase().setup(_way((C.BF16, *[C.BFP8] * 3))).phase(idle=False)
        _packs(script, 16, words.pacr(1, last=1), words.setreg(0, stream=40, packers=14))
        return
    fp32 = {"inner": C.FP32, "from_": C.FP32, "wide": 1, **tile_strides(4)}
    _load(script, _way((C.BFP8, *[C.FP32] * 3), **fp32), [0x3F80_0000] * 64, "fp32")
    for _ in range(100):
        more = [words.pacr(15, context=k) for k in (0, 1, 1)]
        _packs(script, 16, *more, words.pacr(15, context=1, last=1))


def _build(script: Script, _ctx: Context) -> None:
    is_bh = words.is_bh(script.profile)
    script.word(0, words.setreg_bh(0) if is_bh else words.setreg(0))
    rows = [words.pacr(1, concat=1)] * 2, [words.pacr(1)] * 6
    _left_over(script, C.FP8, 16, 14, *rows[0], *rows[1])
    _packs(script, 1, words.pacr(1, last=1))
    fp32 = {"inner": C.FP32, "from_": C.FP32, "wide": 1, **tile_strides(4)}
    sums = _way(C.FP32, **fp32, l1_dest=(1 << 17) - 16, accumulate=1)  # lines that no L1 has
    _load(script, sums, range(256), "fp32")
    _packs(script, 16 if is_bh else 256, words.pacr(1, last=1))
    _tiles_of_rows(script)
    for _ in range(12 if profiles.get(script.profile).packers > 1 else 2):
        last = words.pacr(1, last=1)
        _left_over(script, C.BF16, 16, 7, *[words.pacr(1, concat=1)] * 29, last)
    _tiles_of_rows(script)
    _several(script)
    beyond = {"l1_dest": profiles.get(script.profile).l1_bytes // 16}
    for fields in (beyond, {"raw": 1, "round_10b": 1}):
        _load(script, _way(C.BF16, **fields), _SOME)
        _packs(script, 16, words.pacr(1, last=1))
    for half, row in ((0, 248), (1, 760)):  # runs of two cycles, met in the first, in both
        script.phase()
        for _ in range(half + 1):
            script.zero(half)
        script.add("dst_write", (row, dst.RUN, (0xFFFF,) * dst.RUN, (0,) * dst.RUN_WORDS))


def _ready(_ctx: Context) -> Iterator[Items]:
    """Long times in which L1 is not ready, first of all, and short ones."""
    yield streams.levels(streams.L1_READY, [500, 1, 100, 60, 600], value=[0, 15, 0, 15, 0])
    yield streams.levels(streams.L1_READY, [400, 200, 3, 1, 9, 2, 90, 30] * 40, value=[15, 0] * 160)


TESTS: Final[dict[str, TestSpec]] = {
    "padding": script_test(
        "padding",
        "the first cycles; compressed tiles behind what is left over, when L1 takes nothing",
        _build,
        {"issue": 10, "w0.write": 10},
        {"l1_ready": _ready},
        faults=ANY,
    )
}
