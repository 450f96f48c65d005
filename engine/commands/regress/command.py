# SPDX-License-Identifier: Apache-2.0
"""What ``tilepath regress`` does: begin a regression or go on with one, and say what came of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final

from tilepath.engine.commands import jobs, report
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.one_line import Tell
from tilepath.engine.commands.options import Budget
from tilepath.engine.commands.outside import chosen, names_of
from tilepath.engine.commands.own_rtl.own import OwnRtl, design, own_rtl
from tilepath.engine.commands.own_tests import MODEL, own_suffixes
from tilepath.engine.commands.regress.floors import digests
from tilepath.engine.commands.regress.show import show
from tilepath.engine.commands.regress.store import NOT_DONE, Group, Store
from tilepath.engine.commands.regress.work import Work, failed_first, sources
from tilepath.engine.commands.regression import default_jobs
from tilepath.engine.commands.results import output_directory
from tilepath.engine.commands.run_list import PlannedRun, RunList, Selection, make_run_list
from tilepath.engine.commands.simulation import EngineRunner, RunOptions
from tilepath.engine.commands.until import check_until
from tilepath.engine.description.registry import tests_of, with_files
from tilepath.engine.description.stimulus import FLOOR_CYCLES
from tilepath.engine.project import project

_OF_SIM: Final = "block tag tests seed seeds root_seed cycles knob where memory".split()
"""Options of runs by a simulator."""


@dataclass(frozen=True)
class Options:
    """What a regression is made from, and what its jobs depend on; stored with it.

    ``memory``: MiB; ``timeout``: seconds. ``sources``: stands for all that verdicts depend on.
    ``tests``: Python files with more tests, as ``--tests``; like the program and kernel files among
    ``test`` with their whole paths. ``rtl``, ``top``, ``whose``: RTL of the user's in place of the
    block's, with whole paths, and what is said of it. ``stimuli``: what stands for the stimulus of
    each endless test whose runs are as long as those that floors are measured with.
    ``schedules``: under which the kernels among ``test`` run on the model, too, as ``tilepath
    model`` has it.
    """

    sim: tuple[str, ...] = ("verilator",)
    profile: tuple[str, ...] = ("baseline",)
    block: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    seed: int | None = None
    seeds: int | None = None
    root_seed: int | None = None
    cycles: int | None = None
    knob: tuple[str, ...] = ()
    where: str = ""
    timeout: int = 3600
    memory: int | None = None
    until_coverage: bool = False
    schedules: str = ""
    rtl: tuple[str, ...] = ()
    top: str = ""
    whose: str = ""
    sources: str = ""
    stimuli: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Options:
        """Make options of what was typed, or of what a file has."""
        given = {f.name: values[f.name] for f in fields(cls) if values.get(f.name) is not None}
        tuples = {name: tuple(dict.fromkeys(x)) for name, x in given.items() if isinstance(x, list)}
        return cls(**{**given, **tuples})

    @property
    def own(self) -> tuple[str, ...]:
        """Files of the user's."""
        files = (test for test in self.test if test.endswith(own_suffixes()))
        return (*self.tests, *files, *self.rtl)

    def stands(self) -> str:
        """What stands for the sources; ``UsageError`` for RTL of the user's that is bad."""
        own = own_rtl(self.block, self.rtl, self.top, self.profile[0])
        return sources((*self.own, *map(str, own.files if own else ())))

    def selection(self) -> Selection:
        """Return ``tilepath run``'s selection; ``UsageError`` names an own file that is bad."""
        if not self.sim:
            return Selection()
        names = names_of(self.test, self.profile[0])
        some = Selection(self.block, names, self.tag, self.seed, self.seeds, self.root_seed)
        return chosen([*map(Path, self.tests)], some)

    def kernels(self) -> dict[str, Path]:
        """Return those that run under schedules; ``UsageError`` for what is of none of them."""
        if not self.schedules:
            return {}
        if self.until_coverage:
            raise UsageError("--schedules hit no bins: leave --until-coverage out")
        others = [test for test in self.test if not test.endswith(".kernel")]
        others += [f"--{name.replace('_', '-')}" for name in _OF_SIM if getattr(self, name)]
        if others and not self.sim:
            raise UsageError(f"--schedules is of kernels: {others[0]} needs --sim, too")
        found: dict[str, Path] = _scheduled().kernels_of(self.test, self.schedules)
        return found

    def groups(self, out: Path, rtl: OwnRtl | None) -> dict[Group, RunOptions]:
        """What the runs of each simulator and profile have in common; results are below ``out``."""
        return {
            Group(sim, profile): RunOptions(
                sim,
                profile,
                out / f"{sim}-{profile}",
                cycles=self.cycles,
                timeout=self.timeout,
                memory=self.memory,
                knobs=self.knob,
                where=self.where,
                rtl=rtl,
            )
            for sim in (*[MODEL] * bool(self.schedules), *self.sim)
            for profile in self.profile
        }


