# SPDX-License-Identifier: Apache-2.0
"""From what was asked for to the list of runs: blocks x tests x seeds."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from tilepath.cli.errors import UsageError

SEED_LIMIT = 1 << 64


class TestLike(Protocol):
    """What planning needs to know of a test."""

    @property
    def summary(self) -> str:
        """One line: what it does."""

    @property
    def kind(self) -> str:
        """``random``, ``directed`` or ``program``."""

    @property
    def seeds(self) -> int:
        """How many seeds a regression runs it with when nothing else is asked for."""


class Catalogue(Protocol):
    """Where blocks and their tests are looked up."""

    def blocks(self) -> Sequence[str]:
        """Names of all blocks."""

    def tests(self, block: str) -> dict[str, TestLike]:
        """Tests of one block by name."""


@dataclass(frozen=True)
class Selection:
    """What was asked for; empty or ``None`` means everything, or the default."""

    blocks: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    seed: int | None = None
    seeds: int | None = None
    root_seed: int | None = None


@dataclass(frozen=True)
class PlannedRun:
    """One simulation to do."""

    block: str
    test: str
    seed: int

    @property
    def label(self) -> str:
        """Name for progress lines and error messages."""
        return f"{self.block}/{self.test} seed {self.seed}"


@dataclass(frozen=True)
class Plan:
    """All runs, and the seed that all their seeds come from (``None``: one seed was given)."""

    root_seed: int | None
    runs: tuple[PlannedRun, ...]

    @property
    def blocks(self) -> tuple[str, ...]:
        """The blocks that occur, in order."""
        return tuple(dict.fromkeys(run.block for run in self.runs))


def run_seed(root_seed: int, block: str, test: str, index: int) -> int:
    """The 32-bit seed of run number ``index`` of a test; depends on nothing but the arguments."""
    digest = hashlib.sha256(f"{root_seed}/{block}/{test}/{index}".encode()).digest()
    return int.from_bytes(digest[:4], "little")


def make_plan(catalogue: Catalogue, selection: Selection) -> Plan:
    """Expand a selection.

    Raises:
        UsageError: an unknown block or test, options that exclude each other, or no run at all.
    """
    if selection.seed is not None and not (selection.seeds is selection.root_seed is None):
        raise UsageError("a seed for one run excludes a number of seeds and a root seed")
    root = selection.root_seed
    if root is None and selection.seed is None:
        root = secrets.randbits(32)
    runs = []
    for block, tests in _select(catalogue, selection).items():
        for name, test in tests.items():
            for seed in _seeds(selection, root, block, name, test):
                runs.append(PlannedRun(block, name, seed))
    if not runs:
        raise UsageError("there is nothing to run: no block has any test")
    return Plan(root, tuple(runs))


def _folder(block: str) -> str:
    """Folder name of a block: ``a+b``, two blocks joined, is ``a_b``."""
    return block.replace("+", "_")


def _select(catalogue: Catalogue, selection: Selection) -> dict[str, dict[str, TestLike]]:
    known = catalogue.blocks()
    wanted = [_folder(name) for name in selection.blocks]
    for given, name in zip(selection.blocks, wanted, strict=True):
        if name not in known:
            raise UsageError(f"there is no block {given!r}; {_there_are(known)}")
    blocks = dict.fromkeys(wanted or known)
    by_block = {block: catalogue.tests(block) for block in blocks}
    available = {name for tests in by_block.values() for name in tests}
    for name in selection.tests:
        if name not in available:
            where = f"block {selection.blocks[0]}" if len(selection.blocks) == 1 else "any block"
            raise UsageError(f"there is no test {name!r} in {where}; {_there_are(available)}")
    if not selection.tests:
        return by_block
    return {
        block: {name: test for name, test in tests.items() if name in selection.tests}
        for block, tests in by_block.items()
    }


def _seeds(
    selection: Selection, root: int | None, block: str, name: str, test: TestLike
) -> list[int]:
    if selection.seed is not None:
        return [selection.seed]
    assert root is not None
    # More seeds would only repeat a test that makes no draws.
    wanted = selection.seeds if selection.seeds and test.kind == "random" else test.seeds
    found: list[int] = []
    index = 0
    while len(found) < wanted:
        seed = run_seed(root, block, name, index)
        index += 1
        # Equal seeds would share a run directory.
        if seed not in found:
            found.append(seed)
    return found


def _there_are(names: Iterable[str]) -> str:
    return f"there are: {', '.join(sorted(names)) or 'none'}"
