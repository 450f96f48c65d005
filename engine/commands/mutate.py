# SPDX-License-Identifier: Apache-2.0
"""``tilepath mutate``: which mutants of a block's RTL the tests of its default regression find.

All mutants are in one build. Each has the tests one after the other, until one does not pass: first
those that have found most in its file, then most of all, then random ones. What no test can find is
listed in ``mutants.toml`` beside the HDL, with reasons; a list is wrong where a test does find one,
or where the source has no such line any more.
"""

from __future__ import annotations

import json
import re
import shutil
import threading
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Final

from rich.console import Console

from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.given import check_block
from tilepath.engine.commands.jobs import check_profile
from tilepath.engine.commands.mutant_copy import Mutant, write_copy
from tilepath.engine.commands.mutants import KINDS, draw
from tilepath.engine.commands.own_rtl.own import OwnRtl
from tilepath.engine.commands.regression import Outcome, default_jobs, execute
from tilepath.engine.commands.report import ShowProgress, make_console, say, table_of
from tilepath.engine.commands.results import output_directory
from tilepath.engine.commands.run_list import STARTS, PlannedRun, RunList, first_seeds
from tilepath.engine.commands.simulation import EngineRunner, RunOptions
from tilepath.engine.description.block import ROOT
from tilepath.engine.description.readings import profile_of, readings_of
from tilepath.engine.description.registry import load_block, tests_of
from tilepath.engine.host.build import BuildError, build
from tilepath.engine.host.compiled import compile_model
from tilepath.engine.host.files import read_text
from tilepath.engine.host.launch import KILLED
from tilepath.engine.host.request import write_json
from tilepath.engine.host.run import RunRequest, RunResult, build_options, run
from tilepath.engine.host.start import ONES, start_of

_VERDICTS: Final = ("found", "survived", "listed", "wrong list")
_SIM: Final = "verilator"
LIST: Final = "mutants.toml"
_ROOT_SEED: Final = 1
_BLOCK_CYCLES: Final = 1_024  # between two comparisons: most runs end in the first
_SECONDS: Final = 300  # a mutant can make a simulation go on for ever
_MORE_STARTS: Final = 12  # of a lost reset: one that a tenth of all states show is seldom missed
_TRIES: Final = 3  # of a run that somebody kills
_CYCLE: Final = re.compile(r", cycle (\d+)")
# no warnings: they stand in the log of a compiler that somebody kills, too
_AT: Final = re.compile(r"^%Error.*?((?:rtl|tb)/[\w/]+\.sv):(\d+)", re.MULTILINE)


@dataclass(frozen=True)
class Wanted:
    """What is asked for; ``seeds`` and ``cycles``: as the tests say, or so many.

    ``only``: numbers of those drawn that are judged; none: all. ``kinds`` and ``module``: what is
    drawn (:func:`~tilepath.engine.commands.mutants.draw`). ``rtl``: whose, if not the project's.
    """

    block: str
    count: int
    seed: int
    profile: str = "baseline"
    seeds: int | None = None
    cycles: int | None = None
    jobs: int | None = None
    out: Path = Path("runs/mutate")
    only: Collection[int] = ()
    kinds: Collection[str] = ()
    module: str = ""
    rtl: OwnRtl | None = None

    @property
    def tree(self) -> Path:
        """Where the RTL is that is changed."""
        return self.rtl.tree if self.rtl else ROOT


@dataclass(frozen=True)
class Verdict:
    """``verdict``: ``found`` (by ``test`` at ``cycle``), or another of ``_VERDICTS``."""

    number: int
    mutant: Mutant
    verdict: str
    test: str = ""
    seed: int = 0
    cycle: int = 0
    message: str = ""


