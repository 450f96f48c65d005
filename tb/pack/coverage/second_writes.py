# SPDX-License-Identifier: Apache-2.0
"""Coverage of writes that can come beside others: REG2FLOP's, and cores' stores to ThreadConfig."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tilepath.tb.kernel.coverage.bins import PointGroup
from tilepath.tb.kernel.coverage.tally import I64, Tally
from tilepath.tb.kernel.description.stream import Records

_THREADS: Final = 3


def declare(points: PointGroup) -> None:
    """Declare the points of this topic."""
    points.add("flop.bank_x_beside_cfg", ("0", "1"), ("no", "yes"))
    kinds = ("none", "other_word", "same_word")
    points.add("store.thread_x_beside_setc16", tuple(map(str, range(_THREADS))), kinds)


def count(points: Tally, streams: Mapping[str, Records]) -> None:
    """Count a block's."""
    flop = streams["flop"]
    beside = np.isin(flop["cycle"], streams["cfg"]["cycle"])
    points.hit("flop.bank_x_beside_cfg", flop["bank"], beside)
    store = streams["store"]
    for thread in range(_THREADS):
        own = store[store["thread"] == thread]
        setc = streams[f"t{thread}.setc16"]
        same = np.isin(_places(own), _places(setc))
        kind = np.isin(own["cycle"], setc["cycle"]).astype(np.int64) + same
        points.hit("store.thread_x_beside_setc16", thread, kind)


def _places(writes: Records) -> I64:
    return writes["cycle"].astype(np.int64) << 7 | writes["index"].astype(np.int64)
