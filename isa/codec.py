# SPDX-License-Identifier: Apache-2.0
"""Words to fields and back. A word is the plain 32-bit one: opcode in bits 31:24, not rotated."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from tilepath.isa import profiles, tables
from tilepath.isa.errors import IsaError

UNKNOWN = ".word"


@dataclasses.dataclass(frozen=True)
class Instruction:
    """A decoded word.

    ``mnemonic`` is ``.word`` when the opcode is not in the tables; ``fields`` then has the one
    entry ``word``. ``ignored`` holds the non-zero bits of the word that no field covers, in place.
    """

    word: int
    mnemonic: str
    fields: Mapping[str, int]
    ignored: int
    layout: tables.Layout | None

    @property
    def opcode(self) -> int:
        """Bits 31:24."""
        return self.word >> tables.OPCODE_LSB

    @property
    def known(self) -> bool:
        """Whether the opcode is in the tables."""
        return self.layout is not None

    def __getitem__(self, name: str) -> int:
        """Value of a field or of a view; ``IsaError`` when there is none of that name."""
        if name in self.fields:
            return self.fields[name]
        if self.layout is None:
            raise IsaError(f"word {self.word:08X} is unknown, so it has no field {name!r}")
        return self.layout.find(name).extract(self.word)


def check_word(word: int) -> int:
    """``word`` itself; ``IsaError`` unless it is an unsigned 32-bit integer."""
    if isinstance(word, bool) or not isinstance(word, int) or not 0 <= word < 1 << 32:
        raise IsaError(f"{word!r} is not an unsigned 32-bit word")
    return word


def layout_of(mnemonic: str, profile: str = profiles.DEFAULT) -> tables.Layout:
    """Layout of ``mnemonic`` (any case) in ``profile``; ``IsaError`` when there is none."""
    found = tables.by_mnemonic(profile).get(mnemonic.upper())
    if found is None:
        raise IsaError(f"unknown instruction {mnemonic!r} in profile {profile}")
    return found


def set_field(layout: tables.Layout, word: int, name: str, value: int) -> int:
    """``word`` with field or view ``name`` set.

    Raises ``IsaError`` with field, value and width when the value does not fit.
    """
    field = layout.find(name)
    if not isinstance(value, int) or not 0 <= value < 1 << field.width:
        raise IsaError(
            f"{layout.mnemonic}: {name} = {value!r} does not fit in {field.width} bit"
            f"{'s' if field.width > 1 else ''} (0 to {(1 << field.width) - 1})"
        )
    return field.insert(word, int(value))


def encode(mnemonic: str, profile: str = profiles.DEFAULT, **fields: int) -> int:
    """The 32-bit word of ``mnemonic`` (any case) with these fields or views; all others are 0.

    Raises ``IsaError`` for an unknown mnemonic, field or profile, for a value out of range, and for
    a bit that is set twice, through a field and through a view of it. Bits that no field covers are
    0. Source of each layout: its ``source`` in ``data/instructions``.
    """
    layout = layout_of(mnemonic, profile)
    word = layout.template
    taken: dict[str, int] = {}
    for name, value in fields.items():
        mask = layout.find(name).mask
        for other, used in taken.items():
            if mask & used:
                raise IsaError(f"{layout.mnemonic}: {other} and {name} set the same bits")
        taken[name] = mask
        word = set_field(layout, word, name, value)
    return word


def maker(mnemonic: str, order: str = "", **usual: int) -> Callable[..., int]:
    """A function that makes words of ``mnemonic``; ``order``: the fields of its arguments.

    It takes fields by name, too; ``usual`` are those that are not 0 unless they are given.
    ``IsaError`` as of :func:`encode`.
    """
    names = order.split()

    def make(*values: int, **fields: int) -> int:
        first = dict(zip(names[: len(values)], values, strict=True))
        given: dict[str, Any] = {**usual, **first, **fields}
        return encode(mnemonic, **given)

    return make


def decode(word: int, profile: str = profiles.DEFAULT) -> Instruction:
    """The instruction that ``word`` is in ``profile``; never fails for a 32-bit word.

    An opcode with several forms decodes to the form whose fixed bits match, else to the plain
    instruction. Ignored bits do not matter, as in the hardware. Raises ``IsaError`` when ``word``
    is not an unsigned 32-bit integer.
    """
    check_word(word)
    for layout in tables.by_opcode(profile).get(word >> tables.OPCODE_LSB, ()):
        if layout.matches(word):
            return decode_as(layout, word)
    return Instruction(word, UNKNOWN, MappingProxyType({"word": word}), 0, None)


def decode_as(layout: tables.Layout, word: int) -> Instruction:
    """``word`` read by ``layout``, which must match it."""
    values = {field.name: field.extract(word) for field in layout.fields}
    return Instruction(
        word, layout.mnemonic, MappingProxyType(values), word & layout.ignored, layout
    )
