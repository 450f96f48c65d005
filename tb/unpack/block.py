# SPDX-License-Identifier: Apache-2.0
"""The unpackers as the engine sees them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tilepath.engine.description.balances import Balances, PartlyRecorded
from tilepath.engine.description.block import Block, of_profile
from tilepath.isa import profiles
from tilepath.isa.boundary.unpack import BOUNDARY
from tilepath.tb.instruction_words import explain_words
from tilepath.tb.named import executes, made_by
from tilepath.tb.unpack.items import LINE_BYTES
from tilepath.tb.unpack.streams import PLAYERS, STREAMS

_LINES: Final = ("line", "line0", "line1", "line2", "line3", "exponent", "delta", "rsi0", "rsi1")


_OF_PROFILE: Final = of_profile(
    *("ZwW", "NopEnc", "ZerosrcNeginfSrcb", "RowW", "UpsampleZeros", "Fp8E5m2Fill", "DstRemap"),
    *("UnpacrNopZeroClears", "BurstDefaultThrottle", "SrcaRowHigh", "SpareUnpacr"),
)


def _parameters(profile: str) -> Mapping[str, int]:
    return {**_OF_PROFILE(profile), "L1Lines": profiles.get(profile).l1_bytes // LINE_BYTES}


def _src(value: int) -> str:
    """What a register of SrcA or SrcB stands for: sign, ten bits of mantissa, eight of exponent."""
    if value >> 19:
        return ""  # 32 bits, for Dst
    sign, mantissa, exponent = value >> 18, value >> 8 & 0x3FF, value & 0xFF
    magnitude = (1 + mantissa / 1024) * 2.0 ** (exponent - 127) if exponent else 0.0
    return f"in Src: {-magnitude if sign else magnitude:g}"


def _explain(stream: str, field: str, value: int) -> str:
    """Instructions, names of configuration words; rows, bytes and numbers."""
    name = stream.rpartition(".")[2]
    if field in _LINES and name in ("read", "l1_write"):
        return f"byte 0x{LINE_BYTES * value:x}" if value else ""
    if field == "address" and name.startswith("write"):
        return f"row {value >> 4}, column {value & 15}"
    if field.startswith("data[") and name.startswith("write"):
        return _src(value)
    if (name, field) == ("matrix", "wait"):
        files = [file for bit, file in enumerate(("SrcA", "SrcB")) if value >> bit & 1]
        return f"until the Matrix Unit has its bank of {' and '.join(files)}"
    if (name, field) == ("clear", "value"):
        return _src(value)
    return explain_words(stream, field, value)


BLOCK = Block(
    name="unpack",
    dut="unpack_top",
    rtl=("isa", "memory", "adc", "unpack_config", "unpack", "src", "dst", "unpack_top"),
    counted=("memory", "unpack_config", "unpack", "src", "dst", "unpack_top"),
    streams=STREAMS,
    players=PLAYERS,
    model=made_by("models.unpack", "UnpackModel"),
    coverage=made_by("tb.unpack.coverage", "UnpackCoverage"),
    balances=Balances(
        # with `follow` the bench's pointers say which banks
        partly=(
            PartlyRecorded(
                "matrix",
                "matrix",
                lambda columns: {"banks": columns["banks"]},
                lambda columns: {"banks": np.where(columns["follow"], np.uint32(0), np.uint32(3))},
            ),
        ),
        rest=(("busy", "value", 0x3F), ("hold", "value", 0b111)),
    ),
    parameters=_parameters,
    explain=_explain,
    state=BOUNDARY.state,
    untimed=made_by("tb.unpack.untimed", "UntimedUnpackers"),
    also=executes(
        "models.unpack",
        "UnpackState",
        "SETADCXX 1, 255, 0",
        "UNPACR 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1",
    ),
    optimise="-O1",
    macros=("memory_bank",),
    max_gates=60,
    max_levels=35,
)
