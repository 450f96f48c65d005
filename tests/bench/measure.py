# SPDX-License-Identifier: Apache-2.0
"""Speed of whole runs beside their replay, and beside the ordinary bench: ``docs/bench.md``.

Runs that are compared play the same stimulus for as many cycles, and take turns. What counts is the
CPU time of the simulator process from the end of the first block of cycles on: by then compiled
code is loaded on either side.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any, Final
from unittest.mock import patch

from tilepath.engine.commands.own_rtl.own import OwnRtl
from tilepath.engine.description.block import ROOT
from tilepath.engine.description.stimulus import TestSpec
from tilepath.engine.description.stream import Records
from tilepath.engine.host.request import RunRequest
from tilepath.engine.host.run import run
from tilepath.tests.bench.ordinary.run import build_ordinary
from tilepath.tests.cosim_runs import loading, recorded

# block → its test: busy, and without faults
TESTS: Final = {
    "frontend": "random_busy",
    "adc": "random_default",
    "control": "random_default",
    "unpack": "random_default",
    "pack": "random_default",
    "flag_pipe": "random_default",
    "datapath": "random_default",
}
# what else is measured → block, test: a test that only benches know
KERNELS: Final = {"datapath, 64 tiles": ("datapath", "matmul_64")}
# block → length of the runs with and without checks under Verilator, a few seconds
CYCLES: Final = {
    **{"frontend": 1_000_000, "adc": 250_000, "control": 250_000, "flag_pipe": 250_000},
    **dict.fromkeys(("unpack", "pack", "datapath"), 50_000),
}
ORDINARY_CYCLES: Final = 50_000
"""Length of the runs that are compared with the ordinary bench's under Verilator."""
LEAST: Final = 4096
"""With fewer cycles a test would not reach its floors, and a run would not have several blocks."""
_ICARUS_SHARE: Final = 8  # Icarus runs this many times fewer cycles
OUT: Final = ROOT / "build" / "bench"

UNCHECKED, CHECKED, WHOLE, REPLAY, ORDINARY = (
    *("unchecked", "checked", "whole", "replay"),
    "ordinary pyuvm",
)

Say = Callable[[str], None]


class BenchError(RuntimeError):
    """A run that should have passed did not, or two that should see the same did not."""


@dataclass(frozen=True)
class Figures:
    """What one run took behind its first block of cycles, in CPU time of the simulator process.

    ``start``: what was used before that, imports and compiled code among it. ``events``: output
    events compared in the whole run. ``parts``: the seconds part by part, as ``host.spent`` has
    them; nothing of the ordinary bench.
    """

    cycles: int
    seconds: float
    start: float
    events: int
    parts: Mapping[str, float] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Cycles per second."""
        return self.cycles / self.seconds

    @classmethod
    def of(
        cls,
        ends: list[int],
        cpu_ends: list[float],
        events: int,
        spent_ends: Sequence[Mapping[str, float]] = ({}, {}),
    ) -> Figures:
        """Make it of the ends of all blocks of cycles, and the CPU time used by then."""
        if len(ends) < 2:
            raise BenchError("a run of one block of cycles is too short to be measured")
        first, last = spent_ends
        parts = {part: seconds - first[part] for part, seconds in last.items()}
        return cls(ends[-1] - ends[0], cpu_ends[-1] - cpu_ends[0], cpu_ends[0], events, parts)

    @classmethod
    def of_kernel(cls, outcome: Mapping[str, Any]) -> Figures:
        """Make it of what a run of the kernel left."""
        return cls.of(*(outcome[key] for key in ("ends", "cpu_ends", "events", "spent_ends")))

    def micros(self, part: str) -> float:
        """Microseconds a cycle that a part took."""
        return 1e6 * self.parts[part] / self.cycles


@dataclass
class Comparison:
    """Variants of the same run, as many runs of each, in turn."""

    block: str
    sim: str
    runs: dict[str, list[Figures]] = field(default_factory=dict)

    def add(self, variant: str, figures: Figures) -> None:
        """One more run."""
        self.runs.setdefault(variant, []).append(figures)

    def rate(self, variant: str) -> float:
        """Cycles per second, median."""
        return median(run.rate for run in self.runs[variant])

    def stimulus(self) -> list[float]:
        """Seconds a cycle of the whole run's stimulus by those of the replay, round by round."""
        pairs = zip(self.runs[WHOLE], self.runs[REPLAY], strict=True)
        return [one.parts["stimulus"] / one.cycles * two.rate for one, two in pairs]

    def ratios(self, variant: str, other: str) -> list[float]:
        """Rate of ``variant`` by that of ``other``, round by round."""
        pairs = zip(self.runs[variant], self.runs[other], strict=True)
        return [one.rate / two.rate for one, two in pairs]

    def ratio(self, variant: str, other: str) -> float:
        """Median of the ratios of the rounds."""
        return median(self.ratios(variant, other))


own: OwnRtl | None = None
"""RTL of the user's in the place of the block's, which ``main`` finds."""


def build_folder(block: str, sim: str, fast: bool = True) -> Path:
    """Return where the DUT of the ordinary bench of ``block`` is built."""
    return ROOT / "build" / sim / f"{block}-ordinary{'' if fast else '-small'}"


