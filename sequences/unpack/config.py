# SPDX-License-Identifier: Apache-2.0
"""Set-ups of an unpacker as values, and the configuration words that make them.

A :class:`Setup` has what section 5 of the contract reads for one unpacker in one bank, by fields of
the registers (spec §2); :class:`Thread` what a thread's own words hold. Both give words: address →
value. Nothing is checked against legality here; ``ValueError`` for a value that does not fit
its field, when it is given.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cache
from operator import attrgetter
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.description.given import checked
from tilepath.isa import ConfigField, config_field

ALU_WORD: Final = 1
"""The word with SrcAUnsigned and SrcBUnsigned, which both unpackers share."""
DST_MAP_WORD: Final = 220
"""The word with remap and swizzle of Dst's rows (P52), one for both banks."""
MISC: Final = 41
"""The word of ThreadConfig with context offsets, and resets of the context counters (U6)."""
RESETS: Final = 0x1010
"""Bits of that word: the resets."""

Eight = tuple[int, int, int, int, int, int, int, int]
Four = tuple[int, int, int, int]

SECTION: Final = {
    "in_format": "REG0_TileDescriptor_InDataFormat",
    "uncompressed": "REG0_TileDescriptor_IsUncompressed",
    "no_exponents": "REG0_TileDescriptor_NoBFPExpSection",
    "blobs": "REG0_TileDescriptor_BlobsPerXYPlane",
    "x_dim": "REG0_TileDescriptor_XDim",
    "y_dim": "REG0_TileDescriptor_YDim",
    "z_dim": "REG0_TileDescriptor_ZDim",
    "w_dim": "REG0_TileDescriptor_WDim",
    "digest": "REG0_TileDescriptor_DigestSize",
    "e4m3": "REG1_Unp_LF8_4b_exp",
    "ovrd_throttle": "REG1_ovrd_default_throttle_mode",
    "out_format": "REG2_Out_data_format",
    "throttle": "REG2_Throttle_mode",
    "context_count": "REG2_Context_count",
    "transpose": "REG2_Haloize_mode",
    "tilize": "REG2_Tileize_mode",
    "set_upd": "REG2_Unpack_Src_Reg_Set_Upd",
    "if_sel": "REG2_Unpack_If_Sel",
    "upsample": "REG2_Upsample_rate",
    "ovrd_format": "REG2_Ovrd_data_format",
    "interleave": "REG2_Upsample_and_interleave",
    "force_exponent": "REG2_Force_shared_exp",
    "limit": "REG2_Unpack_limit_address",
    "fifo": "REG2_Unpack_fifo_size",
}
"""Short names of fields of the unpacker's THCON section, by what follows ``THCON_SEC<n>_``."""
OWN: Final = {
    "shared_exponent": "FORCED_SHARED_EXP_shared_exp",
    "add_dest": "ADD_DEST_ADDR_CNTR_add_dest_addr_cntr",
    "out_base": "ADDR_BASE_REG_1_Base",
    "y_stride": "ADDR_CTRL_XY_REG_1_Ystride",
    "z_stride": "ADDR_CTRL_ZW_REG_1_Zstride",
    "w_stride": "ADDR_CTRL_ZW_REG_1_Wstride",
    "clear_value": "NOP_REG_CLR_VAL",
}
"""Short names of fields of registers of its own, by what follows ``UNP<n>_``."""

_FOURS: Final = {
    "ctx_uncompressed": "Disable_zero_compress",
    "ctx_if_sel": "Unpack_if_sel",
}


def _offset(k: int) -> str:
    return "REG7_Offset_address" if k == 0 else f"REG7_Offset_cntx{k}_address"


def _base(k: int) -> str:
    if k == 0:
        return "REG3_Base_address"
    return f"REG{3 + k // 4}_Base_cntx{k}_address"


def _most() -> dict[str, int]:
    """The greatest value of each field of a set-up that its registers hold."""
    most: dict[str, int] = {}
    for part in _parts(0):
        bits = (1 << part.width) - 1 & part.mask
        most[part.name] = most.get(part.name, 0) | bits << part.drop
    return most


