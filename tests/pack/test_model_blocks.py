# SPDX-License-Identifier: Apache-2.0
"""The packers' cycle model on anything at all: cut into blocks, compiled or not."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest

from tilepath import isa
from tilepath.isa.boundary.pack import BOUNDARY
from tilepath.models.pack import PackModel
from tilepath.tests.model_runs import (
    assert_same,
    digest_in_plain_python,
    random_cuts,
    run_in_pieces,
)

PROFILES = ("baseline", "blackhole")
_MODE_WORDS = (1, 2, 18, 70, 71, 98, 99, 118, 119, 146, 147)
_OTHER_WORDS = (0, 8, 12, 13, 14, 16, 19, 20, 24, 28, 36, 68, 69, 97, 100, 180, 181, 187, 220)
Rng = np.random.Generator


def random_word(rng: Rng, profile: str) -> int:
    """A PACR, or now and then a PACR_SETREG."""
    low = int(rng.integers(0, 1 << 23))
    if rng.random() < 0.04:
        return isa.encode("PACR_SETREG", profile) | low | int(rng.integers(2)) << 23
    keep = 0x18F93 if rng.random() < 0.9 else 0x7FFFFF
    word = isa.encode("PACR") | low & keep
    if rng.random() < 0.7:
        word &= ~3  # neither Last nor Flush
    return word if rng.random() < 0.2 else word & ~0x1000


def random_config(rng: Rng) -> tuple[Any, ...]:
    """A write to words that packers read."""
    index = int(rng.choice(_MODE_WORDS if rng.random() < 0.3 else _OTHER_WORDS))
    data = rng.integers(0, 1 << 32, 4).tolist()
    if index in _OTHER_WORDS:
        data[0] &= 0x0FF0FF
    if index in (70, 98, 118, 146):
        data[0] &= 0x1FFF3 | int(rng.integers(2)) << 16
        data[0] |= int(rng.random() < 0.8)
    return (int(rng.integers(1, 4)), index, int(rng.random() < 0.1), data)


def random_cycle(
    rng: Rng, model: PackModel, profile: str, busy: float
) -> dict[str, tuple[Any, ...]]:
    """Inputs of the cycle that is modelled next: stream name -> fields."""
    timing = model._model.timing[0]
    out: dict[str, tuple[Any, ...]] = {}
    if timing.issued - timing.departed < 3 and rng.random() < busy:
        out["issue"] = (int(rng.integers(3)), random_word(rng, profile))
    if rng.random() < 0.01:
        x1 = int(rng.choice((0, 3, 7, 14, 15, 15, 15, 16, 31, 60, 200)))
        thread = int(rng.integers(3))
        out[f"t{thread}.counter"] = (isa.encode("SETADCXX", target=4, x0_val=0, x1_val=x1),)
    if rng.random() < 0.01:
        out["cfg"] = random_config(rng)
    for thread in range(3):
        if rng.random() < 0.01:
            index = int(rng.choice([0, 37, 38, 39, 40, 45]))
            out[f"t{thread}.setc16"] = (index, int(rng.integers(0, 1 << 16)) & 0x1021)
    if rng.random() < 0.01:
        out["offset"] = (int(rng.integers(16)), int(rng.integers(1 << 10)))
    if rng.random() < 0.02:
        out["hist"] = (int(rng.random() < 0.1), int(rng.choice((6, 7, 9, 3))), int(rng.integers(4)))
    if rng.random() < 0.03:
        out["l1_ready"] = (int(rng.choice((15, 15, 0, 9, 14))),)
    if rng.random() < 0.01:
        out["l1_latency"] = (int(rng.choice((0, 1, 4, 20, 31))),)
    if rng.random() < 0.01:
        out["setreg_base"] = (int(rng.integers(1 << 24)), *rng.integers(0, 512, 4).tolist())
    if rng.random() < 0.02:
        data = rng.integers(0, 1 << 32, 16).tolist()
        out["l1_write"] = (int(rng.integers(1 << 12)), data)
    if timing.busy == 0 and "issue" not in out and rng.random() < 0.5:
        data = rng.integers(0, 1 << 32, 72) * rng.integers(0, 2, 72)
        mask = rng.integers(0, 1 << 16, 9).tolist()
        out["dst_write"] = (int(rng.integers(1024)), int(rng.integers(1, 10)), mask, data.tolist())
        if rng.random() < 0.02:
            out["dst_zero"] = (int(rng.random() < 0.1), int(rng.integers(2)))
    return out


def random_run(seed: int, cycles: int, profile: str) -> dict[str, Any]:
    """Inputs of a random run."""
    rng = np.random.default_rng([seed, len(profile)])
    model = PackModel(profile)
    found: dict[str, list[Any]] = {name: [] for name in BOUNDARY.inputs}
    found["l1_ready"].append((0, 15))
    model.step({"l1_ready": np.array([(0, 15)], BOUNDARY.stream("l1_ready").dtype)}, 1)
    busy = 0.0
    for cycle in range(1, cycles):
        if cycle % 100 == 1:
            busy = float(rng.choice((0, 0.02, 0.2, 0.8)))
        given = random_cycle(rng, model, profile, busy)
        for name, fields in given.items():
            found[name].append((cycle, *fields))
        arrays = {n: np.array([(cycle, *f)], BOUNDARY.stream(n).dtype) for n, f in given.items()}
        model.step(arrays, cycle + 1)
    return {n: np.array(rows, BOUNDARY.stream(n).dtype) for n, rows in found.items() if rows}


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("seed", range(3))
def test_cuts_make_no_difference(profile: str, seed: int) -> None:
    cycles = 4000
    inputs = random_run(seed, cycles, profile)
    end = cycles + 3000  # l1_ready may be 0 for ever
    whole = PackModel(profile)
    want = whole.step(inputs, end)
    assert sum(len(want[f"w{slot}.write"]) for slot in range(8)) > 100
    rng = np.random.default_rng(seed)
    for most in (5, 300):
        pieces = PackModel(profile)
        got = run_in_pieces(pieces, inputs, random_cuts(rng, end, most))
        assert_same(BOUNDARY, got, want)
        for name, array in whole.state().items():
            np.testing.assert_array_equal(pieces.state()[name], array)
        assert pieces.waiting() == whole.waiting()


def test_time_and_values_have_the_same_lines() -> None:
    """What values have made has gone to L1 where time says that all has drained."""
    for profile in PROFILES:
        inputs = random_run(7, 3000, profile)
        inputs["l1_ready"] = inputs["l1_ready"][:1]
        model = PackModel(profile)
        model.step(inputs, 10_000)
        join = model._model.join[0]
        assert model.waiting() == []
        np.testing.assert_array_equal(join.held["head"], join.held["tail"])
        np.testing.assert_array_equal(join.counted_head, join.counted_tail)


def digest() -> str:
    """Hash of what a short run gives."""
    total = hashlib.sha256()
    for profile in PROFILES:
        inputs = random_run(1, 250, profile)
        for name, records in PackModel(profile).step(inputs, 300).items():
            total.update(name.encode() + records.tobytes())
    return total.hexdigest()


def test_same_without_compilation() -> None:
    assert digest_in_plain_python("pack") == digest()


def test_bad_input_is_refused_and_changes_nothing() -> None:
    model = PackModel()
    issue = BOUNDARY.stream("issue").dtype
    pacr = isa.encode("PACR")
    for thread, word in ((3, pacr), (0, 0x42000000)):
        with pytest.raises(ValueError, match="issue"):
            model.step({"issue": np.array([(5, thread, word)], issue)}, 10)
    assert model.now == 0
    assert [len(records) for records in model.step({}, 10).values() if len(records)] == [1]
