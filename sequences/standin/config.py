# SPDX-License-Identifier: Apache-2.0
"""The stand-in's configuration by short names, and the words that make it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilepath.isa import ConfigField, config_field

_CONFIG: Final = {
    "a_value": "ALU_FORMAT_SPEC_REG_SrcA_val",
    "a_override": "ALU_FORMAT_SPEC_REG_SrcA_override",
    "b_value": "ALU_FORMAT_SPEC_REG_SrcB_val",
    "b_override": "ALU_FORMAT_SPEC_REG_SrcB_override",
    "a": "ALU_FORMAT_SPEC_REG0_SrcA",
    "b": "ALU_FORMAT_SPEC_REG1_SrcB",
    "fp32": "ALU_ACC_CTRL_Fp32_enabled",
    "integers": "ALU_ACC_CTRL_INT8_math_enabled",
    "keep_zero": "ALU_ACC_CTRL_Zero_Flag_disabled_src",
    "swizzle": "DEST_ACCESS_CFG_swizzle_32b",
    "remap": "DEST_ACCESS_CFG_remap_addrs",
    "absolute": "DEST_ACCESS_CFG_zeroacc_absolute_tile_mode",
}
_THREAD: Final = {
    "offset": "DEST_TARGET_REG_CFG_MATH_Offset",
    "own_a": "DISABLE_IMPLIED_SRCA_FMT_Base",
    "own_b": "DISABLE_IMPLIED_SRCB_FMT_Base",
    "keep_a": "CLR_DVALID_SrcA_Disable",
    "keep_b": "CLR_DVALID_SrcB_Disable",
    "phase": "FIDELITY_BASE_Phase",
    "fp16": "FP16A_FORCE_Enable",
}
CONFIG: Final = {name: config_field(text) for name, text in _CONFIG.items()}
THREAD: Final = {name: config_field(text) for name, text in _THREAD.items()}


def _words(fields: Mapping[str, ConfigField], values: Mapping[str, int]) -> dict[int, int]:
    found = {field.addr32: 0 for field in fields.values()}
    for name, value in values.items():
        field = fields[name]
        if not 0 <= value < 1 << field.width:
            raise ValueError(f"{field.name}: {value} does not fit {field.width} bits")
        found[field.addr32] |= int(value) << field.lsb
    return found


def config_words(**values: int) -> dict[int, int]:
    """All Config words that the stand-in reads; what is left out is 0.

    ``KeyError`` for a name that there is not, ``ValueError`` for a value that does not fit.
    """
    return _words(CONFIG, values)


def thread_words(**values: int) -> dict[int, int]:
    """All words of ThreadConfig but those of address modifiers; as :func:`config_words`."""
    return _words(THREAD, values)
