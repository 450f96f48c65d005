# SPDX-License-Identifier: Apache-2.0
"""Tables of ``unpack``: parameters of the profile, and where the configuration fields are.

All is taken from ``isa`` into the memory, none is compiled in: see ``models/jit.py`` on what a
cached kernel knows of other files.
"""

from __future__ import annotations

import functools
from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath import isa
from tilepath.isa import profiles
from tilepath.models.jit import part
from tilepath.models.unpack.layout import Memory

# --- tables
ROW_W: Final = 0
NOP_BH: Final = 1
NEGINF_SRCB: Final = 2
E5M2_FILL: Final = 3
L1_BYTES: Final = 4
UPSAMPLE: Final = 5  # four
Y_MASK: Final = 0x1FFF  # of counter Y
ZW_MASK: Final = 9  # of counters Z and W (A1)
FIELD_ROWS: Final = 10  # per unpacker FIELDS rows of three: word, lowest bit, mask from bit 0 on

# Fields of the configuration. Those of the thread's configuration come first.
THREAD_FIELDS: Final = {
    "STATE_ID": "CFG_STATE_ID_StateID",
    "SET_BASE": "SRC{ab}_SET_Base",
    "SET_OVRD": "SRCA_SET_SetOvrdWithAddr",
    "CONTEXT_OFFSET": "UNPACK_MISC_CFG_CfgContextOffset_{u}",
    "CLEAR_STREAM": "NOC_OVERLAY_MSG_CLEAR_StreamId_{u}",
}
_TILE: Final = "THCON_SEC{u}_REG0_TileDescriptor_"
_REG2: Final = "THCON_SEC{u}_REG2_"
_CONFIG_FIELDS: Final = (
    "ALU_FORMAT_SPEC_REG0_Src{ab}Unsigned",
    "UNP{u}_ADDR_CTRL_XY_REG_1_Ystride",
    "UNP{u}_ADDR_CTRL_ZW_REG_1_Zstride",
    "UNP{u}_ADDR_CTRL_ZW_REG_1_Wstride",
    "UNP{u}_ADDR_BASE_REG_1_Base",
    "UNP{u}_FORCED_SHARED_EXP_shared_exp",
    "UNP{u}_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr",
    "UNP0_BLOBS_Y_START_CNTX_01",
    "UNP0_BLOBS_Y_START_CNTX_23",
    "UNP{u}_NOP_REG_CLR_VAL",
    "THCON_SEC{u}_REG1_Unp_LF8_4b_exp",
    *(
        f"{_TILE}{name}"
        for name in (
            "InDataFormat",
            "IsUncompressed",
            "NoBFPExpSection",
            "BlobsPerXYPlane",
            "XDim",
            "YDim",
            "ZDim",
            "WDim",
            "BlobsYStart_lo",
            "BlobsYStart_hi",
            "DigestSize",
        )
    ),
    *(
        f"{_REG2}{name}"
        for name in (
            "Out_data_format",
            "Throttle_mode",
            "Context_count",
            "Haloize_mode",
            "Tileize_mode",
            "Unpack_Src_Reg_Set_Upd",
            "Unpack_If_Sel",
            "Upsample_rate",
            "Ovrd_data_format",
            "Upsample_and_interleave",
            "Force_shared_exp",
            "Unpack_limit_address",
            "Unpack_fifo_size",
            "Disable_zero_compress_cntx0_3",
            "Disable_zero_compress_cntx4_7",
            "Unpack_if_sel_cntx0_3",
            "Unpack_if_sel_cntx4_7",
        )
    ),
    *(f"{_REG2}Shift_amount_cntx{k}" for k in range(4)),
    *(f"THCON_SEC{{u}}_REG3_Base_{'' if k == 0 else f'cntx{k}_'}address" for k in range(4)),
    *(f"THCON_SEC{{u}}_REG4_Base_cntx{k}_address" for k in range(4, 8)),
    *(f"THCON_SEC{{u}}_REG7_Offset_{'' if k == 0 else f'cntx{k}_'}address" for k in range(4)),
    *(f"THCON_SEC{{u}}_REG5_Dest_cntx{k}_address" for k in range(4)),
    *(f"THCON_SEC{{u}}_REG5_Tile_x_dim_cntx{k}" for k in range(4)),
    *(f"THCON_SEC{{u}}_REG7_Unpack_data_format_cntx{k}" for k in range(8)),
    *(f"THCON_SEC{{u}}_REG7_Unpack_out_data_format_cntx{k}" for k in range(8)),
)
# Numbers of the fields, in the order above
STATE_ID: Final = 0
SET_BASE: Final = 1
SET_OVRD: Final = 2
CONTEXT_OFFSET: Final = 3
CLEAR_STREAM: Final = 4
UNSIGNED: Final = 5
Y_STRIDE: Final = 6
Z_STRIDE: Final = 7
W_STRIDE: Final = 8
OUT_BASE: Final = 9
SHARED_EXP: Final = 10
ADD_DEST: Final = 11
BLOBS_01: Final = 12
BLOBS_23: Final = 13
CLR_VAL: Final = 14
E4M3: Final = 15
TILE_FORMAT: Final = 16
TILE_UNCOMPRESSED: Final = 17
TILE_NO_EXP: Final = 18
TILE_BLOBS: Final = 19
TILE_XDIM: Final = 20
TILE_YDIM: Final = 21
TILE_ZDIM: Final = 22
TILE_WDIM: Final = 23
TILE_START_LO: Final = 24
TILE_START_HI: Final = 25
TILE_DIGEST: Final = 26
OUT_FORMAT: Final = 27
THROTTLE: Final = 28
CONTEXT_COUNT: Final = 29
HALOIZE: Final = 30
TILEIZE: Final = 31
SET_UPD: Final = 32
IF_SEL: Final = 33
UPSAMPLE_RATE: Final = 34
OVRD_FORMAT: Final = 35
UPSAMPLE_INTERLEAVE: Final = 36
FORCE_EXP: Final = 37
LIMIT_ADDRESS: Final = 38
FIFO_SIZE: Final = 39
DISABLE_COMPRESS: Final = 40  # two: contexts 0-3, 4-7
CONTEXT_IF_SEL: Final = 42  # two
SHIFT_AMOUNT: Final = 44  # four
BASE: Final = 48  # eight
OFFSET: Final = 56  # four
DEST: Final = 60  # four
TILE_X_DIM: Final = 64  # four
CONTEXT_IN: Final = 68  # eight
CONTEXT_OUT: Final = 76  # eight
FIELDS: Final = 84

