# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of the address counters, from the recorded streams alone.

Source: unpack-adc section 7 (line ADC, crosses 3 and 10), pack P18, docs/adc.md. The points are
declared next to what counts them: ``instructions`` (words and their faults), ``updates`` (update
ports and REG2FLOP), ``counters`` (values, sums, order), ``conflicts`` (commands that meet). The
first two look at records one by one; ``walk`` goes through the cycles for the others, with the
``commands`` and the ``levels`` of each.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilepath.isa import profiles
from tilepath.tb.adc.coverage import conflicts, counters, instructions, updates
from tilepath.tb.adc.coverage.layout import SETS, TARGETS, THREADS, tops
from tilepath.tb.adc.coverage.walk import Inputs, State, walk
from tilepath.tb.adc.streams import STREAMS
from tilepath.tb.kernel.coverage.model import CoverageModel
from tilepath.tb.kernel.coverage.recorded import recorded_table
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.stream import Records, stream_table

__all__ = ["AdcCoverage"]

_GROUPS: Final = (instructions.GROUP, updates.GROUP, counters.GROUP, conflicts.GROUP)
_TABLE: Final = recorded_table(stream_table(STREAMS))
_PLACES: Final = tuple(f"t{s}.{target}" for s in range(len(SETS)) for target in TARGETS)

# Names of the axes of points that their own names do not tell.
_AXES: Final = {
    "instruction.value_without_mask_bit": "op field",
}


class AdcCoverage(CoverageModel):
    """Coverage model of the block ``adc``.

    ``profile`` decides how wide Z and W are (A1); ``ValueError`` for an unknown one.
    """

    def __init__(self, profile: str) -> None:
        self._tallies = [Tally(group) for group in _GROUPS]
        super().__init__("adc", profile, *self._tallies, axes=_AXES)
        self._tops = tops(profiles.get(profile).zw_w)
        self._state = State.after_reset(self._tops)

    def count(self, streams: Mapping[str, Records], start: int, end: int) -> None:
        """Count a block of cycles."""
        by_word, by_update, by_counter, by_cycle = (tally.counts for tally in self._tallies)
        seen = {
            name: stream.records(streams[name])
            for name, stream in _TABLE.items()
            if name not in _PLACES
        }
        issue = tuple(seen[f"{name}.issue"] for name in THREADS)
        for thread, name in enumerate(THREADS):
            instructions.count(issue[thread], seen[f"{name}.fault"], thread, self._tops, by_word)
        unpack, pack, flop = seen["unpack"], seen["pack"], seen["flop"]
        faults = seen["unit_fault"]
        updates.count_faults(faults, by_update)
        updates.count_unpack(unpack, faults, by_update)
        updates.count_pack(pack, by_update)
        updates.count_flop(flop, faults, self._tops, by_update)
        values = tuple(_TABLE[name].rows(streams[name]) for name in _PLACES)
        inputs = Inputs(issue, unpack, pack, flop, seen["conflict"], values)
        walk(inputs, start, end, self._state, by_counter, by_cycle)
