# SPDX-License-Identifier: Apache-2.0
"""Bit fields of the Matrix Unit's instructions and of the configuration they read; profiles."""

from __future__ import annotations

import functools
from typing import Any, Final

import numpy as np

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Records, record
from tilepath.isa import profiles
from tilepath.isa.codec import layout_of
from tilepath.isa.registers import config_field
from tilepath.models.fields import Field, placed
from tilepath.models.pack.fields import ConfigField, wide


def _field(mnemonic: str, name: str, profile: str = profiles.DEFAULT) -> Field:
    return placed(layout_of(mnemonic, profile).find(name))


def _config(name: str) -> ConfigField:
    field = config_field(name)
    return ConfigField(field.addr32, *placed(field))


@part
def read(words: Records, row: int, field: ConfigField, further: int = 0) -> int:
    """Value of a field of Config (``row``: bank) or ThreadConfig (thread), words further."""
    return (wide(words[row, field.word + further]) >> field.lsb) & field.mask


# --- instructions; what is not named here is in the same place in all that have it

DST: Final = _field("MVMUL", "dst")
GIVES_BACK: Final = _field("MVMUL", "clear_dvalid")  # bit 0 SrcA, bit 1 SrcB
ROW_BROADCAST: Final = _field("MVMUL", "bcast_row")
ACCUMULATES: Final = _field("ELWADD", "dest_accum_en")
B_ROW: Final = _field("ELWADD", "bcast_row")
B_COLUMN: Final = _field("ELWADD", "bcast_col0")
POOL_MODE: Final = _field("GAPOOL", "pool_addr_mode")
ARGMAX: Final = _field("GAPOOL", "argmax")
LOW_HALF: Final = _field("MOVA2D", "dest_32b_lo")
SRC: Final = _field("MOVA2D", "src")
ROWS: Final = _field("MOVA2D", "rows8")  # of the other moves 4
SRC_B: Final = _field("MOVB2A", "srcb")
ZERO_MODE: Final = _field("ZEROACC", "mode")
WH_WIDE: Final = _field("ZEROACC", "wide", f"{profiles.DEFAULT},math_enc=WH")
NEG_INF: Final = _field("ZEROSRC", "neg_inf")
MATRIX_BANK: Final = _field("ZEROSRC", "matrix_bank")
BOTH_BANKS: Final = _field("ZEROSRC", "both_banks")
KEEP: Final = _field("CLEARDVALID", "keep")
RESET: Final = _field("CLEARDVALID", "reset")
SET_PHASE: Final = _field("SETRWC", "set_phase")
D_TO_CR: Final = _field("SETRWC", "d_to_cr")
# of A, B, D
RWC: Final = tuple(_field("SETRWC", f"rwc_{name}") for name in "abd")
RWC_CR: Final = tuple(_field("SETRWC", f"cr_{name}") for name in "abd")
RWC_SET: Final = tuple(_field("SETRWC", f"set_{name}") for name in "abd")

# --- ThreadConfig

STATE_ID: Final = _config("CFG_STATE_ID_StateID")
OFFSET: Final = _config("DEST_TARGET_REG_CFG_MATH_Offset")
NOT_IMPLIED: Final = tuple(_config(f"DISABLE_IMPLIED_SRC{x}_FMT_Base") for x in "AB")
KEEPS_OWNER: Final = tuple(_config(f"CLR_DVALID_Src{x}_Disable") for x in "AB")
PHASE_BASE: Final = _config("FIDELITY_BASE_Phase")
FORCE_FP16: Final = _config("FP16A_FORCE_Enable")
# of address modifier 0; one word further for each
SRC_INCR: Final = tuple(_config(f"ADDR_MOD_AB_SEC0_Src{x}Incr") for x in "AB")
SRC_CR: Final = tuple(_config(f"ADDR_MOD_AB_SEC0_Src{x}CR") for x in "AB")
SRC_CLEAR: Final = tuple(_config(f"ADDR_MOD_AB_SEC0_Src{x}Clear") for x in "AB")
DEST_INCR: Final = _config("ADDR_MOD_DST_SEC0_DestIncr")
DEST_CR: Final = _config("ADDR_MOD_DST_SEC0_DestCR")
DEST_CLEAR: Final = _config("ADDR_MOD_DST_SEC0_DestClear")
DEST_C_TO_CR: Final = _config("ADDR_MOD_DST_SEC0_DestCToCR")
PHASE_INCR: Final = _config("ADDR_MOD_DST_SEC0_FidelityIncr")
PHASE_CLEAR: Final = _config("ADDR_MOD_DST_SEC0_FidelityClear")
BIAS_INCR: Final = _config("ADDR_MOD_BIAS_SEC0_BiasIncr")
BIAS_CLEAR: Final = _config("ADDR_MOD_BIAS_SEC0_BiasClear")

