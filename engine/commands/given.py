# SPDX-License-Identifier: Apache-2.0
"""What is named on the command line and must be there: blocks, and folders of runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tilepath.engine.checking.trace import TraceError
from tilepath.engine.commands.errors import UsageError, for_user
from tilepath.engine.description.registry import block_names
from tilepath.engine.errors import there_are

Found = TypeVar("Found")


def check_block(name: str) -> None:
    """``UsageError`` unless there is such a block."""
    if name.replace("+", "_") not in block_names():
        raise UsageError(f"there is no block {name!r}; {there_are(block_names(), name)}")


def check_run_dir(path: Path) -> None:
    """``UsageError`` unless a run was begun in this folder."""
    if not (path / "request.json").is_file():
        raise UsageError(f"{path} is not the directory of a run")


def read_run(read: Callable[[Path], Found], run_dir: Path) -> Found:
    """What ``read`` finds in the folder of a run; ``UsageError`` where that cannot be read."""
    check_run_dir(run_dir)
    with for_user(ValueError, TraceError):
        return read(run_dir)
