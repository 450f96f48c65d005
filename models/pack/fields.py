# SPDX-License-Identifier: Apache-2.0
"""Bit fields of the packers' instructions and of the configuration they read.

Names are those of ``isa``. A field of a packer's block is given by its place in packer 0's; the
same field of another packer is ``BLOCKS[packer] - BLOCKS[0]`` words further.
"""

from __future__ import annotations

import enum
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.jit import part
from tilepath.isa.constants import CFG_WORDS
from tilepath.isa.registers import config_field
from tilepath.models.fields import Field as Field
from tilepath.models.fields import get as get
from tilepath.models.fields import instruction_field, placed
from tilepath.models.fields import wide as wide

Config = npt.NDArray[np.uint32]
ThreadConfig = npt.NDArray[np.uint16]


Places = npt.NDArray[np.int64]
"""Fields of a configuration: word, lowest bit, mask; what they are further on by, a ``Further``."""


class ConfigField(NamedTuple):
    """A field of a configuration word: its word, its lowest bit, its mask once shifted down."""

    word: int
    lsb: int
    mask: int


class Further(enum.IntEnum):
    """What a field of a packer is further on by than packer 0's."""

    NOTHING = 0
    PACKER = 1  # a word for each
    BLOCK = 2
    LIMIT = 3


@part
def read(config: Config, bank: int, field: ConfigField, words: int = 0) -> int:
    """Value of a field of Config, ``words`` words further than the field says."""
    return (wide(config[bank, field.word + words]) >> field.lsb) & field.mask


@part
def read_all(
    to: Any, places: Places, config: Config, bank: int, further: tuple[int, int, int, int]
) -> None:
    """Put the values of fields into ``to``; ``further``: words, by ``Further``."""
    for k in range(places.shape[0]):
        word = wide(config[bank, places[k, 0] + further[places[k, 3]]])
        to[k] = (word >> places[k, 1]) & places[k, 2]


def placed_by(further: int, *fields: ConfigField) -> list[tuple[int, ...]]:
    """Rows of ``Places``."""
    return [(*field, further) for field in fields]


def _config(name: str) -> ConfigField:
    field = config_field(name)
    return ConfigField(field.addr32, *placed(field))


# --- instructions

CFG_CONTEXT: Final = instruction_field("PACR_CFG_CONTEXT")
ROW_PAD_ZERO: Final = instruction_field("PACR_ROW_PAD_ZERO")
DST_ACCESS_MODE: Final = instruction_field("PACR_DST_ACCESS_MODE")
ADDR_MODE: Final = instruction_field("PACR_ADDR_MODE")
ADDR_CNT_CONTEXT: Final = instruction_field("PACR_ADDR_CNT_CONTEXT")
ZERO_WRITE: Final = instruction_field("PACR_ZERO_WRITE")
MASK: Final = instruction_field("PACR_READ_INTF_SEL")
OVRD_THREAD_ID: Final = instruction_field("PACR_OVRD_THREAD_ID")
CONCAT: Final = instruction_field("PACR_CONCAT")
CTXT_CTRL: Final = instruction_field("PACR_CTXT_CTRL")
FLUSH: Final = instruction_field("PACR_FLUSH")
LAST: Final = instruction_field("PACR_LAST")

SETREG_PUSH: Final = instruction_field("PACR_SETREG_WH_PUSH")
SETREG_FLUSH: Final = instruction_field("PACR_SETREG_WH_FLUSH")
SETREG_STREAM: Final = instruction_field("PACR_SETREG_WH_ADDR_MID")
WH_ADDR_SEL: Final = instruction_field("PACR_SETREG_WH_ADDR_SEL")
WH_VALUE: Final = instruction_field("PACR_SETREG_WH_VALUE10")
WH_PACK_SEL: Final = instruction_field("PACR_SETREG_WH_PACK_SEL")
BH_LOAD: Final = instruction_field("PACR_SETREG_BH_MODE_SEL")
BH_ADDR_SEL: Final = instruction_field("PACR_SETREG_BH_ADDR_SEL")
BH_VALUE: Final = instruction_field("PACR_SETREG_LOAD_VALUE16")
BH_HALF: Final = instruction_field("PACR_SETREG_LOAD_HALF")

