# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of the address counters, from the recorded streams alone.

Source: unpack-adc section 7 (line ADC, crosses 3 and 10), pack P18, docs/adc.md. The points are
declared next to what counts them: ``instructions`` (words and their faults), ``updates`` (update
ports and REG2FLOP), ``counters`` (values, sums, order), ``conflicts`` (commands that meet).
``commands`` turns the inputs of a block into arrays, ``touches`` into what happens to each counter.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tilepath.isa import profiles
from tilepath.tb.adc.coverage import conflicts, counters, instructions, updates
from tilepath.tb.adc.coverage.commands import Commands, Instructions
from tilepath.tb.adc.coverage.layout import SETS, TARGETS, THREADS
from tilepath.tb.adc.coverage.levels import Levels
from tilepath.tb.adc.coverage.touches import Memory, Touches
from tilepath.tb.kernel.coverage.bins import Coverpoint, Exclude, PointGroup
from tilepath.tb.kernel.coverage.model import CoverageModel, CoverageReport
from tilepath.tb.kernel.description.stream import Records

__all__ = ["AdcCoverage"]

_Excluded = dict[int, tuple[str, Exclude]]
_PLACES = tuple(f"t{s}.{target}" for s in range(len(SETS)) for target in TARGETS)


class AdcCoverage(CoverageModel):
    """Coverage model of the block ``adc``.

    ``profile`` decides how wide Z and W are (A1); ``ValueError`` for an unknown one.
    """

    def __init__(self, profile: str) -> None:
        super().__init__("adc", profile)
        self._zw_width = profiles.get(profile).zw_w
        self._groups: tuple[PointGroup, ...] = (
            instructions.GROUP, updates.GROUP, counters.GROUP, conflicts.GROUP,
        )  # fmt: skip
        self._tallies = [np.zeros(group.size, np.int64) for group in self._groups]
        self._points: list[tuple[Coverpoint, NDArray[np.int64], _Excluded]] = []
        for group, tally in zip(self._groups, self._tallies, strict=True):
            for point in group.points:
                excluded = point.excluded(profile)
                names = [name for name, _ in excluded.values()]
                self.cross(point.name, *point.axes, exclude=names)
                part = tally[point.base : point.base + point.size]
                self._points.append((point, part, excluded))
        self._levels = [np.zeros(16, np.int64) for _ in _PLACES]
        self._memory = Memory.after_reset()
        self._next = 0

    def exclusions(self) -> list[tuple[str, str, str]]:
        """Every excluded bin, as (point, bin, reason)."""
        return [
            (point.name, name, rule.reason)
            for point, _, excluded in self._points
            for name, rule in excluded.values()
        ]

    def contradicted(self) -> list[tuple[str, str, str]]:
        """Bins excluded as impossible and hit nevertheless, as (point, bin, reason)."""
        return [
            (point.name, name, rule.reason)
            for point, counts, excluded in self._points
            for index, (name, rule) in excluded.items()
            if counts[index]
        ]

    def sample(self, streams: Mapping[str, Records], start: int, end: int) -> None:
        """Count what happened in cycles ``start`` ≤ c < ``end``.

        Ranges must follow each other from cycle 0; ``ValueError`` when they do not, or when a
        record is outside its range. How the run is cut into ranges does not change any count.
        """
        if start != self._next or end < start:
            raise ValueError(f"coverage: cycles {start} to {end} do not follow {self._next}")
        for name, records in streams.items():
            if len(records) and not start <= records["cycle"][0] <= records["cycle"][-1] < end:
                raise ValueError(f"coverage: {name} has a record outside cycles {start} to {end}")
        self._next = end
        if end == start:
            return
        by_word, by_update, by_counter, by_cycle = self._tallies
        issued = Instructions.of(streams)
        faults = {name: streams[f"{name}.fault"] for name in THREADS}
        instructions.count(issued, faults, self._zw_width, by_word)
        updates.count(
            streams["unpack"], streams["pack"], streams["flop"], streams["unit_fault"],
            self._zw_width, by_update,
        )  # fmt: skip
        commands = Commands.of(streams, issued, start, end)
        flags = conflicts.flagged(streams["conflict"], start, end - start)
        conflicts.count(commands, flags, by_cycle)
        touches = Touches.of(commands, start, self._memory)
        conflicts.count_places(touches, flags, by_cycle)
        levels = self._track(streams, start)
        for place, level in enumerate(levels):
            counters.count_values(level, place, self._zw_width, by_counter)
        counters.count_order(touches, by_counter)
        counters.count_sums(touches, commands, levels, self._zw_width, by_counter)

    def _track(self, streams: Mapping[str, Records], start: int) -> list[Levels]:
        """The levels of all sets and targets."""
        levels = [
            Levels.of(streams[name], start, before)
            for name, before in zip(_PLACES, self._levels, strict=True)
        ]
        self._levels = [level.values[-1].copy() for level in levels]
        return levels

    def report(self) -> CoverageReport:
        """The counts so far."""
        for point, counts, excluded in self._points:
            places = [i for i in range(point.size) if i not in excluded]
            self.add_counts(point.name, counts[places])
            counts[:] = 0
        return super().report()
