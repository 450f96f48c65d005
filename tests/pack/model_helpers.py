# SPDX-License-Identifier: Apache-2.0
"""Short ways to set the packers up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tilepath import isa
from tilepath.models.pack import PackState

BLOCKS = ("THCON_SEC0_REG1_", "THCON_SEC0_REG8_", "THCON_SEC1_REG1_", "THCON_SEC1_REG8_")
# Short names of configuration fields; # is the packer, % its block, @ its limits
SHORT = {
    "inner": "ALU_FORMAT_SPEC_REG2_Dstacc",
    "override": "ALU_FORMAT_SPEC_REG_Dstacc_override",
    "override_inner": "ALU_FORMAT_SPEC_REG_Dstacc_val",
    "r32": "PCK_DEST_RD_CTRL_Read_32b_data",
    "raw": "PCK_DEST_RD_CTRL_Read_int8",
    "r10": "PCK_DEST_RD_CTRL_Round_10b_mant",
    "uns": "PCK_DEST_RD_CTRL_Read_unsigned",
    "ignore_valid": "ALU_ACC_CTRL_Zero_Flag_disabled_dst",
    "relu": "STACC_RELU_ApplyRelu",
    "relu_threshold": "STACC_RELU_ReluThreshold",
    "descale": "INT_DESCALE_Enable",
    "descale_mode": "INT_DESCALE_Mode",
    "shift": "INT_DESCALE_VALUES_SEC0",
    "x_stride": "PCK0_ADDR_CTRL_XY_REG_0_Xstride",
    "y_stride": "PCK0_ADDR_CTRL_XY_REG_0_Ystride",
    "z_stride": "PCK0_ADDR_CTRL_ZW_REG_0_Zstride",
    "w_stride": "PCK0_ADDR_CTRL_ZW_REG_0_Wstride",
    "base0": "PCK0_ADDR_BASE_REG_0_Base",
    "y_stride1": "PCK0_ADDR_CTRL_XY_REG_1_Ystride",
    "z_stride1": "PCK0_ADDR_CTRL_ZW_REG_1_Zstride",
    "w_stride1": "PCK0_ADDR_CTRL_ZW_REG_1_Wstride",
    "base1": "PCK0_ADDR_BASE_REG_1_Base",
    "dst_offset": "DEST_TARGET_REG_CFG_PACK_SEC#_Offset",
    "z_offset": "DEST_TARGET_REG_CFG_PACK_SEC#_ZOffset",
    "swizzle": "DEST_ACCESS_CFG_swizzle_32b",
    "remap": "DEST_ACCESS_CFG_remap_addrs",
    "edge_mode": "PCK_EDGE_MODE_mode",
    "row_select": "PCK_EDGE_TILE_ROW_SET_SELECT_select",
    "face_enable": "PCK_EDGE_TILE_FACE_SET_SELECT_enable",
    "face_select": "PCK_EDGE_TILE_FACE_SET_SELECT_select",
    **{f"mask{k}": f"PCK_EDGE_OFFSET_SEC{k}_mask" for k in range(4)},
    **{f"row_mapping{k}": f"TILE_ROW_SET_MAPPING_{k}" for k in range(4)},
    **{f"face_mapping{k}": f"TILE_FACE_SET_MAPPING_{k}" for k in range(4)},
    "srnd": "ALU_ROUNDING_MODE_Packer_srnd_en",
    "xys": "PACK_COUNTERS_SEC#_pack_xys_per_tile",
    "reads": "PACK_COUNTERS_SEC#_pack_reads_per_xy_plane",
    "transposed": "PACK_COUNTERS_SEC#_pack_yz_transposed",
    "row_size": "%Row_start_section_size",
    "exp_size": "%Exp_section_size",
    "l1": "%L1_Dest_addr",
    "plain": "%Disable_zero_compress",
    "add_offset": "%Add_l1_dest_addr_offset",
    "to": "%Out_data_format",
    "from_": "%In_data_format",
    "sub": "%Sub_l1_tile_header_size",
    "own_exponents": "%Dis_shared_exp_assembler",
    "source": "THCON_SEC0_REG1_Source_interface_selection",
    "source_addr": "%L1_source_addr",
    "downsample": "%Downsample_mask",
    "acc": "%Pack_L1_Acc",
    "threshold_en": "%Exp_threshold_en",
    "threshold": "%Exp_threshold",
    "e4m3": "THCON_SEC0_REG1_Pac_LF8_4b_exp",
    "limit": "@Pack_limit_address_&",
    "fifo": "@Pack_fifo_size_&",
}
TILE = 0x1000  # where ``ready`` lets a tile begin


def put(state: Any, packer: int = 0, **values: int) -> None:
    """Write fields by their short names, in both banks."""
    for name, value in values.items():
        full = SHORT[name].replace("#", str(packer)).replace("%", BLOCKS[packer])
        full = full.replace("@", f"THCON_SEC{packer // 2}_REG9_").replace("&", str(packer % 2))
        field = isa.config_field(full)
        for bank in state.config:
            bank[field.addr32] = int(bank[field.addr32]) & ~field.mask | value << field.lsb


def ready(profile: str = "baseline", **values: int) -> PackState:
    """Packers that pack rows of 16, without masks and compression, to ``TILE``."""
    state = PackState(profile)
    for packer in range(4):
        put(state, packer, plain=1, l1=TILE >> 4, sub=1, reads=16)
    put(state, mask0=0xFFFF, mask1=0xFFFF, mask2=0xFFFF, mask3=0xFFFF)
    put(state, **values)
    datums(state, 16)
    return state


def datums(state: PackState, count: int, first: int = 0) -> None:
    """Let a PACR of thread 0 take ``count`` datums from X = ``first`` on."""
    first = max(first, 1 - count)
    state.adc.live[0, 2, 0, 0] = first
    state.adc.live[0, 2, 1, 0] = first + count - 1


def fill(state: PackState, storage: Sequence[int] | npt.NDArray[Any], wide: bool = False) -> None:
    """Raw storage of the first rows; 32-bit values if ``wide``."""
    values = np.zeros(-(-len(storage) // 16) * 16, dtype=np.uint32)
    values[: len(storage)] = storage
    for row, given in enumerate(values.reshape(-1, 16)):
        if wide:
            place = (row & 0x1F8) << 1 | row & 0x207
            state.dst[place], state.dst[place + 8] = given >> 16, given & 0xFFFF
        else:
            state.dst[row] = given


def storage(value: int, settings: dict[str, int]) -> int:
    """Storage of a number (P19)."""
    if settings.get("r32"):
        return storage(value >> 16, {"inner": 5}) << 16 | value & 0xFFFF
    if settings["inner"] in (1, 2, 10):
        return value & 0x8000 | (value & 0x3FF) << 5 | value >> 10 & 0x1F
    if settings["inner"] in (9, 14):
        return value
    return value & 0x8000 | (value & 0x7F) << 8 | value >> 7 & 0xFF


def word(mask: int = 1, last: int = 1, **fields: int) -> int:
    """A PACR."""
    return isa.encode("PACR", read_intf_sel=mask, last=last, **fields)


def l1(state: PackState, count: int, at: int = TILE) -> bytes:
    """Bytes of L1."""
    return state.l1[at : at + count].tobytes()