# --- Config

_SPEC: Final = "ALU_FORMAT_SPEC_REG"
OVERRIDES: Final = tuple(_config(f"{_SPEC}_Src{x}_override") for x in "AB")
OVERRIDE: Final = tuple(_config(f"{_SPEC}_Src{x}_val") for x in "AB")
FORMAT: Final = (_config(f"{_SPEC}0_SrcA"), _config(f"{_SPEC}1_SrcB"))
FP32: Final = _config("ALU_ACC_CTRL_Fp32_enabled")
INTEGERS: Final = _config("ALU_ACC_CTRL_INT8_math_enabled")
KEEPS_DENORMALS: Final = _config("ALU_ACC_CTRL_Zero_Flag_disabled_src")
SWIZZLE: Final = _config("DEST_ACCESS_CFG_swizzle_32b")
REMAP: Final = _config("DEST_ACCESS_CFG_remap_addrs")
ABSOLUTE: Final = _config("DEST_ACCESS_CFG_zeroacc_absolute_tile_mode")
CONFIG_READ: Final = frozenset(
    field.word
    for field in (*OVERRIDES, *OVERRIDE, *FORMAT, FP32, INTEGERS, KEEPS_DENORMALS, SWIZZLE)
)
"""Words of Config that words of the unit read."""

# --- what depends on the profile: parameters, and the field map (M1, M2): lowest bits, masks

SETTINGS: Final = record(
    is_wh=np.int64,  # field map
    implied=np.int64,
    minus1=np.int64,
    dst_remap=np.int64,
    # what chips do (M4, M9, M24 to M27)
    half_rows=np.int64,
    storage_rows=np.int64,
    fp32_rows=np.int64,
    unaligned_write=np.int64,
    row_block=np.int64,
    low_zero=np.int64,
    cuts_b=np.int64,
    modifier=np.int64,
    modifier_ones=np.int64,
    pool_modifier=np.int64,
    pool_modifier_ones=np.int64,
    b2d_mode=np.int64,
    zero_wide=np.int64,
    zero_undo=np.int64,
)


@functools.cache
def settings_of(profile: str = profiles.DEFAULT) -> Records:
    """One ``SETTINGS``, read-only: to be copied. Raises ``ValueError`` for an unknown profile."""
    chosen = profiles.get(profile)
    settings = np.zeros(1, SETTINGS)
    one: Any = settings[0]
    one.is_wh = chosen.math_enc == "WH"
    one.implied = chosen.implied_fmt
    one.minus1 = chosen.math_minus1
    one.dst_remap = chosen.dst_remap
    one.half_rows, one.storage_rows = chosen.zeroacc_half_rows, chosen.zeroacc_storage_rows
    one.fp32_rows, one.cuts_b = chosen.move_fp32_rows, chosen.srcb_cut_in_move
    one.unaligned_write = chosen.move_unaligned_write
    one.row_block, one.low_zero = chosen.mova2d_row_block, chosen.movd2b_low_zero
    one.modifier, one.modifier_ones = _field("MVMUL", "addr_mode", profile)
    one.pool_modifier, one.pool_modifier_ones = _field("GAPOOL", "addr_mode", profile)
    one.b2d_mode = _field("MOVB2D", "movb2d_mode", profile).lsb
    one.zero_wide = _field("ZEROACC", "wide", profile).lsb
    one.zero_undo = _field("ZEROACC", "undo", profile).lsb
    settings.flags.writeable = False
    return settings
