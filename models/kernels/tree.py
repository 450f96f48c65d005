# SPDX-License-Identifier: Apache-2.0
"""Lines of a kernel, and the blocks that they make with ``{`` and ``}``."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from tilepath.models.kernels.program import KernelError, Where

MAX_BYTES: Final = 1 << 20
"""Longest text of a kernel."""
MAX_DEPTH: Final = 20
"""Most blocks in one another."""

_COMMENT: Final = re.compile(r'^((?:[^#"]|"[^"]*"?)*)')
# of a line, to a { that opens a block or before a } that closes one: those in names have no spaces
_INSIDE: Final = r"\{[^\s{}]+\}\w"
_PART: Final = re.compile(
    r'\s*(\}?(?:[^\s"{]|(?<!\s)\{(?=\S)|"[^"]*"?|'
    rf"{_INSIDE}|\s+(?:(?![\s{{}}])|(?={_INSIDE})))*(?:\s*\{{)?)"
)


@dataclass
class Line:
    """A statement: ``text`` without comment and brace; ``body``: the lines of its block.

    ``behind``: the line of its ``else``. ``brace``: columns from the first one to the brace.
    """

    where: Where
    text: str
    body: list[Line] | None = None
    behind: Line | None = None
    brace: int = 0

    def at(self, part: str) -> Where:
        """The place of the first ``part`` in the line; its beginning if it is not there."""
        whole = re.search(rf"(?<!\w){re.escape(part)}(?!\w)", self.text)
        found = whole.start() if whole else max(self.text.find(part), 0)
        file, line, column = self.where
        return Where(file, line, column + (found if part else 0))

    def error(self, what: object, part: str = "") -> KernelError:
        """What is wrong with ``part`` of the line."""
        return self.at(part).error(what)

    @property
    def word(self) -> str:
        """Return its first word."""
        return self.text.split(None, 1)[0]

    @property
    def rest(self) -> str:
        """What follows the first word."""
        return self.text[len(self.word) :].strip()


def opened(path: Path) -> BinaryIO:
    """A file to be read; ``OSError`` also for what is none, which may never end."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is not a file")
    return path.open("rb")


def read_text(path: Path) -> str:
    """The text of a file; :class:`KernelError` with its place if it is none."""
    begin = Where(str(path), 1, 1)
    try:
        with opened(path) as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise begin.error(f"cannot be read: {error.strerror}") from None
    if len(data) > MAX_BYTES:
        raise begin.error(f"longer than {MAX_BYTES} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise Where(str(path), line, column).error("this is not UTF-8 text") from None


def _lines(text: str, file: str) -> Iterator[tuple[Where, str]]:
    for number, raw in enumerate(text.split("\n"), 1):
        found = _COMMENT.match(raw)
        line = found[1].rstrip() if found else ""
        bad = next((place for place, char in enumerate(line) if not char.isprintable()
                    and char != "\t"), None)  # fmt: skip
        if bad is not None:
            raise Where(file, number, bad + 1).error(f"character {line[bad]!r}")
        for part in _PART.finditer(line):
            if part[1]:
                yield Where(file, number, part.start(1) + 1), part[1].rstrip()


def tree(text: str, file: str) -> list[Line]:
    """The statements of a text, each with its block."""
    top: list[Line] = []
    opened: list[Line] = []
    for where, line in _lines(text, file):
        statements = opened[-1].body if opened else top
        assert statements is not None
        if not line.startswith("}"):
            _add(Line(where, line), statements, opened)
            continue
        if not opened:
            raise where.error("this } closes nothing")
        closed = opened.pop()
        rest = line[1:].strip()
        if rest.startswith("else"):
            if closed.word != "if":
                raise where.error(f"{closed.word} has no else")
            closed.behind = Line(where, rest)
            _add(closed.behind, [], opened)
            if closed.behind.text != "else" or closed.behind.body is None:
                raise where.error("an else is written } else {")
        elif rest:
            raise where.error(f"{rest!r} behind the }}")
    if opened:
        file, number, column = opened[-1].where
        raise Where(file, number, column + opened[-1].brace).error("this { has no }")
    return top


def _add(line: Line, statements: list[Line], opened: list[Line]) -> None:
    if line.text.endswith("{"):
        if len(opened) == MAX_DEPTH:
            raise line.error(f"more than {MAX_DEPTH} blocks in one another")
        line.body, line.brace = [], len(line.text) - 1
        opened.append(line)
        line.text = line.text[:-1].rstrip()
        if not line.text:
            raise line.error("a { of nothing")
    statements.append(line)