TABLES: Final = FIELD_ROWS + 2 * 3 * FIELDS


@part
def read(tables: Memory, words: Memory, row: int, unpacker: int, field: int) -> int:
    """Value of a configuration field.

    ``words``: ``config`` or ``thread_config``, whichever has it; ``row``: the bank or thread.
    """
    at = FIELD_ROWS + 3 * (FIELDS * unpacker + field)
    value: int = (np.int64(words[row, tables[at]]) >> tables[at + 1]) & tables[at + 2]
    return value


@part
def counter(live: Memory, number: int, unpacker: int, channel: int, which: int) -> int:
    """Live value of counter ``which`` (X, Y, Z, W) of an unpacker in set ``number``."""
    return np.int64(live[number, unpacker, channel, which])  # type: ignore[return-value]


def field_names(unpacker: int) -> tuple[str, ...]:
    """Names in ``isa`` of the configuration fields of an unpacker, by number."""
    letter = "AB"[unpacker]
    return tuple(
        name.format(u=unpacker, ab=letter) for name in (*THREAD_FIELDS.values(), *_CONFIG_FIELDS)
    )


def new_tables(profile: str = profiles.DEFAULT) -> npt.NDArray[np.int64]:
    """The tables of a profile: int64, shape (TABLES,). ``ValueError`` for an unknown profile."""
    return _tables(profile).copy()


@functools.cache
def _tables(profile: str) -> npt.NDArray[np.int64]:
    """The tables of a profile, which nobody may write."""
    chosen = profiles.get(profile)
    if chosen.l1_bytes % 16:
        raise ValueError(f"l1_bytes {chosen.l1_bytes}: want a multiple of 16")
    tables = np.zeros(TABLES, dtype=np.int64)
    tables[ROW_W] = chosen.row_w
    tables[NOP_BH] = chosen.nop_enc == "BH"
    tables[NEGINF_SRCB] = chosen.zerosrc_neginf_srcb
    tables[E5M2_FILL] = chosen.fp8_e5m2_fill
    tables[L1_BYTES] = chosen.l1_bytes
    tables[UPSAMPLE : UPSAMPLE + 4] = chosen.upsample_zeros
    tables[ZW_MASK] = (1 << chosen.zw_w) - 1
    for unpacker in range(2):
        for number, name in enumerate(field_names(unpacker)):
            field = isa.config_field(name)
            at = FIELD_ROWS + 3 * (FIELDS * unpacker + number)
            tables[at : at + 3] = field.addr32, field.lsb, (1 << field.width) - 1
    return tables
