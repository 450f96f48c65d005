# SPDX-License-Identifier: Apache-2.0
"""Both simulators write the same traces byte for byte, of every block, and runs repeat.

Also that a fork of a warm simulator leaves what a simulator leaves that was started for the run.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from _pytest.mark import ParameterSet

from tilepath.engine.description import registry
from tilepath.tests.cosim_runs import needs_icarus
from tilepath.tests.traces.cases import random_of, traces_of
from tilepath.tests.traces.checks import Case, random_tests

ALL: Final = {name: traces_of(name) for name in registry.block_names()}
# seeds and random tests that are compared at the least; the joined block repeats what its two do
LEAST: Final = {
    **{"adc": (9, 5), "control": (12, 5), "frontend": (12, 5)},
    **{"unpack": (8, 5), "pack": (12, 9)},
}


@pytest.mark.parametrize("block", LEAST)
def test_enough_seeds_and_all_random_tests_are_compared(block: str) -> None:
    runs, tests = LEAST[block]
    cases, names = random_of(ALL[block]), random_tests(registry.tests_of(block))
    assert len(cases) >= runs and len(names) >= tests
    assert {test for test, _, _ in cases} >= set(names)
    assert len(ALL[block].finite) >= 3


def _pairs() -> Iterator[ParameterSet]:
    """Yield a finite and a random test of each block; the others take long."""
    for block, traces in ALL.items():
        finite = [(test, 1, "baseline") for test in traces.finite]
        for cases in (finite, random_of(traces)):
            for number, case in enumerate(cases):
                name = "-".join(map(str, (block, *case)))
                yield pytest.param(block, case, id=name, marks=[pytest.mark.long] * (number > 0))


@needs_icarus
@pytest.mark.parametrize(
    ("block", "case"), list(_pairs()), ids=lambda x: x if x in ALL else "-".join(map(str, x))
)
def test_both_simulators_write_the_same_bytes(block: str, case: Case, tmp_path: Path) -> None:
    first = case[0] == ALL[block].finite[0]
    ALL[block].assert_simulators_agree(case, tmp_path, cold=first)


@pytest.mark.parametrize(
    ("block", "test"), [(name, test) for name, traces in ALL.items() for test in traces.repeated]
)
def test_a_seed_is_replayed_bit_for_bit(block: str, test: str, tmp_path: Path) -> None:
    ALL[block].assert_repeats(test, tmp_path)
