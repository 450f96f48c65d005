# SPDX-License-Identifier: Apache-2.0
"""Runs repeat bit for bit, and both simulators write the same traces, byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.sequences.control import TESTS
from tilepath.tests.cosim_runs import FAST, assert_equal, needs_icarus, simulate, trace_files
from tilepath.tests.trace_checks import Traces, random_cases, random_tests

TRACES: Final = Traces("control", cycles=4800)
CASES: Final = random_cases(TESTS)
FINITE: Final = tuple(name for name, spec in TESTS.items() if not spec.endless)[::5]


def test_enough_seeds_and_all_random_tests_are_compared() -> None:
    assert len(CASES) >= 20
    assert {test for test, _, _ in CASES} == set(random_tests(TESTS))
    assert len(random_tests(TESTS)) >= 5 and len(FINITE) >= 5


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


@pytest.mark.parametrize("test", ["random_mix", "random_stream"])
def test_a_seed_is_replayed_bit_for_bit(test: str, tmp_path: Path) -> None:
    streams = [f"t{thread}.{stream}" for thread in range(3) for stream in ("offer", "issue")]
    streams += ["risc", "risc_sem", "stream_write", "config_write"]
    TRACES.assert_repeats(test, streams, tmp_path)


def test_the_length_of_blocks_changes_no_record(tmp_path: Path) -> None:
    TRACES.assert_blocks_do_not_matter("random_mix", tmp_path)


def test_profiles_do_not_differ(tmp_path: Path) -> None:
    """docs/control.md section 11."""
    one, other = (
        trace_files(simulate(TRACES.request("random_mix", 3, profile, FAST, tmp_path / profile)))
        for profile in ("baseline", "blackhole")
    )
    assert_equal(one, other)
