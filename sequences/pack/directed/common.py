# SPDX-License-Identifier: Apache-2.0
"""What the directed tests share: set-ups, and PACRs that step through rows of Dst."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from tilepath.engine.description.stimulus import Context
from tilepath.isa import profiles
from tilepath.models import format_codes as C
from tilepath.sequences.pack import cells, dst, words
from tilepath.sequences.pack.cells import Cell
from tilepath.sequences.pack.config import Setup
from tilepath.sequences.pack.script import Script

Build = Callable[[Script, Context], None]
Value = int | tuple[int, ...]
LINES: Final = tuple(0x4000 + 0x1000 * packer for packer in range(4))
"""Where ``way`` lets the packers' tiles begin."""
STEP: Final = 1
"""AddrMode of PACRs of which each takes the next row."""
_BY_CODE: Final = {
    (c.inner, c.from_, c.wide, c.raw, c.round_10b, c.unsigned): c for c in cells.CELLS
}


def cell(inner: int, wide: int = 0, raw: int = 0, unsigned: int = 0) -> Cell:
    """The cell of IF = FROM = ``inner``."""
    return _BY_CODE[inner, inner, wide, raw, 0, unsigned]


BF16: Final = cell(C.BF16)
FP32: Final = cell(C.FP32, 1)


def is_one(script: Script) -> bool:
    """Whether there is one packer, with contexts."""
    return profiles.get(script.profile).packers == 1


def joined(*parts: Build) -> Build:
    """One test of several parts."""

    def build(script: Script, ctx: Context) -> None:
        for part in parts:
            part(script, ctx)

    return build


def way(of: Cell, to: Value | None = None, **fields: Value) -> Setup:
    """The set-up in which datums of a cell become ``to`` (FROM, if not given)."""
    size = of.datum_bytes
    return {
        **of.setup(), "from_": of.from_, "to": of.from_ if to is None else to, "l1_dest": LINES,
        "x_stride": size, "y_stride": 16 * size, "exp_size": 64, "row_size": 8, **fields,
    }  # fmt: skip


def begin(script: Script) -> None:
    """ADDR_MOD_PACK word ``STEP`` of all threads: Y of channel 0 goes up by one."""
    for thread in range(3):
        script.addr_mod(thread, STEP, 1)


def load(script: Script, setup: Setup, datums: ArrayLike, kind: str) -> int:
    """In a new phase: the set-up, and datums of ``kind`` from row 0 on; how many rows they are."""
    given = np.asarray(datums, np.uint32).ravel()
    rows = np.zeros((-(-len(given) // 16), 16), np.uint32)
    rows.ravel()[: len(given)] = given
    script.phase().setup(setup)
    image = dst.Image()
    for number, row in enumerate(rows):
        image.put(number, row, kind)
    script.dst(image)
    return len(rows)


def first(script: Script, count: int = 16, x0: int = 0, thread: int = 0, **more: int) -> None:
    """Counters of ``thread`` for PACRs from row 0 on."""
    script.counters(thread, x0=x0, x1=x0 + count - 1, y0=0, **more)


def packs(
    script: Script, setup: Setup, datums: Sequence[int] | ArrayLike, kind: str, mask: int = 15,
    last: int = 1, thread: int = 0, **pacr: int,
) -> None:  # fmt: skip
    """A tile of ``datums``: a PACR a row, of each packer of ``mask``, or context."""
    rows = load(script, setup, datums, kind)
    one = is_one(script)
    for context in [k for k in range(4) if mask >> k & 1] if one else [0]:
        first(script, thread=thread)
        if context == 0 or not one:
            script.phase(idle=False)
        for row in range(rows):
            ends = last if row == rows - 1 else 0
            more = {"context": context, **pacr} if one else pacr
            script.word(thread, words.pacr(1 if one else mask, last=ends, mode=STEP, **more))
