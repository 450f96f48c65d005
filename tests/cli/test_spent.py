# SPDX-License-Identifier: Apache-2.0
"""The table at the end of a regression that says where the CPU time of its runs went."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace

from tilepath.engine.commands import report
from tilepath.engine.commands.regression import Outcome
from tilepath.engine.commands.run_list import PlannedRun
from tilepath.engine.host.spent import PARTS
from tilepath.tests.cli.fakes import FakeKernel, having


def _printed(outcomes: Sequence[Outcome]) -> list[list[str]]:
    output = io.StringIO()
    report.print_spent(report.make_console(output), outcomes)
    return [line.split() for line in output.getvalue().splitlines()]


def _outcome(block: str, seed: int, **spent: float) -> Outcome:
    return Outcome(PlannedRun(block, "random_mix", seed), "pass", spent=spent)


def test_a_row_for_each_block_and_one_for_all() -> None:
    first = dict(zip(PARTS, (1, 2, 3, 0.5, 0.25, 0.25), strict=True))
    runs = [_outcome("alpha", 1, **first), _outcome("beta", 1, coverage=4)]
    assert _printed([*runs, _outcome("alpha", 2, **first)]) == [
        ["CPU", "seconds", *PARTS, "whole"],
        ["alpha", "2.0", "4.0", "6.0", "1.0", "0.5", "0.5", "14.0"],
        ["beta", *["0.0"] * 5, "4.0", "4.0"],
        ["together", "2.0", "4.0", "6.0", "1.0", "0.5", "4.5", "18.0"],
    ]


def test_one_block_needs_no_sum_and_runs_that_left_nothing_no_table() -> None:
    rows = _printed([_outcome("alpha", 1, start=1), _outcome("beta", 1)])
    assert [row[0] for row in rows] == ["CPU", "alpha"]
    assert _printed([_outcome("alpha", 1)]) == []


def test_a_regression_ends_with_the_sums_of_all_its_runs(kernel: FakeKernel) -> None:
    kernel.behaviour = having(spent={"stimulus": 1.25, "model": 2.0})
    lines = [line.split() for line in kernel.regression().stdout.splitlines()]
    table = lines[lines.index(["CPU", "seconds", *PARTS, "whole"]) + 1 :][:3]
    assert table == [
        ["alpha", "0.0", "5.0", "0.0", "0.0", "8.0", "0.0", "13.0"],
        ["beta", "0.0", "3.8", "0.0", "0.0", "6.0", "0.0", "9.8"],
        ["together", "0.0", "8.8", "0.0", "0.0", "14.0", "0.0", "22.8"],
    ]


def test_kernels_that_runs_compiled_are_named() -> None:
    names = ("models.pack.cycle._run", "models.adc.untimed._apply")
    outcomes = [replace(_outcome("alpha", seed, model=1), compiled=names[:seed]) for seed in (1, 2)]
    printed = _printed(outcomes)
    assert " ".join(printed[-1]) == f"{report.IN_RUNS}: {names[1]}, {names[0]}"
