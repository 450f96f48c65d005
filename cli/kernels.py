# SPDX-License-Identifier: Apache-2.0
"""What ``tilepath model`` does, a kernel on the machine without time; and ``run`` with kernels."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from tilepath.cli.errors import UsageError
from tilepath.isa import IsaError
from tilepath.models import kernels
from tilepath.models.machine.run import Order
from tilepath.tb.datapath.streams import OWN_KERNELS, core_items
from tilepath.tb.kernel.host.files import open_regular
from tilepath.tb.kernel.host.request import PROGRAMS_VARIABLE

SUFFIX: Final = ".kernel"


def order_of(text: str) -> Order:
    """``round``, three threads by priority (``2,1,0``), or a seed; ``UsageError`` for others."""
    if text == "round":
        return text
    if re.fullmatch(r"\d{1,9}", text):
        return int(text)
    if re.fullmatch(r"\d,\d,\d", text) and sorted(text) == [",", ",", "0", "1", "2"]:
        return tuple(int(part) for part in text.split(","))
    raise UsageError(f"--order {text}: want round, three threads such as 2,1,0, or a seed")


def constants_of(given: Iterable[str]) -> dict[str, int]:
    """Constants to be set, of ``NAME=NUMBER``; ``UsageError`` for what is none."""
    found = {}
    for text in given:
        pair = re.fullmatch(r"([A-Za-z_]\w*)=(\d{1,18}|0[xX][0-9a-fA-F]{1,16})", text)
        if not pair:
            raise UsageError(f"--set {text}: want NAME=NUMBER")
        found[pair[1]] = int(pair[2], 16 if pair[2][:2].lower() == "0x" else 10)
    return found


def run_model(path: Path, profile: str, order: str, given: Iterable[str]) -> int:
    """Run and check a kernel; 1 if it is not as expected, after what is not.

    Raises:
        UsageError: a file that cannot be read or is no kernel, a wrong order or constant.
    """
    how, constants = order_of(order), constants_of(given)
    verdict = kernels.play(_load(path, profile, constants), how)
    for line in (*verdict.passed, *verdict.failed):
        print(line)
    if not verdict.failed:
        print(f"{path}: passed, {verdict.run.steps} steps, profile {profile}")
    return 1 if verdict.failed else 0


def _load(path: Path, profile: str, constants: dict[str, int]) -> kernels.Kernel:
    try:
        os.close(open_regular(path))
    except OSError as error:
        if error.errno == errno.EINVAL:  # a FIFO or a device, which may never end
            raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        return kernels.load(path, profile, constants)
    except (kernels.KernelError, IsaError) as error:
        raise UsageError(str(error)) from None


def own_kernels(tests: Sequence[str], profile: str) -> tuple[str, ...]:
    """Names of tests, where some of ``tests`` are kernel files: of these, what the file is called.

    Sets ``OWN_KERNELS`` for this process and its children, so before tests are looked up.

    Raises:
        UsageError: a file that cannot be read, is no kernel, or cannot be the name of a test.
    """
    files = [Path(test) for test in tests if test.endswith(SUFFIX)]
    for file in files:
        kernel = _load(file, profile, {})
        try:
            core_items(item for program in kernel.programs for item in program)
        except ValueError as error:
            raise UsageError(f"{file}: {error}") from None
        if not re.fullmatch(r"[A-Za-z0-9_-]+", file.stem) or os.pathsep in str(file.resolve()):
            raise UsageError(f"{file}: a test cannot be called like this file")
    if files:
        named = os.pathsep.join(str(file.resolve()) for file in files)
        before = os.environ.get(PROGRAMS_VARIABLE, "")
        os.environ |= {OWN_KERNELS: named, PROGRAMS_VARIABLE: f"{before}{os.pathsep}{named}"}
    return tuple(Path(test).stem if test.endswith(SUFFIX) else test for test in tests)
