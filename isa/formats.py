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


# --- the packers' early conversion: the cells of the table of P20 (``data/pack_cells.toml``)

CONTROL: Final = {"wide": 1, "unsigned": 2, "raw": 4, "round": 8}
"""Fields of PCK_DEST_RD_CTRL by their names in the table: where each is."""


@dataclasses.dataclass(frozen=True)
class PackCell:
    """A cell, and what goes with it, as the table explains it.

    ``inner`` and ``inputs`` are format codes (4 bits). ``mask``: the bits of PCK_DEST_RD_CTRL that
    decide; ``value``: what they are.
    """

    inner: int
    mask: int
    value: int
    does: str
    name: str = ""
    dst: str = ""
    inputs: tuple[int, ...] = ()
    narrows: bool = False


@functools.cache
def pack_cells() -> tuple[PackCell, ...]:
    """All cells in the order of the table; of those that fit the first one counts."""
    codes = {known.name: code for code, known in formats().items()}
    found = []
    for number, row in enumerate(tables.read(tables.DATA / "pack_cells.toml")["cell"]):
        try:
            bits = row.pop("bits")
            row["mask"] = sum(CONTROL[name] for name in bits)
            row["value"] = sum(CONTROL[name] * bit for name, bit in bits.items())
            row["inner"] = codes[row["inner"]]
            row["inputs"] = tuple(codes[name] for name in row.get("inputs", ()))
            found.append(PackCell(**row))
        except (KeyError, TypeError) as error:
            raise IsaError(f"pack_cells.toml: cell {number}: what is wrong: {error}") from None
    return tuple(found)


def pack_cell(inner: int, control: int) -> PackCell | None:
    """The cell of IF ``inner`` and the four lowest bits of PCK_DEST_RD_CTRL, if there is one."""
    some = (c for c in pack_cells() if c.inner == inner and control & c.mask == c.value)
    return next(some, None)
