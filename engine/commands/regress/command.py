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
from tilepath.engine.commands.as_json import Tell
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.options import Budget
from tilepath.engine.commands.outside import chosen, names_of
from tilepath.engine.commands.regress.floors import digests
from tilepath.engine.commands.regress.history import failed_first, sources
from tilepath.engine.commands.regress.show import show
from tilepath.engine.commands.regress.store import NOT_DONE, Group, Store
from tilepath.engine.commands.regress.work import Work
from tilepath.engine.commands.regression import Runner, default_jobs
from tilepath.engine.commands.results import output_directory
from tilepath.engine.commands.run_list import RunList, Selection, make_run_list
from tilepath.engine.commands.simulation import KernelCatalogue, RunOptions
from tilepath.engine.commands.until import check_until
from tilepath.engine.description.registry import with_files
from tilepath.engine.description.stimulus import FLOOR_CYCLES

OWN: Final = (".pipe", ".kernel")
"""Files of the user's that stand for tests."""


@dataclass(frozen=True)
class Options:
    """What a regression is made from, and what its jobs depend on; stored with it.

    ``memory``: MiB; ``timeout``: seconds. ``sources``: stands for all that verdicts depend on.
    ``tests``: Python files with more tests, as ``--tests``; like the program and kernel files among
    ``test`` with their whole paths. ``stimuli``: what stands for the stimulus of each endless test
    whose runs are as long as those that floors are measured with.
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
        return (*self.tests, *(test for test in self.test if test.endswith(OWN)))

    def selection(self) -> Selection:
        """Return ``tilepath run``'s selection; ``UsageError`` names an own file that is bad."""
        names = names_of(self.test, self.profile[0])
        some = Selection(self.block, names, self.tag, self.seed, self.seeds, self.root_seed)
        return chosen([*map(Path, self.tests)], some)

    def groups(self, out: Path) -> dict[Group, RunOptions]:
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
            )
            for sim in self.sim
            for profile in self.profile
        }


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
    with ExitStack() as stack:
        stack.enter_context(with_files([*map(Path, options.tests)]))
        selection = options.selection()
        catalogue = jobs.make_catalogue()
        made, stop, at_once = stack.enter_context(_executor(session.scheduler))
        stack.enter_context(output_directory(folder))
        store = stack.enter_context(closing(Store(file, create=not session.resume)))
        plan, last = RunList(None, ()), store.last()
        if session.resume:
            number = last["id"]
            plan = RunList(store.root_seed(number), ())
        else:
            options = replace(options, sources=sources(options.own))
            plan, number = _planned(store, options, catalogue, selection), last.get("id", 0) + 1
            if options.cycles == FLOOR_CYCLES and not (options.knob or options.where):
                own = {f"{run.block}/{run.test}": run for run in plan.runs}
                specs = {name: catalogue.tests(run.block)[run.test] for name, run in own.items()}
                options = replace(options, stimuli=digests(specs))
        groups = options.groups(folder / str(number))
        if session.resume:
            wanted = {one: [*store.jobs(number, one, NOT_DONE)] for one in groups}
        else:
            stores = [store]
            if session.history is not None:
                stores.append(stack.enter_context(closing(Store(session.history))))
            wanted = {one: failed_first(stores, one, plan.runs) for one in groups}
        for group, runs in wanted.items():
            if runs:
                made(groups[group]).check(RunList(None, tuple(runs)))
        if session.resume:
            store.resume(number)
        else:
            store.begin(number, asdict(options), plan.root_seed, wanted)
        seed = "" if plan.root_seed is None else f", root seed {plan.root_seed}"
        count, sims = sum(map(len, wanted.values())), ", ".join(options.sim)
        profiles = f"profile {', '.join(options.profile)}{seed}"
        report.say(console, f"{count} jobs with {sims}, {profiles}")
        at_once = session.jobs or at_once
        work = Work(store, number, groups, made, console, at_once, session.budget, stop)
        if options.until_coverage:
            work.do_until_covered(catalogue, selection, plan.root_seed)
        else:
            work.do()
        work.do_again(session.verify)
        store.end(number)
        left = options.until_coverage and any(x.missing() for x in store.covered(number).values())
        status = show(store, console, tell=session.tell)
        report.say(console, *(f"error: {text}" for text in plan.broken))
    return status or int(bool(plan.broken) or left)


Executor = tuple[Callable[[RunOptions], Runner], Callable[[], None], int]
"""What makes runners, what ends their jobs, how many of these there are at once."""


def _executor(scheduler: str) -> AbstractContextManager[Executor]:
    """Return what runs jobs: the workers of a Dask cluster, or this machine."""
    if not scheduler:
        return nullcontext((jobs.make_runner, lambda: None, default_jobs()))
    from tilepath.engine.commands.regress.cluster import cluster

    return cluster(scheduler)


def _planned(
    store: Store, options: Options, catalogue: KernelCatalogue, selection: Selection
) -> RunList:
    """The runs of a simulator and a profile; ``UsageError`` if another regression is to end first.

    One that was begun with other sources never will.
    """
    last = store.last()
    if last and not last["ended"] and json.loads(last["options"])["sources"] == options.sources:
        raise UsageError(f"{store.path} has a regression that has not ended: give --resume")
    for profile in options.profile:
        jobs.check_profile(profile)
    plan = make_run_list(catalogue, selection)
    if options.until_coverage:
        check_until(plan, catalogue, selection, coverage=True)
    return plan


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
    if stored.sources != sources(stored.own):
        raise UsageError(
            f"--resume: the sources have changed since the regression in {store.path} was begun: "
            "leave it out, and begin another one"
        )
    return stored


def show_file(file: Path, tell: Tell | None = None) -> int:
    """Print what came of the last regression in a file, which may be running; the exit status."""
    with closing(Store(file)) as store:
        return show(store, report.make_console(), tell=tell)
