# SPDX-License-Identifier: Apache-2.0
"""``run --witness``: look for the timing in which the RTL does something else with a kernel.

First what is slow for all of a run, then a delay at one point where threads synchronise, then what
seeds draw. Each is a run of the kernel's test with knobs of its own, and the first that fails ends
the search; its command repeats it.
"""

from __future__ import annotations

import itertools
import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Final

from tilepath.cli import jobs, junit, report
from tilepath.cli.as_json import Tell
from tilepath.cli.errors import UsageError
from tilepath.cli.kernels import load_kernel
from tilepath.cli.options import Budget
from tilepath.cli.regression import Outcome, default_jobs, execute, exit_status
from tilepath.cli.results import forget_earlier, output_directory
from tilepath.cli.run_list import SEED_LIMIT, RunList, Selection, make_run_list
from tilepath.cli.simulation import RunOptions
from tilepath.cli.waves import add_waves
from tilepath.isa import constants
from tilepath.isa.boundary.datapath import THREADS
from tilepath.models.kernels import Kernel
from tilepath.models.machine import items
from tilepath.models.machine.schedule import as_schedule
from tilepath.models.machine.schedule_state import Actor
from tilepath.sequences.datapath.kernels import own_files
from tilepath.sequences.datapath.play import play
from tilepath.tb.datapath.streams import core_items
from tilepath.tb.kernel.host.origin import now
from tilepath.tb.kernel.host.start import start_of

ANY: Final = "any"
BUDGET: Final = Budget("200runs", runs=200)
_MOST: Final = 100_000  # runs of a budget that is a time
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
        yield "latency=1..31", "held=0..63", "taken=1..63", "packers=1..15", *gaps


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
    if text != ANY and not named:
        try:
            as_schedule(text)
        except ValueError as error:
            places = f"{ANY}, or places of statements such as {file.name}:31:9"
            raise UsageError(f"--witness: {error}; or {places}") from None
    parts = [part for found in re.findall(r"slow:([\w+]+)", text) for part in found.split("+")]
    slow = [actor.name for actor in Actor if actor.name.startswith(tuple(parts))]
    knobs = tuple(_SLOWED.get(name[0], f"gap{name[1:]}=") for name in slow if name not in "MC")
    knobs += ("step=",) * named
    return lambda some: any(knob.startswith(knobs) for knob in some)


def _plan(found: RunList, profile: str, text: str, budget: Budget) -> RunList:
    """Return the runs to be done, of the one that was asked for."""
    tests = [own_files().get(run.test) for run in found.runs]
    if len(tests) != 1 or tests[0] is None:
        raise UsageError("--witness is of one kernel: give --test FILE.kernel, and no other")
    (run,) = found.runs
    kernel = load_kernel(tests[0], profile, {})
    played = play(kernel)
    before = [
        len(played[f"t{thread}.core"]) - len(core_items(program))
        for thread, program in enumerate(kernel.programs)
    ]
    some, named = points(kernel, before, text)
    every = timings(some, _aim(text, named, tests[0]))
    runs = (
        replace(run, seed=(run.seed + number) % SEED_LIMIT, start=start, knobs=knobs)
        for start in [run.start or start_of(run.seed)]  # the same, so that one simulator will do
        for number, knobs in enumerate(itertools.islice(every, int(min(budget.runs, _MOST))))
    )
    return replace(found, runs=tuple(runs))


def look_for_witness(
    options: RunOptions,
    selection: Selection,
    extent: jobs.Extent,
    witness: tuple[str, Budget],
    tell: Tell | None = None,
) -> int:
    """Run a kernel until a run fails or the budget is spent; 1 if one has failed.

    Raises as ``jobs.run_regression``; what was found before Ctrl-C has been printed then.
    """
    jobs.check_profile(options.profile)
    options = replace(options, coverage=False)  # what a search does to a kernel is no plan's
    plan = make_run_list(jobs.make_catalogue(), selection)
    text, budget = witness
    plan = _plan(plan, options.profile, text, budget)
    runner = jobs.make_runner(options)
    runner.check(replace(plan, runs=plan.runs[:1]))
    console = report.make_console()
    say = partial(report.say, console)
    outcomes: list[Outcome] = []

    @cache
    def end() -> float:
        """When the budget is spent; it is asked for when all is built."""
        return time.monotonic() + budget.seconds

    def finish(outcome: Outcome) -> Outcome:
        outcomes.append(outcome)
        if outcome.passed:  # hundreds of them, of a megabyte or two each
            run = outcome.run
            shutil.rmtree(options.out / run.block / f"{run.test}-{run.seed}", ignore_errors=True)
        return outcome

    with output_directory(options.out, waits=True), jobs.room_named(options.out):
        forget_earlier(options.out, plan)
        say(f"{len(plan.runs)} runs of {plan.runs[0].label} at most, with {options.sim}")
        began = now()
        try:
            with report.ShowProgress(console, plan.runs, finish) as progress:
                at_once = extent.jobs or default_jobs()
                execute(plan, runner, at_once, progress, 1, lambda _: time.monotonic() < end())
        finally:
            failed = [one for one in outcomes if not one.passed]
            failed.sort(key=lambda one: plan.runs.index(one.run))
            say(*_told(plan, len(outcomes), failed))
        plan = replace(plan, runs=tuple(one.run for one in outcomes))
        about = {"sim": options.sim, "profile": options.profile}
        junit.write(options.out / "results.xml", junit.Part(plan, outcomes, began, about))
        if options.waves is None:
            add_waves(failed[:1], say)
        if tell is not None:
            results = [jobs.stored(options.out, one.run) for one in failed]
            tell({"root_seed": plan.root_seed, "runs": len(outcomes), "results": results})
    return exit_status(outcomes)


def _told(plan: RunList, done: int, failed: Sequence[Outcome]) -> Iterator[str]:
    """What came of the search, in a few lines."""
    name = plan.runs[0].test
    if not failed:
        yield f"{name}: none of {done} runs is otherwise than the machine without time"
        return
    run = failed[0].run
    which = f"{1 + plan.runs.index(run)} of {len(plan.runs)}"
    yield f"{name}: run {which} shows it: {' '.join(run.knobs) or 'no knobs'}"
    yield f"  {failed[0].message.partition(chr(10))[0]}"
    yield f"  again:  {failed[0].command}"
    yield f"  report: {failed[0].report}"
