# SPDX-License-Identifier: Apache-2.0
"""Runs repeat bit for bit, and both simulators write the same traces, byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.sequences.unpack import TESTS
from tilepath.tb.unpack.streams import WRITE_FAULTS
from tilepath.tests.cosim_runs import FAST, needs_icarus, recorded, simulate
from tilepath.tests.trace_checks import Traces, random_cases, random_tests

TRACES: Final = Traces("unpack", cycles=2400)
CASES: Final = random_cases(TESTS)
FINITE: Final = ("vectors", "layout", "packed", "upsample", "nops", "matmul", "untilize")
# nothing stays the same with another seed
STREAMS: Final = (
    *(f"u{u}.{stream}" for u in range(2) for stream in ("issue", "read", "write", "pointers")),
    *(f"t{t}.{stream}" for t in range(3) for stream in ("counter", "setc16", "unpacker0")),
    *("cfg", "matrix", "l1_write", "l1_latency", "ready", "hold", "busy", "owner", "matrix_read"),
)


def test_enough_seeds_and_all_random_tests_are_compared() -> None:
    assert len(CASES) >= 15
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


@pytest.mark.parametrize("test", ["random_default", "random_packed"])
def test_a_seed_is_replayed_bit_for_bit(test: str, tmp_path: Path) -> None:
    TRACES.assert_repeats(test, STREAMS, tmp_path)


def test_the_length_of_blocks_changes_no_record(tmp_path: Path) -> None:
    TRACES.assert_blocks_do_not_matter("random_default", tmp_path)


def test_correct_software_is_told_of_nothing_that_is_undefined(tmp_path: Path) -> None:
    seen = recorded(simulate(TRACES.request("random_default", 3, "baseline", FAST, tmp_path)))
    quiet = ["u0.read_fault", "u1.read_fault", "unit_fault", "counter_conflict"]
    assert [name for name in quiet if len(seen[name])] == []
    for u in range(2):  # an empty row that flips is legal: empty_flip is a warning
        told = seen[f"u{u}.write_fault"]
        assert [name for name in WRITE_FAULTS if name != "empty_flip" and told[name].any()] == []
