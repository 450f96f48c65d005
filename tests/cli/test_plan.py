# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.run_list import (
    PlannedRun,
    Selection,
    first_seeds,
    make_run_list,
    run_seed,
)
from tilepath.tests.cli.fakes import FakeCatalogue, FakeTest


def test_everything_is_run_with_the_default_number_of_seeds() -> None:
    plan = make_run_list(FakeCatalogue(), Selection(root_seed=1))
    counts: dict[tuple[str, str], int] = {}
    for run in plan.runs:
        counts[run.block, run.test] = counts.get((run.block, run.test), 0) + 1
    assert counts == {
        ("alpha", "random_mix"): 3,
        ("alpha", "corner"): 1,
        ("beta", "random_mix"): 2,
        ("beta", "matmul"): 1,
    }
    assert plan.blocks == ("alpha", "beta")


def test_seeds_follow_from_the_root_seed_and_the_names_alone() -> None:
    plans = [make_run_list(FakeCatalogue(), Selection(root_seed=7)) for _ in range(2)]
    assert plans[0] == plans[1]
    other = make_run_list(FakeCatalogue(), Selection(root_seed=8))
    assert not {run.seed for run in other.runs} & {run.seed for run in plans[0].runs}
    # A test keeps its seeds when others are left out, and when more are asked for.
    part = make_run_list(
        FakeCatalogue(), Selection(("beta",), ("random_mix",), root_seed=7, seeds=5)
    )
    assert [r for r in plans[0].runs if r in part.runs] == list(part.runs[:2])


def test_seeds_that_a_test_knows_come_first() -> None:
    drawn = [run_seed(1, "alpha", "random_mix", index) for index in range(2)]
    test = FakeTest(kind="directed", seeds=2, known=(drawn[0], 5))
    assert first_seeds(1, "alpha", "random_mix", test) == [drawn[0], 5]
    assert first_seeds(1, "alpha", "random_mix", test, 3) == [drawn[0], 5, drawn[1]]


def test_the_derivation_of_a_seed_stays_what_it_is() -> None:
    # Failing seeds are written down in reports: a changed derivation would make them worthless.
    assert run_seed(1, "frontend", "random_mix", 0) == 1353171208


def test_without_a_root_seed_every_regression_differs() -> None:
    roots = {make_run_list(FakeCatalogue(), Selection()).root_seed for _ in range(4)}
    assert len(roots) == 4


def test_a_seed_given_is_used_as_it_is() -> None:
    plan = make_run_list(
        FakeCatalogue(), Selection(("alpha",), ("random_mix",), seed=(1 << 64) - 1)
    )
    assert plan.runs == (PlannedRun("alpha", "random_mix", (1 << 64) - 1),)
    assert plan.root_seed is None


def test_more_seeds_are_for_random_tests_only() -> None:
    plan = make_run_list(FakeCatalogue(), Selection(("alpha",), seeds=20))
    assert sum(run.test == "random_mix" for run in plan.runs) == 20
    assert sum(run.test == "corner" for run in plan.runs) == 1


def test_no_run_has_the_folder_of_another() -> None:
    plan = make_run_list(FakeCatalogue(), Selection(seeds=3000, root_seed=3))
    assert len(set(plan.runs)) == len(plan.runs) == 6002


def test_a_test_is_found_in_whichever_block_has_it() -> None:
    plan = make_run_list(FakeCatalogue(), Selection(tests=("matmul", "corner")))
    assert [(run.block, run.test) for run in plan.runs] == [("alpha", "corner"), ("beta", "matmul")]


def test_nothing_to_run_is_an_error() -> None:
    class Empty(FakeCatalogue):
        def blocks(self) -> list[str]:
            return []

    with pytest.raises(UsageError, match="nothing to run"):
        make_run_list(Empty(), Selection())


class _Joined(FakeCatalogue):
    """One block more: two joined."""

    def blocks(self) -> list[str]:
        return [*super().blocks(), "alpha_beta"]

    def tests(self, block: str) -> dict[str, FakeTest]:
        return super().tests("beta" if block == "alpha_beta" else block)


def test_joined_blocks_can_be_named_with_a_plus() -> None:
    plan = make_run_list(_Joined(), Selection(("alpha+beta",), ("matmul",), seed=1))
    assert plan.runs == (PlannedRun("alpha_beta", "matmul", 1),)
    with pytest.raises(UsageError, match=r"no block 'beta\+alpha'"):
        make_run_list(_Joined(), Selection(("beta+alpha",)))
