# SPDX-License-Identifier: Apache-2.0
"""The fenced blocks of README.md and docs/, and who runs each or shows that it is right."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import Final, NamedTuple

from tilepath.engine.description.block import ROOT
from tilepath.tests.tables import beside

_FENCE: Final = re.compile(r"^( *)```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)

SHOWN: Final = "shown"
"""Of a block that there is nothing to run of."""

WHO: Final[dict[str, dict[str, str]]] = beside(__file__, "examples")
"""Page → how a block begins → the test, or ``SHOWN``."""


class Block(NamedTuple):
    """A fenced block: its page, its language, its text without indentation, who runs it."""

    page: str
    language: str
    text: str
    who: str


def blocks() -> Iterator[Block]:
    """All of them; ``who`` is empty where nobody is named."""
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        page = path.relative_to(ROOT).as_posix()
        for indent, language, text in _FENCE.findall(path.read_text()):
            plain = textwrap.dedent(text) if indent else text
            known = WHO.get(page, {})
            who = next((by for begin, by in known.items() if plain.startswith(begin)), "")
            yield Block(page, language, plain, who)


def sources(page: str, beginning: str) -> list[str]:
    """The texts of the blocks of ``page`` that begin so."""
    return [b.text for b in blocks() if b.page == page and b.text.startswith(beginning)]


def commands() -> Iterator[tuple[str, str]]:
    """Page and command line, of each make or tilepath in a code span or a shell block."""
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        page, text = path.relative_to(ROOT).as_posix(), path.read_text()
        prose = _FENCE.sub("", text)
        for span in re.findall(r"`([^`\n]+)`", prose):
            if re.match(r"(make|tilepath) ", span):
                yield page, span
        for block in blocks():
            if block.page == page and block.language == "":
                for line in block.text.splitlines():
                    if re.match(r"(make|tilepath) ", line):
                        yield page, line.partition("#")[0].strip()
