# SPDX-License-Identifier: Apache-2.0
"""What comes first after reset; the specification's vector V8 and the examples of its decisions."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Final

import numpy as np

from tilepath.engine.description.stimulus import Stimulus, TestSpec
from tilepath.isa.boundary.adc import BOUNDARY
from tilepath.sequences.adc.random_tests import floor
from tilepath.sequences.given import cases, given
from tilepath.tb.adc.streams import PLAYERS

WINDOW: Final = 16
_CASES: Final = cases(Path(__file__).with_name("vectors.toml"))


def _windows(*names: str) -> Stimulus:
    """What these cases are given, one to a window of cycles."""
    rows: dict[str, list[tuple[int, ...]]] = defaultdict(list)
    for number, name in enumerate(names):
        for port, some in given(BOUNDARY, _CASES[name]).items():
            rows[port] += [(number * WINDOW + cycle, *values) for cycle, *values in some]
    players = {port: player for player in PLAYERS for port in player.instances}
    items = {}
    for port, some in rows.items():
        cycles, *columns = np.array(some).T
        fields = [field.name for field in players[port].fields]
        gaps = np.diff(cycles, prepend=-1) - 1
        items[port] = [players[port].pack(gap=gaps, **dict(zip(fields, columns, strict=True)))]
    return items


_FIRST, *_OTHERS = _CASES
_TESTS: Final = (
    TestSpec(
        "after_reset",
        "the first write to a counter",
        "directed",
        lambda _: _windows(_FIRST),
        floor=floor({"issue": 2, "level": 1}),
    ),
    TestSpec(
        "vectors",
        "the specification's vector V8 and examples",
        "directed",
        lambda _: _windows(*_OTHERS),
        floor=floor({"issue": 2, "conflict": 1}),
        faults=("x_override",),
    ),
)
TESTS: Final = {test.name: test for test in _TESTS}
