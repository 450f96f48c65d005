# SPDX-License-Identifier: Apache-2.0
"""The packers without time, beside a run in which several of them write to one line of L1."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.engine.description.boundary import stream_table
from tilepath.isa.boundary.pack import BOUNDARY
from tilepath.tb.pack.untimed import UntimedPackers

_LINE = 5
_SUM_FACTOR = 0x9E3779B97F4A7C15


def _sum_of(held: int) -> list[int]:
    """Sum of an L1 whose words are all 0 but for those of the line."""
    total = sum(held * (2 * word + 1) for word in range(4 * _LINE, 4 * _LINE + 4))
    total = total * _SUM_FACTOR % (1 << 64)
    return [total & 0xFFFF_FFFF, total >> 32]


@pytest.mark.parametrize(
    ("writes", "idle", "model", "held"),
    [
        ([("w0", 10), ("w1", 12)], [], 1, 2),
        ([("w0", 12), ("w1", 10)], [], 2, 1),
        ([("w0", 10), ("w1", 10)], [], 1, 2),
        ([("w0", 10), ("w1", 12), ("w0", 14)], [], 2, 3),
        ([("w0", 10), ("w1", 12), ("w0", 14)], [], 1, 1),  # not what a packer wrote last
        ([("w0", 10), ("w1", 12)], [], 7, 7),  # nobody wrote it
        ([("w0", 10), ("w1", 12)], [11], 1, 1),
        ([("w0", 10), ("w1", 12), ("w0", 14)], [13], 2, 2),
        ([("w2", 10), ("w2", 12)], [], 1, 1),
        ([("l1_write", 10), ("w3", 12)], [], 1, 2),
    ],
)
def test_packers_that_write_a_line_may_come_in_another_order(
    writes: list[tuple[str, int]], idle: list[int], model: int, held: int
) -> None:
    assert _sum_behind(writes, idle, model, "baseline") == _sum_of(held)


def test_one_packer_has_one_order() -> None:
    writes = [("w0", 10), ("w1", 12)]
    assert _sum_behind(writes, [], 1, "blackhole") == _sum_of(1)


def _sum_behind(
    writes: list[tuple[str, int]], idle: list[int], model: int, profile: str
) -> list[int]:
    """Sum at the end if writes of 1, 2, … are recorded and the model without time has ``model``."""
    records = {name: stream.empty() for name, stream in stream_table(BOUNDARY.streams).items()}
    for number, (who, cycle) in enumerate(writes, 1):
        name = who if who == "l1_write" else f"{who}.write"
        row = np.zeros(1, records[name].dtype)
        row["cycle"], row["line"], row["data"] = cycle, _LINE, number
        records[name] = np.concatenate([records[name], row])
    records["busy"] = np.zeros(len(idle), records["busy"].dtype)
    records["busy"]["cycle"] = idle
    packers = UntimedPackers(profile)
    packers.follow(records, records)
    l1 = packers._state.l1.view("<u4")
    l1[4 * (_LINE + 1) :] = 0  # of a test's write there are two lines
    l1[4 * _LINE : 4 * _LINE + 4] = model
    return [int(part) for part in packers.state()["l1_sum"]]
