# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of the control block, from the recorded streams alone.

Source: frontend-config section 7; the points are declared next to the kernels that count them:
``gate``, ``own`` (what is a thread's own there), ``streamwait``, ``sync`` (semaphores, mutexes),
``config`` (the pipeline), ``fields`` (of its instructions, and the cores' accesses), ``scalar``,
``multiply``, ``hazard``, ``arbiter``, ``fault``.
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
    multiply,
    own,
    requests,
    scalar,
    streamwait,
    sync,
)
from tilepath.tb.control.coverage.axes import AXES
from tilepath.tb.control.coverage.columns import Columns
from tilepath.tb.control.coverage.layout import I64, U32
from tilepath.tb.kernel.coverage.bins import PointGroup
from tilepath.tb.kernel.coverage.model import CoverageModel
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.stream import Records

__all__ = ["ControlCoverage"]

_Count = Callable[[U32, I64, I64], None]
_GROUPS: Final[tuple[tuple[PointGroup, _Count, int], ...]] = (
    (gate.GROUP, gate.count_gate, gate.MEMORY),
    (own.GROUP, own.count_own, own.MEMORY),
    (streamwait.GROUP, streamwait.count_streamwait, streamwait.MEMORY),
    (sync.GROUP, sync.count_sync, sync.MEMORY),
    (config.GROUP, config.count_config, config.MEMORY),
    (fields.GROUP, fields.count_fields, fields.MEMORY),
    (scalar.GROUP, scalar.count_scalar, scalar.MEMORY),
    (multiply.GROUP, multiply.count_multiplications, multiply.MEMORY),
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
        profiles.get(profile)
        self._tallies = [Tally(group) for group, _, _ in _GROUPS]
        super().__init__("control", profile, *self._tallies, axes=AXES)
        self._memories = [np.zeros(size, np.int64) for _, _, size in _GROUPS]
        self._derived = np.zeros(derive.MEMORY, np.int64)
        self._unit = np.zeros(requests.MEMORY, np.int64)
        self._columns = Columns()

    def count(self, streams: Mapping[str, Records], start: int, end: int) -> None:
        """Count a block of cycles: rows first, then each group from them."""
        rows = self._columns.fill(streams, start, end)
        derive.derive(rows, start, self._derived, self._unit)
        for (_, count, _), memory, tally in zip(
            _GROUPS, self._memories, self._tallies, strict=True
        ):
            count(rows, memory, tally.counts)
