# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from tilepath.tests.cli.fakes import invoke


@pytest.mark.parametrize("line", ["REPLAY 16,16,0,1", "ttreplay 16,16,0,1", "replay 16 16 0 1"])
def test_asm_prints_the_word_and_its_rotated_form(line: str) -> None:
    result = invoke("asm", line)
    assert result.exit_code == 0
    assert result.stdout.split()[:3] == ["0x04040101", ".ttinsn", "0x10100404"]


def test_asm_takes_several_lines() -> None:
    result = invoke("asm", "NOP", "REPLAY 0,1,0,1")
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 2


def test_disasm_prints_mnemonic_and_fields() -> None:
    result = invoke("disasm", "0x04040101")
    assert result.exit_code == 0
    for part in ("REPLAY 16, 16, 0, 1", "index=16", "count=16", "exec=0", "load=1"):
        assert part in result.stdout


def test_disasm_of_a_rotated_word_and_of_several() -> None:
    result = invoke("disasm", "--ttinsn", "0x10100404", "0x10100404")
    assert result.exit_code == 0
    assert result.stdout.count("0x04040101  REPLAY") == 2


def test_disasm_undoes_asm_in_both_profiles() -> None:
    for profile in ("baseline", "blackhole"):
        word = invoke("asm", "--profile", profile, "REPLAY 3,7,1,0").stdout.split()[0]
        assert "REPLAY 3, 7, 1, 0" in invoke("disasm", "--profile", profile, word).stdout


def test_disasm_names_an_unassigned_opcode() -> None:
    result = invoke("disasm", "0xff000000")
    assert result.exit_code == 0
    assert ".word 0xFF000000" in result.stdout
    assert "unassigned" in result.stdout


def test_a_word_without_a_rotated_form_says_so() -> None:
    result = invoke("asm", ".word 0xff000000")
    assert result.exit_code == 0
    assert "no .ttinsn form" in result.stdout