@checked(_most)
@dataclass(frozen=True)
class Setup:
    """What an unpacker is to do, in one bank.

    Names are those of ``docs/unpack.md`` in short: ``force_exponent`` is Force_shared_exp,
    ``transpose`` Haloize_mode, ``if_sel`` Unpack_If_Sel, ``blob_starts`` BlobsYStart; names with
    ``ctx_`` have a value a context. ``base``, ``offset``, ``limit``, ``fifo`` count lines of 16
    bytes; ``dest`` datums. What only unpacker 0 has is left out of the words of unpacker 1.
    """

    in_format: int = 5
    out_format: int = 5
    uncompressed: int = 1
    no_exponents: int = 0
    blobs: int = 0
    x_dim: int = 256
    y_dim: int = 1
    z_dim: int = 4
    w_dim: int = 1
    blob_starts: int = 0
    digest: int = 0
    e4m3: int = 0
    ovrd_throttle: int = 0
    throttle: int = 2
    context_count: int = 0
    transpose: int = 0
    tilize: int = 0
    set_upd: int = 0
    if_sel: int = 0
    upsample: int = 0
    ovrd_format: int = 0
    interleave: int = 0
    force_exponent: int = 0
    shared_exponent: int = 0
    limit: int = 0x1FFFF
    fifo: int = 0
    add_dest: int = 0
    out_base: int = 0
    y_stride: int = 0
    z_stride: int = 0
    w_stride: int = 0
    clear_value: int = 0
    shift: Four = (0, 0, 0, 0)
    ctx_uncompressed: int = 0xFF
    ctx_if_sel: int = 0
    base: Eight = (0,) * 8
    offset: Four = (0, 0, 0, 0)
    dest: Four = (0, 0, 0, 0)
    ctx_x_dim: Four = (0, 0, 0, 0)
    ctx_in: Eight = (0,) * 8
    ctx_out: Eight = (0,) * 8
    ctx_blob_starts: tuple[int, int] = (0, 0)

    def with_(self, **changes: Any) -> Setup:
        """A copy with these fields changed."""
        return replace(self, **changes)

    def words(self, unpacker: int) -> dict[int, int]:
        """Config words of ``unpacker`` (0 or 1) by index: all that it reads but word 1."""
        parts, (place, drop, mask, lsb, order, starts) = _arrays(unpacker)
        values: list[int] = []
        for value in _values(self):
            values.extend(value if isinstance(value, tuple) else (value,))
        held = np.array(values)[place] >> drop & mask
        sums = np.add.reduceat((held << lsb)[order], starts).tolist()
        return dict(zip(dict.fromkeys(part.word for part in parts), sums, strict=True))


_values: Final = attrgetter(*(one.name for one in fields(Setup)))


@cache
def _arrays(unpacker: int) -> tuple[tuple[_Part, ...], tuple[NDArray[np.int64], ...]]:
    """What the words are made of, and of each part: which value, and where; in words' order."""
    parts, places, count = _parts(unpacker), {}, 0
    for one in fields(Setup):
        places[one.name] = count
        count += len(one.default) if isinstance(one.default, tuple) else 1
    words = {word: k for k, word in enumerate(dict.fromkeys(part.word for part in parts))}
    slot = np.array([words[part.word] for part in parts])
    order = slot.argsort(kind="stable")
    columns = zip(
        *((places[p.name] + (p.number or 0), p.drop, p.mask, p.lsb) for p in parts),
        strict=True,
    )
    starts = np.searchsorted(slot[order], np.arange(len(words)))
    return parts, (*map(np.array, columns), order, starts)


@cache
def _found(name: str) -> ConfigField:
    return config_field(name)


class _Part(NamedTuple):
    """Where a value of a set-up, from bit ``drop`` on what ``mask`` leaves of it, is in a word.

    ``number``: which one of the values of ``name``, if it has several.
    """

    name: str
    number: int | None
    drop: int
    mask: int
    word: int
    lsb: int
    width: int


