# SPDX-License-Identifier: Apache-2.0
"""Streams for the coverage tests: inputs chosen by hand, outputs of the model, as recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from tilepath.engine.description.stream import Records, stream_table
from tilepath.isa.boundary.unpack import BOUNDARY
from tilepath.models.unpack import UnpackModel
from tilepath.tb.unpack.coverage import UnpackCoverage
from tilepath.tb.unpack.streams import STREAMS
from tilepath.tests.coverage_runs import fed, recorded
from tilepath.tests.unpack.model_cycle_helpers import Program, model_run
from tilepath.tests.unpack.model_helpers import (
    UnpackState,
    plain,
    put,
    random_setup,
    randomize,
    unpacr,
)

TABLE = stream_table(STREAMS)
PROFILES = (
    "baseline", "blackhole", "wormhole", "baseline,upsample_zeros=0:1:2:4",
)  # fmt: skip
GAP = 800


def played(program: Program, cycles: int = 400) -> tuple[dict[str, Records], int]:
    """All streams of a program, and the cycle in which they end."""
    inputs = program.inputs()
    end = program.start + cycles
    return recorded(TABLE, inputs | model_run(inputs, [end], program.profile)), end


def covered(
    seen: Mapping[str, Records], end: int, profile: str = "baseline", cuts: Sequence[int] = ()
) -> UnpackCoverage:
    """A coverage model that has seen ``seen``, cut into blocks at ``cuts``."""
    return fed(UnpackCoverage(profile), seen, end, cuts, UnpackModel(profile))


def covered_by(program: Program) -> UnpackCoverage:
    """A coverage model that has seen ``program``."""
    seen, end = played(program)
    return covered(seen, end, program.profile)


def tile(
    unit: int = 0,
    code: int = 5,
    count: int = 16,
    *,
    out: int | None = None,
    thread: int = 0,
    profile: str = "baseline",
    word: Mapping[str, int] | None = None,
    **fields: int,
) -> Program:
    """One Regular UNPACR of ``count`` datums (BF16) from 0x4010 on, issued behind the set-up."""
    state = plain(code, out, unit, count, profile=profile, **fields)
    return Program(state, profile).issue(0, unpacr(unit, **(word or {})), thread)


def two(count0: int = 256, count1: int = 256, **fields: int) -> Program:
    """A set-up of both unpackers, without any instruction."""
    state = plain(5, None, 0, count0, **fields)
    put(state, 1, base=0x800, in_format=5, out_format=5, uncompressed=1, x_dim=256, y_dim=1)
    put(state, 1, z_dim=4, w_dim=1, x1=count1 - 1, **({"throttle": 2} | fields))
    return Program(state)


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
    program = Program(random_state(rng, profile), profile)
    for number in range(8):
        word, thread = random_word(rng), int(rng.integers(3))
        program.issue(GAP * number, word, thread)
        for bank in range(4):
            program.matrix(GAP * number + GAP - 8 + bank, 1, bank >> 1, bank & 1, 0)
    seen, end = played(program, 8 * GAP)
    return seen, end, profile


def random_inputs(rng: np.random.Generator, cycles: int, profile: str) -> dict[str, Records]:
    """Words at any time, most of which nobody takes, and a Matrix Unit that does anything."""
    state = random_state(rng, profile)
    state.l1[1 << 13 :] = 0  # the rest would take long to write
    for base in (76, 124):  # of the contexts: what is read is what was written
        state.config[:, base : base + 8] %= 1 << 9
    state.adc.live[:] = np.where(state.adc.live >= 1 << 16, 7, state.adc.live)
    program = Program(state, profile)
    busy = float(rng.choice([0.05, 0.2, 1.0]))
    streams = BOUNDARY.table
    for cycle in range(cycles - program.start):
        threads = [int(thread) for thread in rng.permutation(3)]
        for unit in range(2):
            if rng.random() < busy:
                word = random_word(rng) & ~(1 << 23) | unit << 23
                program.issue(cycle, word, threads.pop())
        for name, share in (("matrix", 0.3), ("matrix_write", 0.1), ("matrix_bank", 0.02)):
            if rng.random() < share:
                values = [rng.integers(0, 1 << min(field.width, 32), field.words).tolist()
                          for field in streams[name].fields]  # fmt: skip
                program.add(name, cycle, *(v if len(v) > 1 else v[0] for v in values))
        if rng.random() < 0.02:
            program.add("l1_latency", cycle, int(rng.choice([1, 2, 3, 5, 20])))
    return program.inputs()
