# SPDX-License-Identifier: Apache-2.0
"""Finds blocks and their tests by folder name; nothing is listed by hand.

Tests may also be in files outside of the project, which ``TILEPATH_TESTS`` names: such a file has
``BLOCK``, the name of a block, and ``TESTS``, as ``sequences/<block>`` has them. It may have
``PLAN``, a coverage plan or several.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Final

from tilepath.engine.coverage.model import CoverageModel
from tilepath.engine.coverage.plan import CoveragePlan
from tilepath.engine.description.blame import told
from tilepath.engine.description.block import Block
from tilepath.engine.description.stimulus import TestSpec
from tilepath.engine.errors import there_are

TESTS_VARIABLE: Final = "TILEPATH_TESTS"
"""Environment variable: files of tests from outside, as in a PATH; simulators get it, too."""

_TB = Path(__file__).resolve().parents[2]


class DescriptionError(ValueError):
    """The Python of a block, or a file of tests, does not load: one line, with file and line."""


def block_names() -> list[str]:
    """Names of all blocks: folders of ``tb/`` that have a ``block.py``."""
    return sorted(p.parent.name for p in _TB.glob("*/block.py") if p.parent.name != "kernel")


def load_block(name: str) -> Block:
    """The description of block ``name``; ``ValueError`` if there is none, or a broken one."""
    if name not in block_names():
        raise ValueError(f"no block {name!r}; {there_are(block_names(), str(name))}")
    block = _import(f"tilepath.tb.{name}.block", "BLOCK")
    if not isinstance(block, Block):
        raise DescriptionError(f"tb/{name}/block.py: BLOCK is not a Block")
    return block


def tests_of(name: str) -> dict[str, TestSpec]:
    """Test name → test of block ``name``, from ``sequences/<block>``; ``ValueError`` as above."""
    load_block(name)
    # the one place where tb reaches up: by name, at run time, so that tb can be used without it
    tests = _import(f"tilepath.sequences.{name}", "TESTS")
    own = _checked(tests, f"sequences/{name}/__init__.py")
    more: dict[str, TestSpec] = {}
    for path in outside_files():
        block, found = load_file(path)
        if block != name:
            continue
        for test in found:
            if test in own or test in more:
                raise DescriptionError(f"{path}: block {name} has a test {test!r} already")
        more |= found
    return {**own, **more} if more else own


def outside_files() -> tuple[Path, ...]:
    """The files of tests from outside."""
    named = os.environ.get(TESTS_VARIABLE, "").split(os.pathsep)
    return tuple(Path(name) for name in named if name)


def file_of(block: str, test: str) -> Path | None:
    """The file from outside that has a test; ``None`` for a test of the project."""
    for path in outside_files():
        owner, found = load_file(path)
        if owner == block and test in found:
            return path
    return None


def coverage_of(block: Block, profile: str) -> CoverageModel:
    """The coverage model of a block, with the plans of files from outside; ``ValueError``."""
    model = block.coverage(profile)
    loaded = map(_loaded, outside_files())
    plans = [plan for name, _, plans in loaded for plan in plans if name == block.name]
    return model.with_plans(plans) if plans else model


@contextlib.contextmanager
def with_files(paths: Sequence[Path]) -> Iterator[None]:
    """Inside, the tests of these files are there as well, in child processes too."""
    before = os.environ.get(TESTS_VARIABLE)
    named = dict.fromkeys([*map(str, outside_files()), *(str(path.resolve()) for path in paths)])
    os.environ[TESTS_VARIABLE] = os.pathsep.join(named)
    try:
        yield
    finally:
        if before is None:
            del os.environ[TESTS_VARIABLE]
        else:
            os.environ[TESTS_VARIABLE] = before


def load_file(path: Path) -> tuple[str, dict[str, TestSpec]]:
    """Block and tests of a file from outside; :class:`DescriptionError`."""
    return _loaded(path)[:2]


@functools.cache
def _loaded(path: Path) -> tuple[str, dict[str, TestSpec], tuple[CoveragePlan, ...]]:
    module = f"tilepath_tests_{path.stem}"
    spec = importlib.util.spec_from_file_location(module, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise DescriptionError(f"{path}: cannot be read as Python")
    loaded = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(loaded)
    except (Exception, SystemExit) as error:
        raise DescriptionError(told(error)) from error
    for name in ("BLOCK", "TESTS"):
        if not hasattr(loaded, name):
            raise DescriptionError(f"{path}: it has no {name}")
    block = str(loaded.BLOCK).replace("+", "_")
    if block not in block_names():
        known = there_are(block_names(), block)
        raise DescriptionError(f"{path}: BLOCK is {loaded.BLOCK!r}; {known}")
    plans = getattr(loaded, "PLAN", ())
    plans = (plans,) if isinstance(plans, CoveragePlan) else plans
    if not isinstance(plans, tuple | list) or not all(
        isinstance(one, CoveragePlan) for one in plans
    ):
        raise DescriptionError(f"{path}: PLAN is not a CoveragePlan, nor a list of them")
    return block, _checked(loaded.TESTS, str(path)), tuple(plans)


def _checked(tests: object, place: str) -> dict[str, TestSpec]:
    """``tests`` if it is what tests have to be, else :class:`DescriptionError`."""
    if not isinstance(tests, dict) or not tests:
        raise DescriptionError(f"{place}: TESTS is not a dictionary of tests")
    for name, test in tests.items():
        if not isinstance(test, TestSpec):
            raise DescriptionError(f"{place}: TESTS[{name!r}] is not a TestSpec")
        if name != test.name:
            raise DescriptionError(f"{place}: TESTS[{name!r}] is called {test.name!r}")
    return tests


def _import(name: str, attribute: str) -> object:
    try:
        module: ModuleType = importlib.import_module(name)
        return getattr(module, attribute)
    except Exception as error:
        raise DescriptionError(told(error)) from error
