# SPDX-License-Identifier: Apache-2.0
"""Programs in text files, written for a test."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tilepath.engine.description.packing import Items
from tilepath.engine.stimulus.programs import ProgramFiles
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
