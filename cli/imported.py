# SPDX-License-Identifier: Apache-2.0
"""What ``tilepath import-kernel`` does: a kernel file of a log of words, or of folders of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tilepath.engine.commands.errors import UsageError, for_user
from tilepath.engine.host.files import read_bytes, read_text
from tilepath.engine.text import TextError
from tilepath.isa import IsaError
from tilepath.models import kernels
from tilepath.models.kernels import imported

_BINARY = re.compile(r"(?:.*\D)?([012])\.bin")


@for_user(imported.LogError, TextError, IsaError)
def import_kernel(
    log: Path, profile: str, includes: Sequence[str], out: Path | None, **options: bool
) -> int:
    """Print the kernel of a log, or write it to a new file ``out``; 0.

    ``options``: those of ``imported.to_text``.

    Raises:
        UsageError: what cannot be read or is no log, words that are no instructions, what is no
            kernel, a file that is there already.
    """
    try:
        given = _folder(log) if log.is_dir() else _file(log)
        text = imported.to_text(given, profile, log.name, includes, **options)
        kernels.parse(text, str(out or log.with_suffix(".kernel")), profile)
        if out is None:
            print(text, end="")
        else:
            with out.open("x") as file:
                file.write(text)
            print(f"{out}: {len(given)} words and stores")
    except FileExistsError:
        raise UsageError(f"{out} is there already, and stays as it is") from None
    except OSError as error:
        raise UsageError(f"{error.filename or log}: {error.strerror}") from None
    return 0


def _file(log: Path) -> list[imported.Given]:
    try:
        return imported.from_lines(read_text(log).splitlines(), str(log))
    except UnicodeDecodeError:
        raise UsageError(f"{log}: it is no text: of words as in memory give the folder") from None


def _folder(folder: Path) -> list[imported.Given]:
    """Files ``…0.bin`` to ``…2.bin``, one a thread."""
    files: dict[int, Path] = {}
    for path in sorted(folder.glob("*.bin")):
        thread = _BINARY.fullmatch(path.name)
        if not thread:
            raise UsageError(f"{path}: of which thread? Want a name like t0.bin, t1.bin, t2.bin")
        if files.setdefault(int(thread[1]), path) != path:
            raise UsageError(f"{path}: thread {thread[1]} has {files[int(thread[1])].name} already")
    if not files:
        raise UsageError(f"{folder}: no files like t0.bin, t1.bin, t2.bin")
    return [
        one
        for thread, path in files.items()
        for one in imported.from_bytes(thread, read_bytes(path), str(path))
    ]
