# SPDX-License-Identifier: Apache-2.0
"""Kernels on the machine without time, for ``tilepath model``, and kernel files as tests."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from tilepath.engine.commands.compiling import announce_kernels
from tilepath.engine.commands.errors import UsageError, for_user, writing
from tilepath.engine.commands.own_tests import become_tests
from tilepath.engine.text import TextError
from tilepath.isa import IsaError
from tilepath.models import kernels
from tilepath.models.kernels.mend import mends
from tilepath.models.kernels.program import Tile
from tilepath.models.kernels.races import races
from tilepath.models.kernels.tries import tries
from tilepath.models.machine.run import Order
from tilepath.models.machine.schedule import Schedule, as_schedule, schedules
from tilepath.tb.datapath.streams import OWN_KERNELS, core_items

_MOST_LINES = 3  # of a schedule
_MOST_RACES = 5
Finds = Callable[[kernels.Kernel, Path, Sequence[Schedule]], list[str]]


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
    finds: Finds | None = None,
) -> int:
    """Run and check a kernel; 1 if it is not as expected, after what is not.

    ``finds`` tells what is wrong under schedules, if there are any.

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
    lines = finds(kernel, path, scheduled) if finds and scheduled else []
    if lines:
        print("\n".join(lines))
        return 1
    count = len(scheduled)
    under = f", {count} schedule{'s' * (count > 1)}" if count else ""
    print(f"{path}: passed, {verdict.run.steps} steps{under}, profile {profile}")
    return 0


def odd_schedules(kernel: kernels.Kernel, path: Path, scheduled: Sequence[Schedule]) -> list[str]:
    """What schedules leave behind otherwise, and which wait would do."""
    odd = [one for one in tries(kernel, scheduled) if one.lines]
    if not odd:
        return []
    return [
        *(
            f"with schedule {one.schedule}: {line}"
            for one in odd
            for line in one.lines[:_MOST_LINES]
        ),
        f"{path}: a wait is missing: {len(odd)} of {len(scheduled)} schedules end otherwise",
        *_mended(kernel, [one.schedule for one in odd]),
    ]


def _mended(kernel: kernels.Kernel, odd: Sequence[Schedule]) -> list[str]:
    found = [f"with {mend} none does" for mend in mends(kernel, odd)]
    return found or ["no STALLWAIT alone would do"]


@for_user(ValueError)
def told_races(kernel: kernels.Kernel, path: Path, scheduled: Sequence[Schedule]) -> list[str]:
    """Races, the first with the wait that would do; pairs that no schedule shows are counted."""
    found = races(kernel, scheduled[0].letter, len(scheduled))
    lines = []
    for number, race in enumerate(found.told):
        if number < _MOST_RACES:
            lines += [str(race), f"  with schedule {race.schedule}: {race.lines[0]}"]
        if number == 0:
            lines += [f"  {line}" for line in _mended(kernel, found.shown_by)]
    if found.told:
        lines.append(f"{path}: races: {len(found.told)}")
    if found.unshown:
        none = f"{found.unshown} pairs of statements that nothing orders"
        print(f"{path}: {none}: none of {found.tried} schedules shows them")
    if found.left_out:
        print(f"{path}: there are more such pairs, which were not looked at")
    return lines


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


@for_user(TextError, IsaError)
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
