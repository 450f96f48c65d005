# SPDX-License-Identifier: Apache-2.0
"""The programs of a block: a folder of text files, each a test of its file's name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tilepath.engine.description.stimulus import Context, Stimulus, TestSpec
from tilepath.engine.stimulus.program_text import Loader, Program, ProgramError

SUFFIX: Final = ".tt"


@dataclass(frozen=True)
class ProgramFiles:
    """The program files in ``directory``.

    ``loader`` plays their lines; ``floor`` has the fewest events that the test of a program must
    have seen, given the threads that it has lines for.
    """

    directory: Path
    loader: type[Loader]
    floor: Callable[[Sequence[int]], Mapping[str, int]]

    def names(self) -> tuple[str, ...]:
        """Names of the programs, in alphabetical order."""
        return tuple(sorted(path.stem for path in self.directory.glob(f"*{SUFFIX}")))

    def path(self, name: str) -> Path:
        """The file of the program ``name``."""
        return self.directory / f"{name}{SUFFIX}"

    def load(self, program: str | Path, profile: str) -> Program:
        """Read a program by its name, or a file that may be anywhere.

        ``ProgramError`` for an unreadable, truncated or malformed one.
        """
        path = self.path(program) if isinstance(program, str) else program
        return self.loader(path, _read(path), profile).load()

    def test(self, name: str) -> TestSpec:
        """The program ``name`` as a test; its first comment is the summary."""
        summary, threads = _summary_and_threads(self.path(name))

        def stimulus(ctx: Context) -> Stimulus:
            return self.load(name, ctx.profile).stimulus()

        return TestSpec(name, summary, "program", stimulus, floor=self.floor(threads))

    def tests(self) -> dict[str, TestSpec]:
        """Name → test, of all programs."""
        return {name: self.test(name) for name in self.names()}


def _read(path: Path) -> str:
    """The text of a program; :class:`ProgramError` for a file that cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ProgramError(f"{path}:0: cannot be read: {reason}") from None


def _summary_and_threads(path: Path) -> tuple[str, list[int]]:
    """A program's first comment, and the threads that it has lines for."""
    text = path.read_text(encoding="utf-8", errors="replace")
    comments = (line[1:].strip() for line in text.splitlines() if line.startswith("#"))
    summary = next((line for line in comments if not line.startswith("SPDX")), "")
    return summary, sorted({int(n) for n in re.findall(r"(?m)^thread ([0-2])", text)})
