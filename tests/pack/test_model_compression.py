# SPDX-License-Identifier: Apache-2.0
"""Zero compression: a compressed tile, read again, has what went in; order of what is done."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tilepath.models.pack import PackState
from tilepath.tests.pack.model_helpers import BF16, TILE, datums, fill, l1, ready, storage, word


def decompressed(state: PackState, bits: int, row_size: int) -> list[list[int]]:
    """Rows of a compressed tile, by its row starts and counters; zeros included."""
    rsi = np.frombuffer(l1(state, 16 * row_size), "<u2")
    block = 32 * bits // 8
    data, counters = [], []
    for number in range(40):
        at = TILE + 16 * row_size + number * (block + 16)
        data += np.frombuffer(l1(state, block, at), f"<u{bits // 8}").tolist()
        nibbles = state.l1[at + block : at + block + 16]
        counters += np.stack([nibbles & 15, nibbles >> 4], axis=1).reshape(-1).tolist()
    starts = [int(n) for k, n in enumerate(rsi) if k == 0 or n]
    return [
        [v for k in range(a, b) for v in [data[k]] + [0] * counters[k]]
        for a, b in itertools.pairwise(starts)
    ]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_compressed_rows(share: float) -> None:
    """P43, P44, P63: the tile has what went in, row by row, also over PACRs with Concat."""
    rng = np.random.default_rng(int(share * 10))
    state = ready(**BF16, plain=0, row_size=8, y_stride=32)
    values = rng.integers(0x3F80, 0x4000, (24, 16)) * (rng.random((24, 16)) < share)
    fill(state, [storage(int(v), BF16) for v in values.reshape(-1)])
    want, at = [], 0
    for number, count in enumerate((16, 1, 33, 40, 0, 64, 31, 150)):
        state.adc.live[0, 2, 0, 1] = at // 16
        count = min(count, 384 - at // 16 * 16)
        datums(state, count)
        concat = number in (2, 3)
        assert state.execute(0, word(last=int(number == 7), concat=int(concat))).faults == ()
        part = values.reshape(-1)[at // 16 * 16 :][:count].tolist()
        want = [*want[:-1], want[-1] + part] if number in (3, 4) else [*want, part]
        at = (at // 16 * 16 + count + 15) // 16 * 16
    got = decompressed(state, 16, 8)
    assert [r for r in got if r] == [r for r in want if r]


def test_counters_end_at_15() -> None:
    """P44: after 15 zeros one is written; block lines and operations."""
    state = ready(**BF16, plain=0, row_size=1)
    datums(state, 35)
    state.dst[:3] = 0
    state.execute(0, word())
    walk = state.walk[0]
    ops = walk.ops[: walk.op_count].tolist()
    K, E, Z, C, R = range(5)
    assert ops == [R, E, *[K] * 15, E, *[K] * 15, E, K, E, R, *[Z] * 28, C]
    assert l1(state, 16, TILE + 16 + 64) == bytes.fromhex("FF 01") + bytes(14)
    assert l1(state, 4) == bytes.fromhex("00 00 04 00")


def test_full_block_stays_open() -> None:
    """P63."""
    state = ready(**BF16, plain=0, row_size=1)
    state.dst[:] = 0x007F
    datums(state, 32)
    state.execute(0, word(last=0, concat=1))
    assert state.walk[0].ops[: state.walk[0].op_count].tolist() == [4] + [1] * 32
    state.dst[:] = 0
    datums(state, 2)
    state.execute(0, word(last=0, concat=1))  # both absorbed
    datums(state, 0)
    state.execute(0, word(last=0))
    assert state.walk[0].ops[: state.walk[0].op_count].tolist() == [4]
    state.execute(0, word(flush=1, last=0))
    assert state.walk[0].ops[: state.walk[0].op_count].tolist() == [3]
    assert l1(state, 16, TILE + 16 + 64)[15] == 0x20 and l1(state, 4) == bytes.fromhex("00002000")
