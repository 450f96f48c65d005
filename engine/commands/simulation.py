# SPDX-License-Identifier: Apache-2.0
"""The runner that really simulates: a thin layer over the engine in ``tb``."""

from __future__ import annotations

import contextlib
import logging
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from find_libpython import find_libpython

from tilepath.engine.commands.errors import UsageError, for_user
from tilepath.engine.commands.regression import Outcome, Status
from tilepath.engine.commands.report import ShowProgress
from tilepath.engine.commands.run_list import PlannedRun, RunList
from tilepath.engine.description.blame import told
from tilepath.engine.description.block import ROOT
from tilepath.engine.description.registry import coverage_of, load_block, tests_of
from tilepath.engine.host.build import (
    BuildError,
    BuildOptions,
    build,
    check_simulator,
    is_built,
)
from tilepath.engine.host.compiled import compile_model
from tilepath.engine.host.origin import now, origin
from tilepath.engine.host.run import RunRequest, RunResult, build_options, run, wave_format
from tilepath.engine.host.traits import signature
from tilepath.engine.host.verbosity import verbosity
from tilepath.engine.host.verilator import verilator_path
from tilepath.engine.project import project
from tilepath.engine.stimulus.tables import TableError, Tables

if TYPE_CHECKING:
    from tilepath.engine.commands.own_rtl.own import OwnRtl

_PLACE: Final = re.compile(
    r"(?:%\w+(?:-\w+)?: )?(?P<file>[\w/]+\.(?:svh?|taps)):(?P<line>[1-9]\d*):"
)

# what has the same name: a request's of the options, a result's of an outcome, and the other way
_OF_OPTIONS: Final = "sim profile coverage timeout cold rtl_coverage keep memory".split()
_OF_OUTCOME: Final = "status cycles events seconds message".split()
_OF_RESULT: Final = (
    "cycles events faults seconds waves command coverage_file spent digest signature compiled "
    "counts"
).split()


@dataclass(frozen=True)
class RunOptions:
    """What all runs of a regression have in common.

    ``waves``: of every run, of none, or ``None``: around mismatches, after all verdicts.
    """

    sim: str
    profile: str
    out: Path
    cycles: int | None = None
    waves: bool | None = None
    coverage: bool = True
    timeout: int = 3600
    cold: bool = False
    start: int | None = None
    knobs: tuple[str, ...] = ()
    where: str = ""
    rtl_coverage: bool = False
    keep: bool = False
    memory: int | None = None  # MiB
    netlist: Path | None = None  # a folder with it, as cli.netlist makes them
    rtl: OwnRtl | None = None  # somebody's own, in the place of the block's


