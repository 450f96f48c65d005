# SPDX-License-Identifier: Apache-2.0
"""What chips do otherwise than documents say; zero compression: the order of what is done."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.tests.pack.model_helpers import BF16, FP32, TILE, datums, l1, put, ready, word

BH = "blackhole"
BASE = 0x20000
KEPT = 0x406C0  # bytes from the first row of 133 BF16 tiles to the last of 32


def _lands(profile: str, settings: dict[str, int], counters: tuple[int, int, int]) -> int:
    """Bytes from L1_Dest_addr to where a row lands; ``counters``: Y, Z, W of channel 1."""
    state = ready(profile, **settings, l1=BASE >> 4)
    state.dst[:] = 0x007F
    state.adc.live[0, 2, 1, 1:] = counters
    assert state.execute(0, word()).faults == ()
    found = np.flatnonzero(state.l1)
    return int(found[0]) // 16 * 16 - BASE


@pytest.mark.parametrize(
    ("settings", "tiles", "rows", "lost"),
    [
        (BF16, 133, 31, 1),
        (BF16, 132, 31, 0),
        (BF16, 200, 31, 1),
        (BF16, 274, 15, 1),  # the last of 16 rows
        (FP32, 67, 31, 1),
        (FP32, 66, 31, 0),
        (FP32, 137, 15, 1),
        (FP32, 136, 15, 0),
        (FP32, 137, 31, 2),
    ],
)
@pytest.mark.parametrize("counter", range(3))
def test_rows_that_are_far_apart(
    settings: dict[str, int], tiles: int, rows: int, lost: int, counter: int
) -> None:
    """P33: Y, Z and W alike; offsets of 2^18 bytes and more lose what is above."""
    stride = 32 * (4 if settings is FP32 else 2) * tiles
    name = ("y_stride1", "z_stride1", "w_stride1")[counter]
    counters = tuple(rows if k == counter else 0 for k in range(3))
    fields = {**settings, name: stride}
    assert (stride * rows) >> 18 == lost
    assert _lands(BH, fields, counters) == stride * rows & 0x3FFFF
    assert _lands(f"{BH},pack_ch1_offset18=0", fields, counters) == stride * rows


def test_offset_of_18_bits() -> None:
    """P33: the sum and the base are within; the older chip's units wrap as well, if it is told."""
    fields = {**BF16, "y_stride1": 0x2140, "z_stride1": 0x100, "w_stride1": 0x40, "base1": 0x3FF00}
    assert _lands(BH, {**BF16, "y_stride1": 0x2140}, (31, 0, 0)) == KEPT - 0x40000
    assert _lands(BH, fields, (0, 1, 0)) == 0
    assert _lands(BH, fields, (0, 0, 3)) == 0x3FFC0
    assert _lands(BH, fields, (31, 1, 2)) == KEPT - 0x40000 + 0x80
    wraps = "baseline,pack_ch1_offset18=1"
    fields = {**BF16, "y_stride1": 0x8000, "base1": 0x110}
    assert _lands(wraps, fields, (8, 0, 0)) == 0x1100
    assert _lands("baseline", {**BF16, "y_stride1": 0x100}, (31, 0, 0)) == 0x1F000


@pytest.mark.parametrize("profile", ["baseline", BH])
@pytest.mark.parametrize(
    ("kept", "ends", "want"),
    [
        (0, {"last": 1}, [0, 0]),
        (1, {"last": 1}, [1, 0]),  # the third row of the plane, then the first
        (0, {"last": 0, "flush": 1}, [0, 0]),
        (1, {"last": 0, "flush": 1}, [1, 1]),  # the second, then the third
    ],
)
def test_position_of_the_next_tile(
    profile: str, kept: int, ends: dict[str, int], want: list[int]
) -> None:
    """P26: the first of three rows is masked, in each tile or in each plane."""
    state = ready(f"{profile},pack_tile_position_kept={kept}", **BF16, mask1=0, row_mapping0=1)
    put(state, reads=3)
    state.dst[:] = 0x007F
    state.execute(0, word(last=0))
    state.execute(0, word(**ends))
    found = []
    for _ in want:
        state.execute(0, word())
        found.append(int(any(l1(state, 32))))
    assert found == want


def test_minus_infinity_takes_the_group() -> None:
    """P69: the fill's exponent is the group's, and the datums beside it are 0."""
    state = ready(**{**BF16, "to": 6}, exp_size=1, edge_mode=1, mask0=0x7FFF)
    state.dst[:] = 0x007F
    assert state.execute(0, word()).faults == ("edge_neginf_bfp",)
    assert l1(state, 1) == b"\xff"
    assert l1(state, 16, 0x1010) == bytes(15) + b"\xc0"


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
