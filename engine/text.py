# SPDX-License-Identifier: Apache-2.0
"""Files that people write: lines, blocks of them, and what is wrong, told in one way.

Kernels, programs of the flag pipe and programs of a block's words are read with this.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from tilepath.engine.host.files import open_regular

MAX_BYTES: Final = 4 << 20
"""Longest text."""
MAX_DEPTH: Final = 21
"""Most blocks in one another: a function or a thread, and 20 in it."""

_LONGEST: Final = 300  # characters of a message
_PIPED: Final = ("/dev/stdin", "/dev/fd/")  # what a shell hands over
_COMMENT: Final = re.compile(r'^((?:[^#"]|"[^"]*"?)*)')
# of a line, to a { that opens a block or before a } that closes one: those in names have no spaces
_INSIDE: Final = r"\{[^\s{}]+\}\w"
_PART: Final = re.compile(
    r'\s*(\}?(?:[^\s"{]|(?<!\s)\{(?=\S)|"[^"]*"?|'
    rf"{_INSIDE}|\s+(?:(?![\s{{}}])|(?={_INSIDE})))*(?:\s*\{{)?)"
)


class TextError(ValueError):
    """A text that cannot be: one line, ``file:line:column: what is wrong``."""


class Where(NamedTuple):
    """A place in a text; lines and columns from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def error(self, what: object) -> TextError:
        """What is wrong there, in a line that is not too long."""
        text = " ".join(str(what).split())
        return TextError(f"{self}: {text if len(text) <= _LONGEST else text[:_LONGEST] + '…'}")


@dataclass
class Line:
    """A statement: ``text`` without comment and brace; ``body``: the lines of its block.

    ``behind``: the line of its ``else``.
    """

    where: Where
    text: str
    body: list[Line] | None = None
    behind: Line | None = None

    def column(self, place: int) -> Where:
        """The place of a character of the text."""
        return self.where._replace(column=self.where.column + place)

    def at(self, part: str) -> Where:
        """The place of the first ``part`` in the line; its beginning if it is not there."""
        whole = re.search(rf"(?<!\w){re.escape(part)}(?!\w)", self.text)
        return self.column(whole.start() if whole and part else max(self.text.find(part), 0))

    def error(self, what: object, part: str = "") -> TextError:
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
    """A file to be read, or what a shell pipes; ``OSError`` also for what may never end."""
    piped = str(path).startswith(_PIPED)
    return path.open("rb") if piped else os.fdopen(open_regular(path), "rb")


def read_text(path: Path) -> str:
    """The text of a file; :class:`TextError` with its place if it is none."""
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


def lines(text: str, file: str) -> Iterator[Line]:
    """Lines of a text without comments and what stands around; none that is empty then."""
    for number, raw in enumerate(text.split("\n"), 1):
        found = _COMMENT.match(raw)
        line = found[1].rstrip() if found else ""
        plain = line.replace("\t", " ")
        if not plain.isprintable():
            bad = next(place for place, char in enumerate(plain) if not char.isprintable())
            raise Where(file, number, bad + 1).error(f"character {line[bad]!r}")
        if code := line.lstrip():
            yield Line(Where(file, number, len(line) - len(code) + 1), code)


def tree(text: str, file: str) -> Iterator[Line]:
    """The statements of a text, each with its block between ``{`` and ``}``."""
    yield from blocks(_parts(text, file), re.compile(r"\{$"), re.compile(r"\}"), "}")


def _parts(text: str, file: str) -> Iterator[Line]:
    for line in lines(text, file):
        for part in _PART.finditer(line.text):
            if part[1]:
                yield Line(line.column(part.start(1)), part[1].rstrip())


def blocks(
    given: Iterable[Line], begins: re.Pattern[str], ends: re.Pattern[str], end: str
) -> Iterator[Line]:
    """Lines, each with those of its block: from where ``begins`` is found to where ``ends``.

    What is wrong with them is raised behind the lines before it, which may be wrong, too.
    """
    top: list[Line] = []
    wrong = None
    try:
        _nest(given, top, begins, ends, end)
    except TextError as error:
        wrong = error
    yield from top
    if wrong:
        raise wrong


def _nest(
    given: Iterable[Line],
    top: list[Line],
    begins: re.Pattern[str],
    ends: re.Pattern[str],
    end: str,
) -> None:
    around: list[tuple[Line, Where, str]] = []  # with what begins their blocks
    for line in given:
        statements = around[-1][0].body if around else top
        assert statements is not None
        closing, found = ends.match(line.text), begins.search(line.text)
        if found and not closing and not line.text.strip("{"):
            raise line.error("a { of nothing")
        if not closing:
            statements.append(line)
        elif not around:
            raise line.error(f"this {closing[0]} closes nothing")
        else:
            closed = around.pop()[0]
            rest = line.text[closing.end() :].strip()
            if not rest.startswith("else"):
                if rest:
                    raise line.error(f"{rest!r} behind the {closing[0]}")
                continue
            if closed.word != "if":
                raise line.error(f"{closed.word} has no else")
            if not found or rest[:-1].rstrip() != "else":
                raise line.error("an else is written } else {")
            closed.behind = line
        if found:
            line.body = []
            around.append((line, line.column(found.start()), found[0]))
            if found[0] == "{":
                line.text = line.text[:-1].lstrip("}").strip()
            if len(around) > MAX_DEPTH:
                raise line.error(f"more than {MAX_DEPTH} blocks in one another")
    for _, where, token in around[-1:]:
        raise where.error(f"this {token} has no {end}")
