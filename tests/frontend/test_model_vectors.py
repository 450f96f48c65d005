# SPDX-License-Identifier: Apache-2.0
"""The worked vectors V1 to V10 of the specification, through both forms of the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from tilepath.models.frontend import FunctionalThread, expand, expand_mop, expand_replay
from tilepath.sequences.frontend.directed import VECTORS
from tilepath.tests.frontend.model_helpers import MOP1, NOP, one_thread, replay

CASES = {case.name: case for case in VECTORS.cases}
END = 0x60000000
A, F, B = [0x420000A0 + i for i in range(4)], 0x550000F0, 0x550000FB


def slots(*order: int) -> list[int]:
    return [0x70000000 + i for i in order]


WORDS = {name: list(case.words) for name, case in CASES.items()}
M16, UNPACK12, SFPU = WORDS["V1a"][1:17], WORDS["V2 zmask 0"][1:13], WORDS["V10"][1:5]
K, U = [F, B], [*A, 0x428000B0]
V7 = [K if c == "K" else U for c in "UUKUKKUUUKUUKUUUKUKKUUKKKKUKUKUKUUU"]

ISSUED: dict[str, list[int]] = {
    "V1a": [*M16 * 4, 0x2640C000],
    "V1b": [*M16 * 4, 0x3740000F],
    "V2 zmask 0": UNPACK12[:6] * 4,
    "V2 zmask FF": UNPACK12[6:] * 4,
    "V3": [0x420080C1, 0x428080C1] * 4,
    "V4 17.1": [*[0x41000000] * 3, 0x41008001],
    "V4 17.2": [*[*[0x41000000] * 3, 0x41010000] * 3, *[0x41000000] * 3, 0x41008001],
    "V5 bug": [END] * 129,
    "V5 bug, both ends": [END, 0x8F000000] * 129,
    "V5 outer 2": [END] * 2,
    "V5 StartOp": [END] * 2,
    "V5 EndOp0 NOP": [],
    "V6": [
        0x500000A0, *[0x7000000A, 0x7000000B] * 2, 0x7000000A, 0x700000F1,
        0x500000E0, 0x500000E1,
        0x500000A0, *[0x7000000A, 0x7000000B] * 2, 0x7000000A, 0x700000F0,
        0x500000E0, 0x500000E1,
    ],
    "V6b": [NOP, 0x7000000B, NOP, 0x700000F0],
    "V7": [word for part in V7 for word in part],
    "V7b": [A[0], *[A[0]] * 16, F, A[0]],
    "V8a": [0x70000012 + i for i in range(6)],
    "V8b": slots(*range(5, 32), *range(32), *range(5)),
    "V8c": [*(0x71000000 + i for i in range(64)), *(0x71000020 + i for i in range(4))],
    "V8d": slots(*((20 + i) % 32 for i in range(63))),
    "V9a": [0x70000001, 0x04020020, 0x70000002] * 2,
    "V9b": [
        0x500000E0, 0x70000099,
        0x7000000A, 0x700000F1, 0x500000E0, 0x7000000A, 0x700000F0,
    ],
    "V9c": [0x04040020] * 2,
    "V10": SFPU * 32,
    "V10 seed": [*SFPU, 0x8F000000] * 7,
}  # fmt: skip
"""What comes out of the vectors that the directed test plays."""


def given(name: str) -> tuple[list[int], list[int], list[int]]:
    """Words that are pushed, all of MopCfg, words that are issued."""
    case = CASES[name]
    cfg = dict(case.cfg.items() if isinstance(case.cfg, Mapping) else enumerate(case.cfg))
    return WORDS[name], [cfg.get(index, 0) for index in range(9)], ISSUED[name]


def test_every_vector_is_here() -> None:
    assert set(ISSUED) == set(CASES)


def writes(cfg: Sequence[int]) -> list[tuple[int, int, int]]:
    return [(0, index, data) for index, data in enumerate(cfg)]


@pytest.mark.parametrize("name", ISSUED)
def test_vector_functional(name: str) -> None:
    words, cfg, issued = given(name)
    assert expand(words, writes(cfg)).tolist() == issued
    # Word by word is the same as all at once.
    thread = FunctionalThread()
    thread.mop_cfg[: len(cfg)] = cfg
    assert [word for pushed in words for word in thread.feed([pushed]).tolist()] == issued


@pytest.mark.parametrize("name", ISSUED)
def test_vector_cycle_exact(name: str) -> None:
    words, cfg, issued = given(name)
    out = one_thread(words, cfg, start=10, cycles=600)
    assert out["issue"]["word"].tolist() == issued
    illegal = [int(word >> 24 == 4) for word in issued]
    assert out["issue"]["illegal"].tolist() == illegal
    assert out["fault"]["illegal"].tolist() == [1] * sum(illegal)


def test_v1a_after_the_mop_expander() -> None:
    words, cfg, _ = given("V1a")
    expansion = [0x04040100] * 3 + [0x2640C000]
    assert expand_mop(MOP1, 0, cfg).tolist() == expansion
    assert one_thread(words, cfg, start=10)["mq"]["word"].tolist() == [*words[:-1], *expansion]


def test_v2_after_the_mop_expander() -> None:
    assert expand_mop(0x01030000, 0, given("V2 zmask 0")[1]).tolist() == [0x04000060] * 4
    assert expand_mop(0x010300FF, 0, given("V2 zmask FF")[1]).tolist() == [0x04018060] * 4


def test_v7_counts() -> None:
    assert sum(part is U for part in V7) == 20
    assert len(ISSUED["V7"]) == 130


def test_replay_vectors_on_a_given_buffer() -> None:
    buffer = np.arange(0x70000000, 0x70000020, dtype=np.uint32)
    before = buffer.copy()
    want = ISSUED["V8b"]
    assert expand_replay([0x04014000], buffer).tolist() == want
    assert expand_replay([0x04014000], buffer, profile="blackhole").tolist() == want[:32]
    assert expand_replay([0x040503F0], buffer).tolist() == ISSUED["V8d"]
    assert (buffer == before).all()
    assert expand_replay([replay(31, 2, 0, 1), 0x01800000, 0x03000000], buffer).size == 0
    assert buffer[[31, 0]].tolist() == [0x01800000, 0x03000000]


def test_v8b_with_the_other_profile() -> None:
    words, _, issued = given("V8b")
    assert expand(words, profile="blackhole").tolist() == issued[:32]
    assert one_thread(words, profile="blackhole")["issue"]["word"].tolist() == issued[:32]
