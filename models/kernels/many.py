# SPDX-License-Identifier: Apache-2.0
"""Many kernels in many orders, over cores: ``Machine.run_many``."""

from __future__ import annotations

import hashlib
import itertools
import multiprocessing
import os
import signal
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tilepath.models.kernels.play import play
from tilepath.models.kernels.program import Kernel
from tilepath.models.machine import Machine
from tilepath.models.machine.arrays import BITS
from tilepath.models.machine.run import DEFAULT_LIMIT, Order

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
    for array in arrays_of(machine).values():
        held.update(np.ascontiguousarray(array).data)
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
