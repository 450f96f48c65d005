# SPDX-License-Identifier: Apache-2.0
"""``assembly.yaml`` and ``cfg_defines.h`` of both chips, as the library ships them, and ``isa``.

``encodings.toml`` has the differences that are known, in groups, and why each is no mistake.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tilepath.isa import tables
from tilepath.isa.registers import Space, config_fields, elsewhere
from tilepath.tests.tables import beside

_INTERNAL = "hw/inc/internal/tt-1xx"
CHIPS = {
    "wormhole": (
        "wormhole",
        f"{_INTERNAL}/wormhole/wormhole_b0_defines/cfg_defines.h",
    ),
    "blackhole": ("blackhole", f"{_INTERNAL}/blackhole/cfg_defines.h"),
}
_DEFINE = re.compile(
    r"^// Registers for (?P<section>\w+)|"
    r"^#define (?P<name>\w+)_(?P<what>ADDR32|SHAMT|MASK)\s+(?P<value>0x[0-9a-fA-F]+|\d+)\s*$",
    re.MULTILINE,
)


def place(space: str, word: int, lsb: int, mask: int) -> str:
    """Where a register is."""
    return f"{space} {word}, bit {lsb}, mask {mask:X}"


def places(text: str) -> dict[str, str]:
    """Where the registers of a ``cfg_defines.h`` are, by name."""
    found: dict[str, dict[str, int]] = {}
    spaces, space = {}, "Thread"
    for line in _DEFINE.finditer(text):
        if line["section"]:
            space = "Thread" if line["section"] == "THREAD" else "Config"
        else:
            found.setdefault(line["name"], {})[line["what"]] = int(line["value"], 0)
            spaces[line["name"]] = space
    return {
        name: place(spaces[name], part["ADDR32"], part["SHAMT"], part["MASK"])
        for name, part in found.items()
        if len(part) == 3
    }


def here(profile: str, where: str) -> str:
    """Where a register of a chip is here, if anywhere."""
    registers = elsewhere(profile)
    found = re.fullmatch(r"(\w+) (\d+), bit \d+, mask (\w+)", where)
    if registers is None or not found:
        return where
    space: Space = "Thread" if found[1] == "Thread" else "Config"
    known = registers.places.get((space, int(found[2])))
    mask = known.bits(int(found[3], 16)) if known else 0
    return (
        place(space, known.word, (mask & -mask).bit_length() - 1, mask)
        if known and mask
        else "nowhere"
    )


def of_registers(profile: str, shipped: Mapping[str, str]) -> Iterator[str]:
    """Fields of ``isa`` that are elsewhere; one of another name at the same place is the same."""
    there = {name: here(profile, where) for name, where in shipped.items()}
    taken = set(there.values())
    for field in config_fields():
        own = place(field.space, field.addr32, field.lsb, field.mask)
        if field.name not in there and own not in taken:
            yield f"{field.name}: not there"
        elif field.name in there and there[field.name] != own:
            yield f"{field.name}: {own}, there {there[field.name]}"


def of_words(profile: str, there: Mapping[str, Any]) -> Iterator[str]:
    """Opcodes that differ, and fields that begin where no other one does.

    ``assembly.yaml`` says where arguments begin and not where they end.
    """
    layouts = tables.by_mnemonic(profile).values()
    for layout in layouts:
        if layout.is_form:
            continue
        if layout.mnemonic not in there:
            yield f"{layout.mnemonic}: not there"
            continue
        row = there[layout.mnemonic]
        if row["op_binary"] != layout.opcode:
            yield f"{layout.mnemonic}: opcode {layout.opcode:02X}, there {row['op_binary']:02X}"
        if layout.source == "opcode only":
            continue
        forms = [form for form in layouts if form.base == layout.mnemonic]
        begins = {field.lsb for form in forms for field in (*form.fields, *form.views)}
        arguments = row["arguments"] or ()  # 0: there are none
        starts = {one["start_bit"]: one["name"] for one in arguments}
        for field in layout.fields:
            if field.lsb not in starts:
                yield f"{layout.mnemonic}: {field.name} at bit {field.lsb} is no argument there"
            for bit in range(field.lsb + 1, field.msb + 1):
                if bit in starts and bit not in begins:
                    yield f"{layout.mnemonic}: {starts[bit]} at bit {bit} is in {field.name}"
    for name, row in there.items():
        if not tables.assigned()[row["op_binary"]]:
            yield f"{name}: opcode {row['op_binary']:02X} is none here"


def differences(instructions: Mapping[str, Mapping[str, Any]], root: Path) -> Iterator[str]:
    """All of both chips; ``instructions``: what their ``assembly.yaml`` says."""
    for chip, (profile, defines) in CHIPS.items():
        for line in of_words(profile, instructions[chip]):
            yield f"{chip} {line}"
        for line in of_registers(profile, places((root / defines).read_text())):
            yield f"{chip} register {line}"


def problems(instructions: Mapping[str, Mapping[str, Any]], root: Path) -> list[str]:
    """What differs and is not known to, and groups that are not what they were."""
    lines = sorted(differences(instructions, root))
    found = []
    for group in beside(__file__, "encodings")["known"]:
        of_it = [line for line in lines if re.fullmatch(group["lines"], line)]
        lines = [line for line in lines if line not in of_it]
        checksum = zlib.crc32("\n".join(of_it).encode())
        if (len(of_it), checksum) != (group["count"], group["checksum"]):
            count = f"{len(of_it)} lines, checksum {checksum:#010x}"
            found.append("\n  ".join((f"{group['lines']}: {count}:", *of_it)))
    print(
        f"{len(lines)} differences of encodings are new, {len(found)} groups of known ones changed"
    )
    return lines + found
