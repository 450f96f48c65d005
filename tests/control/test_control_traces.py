# SPDX-License-Identifier: Apache-2.0
"""Runs repeat bit for bit, and both simulators write the same traces, byte for byte."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from sequences.control import TESTS
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

CYCLES: Final = 4800
RANDOM: Final = sorted(name for name, spec in TESTS.items() if spec.kind == "random")
SEEDS: Final = (1, 0x5EED_CAFE, 0xFFFF_FFFF_FFFF_FFFF)  # a seed has 64 bits
FINITE: Final = tuple(name for name, spec in TESTS.items() if not spec.endless)[::5]
CASES: Final = [(test, seed, "baseline") for test in RANDOM for seed in SEEDS]
CASES_BLACKHOLE: Final = [(test, 7, "blackhole") for test in RANDOM[::2]]


def request(test: str, seed: int, profile: str, sim: str, folder: Path) -> RunRequest:
    """Three blocks of cycles, so that block boundaries are compared as well."""
    return RunRequest(
        block="control",
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
    assert len(CASES) >= 20
    assert {test for test, _, _ in CASES} == set(RANDOM) and len(RANDOM) >= 5
    assert len(FINITE) >= 5


@needs_icarus
@pytest.mark.parametrize(("test", "seed", "profile"), CASES + CASES_BLACKHOLE)
def test_both_simulators_write_the_same_bytes(
    test: str, seed: int, profile: str, tmp_path: Path
) -> None:
    one, other = (
        trace_files(simulate(request(test, seed, profile, sim, tmp_path)))
        for sim in ("verilator", "icarus")
    )
    assert_complete("control", one)
    assert_equal(one, other)


@needs_icarus
@pytest.mark.parametrize("test", FINITE)
def test_finite_tests_end_alike_on_both_simulators(test: str, tmp_path: Path) -> None:
    one, other = (
        trace_files(simulate(request(test, 1, "baseline", sim, tmp_path)))
        for sim in ("verilator", "icarus")
    )
    assert_complete("control", one)
    assert_equal(one, other)


@pytest.mark.parametrize("test", ["random_mix", "random_stream"])
def test_a_seed_is_replayed_bit_for_bit(test: str, tmp_path: Path) -> None:
    first = request(test, 41, "baseline", FAST, tmp_path / "first")
    again = replace(first, out_dir=tmp_path / "again")
    other = replace(first, out_dir=tmp_path / "other", seed=42)
    traces = [trace_files(simulate(r)) for r in (first, again, other)]
    assert_complete("control", traces[0])
    assert_equal(traces[0], traces[1])
    names = [f"t{thread}.{stream}.bin" for thread in range(3) for stream in ("offer", "issue")]
    for name in (*names, "risc.bin", "risc_sem.bin", "stream_write.bin", "config_write.bin"):
        assert traces[0][name] != traces[2][name]


def test_the_length_of_blocks_changes_no_record(tmp_path: Path) -> None:
    one = request("random_mix", 5, "baseline", FAST, tmp_path / "one")
    whole = replace(one, out_dir=tmp_path / "two", block_cycles=CYCLES)
    three, one_block = (recorded(simulate(r)) for r in (one, whole))
    assert all(np.array_equal(three[name], one_block[name]) for name in three)


def test_profiles_do_not_differ(tmp_path: Path) -> None:
    """docs/control.md section 11."""
    one, other = (
        trace_files(simulate(request("random_mix", 3, profile, FAST, tmp_path / profile)))
        for profile in ("baseline", "blackhole")
    )
    assert_equal(one, other)
