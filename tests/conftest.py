# SPDX-License-Identifier: Apache-2.0
"""Some tests take long: ``make test`` leaves them to ``make test-long``; pytest runs all.

What they watch changes rarely of some: these are left to ``make test-rare``.

``--without-icarus`` tests as on a machine that has no Icarus Verilog.
"""

from __future__ import annotations

import fnmatch
import os
import tempfile
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Final

import pytest

_LONG: Final = (
    "tests/regression/*", "tests/packaging/*",
    "tests/*/test_bugs*.py", "tests/*/test_assertions.py",
    "tests/blocks/test_broken_bench.py", "tests/bench/test_bench.py::*benchmark_runs*",
    "tests/bench/test_bench.py::*_ordinary_bench_*", "tests/bench/test_bench.py::*_kernels_are_*",
    "tests/bench/test_bench.py::*_lose_no_cycle_*", "tests/docs/*_on_rtl*", "tests/gate/*",
    "tests/foreign/*_in_cpp_*", "tests/formal/*_proof_fails*",
    "tests/regress/test_killed.py", "tests/cli/test_report.py::*_in_a_browser*",
    "tests/cli/test_mutate.py::test_[vlaw]*", "tests/cli/test_new_block.py::test_a_line_*",
    "tests/pack/*::*_rtl*-blackhole*", "tests/blocks/*::*_l1_gets_*-blackhole*",
)  # fmt: skip
"""Whole regressions in every configuration, a compilation for each planted bug and assertion, an
installation into an empty environment; netlists, benches, examples of docs/ on RTL, the packers'
second profile on RTL; a regression that is killed again and again, a browser."""

_RARE: Final = (
    "tests/regression/test_lost_resets.py::test_all_are_noticed*",
    *(f"tests/regression/*values_that_no_profile*[[]{block}-*"
      for block in ("flag_pipe", "unpack", "pack")),
    "tests/regression/*::test_default_regression*icarus-blackhole*",
    "tests/regression/*::test_default_regression*wormhole-[!s]*",
    "tests/blocks/test_bugs_in_batches.py::*[[]*pack, wormhole*",
    "tests/regression/*icarus-baseline-frontend_control*", "tests/regression/*_leave_out*",
    "tests/regression/*verilator-blackhole-frontend_control*",
    "tests/blocks/test_broken_bench.py", "tests/packaging/*", "tests/traces/*",
    "tests/regression/test_rtl_coverage.py::*pack*",
    *(f"tests/bench/test_bench.py::*benchmark_runs[[]{block}]"
      for block in ("frontend", "control", "flag_pipe", "unpack", "pack", "datapath")),
    "tests/bench/test_bench.py::*sees_what*verilator]",
)  # fmt: skip
"""Of these what CI has no time for: resets lost one by one, parameters that no profile has, Icarus
with the newer chip, the older chip but for the Matrix Unit's words, more traces than two a block,
what ``datapath`` joins as well as ``frontend_control``, tests of minutes that another configuration
has, benches of most blocks under Verilator and those broken on purpose, code coverage that takes
minutes to compile, installation. By hand, before a release and after changes of what they watch."""

_FIRST: Final = (
    "tests/regression/*", "tests/traces/*", "tests/pack/*", "tests/blocks/test_bugs*",
    "tests/blocks/test_programs.py",
)  # fmt: skip
"""What has the tests of minutes: begun first, so that no core waits for the other at the end."""


_ICARUS: Final = ("iverilog", "vvp")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that hides Icarus Verilog."""
    parser.addoption("--without-icarus", action="store_true", help="hide Icarus Verilog")


def pytest_configure(config: pytest.Config) -> None:
    """Hide Icarus before any test module asks for it; processes of xdist get the same PATH."""
    if config.getoption("--without-icarus"):
        path = [_hiding(Path(folder), config) for folder in os.get_exec_path()]
        os.environ["PATH"] = os.pathsep.join(map(str, path))


def _hiding(folder: Path, config: pytest.Config) -> Path:
    """``folder`` or, if Icarus is in it, one with links to everything else."""
    if not any((folder / name).exists() for name in _ICARUS):
        return folder
    links = tempfile.TemporaryDirectory(prefix="tilepath-path-")
    config.add_cleanup(links.cleanup)
    for program in folder.iterdir():
        if program.name not in _ICARUS:
            (Path(links.name) / program.name).symlink_to(program)
    return Path(links.name)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, object, object]:
    """As the very last line, say how many tests were left out for want of Icarus Verilog."""
    result = yield
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    left_out = sum("needs Icarus Verilog" in str(report.longrepr) for report in skipped)
    if left_out:
        reporter.ensure_newline()
        reporter.write_line(
            f"{left_out} tests were left out: they need Icarus Verilog, which is not installed; "
            "apt-get install iverilog (as root), then the same again"
        )
    return result


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of the files above, or those named as ``file::test``; order them."""
    for item in items:
        if _is_one_of(item, _LONG):
            item.add_marker("long")
        if _is_one_of(item, _RARE):
            item.add_marker("rare")
    items.sort(key=lambda item: not _is_one_of(item, _FIRST))


def _is_one_of(item: pytest.Item, patterns: Iterable[str]) -> bool:
    names = (item.nodeid.split("::")[0], item.nodeid)
    return any(fnmatch.fnmatchcase(name, pattern) for name in names for pattern in patterns)
