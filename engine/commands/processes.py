# SPDX-License-Identifier: Apache-2.0
"""End the processes that runs have started, whichever process group they are in."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from types import FrameType
from typing import Any

from tilepath.engine.host import locks

# A terminated make removes what it had half built; a killed one cannot.
_GRACE_SECONDS = 3.0
_GIVE_UP_SECONDS = 10.0


_NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(BaseException):
    """A signal asks for the end. A BaseException, so that no run takes it for a failure."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_status = 128 + number


@contextlib.contextmanager
def signals_raise() -> Iterator[None]:
    """Inside, Ctrl-C, SIGTERM and a closed terminal raise :class:`Interrupted`, the first of them.

    The others are ignored from then on, outside too: a ``make`` that is terminated sends two, and
    the second must not end this process before it has ended everything below it.
    """
    before = {number: signal.signal(number, _raise_interrupted) for number in _NUMBERS}
    interrupted = False
    try:
        yield
    except Interrupted:
        interrupted = True
        raise
    finally:
        if not interrupted:
            for number, handler in before.items():
                signal.signal(number, handler)


def _raise_interrupted(number: int, _frame: FrameType | None) -> None:
    for other in _NUMBERS:
        signal.signal(other, signal.SIG_IGN)
    raise Interrupted(number)


def descendants() -> list[int]:
    """Process ids of all live children, grandchildren and so on of this process."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        # A process may end while it is looked at.
        with contextlib.suppress(OSError, ValueError):
            # The command's name, in parentheses, may contain anything; the state follows it.
            state, parent, *_ = stat.read_text(errors="replace").rpartition(")")[2].split()
            if state != "Z":
                children.setdefault(int(parent), []).append(int(stat.parent.name))
    found: list[int] = []
    todo = [os.getpid()]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


def end_descendants(pending: list[Future[Any]]) -> None:
    """End every process below this one and wait until the threads in ``pending`` have noticed.

    Those that wait for a lock of another process give up.
    """
    locks.given_up.set()
    try:
        _end_descendants(pending)
    finally:
        locks.given_up.clear()


def _end_descendants(pending: list[Future[Any]]) -> None:
    began = time.monotonic()
    groups: set[int] = set()
    while time.monotonic() - began < _GIVE_UP_SECONDS:
        alive = descendants()
        if not alive and all(future.done() for future in pending):
            return
        polite = time.monotonic() - began < _GRACE_SECONDS
        number = signal.SIGTERM if polite else signal.SIGKILL
        for process in alive:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                groups.add(os.getpgid(process))
                os.kill(process, number)
        # A grandchild whose parent is gone is found by its group only.
        for group in groups - {os.getpgrp()}:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, number)
        time.sleep(0.1)
