# SPDX-License-Identifier: Apache-2.0
"""Short ways to set the unpackers up, and random set-ups."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilepath import isa
from tilepath.isa.codec import maker
from tilepath.models import format_codes as F
from tilepath.models.unpack import UnpackState
from tilepath.models.unpack.formats import address_shift
from tilepath.sequences.unpack.config import OWN, SECTION

Rng = np.random.Generator

# Short names of configuration fields; # is the unpacker, @ its letter
SHORT = {
    **{name: f"THCON_SEC#_{field}" for name, field in SECTION.items()},
    **{name: f"UNP#_{field}" for name, field in OWN.items()},
    "start_lo": "THCON_SEC#_REG0_TileDescriptor_BlobsYStart_lo",
    "start_hi": "THCON_SEC#_REG0_TileDescriptor_BlobsYStart_hi",
    "blobs_01": "UNP0_BLOBS_Y_START_CNTX_01",
    "blobs_23": "UNP0_BLOBS_Y_START_CNTX_23",
    "disable_0_3": "THCON_SEC#_REG2_Disable_zero_compress_cntx0_3",
    "disable_4_7": "THCON_SEC#_REG2_Disable_zero_compress_cntx4_7",
    "if_sel_0_3": "THCON_SEC#_REG2_Unpack_if_sel_cntx0_3",
    "if_sel_4_7": "THCON_SEC#_REG2_Unpack_if_sel_cntx4_7",
    "unsigned": "ALU_FORMAT_SPEC_REG0_Src@Unsigned",
    "state_id": "CFG_STATE_ID_StateID",
    "set_base": "SRC@_SET_Base",
    "set_ovrd": "SRCA_SET_SetOvrdWithAddr",
    "context_offset": "UNPACK_MISC_CFG_CfgContextOffset_#",
    "clear_stream": "NOC_OVERLAY_MSG_CLEAR_StreamId_#",
    **{f"shift{k}": f"THCON_SEC#_REG2_Shift_amount_cntx{k}" for k in range(4)},
    "swizzle": "DEST_ACCESS_CFG_swizzle_32b",
    "remap": "DEST_ACCESS_CFG_remap_addrs",
    "base": "THCON_SEC#_REG3_Base_address",
    **{f"base{k}": f"THCON_SEC#_REG{3 + k // 4}_Base_cntx{k}_address" for k in range(1, 8)},
    "offset": "THCON_SEC#_REG7_Offset_address",
    **{f"offset{k}": f"THCON_SEC#_REG7_Offset_cntx{k}_address" for k in range(1, 4)},
    **{f"dest{k}": f"THCON_SEC#_REG5_Dest_cntx{k}_address" for k in range(4)},
    **{f"x_dim{k}": f"THCON_SEC#_REG5_Tile_x_dim_cntx{k}" for k in range(4)},
    **{f"in{k}": f"THCON_SEC#_REG7_Unpack_data_format_cntx{k}" for k in range(8)},
    **{f"out{k}": f"THCON_SEC#_REG7_Unpack_out_data_format_cntx{k}" for k in range(8)},
}
WHERE = {"x0": (0, 0), "y0": (0, 1), "z0": (0, 2), "w0": (0, 3)} | {
    "x1": (1, 0), "y1": (1, 1), "z1": (1, 2), "w1": (1, 3)
}  # fmt: skip


def put(state: Any, unit: int = 0, bank: int = 0, thread: int = 0, **values: int) -> None:
    """Set configuration fields by their short names, and counters (x0 … w1) of set ``thread``."""
    for name, value in values.items():
        if name in WHERE:
            state.adc.live[(thread, unit, *WHERE[name])] = value
            continue
        long = SHORT[name].replace("#", str(unit)).replace("@", "AB"[unit])
        field = isa.config_field(long)
        words, row = (
            (state.thread_config, thread) if field.space == "Thread" else (state.config, bank)
        )  # fmt: skip
        words[row, field.addr32] = field.insert(int(words[row, field.addr32]), value)


unpacr = maker("UNPACR", "unpacker", last=1)


def plain(
    code: int,
    out: int | None = None,
    unit: int = 0,
    count: int = 256,
    *,
    profile: str = "baseline",
    make: Callable[[str], Any] = UnpackState,
    **more: int,
) -> Any:
    """A state in which ``unpacr(unit)`` unpacks ``count`` datums from 0x4010 on to row 0.

    Uncompressed; ``make``: by profile; further keyword arguments as for ``put``.
    """
    s = make(profile)
    s.dst_valid[:] = 0  # so that they show what is written
    out = code if out is None else out
    scale = 1 << address_shift(out)
    put(s, unit, base=0x400, in_format=code, out_format=out, uncompressed=1, x_dim=256, y_dim=1)
    put(s, unit, z_dim=4, w_dim=1, x1=count - 1, set_ovrd=1 if unit == 0 else 0, throttle=2)
    put(s, unit, out_base=64 * scale if unit == 0 else 0)
    put(s, unit, **more)
    return s


def coded(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a table, in which formats have their names."""
    return {k: getattr(F, v) if isinstance(v, str) else v for k, v in fields.items()}


