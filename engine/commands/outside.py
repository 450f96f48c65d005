# SPDX-License-Identifier: Apache-2.0
"""Tests from outside the project: for ``tilepath run --tests FILE``, and for pytest.

A file with ``BLOCK`` and ``TESTS`` and, at its end, ::

    test_rtl = as_pytest(__file__, BLOCK, TESTS)

is both: ``tilepath run --tests FILE`` and ``pytest FILE`` simulate and check its tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tilepath.engine.commands.errors import for_user
from tilepath.engine.commands.run_list import Selection, run_seed
from tilepath.engine.description.registry import load_file, with_files
from tilepath.engine.description.stimulus import TestSpec
from tilepath.engine.host.run import RunRequest, run


def names_of(tests: Sequence[str], profile: str) -> tuple[str, ...]:
    """Names of tests, where some of ``tests`` are ``.pipe`` and ``.kernel`` files.

    Errors as for ``become_tests``, which wants to be called before tests are looked up.
    """
    names = tuple(tests)
    if any(name.endswith(".pipe") for name in names):
        from tilepath.cli.pipes import own_programs

        names = own_programs(names)
    if any(name.endswith(".kernel") for name in names):
        from tilepath.cli.kernels import own_kernels

        names = own_kernels(names, profile)
    return names


def chosen(files: Sequence[Path], selection: Selection) -> Selection:
    """``selection``; where it names neither block nor test, those of ``files``.

    Raises:
        UsageError: a file that does not load.
    """
    with for_user(ValueError):
        found = [load_file(path.resolve()) for path in files]
    if not found or selection.blocks or selection.tests:
        return selection
    blocks = dict.fromkeys(block for block, _ in found)
    tests = dict.fromkeys(name for _, tests in found for name in tests)
    return replace(selection, blocks=tuple(blocks), tests=tuple(tests))


def as_pytest(
    file: str | Path,
    block: str,
    tests: Mapping[str, TestSpec],
    *,
    sim: str = "verilator",
    profile: str = "baseline",
    cycles: int | None = None,
) -> Callable[..., None]:
    """A pytest function with a case for each test of ``file`` and each of its seeds.

    A case fails with the report of its run, and with the command that runs it again and makes
    waves. Seeds are the same each time.
    """
    import pytest  # only who asks for this needs it

    block = block.replace("+", "_")

    cases = [
        (name, run_seed(0, block, name, index))
        for name, test in tests.items()
        for index in range(test.seeds)
    ]

    @pytest.mark.parametrize(("test", "seed"), cases)
    def test_rtl(test: str, seed: int, tmp_path: Path) -> None:
        request = RunRequest(
            block, test, seed, sim, profile=profile, cycles=cycles, out_dir=tmp_path
        )
        with with_files([Path(file)]):
            result = run(request)
        if result.status != "pass":
            report = result.report.read_text() if result.report else result.message
            pytest.fail(f"{report}\n{result.command}\n{result.run_dir}", pytrace=False)

    return test_rtl
