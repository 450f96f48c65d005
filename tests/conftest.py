# SPDX-License-Identifier: Apache-2.0
"""Which tests take long: ``make test`` leaves them to ``make test-long``; plain pytest runs all."""

from __future__ import annotations

import fnmatch
from typing import Final

import pytest

_LONG: Final = (
    "tests/regression/*", "tests/packaging/*",
    "tests/*/test_bugs*.py", "tests/*/test_assertions.py",
    "tests/kernel/test_kernel_broken_bench.py",
)  # fmt: skip
"""Whole regressions in every configuration, a compilation for each planted bug and assertion, an
installation into an empty environment."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of the files above."""
    for item in items:
        if any(fnmatch.fnmatch(item.nodeid.split("::")[0], pattern) for pattern in _LONG):
            item.add_marker("long")
