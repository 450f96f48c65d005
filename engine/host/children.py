# SPDX-License-Identifier: Apache-2.0
"""What every child process gets: an end when this one has died, and the locks that it works under.

A lock (``flock``) belongs to an open file, so it is held as long as any process has that file open.
Children that inherit it keep a folder locked until the last of them has ended.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Final

_GUARD: Final = Path(__file__).with_name("guard.py")

_everywhere: set[int] = set()  # file descriptors
_lock = threading.Lock()


_here: Final = ContextVar[tuple[int, ...]]("file descriptors for one thread's children", default=())


def guarded(command: Sequence[str], end: signal.Signals = signal.SIGKILL) -> list[str]:
    """``command`` such that it gets the signal ``end`` when the thread that starts it is gone."""
    return [sys.executable, "-I", "-S", str(_GUARD), str(os.getpid()), str(int(end)), *command]


def inherited() -> tuple[int, ...]:
    """File descriptors that a child started by this thread has to get (``pass_fds``)."""
    with _lock:
        return (*_everywhere, *_here.get())


@contextlib.contextmanager
def all_inherit(handle: int) -> Iterator[None]:
    """Inside, every child of this process gets file descriptor ``handle``."""
    with _lock:
        _everywhere.add(handle)
    try:
        yield
    finally:
        with _lock:
            _everywhere.discard(handle)


@contextlib.contextmanager
def own_inherit(handle: int) -> Iterator[None]:
    """Inside, children that this thread starts get file descriptor ``handle``."""
    before = _here.set((*_here.get(), handle))
    try:
        yield
    finally:
        _here.reset(before)
