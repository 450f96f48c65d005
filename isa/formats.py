# SPDX-License-Identifier: Apache-2.0
"""Data formats: the four-bit codes of L1 and register formats (``data/formats.toml``)."""

from __future__ import annotations

import dataclasses
import functools

from tilepath.isa import tables
from tilepath.isa.errors import IsaError


@dataclasses.dataclass(frozen=True)
class Format:
    """A data format (U45).

    ``code`` has 4 bits; ``bits`` is the size of a datum in L1 without shared exponents;
    ``exponent`` the width of its exponent in bits, 0 for integers; ``shared`` says whether 16
    datums share an exponent byte.
    """

    name: str
    code: int
    bits: int
    exponent: int
    shared: bool


@functools.cache
def formats() -> dict[int, Format]:
    """Every format by code; 12 and 13 are reserved and missing."""
    rows = [Format(**row) for row in tables.read(tables.DATA / "formats.toml")["format"]]
    table = {row.code: row for row in rows}
    if len(table) != len(rows) or not all(0 <= code < 16 for code in table):
        raise IsaError("formats.toml: a code is used twice or has more than 4 bits")
    return table


def get(code: int) -> Format:
    """Format of the four-bit ``code``; ``IsaError`` for 12, 13 and whatever has more bits."""
    try:
        return formats()[code]
    except KeyError:
        raise IsaError(f"{code!r} is no data-format code") from None
