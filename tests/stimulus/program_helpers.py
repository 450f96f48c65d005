# SPDX-License-Identifier: Apache-2.0
"""Programs in text files, written for a test."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.engine.description.packing import Items
from tilepath.engine.stimulus.program_files import ProgramFiles
from tilepath.engine.stimulus.program_text import ProgramError
from tilepath.sequences.control.programs import PROGRAMS as CONTROL
from tilepath.sequences.frontend.programs import PROGRAMS as FRONTEND
from tilepath.sequences.pack.programs import PROGRAMS as PACK
from tilepath.sequences.unpack.programs import PROGRAMS as UNPACK

FILES: Final[dict[str, ProgramFiles]] = {
    "control": CONTROL,
    "frontend": FRONTEND,
    "pack": PACK,
    "unpack": UNPACK,
}


def load(block: str, folder: Path, *lines: str) -> dict[str, Items]:
    """The players of a program of these lines."""
    path = folder / "a.tt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return dict(FILES[block].load(path, "baseline").players)


def assert_refused(block: str, folder: Path, text: str, says: str, good: str) -> None:
    """A program with ``text`` (one line or two) behind a ``good`` one is refused, for this reason.

    The error is one line, which names the file and the bad line.
    """
    bad = [f"{line}  # bad" for line in text.split("\n")]
    with pytest.raises(ProgramError) as caught:
        load(block, folder, "thread 0", good, "", *bad, "end")
    message = str(caught.value)
    place = f"{folder / 'a.tt'}:"
    assert message.startswith(place) and "\n" not in message and says in message
    assert message.removeprefix(place).split(":")[0] in [str(4 + n) for n in range(len(bad))]
