# SPDX-License-Identifier: Apache-2.0
"""Data formats: the four-bit codes of L1 and register formats (``data/formats.toml``)."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Final

from tilepath.isa import tables
from tilepath.isa.errors import IsaError


@dataclasses.dataclass(frozen=True)
class Format:
    """A data format (U45).

    ``code`` has 4 bits; ``bits`` is the size of a datum in L1 without shared exponents;
    ``exponent`` the width of its exponent in bits, 0 for integers; ``shared`` says whether 16
    datums share an exponent byte; ``register`` is the width of the exponent in a register.
    """

    name: str
    code: int
    bits: int
    exponent: int
    shared: bool
    register: int

    @property
    def fraction(self) -> int:
        """Bits of a datum beside the sign and an exponent of its own: mantissa or magnitude."""
        return self.bits - 1 - self.exponent * (not self.shared)

    @property
    def bias(self) -> int:
        """What is added to an exponent."""
        return (1 << self.exponent >> 1) - 1

    @property
    def held(self) -> str:
        """Name of what a register holds of it: a short float is BF16 or FP16 there."""
        if self.exponent == 0 or self.bits == 32:
            return self.name
        return "BF16" if self.register == 8 else "FP16"


SETS: Final[dict[str, Callable[[Format], bool]]] = {
    "ALL": lambda _form: True,
    "FLOATS": lambda form: form.exponent != 0,
    "INTEGERS": lambda form: form.exponent == 0,
    "WIDE": lambda form: form.bits == 32,
    "HALVES": lambda form: form.bits == 16,
    "EXPONENT_5": lambda form: form.register == 5,
    "SHARED": lambda form: form.shared,
    "BFP": lambda form: form.shared and form.register == 8,
    "BFPA": lambda form: form.shared and form.register == 5,
}
"""Sets of formats that models, stimulus and coverage know by name."""


@functools.cache
def formats() -> dict[int, Format]:
    """Every format by code; 12 and 13 are reserved and missing."""
    rows = tables.read(tables.DATA / "formats.toml")["format"]
    found = [Format(**{"register": row["exponent"]} | row) for row in rows]
    table = {form.code: form for form in found}
    if len(table) != len(found) or not all(0 <= code < 16 for code in table):
        raise IsaError("formats.toml: a code is used twice or has more than 4 bits")
    return table


@functools.cache
def variants() -> tuple[Format, ...]:
    """What a field of its own makes of formats, whose codes they have."""
    by_name = {form.name: form for form in formats().values()}
    rows = tables.read(tables.DATA / "formats.toml")["variant"]
    return tuple(dataclasses.replace(by_name[row.pop("of")], **row) for row in rows)


@functools.cache
def named() -> dict[str, Format]:
    """Every format and variant by name, the variants last."""
    return {form.name: form for form in (*formats().values(), *variants())}


def codes(name: str) -> tuple[int, ...]:
    """Codes of the formats in a set, in order."""
    return tuple(code for code, form in sorted(formats().items()) if SETS[name](form))


def get(code: int) -> Format:
    """Format of the four-bit ``code``; ``IsaError`` for 12, 13 and whatever has more bits."""
    try:
        return formats()[code]
    except KeyError:
        raise IsaError(f"{code!r} is no data-format code") from None
