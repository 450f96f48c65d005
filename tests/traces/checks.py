# SPDX-License-Identifier: Apache-2.0
"""What the traces of every block must be: the same on both simulators, and every time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import cycle
from pathlib import Path
from typing import Final

import numpy as np

from tilepath.engine.description.stimulus import TestSpec
from tilepath.engine.host.build import SIMULATORS
from tilepath.engine.host.run import RunRequest
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
    """Each random test with one of the seeds; every other one with the other profile as well."""
    names = random_tests(tests)
    baseline = [(test, seed, "baseline") for test, seed in zip(names, cycle(SEEDS), strict=False)]
    return baseline + [(test, 7, "blackhole") for test in names[::2]]


@dataclass(frozen=True)
class Traces:
    """What is compared of one block.

    ``cycles``: length of an endless test, or what ``longer`` says of it. ``random``: runs of random
    tests on both simulators, empty for the usual ones; ``finite``: tests likewise. ``repeated``:
    tests that are run again with the same seed and with another one, with which ``seeded`` streams
    differ; the first of them also with blocks of cycles of another length.
    """

    block: str
    cycles: int
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

    def assert_simulators_agree(self, case: Case, folder: Path, cold: bool = False) -> None:
        """Both write the same bytes; a ``cold`` Icarus writes all that a warm one does."""
        test, seed, profile = case
        requests = [self.request(test, seed, profile, sim, folder) for sim in SIMULATORS]
        one, other = (simulate(request) for request in requests)
        assert_complete(self.block, trace_files(one))
        assert_equal(trace_files(one), trace_files(other))
        if cold:
            assert_same_run(other, simulate(_cold(requests[1], folder)))

    def assert_repeats(self, test: str, folder: Path) -> None:
        """A seed is replayed bit for bit, by a fork and by a process of its own.

        However the run is cut into blocks of cycles; with another seed ``seeded`` streams differ.
        """
        first = replace(self.request(test, 41, "baseline", FAST, folder), coverage=True)
        run = simulate(first)
        assert_complete(self.block, trace_files(run))
        assert_same_run(run, simulate(_cold(first, folder)))
        other = trace_files(simulate(replace(first, out_dir=folder / "other", seed=42)))
        names = [f"{stream}.bin" for stream in self.seeded]
        assert [name for name in names if trace_files(run)[name] == other[name]] == []
        if test == self.repeated[0]:
            whole = replace(first, out_dir=folder / "whole", block_cycles=first.cycles)
            three, one = recorded(run), recorded(simulate(whole))
            assert all(np.array_equal(three[name], one[name]) for name in three)


def _cold(request: RunRequest, folder: Path) -> RunRequest:
    return replace(request, out_dir=folder / "cold", cold=True)


_MEASURED: Final = {"pid", "cpu", "cpu_ends", "spent", "spent_ends", "seconds", "began"}


def assert_same_run(one: Path, other: Path) -> None:
    """Everything in two folders of runs is the same, but for what was measured, and the logs."""
    files = [{p.relative_to(run): p for p in run.rglob("*") if p.is_file()} for run in (one, other)]
    assert files[0].keys() == files[1].keys()
    for name in files[0].keys() - {Path("sim.log"), Path("cocotb.xml")}:
        contents = [found[name].read_bytes() for found in files]
        if name.name in ("outcome.json", "result.json"):
            told = [json.loads(content) for content in contents]
            contents = [{k: v for k, v in data.items() if k not in _MEASURED} for data in told]
        assert contents[0] == contents[1], name