@cache
def _parts(unpacker: int) -> tuple[_Part, ...]:
    """What the words of ``unpacker`` are made of."""
    found: list[_Part] = []

    def add(
        register: str, name: str, number: int | None = None, drop: int = 0, mask: int = -1
    ) -> None:
        at = _found(register)
        found.append(_Part(name, number, drop, mask, at.addr32, at.lsb, at.width))

    sec, unp = f"THCON_SEC{unpacker}_", f"UNP{unpacker}_"
    for name, register in SECTION.items():
        add(sec + register, name)
    for name, register in OWN.items():
        add(unp + register, name)
    add(f"{sec}REG0_TileDescriptor_BlobsYStart_lo", "blob_starts", mask=0xFFFF)
    add(f"{sec}REG0_TileDescriptor_BlobsYStart_hi", "blob_starts", drop=16)
    for k, text in enumerate(("cntx0_3", "cntx4_7")):
        for name, register in _FOURS.items():
            add(f"{sec}REG2_{register}_{text}", name, drop=4 * k, mask=15)
    for k in range(8):
        add(sec + _base(k), "base", k)
        add(f"{sec}REG7_Unpack_data_format_cntx{k}", "ctx_in", k)
        add(f"{sec}REG7_Unpack_out_data_format_cntx{k}", "ctx_out", k)
    for k in range(4):
        add(f"{sec}REG2_Shift_amount_cntx{k}", "shift", k)
        add(sec + _offset(k), "offset", k)
        if unpacker == 0:
            add(f"{sec}REG5_Dest_cntx{k}_address", "dest", k)
            add(f"{sec}REG5_Tile_x_dim_cntx{k}", "ctx_x_dim", k)
    if unpacker == 0:
        for k, text in enumerate(("01", "23")):
            add(f"UNP0_BLOBS_Y_START_CNTX_{text}", "ctx_blob_starts", k)
    return tuple(found)


def alu_word(src_a_unsigned: int, src_b_unsigned: int) -> int:
    """Config word 1."""
    return (
        src_a_unsigned << _found("ALU_FORMAT_SPEC_REG0_SrcAUnsigned").lsb
        | src_b_unsigned << _found("ALU_FORMAT_SPEC_REG0_SrcBUnsigned").lsb
    )


_THREAD: Final = (
    "CFG_STATE_ID_StateID", "SRCA_SET_Base", "SRCA_SET_SetOvrdWithAddr", "SRCB_SET_Base",
    "UNPACK_MISC_CFG_CfgContextOffset_0", "UNPACK_MISC_CFG_CfgContextOffset_1",
    "UNPACK_MISC_CFG_CfgContextCntReset_0", "UNPACK_MISC_CFG_CfgContextCntReset_1",
    "NOC_OVERLAY_MSG_CLEAR_StreamId_0", "NOC_OVERLAY_MSG_CLEAR_StreamId_1",
)  # fmt: skip


@dataclass(frozen=True)
class Thread:
    """A thread's own words: StateID, SRCx_SET, context offsets, streams for OverlayClear."""

    state: int = 0
    base: tuple[int, int] = (0, 0)
    ovrd: int = 0
    offset: tuple[int, int] = (0, 0)
    reset: tuple[int, int] = (0, 0)
    stream: tuple[int, int] = (0, 0)

    def words(self) -> dict[int, int]:
        """ThreadConfig words by index; ``reset`` also resets the context counters (U6)."""
        values = (
            self.state, self.base[0], self.ovrd, self.base[1], *self.offset, *self.reset,
            *self.stream,
        )  # fmt: skip
        found: dict[int, int] = {}
        for name, value in zip(_THREAD, values, strict=True):
            target = _found(name)
            if value >> target.width:
                raise ValueError(f"{name}: {value} does not fit {target.width} bits")
            found[target.addr32] = found.get(target.addr32, 0) | value << target.lsb
        return found
