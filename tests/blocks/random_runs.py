# SPDX-License-Identifier: Apache-2.0
"""Random runs of the models that need no program: inputs, and what is recorded of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from tilepath.tb.kernel.description.block import Block
from tilepath.tb.kernel.description.registry import load_block
from tilepath.tb.kernel.description.stream import Records
from tilepath.tests.adc import model_helpers as adc
from tilepath.tests.control import model_helpers as control
from tilepath.tests.coverage_runs import recorded
from tilepath.tests.flag_pipe import random_programs as flag_pipe
from tilepath.tests.frontend import model_helpers as frontend

Inputs = Mapping[str, Records]
CYCLES: Final = 500

_INPUTS: Final[Mapping[str, Callable[[np.random.Generator, int, str], Inputs]]] = {
    "adc": lambda rng, cycles, _: adc.random_inputs(rng, cycles),
    "control": lambda rng, cycles, _: control.random_inputs(rng, cycles),
    "flag_pipe": flag_pipe.random_inputs,
    "frontend": lambda rng, cycles, _: frontend.random_inputs(rng, cycles),
}
BLOCKS: Final = tuple(_INPUTS)

SEEN: Final[Mapping[str, Callable[[Inputs, int, str], Inputs]]] = {
    "adc": lambda inputs, cycles, profile: dict(inputs) | adc.model_run(inputs, [cycles], profile),
    "control": lambda inputs, cycles, _: control.seen(inputs, cycles),
    "frontend": frontend.seen,
}
"""Block → every stream of a run of the model; of those whose ports are as planned, or known."""


def random_run(name: str, seed: int, cycles: int = CYCLES) -> tuple[Block, str, Inputs]:
    """A block, a profile and random inputs."""
    rng = np.random.default_rng([1, seed])
    chosen = ("baseline", "blackhole")[seed % 2]
    profile = flag_pipe.random_profile(rng) if name == "flag_pipe" else chosen
    return load_block(name), profile, _INPUTS[name](rng, cycles, profile)


def recorded_run(name: str, seed: int, cycles: int = CYCLES) -> tuple[Block, str, Any]:
    """A block, a profile and all that recorders have of a random run."""
    block, profile, inputs = random_run(name, seed, cycles)
    return block, profile, recorded(block.stream_table, SEEN[name](inputs, cycles, profile))
