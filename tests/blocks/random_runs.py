# SPDX-License-Identifier: Apache-2.0
"""Random runs of the models: inputs, and what is recorded of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from tilepath.engine.description.block import Block
from tilepath.engine.description.registry import load_block
from tilepath.engine.description.stream import Records
from tilepath.isa import profiles
from tilepath.tests.adc import worked as adc
from tilepath.tests.control import model_helpers as control
from tilepath.tests.coverage_runs import recorded
from tilepath.tests.flag_pipe import model_helpers as flag_pipe
from tilepath.tests.frontend import model_helpers as frontend
from tilepath.tests.model_runs import random_cuts
from tilepath.tests.pack import pack_cover
from tilepath.tests.standin import standin_cover
from tilepath.tests.unpack import unpack_cover

Inputs = Mapping[str, Records]
CYCLES: Final = 500
LONGER: Final[Mapping[str, int]] = {"pack": 4000, "unpack": 1500}
"""Block → cycles of a run in which it does all that it does: whole tiles, while L1 is not ready."""

_INPUTS: Final[Mapping[str, Callable[[np.random.Generator, int, str], Inputs]]] = {
    "adc": lambda rng, cycles, profile: adc.random_inputs(
        int(rng.integers(1 << 32)), cycles, profile
    ),
    "control": lambda rng, cycles, _: control.random_inputs(rng, cycles),
    "flag_pipe": flag_pipe.random_inputs,
    "frontend": lambda rng, cycles, _: frontend.random_inputs(rng, cycles),
    "pack": pack_cover.random_inputs,
    "unpack": unpack_cover.random_inputs,
}
BLOCKS: Final = tuple(_INPUTS)

SEEN: Final[Mapping[str, Callable[[Inputs, int, str], Inputs]]] = {
    "adc": adc.seen,
    "control": control.seen,
    "flag_pipe": flag_pipe.seen,
    "frontend": frontend.seen,
}
"""Block → every stream of a run of the model; of those whose ports are as planned, or known."""

PROGRAMS: Final[Mapping[str, Callable[[int], tuple[Inputs, int, str]]]] = {
    "pack": pack_cover.random_run,
    "standin": standin_cover.random_run,
    "unpack": unpack_cover.random_run,
}
"""Block → every stream of a run that is made beside the model, the cycle behind it, its profile."""
RECORDED: Final = (*((name, seed) for name in SEEN for seed in range(6)),
                   *((name, seed) for name in PROGRAMS for seed in range(4)))  # fmt: skip


def random_run(name: str, seed: int, cycles: int = CYCLES) -> tuple[Block, str, Inputs]:
    """A block, a profile and random inputs."""
    rng = np.random.default_rng([1, seed])
    chosen = profiles.names()[seed % 3]
    profile = flag_pipe.random_profile(rng) if name == "flag_pipe" else chosen
    return load_block(name), profile, _INPUTS[name](rng, cycles, profile)


def recorded_run(name: str, seed: int, cycles: int = CYCLES) -> tuple[Block, str, Any, int]:
    """A block, a profile, all that recorders have of a random run, and the cycle behind it."""
    if name in PROGRAMS:
        seen, end, profile = PROGRAMS[name](seed)
        return load_block(name), profile, seen, end
    block, profile, inputs = random_run(name, seed, cycles)
    return block, profile, recorded(block.stream_table, SEEN[name](inputs, cycles, profile)), cycles


def some_cuts(seen: Inputs, end: int, rng: np.random.Generator) -> list[list[int]]:
    """Some ways to cut a recorded run: each cycle, if it has few; where something is; anywhere."""
    busy = sorted({int(cycle) for records in seen.values() for cycle in records["cycle"]})
    near = {
        min(max(cycle + late, 1), end - 1)
        for cycle in busy[len(busy) // 2 :][:60]
        for late in (0, 1)
    }
    every = range(1, end) if end <= CYCLES else near
    return [sorted(every), [end // 2], random_cuts(rng, end - 1, 40)]
