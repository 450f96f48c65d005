# SPDX-License-Identifier: Apache-2.0
"""Two rules about what people read: decisions exist and are cited, documents have no endless lines.

A decision is an entry ``### F12 — title`` of ``docs/decisions``. A citation is a family's letter
and a number from 1 on, or a range (C1-C5, C1 to C5), where somebody explains something: in a
comment or a string of a program, in what a table says of an entry, in a document.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tilepath.cli.houserules import project_files

DECISIONS = "docs/decisions"
WIDEST = 160
"""Columns of a line of a document, outside of tables and code."""
_PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")  # those at the root

_ENTRY = re.compile(r"### ([ACFMPTU][1-9]\d?) — \S")
# Not a citation: 0xA5, 8'hA5, A0_addr, E5M2 (no boundary), §A1, A1.5, F05 (leading 0), A0.
_CITED = re.compile(
    r"(?<![\w.§$'#])(?P<family>[ACFMPTU])(?P<first>[1-9]\d?)"
    r"(?:(?:\s*(?:-|–|…|\.{2,3}|\bto\b|\bthrough\b)\s*(?P=family)|[-–])(?P<last>[1-9]\d?))?"
    r"(?!\w|\.\d)"
)
# Opcodes ("opcodes A2, A6 and A7") and names of types look like citations too.
_NONE = re.compile(
    r"\b(?:[Oo]pcodes?|hex)\b(?:[ :=`,;–-]|…|\b(?:and|or|to|[\dA-F]{2,3})\b)+|\bF(?:32|64)\b"
)
# T1 is a thread, a timeline or a template too: a citation only by itself in brackets.
_ALONE = re.compile(r"\((?:[ACFMPTU]\d+(?:, |; | and | to |[-–])?)+\)")
_TOML_KEY = re.compile(r"^\s*(?:source|meaning|title|note|reason|breaks)\s*=(.*)$")
_SV_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_FENCE = ("```", "~~~")


def decisions(root: Path) -> Counter[str]:
    """How often each number has an entry in docs/decisions."""
    found: Counter[str] = Counter()
    for path in sorted((root / DECISIONS).glob("*.md")):
        for line in path.read_text().splitlines():
            if entry := _ENTRY.match(line):
                found[entry[1]] += 1
    return found


def citations(path: Path, root: Path) -> Iterator[tuple[int, str]]:
    """Every decision that a file cites, with the line; of a range the first to the last."""
    thread_or_timeline = "flag_pipe" not in path.relative_to(root).as_posix()
    for number, text in _explanations(path):
        if not _CITED.search(text):
            continue
        bare = thread_or_timeline and not text.lstrip().startswith("source")
        alone = [match.span() for match in _ALONE.finditer(text)]
        for match in _CITED.finditer(_NONE.sub(_blank, text)):
            inside = any(begin < match.start() < end for begin, end in alone)
            if match["family"] == "T" and bare and not inside:
                continue
            line = number + text.count("\n", 0, match.start())
            first, last = int(match["first"]), int(match["last"] or match["first"])
            for k in range(first, last + 1) if first <= last else (first, last):
                yield line, f"{match['family']}{k}"


def citation_problems(root: Path) -> Iterator[str]:
    """Name every cited decision without an entry, every number with two, every entry uncited."""
    known = decisions(root)
    cited = set()
    for number, times in known.items():
        if times > 1:
            yield f"{DECISIONS}: {number} has {times} entries"
    for path in project_files(root):
        for line, number in citations(path, root):
            if path.parent != root / DECISIONS:
                cited.add(number)
            if number not in known:
                yield f"{path.relative_to(root)}:{line}: {number} is not in {DECISIONS}"
    for number in sorted(known.keys() - cited):
        yield f"{DECISIONS}: {number} is cited nowhere"


def long_lines(root: Path) -> Iterator[str]:
    """Name every line of a document that is too long and is neither of a table nor code."""
    for path in project_files(root):
        name = path.relative_to(root)
        if path.suffix == ".md" and (name.parts[0] == "docs" or name.as_posix() in _PAGES):
            for number, line in _prose(path.read_text()):
                if len(line) > WIDEST and not line.lstrip().startswith("|"):
                    yield f"{name}:{number}: {len(line)} columns; {WIDEST} at most"


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _explanations(path: Path) -> Iterator[tuple[int, str]]:
    """Parts of a file in which somebody explains something, each with the line it begins in."""
    kind = "Makefile" if path.name == "Makefile" else path.suffix
    if kind == ".py":
        yield from _of_python(path.read_text())
    elif kind in (".sv", ".svh"):
        text = path.read_text()
        for match in _SV_COMMENT.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, match[0]
    elif kind == ".md":
        yield from _prose(path.read_text())
    elif kind in (".toml", ".tt", ".pipe", "Makefile"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if kind == ".toml" and _TOML_KEY.match(line):
                yield number, line
            elif "#" in line:
                yield number, line[line.index("#") :]


def _of_python(text: str) -> Iterator[tuple[int, str]]:
    """Comments and strings, of f-strings the literal parts; none if nothing could be a citation."""
    if not _CITED.search(text):
        return
    kinds = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in kinds:
                yield token.start[0], token.string
    except (tokenize.TokenError, SyntaxError):  # ruff says so
        return


def _prose(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a document outside of code blocks."""
    code = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith(_FENCE):
            code = not code
        elif not code:
            yield number, line
