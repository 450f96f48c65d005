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

from tilepath.engine.description.stimulus import Context
from tilepath.engine.host.run import RunRequest
from tilepath.models import Machine
from tilepath.models.kernels.play import machine_of
from tilepath.sequences.datapath.drawn_kernel import OPS, PLAN, SHAPES, DrawnKernel, plan
from tilepath.sequences.datapath.formats import PACKS, ways
from tilepath.sequences.datapath.random_kernels import NAMES, TESTS, loaded
from tilepath.tb.datapath.streams import CORE, L1_WRITE, LINE_BYTES, item_of
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


# --- kernels one behind the other on one machine: each comes to what it comes to alone

_KERNELS = 24


def _phases(found: dict[str, Any]) -> list[tuple[int, Any]]:
    """What is done together, in order: lines for L1, thread -1, and items of cores."""
    phases: dict[int, dict[int, list[Any]]] = {}
    for thread, player in enumerate((L1_WRITE, CORE, CORE, CORE), -1):
        values = player.unpack(found["l1_write" if thread < 0 else f"t{thread}.core"])
        fields = ("line", "data") if thread < 0 else ("op", "index", "value")
        for after, *item in zip(*(values[name] for name in ("after_count", *fields)), strict=True):
            phases.setdefault(int(after), {}).setdefault(thread, []).append(item)
    return sorted(phases.items())


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name, table", [("random_default", "kernel"), ("random_plans", "plan")])
def test_a_kernel_leaves_nothing_to_the_next(name: str, table: str, profile: str) -> None:
    test = TESTS[name]
    ctx = Context("datapath", name, 3, profile, 0).with_tables(test.tables)
    rows = ctx.table(table).drawn(ctx.rng(table), 64)
    stimulus = test.stimulus(ctx)
    cores = ("l1_write", "t0.core", "t1.core", "t2.core")
    every = zip(*(stimulus[name] for name in cores), strict=True)
    m, drawn = Machine(profile), set()
    for row, arrays in itertools.islice(zip(rows, every, strict=False), _KERNELS):
        kernel = loaded(row, profile) if table == "kernel" else plan(row).kernel(profile)
        alone = machine_of(kernel)
        for _, done in _phases(dict(zip(cores, arrays, strict=True))):
            for line, data in done.pop(-1, ()):
                m.write_l1(LINE_BYTES * int(line), np.asarray(data, "<u4"))
            if done:
                alone.l1[:] = m.l1
                programs = [[item_of(*map(int, one)) for one in done.get(t, ())] for t in range(3)]
                assert m.run(programs).end == "done", row
        alone.run(kernel.programs)
        assert m.faults == [] == m.events
        assert (np.asarray(m.l1) == np.asarray(alone.l1)).all(), row
        drawn.add(NAMES[row.kernel] if table == "kernel" else str(row))
    assert len(drawn) == (len(NAMES) if table == "kernel" else 4)


def _many(count: int, seed: int) -> None:
    begin = time.monotonic()
    for done, one in enumerate(plans(count, seed), 1):
        played(one, PROFILES[done % 2])
        if done % 50 == 0 or done == count:
            rate = 60 * done / (time.monotonic() - begin)
            print(f"{done} plans of seed {seed} equal NumPy, {rate:.0f} a minute", flush=True)


if __name__ == "__main__":
    _many(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
