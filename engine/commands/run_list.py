# SPDX-License-Identifier: Apache-2.0
"""The list of runs is made of what was asked for: blocks x tests x seeds."""

from __future__ import annotations

import fnmatch
import hashlib
import itertools
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.given import check_block
from tilepath.engine.description.registry import block_names, tests_of
from tilepath.engine.description.stimulus import TestSpec
from tilepath.engine.errors import there_are
from tilepath.engine.host.start import start_of

STARTS = 2  # of a regression: what registers begin with


@dataclass(frozen=True)
class Selection:
    """What was asked for; empty or ``None`` means everything, or the default.

    ``tests`` are names or patterns of them (``random_*``); of these, tests are taken that have any
    of ``tags``.
    """

    blocks: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    seed: int | None = None
    seeds: int | None = None
    root_seed: int | None = None


@dataclass(frozen=True)
class PlannedRun:
    """One simulation to do.

    ``cycles``: where the regression has no number; what follows: where these are not its own.
    """

    block: str
    test: str
    seed: int
    cycles: int | None = None
    start: int | None = None
    knobs: tuple[str, ...] = ()
    where: str = ""

    @property
    def label(self) -> str:
        """Name for progress lines and error messages."""
        return f"{self.block}/{self.test} seed {self.seed}"

    def folder(self, out: Path) -> Path:
        """The folder of its files, of results in ``out``."""
        return out / self.block / f"{self.test}-{self.seed}"


@dataclass(frozen=True)
class RunList:
    """All runs, and the seed that all their seeds come from (``None``: one seed was given).

    ``broken``: what is wrong with each block that was asked for and does not load.
    ``first``: block → tests to begin with, as far as they are there.
    """

    root_seed: int | None
    runs: tuple[PlannedRun, ...]
    broken: tuple[str, ...] = ()
    first: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def to_do(self, block: str) -> list[PlannedRun]:
        """The runs of a block in the order in which to begin them."""
        rank = {test: number for number, test in enumerate(self.first.get(block, ()))}
        runs = [run for run in self.runs if run.block == block]
        return sorted(runs, key=lambda run: rank.get(run.test, len(rank)))

    @property
    def blocks(self) -> tuple[str, ...]:
        """The blocks that occur, in order."""
        return tuple(dict.fromkeys(run.block for run in self.runs))


def run_seed(root_seed: int, block: str, test: str, index: int) -> int:
    """The 32-bit seed of run number ``index`` of a test; depends on nothing but the arguments."""
    digest = hashlib.sha256(f"{root_seed}/{block}/{test}/{index}".encode()).digest()
    return int.from_bytes(digest[:4], "little")


def make_run_list(selection: Selection) -> RunList:
    """Expand a selection.

    Raises:
        UsageError: an unknown block, test or tag, options that exclude each other or what was
            chosen, or no run.
    """
    if selection.seed is not None and not (selection.seeds is selection.root_seed is None):
        raise UsageError("a seed for one run excludes a number of seeds and a root seed")
    root = selection.root_seed
    if root is None and selection.seed is None:
        root = secrets.randbits(32)
    runs: list[PlannedRun] = []
    chosen = select(selection)
    for block, tests in chosen.tests.items():
        for name, test in tests.items():
            for seed in _seeds(selection, root, block, name, test):
                # of a regression a few, because runs with one start share a warm simulator
                start = None if root is None else start_of(root, len(runs) % STARTS)
                runs.append(PlannedRun(block, name, seed, test.cycles, start))
    if not runs:
        raise UsageError("there is nothing to run: no block has any test")
    drawn = any(_drawn(test) for tests in chosen.tests.values() for test in tests.values())
    if (selection.seeds or 1) > 1 and not drawn:
        raise UsageError(f"--seeds {selection.seeds} is of random tests: none of these is one")
    return RunList(root, tuple(runs), chosen.broken)


_Tests = dict[str, dict[str, TestSpec]]


