# SPDX-License-Identifier: Apache-2.0
"""The packers' configuration by short names, and the words that make it.

A :data:`Setup` maps a name of :data:`FIELDS` to a value: of a name with four fields (one a packer,
or one a word of a table) to one for all of them, or to four. What is left out is as in
:data:`DEFAULTS`, else 0. Nothing is checked against legality; ``ValueError`` for a value that does
not fit, ``KeyError`` for a name that there is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Final

from tilepath.isa import ConfigField, config_field

Setup = Mapping[str, int | tuple[int, ...]]

BLOCKS: Final = ("THCON_SEC0_REG1", "THCON_SEC0_REG8", "THCON_SEC1_REG1", "THCON_SEC1_REG8")
"""Registers of packers 0 to 3; of ``blackhole``'s one packer, those that CfgContext selects."""

_ONE: Final = {
    "inner_value": "ALU_FORMAT_SPEC_REG_Dstacc_val",
    "inner_override": "ALU_FORMAT_SPEC_REG_Dstacc_override",
    "inner": "ALU_FORMAT_SPEC_REG2_Dstacc",
    "gasket_srnd": "ALU_ROUNDING_MODE_Gasket_srnd_en",
    "packer_srnd": "ALU_ROUNDING_MODE_Packer_srnd_en",
    "ignore_valid": "ALU_ACC_CTRL_Zero_Flag_disabled_dst",
    "relu": "STACC_RELU_ApplyRelu",
    "relu_threshold": "STACC_RELU_ReluThreshold",
    "descale": "INT_DESCALE_Enable",
    "descale_mode": "INT_DESCALE_Mode",
    "x_stride": "PCK0_ADDR_CTRL_XY_REG_0_Xstride",
    "y_stride": "PCK0_ADDR_CTRL_XY_REG_0_Ystride",
    "z_stride": "PCK0_ADDR_CTRL_ZW_REG_0_Zstride",
    "w_stride": "PCK0_ADDR_CTRL_ZW_REG_0_Wstride",
    "y_stride1": "PCK0_ADDR_CTRL_XY_REG_1_Ystride",
    "z_stride1": "PCK0_ADDR_CTRL_ZW_REG_1_Zstride",
    "w_stride1": "PCK0_ADDR_CTRL_ZW_REG_1_Wstride",
    "base0": "PCK0_ADDR_BASE_REG_0_Base",
    "base1": "PCK0_ADDR_BASE_REG_1_Base",
    "wide": "PCK_DEST_RD_CTRL_Read_32b_data",
    "unsigned": "PCK_DEST_RD_CTRL_Read_unsigned",
    "raw": "PCK_DEST_RD_CTRL_Read_int8",
    "round_10b": "PCK_DEST_RD_CTRL_Round_10b_mant",
    "face_select": "PCK_EDGE_TILE_FACE_SET_SELECT_select",  # 2 bits a packer
    "face_enable": "PCK_EDGE_TILE_FACE_SET_SELECT_enable",
    "edge_mode": "PCK_EDGE_MODE_mode",
    "row_select": "PCK_EDGE_TILE_ROW_SET_SELECT_select",  # 2 bits a packer
    "shift": "INT_DESCALE_VALUES_SEC0",
    "remap": "DEST_ACCESS_CFG_remap_addrs",
    "swizzle": "DEST_ACCESS_CFG_swizzle_32b",
    "e4m3": "THCON_SEC0_REG1_Pac_LF8_4b_exp",
    "uncompressed_all": "THCON_SEC0_REG1_All_pack_disable_zero_compress",  # a bit a packer
    "uncompressed_override": "THCON_SEC0_REG1_All_pack_disable_zero_compress_ovrd",
}
_BLOCK: Final = {
    "row_size": "Row_start_section_size",
    "exp_size": "Exp_section_size",
    "l1_dest": "L1_Dest_addr",
    "uncompressed": "Disable_zero_compress",
    "add_offset": "Add_l1_dest_addr_offset",
    "to": "Out_data_format",
    "from_": "In_data_format",
    "own_exponents": "Dis_shared_exp_assembler",
    "auto_last": "Auto_set_last_pacr_intf_sel",
    "no_header": "Sub_l1_tile_header_size",
    "source_high": "L1_source_addr",
    "downsample": "Downsample_mask",
    "accumulate": "Pack_L1_Acc",
    "threshold_en": "Exp_threshold_en",
    "threshold": "Exp_threshold",
}
_NUMBERED: Final = {
    "row_map": "TILE_ROW_SET_MAPPING_{}",
    "face_map": "TILE_FACE_SET_MAPPING_{}",
    "edge_mask": "PCK_EDGE_OFFSET_SEC{}_mask",
    "per_plane": "PACK_COUNTERS_SEC{}_pack_per_xy_plane",
    "reads": "PACK_COUNTERS_SEC{}_pack_reads_per_xy_plane",
    "xys": "PACK_COUNTERS_SEC{}_pack_xys_per_tile",
    "transposed": "PACK_COUNTERS_SEC{}_pack_yz_transposed",
    "auto_context": "PACK_COUNTERS_SEC{}_auto_ctxt_inc_xys_cnt",
    "dst_offset": "DEST_TARGET_REG_CFG_PACK_SEC{}_Offset",
    "z_offset": "DEST_TARGET_REG_CFG_PACK_SEC{}_ZOffset",
}
_LIMITS: Final = {"limit": "Pack_limit_address", "fifo": "Pack_fifo_size"}
_SOURCE: Final = config_field("THCON_SEC0_REG1_Source_interface_selection")