class EngineRunner:
    """Builds blocks and does runs, with the engine; others do so in another way.

    An exception of ``build`` becomes the outcome of all runs of the block.
    """

    def __init__(self, options: RunOptions) -> None:
        self._options = options

    def check(self, plan: RunList) -> None:
        """Raise :class:`UsageError` when these runs cannot work: tools, profiles, program files."""
        options = self._options
        if options.rtl_coverage and options.sim != "verilator":
            raise UsageError("coverage of the RTL is Verilator's: leave --sim icarus out")
        with for_user(ValueError):
            verbosity()
            check_simulator(options.sim)
            if options.sim == "verilator":
                verilator_path()
        tools = ("c++", "make") if options.sim == "verilator" else ()
        missing = [tool for tool in tools if shutil.which(tool) is None]
        if missing:
            raise UsageError(f"{options.sim} needs {' and '.join(missing)}: install with apt-get")
        if find_libpython() is None:
            raise UsageError(
                f"{sys.executable} has no shared library, which simulators need: "
                "make the environment with another Python (make PYTHON=...)"
            )
        for block in plan.blocks:
            known = load_block(block).profiles
            if project().profiles.base(options.profile) not in known:
                raise UsageError(
                    f"block {block} has no profile {options.profile!r}; "
                    f"there are: {', '.join(known)}"
                )
            if options.coverage:
                with for_user(ValueError):
                    coverage_of(load_block(block), options.profile)
        for run_ in {(one.block, one.test): one for one in plan.runs}.values():
            # what cannot be drawn as asked is not found by a run
            request = self._request_of(run_)
            if request.knobs or request.where:
                adjusted_tables(run_.block, run_.test, request.knobs, request.where)
            if tests_of(run_.block)[run_.test].kind == "program":
                self._try(run_)
        for run_ in plan.runs:
            if tests_of(run_.block)[run_.test].tried:
                self._try(run_)

    def _try(self, run_: PlannedRun) -> None:
        """Read a program, begin a sequence: what is wrong with it is not found by a simulator."""
        context = self._request_of(run_).context
        spec = tests_of(run_.block)[run_.test]
        logging.disable()  # of what sequences report: they do so again where they count
        try:
            spec.stimulus(context)
            spec.stands(context)
        except (Exception, SystemExit) as error:
            raise UsageError(f"{run_.block}/{run_.test}: {told(error)}") from error
        finally:
            logging.disable(logging.NOTSET)

    def wave_note(self) -> str:
        """What to say about the format of the waves; empty when there is nothing to say."""
        if self._options.waves and wave_format(self._request_of(PlannedRun("", "", 0))) == "vcd":
            return (
                "waves are written as VCD: FST needs the headers lz4.h and zlib.h "
                "(liblz4-dev, zlib1g-dev)"
            )
        return ""

    def in_order(self, blocks: Sequence[str]) -> list[str]:
        """What is there already, then the smallest RTL, whose runs are the first; then the largest.

        Which takes longest, so begun last it would be what all wait for.
        """

        def cost(block: str) -> int:
            with contextlib.suppress(ValueError):  # building it will tell what is wrong
                if not is_built(block, self._build_options(block)):
                    return sum(path.stat().st_size for path in load_block(block).rtl_sources())
            return 0

        costs = {block: cost(block) for block in blocks}
        there = [block for block in blocks if not costs[block]]
        rest = sorted((block for block in blocks if costs[block]), key=costs.__getitem__)
        return [*there, *rest[:1], *reversed(rest[1:])]

    def build(self, block: str, progress: ShowProgress) -> None:
        """Compile the harness and the model of a block, where that was not done before.

        The RTL first: meanwhile other blocks compile kernels that joined ones share.
        """
        options = self._options
        what = "RTL" if options.netlist is None else "netlist"
        with announced(f"the {what} of {block} for {options.sim}", progress) as begins:
            try:
                build(block, self._build_options(block), begins)
            except BuildError as error:
                root = options.netlist or (options.rtl.tree if options.rtl else ROOT)
                raise BuildError(with_sources(str(error), root)) from None
        tell = announced(f"the model of {block}", progress)
        with contextlib.suppress(BuildError), tell as begins:
            if not compile_model(block, options.profile, begins):
                raise BuildError  # the runs will say why

    def _build_options(self, block: str) -> BuildOptions:
        return build_options(self._request_of(PlannedRun(block, "", 0)))

    def run(self, run_: PlannedRun) -> Outcome:
        """Simulate and check; called from several threads at once."""
        result = run(self._request_of(run_))
        return replace(outcome_of(result), run=run_)

    def record(self, outcome: Outcome) -> None:
        """Leave a request and a result of what could not be done, in place of an earlier one's."""
        run_ = outcome.run
        request = self._request_of(run_)
        folder = request.run_dir
        if (folder / "result.json").exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True, exist_ok=True)
        request.write_json(folder / "request.json")
        same = {name: getattr(outcome, name) for name in _OF_OUTCOME}
        found = {"signature": signature(outcome.message), "began": now()}
        request.result(**same, **found, origin=origin(request.sim)).write_json()

    def _request_of(self, run_: PlannedRun) -> RunRequest:
        options = self._options
        request = RunRequest(
            *(run_.block, run_.test, run_.seed),
            cycles=options.cycles or run_.cycles,
            waves=bool(options.waves),
            out_dir=options.out,
            start=options.start or run_.start,
            knobs=run_.knobs or options.knobs,
            where=run_.where or options.where,
            source_root=options.netlist or (options.rtl.tree if options.rtl else None),
            netlist=options.netlist is not None,
            **{name: getattr(options, name) for name in _OF_OPTIONS},
        )
        return replace(request, **options.rtl.of_request()) if options.rtl else request


def adjusted_tables(block: str, test: str, knobs: Sequence[str], where: str) -> Tables:
    """The tables that a test draws from, adjusted.

    Raises:
        UsageError: it has none, or they cannot be adjusted so.
    """
    tests = tests_of(block)
    tables = tests[test].tables
    if not isinstance(tables, Tables):
        having = [name for name, one in tests.items() if one.tables is not None]
        raise UsageError(
            f"{block}/{test} draws from no table, which knobs or a condition could change; "
            f"of {block} these do: {', '.join(having) or 'none'}"
        )
    try:
        return tables.adjusted(knobs, where)
    except TableError as error:
        raise UsageError(f"{block}/{test}: {error}") from None


def with_sources(text: str, root: Path) -> str:
    """A compiler's messages, ``file:line: …``, each with that line of a file below ``root``.

    Verilator shows the line itself, Icarus does not.
    """
    shown = re.findall(r"^ *(\d+) \|", text, re.MULTILINE)
    lines = []
    for line in text.splitlines():
        lines.append(line)
        found = _PLACE.match(line)
        if found and found["line"] not in shown and (path := root / found["file"]).is_file():
            source = path.read_text(errors="replace").splitlines()
            number = int(found["line"])
            lines += [f"{number:5} | {source[number - 1]}"] if number <= len(source) else []
            shown.append(found["line"])
    return "\n".join(lines)


@contextlib.contextmanager
def announced(what: str, progress: ShowProgress) -> Iterator[Callable[[], None]]:
    """Tell that something is compiled when that begins, if it does, and how long it took."""
    began: list[float] = []

    def begins() -> None:
        began.append(time.monotonic())
        progress.compiling(what)

    yield begins
    for since in began:
        progress.compiled(what, time.monotonic() - since)


def outcome_of(result: RunResult) -> Outcome:
    """The regression's view of a result."""
    known = result.status in ("pass", "fail", "error")
    return Outcome(
        run=PlannedRun(result.block, result.test, result.seed),
        # Anything else, such as a run whose check was off, has shown nothing.
        status=cast(Status, result.status) if known else "error",
        message=result.message if known else f"the run was not checked ({result.status})",
        report=result.report or result.run_dir,
        **{name: getattr(result, name) for name in _OF_RESULT},
    )
