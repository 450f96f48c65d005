# SPDX-License-Identifier: Apache-2.0
"""Runs repeat bit for bit, and both simulators write the same traces, byte for byte."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from sequences.frontend import TESTS
from tb.kernel.run import RunRequest
from tests.cosim_runs import (
    FAST,
    assert_complete,
    assert_equal,
    needs_icarus,
    recorded,
    simulate,
    trace_files,
)

CYCLES: Final = 1500
LONGER: Final = {"random_busy": 3600, "random_backpressure": 3000}  # for their floors
RANDOM: Final = sorted(name for name, spec in TESTS.items() if spec.kind == "random")
SEEDS: Final = (1, 0x5EED_CAFE, 0xFFFF_FFFF_FFFF_FFFF)  # a seed has 64 bits
FINITE: Final = ("fifo_full", "brisc_collisions", "matmul")
CASES: Final = [(test, seed, "baseline") for test in RANDOM for seed in SEEDS]
CASES_BLACKHOLE: Final = [(test, 7, "blackhole") for test in RANDOM[::2]]


def request(test: str, seed: int, profile: str, sim: str, folder: Path) -> RunRequest:
    """Three blocks of cycles, so that block boundaries are compared as well."""
    cycles = LONGER.get(test, CYCLES)
    return RunRequest(
        block="frontend",
        test=test,
        seed=seed,
        sim=sim,
        profile=profile,
        cycles=cycles,
        block_cycles=cycles // 3,
        coverage=False,
        out_dir=folder / sim,
    )


def test_enough_seeds_and_all_random_tests_are_compared() -> None:
    assert len(CASES) >= 20
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
    assert_complete("frontend", one)
    assert_equal(one, other)


@needs_icarus
@pytest.mark.parametrize("test", FINITE)
def test_finite_tests_end_alike_on_both_simulators(test: str, tmp_path: Path) -> None:
    one, other = (
        trace_files(simulate(request(test, 1, "baseline", sim, tmp_path)))
        for sim in ("verilator", "icarus")
    )
    assert_equal(one, other)


@pytest.mark.parametrize("test", ["random_mix", "random_brisc"])
def test_a_seed_is_replayed_bit_for_bit(test: str, tmp_path: Path) -> None:
    first = request(test, 41, "baseline", FAST, tmp_path / "first")
    again = replace(first, out_dir=tmp_path / "again")
    other = replace(first, out_dir=tmp_path / "other", seed=42)
    traces = [trace_files(simulate(r)) for r in (first, again, other)]
    assert_complete("frontend", traces[0])
    assert_equal(traces[0], traces[1])
    for stream in ("push", "issue", "ready"):
        names = [f"t{thread}.{stream}.bin" for thread in range(3)]
        assert all(traces[0][name] != traces[2][name] for name in names)


def test_the_length_of_blocks_changes_no_record(tmp_path: Path) -> None:
    one = request("random_mix", 5, "baseline", FAST, tmp_path / "one")
    three = recorded(simulate(one))
    whole = recorded(simulate(replace(one, out_dir=tmp_path / "two", block_cycles=CYCLES)))
    assert all(np.array_equal(three[name], whole[name]) for name in three)


def test_profiles_differ_where_count_0_does(tmp_path: Path) -> None:
    issued = [
        recorded(simulate(request("vectors", 1, profile, FAST, tmp_path / profile)))
        for profile in ("baseline", "blackhole")
    ]
    # V8b plays 64 words or 32
    total = [sum(len(run[f"t{t}.issue"]) for t in range(3)) for run in issued]
    assert total[0] - total[1] == 32
