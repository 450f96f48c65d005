# SPDX-License-Identifier: Apache-2.0
"""Kernel files as tests of ``tilepath run``."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import typer

from tilepath.cli.errors import UsageError
from tilepath.cli.kernels import load_kernel
from tilepath.models import kernels
from tilepath.tb.datapath.streams import OWN_KERNELS, core_items
from tilepath.tb.kernel.host.request import PROGRAMS_VARIABLE

SUFFIX: Final = ".kernel"


def own_kernels(tests: Sequence[str], profile: str) -> tuple[str, ...]:
    """Names of tests, where some of ``tests`` are kernel files: of these, what the file is called.

    Sets ``OWN_KERNELS`` for this process and its children, so before tests are looked up.

    Raises:
        UsageError: a file that cannot be read, is no kernel, or cannot be the name of a test, as
            one of the project or another file has it.
        Exit: what a kernel expects is not so on the machine without time; it has been printed.
    """
    files = [Path(test) for test in tests if test.endswith(SUFFIX)]
    for file in files:
        kernel = load_kernel(file, profile, {})
        try:
            core_items(item for program in kernel.programs for item in program)
        except ValueError as error:
            raise UsageError(f"{file}: {error}") from None
        if not re.fullmatch(r"[A-Za-z0-9_-]+", file.stem) or os.pathsep in str(file.resolve()):
            raise UsageError(f"{file}: a test cannot be called like this file")
        verdict = kernels.play(kernel)
        if verdict.run.end == "done" and verdict.failed:
            print(*verdict.failed, sep="\n")
            raise typer.Exit(1)
        if any(file.stem == other.stem and not file.samefile(other) for other in files):
            raise UsageError(f"{file}: another kernel is called {file.stem}, too; rename one")
    if files:
        named = os.pathsep.join(str(file.resolve()) for file in files)
        before = os.environ.get(PROGRAMS_VARIABLE, "")
        os.environ |= {OWN_KERNELS: named, PROGRAMS_VARIABLE: f"{before}{os.pathsep}{named}"}
        from tilepath.sequences.datapath import PROJECT  # not before: it looks at OWN_KERNELS

        for file in files:
            if file.stem in PROJECT:
                raise UsageError(f"{file}: datapath has a test {file.stem} of its own; rename it")
    return tuple(Path(test).stem if test.endswith(SUFFIX) else test for test in tests)
