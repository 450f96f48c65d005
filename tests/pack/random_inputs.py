# SPDX-License-Identifier: Apache-2.0
"""Random inputs of the packers' cycle model: anything at all, while it is ready."""

from __future__ import annotations

from typing import Any

import numpy as np

from tilepath import isa
from tilepath.isa.boundary.pack import BOUNDARY
from tilepath.models.pack import PackModel

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


def random_inputs(rng: Rng, cycles: int, profile: str) -> dict[str, Any]:
    """Inputs of a random run."""
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