def _scheduled() -> Any:
    return project().extension("scheduled")


@dataclass(frozen=True)
class Session:
    """What may be another each time that a regression is gone on with.

    ``given``: names of the options that were typed, which ``resume`` holds against the file's.
    ``verify``: how many finished jobs to run once more. ``history``: another file to learn from.
    ``scheduler``: of a Dask cluster; empty: jobs run here. ``tell`` gets what came of the jobs.
    """

    resume: bool = False
    given: frozenset[str] = frozenset()
    jobs: int | None = None
    budget: Budget | None = None
    verify: int = 0
    history: Path | None = None
    scheduler: str = ""
    tell: Tell | None = None


def regress(file: Path, options: Options, session: Session) -> int:
    """Begin a regression in ``file``, or go on with its last; the exit status.

    Raises:
        UsageError: a wrong selection, a missing tool, a file that is in use or is no such file.
        Interrupted: Ctrl-C or SIGTERM; ``--resume`` goes on.
        OSError: a full disk, for one; likewise.
    """
    file = file.resolve()
    if not (file.is_file() if session.resume else file.parent.is_dir()):
        raise UsageError(f"there is no {file if session.resume else file.parent}")
    console = report.make_console()
    folder = file.with_name(f"{file.name}.runs")
    if session.resume:
        with closing(Store(file)) as store:
            options = _stored(store, options, session.given)
    if options.own and session.scheduler:
        raise UsageError(f"--executor dask: its workers do not have {options.own[0]}")
    mine = design(options.block, options.rtl, options.top, options.sim, options.profile)
    with ExitStack() as stack:
        stack.enter_context(with_files([*map(Path, options.tests)]))
        kernels = options.kernels()
        selection = options.selection()
        simulated, stop, at_once = stack.enter_context(_executor(session.scheduler))

        def made(common: RunOptions) -> EngineRunner:
            if common.sim == MODEL:
                runner: EngineRunner = _scheduled().ScheduledRunner(
                    common, kernels, options.schedules
                )
                return runner
            return simulated(common)

        stack.enter_context(output_directory(folder))
        store = stack.enter_context(closing(Store(file, create=not session.resume)))
        plan, last = RunList(None, ()), store.last()
        if session.resume:
            number = last["id"]
            plan = RunList(store.root_seed(number), ())
        else:
            options = replace(options, sources=options.stands(), whose=mine.name if mine else "")
            plan, number = _planned(store, options, selection), last.get("id", 0) + 1
            options = replace(options, stimuli=_stimuli(options, plan))
        groups = options.groups(folder / str(number), mine)
        if session.resume:
            wanted = {one: [*store.jobs(number, one, NOT_DONE)] for one in groups}
        else:
            stores = [store]
            if session.history is not None:
                stores.append(stack.enter_context(closing(Store(session.history))))
            on_model = [PlannedRun("kernels", name, 0) for name in kernels]
            runs = {one: on_model if one.sim == MODEL else plan.runs for one in groups}
            wanted = {one: failed_first(stores, one, some) for one, some in runs.items()}
        for group, jobs_ in wanted.items():
            if jobs_:
                made(groups[group]).check(RunList(None, tuple(jobs_)))
        if session.resume:
            store.resume(number)
        else:
            store.begin(number, asdict(options), plan.root_seed, wanted)
        seed = "" if plan.root_seed is None else f", root seed {plan.root_seed}"
        count, sims = sum(map(len, wanted.values())), dict.fromkeys(one.sim for one in groups)
        profiles = f"profile {', '.join(options.profile)}{seed}"
        told = mine.told() if mine else ()
        report.say(console, f"{count} jobs with {', '.join(sims)}, {profiles}", *told)
        at_once = session.jobs or at_once
        work = Work(store, number, groups, made, console, at_once, session.budget, stop)
        if options.until_coverage:
            work.do_until_covered(selection, plan.root_seed)
        else:
            work.do()
        work.do_again(session.verify)
        store.end(number)
        left = options.until_coverage and any(x.missing() for x in store.covered(number).values())
        status = show(store, console, tell=session.tell)
        report.say(console, *(f"error: {text}" for text in plan.broken))
    return status or int(bool(plan.broken) or left)


