# SPDX-License-Identifier: Apache-2.0
"""Commands that tests start, how those must end that are refused, and what others have started."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from typer.testing import Result

ROOT: Final = Path(__file__).resolve().parents[1]
Done = subprocess.CompletedProcess[str]


def call(*command: str | Path, **more: Any) -> Done:
    """What became of ``command``, started in the checkout; ``more``: options of ``run``."""
    usual = {"cwd": ROOT, "capture_output": True, "text": True, "check": False}
    return subprocess.run(command, **{**usual, **more})


def python(*arguments: str | Path, **more: Any) -> Done:
    """Run this Python with ``arguments`` in the same way."""
    return call(sys.executable, *arguments, **more)


def make(*words: str) -> Done:
    """Run make without what a make around pytest has put into the environment."""
    outer = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")
    return call("make", *words, env={k: v for k, v in os.environ.items() if k not in outer})


def passed(done: Done) -> str:
    """What a command has printed that ended with status 0."""
    assert done.returncode == 0, (done.args, done.stdout[-5000:], done.stderr[-5000:])
    return done.stdout


@contextmanager
def begun(
    *arguments: str | Path, stdout: int = subprocess.DEVNULL, **environment: str
) -> Iterator[subprocess.Popen[str]]:
    """Start Python with ``arguments`` in a session of its own; it is killed in the end."""
    with subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def complaints(errors: str) -> list[str]:
    """Lines of stderr but for those that depend on what was compiled, or is now, by others."""
    lines = errors.splitlines()
    return [x for x in lines if not x.startswith("compiling ") and not x.endswith("waiting for it")]


def refused(result: Result | Done, *parts: str, silent: bool = True) -> str:
    """The one line of a command that ended with status 2; ``parts`` are in it.

    ``silent``: and nothing else was printed.
    """
    status = result.exit_code if isinstance(result, Result) else result.returncode
    assert status == 2, (result.stdout, result.stderr)
    if silent:
        assert result.stdout == ""
    (line,) = complaints(result.stderr)
    for part in parts:
        assert part in line, line
    return str(line)


def alive(process: int) -> bool:
    """Whether it is there and has not ended: a zombie has."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for something; the calling test fails when it does not come."""
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "waited in vain"
        time.sleep(0.02)
