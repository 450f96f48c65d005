# SPDX-License-Identifier: Apache-2.0
"""The named constants of both generated files, in one list, so that the two cannot drift apart.

Where a field is, a profile's parameters, and what no Python names, only the RTL has as constants.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Literal

from tilepath.isa import formats, profiles, registers, tables
from tilepath.isa.errors import IsaError

Kind = Literal["opcode", "bit", "number"]


@dataclasses.dataclass(frozen=True)
class Symbol:
    """One constant. ``opcode`` is 8 bits wide, ``bit`` a bit position, ``number`` anything else."""

    name: str
    value: int
    kind: Kind


@dataclasses.dataclass(frozen=True)
class Section:
    """Constants that belong together, under a line of comment."""

    title: str
    symbols: tuple[Symbol, ...]
    rtl_only: bool = False  # Python reads them from ``tables``, ``registers``, ``profiles``


def _range(prefix: str, bits: tables.Bits) -> list[Symbol]:
    return [
        Symbol(f"{prefix}_MSB", bits.msb, "bit"),
        Symbol(f"{prefix}_LSB", bits.lsb, "bit"),
    ]


def _opcodes() -> Section:
    table = {item.base: item.opcode for item in tables.layouts()}
    ordered = sorted(table.items(), key=lambda item: item[1])
    return Section(
        "Opcodes, word bits 31:24",
        tuple(Symbol(f"OP_{name}", opcode, "opcode") for name, opcode in ordered),
    )


def _fields() -> Iterator[Section]:
    for layout in tables.layouts():
        symbols: list[Symbol] = []
        for field in (*layout.fields, *layout.views):
            symbols += _range(f"{layout.prefix}_{field.name.upper()}", field)
        if symbols:
            where = "" if layout.when is None else f" ({', '.join(layout.profiles())})"
            yield Section(f"{layout.mnemonic}{where}: {layout.meaning}", tuple(symbols), True)


def _registers() -> Iterator[Section]:
    yield Section(
        "Configuration spaces, in words; words from CFG_GLOBAL_BASE on are shared by both banks",
        (
            Symbol("CFG_WORDS", tables.CFG_WORDS, "number"),
            Symbol("THD_WORDS", tables.THD_WORDS, "number"),
            Symbol("CFG_THCON_BASE", registers.THCON_BASE, "number"),
            Symbol("CFG_GLOBAL_BASE", registers.GLOBAL_BASE, "number"),
        ),
    )
    for title, fields in registers.sections():
        symbols: list[Symbol] = []
        for field in fields:
            symbols.append(Symbol(f"{field.symbol}_ADDR32", field.addr32, "number"))
            symbols += _range(field.symbol, field)
        yield Section(title, tuple(symbols), True)


def _formats() -> Iterator[Section]:
    rows = formats.formats().values()
    yield Section(
        "Data-format codes, four bits",
        tuple(Symbol(f"FMT_{row.name}", row.code, "number") for row in rows),
    )


def _enums() -> Iterator[Section]:
    for row in tables.read(tables.DATA / "enums.toml")["enum"]:
        yield Section(
            row["meaning"],
            tuple(Symbol(f"{row['name']}_{k}", v, "number") for k, v in row["values"].items()),
            row.get("rtl_only", False),
        )


def _profiles() -> Iterator[Section]:
    for key, row in profiles.parameters().items():
        if choices := row.get("choices"):
            yield Section(
                f"{row['meaning']}: values of the parameter {key.upper()}",
                tuple(
                    Symbol(f"{key.upper()}_{choice.upper()}", place, "number")
                    for place, choice in enumerate(choices)
                ),
                True,
            )
    for name in profiles.names():
        values = profiles.get(name).rtl_parameters()
        yield Section(
            f"Profile {name}",
            tuple(Symbol(f"{name.upper()}_{k}", v, "number") for k, v in values.items()),
            True,
        )


def sections() -> tuple[Section, ...]:
    """Every section, in the order of the generated files; ``IsaError`` on a name used twice."""
    found = (_opcodes(), *_fields(), *_registers(), *_formats(), *_enums(), *_profiles())
    seen: set[str] = set()
    for symbol in (symbol for section in found for symbol in section.symbols):
        if symbol.name in seen or not re.fullmatch(r"[A-Z][A-Z0-9_]*", symbol.name):
            raise IsaError(f"constant {symbol.name} is defined twice or is no name")
        seen.add(symbol.name)
    return found
