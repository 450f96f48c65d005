# SPDX-License-Identifier: Apache-2.0
"""What ``tilepath pipe-timeline`` does."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tilepath.engine.commands.errors import UsageError, writing
from tilepath.engine.commands.given import read_run
from tilepath.isa.boundary.flag_pipe import PAIRS
from tilepath.tb.flag_pipe.timeline import read_timeline
from tilepath.tb.flag_pipe.timeline_svg import draw

USUAL: Final = 300  # cycles that are drawn unless told otherwise
LONGEST: Final = 3000
_BEHIND: Final = 5  # cycles that are drawn behind the last change


def pipe_timeline(
    run_dir: Path, out: Path | None, first: int | None, last: int | None, pair: int | None
) -> str:
    """Draw a run of block flag_pipe; what was written, in words.

    ``first``, ``last``: cycles to draw, counted from the first accepted command. ``pair``: only
    this one. ``out``: the file, by default ``timeline.svg`` in the run's folder.

    Raises:
        UsageError: no such run, one of another block, nothing to draw, no file to write.
    """
    found = read_run(read_timeline, run_dir)
    begin, final = first or 0, min(found.last + _BEHIND, found.cycles - 1)
    end = min(begin + USUAL - 1, final) if last is None else min(last, found.cycles - 1)
    if end < begin:
        raise UsageError(f"no cycles to draw from {begin} to {end if last is None else last}")
    if end - begin >= LONGEST:
        raise UsageError(f"{end - begin + 1} cycles are too many for a picture of {LONGEST}")
    pairs = range(PAIRS) if pair is None else (pair,)
    if not any(set(pairs) & set(command.pairs()) for command in found.commands):
        raise UsageError(f"{run_dir}: no command for pair {pair} was accepted")
    path = out or run_dir / "timeline.svg"
    with writing(path):
        path.write_text(draw(found, begin, end, pairs), encoding="utf-8")
    more = f"; the rest: --from {end + 1}" if last is None and end < final else ""
    return f"wrote {path}: cycles {begin} to {end}, something changes until {found.last}{more}"
