# SPDX-License-Identifier: Apache-2.0
"""What reports say of words."""

from __future__ import annotations

import pytest

from tilepath import isa
from tilepath.engine.description.registry import block_names, load_block
from tilepath.isa.tables import assigned

NAMELESS = next(op for op in range(256) if assigned()[op] and not isa.decode(op << 24).known)

EXPLAINED = {
    0x5160000B: "SETADCXY 3, 0, 0, 0, 0, 11",
    0x02000001: "NOP with ignored bits set",
    0x43000007: "baseline, wormhole: UNPACR_NOP_SETDVALID 0; "
    "blackhole: UNPACR_NOP_POP_STREAM 0, 0, 0, 0, 0, 0",
    NAMELESS << 24: "no mnemonic",
    0xFF000000: "unassigned opcode",
}


WORDS = [
    (name, stream)
    for name in block_names()
    for stream, layout in load_block(name).stream_table.items()
    if any(field.name == "word" for field in layout.fields)
]
"""Streams that have words, with their blocks; not every block has one."""


@pytest.mark.parametrize(("word", "text"), EXPLAINED.items(), ids=lambda value: f"{value}")
def test_words_are_explained(word: int, text: str) -> None:
    assert isa.explain_word(word) == text


@pytest.mark.parametrize(("name", "stream"), WORDS)
def test_every_block_explains_its_words_alike(name: str, stream: str) -> None:
    block = load_block(name)
    assert {word: block.explain(stream, "word", word) for word in EXPLAINED} == EXPLAINED


def test_a_word_is_named_with_its_digits() -> None:
    assert isa.named_word(0x02000000) == "NOP (02000000)"


def test_words_of_configuration_are_explained() -> None:
    first = [f.name for f in isa.config_fields() if f.space == "Config" and f.addr32 == 64]
    assert len(first) > 2
    assert isa.explain_config_word("Config", 64) == f"{first[0]}, {first[1]}, …"
    assert isa.explain_config_word("Thread", 67) == ""