# ZEROACC (P58): what is cleared, and which half
ZEROACC: Final = 0x10
ZEROACC_MODE: Final = Field(19, 3)
ZEROACC_HALF: Final = Field(0, 1)

# --- ThreadConfig: words, whose fields begin at bit 0

STATE_ID: Final = config_field("CFG_STATE_ID_StateID").addr32
ADDR_MOD: Final = config_field("ADDR_MOD_PACK_SEC0_YsrcIncr").addr32  # the first of four
ACC_STATS: Final = config_field("ENABLE_ACC_STATS_Enable").addr32

# --- Config: formats, rounding, ReLU

DSTACC_VAL: Final = _config("ALU_FORMAT_SPEC_REG_Dstacc_val")
DSTACC_OVERRIDE: Final = _config("ALU_FORMAT_SPEC_REG_Dstacc_override")
DSTACC: Final = _config("ALU_FORMAT_SPEC_REG2_Dstacc")
GASKET_SRND: Final = _config("ALU_ROUNDING_MODE_Gasket_srnd_en")
PACKER_SRND: Final = _config("ALU_ROUNDING_MODE_Packer_srnd_en")
ZERO_FLAG_DISABLED: Final = _config("ALU_ACC_CTRL_Zero_Flag_disabled_dst")
APPLY_RELU: Final = _config("STACC_RELU_ApplyRelu")
RELU_THRESHOLD: Final = _config("STACC_RELU_ReluThreshold")
DESCALE_ENABLE: Final = _config("INT_DESCALE_Enable")
DESCALE_MODE: Final = _config("INT_DESCALE_Mode")
DESCALE_VALUE: Final = _config("INT_DESCALE_VALUES_SEC0")

# --- Config: Dst reads; strides and base of channel 0 (reads) and channel 1 (writes)

XSTRIDE0: Final = _config("PCK0_ADDR_CTRL_XY_REG_0_Xstride")
YSTRIDE0: Final = _config("PCK0_ADDR_CTRL_XY_REG_0_Ystride")
ZSTRIDE0: Final = _config("PCK0_ADDR_CTRL_ZW_REG_0_Zstride")
WSTRIDE0: Final = _config("PCK0_ADDR_CTRL_ZW_REG_0_Wstride")
BASE0: Final = _config("PCK0_ADDR_BASE_REG_0_Base")
YSTRIDE1: Final = _config("PCK0_ADDR_CTRL_XY_REG_1_Ystride")
ZSTRIDE1: Final = _config("PCK0_ADDR_CTRL_ZW_REG_1_Zstride")
WSTRIDE1: Final = _config("PCK0_ADDR_CTRL_ZW_REG_1_Wstride")
BASE1: Final = _config("PCK0_ADDR_BASE_REG_1_Base")
READ_32B: Final = _config("PCK_DEST_RD_CTRL_Read_32b_data")
READ_UNSIGNED: Final = _config("PCK_DEST_RD_CTRL_Read_unsigned")
READ_RAW: Final = _config("PCK_DEST_RD_CTRL_Read_int8")
ROUND_10B: Final = _config("PCK_DEST_RD_CTRL_Round_10b_mant")
# of packer 0; one word further for each packer
DST_OFFSET: Final = _config("DEST_TARGET_REG_CFG_PACK_SEC0_Offset")
DST_Z_OFFSET: Final = _config("DEST_TARGET_REG_CFG_PACK_SEC0_ZOffset")
SWIZZLE: Final = _config("DEST_ACCESS_CFG_swizzle_32b")
REMAP: Final = _config("DEST_ACCESS_CFG_remap_addrs")

# --- Config: edge masks; selects have 2 bits a packer, mappings 16 entries of 2 bits

