# SPDX-License-Identifier: Apache-2.0
"""A user's files as tests of ``tilepath run``, each called like its file."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

from tilepath.engine.commands.errors import UsageError
from tilepath.engine.host.request import PROGRAMS_VARIABLE
from tilepath.engine.project import project


def become_tests(
    tests: Sequence[str], suffix: str, block: str, variable: str, check: Callable[[Path], object]
) -> tuple[str, ...]:
    """Names of tests, where some of ``tests`` are files with ``suffix``: what these are called.

    Sets ``variable`` to the files for this process and its children. ``block``: whose sequences
    read it; none of its modules may have been imported before. Its ``PROJECT`` has the tests that
    are the project's own.

    Raises:
        UsageError: a file that ``check`` refuses, or that cannot be the name of a test, as one of
            the block or another file has it.
    """
    files = [Path(test) for test in tests if test.endswith(suffix)]
    for file in files:
        check(file)
    for file in files:
        if not re.fullmatch(r"[A-Za-z0-9_-]+", file.stem) or os.pathsep in str(file.resolve()):
            raise UsageError(f"{file}: a test cannot be called like this file")
        if any(file.stem == other.stem and not file.samefile(other) for other in files):
            raise UsageError(f"{file}: another file is called {file.stem}, too; rename one")
    if not files:
        return tuple(tests)
    named = os.pathsep.join(str(file.resolve()) for file in files)
    before = os.environ.get(PROGRAMS_VARIABLE, "")
    os.environ |= {variable: named, PROGRAMS_VARIABLE: f"{before}{os.pathsep}{named}"}
    own = import_module(f"{project().package}.sequences.{block}").PROJECT
    for file in files:
        if file.stem in own:
            raise UsageError(f"{file}: {block} has a test {file.stem} of its own; rename it")
    return tuple(Path(test).stem if test.endswith(suffix) else test for test in tests)


MODEL: Final = "model"
"""What stands in the place of a simulator's name where a job is the project's own."""


def own_suffixes() -> tuple[str, ...]:
    """How the names of the user's files end that stand for tests."""
    return tuple(project().program_files)


def with_whole_paths(tests: Sequence[str]) -> list[str]:
    """``tests`` with files by their whole paths, and what the project puts in a folder's place."""
    if any(Path(test).is_dir() for test in tests):
        found: list[str] = project().extension("scheduled").with_folders(tests)
        return found
    suffixes = own_suffixes()
    return [str(Path(test).resolve()) if test.endswith(suffixes) else test for test in tests]
