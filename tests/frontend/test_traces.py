# SPDX-License-Identifier: Apache-2.0
"""Runs repeat bit for bit, and both simulators write the same traces, byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.sequences.frontend import TESTS
from tilepath.tests.cosim_runs import FAST, needs_icarus, recorded, simulate
from tilepath.tests.trace_checks import Traces, random_cases, random_tests

# two tests need more cycles for their floors
LONGER: Final = {"random_busy": 3600, "random_backpressure": 3000}
TRACES: Final = Traces("frontend", cycles=1500, longer=LONGER)
CASES: Final = random_cases(TESTS)
FINITE: Final = ("fifo_full", "brisc_collisions", "matmul")


def test_enough_seeds_and_all_random_tests_are_compared() -> None:
    assert len(CASES) >= 20
    assert {test for test, _, _ in CASES} == set(random_tests(TESTS))
    assert len(random_tests(TESTS)) >= 5


@needs_icarus
@pytest.mark.parametrize(("test", "seed", "profile"), CASES)
def test_both_simulators_write_the_same_bytes(
    test: str, seed: int, profile: str, tmp_path: Path
) -> None:
    TRACES.assert_simulators_agree(test, seed, profile, tmp_path)


@needs_icarus
@pytest.mark.parametrize("test", FINITE)
def test_finite_tests_end_alike_on_both_simulators(test: str, tmp_path: Path) -> None:
    TRACES.assert_simulators_agree(test, 1, "baseline", tmp_path)


@pytest.mark.parametrize("test", ["random_mix", "random_brisc"])
def test_a_seed_is_replayed_bit_for_bit(test: str, tmp_path: Path) -> None:
    kinds = ("push", "issue", "ready")
    streams = [f"t{thread}.{stream}" for stream in kinds for thread in range(3)]
    TRACES.assert_repeats(test, streams, tmp_path)


def test_the_length_of_blocks_changes_no_record(tmp_path: Path) -> None:
    TRACES.assert_blocks_do_not_matter("random_mix", tmp_path)


def test_profiles_differ_where_count_0_does(tmp_path: Path) -> None:
    issued = [
        recorded(simulate(TRACES.request("vectors", 1, profile, FAST, tmp_path / profile)))
        for profile in ("baseline", "blackhole")
    ]
    # V8b plays 64 words or 32
    total = [sum(len(run[f"t{t}.issue"]) for t in range(3)) for run in issued]
    assert total[0] - total[1] == 32
