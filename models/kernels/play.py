# SPDX-License-Identifier: Apache-2.0
"""Plays a kernel on the machine without time, and compares what is in L1 then."""

from __future__ import annotations

import hashlib
import itertools
import multiprocessing
import os
import signal
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tilepath import isa
from tilepath.isa.errata import named
from tilepath.models.kernels.program import Expect, Kernel, Tile
from tilepath.models.kernels.scope import array
from tilepath.models.machine import Machine, Run
from tilepath.models.machine.arrays import BITS
from tilepath.models.machine.run import DEFAULT_LIMIT, Order

_MOST_FAULTS = 5
Arrays = dict[str, npt.NDArray[np.float64]]


@dataclass(frozen=True)
class Verdict:
    """What came of a kernel.

    Attributes:
        machine: the machine, as the kernel left it.
        run: how the run ended.
        passed: lines about what is as expected.
        failed: lines about what is not: a deadlock, faults, numbers; empty: all is well.
    """

    machine: Machine
    run: Run
    passed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


def machine_of(kernel: Kernel) -> Machine:
    """A machine with the kernel's tiles in L1 and its configuration."""
    m = Machine(kernel.profile)
    for tile in kernel.tiles.values():
        m.write_l1(tile.at, tile.first_bytes())
    for given in kernel.config:
        if given.space == "Config":
            m.write_config(given.word, given.value)
        else:
            for thread in range(len(kernel.programs)):
                m.write_thread_config(thread, given.word, given.value)
    return m


def numbers(kernel: Kernel, machine: Machine) -> Arrays:
    """What all tiles hold now, by name, in the shape of ``Tile.whole``."""
    return {
        name: tile.from_l1(machine.read_l1(tile.at, tile.count * tile.size))
        for name, tile in kernel.tiles.items()
    }


def play(kernel: Kernel, order: Order = "round", limit: int = DEFAULT_LIMIT) -> Verdict:
    """Run a kernel and check what it expects; ``order`` and ``limit`` as of ``Machine.run``."""
    m = machine_of(kernel)
    before = numbers(kernel, m)
    verdict = Verdict(m, m.run(kernel.programs, order, limit))
    if verdict.run.end != "done":
        verdict.failed.append(f"{kernel.file}: {verdict.run.end} after {verdict.run.steps} steps")
        verdict.failed.extend(f"  {one}" for one in verdict.run.waiting)
        return verdict
    faults = [
        f"fault {named(f.name)}: thread {f.thread}: {isa.named_word(f.word)}" for f in m.faults
    ]
    verdict.failed.extend(faults[:_MOST_FAULTS])
    if len(faults) > _MOST_FAULTS:
        verdict.failed.append(f"{len(faults)} faults in all")
    after = numbers(kernel, m)
    for expect in kernel.expects:
        tile = kernel.tiles[expect.name]
        for line in compare(tile, expect, before, after[expect.name]):
            verdict.failed.append(line)
            break
        else:
            verdict.passed.append(f"{expect.where}: {tile.count} tiles of {tile.name} are right")
    return verdict


def compare(tile: Tile, expect: Expect, before: Arrays, found: Arrays | object) -> Iterator[str]:
    """A line if what was found is not as expected."""
    got = np.asarray(found, np.float64)
    given = array(expect.want, before) if isinstance(expect.want, str) else expect.want
    want = np.broadcast_to(np.asarray(given, np.float64), tile.whole)
    with np.errstate(invalid="ignore"):
        apart = np.abs(got - want)
    allowed = expect.tolerance
    if expect.relative:
        allowed *= float(np.abs(want).max())
    wrong = ~((apart <= allowed) | (got == want))
    if wrong.any():
        first = tuple(int(part) for part in np.argwhere(wrong)[0])
        place = ", ".join(map(str, first))
        yield (
            f"{expect.where}: {int(wrong.sum())} of {wrong.size} numbers of {tile.name} are wrong; "
            f"the first is [{place}]: {got[first]:g}, want {want[first]:g} within {allowed:g}"
        )


# --- many kernels in many orders, over processes

_PARTS: Final = 16  # that each process gets in the mean, so that none waits long for the last
_Given = tuple[Sequence[Kernel], int]  # kernels, and the steps after which a run ends


class Played(NamedTuple):
    """What came of a kernel in an order.

    Attributes:
        kernel: its place among the kernels that were given, from 0 on.
        order: as of ``Machine.run``.
        end: ``"done"``, ``"deadlock"``, ``"limit"``; ``"refused"``: a core cannot do an item.
        steps: words executed and items done.
        failed: lines about what is not as expected; empty: all is well.
        digest: SHA-256 of all that the machine holds, in hexadecimal: equal where two orders end
            in the same state.
    """

    kernel: int
    order: Order
    end: str
    steps: int
    failed: tuple[str, ...]
    digest: str


def arrays_of(machine: Machine) -> dict[str, npt.NDArray[Any]]:
    """All arrays of a machine, by name."""
    given = {name: np.asarray(getattr(machine, name)) for name in BITS}
    return dict(sorted({**given, **machine.state()}.items()))


def digest(machine: Machine) -> str:
    """Return the SHA-256 of all arrays of a machine, in hexadecimal."""
    held = hashlib.sha256()
    for one in arrays_of(machine).values():
        held.update(np.ascontiguousarray(one).data)
    return held.hexdigest()


def run_many(
    kernels: Iterable[Kernel],
    orders: Sequence[Order] = ("round",),
    jobs: int | None = None,
    limit: int = DEFAULT_LIMIT,
) -> Iterator[Played]:
    """See ``Machine.run_many``."""
    given = list(kernels)
    jobs = len(os.sched_getaffinity(0)) if jobs is None else jobs
    if jobs < 1 or not orders:
        raise ValueError(f"{jobs} jobs, {len(orders)} orders: want one or more of each")
    wanted = list(itertools.product(range(len(given)), orders))
    return _all(wanted, min(jobs, len(wanted)), (given, limit))


def _all(wanted: list[tuple[int, Order]], jobs: int, given: _Given) -> Iterator[Played]:
    alone = 1 if jobs > 1 else len(wanted)  # what the first compiles or loads all processes share
    yield from map(_played, [given] * alone, wanted)
    if alone < len(wanted):
        forked = multiprocessing.get_context("fork")
        pool = ProcessPoolExecutor(jobs, forked, _begin, (given,))
        try:
            size = max(1, len(wanted) // (_PARTS * jobs))
            yield from pool.map(_of_begun, wanted[alone:], chunksize=size)
        finally:
            for process in list(pool._processes.values()):  # terminate_workers() of Python 3.14
                process.terminate()
            pool.shutdown(cancel_futures=True)


_begun: _Given = ((), 0)  # of a process that is forked


def _begin(given: _Given) -> None:
    global _begun
    _begun = given
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that has forked it


def _of_begun(wanted: tuple[int, Order]) -> Played:
    return _played(_begun, wanted)


def _played(given: _Given, wanted: tuple[int, Order]) -> Played:
    kernel, order = given[0][wanted[0]], wanted[1]
    try:
        verdict = play(kernel, order, given[1])
    except ValueError as error:
        return Played(*wanted, "refused", 0, (f"{kernel.file}: {error}",), "")
    run = verdict.run
    return Played(*wanted, run.end, run.steps, (*verdict.failed,), digest(verdict.machine))
