# SPDX-License-Identifier: Apache-2.0
"""Streams for the coverage tests: inputs chosen by hand, outputs of the model, as recorded."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import numpy as np

from tilepath.engine.coverage.model import CoverageModel
from tilepath.engine.description.stream import Records, stream_table
from tilepath.isa.boundary.unpack import BOUNDARY
from tilepath.tb.unpack.block import BLOCK
from tilepath.tb.unpack.streams import STREAMS
from tilepath.tests.coverage_runs import Example, counted, recorded
from tilepath.tests.tables import beside
from tilepath.tests.unpack.model_cycle_helpers import Program, model_run, program
from tilepath.tests.unpack.model_helpers import (
    UnpackState,
    random_setup,
    randomize,
)

TABLE = stream_table(STREAMS)
PROFILES = (
    "baseline", "blackhole", "wormhole", "baseline,upsample_zeros=0:1:2:4",
)  # fmt: skip
GAP = 800


def played(made: Program, cycles: int = 400) -> tuple[dict[str, Records], int]:
    """All streams of a program, and the cycle in which they end."""
    inputs = made.inputs()
    end = made.start + cycles
    return recorded(TABLE, inputs | model_run(inputs, [end], made.profile)), end


EXAMPLES: Final[list[Example]] = [
    (case, *case["shows"]) for case in beside(__file__, "points")["example"]
]


def covered_by(case: Mapping[str, Any]) -> CoverageModel:
    """A coverage model that has seen the program of a table."""
    made = program(case)
    return counted(BLOCK, made.profile, *played(made))


def random_word(rng: np.random.Generator) -> int:
    """An UNPACR that is Regular, or a NOP of any kind."""
    word = int(rng.integers(0, 1 << 24))
    if rng.random() < 0.25:
        return 0x43000000 | word
    return 0x42000000 | word & ~0x2002


def random_state(rng: np.random.Generator, profile: str) -> UnpackState:
    state = UnpackState(profile)
    randomize(state, rng)
    random_setup(state, rng)
    for part in (state.src_owner, state.src_bank, state.src_row, state.context_counter):
        part[:] = 0
    return state


@cache
def random_run(seed: int) -> tuple[dict[str, Records], int, str]:
    """Streams of a few random instructions, which have time enough; cycles; profile."""
    profile = PROFILES[seed % len(PROFILES)]
    rng = np.random.default_rng(seed)
    made = Program(random_state(rng, profile), profile)
    for number in range(8):
        word, thread = random_word(rng), int(rng.integers(3))
        made.issue(GAP * number, word, thread)
        for bank in range(4):
            file, release = bank >> 1, GAP * number + GAP - 8 + bank
            made.say(f"{release} matrix release={1 << file} banks={(bank & 1) << file}")
    seen, end = played(made, 8 * GAP)
    return seen, end, profile


def random_inputs(rng: np.random.Generator, cycles: int, profile: str) -> dict[str, Records]:
    """Words at any time, most of which nobody takes, and a Matrix Unit that does anything."""
    state = random_state(rng, profile)
    state.l1[1 << 13 :] = 0  # the rest would take long to write
    for base in (76, 124):  # of the contexts: what is read is what was written
        state.config[:, base : base + 8] %= 1 << 9
    state.adc.live[:] = np.where(state.adc.live >= 1 << 16, 7, state.adc.live)
    made = Program(state, profile)
    busy = float(rng.choice([0.05, 0.2, 1.0]))
    streams = BOUNDARY.table
    for cycle in range(cycles - made.start):
        threads = [int(thread) for thread in rng.permutation(3)]
        for unit in range(2):
            if rng.random() < busy:
                word = random_word(rng) & ~(1 << 23) | unit << 23
                made.issue(cycle, word, threads.pop())
        for name, share in (("matrix", 0.3), ("matrix_write", 0.1), ("matrix_bank", 0.02)):
            if rng.random() < share:
                values = [rng.integers(0, 1 << min(field.width, 32), field.words).tolist()
                          for field in streams[name].fields]  # fmt: skip
                made.add(name, cycle, *(v if len(v) > 1 else v[0] for v in values))
        if rng.random() < 0.02:
            made.add("l1_latency", cycle, int(rng.choice([1, 2, 3, 5, 20])))
    return made.inputs()
