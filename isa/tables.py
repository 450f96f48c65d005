# SPDX-License-Identifier: Apache-2.0
"""Reads the tables in ``data/`` into typed, checked, immutable objects."""

from __future__ import annotations

import dataclasses
import functools
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tilepath.isa import profiles
from tilepath.isa.errors import IsaError

DATA = Path(__file__).parent / "data"
WORD_BITS = 32
OPCODE_LSB = 24
CFG_WORDS = 224
THD_WORDS = 68


@dataclasses.dataclass(frozen=True)
class Bits:
    """A range of bits, ``msb`` and ``lsb`` both included."""

    msb: int
    lsb: int

    @property
    def width(self) -> int:
        """Number of bits."""
        return self.msb - self.lsb + 1

    @property
    def mask(self) -> int:
        """Ones at the bits of the range."""
        return ((1 << self.width) - 1) << self.lsb

    def extract(self, word: int) -> int:
        """Value of the range in ``word``, moved down to bit 0."""
        return (word & self.mask) >> self.lsb

    def insert(self, word: int, value: int) -> int:
        """``word`` with the range set to ``value``; ``IsaError`` when that does not fit."""
        if not 0 <= value < 1 << self.width:
            raise IsaError(f"value {value:#x} does not fit in {self.width} bits")
        return (word & ~self.mask) | (value << self.lsb)


@dataclasses.dataclass(frozen=True)
class Field(Bits):
    """A named range of an instruction word."""

    name: str


@dataclasses.dataclass(frozen=True)
class Layout:
    """How one mnemonic is laid out in a 32-bit word.

    ``fixed`` holds (bits, value) pairs that tell a form from others of its opcode; ``base`` is the
    mnemonic that all of them share. ``when`` is (parameter, value) of the profiles that have this
    layout, or ``None``: all of them. ``waits`` holds the Src files, ``A`` and ``B``, of which it
    waits for the bank (M8).
    """

    mnemonic: str
    opcode: int
    fields: tuple[Field, ...]
    views: tuple[Field, ...]
    operands: tuple[str, ...]
    meaning: str
    source: str
    block: str
    base: str
    fixed: tuple[tuple[Bits, int], ...]
    when: tuple[str, str] | None
    waits: tuple[str, ...]

    @property
    def prefix(self) -> str:
        """Prefix of the generated constants: the mnemonic, and the encoding where there are two."""
        if self.when is None or self.is_form:
            return self.mnemonic
        return f"{self.mnemonic}_{self.when[1]}"

    @property
    def is_form(self) -> bool:
        """Whether this is a form of another instruction, told apart by fixed bits."""
        return self.mnemonic != self.base

    @property
    def ignored(self) -> int:
        """Mask of the bits that neither the opcode nor a field nor a fixed value covers."""
        used = 0xFF << OPCODE_LSB
        for bits in (*self.fields, *(bits for bits, _ in self.fixed)):
            used |= bits.mask
        return 0xFFFFFFFF & ~used

    @property
    def template(self) -> int:
        """The word with every field 0."""
        word = self.opcode << OPCODE_LSB
        for bits, value in self.fixed:
            word = bits.insert(word, value)
        return word

    def matches(self, word: int) -> bool:
        """Whether opcode and fixed bits of ``word`` are those of this layout."""
        return word >> OPCODE_LSB == self.opcode and all(
            bits.extract(word) == value for bits, value in self.fixed
        )

    def find(self, name: str) -> Field:
        """Field or view ``name``; ``IsaError`` when there is none."""
        for field in (*self.fields, *self.views):
            if field.name == name:
                return field
        known = ", ".join(field.name for field in (*self.fields, *self.views)) or "none"
        raise IsaError(f"{self.mnemonic} has no field {name!r}; fields: {known}")

    def profiles(self) -> tuple[str, ...]:
        """Names of the profiles that have this layout."""
        return tuple(name for name in profiles.names() if self.is_in(name))

    def is_in(self, profile: str) -> bool:
        """Whether ``profile`` has this layout."""
        return self.when is None or getattr(profiles.get(profile), self.when[0]) == self.when[1]