@dataclass(frozen=True)
class Chosen:
    """Block → the tests of it that were asked for; and what is wrong with broken blocks."""

    tests: _Tests
    broken: tuple[str, ...]


def select(selection: Selection) -> Chosen:
    """Find what was asked for.

    Raises:
        UsageError: an unknown block or tag, a name or pattern that no test has, no test with a tag;
            no block of those asked for loads.
    """
    known = block_names()
    for name in selection.blocks:
        check_block(name, known)
    wanted = [name.replace("+", "_") for name in selection.blocks]
    by_block: _Tests = {}
    broken: list[str] = []
    for block in dict.fromkeys(wanted or known):
        try:
            by_block[block] = tests_of(block)
        except ValueError as error:
            broken.append(f"block {block}: {error}")
    if broken and not by_block:
        raise UsageError("; ".join(broken))
    where = f"block {selection.blocks[0]}" if len(selection.blocks) == 1 else "any block"
    where += f" that can be used ({'; '.join(broken)})" if broken else ""
    tests = _with_tags(_with_names(by_block, selection.tests, where), selection.tags, where)
    return Chosen(tests, tuple(broken))


def _with_names(by_block: _Tests, patterns: Sequence[str], where: str) -> _Tests:
    if not patterns:
        return by_block
    available = {name for tests in by_block.values() for name in tests}
    found: set[str] = set()
    for pattern in patterns:
        # a name is taken as it is, whatever it has of a pattern
        names = {pattern} & available or set(fnmatch.filter(available, pattern))
        if not names:
            raise UsageError(
                f"there is no test {pattern!r} in {where}; {there_are(sorted(available), pattern)}"
            )
        found |= names
    return {
        block: {name: test for name, test in tests.items() if name in found}
        for block, tests in by_block.items()
    }


def _with_tags(by_block: _Tests, tags: Sequence[str], where: str) -> _Tests:
    if not tags:
        return by_block
    available = {tag for tests in by_block.values() for test in tests.values() for tag in test.tags}
    for tag in tags:
        if tag not in available:
            known = there_are(sorted(available), tag)
            raise UsageError(f"no test of {where} has the tag {tag!r}; {known}")
    return {
        block: {name: test for name, test in tests.items() if set(tags) & set(test.tags)}
        for block, tests in by_block.items()
    }


def _seeds(
    selection: Selection, root: int | None, block: str, name: str, test: TestSpec
) -> list[int]:
    if selection.seed is not None:
        return [selection.seed]
    assert root is not None
    # More seeds would only repeat a test that makes no draws.
    return first_seeds(root, block, name, test, selection.seeds if _drawn(test) else None)


def _drawn(test: TestSpec) -> bool:
    return test.kind == "random" or bool(test.known)


def first_seeds(
    root: int, block: str, name: str, test: TestSpec, wanted: int | None = None
) -> list[int]:
    """The first seeds of a test, all different: equal ones would share a run directory.

    By default as many as a regression runs; those that the test knows come before all others.
    """
    drawn = (run_seed(root, block, name, index) for index in itertools.count())
    found: dict[int, None] = {}
    for seed in itertools.chain(test.known, drawn):
        if len(found) == (wanted or test.seeds):
            break
        found[seed] = None
    return list(found)


def further_runs(
    selection: Selection, plan: RunList, blocks: Collection[str]
) -> tuple[PlannedRun, ...]:
    """A run more of each random test of ``blocks``, of those that ``selection`` allows.

    Their seeds are the next ones behind those of the plan, which has a root seed.
    """
    assert plan.root_seed is not None
    runs: list[PlannedRun] = []
    for block, tests in select(selection).tests.items():
        for name, test in tests.items() if block in blocks else ():
            if test.kind == "random":
                done = sum((run.block, run.test) == (block, name) for run in plan.runs)
                seed = first_seeds(plan.root_seed, block, name, test, done + 1)[-1]
                start = start_of(plan.root_seed, len(runs) % STARTS)
                runs.append(PlannedRun(block, name, seed, start=start))
    return tuple(runs)
