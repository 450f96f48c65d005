# SPDX-License-Identifier: Apache-2.0
"""What ``tilepath check-pipe`` and ``tilepath expand-pipe`` do, and ``run`` with a program file."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tilepath.engine.commands.errors import for_user, writing
from tilepath.engine.commands.own_tests import become_tests
from tilepath.engine.text import TextError
from tilepath.models.pipe_program import (
    Diag,
    Program,
    Report,
    check,
    expand,
    load,
    to_text,
)
from tilepath.tb.flag_pipe.streams import OWN_PROGRAMS


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