def read(path: Path) -> dict[str, Any]:
    """A TOML file as a dictionary."""
    with path.open("rb") as file:
        return tomllib.load(file)


def parse_bits(text: str, where: str, width: int = WORD_BITS) -> tuple[int, int]:
    """(msb, lsb) of ``msb:lsb`` or ``n``; ``IsaError`` names ``where`` when that cannot be."""
    msb, _, lsb = text.partition(":")
    try:
        high, low = int(msb), int(lsb or msb)
    except ValueError:
        raise IsaError(f"{where}: {text!r} is not a bit range") from None
    if not 0 <= low <= high < width:
        raise IsaError(f"{where}: bit range {text} is not within {width} bits")
    return high, low


def parse_opcodes(text: str) -> list[int]:
    """Opcodes of a list such as ``"45 58-5D"`` (hexadecimal, ranges inclusive)."""
    opcodes: list[int] = []
    for item in text.split():
        first, _, last = item.partition("-")
        opcodes += range(int(first, 16), int(last or first, 16) + 1)
    return opcodes


def _fields(row: dict[str, str], where: str) -> tuple[Field, ...]:
    return tuple(
        Field(*parse_bits(text, f"{where}.{name}", OPCODE_LSB), name) for name, text in row.items()
    )


def _layout(row: dict[str, Any], block: str, opcodes: dict[str, int]) -> Layout:
    name: str = row["mnemonic"]
    base: str = row.get("base", name)
    when: dict[str, str] | None = row.get("when")
    fields = _fields(row["fields"], name)
    fixed = tuple(
        (Bits(*parse_bits(text, name, OPCODE_LSB)), value)
        for text, value in row.get("fixed", {}).items()
    )
    seen = 0
    for bits in (*fields, *(bits for bits, _ in fixed)):
        if seen & bits.mask:
            raise IsaError(f"{name}: bits {bits.msb}:{bits.lsb} are used twice")
        seen |= bits.mask
    operands = tuple(row.get("operands", row["fields"]))
    if unknown := set(operands) - {field.name for field in fields}:
        raise IsaError(f"{name}: operands without a field: {', '.join(sorted(unknown))}")
    return Layout(
        mnemonic=name,
        opcode=row["opcode"] if base == name else opcodes[base],
        fields=fields,
        views=_fields(row.get("views", {}), name),
        operands=operands,
        meaning=row["meaning"],
        source=row["source"],
        block=block,
        base=base,
        fixed=fixed,
        when=next(iter(when.items())) if when else None,
        waits=tuple(row.get("waits", ())),
    )


@functools.cache
def layouts() -> tuple[Layout, ...]:
    """Every layout of every profile, in file order; ``IsaError`` when the tables clash."""
    found: list[Layout] = []
    for path in sorted((DATA / "instructions").glob("*.toml")):
        table = read(path)
        rows = table.get("instruction", [])
        opcodes = {row["mnemonic"]: row["opcode"] for row in rows}
        found += [_layout(row, path.stem, opcodes) for row in (*rows, *table.get("form", []))]
    for profile in profiles.names():
        _check_unique([layout for layout in found if layout.is_in(profile)], profile)
    for layout in found:
        if not assigned()[layout.opcode]:
            raise IsaError(f"{layout.mnemonic}: opcode {layout.opcode:02X} has no block class")
    return tuple(found)


def _check_unique(found: Iterable[Layout], profile: str) -> None:
    mnemonics: set[str] = set()
    opcodes: set[int] = set()
    for layout in found:
        clash = layout.mnemonic in mnemonics or (not layout.is_form and layout.opcode in opcodes)
        if clash:
            raise IsaError(f"{layout.mnemonic} ({layout.opcode:02X}) is defined twice in {profile}")
        mnemonics.add(layout.mnemonic)
        opcodes.add(layout.opcode)


