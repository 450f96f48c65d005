# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of the packers, from the recorded streams alone.

Source: pack section 7; docs/pack.md. The golden model without time is led through what was
recorded; after each instruction ``walk`` notes what it has done: rows of two tables (``table``),
and bins of datums (``datums``) and of groups, compressed rows and sums (``elements``). The other
points are counted from the tables (``words``, ``output``), from the recorded outputs (``timing``,
``faults``) and inputs (``inputs``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from tilepath.isa import profiles
from tilepath.models.adc.untimed_state import PACKERS as TARGET
from tilepath.models.pack.state import PACKERS
from tilepath.models.records import for_kernel, zeros
from tilepath.tb.kernel.coverage.bins import PointGroup
from tilepath.tb.kernel.coverage.model import CoverageModel
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.pack.coverage import datums, elements, faults, inputs, output, timing, words
from tilepath.tb.pack.coverage.points import Counting, declare
from tilepath.tb.pack.coverage.table import (
    INSTRUCTION,
    INSTRUCTIONS,
    PART,
    PARTS,
    Instructions,
    Parts,
)
from tilepath.tb.pack.coverage.walk import OWN, Seen, Settings, note
from tilepath.tb.pack.untimed import UntimedPackers

__all__ = ["PackCoverage"]

_STEPS: Final = 8192
_LINES: Final = 8192
_MOST_STEPS: Final = 160  # of an instruction
_MOST_LINES: Final = 1024


class _Leader(UntimedPackers):
    """Leads the golden model, and notes each instruction."""

    def __init__(self, model: PackCoverage, profile: str, seen: Seen) -> None:
        super().__init__(profile)
        self._model = model
        self._seen = seen
        state = self._state
        live, checkpoint = state.adc.live, state.adc.checkpoint
        self._settings = Settings(state.config, state.thread_config, live, checkpoint)
        own: Any = seen.own[0]
        own["packers"] = state._states[0]["packers"]
        self._actions["setreg_base"] = self._base

    def _base(self, _name: str, record: Any) -> None:
        self._state.setreg_base[0] = record["base"]

    def _issue(self, _name: str, record: Any) -> None:
        state, seen = self._state, self._seen
        seen.before[:] = state.adc.live[:, TARGET]
        thread, word = int(record["thread"]), int(record["word"])
        state.execute(thread, word)
        note(
            seen, state._states, state._walk, self._settings, state._memory, thread, word,
            int(record["cycle"]),
        )  # fmt: skip
        self._model.make_room()


# Names of the axes of points that their own names do not tell.
_AXES: Final = {
    "closing.group_line": "format byte",
}


class PackCoverage(CoverageModel):
    """Coverage model of the block ``pack``; ``ValueError`` for an unknown profile."""

    def __init__(self, profile: str) -> None:
        self._profile = profiles.get(profile)
        points = PointGroup()
        of_datums = declare(points, datums.points(self._profile))
        of_elements = declare(points, elements.points())
        for topic in (words, output, timing, faults, inputs):
            topic.declare(points, self._profile)
        self._points = Tally(points)
        super().__init__("pack", profile, self._points, axes=_AXES)
        counts = self._points.counts
        self._seen = Seen(
            for_kernel(zeros(OWN)),
            for_kernel(zeros(INSTRUCTION, INSTRUCTIONS)),
            for_kernel(zeros(PART, PARTS)),
            np.zeros((_STEPS, timing.STEP_COLUMNS), np.int64),
            np.zeros((_LINES, timing.LINE_COLUMNS), np.int64),
            Counting(np.array(of_datums, np.int64), counts),
            Counting(np.array(of_elements, np.int64), counts),
            np.zeros((3, 2, 4), np.uint32),
        )
        self._timing = timing.Timing(self._points, self._profile)
        self._leader = _Leader(self, profile, self._seen)

    def left(self) -> tuple[int, int]:
        """Steps and lines that have not come out yet: none when all is idle."""
        return self._timing.left()

    def make_room(self) -> None:
        """Count the tables if there may be no room for one more instruction."""
        own: Any = self._seen.own[0]
        if (
            own["instructions"] == INSTRUCTIONS
            or own["parts"] > PARTS - PACKERS
            or own["steps"] > _STEPS - _MOST_STEPS
            or own["lines"] > _LINES - _MOST_LINES
        ):
            self._count_tables()

    def _count_tables(self) -> None:
        seen = self._seen
        own: Any = seen.own[0]
        i = Instructions(seen.instructions[: own["instructions"]])
        parts = Parts(seen.parts[: own["parts"]], i.rows, self._profile.pack_bh_fields)
        if len(i):
            words.count(self._points, i, parts, self._profile)
            output.count(self._points, parts, self._profile)
            self._timing.note(i, seen.steps[: own["steps"]], seen.lines[: own["lines"]])
        for name in ("instructions", "parts", "steps", "lines"):
            own[name] = 0

    def count(self, streams: Mapping[str, Records], start: int, _end: int) -> None:
        """Count a block of cycles."""
        self._leader.follow(streams, streams)
        self._count_tables()
        self._timing.count(streams, start)
        faults.count(self._points, streams, self._profile)
        inputs.count(self._points, streams, self._profile)
