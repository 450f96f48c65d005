# SPDX-License-Identifier: Apache-2.0
"""Set-ups and instructions that are not legal (U1 to U26 of the contract, section 10)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tilepath.engine.stimulus.draw import Draw
from tilepath.models import format_codes as C
from tilepath.sequences.pack.config import FIELDS, four

Fields = dict[str, Any]


def _codes(d: Draw, fields: Fields) -> None:
    """U5 to U8: any formats."""
    for name in d.rng.permutation(("inner", "from_", "to"))[: d.between(1, 3)].tolist():
        fields[name] = d.upto(15)
    fields["inner_override"] = 0
    for name in ("wide", "raw", "round_10b", "unsigned"):
        if d.chance(0.3):
            fields[name] = d.upto(1)


def _tf32(_d: Draw, fields: Fields) -> None:
    """U7: TF32 of FP32."""
    fields |= {"from_": C.FP32, "to": C.TF32}


def _pairs(d: Draw, fields: Fields) -> None:
    """U7: a TO for each packer, whatever it is made of."""
    codes = C.SHARED if d.chance(0.5) else range(16)
    fields["to"] = tuple(d.one(codes) for _ in range(4))


def _relu(d: Draw, fields: Fields) -> None:
    fields |= {"relu": d.upto(15), "relu_threshold": d.upto(0xFFFF)}


def _negative(d: Draw, fields: Fields) -> None:
    fields |= {"relu": d.between(2, 3), "relu_threshold": d.between(0x8000, 0xFFFF)}


def _edges(d: Draw, fields: Fields) -> None:
    fields |= {"edge_mode": 1, "edge_mask": d.upto(0xFFFF), "reads": d.one((0, 1, 17, 255, 16))}


def _threshold(d: Draw, fields: Fields) -> None:
    fields |= {"threshold_en": 1, "threshold": d.upto(255), "from_": C.BFP2A}


def _sums(d: Draw, fields: Fields) -> None:
    """U15."""
    fields |= {"accumulate": 1, "uncompressed": d.upto(1)}


def _compressed(d: Draw, fields: Fields) -> None:
    """U16."""
    fields |= {"uncompressed": 0, "uncompressed_override": 0, "row_size": d.upto(1)}
    if d.chance(0.5):
        fields["to"] = d.one((C.BFP2, C.BFP2A))


def _range(d: Draw, fields: Fields) -> None:
    """U19: the end of L1, the end of the addresses, exponents that run into datums."""
    if d.chance(0.4):
        fields |= {"exp_size": d.upto(1), "to": d.one(C.SHARED)}
        return
    some = d.one((93_690, 98_300, 0x1_FFFC, 120_000)) + d.upto(6)
    fields["l1_dest"] = tuple(some if d.chance(0.5) else a for a in four(fields, "l1_dest"))


def _wrap(d: Draw, fields: Fields) -> None:
    """U20."""
    fields["limit"] = d.upto(60_000)
    fields["fifo"] = d.one((0, 200, 1000))
    first, *others = four(fields, "l1_dest")
    fields["l1_dest"] = (first | d.flag() << 31, *others)


def _strides(d: Draw, fields: Fields) -> None:
    """U21."""
    name = d.one(("base0", "x_stride", "y_stride", "z_stride", "w_stride"))
    fields[name] = d.upto(0x7FF)


def _counters(d: Draw, fields: Fields) -> None:
    """U22."""
    fields[d.one(("per_plane", "xys", "auto_context"))] = d.between(1, 100)


def _source(d: Draw, fields: Fields) -> None:
    """U23."""
    if d.chance(0.5):
        fields["source_l1"] = tuple(d.upto(1) for _ in range(4))
    else:
        fields |= {"source_l1": (1, 0, 0, 0), "source_high": (d.between(1, 255), 0, 0, 0)}
        fields["base0"] = d.upto(0x3FFFF)


def _slots(d: Draw, fields: Fields) -> None:
    """U24: the newer chip's addresses of SETREG."""
    fields["slots"] = tuple(d.upto(0xFFFFFF) for _ in range(2))


def _bits(d: Draw, fields: Fields) -> None:
    """Some fields have any value, which fault it ever makes."""
    for name in d.rng.choice([*FIELDS], 6, replace=False):
        fields[name] = tuple(d.upto((1 << field.width) - 1) for field in FIELDS[name])


def _masks(d: Draw, fields: Fields) -> None:
    """Row sets of one mask each, most of them without effect; 15 of 16 datums stay."""
    fields |= {"edge_mode": 1, "edge_mask": (0xFFFF, 0, 0xFFFF, 0xFFFF), "face_enable": d.flag()}
    fields |= {"row_select": d.upto(255), "face_select": d.upto(255), "to": d.one(C.SHARED)}
    for name in ("row_map", "face_map"):
        fields[name] = tuple(0x5555_5555 * d.upto(3) for _ in range(4))
    fields["downsample"] = 0xFFFF ^ d.flag() << d.upto(15)


def _width(_d: Draw, fields: Fields) -> None:
    """Dst of the other width."""
    fields["wide"] = 1 - four(fields, "wide")[0]


def _flag(name: str) -> Callable[[Draw, Fields], None]:
    def draw(_d: Draw, fields: Fields) -> None:
        fields[name] = 1

    return draw


WRONG: Final = {
    "codes": _codes, "tf32": _tf32, "relu": _relu, "edges": _edges, "threshold": _threshold,
    "sums": _sums, "compressed": _compressed, "range": _range, "wrap": _wrap, "strides": _strides,
    "counters": _counters, "source": _source, "slots": _slots,
    **{name: _flag(name) for name in
       ("gasket_srnd", "packer_srnd", "descale_mode", "own_exponents", "auto_last")},
    "bits": _bits, "masks": _masks, "width": _width, "negative": _negative,
}  # fmt: skip

COMMON: Final = {"codes": 2, "bits": 0, "masks": 0, "width": 0, "negative": 0}
"""How often these are wrong, where others are once."""

KEPT: Final = ("to", "from_", "uncompressed", "row_size", "exp_size", "accumulate")
"""What stays while a tile is open (P30)."""


def wrong_setup(d: Draw, row: Any, fields: Fields) -> None:
    """Make ``fields`` (as in ``config``) as wrong as ``row`` of table ``fault`` says."""
    makers = tuple(WRONG.values())
    for number in row.wrong[: row.count]:
        makers[number](d, fields)
    if row.pairs:
        _pairs(d, fields)


def open_change(d: Draw, row: Any, fields: Fields) -> None:
    """U17: what must stay while a tile is open, of each packer."""
    for number in row.kept[: row.changes]:
        name = KEPT[number]
        if name == "to":
            _pairs(d, fields)
        else:
            most = 1 if name in ("uncompressed", "accumulate") else 15
            fields[name] = tuple(d.upto(most) for _ in range(4))


def wrong_word(d: Draw, word: int) -> int:
    """A PACR with a mask or field that is not legal (U1, U2)."""
    if d.chance(0.4):
        return word & ~0xF00 | d.one((6, 9, 0xB, 0xD, 0xE)) << 8
    return word ^ d.one(
        (1 << 17, d.between(1, 7) << 18, d.between(1, 3) << 21, d.between(1, 3) << 2)
    )
