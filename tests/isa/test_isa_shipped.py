# SPDX-License-Identifier: Apache-2.0
"""How ``tests/host/encodings.py`` tells encodings that ship from ``isa``, without the library."""

from __future__ import annotations

from pathlib import Path

from tilepath.tests.host.encodings import CHIPS, differences, of_words, places, problems
from tilepath.tests.tables import beside

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
