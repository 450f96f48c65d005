# SPDX-License-Identifier: Apache-2.0
"""The deliberate bugs of this folder, and how to plant one into a copy of the RTL.

A bug is a unified diff against the repository, with a header of four lines: licence, ``bug:`` what
is wrong, ``breaks:`` the decision it breaks, ``caught by:`` the test to try first. ``patch -p1``
and ``git apply`` take the files as they are.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tb.kernel.block import ROOT

FOLDER: Final = Path(__file__).resolve().parent

_HEADER: Final = re.compile(
    r"SPDX-License-Identifier: Apache-2\.0\n"
    r"bug: (?P<what>.+)\nbreaks: (?P<breaks>F\d+)\ncaught by: (?P<caught_by>\w+)\n(?P<diff>--- .*)",
    re.DOTALL,
)
_HUNK: Final = re.compile(r"^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@.*\n", re.MULTILINE)


@dataclass(frozen=True)
class Bug:
    """One deliberate bug; ``diff`` is the patch without its header."""

    name: str
    what: str
    breaks: str
    caught_by: str
    diff: str


def names() -> list[str]:
    """The names of all bugs."""
    return sorted(path.stem for path in FOLDER.glob("*.patch"))


def read(name: str) -> Bug:
    """The bug called ``name``; ``ValueError`` when its header is not as it should be."""
    path = FOLDER / f"{name}.patch"
    match = _HEADER.fullmatch(path.read_text())
    if match is None:
        raise ValueError(f"{path.name} does not begin with SPDX, bug:, breaks:, caught by: lines")
    return Bug(name=name, **match.groupdict())


def plant(bug: Bug, folder: Path) -> Path:
    """Copy ``rtl/`` into ``folder`` and put ``bug`` in; the new source root.

    ``ValueError`` when the patch no longer fits. Done here, because neither ``patch`` nor ``git``
    need be there, and both accept places that only look similar.
    """
    shutil.copytree(ROOT / "rtl", folder / "rtl")
    for part in re.split(r"^--- a/", bug.diff, flags=re.MULTILINE)[1:]:
        name, _, hunks = part.partition("\n")
        path = folder / name
        if not path.is_file():
            raise ValueError(f"bug {bug.name} no longer applies: there is no {name}")
        path.write_text(_patched(bug, name, path.read_text(), hunks))
    return folder


def _patched(bug: Bug, name: str, text: str, hunks: str) -> str:
    pieces = _HUNK.split(hunks)[1:]
    for line, body in zip(pieces[::2], pieces[1::2], strict=True):
        lines = body.splitlines(keepends=True)
        old = "".join(x[1:] for x in lines if x[0] in " -")
        new = "".join(x[1:] for x in lines if x[0] in " +")
        at = _place(text, old, int(line))
        if at < 0:
            raise ValueError(f"bug {bug.name} no longer applies to {name}, line {line}:\n{body}")
        text = text[:at] + new + text[at + len(old) :]
    return text


def _place(text: str, old: str, line: int) -> int:
    """Offset of the lines ``old``: at ``line``, else in the only place where they are; or -1."""
    lines = text.splitlines(keepends=True)
    at = sum(len(x) for x in lines[: line - 1])
    if text.startswith(old, at):
        return at
    found = [m.end() for m in re.finditer("^", text, re.MULTILINE) if text.startswith(old, m.end())]
    return found[0] if len(found) == 1 else -1
