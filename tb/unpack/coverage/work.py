# SPDX-License-Identifier: Apache-2.0
"""The table of work: what the kernels must know of each Regular UNPACR that reads L1."""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.tb.unpack.coverage.datums import kind_of
from tilepath.tb.unpack.coverage.derive import Regular
from tilepath.tb.unpack.coverage.layout import I64

_COLUMNS: Final = (
    "seq",
    "dest",
    "quarters",
    "size",  # place of the size on its axis
    "row_w",
    "tilize",
    "stride",  # bytes
    "limit",  # sixteenths, as all pointers
    "fifo",
    "read_exponents",
    "forced",
    "compressed",
    "bounded",
    "row_kind",
    "count",
    "datum",
    "exponent",
    "datums",  # byte addresses
    "exponents",
    "rsi_first",
    "rsi_end",
    "drop",
    "items",
    "plain",
    "zeros",
    "interleave",
    "out",
    "colshift",
    "all_zero",
    "want",  # place on its axis
    "family",  # of the classes of its datums; -1: they do not count
    "format",  # place on the family's axis
    "first_entry",  # what the RSI request found; filled in by ``reads``
    "end_entry",
)
_PLACE: Final = {name: number for number, name in enumerate(_COLUMNS)}
N_WORK: Final = len(_COLUMNS)
SEQ: Final = _PLACE["seq"]
DEST: Final = _PLACE["dest"]
QUARTERS: Final = _PLACE["quarters"]
SIZE: Final = _PLACE["size"]
ROW_W: Final = _PLACE["row_w"]
TILIZE: Final = _PLACE["tilize"]
STRIDE: Final = _PLACE["stride"]
LIMIT: Final = _PLACE["limit"]
FIFO: Final = _PLACE["fifo"]
READ_EXPONENTS: Final = _PLACE["read_exponents"]
FORCED: Final = _PLACE["forced"]
COMPRESSED: Final = _PLACE["compressed"]
BOUNDED: Final = _PLACE["bounded"]
ROW_KIND: Final = _PLACE["row_kind"]
COUNT: Final = _PLACE["count"]
DATUM: Final = _PLACE["datum"]
EXPONENT: Final = _PLACE["exponent"]
DATUMS: Final = _PLACE["datums"]
EXPONENTS: Final = _PLACE["exponents"]
RSI_FIRST: Final = _PLACE["rsi_first"]
RSI_END: Final = _PLACE["rsi_end"]
DROP: Final = _PLACE["drop"]
ITEMS: Final = _PLACE["items"]
PLAIN: Final = _PLACE["plain"]
ZEROS: Final = _PLACE["zeros"]
INTERLEAVE: Final = _PLACE["interleave"]
OUT: Final = _PLACE["out"]
COLSHIFT: Final = _PLACE["colshift"]
ALL_ZERO: Final = _PLACE["all_zero"]
WANT: Final = _PLACE["want"]
FAMILY: Final = _PLACE["family"]
FORMAT: Final = _PLACE["format"]
FIRST_ENTRY: Final = _PLACE["first_entry"]
END_ENTRY: Final = _PLACE["end_entry"]

# Numbers of the points that the kernels count; the places of their first bins are in an array
P_WRAP: Final = 0
P_NIBBLE: Final = 1
P_CROSSED: Final = 2
P_START: Final = 3
P_ROWS: Final = 4
P_PARTIAL: Final = 5
P_EMPTY: Final = 6
P_PAIR: Final = 7
P_EARLY: Final = 8
P_DATUM: Final = 9  # the seven of ``datums``

ROW_KINDS: Final = ("row_search", "whole_row", "part_of_row")
SIZES: Final = (1, 2, 4, 8, 16)
"""Of a datum, in quarters of a byte."""


def table(r: Regular) -> I64:
    """Rows of work of those instructions that read L1."""
    found = np.zeros((len(r.i), N_WORK), np.int64)
    family, form = kind_of(r)
    row_kind = np.where(r.search == 1, 0, np.where(r.whole, 1, 2))
    for name, column in {
        "seq": r.i["seq"],
        "dest": r.dest,
        "quarters": r.quarters,
        "size": np.searchsorted(SIZES, r.quarters),
        "row_w": r.row_w,
        "tilize": r.tilize,
        "stride": r.stride,
        "limit": r.limit,
        "fifo": r.fifo,
        "read_exponents": r.read_exponents,
        "forced": r.i.bits("exponent", 0, 8),
        "compressed": r.compressed,
        "bounded": r.bounded,
        "row_kind": row_kind,
        "count": r.count,
        "datum": r.datum_raw,
        "exponent": r.exponent_raw,
        "datums": r.datums,
        "exponents": r.exponents & 0xFFFF_FFFF,
        "rsi_first": r.rsi_first,
        "rsi_end": r.rsi_end,
        "drop": r.drop,
        "items": r.items,
        "plain": ~r.compressed & (r.zeros == 0),
        "zeros": r.zeros,
        "interleave": r.interleave,
        "out": r.out_address,
        "colshift": r.colshift,
        "all_zero": r.all_zero,
        "want": np.searchsorted((1, 2, 4), r.want),
        "family": family,
        "format": form,
    }.items():
        found[:, _PLACE[name]] = column
    some: I64 = found[r.compressed | (r.count > 0)]
    return some