FACE_ENABLE: Final = _config("PCK_EDGE_TILE_FACE_SET_SELECT_enable")
FACE_SELECT: Final = _config("PCK_EDGE_TILE_FACE_SET_SELECT_select")
ROW_SELECT: Final = _config("PCK_EDGE_TILE_ROW_SET_SELECT_select")
FACE_MAPPING: Final = _config("TILE_FACE_SET_MAPPING_0")  # the first of four
ROW_MAPPING: Final = _config("TILE_ROW_SET_MAPPING_0")  # the first of four
EDGE_MASK: Final = _config("PCK_EDGE_OFFSET_SEC0_mask")  # the first of four
EDGE_MODE: Final = _config("PCK_EDGE_MODE_mode")
# of packer 0; one word further for each packer
PER_XY_PLANE: Final = _config("PACK_COUNTERS_SEC0_pack_per_xy_plane")
READS_PER_XY_PLANE: Final = _config("PACK_COUNTERS_SEC0_pack_reads_per_xy_plane")
XYS_PER_TILE: Final = _config("PACK_COUNTERS_SEC0_pack_xys_per_tile")
YZ_TRANSPOSED: Final = _config("PACK_COUNTERS_SEC0_pack_yz_transposed")
AUTO_CTXT_INC: Final = _config("PACK_COUNTERS_SEC0_auto_ctxt_inc_xys_cnt")

# --- Config: the block of a packer

_BLOCK: Final = "THCON_SEC0_REG1_"
ROW_START_SIZE: Final = _config(f"{_BLOCK}Row_start_section_size")
EXP_SIZE: Final = _config(f"{_BLOCK}Exp_section_size")
L1_DEST: Final = _config(f"{_BLOCK}L1_Dest_addr")
DISABLE_COMPRESS: Final = _config(f"{_BLOCK}Disable_zero_compress")
ADD_OFFSET: Final = _config(f"{_BLOCK}Add_l1_dest_addr_offset")
TO: Final = _config(f"{_BLOCK}Out_data_format")
FROM: Final = _config(f"{_BLOCK}In_data_format")
DIS_SHARED_EXP: Final = _config(f"{_BLOCK}Dis_shared_exp_assembler")
AUTO_LAST: Final = _config(f"{_BLOCK}Auto_set_last_pacr_intf_sel")
SUB_HEADER: Final = _config(f"{_BLOCK}Sub_l1_tile_header_size")
L1_SOURCE_ADDR: Final = _config(f"{_BLOCK}L1_source_addr")
DOWNSAMPLE_MASK: Final = _config(f"{_BLOCK}Downsample_mask")
L1_ACC: Final = _config(f"{_BLOCK}Pack_L1_Acc")
THRESHOLD_ENABLE: Final = _config(f"{_BLOCK}Exp_threshold_en")
THRESHOLD: Final = _config(f"{_BLOCK}Exp_threshold")
BLOCKS: Final = tuple(
    _config(f"THCON_SEC{section}_REG{register}_L1_Dest_addr").word - L1_DEST.word
    for section in (0, 1)
    for register in (1, 8)
)
BLOCK, BLOCK_WORDS = L1_DEST.word - 1, 4
# of packer 0's block alone
L1_SOURCE: Final = _config(f"{_BLOCK}Source_interface_selection")
ALL_COMPRESS: Final = _config(f"{_BLOCK}All_pack_disable_zero_compress")
ALL_COMPRESS_OVRD: Final = _config(f"{_BLOCK}All_pack_disable_zero_compress_ovrd")
E4M3: Final = _config(f"{_BLOCK}Pac_LF8_4b_exp")
# of packer 0; how many words further for each packer
LIMIT: Final = _config("THCON_SEC0_REG9_Pack_limit_address_0")
FIFO: Final = _config("THCON_SEC0_REG9_Pack_fifo_size_0")
LIMITS: Final = tuple(
    _config(f"THCON_SEC{section}_REG9_Pack_limit_address_{place}").word - LIMIT.word
    for section in (0, 1)
    for place in (0, 1)
)
# PACR_SETREG's slots in Blackhole's encoding: two of 12 bits in each of two words
SETREG_SLOTS: Final = _config("THCON_SEC0_REG10_Packer_Reg_Wr_Addr")
SETREG_SECTION: Final = _config("THCON_SEC1_REG10_Packer_Reg_Wr_Addr").word - SETREG_SLOTS.word

# Words that packers read (section 10): first and last
_READ: Final = (
    (0, 2), (8, 8), (12, 39), (68, 71), (96, 103), (107, 107), (116, 119), (144, 151), (155, 155),
    (180, 183), (187, 187), (220, 220),
)  # fmt: skip
IS_READ: Final = np.array(
    [any(first <= word <= last for first, last in _READ) for word in range(CFG_WORDS)]
)
