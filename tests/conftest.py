# SPDX-License-Identifier: Apache-2.0
"""Which tests take long: ``make test`` leaves them to ``make test-long``; plain pytest runs all."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable
from typing import Final

import pytest

_LONG: Final = (
    "tests/regression/*", "tests/packaging/*",
    "tests/*/test_bugs*.py", "tests/*/test_assertions.py",
    "tests/kernel/test_kernel_broken_bench.py", "tests/bench/test_bench.py::*benchmark_runs*",
    "tests/bench/test_bench.py::*_ordinary_bench_*", "tests/bench/test_bench.py::*_lose_no_cycle_*",
    "tests/docs/*_on_rtl*",
    "tests/pack/*::*_rtl*-blackhole*", "tests/pack/*::*_l1_gets_*-blackhole*",
)  # fmt: skip
"""Whole regressions in every configuration, a compilation for each planted bug and assertion, an
installation into an empty environment; benches, the examples of docs/ on RTL, and the packers'
second profile on RTL."""

_FIRST: Final = ("tests/regression/*", "tests/traces/*", "tests/pack/*")
"""What has the tests of minutes: begun first, so that no core waits for the other at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of the files above, or those named as ``file::test``; order them."""
    for item in items:
        if _is_one_of(item, _LONG):
            item.add_marker("long")
    items.sort(key=lambda item: not _is_one_of(item, _FIRST))


def _is_one_of(item: pytest.Item, patterns: Iterable[str]) -> bool:
    names = (item.nodeid.split("::")[0], item.nodeid)
    return any(fnmatch.fnmatchcase(name, pattern) for name in names for pattern in patterns)
