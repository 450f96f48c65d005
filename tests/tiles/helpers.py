# SPDX-License-Identifier: Apache-2.0
"""A machine that unpacks and packs whole tiles of 32 × 32, set up by names of fields alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilepath.isa import assemble
from tilepath.models import Machine
from tilepath.models.tiles import FORMATS

TILE = 0x10000
FACE = 256  # datums
_OUT_BYTES = {name: max(form.bits // 8, 1) for name, form in FORMATS.items()}
TO_SRC = [name for name, form in FORMATS.items() if form.bits < 32]
"""Formats that can be unpacked to SrcA and SrcB as they are."""


def write_fields(machine: Machine, fields: dict[str, int]) -> None:
    for name, value in fields.items():
        machine.write_field(name, value)


def unpacked(
    tile: NDArray[np.uint8],
    form: str,
    file: str,
    profile: str = "baseline",
    row: int | None = None,
) -> Machine:
    """What unpacking ``tile`` to ``file`` (SrcA, SrcB, Dst) leaves."""
    m = Machine(profile)
    m.write_l1(TILE, tile)
    unit = int(file == "SrcB")
    letter = "AB"[unit]
    base = 0 if unit else 64 * _OUT_BYTES[form]
    write_fields(m, {
        f"THCON_SEC{unit}_REG0_TileDescriptor_InDataFormat": FORMATS[form].code,
        f"THCON_SEC{unit}_REG0_TileDescriptor_IsUncompressed": int(row is None),
        f"THCON_SEC{unit}_REG0_TileDescriptor_XDim": row or 1024,
        f"THCON_SEC{unit}_REG0_TileDescriptor_YDim": 1024 // (row or 1024),
        f"THCON_SEC{unit}_REG2_Out_data_format": FORMATS[form].code,
        f"THCON_SEC{unit}_REG3_Base_address": TILE >> 4,
        f"THCON_SEC{unit}_REG1_Unp_LF8_4b_exp": int(form == "E4M3"),
        f"ALU_FORMAT_SPEC_REG0_Src{letter}Unsigned": int(form == "UINT8"),
        f"UNP{unit}_ADDR_BASE_REG_1_Base": base,
        f"UNP{unit}_ADDR_CTRL_XY_REG_1_Ystride": (row or 0) * _OUT_BYTES[form],
    })  # fmt: skip
    if file == "Dst":
        m.write_field("THCON_SEC0_REG2_Unpack_If_Sel", 1)
    elif file == "SrcA":
        m.push(0, assemble("ttsetc16 5,4"))  # rows as they are
    m.push(0, assemble(f"SETADCXX {1 << unit},{(row or 1024) - 1},0"))
    word = 0x42000001 | unit << 23
    if row:  # a row of input and of output each time
        word |= 1 << 17 | 1 << 21
    for _ in range(1024 // (row or 1024)):
        m.push(0, word)
    return m


def of_file(machine: Machine, file: str) -> NDArray[np.uint32]:
    """Raw values of a file's bank 0, in the order of L1."""
    return np.asarray({"SrcA": machine.src_a, "SrcB": machine.src_b}[file][0]).reshape(-1)


def pack(machine: Machine, form: str) -> None:
    """Pack the first 64 rows of Dst to ``TILE``, as they are: four packers, or the newer one."""
    blocks = ("THCON_SEC0_REG1_", "THCON_SEC0_REG8_", "THCON_SEC1_REG1_", "THCON_SEC1_REG8_")
    size = FORMATS[form].bits // 8
    fields = {
        "ALU_FORMAT_SPEC_REG2_Dstacc": FORMATS[form].code,
        "PCK0_ADDR_CTRL_XY_REG_0_Ystride": 16 * size,
        "PACK_COUNTERS_SEC0_pack_reads_per_xy_plane": 16,
        "PCK_DEST_RD_CTRL_Read_32b_data": int(size == 4),
    }
    fields |= {f"PCK_EDGE_OFFSET_SEC{k}_mask": 0xFFFF for k in range(4)}
    is_older = machine.profile == "baseline"
    for p, block in enumerate(blocks if is_older else blocks[:1]):
        fields[f"{block}In_data_format"] = fields[f"{block}Out_data_format"] = FORMATS[form].code
        fields[f"{block}Disable_zero_compress"] = 1
        first = (1 << 31 if is_older else 0) | TILE >> 4
        fields[f"{block}L1_Dest_addr"] = p * FACE * size // 16 - 1 if p else first
        fields[f"DEST_TARGET_REG_CFG_PACK_SEC{p}_Offset"] = 16 * p
    write_fields(machine, fields)
    if is_older:
        machine.push(0, [assemble("SETADCXX 4,255,0"), 0x41000F01])
        return
    machine.write_thread_config(0, 37, 4)  # Y of channel 0 moves on by four rows
    machine.push(0, assemble("SETADCXX 4,15,0"))
    for last in [*[0] * 15, 1]:
        machine.push(0, assemble(f"PACR 0,0,0,0,0,0,15,0,0,0,0,{last}"))


def same_bits(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether two arrays are the same, NaN and the sign of zeros included."""
    return one.dtype == other.dtype and one.tobytes() == other.tobytes()
