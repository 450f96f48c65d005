# SPDX-License-Identifier: Apache-2.0
"""Kernels of plans on the machine, in six orders, against NumPy.

As many as one likes: ``python -m tilepath.tests.datapath.test_plan 1000 7`` (how many, seed) takes
both profiles in turn.
"""

from __future__ import annotations

import itertools
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilepath.engine.host.run import RunRequest
from tilepath.models.kernels.play import machine_of
from tilepath.sequences.datapath.drawn_kernel import OPS, PLAN, SHAPES, DrawnKernel, plan
from tilepath.sequences.datapath.formats import PACKS, ways
from tilepath.tests.cosim_runs import FAST, simulate
from tilepath.tests.datapath.kernel_files import PROFILES
from tilepath.tests.datapath.kernel_numbers import check

PRIORITIES = tuple(itertools.permutations(range(3)))


def plans(count: int, seed: int) -> list[DrawnKernel]:
    """So many plans of a seed."""
    rows = PLAN.drawn(np.random.default_rng(seed))
    return [plan(row) for row in itertools.islice(rows, count)]


def played(one: DrawnKernel, profile: str) -> Any:
    """Run a plan in all orders; ``AssertionError`` unless all tiles are as they ought to be."""
    kernel = one.kernel(profile)
    before = np.array(machine_of(kernel).l1)
    found = []
    for order in PRIORITIES:
        m = machine_of(kernel)
        run = m.run(kernel.programs, order)
        assert (run.end, m.faults, m.events) == ("done", [], []), (str(one), order, run)
        found.append(np.array(m.l1))
        assert (found[-1] == found[0]).all(), (str(one), order)
    check(one, kernel, before, found[0])
    return kernel, before, found[0]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("seed", range(2))
def test_all_orders_give_what_numpy_does(seed: int, profile: str) -> None:
    for one in plans(8, seed):
        played(one, profile)


def test_a_wrong_number_is_seen_in_every_stage() -> None:
    one = next(one for one in plans(99, 3) if len(one.stages) == 3)
    kernel, before, after = played(one, "baseline")
    for number in range(1, len(one.stages) + 1):
        tile = kernel.tiles[one.tile("t", number)]
        wrong = after.copy()
        wrong[tile.end - 1] ^= 0x40
        with pytest.raises(AssertionError, match=f"stage {number - 1}"):
            check(one, kernel, before, wrong)


def test_all_that_there_is_is_drawn() -> None:
    stages = [(one, stage) for one in plans(6000, 5) for stage in one.stages]
    assert {stage.op for _, stage in stages} == set(OPS)
    assert {one.shape for one, _ in stages} == set(SHAPES)
    copies = {stage.way for _, stage in stages if stage.other is None}
    assert copies == {way for way in ways() if PACKS[way.dst]}
    packed = {(stage.way.dst, stage.out) for _, stage in stages}
    assert packed == {(way.dst, out) for way in ways() for out in PACKS[way.dst]}
    given: dict[tuple[str, str], set[int]] = {}
    for _, stage in stages:
        for name, value in stage.given.items():
            given.setdefault((stage.op, name), set()).add(value)
    for op in ("add", "sub", "mul"):
        assert given[op, "BCAST"] == set(range(4))
    for op in ("mul", "matmul"):
        assert given[op, "PHASES"] == {1, 2, 3, 4}
    for name in ("HALVES", "CONTEXTS", "TERMS", "MOP", "BANK"):
        assert len(given["matmul", name]) == 2


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2))
def test_latencies_of_l1_give_the_same_l1(seed: int, tmp_path: Path) -> None:
    found = []
    for latency in (1, 9, 31):
        out = tmp_path / str(latency)
        knobs = (f"l1.latency={latency}",)
        run = simulate(RunRequest("datapath", "random_plans", seed, FAST, out_dir=out, knobs=knobs))
        found.append((run / "trace/l1_sum.state").read_bytes())
    assert found[0] == found[1] == found[2]


def _many(count: int, seed: int) -> None:
    begin = time.monotonic()
    for done, one in enumerate(plans(count, seed), 1):
        played(one, PROFILES[done % 2])
        if done % 50 == 0 or done == count:
            rate = 60 * done / (time.monotonic() - begin)
            print(f"{done} plans of seed {seed} equal NumPy, {rate:.0f} a minute", flush=True)


if __name__ == "__main__":
    _many(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
