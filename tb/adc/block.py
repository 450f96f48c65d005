# SPDX-License-Identifier: Apache-2.0
"""The address counters as the kernel sees them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilepath import isa
from tilepath.isa import profiles
from tilepath.isa.registers import config_fields
from tilepath.tb.adc.streams import PLAYERS, STREAMS, TARGETS
from tilepath.tb.kernel.coverage.model import CoverageModel
from tilepath.tb.kernel.description.block import Block, BlockModel

_COUNTERS: Final = ("X", "Y", "Z", "W")
_ADDR_MOD: Final = "ADDR_MOD_PACK_SEC0_"


def _model(profile: str) -> BlockModel:
    from tilepath.models.adc import AdcModel

    return AdcModel(profile)


def _coverage(profile: str) -> CoverageModel:
    from tilepath.tb.adc.coverage import AdcCoverage

    return AdcCoverage(profile)


def _parameters(profile: str) -> Mapping[str, int]:
    return {"ZwW": profiles.get(profile).zw_w}


def _explain(stream: str, field: str, value: int) -> str:
    """A disassembly for words, the two halves of a counter, names for numbers."""
    if field == "word":
        text = isa.disassemble(value)
        if not text.startswith(".word"):
            return text
        instruction = isa.decode(value)
        return f"{instruction.mnemonic} with ignored bits set" if instruction.known else ""
    if stream.split(".")[-1] in TARGETS:
        live, checkpoint = value & 0xFFFF, value >> 16
        return f"live {live}, checkpoint {checkpoint}" if field[0] in "yzw" else str(value)
    if field == "addr_mod":
        return _addr_mod(value)
    if field == "where":
        groups = [f"t{bit // 3}.{TARGETS[bit % 3]}" for bit in range(9) if value >> bit & 1]
        return ", ".join(groups)
    names = {"counter": _COUNTERS, "select": TARGETS}.get(field, ())
    return names[value] if value < len(names) else ""


def _addr_mod(word: int) -> str:
    """The fields of an ADDR_MOD_PACK word that are not 0, with their values (P18)."""
    parts = []
    for f in config_fields():
        if f.name.startswith(_ADDR_MOD) and (value := word >> f.lsb & ((1 << f.width) - 1)):
            parts.append(f"{f.name.removeprefix(_ADDR_MOD)} {value}")
    return ", ".join(parts)


BLOCK = Block(
    name="adc",
    dut="adc",
    rtl=("isa", "adc"),
    streams=STREAMS,
    players=PLAYERS,
    model=_model,
    coverage=_coverage,
    parameters=_parameters,
    explain=_explain,
)
