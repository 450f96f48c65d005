# SPDX-License-Identifier: Apache-2.0
"""Instruction words for reports and coverage: what they are, and where their fields are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilepath.isa import explain_config_word, explain_word, layout_of, profiles
from tilepath.isa.registers import Space

_SPACES: Final[Mapping[str, Space]] = {
    "setc16": "Thread",
    "risc_thread_write": "Thread",
    **dict.fromkeys(("cfg", "config_write", "flop", "flop_write", "store"), "Config"),
}


def explain_words(stream: str, field: str, value: int) -> str:
    """``Block.explain`` of words: an instruction, a configuration word's name; else nothing."""
    if field == "word":
        return explain_word(value)
    space = _SPACES.get(stream.rpartition(".")[2]) if field == "index" else None
    return explain_config_word(space, value) if space else ""


def word_fields(*mnemonics: str, profile: str = profiles.DEFAULT) -> dict[str, tuple[int, int]]:
    """Return name → lowest bit, width: the opcode, and fields; of two instructions the last's."""
    layouts = (layout_of(name, profile) for name in mnemonics)
    fields = (field for one in layouts for field in (*one.fields, *one.views))
    return {"opcode": (24, 8), **{field.name: (field.lsb, field.width) for field in fields}}
