# SPDX-License-Identifier: Apache-2.0
"""Which tests take long: ``make test`` leaves them to ``make test-long``; plain pytest runs all."""

from __future__ import annotations

import fnmatch
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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of the files above, or those named as ``file::test``."""
    for item in items:
        names = (item.nodeid.split("::")[0], item.nodeid)
        if any(fnmatch.fnmatchcase(name, pattern) for name in names for pattern in _LONG):
            item.add_marker("long")
