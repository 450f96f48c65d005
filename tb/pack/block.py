# SPDX-License-Identifier: Apache-2.0
"""The packers as the engine sees them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilepath.engine.description.balances import Balances
from tilepath.engine.description.block import Block, of_profile
from tilepath.isa import profiles
from tilepath.isa.boundary.pack import BOUNDARY
from tilepath.tb.instruction_words import explain_words
from tilepath.tb.named import executes, made_by
from tilepath.tb.pack.streams import ALL_IDLE, PLAYERS, STREAMS

LINE_BYTES: Final = 16

_OF_PROFILE: Final = of_profile(
    *("Packers", "Mask0", "MaxDatums", "BhFields", "Relative", "YzwShr4", "Ch1Offset18"),
    *("CompressOvrd", "TilePositionKept"),
    *("TpgByIntf", "R10Fp16", "E4m3", "ReluMaxCmp19", "Fp16AccQuirk", "SetregEnc", "SetregSlots"),
    "DstRemap",
    prefix="PACK_",
)


def _parameters(profile: str) -> Mapping[str, int]:
    return {**_OF_PROFILE(profile), "L1Lines": profiles.get(profile).l1_bytes // LINE_BYTES}


def _explain(stream: str, field: str, value: int) -> str:
    """Instructions, names of configuration words, bytes."""
    if field == "line":
        return f"byte 0x{LINE_BYTES * value:x}"
    return explain_words(stream, field, value)


BLOCK = Block(
    name="pack",
    dut="pack",
    rtl=("isa", "memory", "adc", "dst", "pack"),
    counted=("pack",),
    streams=STREAMS,
    players=PLAYERS,
    model=made_by("models.pack", "PackModel"),
    coverage=made_by("tb.pack.coverage", "PackCoverage"),
    balances=Balances(rest=(("busy", "value", ALL_IDLE),)),
    longest_wait=8192,
    parameters=_parameters,
    bench=of_profile("ZwW"),  # of the address counters beside the DUT
    explain=_explain,
    state=BOUNDARY.state,
    untimed=made_by("tb.pack.untimed", "UntimedPackers"),
    also=executes("models.pack", "PackState", "PACR 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1"),
    macros=("memory_bank",),
    max_gates=60,
    max_levels=35,
)
