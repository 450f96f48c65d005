# SPDX-License-Identifier: Apache-2.0
"""``run --witness``: look for the timing in which the RTL does something else with a kernel.

First what is slow for all of a run, then a delay at one point where threads synchronise, then what
seeds draw. Each is a run of the kernel's test with knobs of its own; its command repeats it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from tilepath.cli.kernels import load_kernel
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.options import SEED_LIMIT, Budget
from tilepath.engine.commands.run_list import RunList
from tilepath.engine.host.start import start_of
from tilepath.isa import constants
from tilepath.isa.boundary.datapath import THREADS
from tilepath.models.kernels import Kernel
from tilepath.models.machine import items
from tilepath.models.machine.schedule import as_schedule
from tilepath.models.machine.schedule_units import Actor
from tilepath.sequences.datapath.kernels import own_files, play
from tilepath.tb.datapath.streams import core_items

_ANY: Final = "any"
_MOST: Final = 10_000  # runs of a budget that is a time
_POINTS: Final = 24  # that are delayed
_DELAYS: Final = (60, 400)
_READS, _LINES = "latency=31", "held=63"
_L1: Final = ((), (_READS,), (_LINES,), (_READS, _LINES))
_GAP: Final = 40
_MOST_DRAWN: Final = (1, 8, 60)  # cycles of a gap that is drawn
_SYNC: Final = frozenset(
    getattr(constants, f"OP_{name}") for name in ("SEMPOST", "SEMGET", "SEMWAIT", "STALLWAIT")
)
_SLOWED: Final = {"U": _READS, "R": _READS, "P": _LINES}  # an actor of schedules, and its knob

Knobs = tuple[str, ...]
Point = tuple[int, int]
"""A core, and which of its items."""


def timings(points: list[Point], first: Callable[[Knobs], bool]) -> Iterator[Knobs]:
    """Knobs of one run after the other without end; behind the first run ``first`` come first."""
    yield ()
    slow: list[Knobs] = [*_L1[1:], ("latency=1",)]
    for count in range(1, THREADS):
        for cores in itertools.combinations(range(THREADS), count):
            gaps = tuple(f"gap{core}={_GAP}" for core in cores)
            slow += [gaps, (_READS, _LINES, *gaps)]
    late = [
        (*l1, f"core={core}", f"step={step}", f"delay={delay}")
        for delay, l1, (core, step) in itertools.product(_DELAYS, (_L1[0], _L1[-1]), points)
    ]
    yield from sorted([*slow, *late], key=lambda knobs: not first(knobs))
    for most in itertools.cycle(itertools.product(_MOST_DRAWN, repeat=THREADS)):
        gaps = tuple(f"gap{core}=0..{cycles}" for core, cycles in enumerate(most))
        yield "latency=1..31", "held=0..63", "taken=1..63", *gaps


def points(kernel: Kernel, before: list[int], text: str) -> tuple[list[Point], bool]:
    """Some statements that ``text`` names by their places, and that it does; else synchronisation.

    ``before``: how many items each core has in front of the kernel's.
    """
    named, sync = [], []
    for core, (program, places) in enumerate(zip(kernel.programs, kernel.places, strict=True)):
        steps = [one.words if isinstance(one, items.Push) else (one,) for one in program]
        starts = list(itertools.accumulate(map(len, steps), initial=before[core]))
        every = enumerate(itertools.chain.from_iterable(steps), before[core])
        sync += [(core, step) for step, one in every if _synchronises(one)]
        for where, begins in places.items():
            place = f"{Path(where.file).name}:{where.line}:{where.column}"
            if re.search(rf"(?<![\w.-]){re.escape(place)}(?!\d)", text):
                named += [(core, starts[item] + word) for item, word in begins]
    found = sorted(named or sync)
    count = min(_POINTS, len(found))
    return [found[index * len(found) // count] for index in range(count)], bool(named)


def _synchronises(step: int | items.Item) -> bool:
    if isinstance(step, int):
        return step >> 24 in _SYNC
    return not isinstance(step, items.MopCfg)


def _aim(text: str, named: bool, file: Path) -> Callable[[Knobs], bool]:
    """Whether knobs are those that ``text`` is about; ``UsageError`` for a text that says nothing.

    They slow what a schedule in it does, or they delay what is ``named``.
    """
    if text != _ANY and not named:
        try:
            as_schedule(text)
        except ValueError as error:
            places = f"{_ANY}, or places of statements such as {file.name}:31:9"
            raise UsageError(f"--witness: {error}; or {places}") from None
    parts = [part for found in re.findall(r"slow:([\w+]+)", text) for part in found.split("+")]
    slow = [actor.name for actor in Actor if actor.name.startswith(tuple(parts))]
    knobs = tuple(_SLOWED.get(name[0], f"gap{name[1:]}=") for name in slow if name not in "MC")
    knobs += ("step=",) * named
    return lambda some: any(knob.startswith(knobs) for knob in some)


def candidates(found: RunList, profile: str, text: str, budget: Budget) -> RunList:
    """Return the runs of a search near what ``text`` says, of the one that was asked for.

    ``UsageError`` for more than one, or one of no kernel file.
    """
    files = [own_files().get(run.test) for run in found.runs]
    if len(files) != 1 or files[0] is None:
        raise UsageError("--witness is of one kernel: give --test FILE.kernel, and no other")
    (run,) = found.runs
    kernel = load_kernel(files[0], profile, {})
    played = play(kernel)
    sizes = [len(core_items(program)) for program in kernel.programs]
    before = [len(played[f"t{thread}.core"]) - size for thread, size in enumerate(sizes)]
    some, named = points(kernel, before, text)
    every = timings(some, _aim(text, named, files[0]))
    start = run.start or start_of(run.seed)  # of all, so that one simulator will do
    runs = (
        replace(run, seed=(run.seed + number) % SEED_LIMIT, start=start, knobs=knobs)
        for number, knobs in enumerate(itertools.islice(every, int(min(budget.runs, _MOST))))
    )
    return replace(found, runs=tuple(runs))
