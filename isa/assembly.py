# SPDX-License-Identifier: Apache-2.0
"""One line of assembly to a word and back, and the rotated form in a RISC-V program."""

from __future__ import annotations

import functools
import re

from tilepath.isa import codec, profiles, tables
from tilepath.isa.errors import IsaError
from tilepath.isa.registers import Space, config_fields

_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+")
_NAMED = re.compile(r"([A-Za-z_]\w*)=(.*)")
# From here on both low bits of the rotated word are 1, which RISC-V keeps for other instructions.
TTINSN_LIMIT = 0xC0000000


def _number(text: str, where: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise IsaError(f"{where}: {text!r} is not a number (decimal, 0x or 0b, no sign)")
    base = {"0x": 16, "0b": 2}.get(text[:2].lower(), 10)
    return int(text, base)


def _mnemonic(name: str, profile: str) -> str:
    known = tables.by_mnemonic(profile)
    name = name.upper()
    return name.removeprefix("TT") if name not in known else name


def assemble(text: str, profile: str = profiles.DEFAULT) -> int:
    """The 32-bit word of one line of assembly.

    For example ``REPLAY 16,16,0,1``, ``ttreplay 16 16 load=1 exec=0``, ``.word 0x02000000``.

    Case does not matter, nor does a ``tt`` in front; operands are separated by commas or blanks;
    numbers are decimal, ``0x`` or ``0b``; ``;`` and ``#`` start a comment. Positional operands come
    first, in the order of the tables; any field or view may be given as ``name=value``. An operand
    must be given one way or the other; a field that is no operand defaults to 0.

    Raises ``IsaError`` for an unknown instruction, field or profile, a bad number, a value out of
    range, and a wrong number of operands.
    """
    items = re.split(r"[;#]", text, maxsplit=1)[0].replace(",", " ").split()
    if not items:
        raise IsaError("nothing to assemble")
    head, rest = items[0], items[1:]
    if head.lower() == codec.UNKNOWN:
        if len(rest) != 1:
            raise IsaError(f"{codec.UNKNOWN} takes one number, got {len(rest)}")
        return codec.check_word(_number(rest[0], codec.UNKNOWN))
    layout = codec.layout_of(_mnemonic(head, profile), profile)
    return codec.encode(layout.mnemonic, profile, **_operands(layout, rest))


def _operands(layout: tables.Layout, items: list[str]) -> dict[str, int]:
    name = layout.mnemonic
    values: dict[str, int] = {}
    position = 0
    for item in items:
        if named := _NAMED.fullmatch(item):
            field = named[1].lower()
            if field in values:
                raise IsaError(f"{name}: {field} is given twice")
            values[field] = _number(named[2], f"{name} {field}")
        elif len(values) > position:
            raise IsaError(f"{name}: operand {item!r} after a named one")
        elif position == len(layout.operands):
            raise IsaError(f"{name} takes {_count(layout)}, got {_positional(items)}")
        else:
            field = layout.operands[position]
            values[field] = _number(item, f"{name} {field}")
            position += 1
    given = 0
    for field in values:
        given |= layout.find(field).mask
    missing = [field for field in layout.operands if not layout.find(field).mask & given]
    if missing:
        raise IsaError(f"{name} takes {_count(layout)}, missing: {', '.join(missing)}")
    return values


def _positional(items: list[str]) -> int:
    return sum("=" not in item for item in items)


def _count(layout: tables.Layout) -> str:
    count = len(layout.operands)
    names = f" ({', '.join(layout.operands)})" if count else ""
    return f"{count or 'no'} operand{'' if count == 1 else 's'}{names}"


def disassemble(word: int, profile: str = profiles.DEFAULT) -> str:
    """One line that ``assemble`` turns back into exactly ``word``, for every 32-bit word.

    Falls back to ``.word`` when the opcode is unknown or an ignored bit is set. Fields that are no
    operands appear as ``name=value`` when they are not 0. Raises ``IsaError`` when ``word`` is not
    an unsigned 32-bit integer.
    """
    codec.check_word(word)
    for layout in tables.by_opcode(profile).get(word >> tables.OPCODE_LSB, ()):
        if layout.matches(word) and not word & layout.ignored:
            return _line(layout, codec.decode_as(layout, word))
    return f"{codec.UNKNOWN} 0x{word:08X}"


def _line(layout: tables.Layout, instruction: codec.Instruction) -> str:
    operands = [str(instruction[name]) for name in layout.operands]
    operands += [
        f"{name}={value}"
        for name, value in instruction.fields.items()
        if value and name not in layout.operands
    ]
    return " ".join(filter(None, (layout.mnemonic, ", ".join(operands))))


def to_ttinsn(word: int) -> int:
    """``word`` rotated left by two, as it sits in a RISC-V instruction stream (frontend-config §1).

    Raises ``IsaError`` when ``word`` is 0xC0000000 or above, or no unsigned 32-bit integer.
    """
    if codec.check_word(word) >= TTINSN_LIMIT:
        raise IsaError(f"word {word:08X} has no ttinsn form: it must be below {TTINSN_LIMIT:08X}")
    return (word << 2 | word >> 30) & 0xFFFFFFFF


def from_ttinsn(code: int) -> int:
    """The word that ``to_ttinsn`` turned into ``code``.

    Raises ``IsaError`` when both low bits of ``code`` are 1, or it is no unsigned 32-bit integer.
    """
    if codec.check_word(code) & 3 == 3:
        raise IsaError(f"{code:08X} is no ttinsn form: its two low bits are both 1")
    return (code >> 2 | code << 30) & 0xFFFFFFFF


# --- what words mean, for reports


def explain_word(word: int) -> str:
    """What the instruction ``word`` (32 bits) is: its assembly, by profile where they differ.

    For a word that no assembly makes: which instruction it is but for bits that are ignored, or
    what is known of its opcode.
    """
    texts: dict[str, list[str]] = {}
    for name in profiles.names():
        texts.setdefault(disassemble(word, name), []).append(name)
    if not all(text.startswith(codec.UNKNOWN) for text in texts):
        if len(texts) == 1:
            return next(iter(texts))
        return "; ".join(f"{', '.join(names)}: {text}" for text, names in texts.items())
    instruction = codec.decode(word)
    if instruction.known:
        return f"{instruction.mnemonic} with ignored bits set"
    return "no mnemonic" if tables.assigned()[word >> 24] else "unassigned opcode"


def named_word(word: int) -> str:
    """The instruction ``word`` in assembly, and its eight digits."""
    return f"{disassemble(word)} ({word:08X})"


@functools.cache
def explain_config_word(space: Space, index: int) -> str:
    """Names of the fields in word ``index`` of a configuration space, of many the first two."""
    names = [f.name for f in config_fields() if f.space == space and f.addr32 == index]
    return ", ".join(names[:2]) + (", …" if len(names) > 2 else "")