def cycles_under(sim: str, cycles: int) -> int:
    """Length of runs under ``sim`` when those under Verilator have ``cycles``."""
    return max(LEAST, cycles // (_ICARUS_SHARE if sim == "icarus" else 1))


def kernel_request(block: str, sim: str, seed: int, cycles: int, variant: str) -> RunRequest:
    """The request of one run of the kernel; one that is too short to be judged is built small."""
    block, test = KERNELS.get(block) or (block, TESTS.get(block, "random"))
    request = RunRequest(
        block=block,
        test=test,
        seed=seed,
        sim=sim,
        cycles=cycles,
        check=variant not in (UNCHECKED, REPLAY),
        coverage=variant == WHOLE,
        out_dir=OUT / sim / variant,
        cold=True,
        fast=cycles > LEAST,
    )
    return replace(request, source_root=own.tree, **own.of_request()) if own else request


def passed(request: RunRequest) -> dict[str, Any]:
    """Run ``request``; its outcome. :class:`BenchError` unless it passes."""
    result = run(request)
    if result.status != ("pass" if request.check else "unchecked"):
        where = f"{request.block}, {request.profile}, {request.sim}, {request.test}"
        raise BenchError(f"{where}: {result.status}: {result.message}")
    outcome: dict[str, Any] = json.loads((request.run_dir / "outcome.json").read_text())
    return outcome


def recorded_of(
    request: RunRequest, tests: dict[str, TestSpec], test: TestSpec
) -> dict[str, Records]:
    """What ``request`` records of a ``test`` that is none of the block's ``tests`` elsewhere.

    :class:`BenchError` unless RTL and model agree.
    """
    alone = replace(request, coverage=False)
    with known(tests, test):
        passed(alone)
    return recorded(alone.run_dir)


@contextmanager
def known(tests: dict[str, TestSpec], test: TestSpec) -> Iterator[None]:
    """Within, ``test``, which only benches know, is one of ``tests``, in the simulator as well."""
    with patch.dict(tests, {test.name: test}), loading("tilepath.tests.bench.tiers_cosim"):
        yield


def kernel_run(block: str, sim: str, seed: int, cycles: int, variant: str = CHECKED) -> Figures:
    """One run of the kernel; errors as for :func:`passed`."""
    return Figures.of_kernel(passed(kernel_request(block, sim, seed, cycles, variant)))


def replay_request(block: str, sim: str, seed: int, cycles: int) -> RunRequest:
    """The request of a replay; its stimulus is made by a run now, and stays in files."""
    request = kernel_request(block, sim, seed, cycles, CHECKED)
    kept = replace(request, out_dir=OUT / sim / "kept", keep=True)
    passed(kept)
    return replace(kernel_request(block, sim, seed, cycles, REPLAY), replay=kept.run_dir)


def compare_replay(
    block: str,
    sim: str,
    seed: int,
    cycles: int,
    rounds: int,
    say: Say,
    others: Sequence[str] = (UNCHECKED, CHECKED),
) -> Comparison:
    """Whole runs, their replay, and ``others``, ``rounds`` times in turn."""
    found = Comparison(block, sim)
    for variant in (*others, WHOLE):
        say(f"{block}, {sim}: building, {variant}")
        passed(replace(kernel_request(block, sim, seed, cycles, variant), cycles=LEAST))
    say(f"{block}, {sim}: stimulus to replay")
    replay = replay_request(block, sim, seed, cycles)
    played = how_far(replay)
    for number in range(rounds):
        say(f"{block}, {sim}: round {number + 1} of {rounds}, with and without checks, replay")
        for variant in (*others, WHOLE):
            found.add(variant, kernel_run(block, sim, seed, cycles, variant))
        found.add(REPLAY, Figures.of_kernel(passed(replay)))
        if how_far(replay) != {name: states * (number + 2) for name, states in played.items()}:
            raise BenchError(f"{block}, {sim}: the replay plays something else than was kept")
    assert replay.replay is not None
    shutil.rmtree(replay.replay.parent)
    return found


def how_far(replay: RunRequest) -> dict[str, bytes]:
    """How far each player was at the end of each block: in the run that was kept, in replays."""
    assert replay.replay is not None
    return {path.name: path.read_bytes() for path in replay.replay.glob("stimulus/*.state")}


def compare_ordinary(
    block: str, sim: str, seed: int, cycles: int, rounds: int, say: Say
) -> Comparison:
    """Checked runs and those of the ordinary bench in turn.

    :class:`BenchError` unless both see the same number of records in each stream.
    """
    say(f"{block}, {sim}: building the ordinary bench")
    request = kernel_request(block, sim, seed, cycles, CHECKED)
    fast = request.build == "fast"
    ordinary = build_ordinary(block, sim, build_folder(block, sim, fast), fast=fast)
    found = Comparison(block, sim)
    for number in range(rounds):
        say(f"{block}, {sim}: round {number + 1} of {rounds}, with the ordinary bench")
        outcome = passed(request)
        found.add(CHECKED, Figures.of_kernel(outcome))
        other = ordinary.run(
            OUT / sim / "ordinary" / block,
            *(TESTS[block], seed, cycles, request.cycles_per_block(True)),
        )
        same_events(request.run_dir, other.streams)
        found.add(ORDINARY, Figures.of(other.ends, other.cpu_ends, other.events))
    return found


def same_events(run_dir: Path, streams: dict[str, int]) -> None:
    """:class:`BenchError` unless the run in ``run_dir`` has as many records in each stream."""
    counts = {name: len(records) for name, records in recorded(run_dir).items()}
    if counts != streams:
        different = _different(counts, streams)
        raise BenchError(f"{run_dir.name}: the ordinary bench saw something else: {different}")


def _different(counts: dict[str, int], streams: dict[str, int]) -> str:
    names: Iterable[str] = sorted(counts.keys() | streams.keys())
    pairs = ((name, counts.get(name), streams.get(name)) for name in names)
    return ", ".join(f"{name} {seen} not {one}" for name, one, seen in pairs if one != seen)
