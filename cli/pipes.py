# SPDX-License-Identifier: Apache-2.0
"""``tilepath check-pipe``, ``expand-pipe`` and ``pipe-timeline``, and ``run`` of a program file."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from tilepath.engine.commands.errors import UsageError, for_user, writing
from tilepath.engine.commands.given import read_run
from tilepath.engine.commands.own_tests import become_tests
from tilepath.engine.text import TextError
from tilepath.isa.boundary.flag_pipe import PAIRS
from tilepath.models.pipe_program import Diag, Program, Report, check, expand, load, to_text
from tilepath.tb.flag_pipe.streams import OWN_PROGRAMS
from tilepath.tb.flag_pipe.timeline import read_timeline
from tilepath.tb.flag_pipe.timeline_svg import draw


def own_programs(tests: Sequence[str]) -> tuple[str, ...]:
    """Names of tests, some of which are program files, as ``become_tests`` has it."""
    return become_tests(tests, ".pipe", "flag_pipe", OWN_PROGRAMS, _load)


def check_pipe(path: Path, *, as_json: bool) -> int:
    """Print what the checker says of the program in a file; 1 if there are errors, else 0.

    Raises:
        UsageError: a file that cannot be read or is no program.
    """
    report = check(_load(path))
    if as_json:
        print(json.dumps(_for_machines(path, report), indent=2))
    else:
        for line in (*_complaints(report), *_summary(report)):
            print(line)
    return 1 if report.errors else 0


def expand_pipe(path: Path, out: Path | None) -> int:
    """Write the completed program; 1, and why on stderr, if there is none that passes.

    Raises:
        UsageError: a file that cannot be read or written, or is no program to be completed.
    """
    with for_user(TextError):
        expanded = expand(_load(path))
    for line in _complaints(expanded.report):
        print(line, file=sys.stderr)
    if expanded.program is None:
        return 1
    text = to_text(expanded.program, expanded.report.resolved_bases)
    if out is None:
        print(text, end="")
        return 0
    with writing(out):
        out.write_text(text, encoding="utf-8")
    return 0


@for_user(TextError)
def _load(path: Path) -> Program:
    return load(path)


def _complaints(report: Report) -> Iterator[str]:
    found = [(diag, "error") for diag in report.errors]
    found += [(diag, "warning") for diag in report.warnings]
    for diag, kind in sorted(found, key=lambda item: item[0].where):
        yield f"{diag.where}: {kind} {diag.code}: {diag.msg}"
        if diag.also:
            yield f"{diag.also}: note: the other place"


def _summary(report: Report) -> Iterator[str]:
    for (func, name), base in report.resolved_bases.items():
        yield f"@{func}: {name} at {base:#x}"
    count = f"{len(report.errors)} errors, {len(report.warnings)} warnings"
    yield f"{report.verdict}: {count}, end: {report.kpn}"


def _for_machines(path: Path, report: Report) -> dict[str, Any]:
    return {
        "file": str(path),
        "verdict": report.verdict,
        "kpn": str(report.kpn),
        "bases": [
            {"func": func, "name": name, "base": base}
            for (func, name), base in report.resolved_bases.items()
        ],
        "errors": [_diag(diag) for diag in report.errors],
        "warnings": [_diag(diag) for diag in report.warnings],
    }


def _diag(diag: Diag) -> dict[str, Any]:
    also = {"also": diag.also._asdict()} if diag.also else {}
    place = {"code": diag.code, "func": diag.func, **diag.where._asdict()}
    return place | {"message": diag.msg} | also


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
