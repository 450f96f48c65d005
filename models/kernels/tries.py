# SPDX-License-Identifier: Apache-2.0
"""A kernel under many schedules: where it leaves something else behind, a wait is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from tilepath.models.kernels.many import arrays_of
from tilepath.models.kernels.play import Verdict, play
from tilepath.models.kernels.program import Kernel
from tilepath.models.machine import Machine
from tilepath.models.machine.run import DEFAULT_LIMIT
from tilepath.models.machine.schedule import Schedule


class Try(NamedTuple):
    """A schedule of a kernel; ``lines``: what is not as without it; empty: all is."""

    schedule: Schedule
    lines: tuple[str, ...]


def tries(
    kernel: Kernel,
    schedules: Iterable[Schedule],
    limit: int = DEFAULT_LIMIT,
    changed: Kernel | None = None,
) -> Iterator[Try]:
    """Play a kernel, or what it was changed to, under each schedule; compare all it leaves behind.

    Raises ``ValueError`` for a schedule that there is not.
    """
    want = play(kernel, limit=limit)
    for schedule in schedules:
        got = play(changed or kernel, schedule, limit)
        yield Try(schedule, tuple(_differences(got, want)))


def _differences(got: Verdict, want: Verdict) -> Iterator[str]:
    if got.failed != want.failed and sorted(got.failed) != sorted(want.failed):
        yield from (line for line in got.failed if line not in want.failed)
    if got.run.end != "done":
        return
    for name in ("faults", "events"):
        if sorted(getattr(got.machine, name)) != sorted(getattr(want.machine, name)):
            yield f"{name} are others"
    yield from _states(got.machine, want.machine)


def _states(got: Machine, want: Machine) -> Iterator[str]:
    """The first element of each array that differs."""
    wanted = arrays_of(want)
    for name, found in arrays_of(got).items():
        if not np.array_equal(found, wanted[name]):
            place = tuple(np.argwhere(found != wanted[name])[0].tolist())
            where = ", ".join(map(str, place))
            yield f"{name}[{where}] is {found[place]:#x}, and {wanted[name][place]:#x} otherwise"
