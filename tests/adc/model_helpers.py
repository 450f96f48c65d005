# SPDX-License-Identifier: Apache-2.0
"""Event streams from plain rows, random commands, and runs of the cycle model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

import numpy as np

from tilepath.isa.boundary.adc import BOUNDARY
from tilepath.models.adc import AdcModel
from tilepath.tests.model_runs import Records as Records
from tilepath.tests.model_runs import run_in_pieces
from tilepath.tests.model_runs import stream as stream_of

Row = tuple[int, ...]
stream = partial(stream_of, BOUNDARY)

# In which the commands of a cycle apply (A13)
ORDER = ("unpack", "pack", "flop", "t0.issue", "t1.issue", "t2.issue")
OPCODES = (0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x5E)


Timeline = dict[int, dict[str, tuple[int, Row]]]


def timeline(inputs: Mapping[str, Records]) -> Timeline:
    """Cycle -> input stream -> index and fields of its command."""
    found: Timeline = {}
    for name, records in inputs.items():
        for index, record in enumerate(records.tolist()):
            found.setdefault(record[0], {})[name] = (index, tuple(record[1:]))
    return found


def model_run(
    inputs: Mapping[str, Records], cuts: Iterable[int], profile: str = "baseline"
) -> dict[str, Records]:
    """Output streams of a run cut at ``cuts`` (the last one is its end)."""
    return run_in_pieces(AdcModel(profile), inputs, cuts)


def random_word(rng: np.random.Generator) -> int:
    """A word for an issue port: mostly counter instructions, some with masks or targets of 0."""
    word = int(rng.integers(0, 1 << 24))
    kind = int(rng.integers(0, 24))
    if kind == 0:
        return int(rng.choice([0x02, 0x4F, 0x57, 0x5D, 0x5F, 0x00, 0xFF])) << 24 | word
    if kind < 4:
        word &= ~0xF  # no mask
    if kind == 4:
        word &= ~0xE00000  # no target
    if kind < 12:
        word &= ~0x0F0000  # own thread
    return int(rng.choice(OPCODES)) << 24 | word


def random_inputs(rng: np.random.Generator, cycles: int) -> dict[str, Records]:
    """Commands of all writers, each with its own density."""
    inputs = {}
    for name in BOUNDARY.inputs:
        at = np.flatnonzero(rng.random(cycles) < rng.choice([0.02, 0.3, 0.9, 1.0]))
        rows: list[list[int]] = []
        for time in at.tolist():
            if name == "unpack":
                fields = [int(rng.integers(0, 2)), *rng.choice([0, 1, 2, 2, 0, 1, 3], 2).tolist()]
                fields += rng.integers(0, 4, 4).tolist()
            elif name == "pack":
                fields = [int(rng.integers(0, 8)), int(rng.integers(0, 65536))]
            elif name == "flop":
                fields = [*rng.choice([0, 1, 2, 2, 0, 1, 3], 2).tolist()]
                fields += [int(rng.integers(0, n)) for n in (2, 4, 2, 1 << 18)]
            else:
                fields = [random_word(rng)]
            rows.append([time, *fields])
        inputs[name] = stream(name, rows)
    return inputs
