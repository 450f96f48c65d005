# SPDX-License-Identifier: Apache-2.0
"""Words whose meaning the specification states, against encoder, decoder and assembler."""

from __future__ import annotations

import pytest

from tilepath import isa
from tilepath.tests.tables import beside

WORDS = beside(__file__, "words")
CASES = [[*row, profile] for row in WORDS["common"] for profile in isa.profiles.names()]
CASES += WORDS["by_profile"]


@pytest.mark.parametrize(("word", "text", "profile"), CASES)
def test_word(word: int, text: str, profile: str) -> None:
    assert f"{isa.assemble(text, profile):08X}" == f"{word:08X}"
    assert isa.disassemble(word, profile) == text
    decoded = isa.decode(word, profile)
    assert decoded.mnemonic == text.split()[0]
    assert decoded.ignored == 0
    assert isa.encode(decoded.mnemonic, profile, **decoded.fields) == word


@pytest.mark.parametrize(("code", "word"), WORDS["rotated"])
def test_rotation(code: int, word: int) -> None:
    assert isa.to_ttinsn(word) == code
    assert isa.from_ttinsn(code) == word


@pytest.mark.parametrize(("code", "text"), WORDS["listed"])
def test_listing(code: int, text: str) -> None:
    assert isa.to_ttinsn(isa.assemble(text)) == code


def test_rotation_limits() -> None:
    assert isa.to_ttinsn(0xBFFFFFFF) == 0xFFFFFFFE
    with pytest.raises(isa.IsaError, match="C0000000 has no ttinsn form"):
        isa.to_ttinsn(0xC0000000)
    with pytest.raises(isa.IsaError, match="two low bits"):
        isa.from_ttinsn(0x00000003)


def test_views_name_parts_of_fields() -> None:
    assert isa.encode("UNPACR", ch1_y_inc=1, ch0_z_inc=1, multi_context=1, last=1) == 0x42208081
    assert isa.decode(0x42208081)["ch1_y_inc"] == 1
    assert isa.decode(0x42208081)["ch0_z_inc"] == 1
    # REG2FLOP to an address counter: Channel, ADCSel, Cr, XYZW (C14)
    assert isa.decode(0x48EB0FC5)["flop_channel"] == 1
    assert isa.decode(0x48EB0FC5)["flop_adc_sel"] == 3
    # SETADC X with an override lies within the value (A2)
    assert isa.decode(isa.assemble("SETADC 1, 0, 0, 0x2FFFF"))["thread_override"] == 2


def test_encodings_that_mean_something_else_elsewhere() -> None:
    """unpack-adc §1.2: the two maps of UNPACR_NOP read the same word differently."""
    assert isa.decode(0x43800007).mnemonic == "UNPACR_NOP_SETDVALID"
    assert isa.decode(0x43800007, "blackhole").mnemonic == "UNPACR_NOP_POP_STREAM"
    assert isa.decode(0x43000009)["both_banks"] == 1
    assert isa.decode(0x43000009, "blackhole")["src_clr_val"] == 2
    assert isa.decode(0x43000011)["wait_like_unpacr"] == 1
    assert isa.decode(0x43000011, "blackhole")["bank_clr"] == 1
