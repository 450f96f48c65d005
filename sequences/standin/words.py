# SPDX-License-Identifier: Apache-2.0
"""Words of the stand-in from rows of table ``word``, and the words of an address modifier."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from tilepath.isa import config_field, encode, layout_of, profiles, tables
from tilepath.tb.standin.streams import OPS, UNSUPPORTED


def _elw(row: Any) -> dict[str, int]:
    return {
        "clear_dvalid": row.give, "dest_accum_en": row.flag, "bcast": row.bcast, "dst": row.dst,
    }  # fmt: skip


def _pool(row: Any) -> dict[str, int]:
    wrong = row.wrong
    return {
        "clear_dvalid": row.give, "pool_addr_mode": 1 ^ wrong & 1, "argmax": wrong >> 1 & 1,
        "dst": row.dst,
    }  # fmt: skip


def _move(row: Any) -> dict[str, int]:
    return {"dest_32b_lo": row.low, "src": row.src, "dst": row.dst}


def _zeroacc(row: Any) -> dict[str, int]:
    dst = row.where if row.zero_mode else row.dst
    return {"mode": row.zero_mode, "wide": row.wide, "undo": row.flag, "dst": dst}


_FIELDS: Final[Mapping[str, Callable[[Any], dict[str, int]]]] = {
    "MVMUL": lambda row: {"clear_dvalid": row.give, "bcast_row": row.wrong & 1, "dst": row.dst},
    "ELWMUL": _elw,
    "ELWADD": _elw,
    "ELWSUB": _elw,
    "GMPOOL": _pool,
    "GAPOOL": _pool,
    "MOVA2D": lambda row: _move(row) | {"rows8": row.flag},
    "MOVB2D": lambda row: _move(row) | {"movb2d_mode": row.mode},
    "MOVD2A": lambda row: _move(row) | {"rows4": row.flag},
    "MOVD2B": lambda row: _move(row) | {"rows4": row.flag},
    "MOVB2A": lambda row: {"srca": row.src, "rows4": row.flag, "srcb": row.dst & 63},
    "ZEROACC": _zeroacc,
    "ZEROSRC": lambda row: {
        "neg_inf": row.wide, "matrix_bank": row.flag, "both_banks": row.low, "srcb": row.files >> 1,
        "srca": row.files & 1,
    },
    "SETRWC": lambda row: {
        "clear_dvalid": row.give, "rwc_cr": row.crs, "rwc_d": row.step_d, "rwc_b": row.step_b,
        "rwc_a": row.step_a, "mask": row.mask,
    },
    "INCRWC": lambda row: {
        "rwc_cr": row.crs & 7, "rwc_d": row.step_d, "rwc_b": row.step_b, "rwc_a": row.step_a,
    },
    "CLEARDVALID": lambda row: {
        "clear_dvalid": row.files, "keep": row.flag, "reset": row.wrong & 1,
    },
    "GATESRCRST": lambda row: {"reset_srcb": row.flag, "reset_srca": row.low},
}  # fmt: skip


_WH_WIDE: Final = 1 << 21


def word_of(row: Any, profile: str) -> int:
    """The word of a row; ``op`` beyond those of ``OPS``: an opcode that is not executed.

    Bits that no field covers are those of ``junk``: they must not matter. The one that makes a
    word of the older chip's of ZEROACC (M2) is that of ``wrong``.
    """
    if row.op >= len(OPS):
        return int(UNSUPPORTED[row.other % len(UNSUPPORTED)] << 24 | row.junk)
    op = OPS[row.op]
    fields = _FIELDS.get(op, lambda _row: {})(row)
    layout = _layout(op, profile)
    if _has_modifier(op, profile):
        fields["addr_mode"] = row.mod & (7 if profiles.get(profile).math_enc == "BH" else 3)
    junk = int(row.junk) & layout.ignored
    if op == "ZEROACC" and layout.ignored & _WH_WIDE:
        junk = junk & ~_WH_WIDE | _WH_WIDE * int(row.wrong != 0)
    return encode(op, profile, **fields) | junk


@cache
def _layout(op: str, profile: str) -> tables.Layout:
    return layout_of(op, profile)


@cache
def _has_modifier(op: str, profile: str) -> bool:
    return any(field.name == "addr_mode" for field in layout_of(op, profile).fields)


@cache
def _place(register: str, field: str) -> tuple[int, int]:
    found = config_field(f"ADDR_MOD_{register}_SEC0_{field}")
    return found.addr32, found.lsb


AB: Final = ("SrcAIncr", "SrcACR", "SrcAClear", "SrcBIncr", "SrcBCR", "SrcBClear")
DST: Final = ("DestIncr", "DestCR", "DestClear", "DestCToCR", "FidelityIncr", "FidelityClear")
BIAS: Final = ("BiasIncr", "BiasClear")


def modifier(number: int, **fields: int) -> dict[int, int]:
    """Words of ThreadConfig (index → value) of address modifier ``number`` (0 to 7, M6).

    ``fields`` by the names of the registers' fields; what is left out is 0.
    """
    found = {}
    for register, names in (("AB", AB), ("DST", DST), ("BIAS", BIAS)):
        value = 0
        for name in names:
            index, lsb = _place(register, name)
            value |= int(fields.get(name, 0)) << lsb
        found[index + number] = value
    return found
