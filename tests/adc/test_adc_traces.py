# SPDX-License-Identifier: Apache-2.0
"""Runs repeat bit for bit, both simulators write the same traces, and vector V8 comes out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from sequences.adc import TESTS
from sequences.adc.directed.vectors import SCENES, WINDOW
from tb.kernel.run import RunRequest
from tests.cosim_runs import (
    EACH_SIMULATOR,
    FAST,
    assert_complete,
    assert_equal,
    needs_icarus,
    recorded,
    simulate,
    trace_files,
)

CYCLES: Final = 1500
RANDOM: Final = sorted(name for name, spec in TESTS.items() if spec.kind == "random")
SEEDS: Final = (1, 0x5EED_CAFE, 0xFFFF_FFFF_FFFF_FFFF)  # a seed has 64 bits
FINITE: Final = ("conflicts", "order", "pipeline")
CASES: Final = [(test, seed, "baseline") for test in RANDOM for seed in SEEDS]
CASES_BLACKHOLE: Final = [(test, 7, "blackhole") for test in RANDOM[::2]]


def request(test: str, seed: int, profile: str, sim: str, folder: Path) -> RunRequest:
    """Three blocks of cycles, so that block boundaries are compared as well."""
    return RunRequest(
        block="adc",
        test=test,
        seed=seed,
        sim=sim,
        profile=profile,
        cycles=CYCLES,
        block_cycles=CYCLES // 3,
        coverage=False,
        out_dir=folder / sim,
    )


def test_enough_seeds_and_all_random_tests_are_compared() -> None:
    assert len(CASES) >= 15
    assert {test for test, _, _ in CASES} == set(RANDOM) and len(RANDOM) >= 5


@needs_icarus
@pytest.mark.parametrize(("test", "seed", "profile"), CASES + CASES_BLACKHOLE)
def test_both_simulators_write_the_same_bytes(
    test: str, seed: int, profile: str, tmp_path: Path
) -> None:
    one, other = (
        trace_files(simulate(request(test, seed, profile, sim, tmp_path)))
        for sim in ("verilator", "icarus")
    )
    assert_complete("adc", one)
    assert_equal(one, other)


@needs_icarus
@pytest.mark.parametrize("test", FINITE)
def test_finite_tests_end_alike_on_both_simulators(test: str, tmp_path: Path) -> None:
    one, other = (
        trace_files(simulate(request(test, 1, "baseline", sim, tmp_path)))
        for sim in ("verilator", "icarus")
    )
    assert_equal(one, other)


@pytest.mark.parametrize("test", ["random", "random_default"])
def test_a_seed_is_replayed_bit_for_bit(test: str, tmp_path: Path) -> None:
    first = request(test, 41, "baseline", FAST, tmp_path / "first")
    again = replace(first, out_dir=tmp_path / "again")
    other = replace(first, out_dir=tmp_path / "other", seed=42)
    traces = [trace_files(simulate(r)) for r in (first, again, other)]
    assert_complete("adc", traces[0])
    assert_equal(traces[0], traces[1])
    for stream in ("t0.issue", "t2.issue", "unpack", "pack", "flop", "t1.unpacker0", "t2.packers"):
        assert traces[0][f"{stream}.bin"] != traces[2][f"{stream}.bin"]


def test_the_length_of_blocks_changes_no_record(tmp_path: Path) -> None:
    one = request("random", 5, "baseline", FAST, tmp_path / "one")
    three = recorded(simulate(one))
    whole = recorded(simulate(replace(one, out_dir=tmp_path / "two", block_cycles=CYCLES)))
    assert all(np.array_equal(three[name], whole[name]) for name in three)


def test_correct_software_sees_no_fault_and_no_conflict(tmp_path: Path) -> None:
    seen = recorded(simulate(request("random_default", 3, "baseline", FAST, tmp_path)))
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
    run = replace(request("vectors", 1, profile, sim, tmp_path), cycles=None, block_cycles=None)
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
