# SPDX-License-Identifier: Apache-2.0
"""Programs of the packers in text files: the seed's words, and every bad line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from numpy.typing import NDArray

from tilepath.sequences.kernel.program_text import ProgramError
from tilepath.sequences.pack.programs import PROGRAMS
from tilepath.tb.kernel.description.player import Items
from tilepath.tb.pack.streams import HOLDING, PLAYERS
from tilepath.tests.stimulus.program_helpers import load

PLAYER = {name: player for player in PLAYERS for name in player.instances}


def fields(player: str, players: dict[str, Items]) -> dict[str, NDArray[Any]]:
    return PLAYER[player].unpack(players[player])


@pytest.mark.parametrize("profile", ["baseline", "blackhole"])
@pytest.mark.parametrize("name", PROGRAMS.names())
def test_the_seeds_words(name: str, profile: str) -> None:
    players = PROGRAMS.load(name, profile).players
    words = fields("t2.issue", players)["word"].tolist()
    port = fields("t2.setc16", players)
    assert list(zip(port["index"].tolist(), port["value"].tolist(), strict=True)) == [
        (37, 260), (38, 10272), (39, 4384),
    ]  # fmt: skip
    # ttsetadcxx, ttsetadcxy 4,…,11, ttsetadczw 4,…,15
    assert words[:3] == [0x5E803C00, 0x5180000B, 0x5480000F]
    faces = {"add1": 1, "matmul": 4}[name]
    four = [0x41000000] * 3
    mop = [*four, 0x41010000] * (faces - 1) + [*four, 0x41008001]
    assert [word for word in words if word >> 24 == 0x41] == mop * 4


def test_tiles_of_32_bits_are_two_rows_each(tmp_path: Path) -> None:
    rows = fields("dst_write", load("pack", tmp_path, "dst", "tile 2 int32 1", "end"))
    assert int(rows["count"].sum()) == 128 and rows["row"].min() == 256


def test_waits(tmp_path: Path) -> None:
    players = load(
        "pack", tmp_path,
        "zero", "all", "dst", "wait zero", "tile 0 bf16 1",
        "thread 1", "wait dst", "wait idle 0xF", "41000000",
        "end",
    )  # fmt: skip
    word, rows = fields("t1.issue", players), fields("dst_write", players)
    assert word["idle"].tolist() == [0xF]
    assert word["after_count"].tolist() == [len(rows["row"])]
    assert word["after_source"].tolist() == [1 + HOLDING.sources.index("dst_write")]
    assert rows["after_count"].tolist() == [1] + [0] * (len(rows["row"]) - 1)


BAD = [
    ("41000000", "no section yet"),
    ("thread 2\n42000000", "goes to no port of the packers"),
    ("thread 2\nwait idle 4096", "12 bits"),
    ("thread 2\nwait l1", "wait takes issue, config, dst, zero or idle"),
    ("dst\ntile 16 bf16 1", "0 to 15"),
    ("dst\ntile 8 fp32 1", "0 to 7"),
    ("dst\ntile 0 bf16 65536", "16 bits"),
    ("dst\ntile 0 fp64 1", "no kind 'fp64'"),
    ("dst\ntile 0 bf16", "a place, a kind and a number"),
    ("dst\nhalf 1", "no operation 'half'"),
    ("zero\nhalf 2", "half"),
    ("zero\nall 1", "no operation 'all'"),
    ("config\nread 76", "no operation 'read'"),
]


@pytest.mark.parametrize(("lines", "why"), BAD)
def test_bad_lines(tmp_path: Path, lines: str, why: str) -> None:
    with pytest.raises(ProgramError, match=rf"a\.tt:{lines.count(chr(10)) + 1}: ") as error:
        load("pack", tmp_path, lines, "end")
    assert why in str(error.value)