FIELDS: Final[Mapping[str, tuple[ConfigField, ...]]] = {
    **{name: (config_field(text),) for name, text in _ONE.items()},
    **{
        name: tuple(config_field(f"{block}_{text}") for block in BLOCKS)
        for name, text in _BLOCK.items()
    },
    **{
        name: tuple(config_field(text.format(k)) for k in range(4))
        for name, text in _NUMBERED.items()
    },
    **{
        name: tuple(config_field(f"THCON_SEC{k >> 1}_REG9_{text}_{k & 1}") for k in range(4))
        for name, text in _LIMITS.items()
    },
    # of packer 0; in the others' words it makes a fault (U23)
    "source_l1": tuple(
        replace(_SOURCE, addr32=config_field(f"{block}_Out_data_format").addr32) for block in BLOCKS
    ),
    "slots": tuple(config_field(f"THCON_SEC{k}_REG10_Packer_Reg_Wr_Addr") for k in (0, 1)),
}
DEFAULTS: Final[Setup] = {"uncompressed": 1, "edge_mask": 0xFFFF, "reads": 16, "no_header": 1}


def four(setup: Setup, name: str) -> tuple[int, ...]:
    """The values that ``setup`` has for the fields of ``name``."""
    value = setup.get(name, DEFAULTS.get(name, 0))
    return value if isinstance(value, tuple) else (value,) * len(FIELDS[name])


def words(setup: Setup) -> dict[int, int]:
    """Config words by index: all that packers read."""
    if unknown := setup.keys() - FIELDS.keys():
        raise KeyError(f"there is no {', '.join(sorted(unknown))}")
    found = _NONE.copy()
    for name, value in {**DEFAULTS, **setup}.items():
        if value:  # most are 0
            for index, bits in _placed(name, value):
                found[index] |= bits
    return found


@lru_cache(4096)
def _placed(name: str, value: int | tuple[int, ...]) -> list[tuple[int, int]]:
    """Index and bits of each of the words that the fields of ``name`` are in."""
    targets = [*zip(FIELDS[name], four({name: value}, name), strict=True)]
    for target, bits in targets:
        if not 0 <= bits < 1 << target.width:
            raise ValueError(f"{target.name}: {bits} does not fit {target.width} bits")
    return [(target.addr32, bits << target.lsb) for target, bits in targets]


_NONE: Final = {target.addr32: 0 for fields in FIELDS.values() for target in fields}
