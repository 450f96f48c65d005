# SPDX-License-Identifier: Apache-2.0
"""How fast tables are: rows of 30 columns and two constraints, in blocks and one by one."""

from __future__ import annotations

import itertools
from typing import Any, Final

import numpy as np

from tilepath.engine.description.seeds import derive
from tilepath.engine.stimulus.tables import (
    Table,
    by,
    chance,
    choice,
    column,
    mix,
    pauses,
    require,
    uniform,
)
from tilepath.engine.stimulus.tables.table import BLOCK
from tilepath.tests.bench.golden import Speed, best

KINDS: Final = {"plain": 4, "packed": 2, "tilize": 1}


def _some(number: int) -> dict[str, Any]:
    """Six columns, as those of a set-up or an instruction."""
    return {
        f"kind{number}": choice(tuple(KINDS), KINDS),
        f"wrap{number}": chance(0.35),
        f"begin{number}": uniform(0, 4095),
        f"span{number}": mix({0.6: choice((0, 1, 2, 4, 8, 16, 40)), 0.4: uniform(0, 64)}),
        f"code{number}": uniform(0, 15),
        f"count{number}": choice((1, 16, 64, 256)),
    }


TABLE: Final = Table(
    "bench",
    **{name: one for number in range(4) for name, one in _some(number).items()},
    rows=by("kind0", {"packed": uniform(0, 2), ("plain", "tilize"): 1}),
    limit=column(lambda wrap0, begin0, span0: np.where(wrap0, begin0 + span0, 0x1FFFF)),
    last=uniform(0, lambda count0: count0),
    gap=pauses(2.0),
    base1=uniform(0, 0xFFFF),
    flip=chance(lambda kind1: np.where(kind1 == 1, 0.5, 0.1)),
    fits=require(lambda kind0, code0: ~((kind0 == 2) & (code0 < 8))),
    near=require(lambda begin1, span1: begin1 + span1 < 4096),
)


def speeds(rows: int) -> list[Speed]:
    """Rows a second: in blocks, and one by one, which includes drawing them."""
    rng = derive(1, "bench")
    blocks = -(-rows // BLOCK)
    _ = TABLE.refused, TABLE.dtype

    def in_blocks() -> None:
        for _ in itertools.islice(TABLE.blocks(rng), blocks):
            pass

    def one_by_one() -> None:
        for _ in itertools.islice(TABLE.drawn(rng), blocks * BLOCK):
            pass

    count = blocks * BLOCK
    title = f"table of {len(TABLE.columns)} columns"
    return [
        Speed(f"{title}, blocks of {BLOCK:,}", "rows", count, count / best(in_blocks), 1e6),
        Speed(f"{title}, one by one", "rows", count, count / best(one_by_one)),
    ]
