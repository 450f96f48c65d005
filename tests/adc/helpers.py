# SPDX-License-Identifier: Apache-2.0
"""What random tests of the counters offer, all streams of a run, and its coverage."""

from __future__ import annotations

from collections.abc import Mapping

from tilepath.engine.coverage.model import CoverageModel
from tilepath.engine.description.stimulus import Context
from tilepath.engine.description.stream import Records
from tilepath.models.adc import AdcModel
from tilepath.sequences.adc import TESTS
from tilepath.tb.adc.block import BLOCK
from tilepath.tests.coverage_runs import counted, recorded
from tilepath.tests.stimulus.helpers import offered


def seen(
    inputs: Mapping[str, Records], cycles: int, profile: str = "baseline"
) -> dict[str, Records]:
    """Every stream of a run of the model."""
    return dict(inputs) | AdcModel(profile).step(inputs, cycles)


def covered(inputs: Mapping[str, Records], cycles: int, profile: str = "baseline") -> CoverageModel:
    """The coverage of what the model does of ``inputs``."""
    shown = recorded(BLOCK.stream_table, seen(inputs, cycles, profile))
    return counted(BLOCK, profile, shown, cycles)


def random_inputs(
    seed: int, cycles: int, profile: str = "baseline", test: str = "random"
) -> dict[str, Records]:
    """What a random test offers."""
    context = Context("adc", test, seed, profile, cycles)
    return offered(BLOCK, TESTS[test].stimulus(context), cycles)
