# SPDX-License-Identifier: Apache-2.0
"""Kernels on the machine without time, for ``tilepath model``, and kernel files as tests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tilepath.engine.commands.compiling import announce_kernels
from tilepath.engine.commands.errors import UsageError, for_user, writing
from tilepath.engine.commands.own_tests import become_tests
from tilepath.isa import IsaError
from tilepath.models import kernels
from tilepath.models.kernels.mend import mends
from tilepath.models.kernels.program import Tile
from tilepath.models.kernels.tries import tries
from tilepath.models.machine.run import Order
from tilepath.models.machine.schedule import Schedule, as_schedule, schedules
from tilepath.tb.datapath.streams import OWN_KERNELS, core_items

_MOST_LINES = 3  # of a schedule


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


@for_user(ValueError)
def schedules_of(text: str, letter: bool) -> list[Schedule]:
    """Schedules of ``--schedules``: the first so many, or one by its name; none of nothing."""
    if re.fullmatch(r"\d{1,6}", text):
        return schedules(int(text), letter)
    return [as_schedule(Schedule(text, letter))] if text else []


def run_model(
    path: Path,
    profile: str,
    order: str,
    given: Iterable[str],
    write: Iterable[str],
    scheduled: Sequence[Schedule] = (),
) -> int:
    """Run and check a kernel; 1 if it is not as expected, after what is not.

    Raises:
        UsageError: a file that cannot be read or is no kernel, a wrong order or constant, a tile
            that cannot be written, or a file to write that is there.
    """
    how, constants = order_of(order), constants_of(given)
    announce_kernels()
    kernel = load_kernel(path, profile, constants)
    wanted = [_to_write(kernel, text) for text in write]
    verdict = kernels.play(kernel, how)
    for line in (*kernel.doubts, *verdict.passed, *verdict.failed):
        print(line)
    for tile, file in wanted:
        data = verdict.machine.read_l1(tile.at, tile.end - tile.at)
        with writing(file), file.open("xb") as out:
            out.write(tile.to_host(data))
    if verdict.failed:
        return 1
    odd = _print_odd(kernel, scheduled)
    if odd:
        print(f"{path}: a wait is missing: {len(odd)} of {len(scheduled)} schedules end otherwise")
        found = [f"with {mend} none does" for mend in mends(kernel, odd)]
        print("\n".join(found or ["no STALLWAIT alone would do"]))
        return 1
    count = len(scheduled)
    under = f", {count} schedule{'s' * (count > 1)}" if count else ""
    print(f"{path}: passed, {verdict.run.steps} steps{under}, profile {profile}")
    return 0


def _print_odd(kernel: kernels.Kernel, scheduled: Sequence[Schedule]) -> list[Schedule]:
    """Print what schedules leave behind otherwise; returns those that do."""
    odd = []
    for one in tries(kernel, scheduled) if scheduled else ():
        for line in one.lines[:_MOST_LINES]:
            print(f"with schedule {one.schedule}: {line}")
        if one.lines:
            odd.append(one.schedule)
    return odd


@for_user(ValueError)
def _to_write(kernel: kernels.Kernel, text: str) -> tuple[Tile, Path]:
    """The tile and the new file of ``TILE=FILE.tiles``."""
    name, _, file = text.partition("=")
    if name not in kernel.tiles:
        raise UsageError(f"--write {text}: there is no tile {name!r}")
    if Path(file).suffix != ".tiles":
        raise UsageError(f"--write {text}: want TILE=FILE.tiles")
    kernel.tiles[name].host_size()
    return kernel.tiles[name], Path(file)


@for_user(kernels.KernelError, IsaError)
def load_kernel(path: Path, profile: str, constants: Mapping[str, int]) -> kernels.Kernel:
    """The kernel of a file; ``UsageError`` for one that cannot be read, or is none."""
    return kernels.load(path, profile, constants)


def own_kernels(tests: Sequence[str], profile: str) -> tuple[str, ...]:
    """Names of tests, some of which are kernel files, as ``become_tests`` has it.

    Prints what the machine without time finds wrong; the run on the RTL will fail by that.
    """

    def can_be_played(file: Path) -> None:
        kernel = load_kernel(file, profile, {})
        try:
            core_items(item for program in kernel.programs for item in program)
        except ValueError as error:
            raise UsageError(f"{file}: {error}") from None
        for line in kernel.doubts:
            print(line)
        for line in kernels.play(kernel).failed:
            print(f"{file} without time: {line}")

    announce_kernels()
    return become_tests(tests, ".kernel", "datapath", OWN_KERNELS, can_be_played)
