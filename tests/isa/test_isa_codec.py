# SPDX-License-Identifier: Apache-2.0
"""Encoder, decoder and assembler as functions: round trips, spelling, errors."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tilepath import isa
from tilepath.engine.description.registry import block_names, load_block
from tilepath.isa import tables
from tilepath.isa.tables import assigned
from tilepath.tests.host.encodings import CHIPS, differences, of_words, places, problems
from tilepath.tests.tables import beside

PROFILES = isa.profiles.names()
FIELDS = [
    pytest.param(profile, layout, field, id=f"{profile}-{layout.mnemonic}-{field.name}")
    for profile in PROFILES
    for layout in tables.by_mnemonic(profile).values()
    for field in (*layout.fields, *layout.views)
]


def words(seed: int, count: int) -> list[int]:
    """Random words, half of them with an assigned opcode and few operand bits set."""
    draw = random.Random(seed)
    known = [opcode for opcode, is_known in enumerate(tables.assigned()) if is_known]
    found = [draw.getrandbits(32) for _ in range(count // 2)]
    for _ in range(count // 2):
        bits = draw.getrandbits(24) & draw.getrandbits(24) & draw.getrandbits(24)
        found.append(draw.choice(known) << 24 | bits)
    return found


@pytest.mark.parametrize("profile", PROFILES)
def test_round_trip(profile: str) -> None:
    shown = 0
    for word in words(seed=1, count=40_000):
        text = isa.disassemble(word, profile)
        assert isa.assemble(text, profile) == word
        shown += not text.startswith(".word")
        decoded = isa.decode(word, profile)
        if decoded.known:
            again = isa.encode(decoded.mnemonic, profile, **decoded.fields)
            assert again | decoded.ignored == word
            assert again & decoded.ignored == 0
            assert decoded.opcode == word >> 24
        else:
            assert decoded.mnemonic == ".word"
            assert decoded.fields == {"word": word}
    assert shown > 5_000  # otherwise the loop above proves little


@pytest.mark.parametrize(("profile", "layout", "field"), FIELDS)
def test_field_range(profile: str, layout: isa.Layout, field: isa.Field) -> None:
    top = (1 << field.width) - 1
    word = isa.encode(layout.mnemonic, profile, **{field.name: top})
    assert word == layout.template | field.mask
    assert field.extract(word) == top
    for value in (top + 1, -1):
        with pytest.raises(isa.IsaError) as error:
            isa.encode(layout.mnemonic, profile, **{field.name: value})
        text = str(error.value)
        assert "\n" not in text
        assert f"{field.name} = {value} " in text
        assert f"in {field.width} bit" in text


@pytest.mark.parametrize("profile", PROFILES)
def test_layouts_are_sound(profile: str) -> None:
    for layout in tables.by_mnemonic(profile).values():
        assert layout.meaning and layout.source
        assert tables.assigned()[layout.opcode]
        if layout.is_form:
            base = isa.layout_of(layout.base, profile)
            assert base.opcode == layout.opcode
            assert layout.fixed


@pytest.mark.parametrize(
    "text",
    [
        "REPLAY 16,16,0,1",
        "ttreplay 16,16,0,1",
        "TTREPLAY 16 16 0 1",
        "  replay\t0x10, 0b10000,0 1  ; record",
        "Replay 16,16 load=1 EXEC=0 # record",
        "replay load=1, exec=0, count=16, index=16",
        ".word 0x04040101",
        ".WORD 67371265",
    ],
)
def test_spelling(text: str) -> None:
    assert isa.assemble(text) == 0x04040101


@pytest.mark.parametrize(("text", "message"), beside(__file__, "refused")["assembly"].items())
def test_assembly_errors(text: str, message: str) -> None:
    with pytest.raises(isa.IsaError) as error:
        isa.assemble(text)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("word", [-1, 1 << 32, True, 1.0, "0"])
def test_not_a_word(word: Any) -> None:
    for function in (isa.decode, isa.disassemble, isa.to_ttinsn, isa.from_ttinsn):
        with pytest.raises(isa.IsaError, match="is not an unsigned 32-bit word"):
            function(word)


def test_ignored_bits() -> None:
    """A word with ignored bits decodes like the hardware reads it and is shown as it is."""
    decoded = isa.decode(0x04FC3C5F)
    assert decoded.mnemonic == "REPLAY"
    assert dict(decoded.fields) == {"index": 16, "count": 5, "exec": 1, "load": 1}
    assert decoded.ignored == 0x00F83C0C
    assert isa.disassemble(0x04FC3C5F) == ".word 0x04FC3C5F"
    assert isa.disassemble(0x02000001) == ".word 0x02000001"
    # STREAMWAIT's target has ten bits, not eleven (C8); PACR's Concat one, not three (P7)
    assert isa.decode(0xA7007FF0)["target_lo"] == 0x3FF
    assert isa.decode(0x41000070)["concat"] == 1


def test_unknown_word() -> None:
    decoded = isa.decode(0xC0123456)
    assert (decoded.mnemonic, decoded.known, decoded.opcode) == (".word", False, 0xC0)
    assert decoded["word"] == 0xC0123456
    with pytest.raises(isa.IsaError, match="C0123456 is unknown"):
        decoded["index"]


def test_unknown_field_and_profile() -> None:
    with pytest.raises(isa.IsaError, match="MOP has no field 'size'; fields: template, count1"):
        isa.encode("MOP", size=1)
    with pytest.raises(isa.IsaError, match="unknown profile 'whitehole'"):
        isa.encode("MOP", "whitehole")
    with pytest.raises(isa.IsaError, match="unknown profile 'whitehole'"):
        isa.decode(0, "whitehole")


# --- words whose meaning the specification states

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


# --- what reports say of words

NAMELESS = next(op for op in range(256) if assigned()[op] and not isa.decode(op << 24).known)

EXPLAINED = {
    0x5160000B: "SETADCXY 3, 0, 0, 0, 0, 11",
    0x02000001: "NOP with ignored bits set",
    0x43000007: "baseline, wormhole: UNPACR_NOP_SETDVALID 0; "
    "blackhole: UNPACR_NOP_POP_STREAM 0, 0, 0, 0, 0, 0",
    NAMELESS << 24: "no mnemonic",
    0xFF000000: "unassigned opcode",
}


STREAMS = [
    (name, stream)
    for name in block_names()
    for stream, layout in load_block(name).stream_table.items()
    if any(field.name == "word" for field in layout.fields)
]
"""Streams that have words, with their blocks; not every block has one."""


@pytest.mark.parametrize(("word", "text"), EXPLAINED.items(), ids=lambda value: f"{value}")
def test_words_are_explained(word: int, text: str) -> None:
    assert isa.explain_word(word) == text


@pytest.mark.parametrize(("name", "stream"), STREAMS)
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


# -- how ``tests/host/encodings.py`` tells encodings that ship from ``isa``, without the library


SHIPPED = beside(__file__, "shipped")


def test_what_differs(tmp_path: Path) -> None:
    found = list(of_words("blackhole", SHIPPED["words"]))
    assert set(SHIPPED["differ"]) <= set(found)
    assert not any(line.startswith("NOP: ") for line in found)
    assert list(places(SHIPPED["defines"])) == ["SRCA_SET_Base", "OTHER_NAME", "SRCB_SET_Base"]
    for _, defines in CHIPS.values():
        (tmp_path / defines).parent.mkdir(parents=True)
        (tmp_path / defines).write_text(SHIPPED["defines"])
    both = dict.fromkeys(CHIPS, SHIPPED["words"])
    found = list(differences(both, tmp_path))
    where = "Thread 6, bit 0, mask 3, there Config 6, bit 0, mask 3"
    assert f"blackhole register SRCB_SET_Base: {where}" in found
    assert f"wormhole register SRCB_SET_Base: {where.partition('there')[0]}there nowhere" in found
    assert not any("blackhole register SRCA_SET_Base:" in line for line in found)
    assert not any("STATE_RESET_EN" in line for line in found)  # there by another name
    lines = problems(both, tmp_path)
    assert "blackhole ZEROSRC: not there" in lines  # a new one
    assert r"\w+ SFP\w+: .* is in params: 0 lines, checksum 0x00000000:" in lines  # known and gone
