# SPDX-License-Identifier: Apache-2.0
"""Deliberate bugs: how they are kept, what they change, and how they look as a diff.

``tests/<block>/bugs.toml`` has a block's bugs. A bug is a table: ``what`` is wrong, the decision
that it ``breaks``, the test to try first (``caught_by``), the ``profile`` if another than the
default one alone shows it, and where: in ``file`` the whole lines ``old``, which stand there once,
become ``new`` (empty: nothing). A bug in several places has the others in ``also``, of the same
file unless another is named.
"""

from __future__ import annotations

import difflib
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tilepath.engine.commands.errors import UsageError, for_user
from tilepath.engine.description.block import ROOT, Block
from tilepath.engine.errors import there_are
from tilepath.engine.host.files import read_tables
from tilepath.engine.project import project

ASSERTIONS: Final = re.compile(r"^`ifndef SYNTHESIS\n.*?^`endif\n", re.MULTILINE | re.DOTALL)
_KEYS: Final = {"what", "breaks", "caught_by", "file", "old", "new"}
_PLACE: Final = {"file", "old", "new"}


@dataclass(frozen=True)
class Place:
    """The lines ``old`` of ``file`` become the lines ``new``; ``file`` is a path in the project."""

    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Change:
    """What a bug does at one place: ``file`` is to have ``new`` from ``start`` to ``end``.

    ``start`` and ``end`` are offsets in characters.
    """

    file: str
    start: int
    end: int
    new: str


@dataclass(frozen=True)
class Bug:
    """One deliberate bug; ``where`` is its file and line."""

    name: str
    what: str
    breaks: str
    caught_by: str
    places: tuple[Place, ...]
    where: str
    profile: str

    def changes(self) -> Iterator[Change]:
        """What it changes in the project's files, line by line where it can be told apart.

        Raises:
            UsageError: a file or its old text is not there, or the text stands there twice.
        """
        for place in self.places:
            path = ROOT / place.file
            if not path.is_file():
                raise UsageError(f"{self.where}: {self.name}: there is no {place.file}")
            text = path.read_text()
            places = [
                found.start()
                for found in re.finditer(f"^{re.escape(place.old)}", text, re.MULTILINE)
            ]
            if len(places) != 1:
                times = f"{len(places)} times" if places else "not"
                line = place.old.strip().partition("\n")[0]
                raise UsageError(f"{self.where}: {self.name}: {line!r} is {times} in {place.file}")
            yield from _changes(place, places[0])

    def planted(self) -> dict[str, str]:
        """File → its text with the bug."""
        found: dict[str, str] = {}
        for change in sorted(self.changes(), key=lambda one: -one.start):
            text = found.setdefault(change.file, (ROOT / change.file).read_text())
            found[change.file] = text[: change.start] + change.new + text[change.end :]
        return found

    def diff(self) -> str:
        """It as a unified diff against the project, for ``patch -p1`` and ``git apply``."""
        lines: list[str] = []
        for name, text in sorted(self.planted().items()):
            before = (ROOT / name).read_text().splitlines(keepends=True)
            after = text.splitlines(keepends=True)
            lines += difflib.unified_diff(before, after, f"a/{name}", f"b/{name}")
        return "".join(lines)


def _changes(place: Place, at: int) -> Iterator[Change]:
    """Its changes where ``old`` begins at ``at``: each line its own, where as many."""
    old, new = place.old.splitlines(keepends=True), place.new.splitlines(keepends=True)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for kind, first, last, begin, end in matcher.get_opcodes():
        before, after = old[first:last], new[begin:end]
        if kind != "equal":
            if len(before) != len(after):
                before, after = ["".join(before)], ["".join(after)]
            offset = at
            for line, other in zip(before, after, strict=True):
                yield Change(place.file, offset, offset + len(line), other)
                offset += len(line)
        at += sum(map(len, old[first:last]))


def read_bugs(path: Path) -> dict[str, Bug]:
    """The bugs of a file by name.

    Raises:
        UsageError: it is no TOML, or an entry has not the keys that it should have.
    """
    with for_user(ValueError):
        tables = read_tables(path, ROOT)
    return {name: _bug(name, entry, where) for name, entry, where in tables}


def _bug(name: str, entry: Any, where: str) -> Bug:
    own = entry.copy() if isinstance(entry, dict) else {}
    also = own.pop("also", [])
    if not isinstance(also, list) or not all(isinstance(place, dict) for place in also):
        raise UsageError(f"{where}: also of {name} is no [[{name}.also]]")
    profile = own.pop("profile", project().profiles.DEFAULT)
    rest = [{"file": own.get("file"), **place} for place in also]
    for given, wanted in ((own, _KEYS), *((place, _PLACE) for place in rest)):
        if given.keys() != wanted or {*map(type, given.values()), type(profile)} != {str}:
            raise UsageError(f"{where}: {name} needs the texts {', '.join(sorted(wanted))}")
    try:
        project().profiles.get(profile)
    except ValueError as error:
        raise UsageError(f"{where}: {name}: {error}") from None
    places = tuple(
        Place(place["file"], *(_lines(place[key]) for key in ("old", "new")))
        for place in (own, *rest)
    )
    return Bug(name, own["what"], own["breaks"], own["caught_by"], places, where, profile)


def _lines(text: str) -> str:
    """Whole lines: TOML's text of one line has no end of it."""
    return f"{text}\n" if text else ""


def copy_sources(folder: Path, block: Block, assertions: bool = True) -> None:
    """Copy ``rtl/`` into ``folder``, and the bench's HDL where ``block`` is part of the bench."""
    for name in ("rtl", *(("engine/hdl", *block.own_folders) if block.is_bench else ())):
        shutil.copytree(ROOT / name, folder / name)
    for path in () if assertions else folder.rglob("*.sv"):
        path.write_text(ASSERTIONS.sub("", path.read_text()))


def bug_files() -> list[Path]:
    """All files of bugs of the checkout; none where the package is installed."""
    return sorted(ROOT.glob("tests/*/bugs.toml"))


def bug_problems() -> Iterator[str]:
    """Name every bug that is not as it should be, or that no longer fits."""
    for path in bug_files():
        try:
            bugs = read_bugs(path)
        except UsageError as error:
            yield str(error)
            continue
        for bug in bugs.values():
            try:
                list(bug.changes())
            except UsageError as error:
                yield str(error)


def find_bug(name: str) -> Bug:
    """The bug called ``name``, or ``block/name`` where two blocks have one.

    Raises:
        UsageError: there is none, or more than one.
    """
    known: dict[str, list[Bug]] = {}
    for path in bug_files():
        for bug in read_bugs(path).values():
            for called in (bug.name, f"{path.parent.name}/{bug.name}"):
                known.setdefault(called, []).append(bug)
    if not known:
        raise UsageError("planted bugs are in the project's checkout, which this is not")
    found = known.get(name, [])
    if len(found) > 1:
        raise UsageError(f"{name} is {', '.join(bug.where for bug in found)}: say of which block")
    if not found:
        alike = [one for one in known if ("/" in one) == ("/" in name)]
        raise UsageError(f"there is no bug {name!r}; {there_are(alike, name)}")
    return found[0]
