# SPDX-License-Identifier: Apache-2.0
"""What is named on the command line and must be there: blocks, and folders of runs."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TypeVar

from tilepath.engine.checking.trace import TraceError
from tilepath.engine.commands.errors import UsageError, for_user
from tilepath.engine.description.registry import block_names
from tilepath.engine.errors import there_are
from tilepath.engine.host.request import RunRequest

Found = TypeVar("Found")


def check_block(name: str, known: Collection[str] = ()) -> None:
    """``UsageError`` unless the block is one of the project's, or of those ``known``."""
    known = known or block_names()
    if name.replace("+", "_") not in known:
        raise UsageError(f"there is no block {name!r}; {there_are(known, name)}")


def check_run_dir(path: Path, block: str | None = None) -> None:
    """``UsageError`` unless a run was begun in this folder, of this block if one is named."""
    if not (path / "request.json").is_file():
        raise UsageError(f"{path} is not the directory of a run")
    if block is not None:
        with for_user(ValueError):
            run = RunRequest.from_json(path / "request.json")
        if run.block != block:
            raise UsageError(f"{path} is a run of block {run.block}, not of {block}")


def read_run(read: Callable[[Path], Found], run_dir: Path) -> Found:
    """What ``read`` finds in the folder of a run; ``UsageError`` where that cannot be read."""
    check_run_dir(run_dir)
    with for_user(ValueError, TraceError):
        return read(run_dir)