Executor = tuple[Callable[[RunOptions], EngineRunner], Callable[[], None], int]
"""What makes runners, what ends their jobs, how many of these there are at once."""


def _executor(scheduler: str) -> AbstractContextManager[Executor]:
    """Return what runs jobs: the workers of a Dask cluster, or this machine."""
    if not scheduler:
        return nullcontext((jobs.make_runner, lambda: None, default_jobs()))
    from tilepath.engine.commands.regress.cluster import cluster

    return cluster(scheduler)


def _planned(store: Store, options: Options, selection: Selection) -> RunList:
    """The runs of a simulator and a profile; ``UsageError`` if another regression is to end first.

    One that was begun with other sources never will.
    """
    last = store.last()
    if last and not last["ended"] and json.loads(last["options"])["sources"] == options.sources:
        raise UsageError(f"{store.path} has a regression that has not ended: give --resume")
    for profile in options.profile:
        jobs.check_profile(profile)
    plan = make_run_list(selection) if options.sim else RunList(None, ())
    if options.until_coverage:
        check_until(plan, selection, coverage=True)
    return plan


def _stimuli(options: Options, plan: RunList) -> Mapping[str, str]:
    """What stands for the stimulus of tests, where floors can be measured with their runs."""
    if options.cycles != FLOOR_CYCLES or options.knob or options.where:
        return {}
    own = {f"{run.block}/{run.test}": run for run in plan.runs}
    return digests({name: tests_of(run.block)[run.test] for name, run in own.items()})


def _stored(store: Store, options: Options, given: Collection[str]) -> Options:
    """Those of the last regression; ``UsageError`` if what was ``given`` is something else."""
    last = store.last()
    if not last:
        raise UsageError(f"there is no regression in {store.path} that --resume could go on with")
    stored = Options.of(json.loads(last["options"]))
    for name, value in asdict(stored).items():
        other = getattr(options, name)
        if name in given and other != value:
            shown = [" ".join(map(str, x)) if isinstance(x, tuple) else x for x in (value, other)]
            raise UsageError(
                f"--resume: the regression in {store.path} was begun with "
                f"--{name.replace('_', '-')} {shown[0]}, not {shown[1]}"
            )
    if stored.sources != stored.stands():
        raise UsageError(
            f"--resume: the sources have changed since the regression in {store.path} was begun: "
            "leave it out, and begin another one"
        )
    return stored


def show_file(file: Path, tell: Tell | None = None) -> int:
    """Print what came of the last regression in a file, which may be running; the exit status."""
    with closing(Store(file)) as store:
        return show(store, report.make_console(), tell=tell)
