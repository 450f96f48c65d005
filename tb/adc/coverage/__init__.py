# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of the address counters, from the recorded streams alone.

Source: unpack-adc section 7 (line ADC, crosses 3 and 10), pack P18, docs/adc.md. The points are
declared next to what counts them: ``instructions`` (words and their faults), ``updates`` (update
ports and REG2FLOP), ``counters`` (values, sums, order), ``conflicts`` (commands that meet).
``commands`` turns the inputs of a block into arrays, ``touches`` into what happens to each counter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tilepath.isa import profiles
from tilepath.tb.adc.coverage import conflicts, counters, instructions, updates
from tilepath.tb.adc.coverage.commands import Commands, Instructions
from tilepath.tb.adc.coverage.layout import SETS, TARGETS, THREADS
from tilepath.tb.adc.coverage.levels import Levels
from tilepath.tb.adc.coverage.touches import Memory, Touches
from tilepath.tb.kernel.coverage.model import CoverageModel
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.stream import Records

__all__ = ["AdcCoverage"]

_GROUPS: Final = (instructions.GROUP, updates.GROUP, counters.GROUP, conflicts.GROUP)
_PLACES = tuple(f"t{s}.{target}" for s in range(len(SETS)) for target in TARGETS)


class AdcCoverage(CoverageModel):
    """Coverage model of the block ``adc``.

    ``profile`` decides how wide Z and W are (A1); ``ValueError`` for an unknown one.
    """

    def __init__(self, profile: str) -> None:
        self._tallies = [Tally(group) for group in _GROUPS]
        super().__init__("adc", profile, *self._tallies)
        self._zw_width = profiles.get(profile).zw_w
        self._levels = [np.zeros(16, np.int64) for _ in _PLACES]
        self._memory = Memory.after_reset()

    def count(self, streams: Mapping[str, Records], start: int, end: int) -> None:
        """Count a block of cycles."""
        by_word, by_update, by_counter, by_cycle = (tally.counts for tally in self._tallies)
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
