# SPDX-License-Identifier: Apache-2.0
"""Rates of the packers in cycles, from traces: bytes that each writes to L1, tile behind tile.

One checked run of phases, in each of which all packers get tiles of 32 x 32 as fast as they take
them. With four packers a tile is one PACR, a face a packer; one packer has 16 PACRs of 64 datums.
L1 is always ready. What counts is from the second tile's first line to the last tile's, so that a
cycle that is lost between two tiles shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from tilepath.engine.description.stimulus import ANY, Context
from tilepath.engine.description.stream import Records
from tilepath.engine.host.request import RunRequest
from tilepath.isa.boundary.pack import PACKERS, SLOTS
from tilepath.sequences.pack import TESTS, llk
from tilepath.sequences.pack.script import Script, script_test
from tilepath.sequences.pack.tile_image import FACE, KINDS, TILE
from tilepath.sequences.pack.words import pacr
from tilepath.tb.pack.block import LINE_BYTES
from tilepath.tb.pack.streams import LATENCY
from tilepath.tests.bench.measure import BenchError, recorded_of
from tilepath.tests.cosim_runs import between

TILES: Final = 8
"""In a phase; no more fit into Dst if it is 32 bits wide."""
WHOLE: Final = {"baseline": 16, "blackhole": 128}
"""Bytes per cycle of a packer's port to L1."""
_ADD: Final = 6  # cycles of the adder
_ADDR_MODS: Final = {PACKERS: 0x1000, 1: 0x0004}  # packers → a tile on; four rows on
_SLOTS: Final = {PACKERS: 1, 1: SLOTS}
_BURST: Final = LATENCY + _ADD
"""Lines that one port reads before the first of them is written, and then writes all of them."""


@dataclass(frozen=True)
class Phase:
    """Tiles of one kind; ``cycles``: that a packer may take for its part of one, by profile.

    docs/pack.md: a row a lane and cycle, or the lines that L1 takes: with four packers one a cycle,
    every other cycle if it accumulates; with one eight, every other cycle of 32-bit sums.
    """

    name: str
    kind: str
    cycles: dict[str, int]
    accumulates: bool = False

    @property
    def lines(self) -> int:
        """Return how many lines a tile has, exponents included."""
        kind = KINDS[self.kind]
        return TILE * kind.bits // 128 + (kind.exponent_lines if kind.bfp else 0)


PHASES: Final = (
    Phase("BF16", "bf16", {"baseline": 32, "blackhole": 16}),
    Phase("BFP8", "bf16_bfp8", {"baseline": 17, "blackhole": 16}),
    Phase("FP32", "fp32", {"baseline": 64, "blackhole": 32}),
    Phase("INT8", "int32_int8", {"baseline": 16, "blackhole": 16}),
    Phase("BF16, accumulating", "bf16", {"baseline": 64, "blackhole": 16}, True),
    Phase("FP32, accumulating", "fp32", {"baseline": 128, "blackhole": 64}, True),
)


@dataclass(frozen=True)
class Rate:
    """One packer in one phase: ``lines`` that it wrote in ``cycles``, and may take for them."""

    profile: str
    phase: Phase
    packer: int
    lines: int
    cycles: int
    most: int

    @property
    def bytes_per_cycle(self) -> float:
        """Return the bytes that it wrote in each cycle."""
        return self.lines * LINE_BYTES / self.cycles

    @property
    def share(self) -> float:
        """Return the share of the rate that there is."""
        return self.most / self.cycles


def _build(script: Script, _context: Context) -> None:
    """Each phase begins when the packers are idle."""
    packers = PACKERS if llk.four(script.profile) else 1
    for phase in PHASES:
        case = llk.Case(KINDS[phase.kind], 0, 0, 0x4000, tame=True, dense=15, option="")
        setup = {**llk.formats(case), **llk.faces(case, script.profile)}
        setup["accumulate"] = int(phase.accumulates)
        mods = (_ADDR_MODS[packers], 0, 0, 0)
        llk.begin(script, case, setup, mods, FACE if packers == PACKERS else 16)
        count = 1 if packers == PACKERS else TILE // (16 * PACKERS)
        for part in range(TILES * count):
            script.word(llk.THREAD, pacr(15, last=int(part % count == count - 1)))
        script.phase()


TEST: Final = script_test("rates", "tile behind tile", _build, {}, faults=ANY)


def measure(profile: str, sim: str, out_dir: Path) -> list[Rate]:
    """Run all phases under ``sim``; raises :class:`BenchError` unless RTL and model agree."""
    request = RunRequest("pack", TEST.name, 1, sim, profile=profile, out_dir=out_dir)
    return list(_rates(profile, recorded_of(request, TESTS, TEST)))


def _rates(profile: str, streams: dict[str, Records]) -> Iterator[Rate]:
    packers = PACKERS if llk.four(profile) else 1
    slots = _SLOTS[packers]
    issued = [int(cycle) for cycle in streams["issue"]["cycle"]]
    count = len(issued) // len(PHASES)
    begins = issued[::count]
    for phase, begin, end in zip(PHASES, begins, [*begins[1:], 1 << 32], strict=True):
        for packer in range(packers):
            own = range(packer * slots, (packer + 1) * slots)
            parts = [between(streams[f"w{slot}.write"], begin, end)["cycle"] for slot in own]
            cycles = np.sort(np.concatenate(parts)).astype(int)
            lines = phase.lines // packers
            if len(cycles) != TILES * lines:
                raise BenchError(f"pack, {profile}, {phase.name}: {len(cycles)} lines")
            burst = _BURST if phase.accumulates and slots == 1 else 1
            counted = (TILES - 2) * lines // burst * burst
            taken = int(cycles[lines + counted] - cycles[lines])
            most = counted * phase.cycles[profile] // lines
            yield Rate(profile, phase, packer, counted, taken, most)
