# SPDX-License-Identifier: Apache-2.0
"""The cycle-exact model on random programs: literal reference, cutting, compiled or not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from models.control.streams import OUTPUTS, output_dtype
from tests.models.control_helpers import (
    MIXES,
    Records,
    model_run,
    random_risc,
    random_word,
    rows,
    streams,
)
from tests.models.control_reference import Control, run

LEVELS = ("latch", "semaphores", "mutexes", "config_pipe", "scalar", "sticky")


def random_level(
    rng: np.random.Generator, cycles: int, bits: int, share: float
) -> Callable[[int], int]:
    """Values by cycle: each bit is 1 with ``share``, for one cycle or for long."""
    values: list[int] = []
    while len(values) < cycles:
        length = 1 if rng.random() < 0.8 else int(rng.integers(1, 40))
        value = sum(int(rng.random() < share) << n for n in range(bits))
        values += [value] * length
    return values.__getitem__


def random_control(rng: np.random.Generator, cycles: int) -> Control:
    """The block with random density of every kind of input."""
    offers = []
    for _ in range(3):
        mix = MIXES[str(rng.choice(list(MIXES)))]
        gap = int(rng.choice([1, 1, 2, 4]))
        words = []
        t = 0
        while t < cycles:
            t += int(rng.integers(0, gap)) if rng.random() < 0.95 else int(rng.integers(0, 60))
            words.append((t, random_word(rng, mix)))
            t += 1
        offers.append(words)
    shares = [float(rng.choice(some)) for some in ([0, 0.02, 0.3, 1], [0, 0.05, 0.5], [0, 0.2, 1])]
    hits = rng.random((3, cycles)) < np.array(shares)[:, np.newaxis]
    accesses = [(int(t), *random_risc(rng)) for t in np.flatnonzero(hits[0])]
    sems = [
        (int(t), *(int(x) for x in rng.integers(0, (2, 8, 2)))) for t in np.flatnonzero(hits[1])
    ]
    writes = {
        int(t): (
            int(rng.integers(0, 4)),
            int(rng.choice([29, 259, 5])),
            int(rng.choice([0, 1, 2, 1023, 1024, 1 << 17, 1 << 20, rng.integers(0, 1 << 32)])),
        )
        for t in np.flatnonzero(hits[2])
    }
    return Control(
        offers,
        accesses,
        sems,
        random_level(rng, cycles, 13, float(rng.choice([0.02, 0.3, 0.5]))),
        random_level(rng, cycles, 6, float(rng.choice([0.1, 0.5, 1]))),
        random_level(rng, cycles, 1, float(rng.choice([0, 0.1, 0.6]))),
        writes,
    )


def reference_run(
    rng: np.random.Generator, cycles: int
) -> tuple[dict[str, Records], dict[str, list[tuple[int, ...]]]]:
    inputs, outputs = run(random_control(rng, cycles), cycles)
    return streams(inputs), outputs


def random_cuts(rng: np.random.Generator, cycles: int, most: int) -> list[int]:
    count = int(rng.integers(0, most))
    return sorted({*rng.integers(0, cycles, count).tolist(), cycles})


def assert_same(got: dict[str, Records], want: dict[str, Records]) -> None:
    assert got.keys() == want.keys()
    for name, records in want.items():
        assert got[name].dtype == records.dtype == output_dtype(name)
        np.testing.assert_array_equal(got[name], records, err_msg=name)


@pytest.mark.parametrize("seed", range(120))
def test_equals_the_literal_reference(seed: int) -> None:
    rng = np.random.default_rng([1, seed])
    cycles = int(rng.integers(20, 700))
    inputs, want = reference_run(rng, cycles)
    got = model_run(inputs, random_cuts(rng, cycles, 20))
    assert not set(want) - set(got)
    for name, records in got.items():
        suffix = name.rpartition(".")[2]
        fields = ["cycle", *OUTPUTS[suffix]]
        if suffix not in LEVELS:
            fields.append("origin")
        assert rows(records, *fields) == want.get(name, []), name
