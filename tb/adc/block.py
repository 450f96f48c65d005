# SPDX-License-Identifier: Apache-2.0
"""The address counters as the kernel sees them."""

from __future__ import annotations

from collections.abc import Mapping

from tilepath.isa import profiles
from tilepath.isa.boundary.adc import BOUNDARY
from tilepath.tb.adc.streams import PLAYERS, STREAMS
from tilepath.tb.kernel.coverage.model import CoverageModel
from tilepath.tb.kernel.description.block import Block, BlockModel, Untimed
from tilepath.tb.kernel.description.words import explain_words


def _model(profile: str) -> BlockModel:
    from tilepath.models.adc import AdcModel

    return AdcModel(profile)


def _untimed(profile: str) -> Untimed:
    from tilepath.tb.adc.untimed import UntimedCounters

    return UntimedCounters(profile)


def _coverage(profile: str) -> CoverageModel:
    from tilepath.tb.adc.coverage import AdcCoverage

    return AdcCoverage(profile)


def _parameters(profile: str) -> Mapping[str, int]:
    return {"ZwW": profiles.get(profile).zw_w}


BLOCK = Block(
    name="adc",
    dut="adc",
    rtl=("isa", "adc"),
    streams=STREAMS,
    players=PLAYERS,
    model=_model,
    coverage=_coverage,
    parameters=_parameters,
    explain=explain_words,
    state=BOUNDARY.state,
    untimed=_untimed,
    settles=True,
    max_gates=60,
    max_levels=35,
)
