# SPDX-License-Identifier: Apache-2.0
"""The cycle-exact model in long runs; records as the models use them."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.engine.compiled.records import record, zeros
from tilepath.isa.boundary.frontend import BOUNDARY
from tilepath.models.frontend import FrontendModel
from tilepath.tests.frontend.model_helpers import (
    MOP1,
    model_run,
    replay,
    streams,
)
from tilepath.tests.model_runs import assert_same


def test_cutting_a_run_longer_than_the_models_own_pieces() -> None:
    cycles = 200_000
    push = [(50 + 40 * n, MOP1) for n in range(4000)]
    inputs = streams(
        {
            "t1.push": push,
            "t1.mopcfg": [(n, n, data) for n, data in enumerate([2, 9, *[0x42000000] * 7])],
            "t1.ready": [(0, 1), *((100_000 + n, n & 1) for n in range(1, 60_000))],
            "sfpu_cc": [(65_535 + n, 1 - n % 2) for n in range(4)],
        }
    )
    whole = model_run(inputs, [cycles])
    assert len(whole["t1.issue"]) > 70_000
    assert_same(BOUNDARY, model_run(inputs, [65_536, 65_537, 131_071, cycles]), whole)


def test_long_runs_forget_what_is_over() -> None:
    model = FrontendModel()
    program = [replay(0, 4, 0, 1), 0x26000001, 0x42000002, 0x70000003, 0x45000004]
    block = 20_000
    sizes = []
    for n in range(30):
        base = n * block
        cycles = np.arange(base, base + block, 3)
        words = np.resize(np.array([*program, 0x04000040], dtype=np.uint32), cycles.size)
        inputs = {
            "t2.push": zip(cycles.tolist(), words.tolist(), strict=True),
            "t2.ready": [(base + k, k & 1) for k in range(block)],
            "t2.sync": [(base + k,) for k in range(0, block, 100)],
            "t2.mopcfg": [(base + k, 0, 1) for k in range(0, block, 50)],
        }
        got = model.step(streams(inputs), base + block)
        assert len(got["t2.issue"]) > block // 5
        sizes.append(sum(lane.kept for lane in model._lanes))
    assert max(sizes) < 100


@pytest.mark.parametrize("name", ["size", "data", "copy", "T", "item", "view", "lambda", "field"])
def test_names_that_mean_something_else_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"field {name}: "):
        record(**{name: np.int64})


def test_fields_are_reached_by_name_at_every_depth() -> None:
    entry = record(word=np.uint32, time=np.int64)
    queue = record(entries=(entry, 4), head=entry, count=np.int64)
    made = zeros(queue, 3)
    assert made.shape == (3,)
    made[1].entries[2].word = 5
    made[1].head.time = -1
    made[1].count += 2
    assert made["entries"]["word"].sum() == 5
    assert made.head.time.tolist() == [0, -1, 0]
    assert made.copy()[1].count == 2
