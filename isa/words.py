# SPDX-License-Identifier: Apache-2.0
"""Packed structs of configuration words for the RTL (``data/rtl_words.toml``), as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tilepath.isa import registers, tables
from tilepath.isa.errors import IsaError


def _width(row: dict[str, Any]) -> int:
    """Bits of a word."""
    return 16 if row.get("thread") else 32


def _fields(row: dict[str, Any]) -> dict[tuple[int, int], str]:
    """Names by (lsb, msb), counted from the first of the words; an alias before what it lies on."""
    first: int = row["first"]
    space = "Thread" if row.get("thread") else "Config"
    named: dict[tuple[int, int], str] = {}
    for field in registers.config_fields():
        place = field.addr32 - first
        if field.space != space or not 0 <= place < row.get("words", 1):
            continue
        prefix = next((text for text in row["prefixes"] if field.name.startswith(text)), "")
        low = _width(row) * place + field.lsb
        named[low, low + field.width - 1] = field.name.removeprefix(prefix).lower()
    return dict(sorted(named.items()))


def _declared(name: str, msb: int, lsb: int) -> str:
    size = "" if msb == lsb else f" [{msb - lsb}:0]"
    bits = f"{msb}" if msb == lsb else f"{msb}:{lsb}"
    return f"    logic{size} {name};  // {bits}"


def _struct(row: dict[str, Any]) -> Iterator[str]:
    members: list[str] = []
    end = 0
    for (lsb, msb), name in _fields(row).items():
        if lsb < end:
            raise IsaError(f"{row['type']}: {name} lies over another field")
        if lsb > end:
            members.append(_declared(f"unused_{end}", lsb - 1, end))
        members.append(_declared(name, msb, lsb))
        end = msb + 1
    if (top := _width(row) * row.get("words", 1)) > end:
        members.append(_declared(f"unused_{end}", top - 1, end))
    yield from ("", "  typedef struct packed {", *reversed(members), f"  }} {row['type']};")


def structs() -> Sequence[str]:
    """Lines of all structs; ``IsaError`` where a field lies across another one."""
    rows = tables.read(tables.DATA / "rtl_words.toml")["word"]
    return [line for row in rows for line in _struct(row)]
