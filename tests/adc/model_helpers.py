# SPDX-License-Identifier: Apache-2.0
"""Event streams from plain rows, random commands, and runs of the cycle model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from tilepath.isa.boundary.adc import BOUNDARY
from tilepath.models.adc import AdcModel
from tilepath.sequences.adc import TESTS
from tilepath.tb.kernel.description.stimulus import Context
from tilepath.tests.adc.helpers import offered
from tilepath.tests.model_runs import Records as Records
from tilepath.tests.model_runs import run_in_pieces
from tilepath.tests.model_runs import stream as stream_of

stream = partial(stream_of, BOUNDARY)


def model_run(
    inputs: Mapping[str, Records], cuts: Iterable[int], profile: str = "baseline"
) -> dict[str, Records]:
    """Output streams of a run cut at ``cuts`` (the last one is its end)."""
    return run_in_pieces(AdcModel(profile), inputs, cuts)


def random_inputs(
    seed: int, cycles: int, profile: str = "baseline", test: str = "random"
) -> dict[str, Records]:
    """What a random test offers."""
    context = Context("adc", test, seed, profile, cycles)
    return offered(TESTS[test].stimulus(context), cycles)
