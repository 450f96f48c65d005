# SPDX-License-Identifier: Apache-2.0
"""Runs repeat bit for bit, both simulators write the same traces, and vector V8 comes out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from tilepath.sequences.adc import TESTS
from tilepath.sequences.adc.directed.vectors import SCENES, WINDOW
from tilepath.tests.cosim_runs import EACH_SIMULATOR, FAST, needs_icarus, recorded, simulate
from tilepath.tests.trace_checks import Traces, random_cases, random_tests

TRACES: Final = Traces("adc", cycles=1500)
CASES: Final = random_cases(TESTS)
FINITE: Final = ("conflicts", "order", "pipeline")


def test_enough_seeds_and_all_random_tests_are_compared() -> None:
    assert len(CASES) >= 18
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


@pytest.mark.parametrize("test", ["random", "random_default"])
def test_a_seed_is_replayed_bit_for_bit(test: str, tmp_path: Path) -> None:
    streams = ("t0.issue", "t2.issue", "unpack", "pack", "flop", "t1.unpacker0", "t2.packers")
    TRACES.assert_repeats(test, streams, tmp_path)


def test_the_length_of_blocks_changes_no_record(tmp_path: Path) -> None:
    TRACES.assert_blocks_do_not_matter("random", tmp_path)


def test_correct_software_sees_no_fault_and_no_conflict(tmp_path: Path) -> None:
    seen = recorded(simulate(TRACES.request("random_default", 3, "baseline", FAST, tmp_path)))
    quiet = ["t0.fault", "t1.fault", "t2.fault", "unit_fault", "conflict"]
    assert [name for name in quiet if len(seen[name])] == []


def expected(profile: str) -> list[tuple[str, str, int, int]]:
    """(stream, counter, live, checkpoint) at the end of each window of the test ``vectors``."""
    wrapped = 0 if profile == "baseline" else 256
    return [
        ("t0.unpacker0", "z0", wrapped, 253),  # V8
        ("t0.unpacker0", "z0", 7, 7),
        ("t1.unpacker0", "x0", 0x2FFFF, 0x2FFFF),
        ("t1.unpacker1", "y0", 103, 100),  # A11
        ("t2.unpacker1", "y1", 302, 300),
        ("t2.packers", "y0", 0, 0),  # P18
        ("t2.packers", "y0", 49, 49),
        ("t1.unpacker0", "y0", 9, 7),  # A13
    ]


@pytest.mark.parametrize("profile", ["baseline", "blackhole"])
@pytest.mark.parametrize("sim", EACH_SIMULATOR)
def test_vectors_end_with_what_the_specification_says(
    sim: str, profile: str, tmp_path: Path
) -> None:
    run = replace(
        TRACES.request("vectors", 1, profile, sim, tmp_path), cycles=None, block_cycles=None
    )
    seen = recorded(simulate(run))
    assert len(expected(profile)) == len(SCENES)
    for number, (stream, counter, live, checkpoint) in enumerate(expected(profile)):
        # players begin in cycle 1; the last cycle of the window
        rows = seen[stream][seen[stream]["cycle"] <= (number + 1) * WINDOW]
        value = int(rows[counter][-1])
        if counter[0] == "x":
            assert (value, int(rows[f"{counter}_cr"][-1])) == (live, checkpoint), number
        else:
            assert (value & 0xFFFF, value >> 16) == (live, checkpoint), number
    both = seen["t1.unpacker1"][seen["t1.unpacker1"]["cycle"] <= 5 * WINDOW]
    assert int(both["y1"][-1]) == 202 | 200 << 16  # A11: the thread's set as well as the adc's
    assert [int(r["where"]) for r in seen["conflict"]] == [1 << 3]
    assert [int(r["x_override"]) for r in seen["t0.fault"]] == [1]
