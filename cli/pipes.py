# SPDX-License-Identifier: Apache-2.0
"""What ``tilepath check-pipe`` and ``tilepath expand-pipe`` do, and ``run`` with a program file."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from tilepath.engine.commands.errors import UsageError, for_user, writing
from tilepath.engine.commands.own_tests import become_tests
from tilepath.engine.host.files import open_regular
from tilepath.models.pipe_program import (
    Diag,
    PipeProgramError,
    Program,
    Report,
    check,
    expand,
    load,
    to_text,
)
from tilepath.tb.flag_pipe.streams import OWN_PROGRAMS

_PIPED: Final = ("/dev/stdin", "/dev/fd/")  # what a shell hands over


def own_programs(tests: Sequence[str]) -> tuple[str, ...]:
    """Names of tests, some of which are program files, as ``become_tests`` has it."""

    def can_be_read(file: Path) -> None:
        _refuse_others(file)  # it is read again, by each simulator
        _load(file)

    return become_tests(tests, ".pipe", "flag_pipe", OWN_PROGRAMS, can_be_read)


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
    with for_user(PipeProgramError):
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


def _refuse_others(path: Path) -> None:
    """``UsageError`` for a FIFO or a device, which may never end; a missing file is told later."""
    try:
        os.close(open_regular(path))
    except OSError as error:
        if error.errno == errno.EINVAL:
            raise UsageError(f"{path}: cannot be read: {error.strerror}") from None


def _load(path: Path) -> Program:
    if not str(path).startswith(_PIPED):
        _refuse_others(path)
    with for_user(PipeProgramError):
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
    also = {"also": asdict(diag.also)} if diag.also else {}
    return {"code": diag.code, "func": diag.func, **asdict(diag.where), "message": diag.msg, **also}
