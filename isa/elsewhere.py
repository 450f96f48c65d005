# SPDX-License-Identifier: Apache-2.0
"""Where the registers are of a chip that has them elsewhere than ``data/config_registers.toml``.

Machine and RTL have one map of registers, the newer chip's. ``data/<profile>_registers.toml`` says
where those of another chip are, and where the same are here.
"""

from __future__ import annotations

import dataclasses
import functools

from tilepath.isa import profiles, tables
from tilepath.isa.registers import Space


@dataclasses.dataclass(frozen=True)
class Place:
    """Word ``word`` here. ``fields``: lowest bit there, bits, lowest bit here; none: as there."""

    word: int
    fields: tuple[tuple[int, int, int], ...] = ()

    def bits(self, there: int) -> int:
        """Bits of a word there, a value or a mask, where they are here."""
        if not self.fields:
            return there
        return sum((there >> lsb & (1 << width) - 1) << to for lsb, width, to in self.fields)


@dataclasses.dataclass(frozen=True)
class Registers:
    """Those of a chip. ``banks``: words of a bank of Config; ``thcon``: REG2FLOP's word 0."""

    banks: int
    thcon: int
    places: dict[tuple[Space, int], Place]


@functools.cache
def registers(profile: str) -> Registers | None:
    """Where the chip of a profile has its registers; ``None``: where they are here."""
    path = tables.DATA / f"{profiles.base(profile)}_registers.toml"
    if not path.exists():
        return None
    table = tables.read(path)
    spaces: tuple[Space, ...] = ("Config", "Thread")
    places = {
        (space, there + i): Place(here + i)
        for space in spaces
        for there, here, count in table[space]
        for i in range(count)
    }
    for row in table["moved"]:
        fields = []
        for bits, to in row["fields"]:
            msb, lsb = tables.parse_bits(bits, path.name, 32)
            fields.append((lsb, msb - lsb + 1, to))
        for word in row["words"]:
            key: tuple[Space, int] = ("Config", word)
            places[key] = dataclasses.replace(places[key], fields=tuple(fields))
    return Registers(table["banks"], table["thcon"], places)
