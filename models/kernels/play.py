# SPDX-License-Identifier: Apache-2.0
"""Plays a kernel on the machine without time, and compares what is in L1 then."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tilepath import isa
from tilepath.isa.errata import named
from tilepath.models.kernels.expressions import array
from tilepath.models.kernels.program import Expect, Kernel, Tile
from tilepath.models.machine import Machine, Run
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
