# SPDX-License-Identifier: Apache-2.0
"""The address counters as the kernel sees them."""

from __future__ import annotations

from collections.abc import Mapping

from tilepath.isa import profiles
from tilepath.isa.boundary.adc import BOUNDARY
from tilepath.tb.adc.streams import PLAYERS, STREAMS
from tilepath.tb.kernel.description.block import Block
from tilepath.tb.kernel.description.words import explain_words
from tilepath.tb.named import made_by


def _parameters(profile: str) -> Mapping[str, int]:
    return {"ZwW": profiles.get(profile).zw_w}


BLOCK = Block(
    name="adc",
    dut="adc",
    rtl=("isa", "adc"),
    streams=STREAMS,
    players=PLAYERS,
    model=made_by("models.adc", "AdcModel"),
    coverage=made_by("tb.adc.coverage", "AdcCoverage"),
    parameters=_parameters,
    explain=explain_words,
    state=BOUNDARY.state,
    untimed=made_by("tb.adc.untimed", "UntimedCounters"),
    settles=True,
    max_gates=60,
    max_levels=35,
)
