# SPDX-License-Identifier: Apache-2.0
"""What an instruction reads: parameters of the profile, and the fields of the configuration.

Where a field is, is taken from ``isa`` into a record of the field's name, and read from there:
``read(config, bank, fields.y_stride)``.
"""

from __future__ import annotations

import functools
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tilepath import isa
from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, Records, record, with_elements
from tilepath.isa import profiles
from tilepath.models.fields import wide as wide

CFG_WORDS: Final = 224
GLOBAL_WORDS: Final = 180  # words from here on: one copy for both banks
THD_WORDS: Final = 68
MISC_CFG: Final = 41  # ThreadConfig word whose bits 4 and 12 reset the context counters (U6)

_TILE: Final = "THCON_SEC#_REG0_TileDescriptor_"
_REG2: Final = "THCON_SEC#_REG2_"
# Field of ``FIELDS`` → name in ``isa``; # is the unpacker, @ its letter. Several names are a list.
_NAMES: Final[dict[str, str | list[str]]] = {
    # ThreadConfig
    "state_id": "CFG_STATE_ID_StateID",
    "set_base": "SRC@_SET_Base",
    "set_ovrd": "SRCA_SET_SetOvrdWithAddr",
    "context_offset": "UNPACK_MISC_CFG_CfgContextOffset_#",
    "clear_stream": "NOC_OVERLAY_MSG_CLEAR_StreamId_#",
    # Config
    "unsigned": "ALU_FORMAT_SPEC_REG0_Src@Unsigned",
    "y_stride": "UNP#_ADDR_CTRL_XY_REG_1_Ystride",
    "z_stride": "UNP#_ADDR_CTRL_ZW_REG_1_Zstride",
    "w_stride": "UNP#_ADDR_CTRL_ZW_REG_1_Wstride",
    "out_base": "UNP#_ADDR_BASE_REG_1_Base",
    "shared_exp": "UNP#_FORCED_SHARED_EXP_shared_exp",
    "add_dest": "UNP#_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr",
    "blobs_start": ["UNP0_BLOBS_Y_START_CNTX_01", "UNP0_BLOBS_Y_START_CNTX_23"],
    "clear_value": "UNP#_NOP_REG_CLR_VAL",
    "e4m3": "THCON_SEC#_REG1_Unp_LF8_4b_exp",
    "ovrd_throttle": "THCON_SEC0_REG1_ovrd_default_throttle_mode",
    "tile_format": f"{_TILE}InDataFormat",
    "tile_uncompressed": f"{_TILE}IsUncompressed",
    "tile_no_exponents": f"{_TILE}NoBFPExpSection",
    "tile_blobs": f"{_TILE}BlobsPerXYPlane",
    "tile_x": f"{_TILE}XDim",
    "tile_y": f"{_TILE}YDim",
    "tile_z": f"{_TILE}ZDim",
    "tile_w": f"{_TILE}WDim",
    "tile_start": [f"{_TILE}BlobsYStart_lo", f"{_TILE}BlobsYStart_hi"],
    "tile_digest": f"{_TILE}DigestSize",
    "out_format": f"{_REG2}Out_data_format",
    "throttle": f"{_REG2}Throttle_mode",
    "context_count": f"{_REG2}Context_count",
    "haloize": f"{_REG2}Haloize_mode",
    "tileize": f"{_REG2}Tileize_mode",
    "set_upd": f"{_REG2}Unpack_Src_Reg_Set_Upd",
    "if_sel": f"{_REG2}Unpack_If_Sel",
    "upsample_rate": f"{_REG2}Upsample_rate",
    "ovrd_format": f"{_REG2}Ovrd_data_format",
    "interleave": f"{_REG2}Upsample_and_interleave",
    "force_exp": f"{_REG2}Force_shared_exp",
    "limit": f"{_REG2}Unpack_limit_address",
    "fifo": f"{_REG2}Unpack_fifo_size",
    # by context: flags of four contexts each, or a field a context
    "disable_compress": [f"{_REG2}Disable_zero_compress_cntx{k}" for k in ("0_3", "4_7")],
    "context_if_sel": [f"{_REG2}Unpack_if_sel_cntx{k}" for k in ("0_3", "4_7")],
    "shift_amount": [f"{_REG2}Shift_amount_cntx{k}" for k in range(4)],
    "tile_base": [
        f"THCON_SEC#_REG{3 + k // 4}_Base_{f'cntx{k}_' if k else ''}address" for k in range(8)
    ],
    "tile_offset": [f"THCON_SEC#_REG7_Offset_{f'cntx{k}_' if k else ''}address" for k in range(4)],
    "dest": [f"THCON_SEC#_REG5_Dest_cntx{k}_address" for k in range(4)],
    "context_x": [f"THCON_SEC#_REG5_Tile_x_dim_cntx{k}" for k in range(4)],
    "context_in": [f"THCON_SEC#_REG7_Unpack_data_format_cntx{k}" for k in range(8)],
    "context_out": [f"THCON_SEC#_REG7_Unpack_out_data_format_cntx{k}" for k in range(8)],
    # of both unpackers
    "remap": "DEST_ACCESS_CFG_remap_addrs",
    "swizzle": "DEST_ACCESS_CFG_swizzle_32b",
}

_OF_THREAD: Final = 5  # of the names: the first

# A field of a configuration word: its lowest bit, and its largest value
FIELD: Final = record(word=np.int64, lsb=np.int64, ones=np.int64)


