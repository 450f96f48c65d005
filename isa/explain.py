# SPDX-License-Identifier: Apache-2.0
"""What words mean, in words: for reports. Instructions, and words of configuration."""

from __future__ import annotations

import functools

from tilepath.isa import profiles, tables
from tilepath.isa.assembly import disassemble
from tilepath.isa.codec import UNKNOWN, decode
from tilepath.isa.registers import Space, config_fields


def explain_word(word: int) -> str:
    """What the instruction ``word`` (32 bits) is: its assembly, by profile where they differ.

    For a word that no assembly makes: which instruction it is but for bits that are ignored, or
    what is known of its opcode.
    """
    texts: dict[str, list[str]] = {}
    for name in profiles.names():
        texts.setdefault(disassemble(word, name), []).append(name)
    if not all(text.startswith(UNKNOWN) for text in texts):
        if len(texts) == 1:
            return next(iter(texts))
        return "; ".join(f"{', '.join(names)}: {text}" for text, names in texts.items())
    instruction = decode(word)
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
