# SPDX-License-Identifier: Apache-2.0
"""Coverage of the RTL's code over a regression: a table by module, files, and the reviewed list.

``rtl/<block>/uncovered.toml`` has what no test can reach, with the reason, and which signals carry
values whose bits nobody needs to see both ways; ``docs/add-a-block.md`` shows its entries.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from pathlib import Path
from typing import Final

from rich.console import Console

from tilepath.engine.commands.errors import UsageError, for_user
from tilepath.engine.commands.report import say, table_of
from tilepath.engine.coverage import rtl
from tilepath.engine.coverage.rtl import CodePoint, Counts
from tilepath.engine.description.block import ROOT
from tilepath.engine.description.registry import load_block
from tilepath.engine.host.files import read_text, write_whole

LIST: Final = "uncovered.toml"
HEADS: Final = ("module", "lines", "arms", "toggles", "of data", "with a reason")
_SPECIAL: Final = re.compile(r"(\*|\[[\d,-]+\])")  # of a list's signals
_BIT: Final = re.compile(r"(.*)\[(\d+)\](:\S+)?")
_MOST: Final = 40  # places named that were not reached
_FIELDS: Final = {
    "code": {"file", "line", "reason", "what", "profile"},
    "toggle": {"file", "signals", "reason", "profile"},
    "data": {"file", "signals", "reason"},
}


@dataclass(frozen=True)
class Entry:
    """An entry of a list: of a kind, for a file, a line's text or signals, or an arm; and why."""

    place: str
    kind: str
    file: str
    text: str
    what: str = ""
    profile: str = ""

    def of(self, counts: Iterable[CodePoint], lines: Mapping[str, Sequence[str]]) -> set[CodePoint]:
        """The points that it is about."""
        toggles = self.kind != "code"
        own = [p for p in counts if p.file == self.file and (p.kind == "toggle") == toggles]
        if toggles:
            pattern = re.compile("".join(map(_meant, _SPECIAL.split(self.text))))
            return {p for p in own if pattern.fullmatch(p.signal) or pattern.fullmatch(p.what)}
        arms = [point for point in own if self.what in ("", point.arm)]
        return {p for p in arms if lines[p.file][p.line - 1].strip() == self.text}

    def told(self) -> str:
        """Return how messages name it."""
        return f"{self.place}: {self.file} {self.text!r} {self.what}".rstrip()


def _meant(part: str) -> str:
    """What a part of a list's signals matches: ``[0-2,5]`` is for each of these bits."""
    if part == "*":
        return ".*"
    if not _SPECIAL.fullmatch(part):
        return re.escape(part)
    runs = [run.partition("-") for run in part[1:-1].split(",")]
    bits = [str(bit) for low, _, high in runs for bit in range(int(low), int(high or low) + 1)]
    return rf"\[(?:{'|'.join(bits)})\]"


