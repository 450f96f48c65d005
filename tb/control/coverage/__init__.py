# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of the control block, from the recorded streams alone.

Source: frontend-config section 7; the points are declared next to the kernels that count them:
``gate``, ``streamwait``, ``sync`` (semaphores, mutexes), ``config`` (the pipeline), ``fields`` (of
its instructions, and the cores' accesses), ``scalar``, ``hazard``, ``arbiter``, ``fault``.
``columns`` turns the streams into one row a cycle; ``derive`` and ``requests`` add what follows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from tilepath.isa import profiles
from tilepath.tb.control.coverage import (
    arbiter,
    config,
    derive,
    fault,
    fields,
    gate,
    hazard,
    requests,
    scalar,
    streamwait,
    sync,
)
from tilepath.tb.control.coverage.columns import Columns
from tilepath.tb.control.coverage.layout import I64, U32
from tilepath.tb.kernel.coverage.bins import PointGroup
from tilepath.tb.kernel.coverage.model import CoverageModel, CoverageReport
from tilepath.tb.kernel.description.stream import Records

__all__ = ["ControlCoverage"]

_Count = Callable[[U32, I64, I64], None]
_GROUPS: Final[tuple[tuple[PointGroup, _Count, int], ...]] = (
    (gate.GROUP, gate.count_gate, gate.MEMORY),
    (streamwait.GROUP, streamwait.count_streamwait, streamwait.MEMORY),
    (sync.GROUP, sync.count_sync, sync.MEMORY),
    (config.GROUP, config.count_config, config.MEMORY),
    (fields.GROUP, fields.count_fields, fields.MEMORY),
    (scalar.GROUP, scalar.count_scalar, scalar.MEMORY),
    (hazard.GROUP, hazard.count_hazards, hazard.MEMORY),
    (arbiter.GROUP, arbiter.count_arbiters, arbiter.MEMORY),
    (fault.GROUP, fault.count_faults, fault.MEMORY),
)


class ControlCoverage(CoverageModel):
    """Coverage model of the block ``control``.

    The bins are the same in every ``profile`` (docs/control.md section 11); ``ValueError`` for an
    unknown one.
    """

    def __init__(self, profile: str) -> None:
        super().__init__("control", profile)
        profiles.get(profile)
        self._tallies = [np.zeros(group.size, np.int64) for group, _, _ in _GROUPS]
        self._memories = [np.zeros(size, np.int64) for _, _, size in _GROUPS]
        self._derived = np.zeros(derive.MEMORY, np.int64)
        self._unit = np.zeros(requests.MEMORY, np.int64)
        self._places: list[tuple[str, int, I64]] = []  # point, group, places of its bins
        self._impossible: list[tuple[str, str, str, int, int]] = []
        for number, (group, _, _) in enumerate(_GROUPS):
            self._declare(number, group)
        self._columns = Columns()
        self._next = 0

    def _declare(self, number: int, group: PointGroup) -> None:
        for point in group.points:
            excluded = point.excluded(self.profile)
            self.cross(point.name, *point.axes, exclude=[name for name, _ in excluded.values()])
            places = [point.base + i for i in range(point.size) if i not in excluded]
            self._places.append((point.name, number, np.array(places, np.int64)))
            for index, (name, rule) in excluded.items():
                self._impossible.append((point.name, name, rule.reason, number, point.base + index))

    def exclusions(self) -> list[tuple[str, str, str]]:
        """Every excluded bin, as (point, bin, reason); all are impossible under the contract."""
        return [(point, name, reason) for point, name, reason, _, _ in self._impossible]

    def contradicted(self) -> list[tuple[str, str, str]]:
        """Bins excluded as impossible and hit nevertheless, as (point, bin, reason).

        Anything here is an error: in the DUT, in this model, or in the reason.
        """
        return [
            (point, name, reason)
            for point, name, reason, group, place in self._impossible
            if self._tallies[group][place]
        ]

    def sample(self, streams: Mapping[str, Records], start: int, end: int) -> None:
        """Count what happened in cycles ``start`` ≤ c < ``end``.

        Ranges must follow each other from cycle 0; ``ValueError`` when they do not, or when a
        record is outside its range. How the run is cut into ranges does not change any count.
        """
        if start != self._next or end < start:
            raise ValueError(f"coverage: cycles {start} to {end} do not follow {self._next}")
        self._next = end
        if end == start:
            return
        rows = self._columns.fill(streams, start, end)
        derive.derive(rows, start, self._derived, self._unit)
        for (_, count, _), memory, tally in zip(
            _GROUPS, self._memories, self._tallies, strict=True
        ):
            count(rows, memory, tally)

    def report(self) -> CoverageReport:
        """The counts so far."""
        for point, group, places in self._places:
            self.add_counts(point, self._tallies[group][places])
            self._tallies[group][places] = 0
        return super().report()
