# SPDX-License-Identifier: Apache-2.0
"""Zero compression: the order of what is done."""

from __future__ import annotations

from tilepath.tests.pack.model_helpers import BF16, TILE, datums, l1, ready, word


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
