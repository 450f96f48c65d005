# SPDX-License-Identifier: Apache-2.0
"""Many kernels in many orders, over processes: ``Machine.run_many``."""

from __future__ import annotations

import itertools
import multiprocessing
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool

import pytest

from tilepath.models import Machine, kernels
from tilepath.models.kernels.play import digest
from tilepath.models.machine import items
from tilepath.sequences.datapath.kernels import FOLDER

ORDERS = ("round", (2, 1, 0), 7)


def named(name: str, **constants: int) -> kernels.Kernel:
    return kernels.load(FOLDER / f"{name}.kernel", "baseline", constants)


def of_items(*program: items.Item) -> kernels.Kernel:
    return kernels.Kernel("own.kernel", "baseline", programs=([*program], [], []))


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_each_kernel_in_each_order(jobs: int) -> None:
    given = [named("add1", TILES=2), named("broadcast", TILES=2)]
    found = list(Machine.run_many(given, ORDERS, jobs))
    wanted = list(itertools.product(range(2), ORDERS))
    assert [(one.kernel, one.order) for one in found] == wanted
    for one in found:
        alone = kernels.play(given[one.kernel], one.order)
        assert one == (*one[:2], "done", alone.run.steps, (), digest(alone.machine))
    assert len({one.digest for one in found}) == 2  # no order is another's state


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_ends_otherwise_is_a_result(jobs: int) -> None:
    waits = of_items(items.Poll(1, ">=", 1))
    given = [waits, of_items(items.Store(0xFFE40000, 0)), named("add1", TILES=2), waits]
    found = list(Machine.run_many(given, jobs=jobs, limit=9))
    assert [one.end for one in found] == ["deadlock", "refused", "limit", "deadlock"]
    assert found[1].failed == ("own.kernel: store 0xffe40000 0x0: words are pushed by Push",)
    assert found[2].failed[0].endswith("add1.kernel: limit after 9 steps")


def test_who_stops_asking_ends_the_processes() -> None:
    found = Machine.run_many([named("add1", TILES=2)] * 40, jobs=2)
    assert next(found).end == next(found).end == "done"
    assert multiprocessing.active_children()
    found.close()  # type: ignore[attr-defined]  # a generator
    assert not multiprocessing.active_children()


def test_a_process_that_is_killed_ends_it() -> None:
    found = Machine.run_many([named("add1", TILES=2)] * 4000, jobs=2)
    assert next(found).end == next(found).end == "done"
    multiprocessing.active_children()[0].kill()
    with pytest.raises(BrokenProcessPool):
        list(found)
    assert not multiprocessing.active_children()


def test_no_kernel_is_no_result() -> None:
    assert list(Machine.run_many([])) == []


@pytest.mark.parametrize(("orders", "jobs"), [((), 1), (("round",), 0)])
def test_no_order_and_no_job_are_refused(orders: Sequence[str], jobs: int) -> None:
    with pytest.raises(ValueError, match=rf"{jobs} jobs, {len(orders)} orders: want one or more"):
        Machine.run_many([], orders, jobs)
