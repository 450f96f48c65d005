# SPDX-License-Identifier: Apache-2.0
"""Instruction words for reports and coverage: what they are, and where their fields are."""

from __future__ import annotations

from tilepath.isa import explain_word, layout_of, profiles


def explain_words(_stream: str, field: str, value: int) -> str:
    """``Block.explain`` of words: the instruction, for a field ``word``; of others nothing."""
    return explain_word(value) if field == "word" else ""


def word_fields(*mnemonics: str, profile: str = profiles.DEFAULT) -> dict[str, tuple[int, int]]:
    """Return name → lowest bit, width: the opcode, and fields; of two instructions the last's."""
    layouts = (layout_of(name, profile) for name in mnemonics)
    fields = (field for one in layouts for field in (*one.fields, *one.views))
    return {"opcode": (24, 8), **{field.name: (field.lsb, field.width) for field in fields}}