def load(state: Any, address: int, data: npt.ArrayLike, dtype: str = "u1") -> None:
    """Little-endian numbers into L1."""
    raw = np.asarray(data).astype(f"<{dtype}").view(np.uint8)
    state.l1[address : address + raw.size] = raw


def number_list(text: str) -> list[int]:
    """Numbers, with blanks or commas between them.

    ``a..b/s`` stands for those from a to b in steps of s, ``a*n`` for n times a.
    """
    found: list[int] = []
    for part in text.replace(",", " ").split():
        first, end, step, times = re.fullmatch(
            r"([^.*]+)(?:\.\.([^/]+)(?:/(.+))?)?(?:\*(.+))?", part
        ).groups("")  # type: ignore[union-attr]
        if end:
            found += range(int(first, 0), int(end, 0) + 1, int(step or "1", 0))
        else:
            found += [int(first, 0)] * int(times or "1", 0)
    return found


def said(line: str) -> tuple[int, str, dict[str, list[int]]]:
    """Thread (``t1`` or ``t2`` in front, or 0), name and fields of a line of a table."""
    first, *rest = line.split()
    thread = 0
    if first in ("t0", "t1", "t2"):
        thread = int(first[1])
        first, *rest = rest
    pairs = (pair.split("=") for pair in rest)
    return thread, first, {name: number_list(text) for name, text in pairs}


def word_of(name: str, fields: Mapping[str, list[int]], profile: str) -> int:
    """A word; ``bits``: those of no field, too; of UNPACR ``last`` is 1 unless it is given."""
    given = {"last": 1} if name == "UNPACR" else {}
    given |= {field: values[0] for field, values in fields.items()}
    bits = given.pop("bits", 0)
    return isa.encode(name, profile, **given) | bits


def both_units(
    code: int = F.BF16,
    apart: Sequence[Mapping[str, Any]] = ({}, {}),
    **same: Any,
) -> UnpackState:
    """Both unpackers unpack the same datums, bytes that are not all 0.

    Keyword arguments as for ``plain``; ``apart``: those of unpacker 0, and of 1, alone.
    """
    s, other = (plain(code, unit=unit, **{**same, **own}) for unit, own in enumerate(apart))
    s.config |= other.config
    s.thread_config |= other.thread_config
    s.adc.live |= other.adc.live
    load(s, 0x4010, np.arange(4096) % 251)
    return s


def set_up(case: Mapping[str, Any], make: Callable[[str], Any] = UnpackState) -> Any:
    """What a table sets up; formats by their names.

    ``tile``: as for ``plain``, or ``both``, ``apart``: as for ``both_units``, or nothing; ``l1``:
    what is in L1: an address, a type, and numbers.
    """
    profile = case.get("profile", "baseline")
    if "both" in case:
        apart = [coded(own) for own in case.get("apart", ({}, {}))]
        state = both_units(apart=apart, **coded(case["both"]))
    elif "tile" in case:
        tile = coded({"code": "BF16", **case["tile"]})
        state = plain(**tile, profile=profile, make=make)
    else:
        state = make(profile)
    for line in case.get("l1", ()):
        address, dtype, values = line.split(maxsplit=2)
        load(state, int(address, 16), number_list(values), dtype)
    return state


