# SPDX-License-Identifier: Apache-2.0
"""The exception of everything here that the user can put right, and what becomes one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class UsageError(Exception):
    """Bad input or a missing tool: one line for the user, exit status 2."""


@contextmanager
def for_user(*kinds: type[Exception]) -> Iterator[None]:
    """Inside, or in a function so decorated, these errors are the user's, and say the same."""
    try:
        yield
    except kinds as error:
        raise UsageError(str(error)) from None


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Inside, an ``OSError`` is the user's: ``path`` cannot be written."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