def _of_names(described: npt.DTypeLike) -> np.dtype[Any]:
    """A record with one of these for each name, also reached by number, ``every[k]``."""
    found: dict[str, Any] = {
        name: described if isinstance(long, str) else (described, len(long))
        for name, long in _NAMES.items()
    }
    return with_elements(record(**found), "every")


FIELDS: Final = _of_names(FIELD)
SEEN: Final = _of_names(np.uint32)
"""Values of all fields, as an instruction samples them."""
SETTINGS: Final = record(
    # parameters of the profile
    row_w=np.int64,
    nop_bh=np.int64,
    neginf_srcb=np.int64,
    nop_zero_clears=np.int64,
    burst_throttle=np.int64,  # burst_default_throttle
    row_high=np.int64,  # srca_row_high
    spare_unpacr=np.int64,
    e5m2_fill=np.int64,
    dst_remap=np.int64,
    l1_bytes=np.int64,
    upsample_zeros=(np.int64, 4),
    fields=(FIELDS, 2),  # of each unpacker
)


def _words(of_thread: bool, unpacker: int) -> set[int]:
    """Indices of the words that the fields are in."""
    chosen = slice(_OF_THREAD) if of_thread else slice(_OF_THREAD, None)
    every = list(_NAMES.values())[chosen]
    given = [[long] if isinstance(long, str) else long for long in every]
    names = (_long_name(long, unpacker) for some in given for long in some)
    return {isa.config_field(name).addr32 for name in names}


def _long_name(name: str, unpacker: int) -> str:
    return name.replace("#", str(unpacker)).replace("@", "AB"[unpacker])


WORDS: Final = np.array([sorted(_words(False, unpacker)) for unpacker in range(2)])
"""Words of Config that an instruction can read: [unpacker, place]."""
THREAD_WORDS: Final = tuple(sorted(_words(True, 0) | _words(True, 1)))
"""Words of ThreadConfig that the instructions of an unpacker can read."""


@functools.cache
def words_of(unpacker: int, context: int) -> frozenset[int]:
    """Words of Config that an UNPACR in a context reads, of those that there are of each."""
    fields = settings_of()[0]["fields"][unpacker]
    found: list[int] = []
    for name in list(_NAMES)[_OF_THREAD:]:
        words = np.ravel(fields[name]["word"]).tolist()
        found += words if len(words) < 4 else [words[context % len(words)]]
    return frozenset(found)


@functools.cache
def nop_words(unpacker: int) -> frozenset[int]:
    """Words of Config that an UNPACR_NOP reads."""
    fields = settings_of()[0]["fields"][unpacker]
    return frozenset(int(fields[name]["word"]) for name in ("clear_value", "out_format"))


class Sampled(NamedTuple):
    """What an instruction samples; of any integers.

    ``config``: shape (2 banks, 224); ``thread_config``: shape (3 threads, 68); ``live``: the live
    address counters, shape (3 sets, 3 targets, 2 channels, 4: X Y Z W).
    """

    config: Records
    thread_config: Records
    live: Records


@part
def read(words: Records, row: int, field: Record) -> int:
    """Value of a field; ``words``: Config or ThreadConfig, ``row``: the bank or thread."""
    value: int = (wide(words[row, field.word]) >> field.lsb) & field.ones
    return value


@part
def read_all(seen: Record, fields: Record, sampled: Sampled, bank: int, thread: int) -> None:
    """Fill ``seen``, one ``SEEN``; ``fields``: of the unpacker."""
    for number in range(seen.every.shape[0]):
        field = fields.every[number]
        if number < _OF_THREAD:
            seen.every[number] = read(sampled.thread_config, thread, field)
        else:
            seen.every[number] = read(sampled.config, bank, field)


@part
def counter(live: Records, of_set: int, unpacker: int, channel: int, which: int) -> int:
    """Live value of counter ``which`` (X, Y, Z, W) of an unpacker."""
    return wide(live[of_set, unpacker, channel, which])


def _locate(place: Record, name: str, unpacker: int) -> None:
    field = isa.config_field(_long_name(name, unpacker))
    place.word, place.lsb, place.ones = field.addr32, field.lsb, (1 << field.width) - 1


@functools.cache
def settings_of(profile: str = profiles.DEFAULT) -> Records:
    """One ``SETTINGS``, read-only: to be copied. Raises ``ValueError`` for an unknown profile."""
    chosen = profiles.get(profile)
    if chosen.l1_bytes % 16:
        raise ValueError(f"l1_bytes {chosen.l1_bytes}: want a multiple of 16")
    settings = np.zeros(1, SETTINGS)
    one: Any = settings[0]
    one.row_w = chosen.row_w
    one.nop_bh = chosen.nop_enc == "BH"
    one.neginf_srcb = chosen.zerosrc_neginf_srcb
    one.nop_zero_clears = chosen.unpacr_nop_zero_clears
    one.burst_throttle = chosen.burst_default_throttle
    one.row_high = chosen.srca_row_high
    one.spare_unpacr = chosen.spare_unpacr
    one.e5m2_fill = chosen.fp8_e5m2_fill
    one.dst_remap = chosen.dst_remap
    one.l1_bytes = chosen.l1_bytes
    one.upsample_zeros[:] = chosen.upsample_zeros
    for unpacker in range(2):
        for name, long in _NAMES.items():
            places = one.fields[unpacker][name]
            if isinstance(long, str):
                _locate(places, long, unpacker)
            else:
                for place, each in zip(places, long, strict=True):
                    _locate(place, each, unpacker)
    settings.flags.writeable = False
    return settings
