# SPDX-License-Identifier: Apache-2.0
"""Speed of the kernel and of the ordinary bench, in rounds that take turns.

The machine may be shared: what counts is the CPU time of the simulator process from the first
cycle on, of each variant the best of several rounds, and of these the ratios.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tilepath.tb.kernel.description.block import ROOT
from tilepath.tb.kernel.host.request import RunRequest
from tilepath.tb.kernel.host.run import run
from tilepath.tests.bench.ordinary.run import build_ordinary

# block → its test: busy, and without faults
TESTS = {
    "frontend": "random_busy",
    "adc": "random_default",
    "control": "random_default",
    "unpack": "random_default",
}
# block → length of its checked runs under Verilator, a few seconds
CYCLES = {"frontend": 1_000_000, "adc": 250_000, "control": 250_000, "unpack": 50_000}
OUT = ROOT / "build" / "bench"
_LEAST = 4096  # fewer cycles would not reach the floors of the test
VARIANTS = ("unchecked", "checked", "checked + coverage", "ordinary pyuvm")
_SHARE = {"verilator": 1, "icarus": 16}  # Icarus runs this many times fewer cycles
_ORDINARY_SHARE = {"verilator": 50, "icarus": 8}


class BenchError(RuntimeError):
    """A run that should have passed did not."""


@dataclass(frozen=True)
class Figures:
    """What one run took: CPU time of the simulator process, and wall time."""

    cycles: int
    cpu_seconds: float
    seconds: float


@dataclass
class Series:
    """All rounds of one variant, of one block under one simulator."""

    variant: str
    rounds: list[Figures] = field(default_factory=list)

    def rates(self, wall: bool = False) -> list[float]:
        """Cycles per second of each round: of CPU time, or of ``wall`` time."""
        return [f.cycles / (f.seconds if wall else f.cpu_seconds) for f in self.rounds]

    @property
    def rate(self) -> float:
        """Cycles per second of CPU time, best round."""
        return max(self.rates())

    @property
    def slowest(self) -> float:
        """Cycles per second of CPU time, worst round."""
        return min(self.rates())

    @property
    def wall_rate(self) -> float:
        """Cycles per second of wall time, best round."""
        return max(self.rates(wall=True))


def build_folder(block: str, sim: str) -> Path:
    """Where the DUT of the ordinary bench of ``block`` is built."""
    return ROOT / "build" / sim / f"{block}-ordinary"


def kernel_cycles(sim: str, cycles: int) -> int:
    """Length of the kernel's runs under ``sim`` when those under Verilator have ``cycles``."""
    return max(_LEAST, cycles // _SHARE[sim])


def ordinary_cycles(sim: str, cycles: int) -> int:
    """Length of the ordinary bench's runs."""
    return max(512, kernel_cycles(sim, cycles) // _ORDINARY_SHARE[sim])


def kernel_run(block: str, sim: str, seed: int, cycles: int, variant: str = "checked") -> Figures:
    """One run of the kernel; :class:`BenchError` unless it passes."""
    request = kernel_request(block, sim, seed, cycles, variant)
    result = run(request)
    wanted = "pass" if request.check else "unchecked"
    if result.status != wanted:
        raise BenchError(f"{block}, {sim}, {variant}: {result.status}: {result.message}")
    outcome = json.loads((request.run_dir / "outcome.json").read_text())
    return Figures(outcome["cycles"], outcome["cpu_seconds"], outcome["seconds"])


def kernel_request(block: str, sim: str, seed: int, cycles: int, variant: str) -> RunRequest:
    """The request of one run of the kernel."""
    return RunRequest(
        block=block,
        test=TESTS[block],
        seed=seed,
        sim=sim,
        cycles=cycles,
        check=variant != "unchecked",
        coverage=variant == "checked + coverage",
        out_dir=OUT / sim / variant.replace(" + ", "-"),
        rerun_for_waves=False,
    )


def measure(
    block: str, sim: str, seed: int, cycles: int, rounds: int, say: Callable[[str], None]
) -> dict[str, Series]:
    """Variant → its rounds, after one short round that builds everything and warms caches up."""
    series = {variant: Series(variant) for variant in VARIANTS}
    ordinary = build_ordinary(block, sim, build_folder(block, sim))
    length = ordinary_cycles(sim, cycles)

    def round_of(kernel_length: int, ordinary_length: int) -> Iterator[tuple[str, Figures]]:
        for variant in VARIANTS[:3]:
            yield variant, kernel_run(block, sim, seed, kernel_length, variant)
        outcome = ordinary.run(OUT / sim / "ordinary" / block, TESTS[block], seed, ordinary_length)
        yield VARIANTS[3], Figures(outcome.cycles, outcome.cpu_seconds, outcome.seconds)

    say(f"{block}, {sim}: building")
    for _ in round_of(_LEAST, 512):
        pass
    for number in range(rounds):
        say(f"{block}, {sim}: round {number + 1} of {rounds}")
        for variant, figures in round_of(kernel_cycles(sim, cycles), length):
            series[variant].rounds.append(figures)
    return series


def trace_of(block: str, sim: str, seed: int, cycles: int) -> Path:
    """Folder of a checked run that keeps its traces."""
    request = kernel_request(block, sim, seed, cycles, "checked")
    kernel_run(block, sim, seed, cycles)
    return request.run_dir
