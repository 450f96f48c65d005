# SPDX-License-Identifier: Apache-2.0
"""What ``tilepath asm`` and ``tilepath disasm`` print."""

from __future__ import annotations

from collections.abc import Iterable

from tilepath import isa
from tilepath.engine.commands.errors import UsageError, for_user


def assemble_lines(lines: Iterable[str], profile: str) -> list[str]:
    """One line of text per instruction: word, ``.ttinsn`` form, canonical spelling.

    Raises:
        UsageError: an instruction or profile that does not exist, or a bad operand. Nothing is
            returned then, even when other lines were right.
    """
    return [_assembled(line, profile) for line in lines]


@for_user(isa.IsaError)
def _assembled(line: str, profile: str) -> str:
    isa.profiles.get(profile)
    word = isa.assemble(line, profile)
    return f"0x{word:08x}  {_rotated(word)}  {isa.disassemble(word, profile)}"


def _rotated(word: int) -> str:
    try:
        return f".ttinsn 0x{isa.to_ttinsn(word):08x}"
    except isa.IsaError:
        # The two topmost opcodes bits set: such a word cannot stand in a RISC-V program.
        return "(no .ttinsn form)"


def disassemble_words(words: Iterable[str], profile: str, *, rotated: bool) -> list[str]:
    """Return a line for each word: the word, its instruction, and every field by name.

    Raises:
        UsageError: a text that is no 32-bit number, a word that is no ``.ttinsn`` form, or a
            profile that does not exist.
    """
    return [_disassembled(text, profile, rotated) for text in words]


@for_user(isa.IsaError)
def _disassembled(text: str, profile: str, rotated: bool) -> str:
    number = _number(text)
    isa.profiles.get(profile)
    word = isa.from_ttinsn(number) if rotated else number
    instruction = isa.decode(word, profile)
    spelling = isa.disassemble(word, profile)
    fields = "  ".join(f"{name}={value}" for name, value in instruction.fields.items())
    if not instruction.known:
        fields = "(unassigned opcode)"
    elif instruction.ignored:
        fields += f"  ignored bits 0x{instruction.ignored:08x}"
    return f"0x{word:08x}  {spelling}  [{fields}]" if fields else f"0x{word:08x}  {spelling}"


def _number(text: str) -> int:
    try:
        number = int(text, 0)
    except ValueError:
        raise UsageError(f"{text!r} is not a number (decimal, 0x or 0b)") from None
    if not 0 <= number < 1 << 32:
        raise UsageError(f"{text} does not fit in 32 bits")
    return number
