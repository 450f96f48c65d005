# SPDX-License-Identifier: Apache-2.0
"""Random words and inputs for the tests of the front end, and all streams of a run."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from functools import partial
from typing import Final

import numpy as np

from tilepath.engine.description.stimulus import Context
from tilepath.isa.boundary.frontend import BOUNDARY, THREADS
from tilepath.models.frontend import FrontendModel
from tilepath.sequences.frontend import TESTS
from tilepath.sequences.frontend.presets import PRESETS
from tilepath.sequences.frontend.random_program import core_items
from tilepath.sequences.frontend.words import NOP as NOP
from tilepath.sequences.frontend.words import mop
from tilepath.sequences.frontend.words import replay as replay
from tilepath.tb.frontend.block import BLOCK
from tilepath.tb.frontend.streams import CORE
from tilepath.tests.model_runs import Records, as_offered
from tilepath.tests.model_runs import streams as streams_of
from tilepath.tests.stimulus.helpers import offered

MOP1: Final = mop(1)

streams = partial(streams_of, BOUNDARY)
_ANSWERS: Final = {
    f"t{thread}.{offer}": f"t{thread}.{answer}"
    for thread in range(THREADS)
    for offer, answer in (("push", "accept"), ("brisc", "brisc_accept"), ("sync", "sync_ack"))
}


def seen(
    inputs: Mapping[str, Records], cycles: int, profile: str = "baseline"
) -> dict[str, Records]:
    """Every stream of a run of the model, offers as they stand on the ports."""
    outputs = FrontendModel(profile).step(inputs, cycles)
    every = streams(dict.fromkeys(BOUNDARY.inputs, ())) | dict(inputs)
    return as_offered(every, outputs, _ANSWERS, cycles) | outputs


def random_program(
    rng: np.random.Generator, count: int
) -> tuple[list[int], list[tuple[int, int, int]]]:
    """So many words, and MopCfg writes: before which word, index and data."""
    blocks = itertools.islice(core_items(rng, PRESETS["mix"], "baseline"), 1, 4)
    found = CORE.unpack(np.concatenate(list(blocks)))
    pushed, written = found["push"] != 0, found["mopcfg"] != 0
    places = np.cumsum(pushed) - pushed
    written &= places <= count
    writes = np.stack([places, found["index"], found["data"]], axis=1)[written]
    return found["word"][pushed][:count].tolist(), list(map(tuple, writes.tolist()))


def random_inputs(rng: np.random.Generator, cycles: int) -> dict[str, Records]:
    """What some random test offers."""
    preset = str(rng.choice(list(PRESETS)))
    seed, test = int(rng.integers(1 << 32)), TESTS[f"random_{preset}"]
    context = Context("frontend", test.name, seed, "baseline", cycles)
    return offered(BLOCK, test.stimulus(context), cycles)