def read_list(folder: Path) -> list[Entry]:
    """The entries of a folder's list, if any; ``UsageError``: it is none, or lacks a reason."""
    path = folder / LIST
    if not path.is_file():
        return []
    place = f"rtl/{folder.name}/{LIST}"
    try:
        tables = tomllib.loads(read_text(path))
        if unknown := set(tables) - set(_FIELDS):
            raise ValueError(f"there is no [[{min(unknown)}]]")
        return [
            entry
            for kind, found in tables.items()
            for one in found
            for entry in _entries(place, kind, one)
        ]
    except (OSError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{place}: {error}") from None


def _entries(place: str, kind: str, one: Mapping[str, str]) -> Iterator[Entry]:
    """Yield an entry for each of its files and patterns."""
    texts = [one["line"].strip()] if kind == "code" else one["signals"].split()
    if unknown := set(one) - _FIELDS[kind]:
        raise ValueError(f"{texts[0]!r} has {min(unknown)}, which [[{kind}]] has not")
    if not one.get("reason", "").strip():
        raise ValueError(f"{texts[0]!r} has no reason")
    for file, text in product(one["file"].split(), texts):
        more = {name: one[name] for name in ("what", "profile") if name in one}
        yield Entry(place, kind, f"{Path(place).parent}/{file}", text, **more)


@dataclass
class Judged:
    """Counts, laid beside the lists: what has a reason, what is data, what is wrong in a list."""

    counts: Counts
    reasoned: set[CodePoint]
    data: set[CodePoint]
    wrong: list[str]

    def missed(self) -> list[CodePoint]:
        """What was not reached, has no reason, and is no data."""
        left = self.counts.keys() - self.reasoned - self.data
        return sorted(point for point in left if not self.counts[point])

    def told(self) -> Iterator[str]:
        """Yield for people a line for each line of a source that was missed."""
        for (file, line), points in groupby(self.missed(), key=lambda p: (p.file, p.line)):
            ways: dict[str, list[str]] = {}
            for point in points:
                told = point.what if point.signal else point.arm
                ways.setdefault(point.signal or told, []).append(told)
            names = [name if len(some) > 1 else some[0] for name, some in ways.items()]
            yield f"{file}:{line} {', '.join(_shortened(names))}"


def _shortened(names: Sequence[str]) -> Iterator[str]:
    """``word[0]``, ``word[1]``, ``word[2]`` as ``word[0-2]``."""
    found: dict[tuple[str, str], list[int]] = {}
    for name in names:
        match = _BIT.fullmatch(name)
        key, bit = ((match[1], match[3] or ""), int(match[2])) if match else ((name, ""), -1)
        found.setdefault(key, []).append(bit)
    for (name, way), bits in found.items():
        # numbers that follow each other differ from their place by the same
        runs = [[*run] for _, run in groupby(enumerate(sorted(bits)), lambda one: one[1] - one[0])]
        ranges = [f"{run[0][1]}-{run[-1][1]}" if len(run) > 1 else str(run[0][1]) for run in runs]
        yield f"{name}[{','.join(ranges)}]{way}" if bits[0] >= 0 else name


def judge(counts: Counts, entries: Iterable[Entry], early: Collection[CodePoint] = ()) -> Judged:
    """Lay the lists beside what was counted; ``early``: what was reached up to the reset only.

    Registers begin with anything, so what cannot be reached may have been then.
    """
    lines = {file: (ROOT / file).read_text().splitlines() for file in {p.file for p in counts}}
    judged = Judged(counts, set(), set(), [])
    for entry in entries:
        found = entry.of(counts, lines)
        if not found:
            judged.wrong.append(f"{entry.told()} is not there")
        elif entry.kind == "data":
            judged.data |= found
        elif any(counts[point] and point not in early for point in found):
            judged.wrong.append(f"{entry.told()} was reached: take it off the list")
        else:
            judged.reasoned |= found
    return judged


def show_rtl_coverage(
    console: Console, out: Path, profile: str, block: str, folders: Iterable[Path]
) -> bool:
    """Merge what the runs in ``folders`` counted, print and write it; whether the lists are true.

    Below ``out/<block>/rtl``: ``coverage.dat`` (Verilator's format), ``coverage.info`` (lcov), and
    each source with counts. The files of the runs are removed. ``UsageError``: a damaged file or
    list. ``OSError``: it cannot be written.
    """
    folders = list(folders)
    with for_user(ValueError):
        counts, early = rtl.merge_counts(folders)
    judged = judge(counts, _entries_of(block, profile), early)
    _write(out / block / "rtl", counts)
    for folder in folders:
        (folder / rtl.FILE).unlink()
        (folder / rtl.AT_RESET).unlink()
    say(console, f"RTL of {block}, by module:")
    table = table_of(HEADS[0], *(f">{name}" for name in HEADS[1:]))
    for row in _rows(judged):
        table.add_row(*row)
    console.print(table)
    texts = [f"not reached: {text}" for text in judged.told()]
    if len(texts) > _MOST:
        texts[_MOST:] = [f"not reached: something of {len(texts) - _MOST} more lines"]
    texts += [f"error: {text}" for text in judged.wrong]
    say(console, *texts, f"sources with counts: {out / block / 'rtl'}")
    return not judged.wrong


def modules(out: Path, block: str, profile: str) -> list[Sequence[str]]:
    """A row for each module, of what an earlier :func:`show_rtl_coverage` wrote; as ``HEADS``.

    None where nothing was counted; ``UsageError`` for a damaged file or list.
    """
    path = out / block / "rtl" / rtl.FILE
    if not path.is_file():
        return []
    with for_user(ValueError):
        return list(_rows(judge(rtl.read_counts(path), _entries_of(block, profile))))


def _entries_of(block: str, profile: str) -> list[Entry]:
    described = load_block(block)
    # Of a block that only joins others the RTL is theirs, and so are the lists.
    names = (described.counted or described.rtl) if described.dut else ()
    entries = [one for name in names for one in read_list(ROOT / "rtl" / name)]
    return [one for one in entries if one.profile in ("", profile)]


def _write(folder: Path, counts: Counts) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / rtl.FILE, rtl.dat(counts).encode())
    write_whole(folder / "coverage.info", rtl.lcov(counts, ROOT).encode())
    for file in {point.file for point in counts}:
        own = {point: n for point, n in counts.items() if point.file == file}
        text = rtl.annotated((ROOT / file).read_text(), own)
        write_whole(folder / Path(file).name, text.encode())


def _rows(judged: Judged) -> Iterator[Sequence[str]]:
    for module in (*sorted({point.module for point in judged.counts}), "together"):
        own = {p: n for p, n in judged.counts.items() if module in (p.module, "together")}
        to_reach = {p: n for p, n in own.items() if p not in judged.reasoned}
        lines = [n for found in rtl.by_line(to_reach).values() for n in found.values()]
        arms = [n for point, n in to_reach.items() if point.kind != "toggle"]
        toggles = [(p in judged.data, n) for p, n in to_reach.items() if p.kind == "toggle"]
        yield (
            module,
            _hit(lines),
            _hit(arms),
            _hit([n for data, n in toggles if not data]),
            _hit([n for data, n in toggles if data]),
            str(len(own) - len(to_reach) or ""),
        )


def _hit(counts: Sequence[int]) -> str:
    """``98 of 99``; nothing of nothing."""
    return f"{sum(n > 0 for n in counts)} of {len(counts)}" if counts else ""
