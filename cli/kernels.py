# SPDX-License-Identifier: Apache-2.0
"""``tilepath model``, ``lint-kernel`` and ``import-kernel``, and kernel files as tests."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from textwrap import indent

from tilepath.engine.commands.compiling import announce_loops
from tilepath.engine.commands.errors import UsageError, for_user, writing
from tilepath.engine.commands.one_line import Tell
from tilepath.engine.commands.own_tests import become_tests
from tilepath.engine.host.files import read_bytes, read_text
from tilepath.engine.text import TextError
from tilepath.isa import IsaError
from tilepath.models import kernels, lint
from tilepath.models.kernels import imported
from tilepath.models.kernels.program import Tile
from tilepath.models.kernels.races import races
from tilepath.models.kernels.tries import mends, tries
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
    announce_loops()
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

    announce_loops()
    return become_tests(tests, ".kernel", "datapath", OWN_KERNELS, can_be_played)


def show_rules() -> None:
    """Print a line for each rule."""
    for rule in lint.table().values():
        print(f"{rule.number}  {rule.name:20}  {rule.meaning}")


@for_user(IsaError)
def explain(name: str) -> None:
    """Print a rule's reason and its examples; ``UsageError`` where there is no such rule."""
    (rule,) = lint.chosen([name])
    print(f"{rule.number} {rule.name}: {rule.meaning}.\n\n{rule.reason.strip()}\n")
    wrong, right = (indent(text.strip(), "    ") for text in (rule.wrong, rule.right))
    print(f"Instead: {rule.hint}.\n\nWrong, profile {rule.profile}:\n{wrong}\n\nRight:\n{right}")


@for_user(IsaError, TextError, lint.StreamError)
def lint_kernels(
    files: Sequence[Path],
    profile: str,
    given: Iterable[str],
    select: Iterable[str],
    ignore: Iterable[str],
    tell: Tell | None,
) -> int:
    """Print what rules find in kernel files; 1 if they find something.

    Raises:
        UsageError: no file, one that is no kernel, an unknown rule (in a comment too) or profile, a
            stream that ends in the middle of a recording.
    """
    if not files:
        raise UsageError("give a FILE, --list or --explain RULE")
    rules, constants = lint.chosen(select, ignore), constants_of(given)
    kernels = [load_kernel(file, profile, constants) for file in files]
    announce_loops()
    found = [one for kernel in kernels for one in lint.findings(kernel, rules)]
    for one in found:
        print(one)
    plural = "" if len(found) == 1 else "s"
    print(f"{len(found)} finding{plural}, {len(rules)} rules, profile {profile}")
    if tell is not None:
        keys = ("number", "name", "meaning", "hint")
        rows = [
            {"where": str(where), "about": about, **{key: getattr(rule, key) for key in keys}}
            for where, rule, about in found
        ]
        tell({"findings": rows})
    return 1 if found else 0


_BINARY = re.compile(r"(?:.*\D)?([012])\.bin")


@for_user(imported.LogError, TextError, IsaError)
def import_kernel(
    log: Path, profile: str, includes: Sequence[str], out: Path | None, **options: bool
) -> int:
    """Print the kernel of a log, or write it to a new file ``out``; 0.

    ``options``: those of ``imported.to_text``.

    Raises:
        UsageError: what cannot be read or is no log, words that are no instructions, what is no
            kernel, a file that is there already.
    """
    try:
        given = _folder(log) if log.is_dir() else _file(log)
        text = imported.to_text(given, profile, log.name, includes, **options)
        kernels.parse(text, str(out or log.with_suffix(".kernel")), profile)
        if out is None:
            print(text, end="")
        else:
            with out.open("x") as file:
                file.write(text)
            print(f"{out}: {len(given)} words and stores")
    except FileExistsError:
        raise UsageError(f"{out} is there already, and stays as it is") from None
    except OSError as error:
        raise UsageError(f"{error.filename or log}: {error.strerror}") from None
    return 0


def _file(log: Path) -> list[imported.Given]:
    try:
        return imported.from_lines(read_text(log).splitlines(), str(log))
    except UnicodeDecodeError:
        raise UsageError(f"{log}: it is no text: of words as in memory give the folder") from None


def _folder(folder: Path) -> list[imported.Given]:
    """Files ``…0.bin`` to ``…2.bin``, one a thread."""
    files: dict[int, Path] = {}
    for path in sorted(folder.glob("*.bin")):
        thread = _BINARY.fullmatch(path.name)
        if not thread:
            raise UsageError(f"{path}: of which thread? Want a name like t0.bin, t1.bin, t2.bin")
        if files.setdefault(int(thread[1]), path) != path:
            raise UsageError(f"{path}: thread {thread[1]} has {files[int(thread[1])].name} already")
    if not files:
        raise UsageError(f"{folder}: no files like t0.bin, t1.bin, t2.bin")
    return [
        one
        for thread, path in files.items()
        for one in imported.from_bytes(thread, read_bytes(path), str(path))
    ]
