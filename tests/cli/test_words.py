# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tilepath.isa import profiles
from tilepath.tests.cli.fakes import printed


@pytest.mark.parametrize("line", ["REPLAY 16,16,0,1", "ttreplay 16,16,0,1", "replay 16 16 0 1"])
def test_asm_prints_the_word_and_its_rotated_form(line: str) -> None:
    text = printed("asm", line)
    assert text.split()[:3] == ["0x04040101", ".ttinsn", "0x10100404"]


def test_asm_takes_several_lines() -> None:
    text = printed("asm", "NOP", "REPLAY 0,1,0,1")
    assert len(text.splitlines()) == 2


def test_disasm_prints_mnemonic_and_fields() -> None:
    text = printed("disasm", "0x04040101")
    for part in ("REPLAY 16, 16, 0, 1", "index=16", "count=16", "exec=0", "load=1"):
        assert part in text


def test_disasm_of_a_rotated_word_and_of_several() -> None:
    text = printed("disasm", "--ttinsn", "0x10100404", "0x10100404")
    assert text.count("0x04040101  REPLAY") == 2


def test_disasm_undoes_asm_in_both_profiles() -> None:
    for profile in profiles.names():
        word = printed("asm", "--profile", profile, "REPLAY 3,7,1,0").split()[0]
        assert "REPLAY 3, 7, 1, 0" in printed("disasm", "--profile", profile, word)


def test_disasm_names_an_unassigned_opcode() -> None:
    text = printed("disasm", "0xff000000")
    assert ".word 0xFF000000" in text
    assert "unassigned" in text


def test_a_word_without_a_rotated_form_says_so() -> None:
    text = printed("asm", ".word 0xff000000")
    assert "no .ttinsn form" in text