@functools.cache
def by_mnemonic(profile: str) -> dict[str, Layout]:
    """Layouts of ``profile`` by upper-case mnemonic."""
    profiles.get(profile)
    return {layout.mnemonic: layout for layout in layouts() if layout.is_in(profile)}


@functools.cache
def by_opcode(profile: str) -> dict[int, tuple[Layout, ...]]:
    """Layouts of ``profile`` by opcode; forms before the instruction they belong to."""
    found: dict[int, tuple[Layout, ...]] = {}
    for layout in sorted(by_mnemonic(profile).values(), key=lambda item: not item.is_form):
        found[layout.opcode] = (*found.get(layout.opcode, ()), layout)
    return found


@functools.cache
def _positions() -> dict[str, Field]:
    return {
        f"{layout.prefix}_{field.name.upper()}": field
        for layout in layouts()
        for field in (*layout.fields, *layout.views)
    }


def position(symbol: str) -> Field:
    """Return where a field of an instruction is: ``PACR_LAST``, as in the RTL's package.

    ``IsaError`` when there is none of that name.
    """
    try:
        return _positions()[symbol]
    except KeyError:
        raise IsaError(f"no instruction has a field {symbol!r}") from None


@functools.cache
def _classes() -> tuple[dict[int, int], frozenset[int], frozenset[int]]:
    masks: dict[int, int] = {}
    front_end: set[int] = set()
    waits: set[int] = set()
    for row in read(DATA / "block_classes.toml")["class"]:
        mask = sum(1 << bit for bit in row["bits"])
        for opcode in parse_opcodes(row["opcodes"]):
            if opcode in masks:
                raise IsaError(f"block_classes.toml: opcode {opcode:02X} appears twice")
            masks[opcode] = mask
            if row.get("must_not_issue", False):
                front_end.add(opcode)
            if row.get("wait", False):
                waits.add(opcode)
    return masks, frozenset(front_end), frozenset(waits)


@functools.cache
def block_class() -> tuple[int, ...]:
    """9-bit class B8..B0 per opcode, 256 entries.

    0 for NOP (C21) and the wait instructions (C12), which the gate tests apart, and for what never
    reaches the gate.
    """
    masks, _, _ = _classes()
    return tuple(masks.get(opcode, 0) for opcode in range(256))


@functools.cache
def assigned() -> tuple[bool, ...]:
    """Whether an opcode means something, 256 entries."""
    masks, _, _ = _classes()
    return tuple(opcode in masks for opcode in range(256))


@functools.cache
def is_wait() -> tuple[bool, ...]:
    """Whether any live wait holds the opcode, whatever its mask (C12), 256 entries."""
    _, _, waits = _classes()
    return tuple(opcode in waits for opcode in range(256))


@functools.cache
def queue_class() -> tuple[int, ...]:
    """Units that a queued word waits for, as bits B8..B0, 256 entries: for qstatus (F22).

    The block class, but B1 for the wait instructions: the sync unit executes them
    (config-sync seed), although no block bit holds them at the gate (C12).
    """
    classes = zip(block_class(), is_wait(), strict=True)
    return tuple(1 << 1 if wait else mask for mask, wait in classes)


@functools.cache
def src_waits() -> tuple[int, ...]:
    """Src files of which an opcode waits for the bank (M8), 256 entries: bit 0 SrcA, bit 1 SrcB."""
    waits = {layout.opcode: layout.waits for layout in layouts()}
    return tuple(sum(1 << "AB".index(file) for file in waits.get(op, ())) for op in range(256))


@functools.cache
def must_not_issue() -> tuple[bool, ...]:
    """Whether a word must not reach the gate (F17), 256 entries.

    True for the front end's own instructions and for every unassigned opcode.
    """
    masks, front_end, _ = _classes()
    return tuple(opcode not in masks or opcode in front_end for opcode in range(256))
