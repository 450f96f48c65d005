# SPDX-License-Identifier: Apache-2.0
"""Reads files that may be anything, and tells when a file system has no room left."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import resource
import stat
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Error numbers of a full disk, a full quota, and a limit on the size of files."""

_PROBE_BYTES: Final = 1 << 16
_KINDS: Final = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)
# what tools write into their logs; what the shell says of one that SIGXFSZ ended
_COMPLAINTS: Final = {
    **{os.strerror(number): number for number in NO_ROOM},
    "File size limit exceeded": errno.EFBIG,
}


def read_tables(path: Path, root: Path) -> list[tuple[str, Any, str]]:
    """Return name, contents, file and line of each table of a file, which is named from ``root``.

    ``ValueError``, in a line with the place, if it is no TOML.
    """
    shown = path.relative_to(root) if path.is_relative_to(root) else path
    text = path.read_text()
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:  # two of one name, too
        line = re.search(r"at line (\d+)", str(error))
        end = len(text.splitlines())
        raise ValueError(f"{shown}:{line[1] if line else end}: {error}") from None
    found = re.finditer(r"^\[ *(\w+) *\]", text, re.MULTILINE)
    lines = {one[1]: text.count("\n", 0, one.start()) + 1 for one in found}
    return [(name, one, f"{shown}:{lines.get(name, 1)}") for name, one in tables.items()]


def open_regular(path: Path, flags: int = os.O_RDONLY) -> int:
    """Open a file; ``OSError``, at once and not after a wait, if it is no regular file."""
    try:
        handle = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket, or a device behind which there is nothing
            raise OSError(errno.EINVAL, "it is a device or a socket, not a file") from None
        raise
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode):
        return handle
    os.close(handle)
    kind = next((name for test, name in _KINDS if test(mode)), "something else")
    raise OSError(errno.EINVAL, f"it is {kind}, not a file")


def read_bytes(path: Path) -> bytes:
    """Contents of a regular file; ``OSError`` as :func:`open_regular`."""
    with os.fdopen(open_regular(path), "rb") as file:
        return file.read()


def read_text(path: Path) -> str:
    """Text of a regular file; ``OSError`` as above, ``UnicodeDecodeError``."""
    return read_bytes(path).decode()


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it is either there as a whole or not at all; an ``OSError`` names it."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        part.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        raise OSError(error.errno, error.strerror, str(path)) from None


def check_room(folder: Path) -> None:
    """``OSError`` with a number of ``NO_ROOM`` unless ``folder`` takes a little more."""
    probe = folder / f".room-{os.getpid()}-{os.urandom(4).hex()}"
    try:
        probe.write_bytes(bytes(_PROBE_BYTES))
    except OSError as error:
        if error.errno in NO_ROOM:
            raise no_room(error.errno, folder) from None
    finally:
        probe.unlink(missing_ok=True)


def check_limit(files: Iterable[Path]) -> None:
    """``OSError`` with ``EFBIG`` if a file is as large as the limit of this process allows."""
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    if limit == resource.RLIM_INFINITY:
        return
    for path in files:
        if path.is_file() and path.stat().st_size >= limit:
            raise no_room(errno.EFBIG, path)


def check_text(text: str, place: Path) -> None:
    """``OSError`` if a tool's output complains of a full disk or the like."""
    for complaint, number in _COMPLAINTS.items():
        if complaint in text:
            raise no_room(number, place)


def no_room(number: int, place: Path) -> OSError:
    """The error of a file system without room, at ``place``."""
    return OSError(number, os.strerror(number), str(place))
