# SPDX-License-Identifier: Apache-2.0
"""The worked vectors V1 to V10 of the specification, through both forms of the model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tilepath.models.frontend import FunctionalThread, expand, expand_mop, expand_replay
from tilepath.tests.frontend.model_helpers import MOP1, NOP, one_thread, replay

M16 = [0x26000000 + (mode << 14) for mode in (0, 1, 0, 2, 0, 1, 0, 4, 0, 1, 0, 2, 0, 1, 0, 5)]
RECORD32 = [replay(0, 32, load=1), *(0x70000000 + i for i in range(32))]
END = 0x60000000
A, F, B = [0x420000A0 + i for i in range(4)], 0x550000F0, 0x550000FB


def template1(outer: int, inner: int, *rest: int) -> list[int]:
    """MopCfg with the tail that does not matter filled up."""
    return [outer, inner, *rest, *[0x7E000000] * (7 - len(rest))]


def slots(*order: int) -> list[int]:
    return [0x70000000 + i for i in order]


UNPACK12 = [
    0x428000C1, 0xB10C007C, 0x5800C312, 0xA2400001, 0xB00C007C, NOP,
    0x428000C1, 0xB10C007D, 0x5800C312, 0xA2400001, 0xB00C007D, NOP,
]  # fmt: skip
UNPACK_CFG = [0, 0, 0, 0x04000060, 0, 0, 0, 0x04018060, 0]
SFPU = [0x7000E000, 0x85009000, 0x7200E000, 0x38008000]
K, U = [F, B], [*A, 0x428000B0]
V7 = [K if c == "K" else U for c in "UUKUKKUUUKUUKUUUKUKKUUKKKKUKUKUKUUU"]

# name: pushed words, MopCfg, issued words
VECTORS: dict[str, tuple[list[int], list[int], list[int]]] = {
    "V1a": (
        [0x04040103, *M16, MOP1],
        [1, 4, NOP, NOP, NOP, 0x04040100, NOP, 0x2640C000, 0x04040100],
        [*M16 * 4, 0x2640C000],
    ),
    "V1b": (
        [0x04040101, *M16, MOP1],
        [1, 4, NOP, 0x3740000F, NOP, 0x04040100, NOP, 0x04040100, 0x04040100],
        [*M16 * 4, 0x3740000F],
    ),
    "V2 zmask 0": ([0x040000C1, *UNPACK12, 0x01030000], UNPACK_CFG, UNPACK12[:6] * 4),
    "V2 zmask FF": ([0x040000C1, *UNPACK12, 0x010300FF], UNPACK_CFG, UNPACK12[6:] * 4),
    "V3": (
        [MOP1],
        [2, 2, NOP, NOP, NOP, 0x420080C1, 0x428080C1, 0x428080C1, 0x428080C1],
        [0x420080C1, 0x428080C1] * 4,
    ),
    "V4 17.1": (
        [MOP1],
        [1, 4, NOP, NOP, NOP, 0x41000000, NOP, 0x41008001, 0x41000000],
        [*[0x41000000] * 3, 0x41008001],
    ),
    "V4 17.2": (
        [MOP1],
        [4, 4, NOP, NOP, NOP, 0x41000000, NOP, 0x41008001, 0x41010000],
        [*[*[0x41000000] * 3, 0x41010000] * 3, *[0x41000000] * 3, 0x41008001],
    ),
    "V5 bug": (
        [MOP1],
        [1, 0, NOP, END, NOP, 0x70000001, NOP, 0x70000002, 0x70000003],
        [END] * 129,
    ),
    "V5 bug, high bits": (
        [MOP1],
        template1(0xFFFFFF81, 0x80, NOP, END, 0x8F000000, 0x70000001, 0x70000002),
        [END, 0x8F000000] * 129,
    ),
    "V5 outer 2": (
        [MOP1],
        [2, 0, NOP, END, NOP, 0x70000001, NOP, 0x70000002, 0x70000003],
        [END] * 2,
    ),
    "V5 StartOp": (
        [MOP1],
        [1, 0, END, END, NOP, 0x70000001, NOP, 0x70000002, 0x70000003],
        [END] * 2,
    ),
    "V5 EndOp0 NOP": (
        [MOP1],
        [1, 0, NOP, NOP, 0x70000009, 0x70000001, NOP, 0x70000002, 0x70000003],
        [],
    ),
    "V6": (
        [MOP1],
        [2, 3, 0x500000A0, 0x500000E0, 0x500000E1, 0x7000000A, 0x7000000B, 0x700000F0, 0x700000F1],
        [
            0x500000A0, *[0x7000000A, 0x7000000B] * 2, 0x7000000A, 0x700000F1,
            0x500000E0, 0x500000E1,
            0x500000A0, *[0x7000000A, 0x7000000B] * 2, 0x7000000A, 0x700000F0,
            0x500000E0, 0x500000E1,
        ],
    ),
    "V6b": (
        [MOP1],
        [1, 2, NOP, NOP, NOP, NOP, 0x7000000B, 0x700000F0, 0x700000F1],
        [NOP, 0x7000000B, NOP, 0x700000F0],
    ),
    "V7": (
        [0x0300ABCD, 0x01221234],
        [0, 3, 0x428000B0, *A, F, B],
        [word for part in V7 for word in part],
    ),
    "V7b": (
        [0x03000001, 0x01000000, 0x01110000],
        [0, 0, 0x428000B0, *A, F, B],
        [A[0], *[A[0]] * 16, F, A[0]],
    ),
    "V8a": (
        [0x04070081, *(0x70000010 + i for i in range(8)), 0x04078060],
        [],
        [0x70000012 + i for i in range(6)],
    ),
    "V8b": ([*RECORD32, 0x04014000], [], slots(*range(5, 32), *range(32), *range(5))),
    "V8c": (
        [0x04078003, *(0x71000000 + i for i in range(64)), 0x04078040],
        [],
        [*(0x71000000 + i for i in range(64)), *(0x71000020 + i for i in range(4))],
    ),
    "V8d": ([*RECORD32, 0x040503F0], [], slots(*((20 + i) % 32 for i in range(63)))),
    "V9a": (
        [0x04000033, 0x70000001, 0x04020020, 0x70000002, 0x04000030],
        [],
        [0x70000001, 0x04020020, 0x70000002] * 2,
    ),
    "V9b": (
        [0x04010051, MOP1, 0x70000099, 0x04010050],
        [2, 2, NOP, 0x500000E0, NOP, 0x7000000A, NOP, 0x700000F0, 0x700000F1],
        [
            0x500000E0, 0x70000099,
            0x7000000A, 0x700000F1, 0x500000E0, 0x7000000A, 0x700000F0,
        ],
    ),
    "V9c": (
        [0x04040021, 0x70000001, 0x70000002, 0x04000021, MOP1, 0x04000020],
        [1, 2, NOP, NOP, NOP, 0x04040020, NOP, 0x04040020, 0x04040020],
        [0x04040020] * 2,
    ),
    "V10": (
        [0x04000041, *SFPU, MOP1],
        [1, 32, NOP, NOP, NOP, 0x04000040, NOP, 0x04000040, 0x04000040],
        SFPU * 32,
    ),
    "V10 seed": (
        [replay(0, 5, 1, 1), *SFPU, 0x8F000000, *[replay(0, 5)] * 6],
        [],
        [*SFPU, 0x8F000000] * 7,
    ),
}  # fmt: skip


def writes(cfg: Sequence[int]) -> list[tuple[int, int, int]]:
    return [(0, index, data) for index, data in enumerate(cfg)]


@pytest.mark.parametrize("name", VECTORS)
def test_vector_functional(name: str) -> None:
    words, cfg, issued = VECTORS[name]
    assert expand(words, writes(cfg)).tolist() == issued
    # Word by word is the same as all at once.
    thread = FunctionalThread()
    thread.mop_cfg[: len(cfg)] = cfg
    assert [word for pushed in words for word in thread.feed([pushed]).tolist()] == issued


@pytest.mark.parametrize("name", VECTORS)
def test_vector_cycle_exact(name: str) -> None:
    words, cfg, issued = VECTORS[name]
    out = one_thread(words, cfg, start=10, cycles=600)
    assert out["issue"]["word"].tolist() == issued
    illegal = [int(word >> 24 == 4) for word in issued]
    assert out["issue"]["illegal"].tolist() == illegal
    assert out["fault"]["illegal"].tolist() == [1] * sum(illegal)


def test_v1a_after_the_mop_expander() -> None:
    words, cfg, _ = VECTORS["V1a"]
    expansion = [0x04040100] * 3 + [0x2640C000]
    assert expand_mop(MOP1, 0, cfg).tolist() == expansion
    assert one_thread(words, cfg, start=10)["mq"]["word"].tolist() == [*words[:-1], *expansion]


def test_v2_after_the_mop_expander() -> None:
    assert expand_mop(0x01030000, 0, UNPACK_CFG).tolist() == [0x04000060] * 4
    assert expand_mop(0x010300FF, 0, UNPACK_CFG).tolist() == [0x04018060] * 4


def test_v7_counts() -> None:
    assert sum(part is U for part in V7) == 20
    assert len(VECTORS["V7"][2]) == 130


def test_replay_vectors_on_a_given_buffer() -> None:
    buffer = np.arange(0x70000000, 0x70000020, dtype=np.uint32)
    before = buffer.copy()
    want = VECTORS["V8b"][2]
    assert expand_replay([0x04014000], buffer).tolist() == want
    assert expand_replay([0x04014000], buffer, profile="blackhole").tolist() == want[:32]
    assert expand_replay([0x040503F0], buffer).tolist() == VECTORS["V8d"][2]
    assert (buffer == before).all()
    assert expand_replay([replay(31, 2, 0, 1), 0x01800000, 0x03000000], buffer).size == 0
    assert buffer[[31, 0]].tolist() == [0x01800000, 0x03000000]


def test_v8b_with_the_other_profile() -> None:
    words, _, issued = VECTORS["V8b"]
    assert expand(words, profile="blackhole").tolist() == issued[:32]
    assert one_thread(words, profile="blackhole")["issue"]["word"].tolist() == issued[:32]
