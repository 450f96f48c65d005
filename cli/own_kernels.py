# SPDX-License-Identifier: Apache-2.0
"""Kernel files as tests of ``tilepath run``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tilepath.cli.compiling import announce_kernels
from tilepath.cli.errors import UsageError
from tilepath.cli.kernels import load_kernel
from tilepath.cli.own_tests import become_tests
from tilepath.models import kernels
from tilepath.tb.datapath.streams import OWN_KERNELS, core_items

SUFFIX: Final = ".kernel"


def own_kernels(tests: Sequence[str], profile: str) -> tuple[str, ...]:
    """Names of tests, where some of ``tests`` are kernel files: of these, what the file is called.

    Sets ``OWN_KERNELS`` for this process and its children, so before tests are looked up. Prints
    what the machine without time finds wrong; the run on the RTL will fail by that.

    Raises:
        UsageError: a file that cannot be read, is no kernel, or cannot be the name of a test, as
            one of the project or another file has it.
    """
    files = [Path(test) for test in tests if test.endswith(SUFFIX)]
    announce_kernels()
    for file in files:
        kernel = load_kernel(file, profile, {})
        try:
            core_items(item for program in kernel.programs for item in program)
        except ValueError as error:
            raise UsageError(f"{file}: {error}") from None
        for line in kernels.play(kernel).failed:
            print(f"{file} without time: {line}")
    if files:
        become_tests(files, "datapath", OWN_KERNELS)
    return tuple(Path(test).stem if test.endswith(SUFFIX) else test for test in tests)
