# SPDX-License-Identifier: Apache-2.0
"""Locks of files (``flock``) that other processes take as well: who waits for one says so.

The waiting is not left to the system: a thread in ``flock`` cannot be told that its process ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tilepath.engine.host import files

SAY_AFTER: Final = 1.0
"""Seconds that a lock may be held without a word: many are, for less."""

_LONGEST_PAUSE: Final = 0.1  # seconds between two tries

given_up = threading.Event()
"""While it is set nobody waits for a lock any more: the process ends."""


class GivenUpError(RuntimeError):
    """A lock was waited for until the process had to end."""


@contextlib.contextmanager
def held(path: Path, what: str) -> Iterator[int]:
    """Hold the lock of the file ``path``, once it is free; its file descriptor.

    The file and its folder are made. ``what`` begins the line that is printed, once, when another
    process holds the lock; where ``what`` is empty ``BlockingIOError`` is raised then. Raises
    ``OSError`` where there can be no such file.
    """
    handle = _taken(path, what)
    with os.fdopen(handle):
        yield handle


def _taken(path: Path, what: str) -> int:
    pause, say_at, line = 0.001, time.monotonic() + SAY_AFTER, ""
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):  # its folder was removed in between
            handle = files.open_regular(path, os.O_RDWR | os.O_CREAT)
            with contextlib.ExitStack() as stack:
                stack.callback(os.close, handle)
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    if _same(handle, path):  # it was not removed in between
                        stack.pop_all()
                        return handle
                except BlockingIOError:
                    if not what:
                        raise
                    if line:  # and it is still held
                        print(line, file=sys.stderr, flush=True)
                        line, say_at = "", float("inf")
        if given_up.wait(pause):
            raise GivenUpError(f"{path} is locked: interrupted")
        pause = min(2 * pause, _LONGEST_PAUSE)
        if time.monotonic() > say_at:
            who = holders(path)
            if os.getpid() not in who:  # else a thread of this process, which says what it does
                line = f"tilepath: {what}{named(who)}: waiting for it"
            say_at = time.monotonic() + SAY_AFTER


def _same(handle: int, path: Path) -> bool:
    with contextlib.suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(handle), path.stat())
    return False


def holders(path: Path) -> list[int]:
    """The processes that have a file open, as far as this user may know."""
    found = set()
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError):  # ended meanwhile, or somebody else's
            if link.samefile(path):
                found.add(int(link.parts[2]))
    return sorted(found)


def named(processes: list[int]) -> str:
    """Processes, in parentheses; empty where there is none."""
    return f" (processes: {', '.join(map(str, processes))})" if processes else ""
