# SPDX-License-Identifier: Apache-2.0
"""Of every block: both simulators write the same traces byte for byte, and runs repeat."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.tb.kernel.description import registry
from tilepath.tests.cosim_runs import needs_icarus
from tilepath.tests.traces.cases import random_of, traces_of
from tilepath.tests.traces.checks import random_tests

ALL: Final = {name: traces_of(name) for name in registry.block_names()}
# seeds and random tests that are compared at the least; the joined block repeats what its two do
LEAST: Final = {
    **{"adc": (18, 5), "control": (20, 5), "frontend": (20, 5)},
    **{"unpack": (15, 5), "pack": (12, 9)},
}


@pytest.mark.parametrize("block", LEAST)
def test_enough_seeds_and_all_random_tests_are_compared(block: str) -> None:
    runs, tests = LEAST[block]
    cases, names = random_of(ALL[block]), random_tests(registry.tests_of(block))
    assert len(cases) >= runs and len(names) >= tests
    assert {test for test, _, _ in cases} == set(names)
    assert len(ALL[block].finite) >= 3


@needs_icarus
@pytest.mark.parametrize(
    ("block", "test", "seed", "profile"),
    [(name, *case) for name, traces in ALL.items() for case in random_of(traces)],
)
def test_both_simulators_write_the_same_bytes(
    block: str, test: str, seed: int, profile: str, tmp_path: Path
) -> None:
    ALL[block].assert_simulators_agree(test, seed, profile, tmp_path)


@needs_icarus
@pytest.mark.parametrize(
    ("block", "test"), [(name, test) for name, traces in ALL.items() for test in traces.finite]
)
def test_finite_tests_end_alike_on_both_simulators(block: str, test: str, tmp_path: Path) -> None:
    ALL[block].assert_simulators_agree(test, 1, "baseline", tmp_path)


@pytest.mark.parametrize(
    ("block", "test"), [(name, test) for name, traces in ALL.items() for test in traces.repeated]
)
def test_a_seed_is_replayed_bit_for_bit(block: str, test: str, tmp_path: Path) -> None:
    ALL[block].assert_repeats(test, tmp_path)


@pytest.mark.parametrize("block", ALL)
def test_the_length_of_blocks_changes_no_record(block: str, tmp_path: Path) -> None:
    ALL[block].assert_blocks_do_not_matter(tmp_path)
