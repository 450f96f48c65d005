# SPDX-License-Identifier: Apache-2.0
"""The packers' early conversion: the cells of the table of P20 (``data/pack_cells.toml``)."""

from __future__ import annotations

import dataclasses
import functools
from typing import Final

from tilepath.isa import formats, tables
from tilepath.isa.errors import IsaError

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
    codes = {known.name: code for code, known in formats.formats().items()}
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
