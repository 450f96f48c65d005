# SPDX-License-Identifier: Apache-2.0
"""Compiled simulations on disk, found by what they are made of.

Every build has a folder whose name ends in a hash of all that went into it: sources, options, tool
versions. So tests with copies of the RTL, profiles with equal parameters and several checkouts
share builds, and a folder never has to be brought up to date. Several processes may use a store.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from tilepath.engine.host import children, locks

KEEP_BYTES: Final = 140 << 20
"""What a store may hold of each simulator's; beyond that the longest unused builds go.

Of both together less than 300 MB; a build takes 1 to 10.
"""

IN_USE_SECONDS: Final = 600.0
"""A build used within this time is never removed: somebody may be about to start it."""

WORK: Final = "work"
"""Folder within that of a build: what it is made from, only while it is made."""

_FOLDER: Final = re.compile(r".+-[0-9a-f]{16}")


def content_key(facts: Iterable[str], sources: Mapping[str, bytes]) -> str:
    """16 hexadecimal digits that stand for ``facts`` and for the named sources' contents."""
    digest = hashlib.sha256()
    for part in (*(fact.encode() for fact in facts), b"", *_flat(sources)):
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()[:16]


def _flat(sources: Mapping[str, bytes]) -> Iterator[bytes]:
    for name, content in sources.items():
        yield name.encode()
        yield content


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Make ``folder`` and keep every other process that asks for it out meanwhile."""
    what = f"{folder.name.rpartition('-')[0]} ({folder.parent.name}) is being compiled"
    with locks.held(folder / "lock", what) as handle, children.own_inherit(handle):
        yield


def mark_used(folder: Path) -> None:
    """Note that a build has been asked for just now."""
    (folder / "used").touch()


def prune(
    store: Path, keep_bytes: int = KEEP_BYTES, in_use_seconds: float = IN_USE_SECONDS
) -> None:
    """Remove the longest unused builds in ``store`` until the rest holds ``keep_bytes`` at most.

    Left alone: what was used lately, what is being built, and what is no build.
    """
    builds = [path for path in store.iterdir() if _FOLDER.fullmatch(path.name)]
    builds.sort(key=_last_use, reverse=True)
    total = 0
    for folder in builds:
        total += _size(folder)
        if total > keep_bytes and time.time() - _last_use(folder) > in_use_seconds:
            _remove(folder)


def _last_use(folder: Path) -> float:
    for path in (folder / "used", folder):
        with contextlib.suppress(FileNotFoundError):
            return path.stat().st_mtime
    return 0.0


def _size(folder: Path) -> int:
    """Bytes of a build; without what is there while it is made, a hundred times as many."""
    total = 0
    for parent, folders, names in os.walk(folder):
        if WORK in folders:
            folders.remove(WORK)
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                total += Path(parent, name).lstat().st_size
    return total


def _remove(folder: Path) -> None:
    try:
        handle = (folder / "lock").open("r")
    except FileNotFoundError:
        return
    with handle, contextlib.suppress(BlockingIOError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