def randomize(state: Any, rng: Rng) -> None:
    """Fill L1, the files, ownership, pointers and levels.

    In most blocks of L1 neighbouring 16-bit words differ little: entries of an RSI section then.
    """
    blocks = rng.integers(0, 1 << 16, (state.l1.size // 128, 64))
    near = rng.random(len(blocks)) < 0.9
    steps = rng.integers(0, 40, blocks.shape).cumsum(axis=1) % 900
    blocks[near] = (blocks[near, :1] + steps[near]) & 0xFFFF
    load(state, 0, blocks.ravel(), "u2")
    for words, bits in (
        (state.src_a, 19), (state.src_b, 19), (state.dst, 16), (state.src_owner, 1),
        (state.src_bank, 1), (state.src_row, 6), (state.setreg_acc, 17),
        (state.context_counter, 3), (state.matrix_bank, 1), (state.setreg_base, 20),
    ):  # fmt: skip
        words[:] = rng.integers(0, 1 << bits, words.shape)
    state.stale[:] = 0
    state.dst_valid[:] = 0


def random_setup(state: Any, rng: Rng) -> None:
    """Random configuration and counters: mostly such that datums come from within L1."""
    lines = state.l1.size // 16
    state.config[:] = rng.integers(0, 1 << 32, state.config.shape)
    state.config[1, 180:] = state.config[0, 180:]  # one copy
    state.thread_config[:] = rng.integers(0, 1 << 16, state.thread_config.shape)
    code = int(rng.integers(16))

    def some(*choices: int) -> int:
        return int(rng.choice(choices))

    wild = rng.random() < 0.05
    mixed = rng.random() < 0.3
    for bank in range(2):
        for unit in range(2):
            out = some(0, 1, 4, 5) if code == 0 else code
            where = {
                "x_dim": some(0, 1, 15, 16, 17, 33, 256), "y_dim": some(0, 1, 2, 16, 255),
                "z_dim": some(0, 1, 2, 4), "w_dim": some(0, 1, 3), "digest": some(0, 0, 1, 255),
                "out_base": int(rng.integers(0, 5000)), "y_stride": some(0, 2, 16, 512),
                "z_stride": some(0, 4, 64, 1024), "w_stride": some(0, 1, 2048),
                "upsample": some(0, 0, 1, 2, 3), "tilize": some(0, 0, 1),
                "no_exponents": some(0, 0, 1), "shift1": some(0, 1), "shift2": 0,
                "shift3": some(0, 0, 1, 15),
            }  # fmt: skip
            for k in range(8):
                where["base" if k == 0 else f"base{k}"] = int(rng.integers(0, lines // 2))
                if not mixed:
                    where |= {f"in{k}": code, f"out{k}": out}
            for k in range(4):
                where["offset" if k == 0 else f"offset{k}"] = some(0, 1, 0x3FFF)
                where[f"dest{k}"] = int(rng.integers(0, 2000))
                where[f"x_dim{k}"] = some(1, 16, 40, 256)
            if not mixed:
                where |= {"in_format": code, "out_format": out}
            where["limit"] = where["base"] + some(1, 3, 8, 40)
            where["fifo"] = some(0, 1, 16, 64)
            if not wild:
                put(state, unit, bank, **where)
    state.adc.live[:] = 0
    for thread in range(3):
        for unit in range(2):
            begin = some(0, 0, 0, 1, 5, 16, 31)
            counters = {
                "x0": begin, "x1": max(begin + some(-2, -1, 0, 1, 15, 15, 16, 31, 40, 130), 0),
                "y0": some(0, 0, 1, 7, 300), "y1": some(0, 1, 2, 8191),
                **{f"{k}{c}": some(0, 0, 1, 2, 255) for k in "zw" for c in range(2)},
            }  # fmt: skip
            put(state, unit, 0, thread, **counters)


# --- numbered datums: INT16 throughout, so a value tells where it was read. The 16-bit word at byte
# address 2k is k.

START = 0x4010
NOT_WRITTEN = 0x7FFFF


def numbered(**more: Any) -> Any:
    """``plain`` for INT16 and one datum, with numbered words."""
    code = more.pop("code", F.INT16)
    s = plain(code, **{"count": 1, "y_dim": 16, **more})
    load(s, 0, np.arange(1 << 16), "u2")
    return s


def places(values: npt.ArrayLike) -> list[int]:
    """Byte addresses that INT16 values in Src were read from."""
    x = np.asarray(values, dtype=np.int64)
    return (2 * (x >> 11 << 8 | x & 0xFF)).tolist()


CONTEXTS: Final = {
    "disable_0_3": 15, "disable_4_7": 15, "base": 0x100, "offset": 1, "x_dim0": 256, "dest0": 64,
    **{f"base{k}": 0x100 + 0x100 * k for k in range(1, 8)},
    **{f"offset{k}": 1 + k for k in range(1, 4)},
    **{f"{name}{k}": value for name, value in (("x_dim", 256), ("dest", 64)) for k in range(1, 4)},
}  # fmt: skip
"""Fields such that every context has its own base, and every one of four its own offset."""


def compressed(rows: list[int], nibbles: list[int], **more: Any) -> Any:
    """INT16, numbered datums, x_dim 8; RSI at 0x4010, datums right behind its section."""
    s = numbered(uncompressed=0, **{"x_dim": 8, "x1": 7, "y_dim": 4, "z_dim": 1, **more})
    load(s, START, rows, "u2")
    section = START + -(-2 * (more.get("blobs", 4) * more.get("z_dim", 1) + 1) // 16) * 16
    packed = nibbles + [0] * (32 * 8 - len(nibbles))
    for group in range(8):
        data = [a | b << 4 for a, b in zip(packed[0:32:2], packed[1:32:2], strict=True)]
        load(s, section + 80 * group + 64, data)
        packed = packed[32:]
    return s


def emitted(state: Any) -> list[int]:
    """Sources of the values in SrcA; 0 for a zero, -1 for what is not written."""
    values = state.src_a[0].ravel()
    found = [0 if v == 0 else -1 if v == NOT_WRITTEN else places(v) for v in values.tolist()]
    while found and found[-1] == -1:
        found.pop()
    return found
