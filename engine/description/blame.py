# SPDX-License-Identifier: Apache-2.0
"""An exception of somebody's code in one line, with the place that its author has to look at."""

from __future__ import annotations

import re
import sysconfig
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[3]
_KERNEL: Final = tuple(_ROOT / name for name in ("engine", "engine/stimulus", "cli"))
_WORDS: Final = ("config", "words", "builder")  # of blocks, also for files of one's own
# Where an exception is raised because somebody else called it wrongly.
_SERVANTS: Final = (
    *(*_KERNEL, _ROOT / "isa", _ROOT / "models", *_ROOT.glob("tb/*/items.py")),
    *(path for name in _WORDS for path in _ROOT.glob(f"sequences/*/{name}.py")),
)
_LIBRARIES: Final = tuple(
    Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "purelib", "platlib")
)
_HAS_PLACE: Final = re.compile(r"\S[^:\n]*:\d+(:\d+)?: ")


def told(error: BaseException) -> str:
    """``file:line: Kind: what it says`` in one line; without a place where none can be to blame.

    The file is relative to the project if it is in it. What names its place itself stays as it is.
    """
    if isinstance(error, SyntaxError) and error.filename:
        place = f"{_short(Path(error.filename))}:{error.lineno}: "
        return f"{place}{type(error).__name__}: {error.msg}"
    text = " ".join(str(error).split())
    if isinstance(error, ValueError) and _HAS_PLACE.match(text):
        return text
    kind = type(error).__name__
    return _place(error) + (f"{kind}: {text}" if text else kind)


def _place(error: BaseException) -> str:
    frames = [(path, line) for path, line in _frames(error) if not _below(path, _LIBRARIES)]
    authors = [(path, line) for path, line in frames if not _below(path, _SERVANTS)]
    # else a model's own error, or that of a table: where it was raised
    others = [(path, line) for path, line in frames if not _below(path, _KERNEL)]
    chosen = authors or others
    return f"{_short(chosen[-1][0])}:{chosen[-1][1]}: " if chosen else ""


def _frames(error: BaseException) -> Iterator[tuple[Path, int]]:
    for frame in traceback.extract_tb(error.__traceback__):
        path = Path(frame.filename).resolve()
        if path.is_file():  # no "<string>", and no source of a compiled extension
            yield path, frame.lineno or 0


def _below(path: Path, folders: tuple[Path, ...]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _short(path: Path) -> Path:
    path = path.resolve()
    return path.relative_to(_ROOT) if path.is_relative_to(_ROOT) else path
