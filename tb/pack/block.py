# SPDX-License-Identifier: Apache-2.0
"""The packers as the kernel sees them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilepath import isa
from tilepath.isa import profiles
from tilepath.isa.boundary.pack import BOUNDARY
from tilepath.tb.kernel.description.block import Block
from tilepath.tb.named import made_by
from tilepath.tb.pack.accounts import ACCOUNTS
from tilepath.tb.pack.streams import PLAYERS, STREAMS

LINE_BYTES: Final = 16

# Parameter of the RTL → parameter of a profile
_PARAMETERS: Final = {
    "Packers": "PACKERS",
    "Mask0": "PACK_MASK0",
    "MaxDatums": "PACK_MAX_DATUMS",
    "BhFields": "PACK_BH_FIELDS",
    "Relative": "PACK_RELATIVE",
    "YzwShr4": "PACK_YZW_SHR4",
    "CompressOvrd": "PACK_COMPRESS_OVRD",
    "TpgByIntf": "PACK_TPG_BY_INTF",
    "R10Fp16": "PACK_R10_FP16",
    "E4m3": "PACK_E4M3",
    "ReluMaxCmp19": "RELU_MAX_CMP19",
    "Fp16AccQuirk": "FP16_ACC_QUIRK",
    "SetregEnc": "SETREG_ENC",
    "SetregSlots": "SETREG_SLOTS",
    "DstRemap": "DST_REMAP",
}


def _parameters(profile: str) -> Mapping[str, int]:
    values = profiles.get(profile).rtl_parameters()
    lines = {"L1Lines": values["L1_BYTES"] // LINE_BYTES}
    return {name: values[source] for name, source in _PARAMETERS.items()} | lines


def _bench(profile: str) -> Mapping[str, int]:
    return {"ZwW": profiles.get(profile).zw_w}  # of the address counters beside the DUT


def _explain(stream: str, field: str, value: int) -> str:
    """Instructions, names of configuration words, bytes."""
    name = stream.rpartition(".")[2]
    if field == "word":
        return isa.explain_word(value)
    if field == "index":
        return isa.explain_config_word("Thread" if name == "setc16" else "Config", value)
    return f"byte 0x{LINE_BYTES * value:x}" if field == "line" else ""


BLOCK = Block(
    name="pack",
    dut="pack",
    rtl=("isa", "memory", "adc", "dst", "pack"),
    streams=STREAMS,
    players=PLAYERS,
    model=made_by("models.pack", "PackModel"),
    coverage=made_by("tb.pack.coverage", "PackCoverage"),
    accounts=ACCOUNTS,
    parameters=_parameters,
    bench=_bench,
    explain=_explain,
    state=BOUNDARY.state,
    untimed=made_by("tb.pack.untimed", "UntimedPackers"),
    macros=("memory_bank",),
    max_gates=60,
    max_levels=35,
)