@dataclass(frozen=True)
class Judged:
    """What became of the mutants of a block, with a profile."""

    block: str
    profile: str
    verdicts: Sequence[Verdict]

    @property
    def name(self) -> str:
        """Block and profile."""
        return f"{self.block}, {self.profile}"

    @cached_property
    def counts(self) -> Counter[str]:
        """How many have each of ``_VERDICTS``."""
        return Counter(one.verdict for one in self.verdicts)

    @property
    def score(self) -> float:
        """Percent found of those that are not listed; 100 of none."""
        found = self.counts["found"] + self.counts["wrong list"]
        judged = found + self.counts["survived"]
        return 100 * found / judged if judged else 100.0

    def rows(self, verdict: str) -> list[tuple[str, ...]]:
        """Place, kind, both texts and message of each that has this verdict."""
        chosen = [one for one in self.verdicts if one.verdict == verdict]
        return [(m.place, m.kind, m.old, m.new, v.message) for v in chosen for m in [v.mutant]]


@dataclass(frozen=True)
class Entry:
    """An entry of a list names mutants that no test can find, and says why.

    Without ``new`` it is of all that ``old`` can become, without ``kind`` of all kinds; ``block``
    and ``profile``: of these only.
    """

    file: str
    line: str
    old: str
    reason: str
    new: str | None = None
    kind: str | None = None
    block: str | None = None
    profile: str | None = None

    def is_of(self, mutant: Mutant) -> bool:
        """Whether it is of this mutant."""
        one = (self.file, self.line, self.old, self.new or mutant.new, self.kind or mutant.kind)
        return one == (mutant.file, mutant.source, mutant.old, mutant.new, mutant.kind)


def stored(file: Path) -> Judged:
    """What :func:`mutate` has written; ``UsageError`` where it has not."""
    try:
        told = json.loads(read_text(file))
        rows = [Verdict(**{**one, "mutant": Mutant(**one["mutant"])}) for one in told["mutants"]]
        if not {one.verdict for one in rows} <= {*_VERDICTS}:
            raise ValueError
        return Judged(told["block"], profile_of(told), rows)
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from None
    except (KeyError, TypeError, ValueError, RecursionError):
        raise UsageError(f"{file} is no mutants.json of tilepath mutate") from None


def mutate(wanted: Wanted) -> int:
    """Draw mutants, run them, print and store what became of them; 1 if any survived, else 0.

    Raises:
        UsageError: an unknown block, profile or number, a missing tool, a wrong list, a regression
            that fails without any mutant.
        Interrupted: Ctrl-C or SIGTERM.
    """
    check_block(wanted.block)
    check_profile(wanted.profile)
    out = replace(wanted, out=wanted.out.absolute())
    listed = [] if wanted.rtl else _read_list(wanted.block, wanted.profile)
    drawn = wanted.count, wanted.seed, wanted.kinds, wanted.module, wanted.tree
    mutants = draw(load_block(wanted.block), *drawn)
    if unknown := sorted(set(wanted.only) - set(range(1, len(mutants) + 1))):
        raise UsageError(f"there is no mutant {unknown[0]}; {len(mutants)} are drawn")
    console = make_console()
    with output_directory(wanted.out):
        say(console, f"{len(mutants)} mutants of {wanted.block}")
        say(console, *(wanted.rtl.told() if wanted.rtl else ()))
        runner = _Runner(out, mutants, listed, console)
        runner.check(RunList(1, (PlannedRun(wanted.block, next(iter(tests_of(wanted.block))), 0),)))
        for none in (True, False):
            numbers = [0] if none else runner.kept()
            plan = RunList(1, tuple(PlannedRun(wanted.block, str(number), 0) for number in numbers))
            quiet = ShowProgress(Console(quiet=True), plan.runs)
            jobs = wanted.jobs or default_jobs()
            for outcome in execute(plan, runner, jobs, quiet, stop=runner.ended.set):
                if not outcome.passed:
                    without = "without any mutant: " if none else ""
                    raise UsageError(f"{without}{outcome.message}")
        return _report(console, out, sorted(runner.verdicts, key=lambda one: one.number))


