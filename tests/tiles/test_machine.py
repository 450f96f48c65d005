# SPDX-License-Identifier: Apache-2.0
"""Rows of Dst are where the packers read them.

That numbers of all formats are unpacked and packed as ``tiles`` has them programs and kernels
show: ``tests/unpack``, ``tests/pack``, ``tests/datapath``.
"""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.isa import assemble
from tilepath.models import Machine, tiles
from tilepath.models.tiles import FORMATS, from_l1

_TILE = 0x10000
_FACE = 256  # datums
_PACKERS = ("THCON_SEC0_REG1_", "THCON_SEC0_REG8_", "THCON_SEC1_REG1_", "THCON_SEC1_REG8_")


def pack(machine: Machine, form: str) -> None:
    """Pack the first 64 rows of Dst to ``_TILE``, as they are: four packers, or the newer one."""
    code, size = FORMATS[form].code, FORMATS[form].bits // 8
    fields = {
        "ALU_FORMAT_SPEC_REG2_Dstacc": code,
        "PCK0_ADDR_CTRL_XY_REG_0_Ystride": 16 * size,
        "PACK_COUNTERS_SEC0_pack_reads_per_xy_plane": 16,
        "PCK_DEST_RD_CTRL_Read_32b_data": int(size == 4),
    }
    fields |= {f"PCK_EDGE_OFFSET_SEC{k}_mask": 0xFFFF for k in range(4)}
    is_older = machine.profile == "baseline"
    for p, block in enumerate(_PACKERS if is_older else _PACKERS[:1]):
        fields[f"{block}In_data_format"] = fields[f"{block}Out_data_format"] = code
        fields[f"{block}Disable_zero_compress"] = 1
        first = (1 << 31 if is_older else 0) | _TILE >> 4
        fields[f"{block}L1_Dest_addr"] = p * _FACE * size // 16 - 1 if p else first
        fields[f"DEST_TARGET_REG_CFG_PACK_SEC{p}_Offset"] = 16 * p
    for name, value in fields.items():
        machine.write_field(name, value)
    if is_older:
        machine.push(0, [assemble("SETADCXX 4,255,0"), 0x41000F01])
        return
    machine.write_thread_config(0, 37, 4)  # Y of channel 0 moves on by four rows
    machine.push(0, assemble("SETADCXX 4,15,0"))
    for last in [*[0] * 15, 1]:
        machine.push(0, assemble(f"PACR 0,0,0,0,0,0,15,0,0,0,0,{last}"))


@pytest.mark.parametrize("bits", [0, 1, 2, 3])
@pytest.mark.parametrize("name", ["BF16", "FP32"])
@pytest.mark.parametrize("profile", ["baseline", "blackhole"])
def test_rows_of_dst_are_where_the_packer_reads_them(profile: str, name: str, bits: int) -> None:
    """P52: the row map of ``blackhole``, chosen by two bits; ``baseline`` has none."""
    m = Machine(profile)
    m.write_field("DEST_ACCESS_CFG_remap_addrs", bits >> 1)
    m.write_field("DEST_ACCESS_CFG_swizzle_32b", bits & 1)
    numbers = np.arange(1024, dtype=np.float32).reshape(32, 32) % 256
    flat = tiles.Layout(FORMATS[name]).flat(numbers).reshape(64, 16)
    tiles.write_dst(m, 0, flat, name)
    np.testing.assert_array_equal(tiles.read_dst(m, 0, 64, name), flat)
    pack(m, name)
    assert m.faults == []
    np.testing.assert_array_equal(from_l1(m.read_l1(_TILE, 16 + 4096), name), numbers)


def test_rows_that_are_not_valid_are_zeros() -> None:
    m = Machine()
    tiles.write_dst(m, 1022, np.ones((4, 16)), "BF16")  # rows run round
    assert (tiles.read_dst(m, 0, 3, "BF16")[:2] == 1).all()
    m.execute(0, 0x10180000)  # ZEROACC of all
    assert not tiles.read_dst(m, 0, 3, "BF16").any()
    tiles.write_dst(m, 1, np.ones((1, 16)), "FP16")
    assert tiles.read_dst(m, 0, 3, "FP16").sum(axis=1).tolist() == [0, 16, 0]
