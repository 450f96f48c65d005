# SPDX-License-Identifier: Apache-2.0
"""The floors of the random tests, as measured: ``floors.toml``, which ``tilepath floors`` writes.

A run's count of events is a sum over clumps (scenes, bursts). So its root is about normal, with a
deviation that hardly depends on how long the run is. A floor is a part of the fewest that was
seen, and at least :data:`DEVIATIONS` deviations of the roots below their mean: fewer has one run in
three million.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from math import sqrt
from pathlib import Path
from typing import Final

import numpy as np

from tilepath.engine.description.stimulus import (
    FLOOR_CYCLES,
    FLOOR_PART,
    Context,
    Floor,
    TestSpec,
)

FILE: Final = Path(__file__).parents[1] / "floors.toml"
ENOUGH: Final = 1000
"""Seeds of which half of the fewest is a floor, however they spread."""

LEAST: Final = 30
"""Seeds that any floor needs."""

DEVIATIONS: Final = 5
_ITEMS: Final = 256  # of each player, which stand for a test's stimulus


@dataclass(frozen=True)
class Row:
    """How many events of a stream the seeds had, of all its ``instances`` together.

    ``percent``: one seed in a hundred had fewer; ``one``: the fewest of any instance; ``root``,
    ``spread``: mean and deviation of the roots.
    """

    fewest: int
    percent: int
    median: int
    one: int
    instances: int
    root: float
    spread: float

    @classmethod
    def of(cls, runs: Sequence[Sequence[int]]) -> Row:
        """Make a row of the counts of each instance in each run."""
        counts = np.array(runs, dtype=np.int64)
        every = counts.sum(axis=1)
        percent, median = np.percentile(every, (1, 50), method="lower").tolist()
        least = int(every.min()), percent, median, int(counts.min()), counts.shape[1]
        root, spread = np.sqrt(every).mean(), np.sqrt(every).std(ddof=min(1, len(every) - 1))
        return cls(*least, round(float(root), 2), round(float(spread), 2))

    def floor(self, seeds: int) -> Floor:
        """Half of the fewest of many seeds, or of fewer if that is far away; else a quarter.

        And what chance allows, which may be nothing.
        """
        part = 2 if seeds >= ENOUGH or self.is_far(self.fewest // 2, seeds) else 4
        most = self.fewest // part
        if self.instances > 1:
            most = min(most, FLOOR_PART * self.instances * (self.one // part + 1) - 1)
        return Floor(most, self.root, self._away(seeds))

    def is_far(self, floor: int, seeds: int) -> bool:
        """Whether ``floor`` is at twice the distance from the seeds' mean that any must have."""
        return sqrt(floor) < self.root - 2 * self._away(seeds)

    def _away(self, seeds: int) -> float:
        """Return that distance; the deviation of so few seeds may be so much larger."""
        return DEVIATIONS * self.spread * (1 + 2 / sqrt(seeds))


@dataclass(frozen=True)
class Measured:
    """A test was measured: how many seeds, the digest of its stimulus, and a row by stream."""

    stimulus: str
    seeds: int
    rows: Mapping[str, Row]

    @property
    def floors(self) -> dict[str, int]:
        """Stream → what follows from its row."""
        return {stream: row.floor(self.seeds) for stream, row in self.rows.items()}


@cache
def measured() -> Mapping[str, Measured]:
    """``block/test`` → what is in the table."""
    found = {}
    for test, about in tomllib.loads(FILE.read_text()).items() if FILE.is_file() else ():
        stimulus, seeds = about.pop("stimulus"), about.pop("seeds")
        for values in about.values():
            del values["floor"]  # for who reads the table
        found[test] = Measured(stimulus, seeds, {name: Row(**row) for name, row in about.items()})
    return found


def floors(block: str, test: str) -> dict[str, int]:
    """``TestSpec.floor`` of a test; nothing of one that is not in the table yet."""
    about = measured().get(f"{block}/{test}")
    return about.floors if about else {}


def write(tests: Mapping[str, Measured]) -> None:
    """Write the table."""
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        "# Events in 10,000 cycles by test and stream, and the floors that follow: written by",
        "# 'tilepath floors --write' (docs/write-a-sequence.md).",
    ]
    for test, about in sorted(tests.items()):
        lines += ["", f'["{test}"]', f'stimulus = "{about.stimulus}"', f"seeds = {about.seeds}"]
        for stream, row in about.rows.items():
            values = {**asdict(row), "floor": row.floor(about.seeds)}
            text = ", ".join(f"{name} = {value}" for name, value in values.items())
            lines.append(f'"{stream}" = {{ {text} }}')
    FILE.write_text("\n".join((*lines, "")))


def stimulus_digest(block: str, spec: TestSpec) -> str:
    """Stands for what a test plays: 16 hexadecimal digits, of the first items.

    With the seeds that it knows, else with one.
    """
    found = hashlib.sha256()
    for seed in spec.known or (1,):
        played = spec.stimulus(Context(block, spec.name, seed, "baseline", FLOOR_CYCLES))
        for player, arrays in sorted(played.items()):
            left = _ITEMS
            found.update(player.encode())
            for items in arrays:
                found.update(np.ascontiguousarray(items[:left]).tobytes())
                left -= len(items)
                if left <= 0:
                    break
    return found.hexdigest()[:16]
