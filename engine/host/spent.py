# SPDX-License-Identifier: Apache-2.0
"""The CPU time of a run's process is divided by what it went into."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Final

PARTS: Final = ("start", "stimulus", "simulator", "reading", "model", "coverage")
"""In the order in which they come: all before the first item of stimulus; drawing items, and their
way through sequencers and drivers into files; RTL, players and recorders; reading traces and how
far players are; the golden model, the comparison with it, and the verdict; coverage."""


class Spent:
    """CPU seconds of this process, part by part.

    What was used between two calls of :meth:`on` goes to the part that the later one names, so the
    parts add up to all that the process has used.
    """

    def __init__(self) -> None:
        self.until = 0.0
        self._parts = dict.fromkeys(PARTS, 0.0)

    def on(self, part: str) -> None:
        """What was used since the last call was used on ``part``."""
        now = time.process_time()
        self._parts[part] += now - self.until
        self.until = now

    def parts(self) -> dict[str, float]:
        """Part → seconds so far."""
        return {part: round(seconds, 6) for part, seconds in self._parts.items()}


def added(runs: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Part → seconds of all ``runs``; a run that left none adds nothing."""
    sums = dict.fromkeys(PARTS, 0.0)
    for parts in runs:
        for part in PARTS:
            sums[part] += parts.get(part, 0.0)
    return sums
