# SPDX-License-Identifier: Apache-2.0
"""The address counters as the kernel sees them."""

from __future__ import annotations

from tilepath.engine.description.block import Block, of_profile
from tilepath.isa.boundary.adc import BOUNDARY
from tilepath.tb.adc.streams import PLAYERS, STREAMS
from tilepath.tb.explained_words import explain_words
from tilepath.tb.named import made_by

BLOCK = Block(
    name="adc",
    dut="adc",
    rtl=("isa", "adc"),
    streams=STREAMS,
    players=PLAYERS,
    model=made_by("models.adc", "AdcModel"),
    coverage=made_by("tb.adc.coverage", "AdcCoverage"),
    parameters=of_profile("ZwW"),
    explain=explain_words,
    state=BOUNDARY.state,
    untimed=made_by("tb.adc.untimed", "UntimedCounters"),
    settles=True,
    max_gates=60,
    max_levels=35,
)
