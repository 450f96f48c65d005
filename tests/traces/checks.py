# SPDX-License-Identifier: Apache-2.0
"""What the traces of every block must be: the same on both simulators, and every time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import numpy as np

from tilepath.tb.kernel.description.stimulus import TestSpec
from tilepath.tb.kernel.host.run import RunRequest
from tilepath.tests.cosim_runs import (
    FAST,
    assert_complete,
    assert_equal,
    recorded,
    simulate,
    trace_files,
)

SEEDS: Final = (1, 0x5EED_CAFE, 0xFFFF_FFFF_FFFF_FFFF)  # a seed has 64 bits

Case = tuple[str, int, str]  # test, seed, profile


def random_tests(tests: Mapping[str, TestSpec]) -> list[str]:
    """Names of the random ones."""
    return sorted(name for name, spec in tests.items() if spec.kind == "random")


def random_cases(tests: Mapping[str, TestSpec]) -> list[Case]:
    """Each random test with each seed; every other one with the other profile as well."""
    names = random_tests(tests)
    baseline = [(test, seed, "baseline") for test in names for seed in SEEDS]
    return baseline + [(test, 7, "blackhole") for test in names[::2]]


@dataclass(frozen=True)
class Traces:
    """What is compared of one block.

    ``cycles``: length of an endless test, or what ``longer`` says of it. ``random``: runs of random
    tests on both simulators, empty for every test with every seed; ``finite``: tests likewise.
    ``repeated``: tests played twice with one seed and once with another, with which ``seeded``
    streams differ. ``cut``: the test that is run with blocks of cycles of two lengths.
    """

    block: str
    cycles: int
    cut: str
    longer: Mapping[str, int] = field(default_factory=dict)
    random: tuple[Case, ...] = ()
    finite: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    seeded: tuple[str, ...] = ()

    def request(self, test: str, seed: int, profile: str, sim: str, folder: Path) -> RunRequest:
        """Three blocks of cycles, so that block boundaries are compared as well."""
        cycles = self.longer.get(test, self.cycles)
        return RunRequest(
            block=self.block,
            test=test,
            seed=seed,
            sim=sim,
            profile=profile,
            cycles=cycles,
            block_cycles=cycles // 3,
            coverage=False,
            out_dir=folder / sim,
        )

    def assert_simulators_agree(self, test: str, seed: int, profile: str, folder: Path) -> None:
        """Both write the same bytes."""
        one, other = (
            trace_files(simulate(self.request(test, seed, profile, sim, folder)))
            for sim in ("verilator", "icarus")
        )
        assert_complete(self.block, one)
        assert_equal(one, other)

    def assert_repeats(self, test: str, folder: Path) -> None:
        """A seed is replayed bit for bit; with another one the ``seeded`` streams differ."""
        first = self.request(test, 41, "baseline", FAST, folder / "first")
        again = replace(first, out_dir=folder / "again")
        other = replace(first, out_dir=folder / "other", seed=42)
        traces = [trace_files(simulate(r)) for r in (first, again, other)]
        assert_complete(self.block, traces[0])
        assert_equal(traces[0], traces[1])
        names = [f"{stream}.bin" for stream in self.seeded]
        assert [name for name in names if traces[0][name] == traces[2][name]] == []

    def assert_blocks_do_not_matter(self, folder: Path) -> None:
        """The length of the blocks of cycles changes no record."""
        one = self.request(self.cut, 5, "baseline", FAST, folder / "one")
        whole = replace(one, out_dir=folder / "two", block_cycles=one.cycles)
        three, one_block = (recorded(simulate(r)) for r in (one, whole))
        assert all(np.array_equal(three[name], one_block[name]) for name in three)