class _Runner(EngineRunner):
    """A run of test ``7`` is mutant 7 with all tests, until one finds it; 0: none of them may."""

    def __init__(
        self, wanted: Wanted, mutants: list[Mutant], listed: Sequence[Entry], console: Console
    ) -> None:
        super().__init__(RunOptions(_SIM, wanted.profile, wanted.out, coverage=False))
        self.verdicts: list[Verdict] = []
        self._wanted, self._mutants, self._listed = wanted, mutants, listed
        self._say = partial(say, console)
        self._root = wanted.out / "planted"
        self._without = {*range(1, len(mutants) + 1)} - {*wanted.only} if wanted.only else set()
        self._finders: Counter[tuple[str, str]] = Counter()  # by file, and of all files: ""
        self._lock = threading.Lock()
        self.ended = threading.Event()  # by Ctrl-C

    def kept(self) -> list[int]:
        """Numbers of those that are judged."""
        return [n for n in range(1, len(self._mutants) + 1) if n not in self._without]

    def build(self, block: str, progress: ShowProgress) -> None:  # noqa: ARG002
        """Compile the copy with all mutants; without those, named, that the simulator refuses."""
        while True:
            tree = self._wanted.tree
            write_copy(load_block(block), self._mutants, self._root, self._without, tree)
            tell = partial(self._say, f"compiling the RTL with {len(self.kept())} mutants, once")
            try:
                build(block, build_options(self._request(next(iter(tests_of(block))), 0, 0)), tell)
                compile_model(block, self._wanted.profile)
                return
            except BuildError as error:
                # the copy has the lines of the source
                places = {f"{file}:{line}" for file, line in _AT.findall(str(error))}
                found = [n for n in self.kept() if self._mutants[n - 1].place in places]
                if not found:
                    raise
                self._without |= {*found}
                for number in found:
                    self._say(f"{_SIM} refuses {_told(self._mutants[number - 1])}")

    def run(self, run_: PlannedRun) -> Outcome:
        """Run tests on a mutant until one finds it."""
        number = int(run_.test)
        found = next(filter(None, (self._finds(number, *one) for one in self._tests(number))), None)
        if number == 0:
            message = f"{found.test}: {found.message}" if found else ""
            return Outcome(run_, "fail" if found else "pass", events=1, message=message)
        mutant = self._mutants[number - 1]
        reason = next((one.reason for one in self._listed if one.is_of(mutant)), "")
        one = Verdict(number, mutant, "listed" if reason else "survived", message=reason)
        if found:
            cycle = _CYCLE.search(found.message)
            at = int(cycle[1]) if cycle else found.cycles
            verdict = "wrong list" if reason else "found"
            message = found.message.partition("\n")[0]
            one = Verdict(number, mutant, verdict, found.test, found.seed, at, message)
            with self._lock:
                self._finders.update([(mutant.file, found.test), ("", found.test)])
        self.verdicts.append(one)
        by = f" by {one.test} in cycle {one.cycle:,}" if one.test else ""
        self._say(f"[{len(self.verdicts)}/{len(self.kept())}] {one.verdict}{by}: {_told(mutant)}")
        return Outcome(run_, "pass", events=1)

    def _finds(self, number: int, test: str, seed: int, start: int) -> RunResult | None:
        for _ in range(_TRIES):
            if self.ended.is_set():  # else a mutant that nothing finds had all its tests first
                raise CancelledError
            result = run(replace(self._request(test, seed, number), start=start))
            if number:
                shutil.rmtree(result.run_dir, ignore_errors=True)
            if not result.message.startswith(KILLED):  # by somebody: that finds nothing
                return result if result.status != "pass" else None
        return None

    def _tests(self, number: int) -> Iterator[tuple[str, int, int]]:
        """Tests, seeds and starts: the first seed of each, those first that find most, then others.

        A lost reset has all ones as well, which what is reset to 0 seldom begins with; and at last
        the best test begins with more than the few states that a regression has.
        """
        block, file = self._wanted.block, self._mutants[number - 1].file if number else ""
        specs, found = tests_of(block), self._finders

        def rank(test: str) -> tuple[int, int, bool]:
            return -found[file, test], -found["", test], specs[test].kind != "random"

        lost = number and self._mutants[number - 1].kind == "reset"
        ones = (ONES,) if lost or not number else ()
        tests = sorted(specs, key=rank)
        seeds: dict[str, list[int]] = {}
        for test, spec in specs.items():  # a number is of random tests, as elsewhere
            most = self._wanted.seeds if spec.kind == "random" else None
            seeds[test] = first_seeds(_ROOT_SEED, block, test, spec, most)
        for index in range(max(map(len, seeds.values())) if number else 1):
            for test in tests:
                if index < len(seeds[test]):
                    usual = start_of(_ROOT_SEED, (seeds[test][0] + index) % STARTS)
                    yield from ((test, seeds[test][index], start) for start in (*ones, usual))
        for index in range(STARTS, STARTS + _MORE_STARTS if lost else STARTS):
            yield tests[0], seeds[tests[0]][0], start_of(_ROOT_SEED, index)

    def _request(self, test: str, seed: int, number: int) -> RunRequest:
        wanted = self._wanted
        cycles = wanted.cycles or tests_of(wanted.block)[test].cycles
        request = RunRequest(
            *(wanted.block, test, seed, _SIM, wanted.profile, cycles),
            coverage=False,
            block_cycles=_BLOCK_CYCLES,
            source_root=self._root,
            out_dir=wanted.out / "runs" / str(number),
            timeout=_SECONDS,
            prepare=True,
            provided={"planted": str(number)},
        )
        return replace(request, **wanted.rtl.of_request()) if wanted.rtl else request

    def record(self, outcome: Outcome) -> None:
        """Do nothing: an outcome ends all."""


