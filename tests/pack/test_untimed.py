# SPDX-License-Identifier: Apache-2.0
"""The packers without time, beside a run in which several of them write to one line of L1."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.isa.boundary.description import stream_table
from tilepath.isa.boundary.pack import BOUNDARY
from tilepath.tb.pack.untimed import SUM_FACTOR, UntimedPackers

_LINE = 5


def _sum_of(held: int) -> list[int]:
    """Sum of an L1 whose words are all 0 but for those of the line."""
    total = sum(held * (2 * word + 1) for word in range(4 * _LINE, 4 * _LINE + 4))
    total = total * SUM_FACTOR % (1 << 64)
    return [total & 0xFFFF_FFFF, total >> 32]


@pytest.mark.parametrize(
    ("writes", "idle", "profile", "held"),
    [
        ([("w0", 10), ("w1", 12)], [], "baseline", 2),
        ([("w0", 12), ("w1", 10)], [], "baseline", 1),
        ([("w0", 10), ("w1", 10)], [], "baseline", 2),
        ([("w0", 10), ("w1", 12), ("w0", 14)], [], "baseline", 3),
        ([("w0", 10), ("w1", 12)], [11], "baseline", 0),  # nothing has been executed
        ([("w0", 10), ("w1", 12), ("w0", 14)], [13], "baseline", 0),
        ([("w2", 10), ("w2", 12)], [], "baseline", 0),
        ([("w0", 10), ("w1", 12)], [], "blackhole", 0),
    ],
)
def test_of_a_line_that_several_write_the_last_one_is_taken(
    writes: list[tuple[str, int]], idle: list[int], profile: str, held: int
) -> None:
    records = {name: stream.empty() for name, stream in stream_table(BOUNDARY.streams).items()}
    for number, (packer, cycle) in enumerate(writes, 1):
        row = np.zeros(1, records[f"{packer}.write"].dtype)
        row["cycle"], row["line"], row["data"] = cycle, _LINE, number
        records[f"{packer}.write"] = np.concatenate([records[f"{packer}.write"], row])
    records["busy"] = np.zeros(len(idle), records["busy"].dtype)
    records["busy"]["cycle"] = idle
    packers = UntimedPackers(profile)
    packers.follow(records, records)
    assert packers.state()["l1_sum"].tolist() == _sum_of(held)


def test_a_test_may_write_it_besides() -> None:
    records = {name: stream.empty() for name, stream in stream_table(BOUNDARY.streams).items()}
    for name, cycle in (("l1_write", 10), ("w3.write", 12)):
        records[name] = np.zeros(1, records[name].dtype)
        records[name]["cycle"], records[name]["line"], records[name]["data"] = cycle, _LINE, cycle
    records["l1_write"]["data"][:, 4:] = 0
    packers = UntimedPackers("baseline")
    packers.follow(records, records)
    assert packers.state()["l1_sum"].tolist() == _sum_of(12)
