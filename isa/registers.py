# SPDX-License-Identifier: Apache-2.0
"""Configuration registers: where each field lives (``data/config_registers.toml``)."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Literal

from tilepath.isa import profiles, tables
from tilepath.isa.errors import IsaError

Space = Literal["Config", "Thread"]

THCON_BASE = 64
GLOBAL_BASE = 180
_SPACES: dict[Space, tuple[str, int, int]] = {
    # symbol prefix, words, bits per word
    "Config": ("CFG", tables.CFG_WORDS, 32),
    "Thread": ("THD", tables.THD_WORDS, 16),
}


@dataclasses.dataclass(frozen=True)
class ConfigField(tables.Bits):
    """A field of a configuration word: bits ``msb:lsb`` of word ``addr32`` of ``space``.

    ``Config`` words are 32 bits wide and banked below word 180; ``Thread`` words are 16 bits wide,
    one copy per thread. ``alias`` marks a second reading of bits that another field has too.
    """

    name: str
    space: Space
    addr32: int
    source: str
    alias: bool

    @property
    def is_global(self) -> bool:
        """Whether both banks share the word (frontend-config §2)."""
        return self.space == "Config" and self.addr32 >= GLOBAL_BASE

    @property
    def symbol(self) -> str:
        """Prefix of the generated constants."""
        return f"{_SPACES[self.space][0]}_{self.name.upper()}"


def _expand(row: dict[str, Any]) -> list[ConfigField]:
    space: Space = row["space"]
    _, words, width = _SPACES[space]
    found: list[ConfigField] = []
    for prefix, base in row.get("at", {"": 0}).items():
        for item in row["fields"]:
            name = f"{prefix}{item['name']}"
            addr32 = base + item["addr"]
            msb, lsb = tables.parse_bits(item["bits"], name, width)
            if not 0 <= addr32 < words:
                raise IsaError(f"{name}: word {addr32} is outside {space} ({words} words)")
            alias: bool = item.get("alias", False)
            found.append(ConfigField(msb, lsb, name, space, addr32, row["source"], alias))
    return found


@functools.cache
def sections() -> tuple[tuple[str, tuple[ConfigField, ...]], ...]:
    """(title, fields) in file order.

    Raises ``IsaError`` on a name used twice, a field outside its space, and two fields on one bit.
    """
    found = []
    seen: set[str] = set()
    used: dict[tuple[str, int], int] = {}
    for row in tables.read(tables.DATA / "config_registers.toml")["section"]:
        fields = tuple(_expand(row))
        for field in fields:
            if field.name in seen:
                raise IsaError(f"config register {field.name} is defined twice")
            seen.add(field.name)
            word = (field.space, field.addr32)
            if not field.alias and used.get(word, 0) & field.mask:
                raise IsaError(f"config register {field.name} lies over another field")
            used[word] = used.get(word, 0) | field.mask
        found.append((f"{row['space']} words: {row['title']}", fields))
    return tuple(found)


@functools.cache
def _by_name() -> dict[str, ConfigField]:
    return {field.name: field for _, fields in sections() for field in fields}


def config_field(name: str) -> ConfigField:
    """The configuration field ``name``, such as ``SRCA_SET_Base``; ``IsaError`` when unknown."""
    try:
        return _by_name()[name]
    except KeyError:
        raise IsaError(f"unknown configuration field {name!r}") from None


def config_fields() -> tuple[ConfigField, ...]:
    """Every configuration field, in file order."""
    return tuple(_by_name().values())


# --- a chip that has its registers elsewhere: machine and RTL have one map, the newer chip's


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
def elsewhere(profile: str) -> Registers | None:
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