def _told(mutant: Mutant) -> str:
    old, new = (" ".join(text.split()) for text in (mutant.old, mutant.new))
    return f"{mutant.place} ({mutant.kind}): {old}  →  {new}"


def _read_list(block: str, profile: str) -> list[Entry]:
    """The entries for a block and profile, files with folders; ``UsageError`` for a wrong list."""
    found = []
    for folder in load_block(block).own_folders:
        place = f"{folder}/{LIST}"
        path = ROOT / place
        if not path.is_file():
            continue
        try:
            for told in tomllib.loads(read_text(path)).get("mutant", []):
                one = Entry(**told)
                one = replace(one, file=f"{folder}/{one.file}")
                lines = [line.strip() for line in (ROOT / one.file).read_text().splitlines()]
                if one.line not in lines:
                    raise ValueError(f"{told['file']} has no line {one.line!r} any more")
                if not one.reason.strip():
                    raise ValueError(f"{one.line!r} has no reason")
                if one.kind not in (None, *KINDS):
                    raise ValueError(f"{one.line!r}: no kind {one.kind!r}; {', '.join(KINDS)}")
                for_ = one.block or block, one.profile or profile
                check_block(for_[0])
                check_profile(for_[1])
                if for_ == (block, profile):
                    found.append(one)
        except (UsageError, OSError, AttributeError, TypeError, ValueError) as error:
            raise UsageError(f"{place}: {error}".replace("Entry.__init__() ", "")) from None
    return found


def _report(console: Console, wanted: Wanted, verdicts: Sequence[Verdict]) -> int:
    """Print and write the verdicts; the exit status."""
    by_kind = {
        kind: Counter(v.verdict for v in verdicts if v.mutant.kind == kind) for kind in KINDS
    }
    table = table_of("kind", *(f">{name}" for name in ("mutants", *_VERDICTS)))
    for kind, counts in by_kind.items():
        if counts:
            table.add_row(kind, str(counts.total()), *(str(counts[name]) for name in _VERDICTS))
    console.print(table)
    all_ = Judged(wanted.block, wanted.profile, verdicts)
    judged = len(verdicts) - all_.counts["listed"]
    for one in verdicts:
        if one.verdict in ("survived", "wrong list"):
            say(console, f"{one.verdict} {one.number}: {_told(one.mutant)}")
    file = wanted.out / "mutants.json"
    about = {"block": wanted.block, "profile": wanted.profile, "sim": _SIM}
    about |= readings_of(wanted.profile)
    about |= {"whose": wanted.rtl.name} if wanted.rtl else {}
    rows = [asdict(one) for one in verdicts]
    told = {**about, "seed": wanted.seed, "score": round(all_.score, 2), "mutants": rows}
    write_json(file, told)
    for name in ("planted", "runs"):
        shutil.rmtree(wanted.out / name, ignore_errors=True)
    console.print(f"score of {wanted.block}: {all_.score:.1f} % ({judged} mutants judged); {file}")
    return int(bool(all_.counts["survived"] or all_.counts["wrong list"]))
