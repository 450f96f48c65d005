# SPDX-License-Identifier: Apache-2.0
"""Programs of the unpackers in text files: the format, and every bad line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from numpy.typing import NDArray

from tilepath.sequences.kernel.program_text import ProgramError
from tilepath.sequences.unpack.programs import PROGRAMS
from tilepath.tb.kernel.description.held import CONDITION
from tilepath.tb.kernel.description.player import Items
from tilepath.tb.unpack import items as layout
from tilepath.tb.unpack.streams import PLAYERS
from tilepath.tests.stimulus.program_helpers import load

PLAYER = {name: player for player in PLAYERS for name in player.instances}


def fields(player: str, players: dict[str, Items]) -> dict[str, NDArray[Any]]:
    """What the items of a player say, and its conditions whole."""
    found = PLAYER[player].unpack(players[player])
    for name in ("after", "and"):
        parts = {part: found[f"{name}_{part}"] for part, _ in CONDITION.bits}
        found[name] = CONDITION.value(**parts)
    return found


@pytest.mark.parametrize("profile", ["baseline", "blackhole"])
@pytest.mark.parametrize("name", PROGRAMS.names())
def test_the_seeds_words(name: str, profile: str) -> None:
    players = PROGRAMS.load(name, profile).players
    words = fields("t0.issue", players)["word"].tolist()
    # start-up: counters 0, X1 of a face (seed 11.1)
    assert words[:3] == [0x5160000B, 0x5460000F, 0x5E23FC00]
    port = fields("t0.setc16", players)
    assert port["index"].tolist()[:4] == [5, 41, 41, 41]
    assert port["value"].tolist()[:4] == [4, 0, 257, 0]
    unpacr = {word for word in words if word >> 24 == 0x42}
    face = {"add1": {0x420080C1, 0x428080C1}, "matmul": {0x420000C1, 0x428000C1}}
    assert unpacr == face[name]


def test_setc16_keeps_its_place_in_the_thread(tmp_path: Path) -> None:
    players = load(
        "unpack",
        tmp_path,
        "thread 1",
        "420000C1",
        "ttsetc16 41,257",
        "ttsetc16 5,4",
        "420000C1",
        "end",
    )
    own, port = fields("t1.issue", players), fields("t1.setc16", players)
    assert port["index"].tolist() == [41, 5] and port["value"].tolist() == [257, 4]
    assert port["after"].tolist() == [int(layout.after_issue(1, 1))] * 2
    assert own["after"].tolist() == [0, int(layout.after_setc16(1, 2))]


def test_waits_and_gaps(tmp_path: Path) -> None:
    players = load(
        "unpack", tmp_path,
        "config", "write 76 1", "write 77 2",
        "thread 0", "wait config", "wait l1 3", "wait idle 0x21", "gap 7", "420000C1",
        "config", "wait issue 0", "wait issue 0 9", "add 77 5",
        "matrix", "wait matrix 0", "read 5 2",
        "end",
    )  # fmt: skip
    word = {name: some.tolist() for name, some in fields("t0.issue", players).items()}
    assert (word["gap"], word["idle"], word["word"]) == ([7], [0x21], [0x420000C1])
    assert word["after"] == [int(layout.after_cfg(2))]
    assert word["and"] == [int(layout.after_l1_write(3))]
    added = {name: some[2].tolist() for name, some in fields("cfg", players).items()}
    assert (added["after"], added["and"]) == (int(layout.after_issue(0, 9)), 0)
    assert (added["index"], added["banks"], added["wide"]) == (77, 1, 0)
    assert added["data"] == [7, 0, 0, 0]
    assert fields("matrix", players)["row"].tolist() == [5, 6]


def test_take_reads_and_releases(tmp_path: Path) -> None:
    players = load("unpack", tmp_path, "matrix", "take B 3", "end")
    rows = {name: some.tolist() for name, some in fields("matrix", players).items()}
    assert rows["read"] == [2, 2, 2, 0] and rows["release"] == [0, 0, 0, 2]
    assert rows["row_b"] == [0, 1, 2, 0]
    assert rows["wait"] == [2] * 4 and rows["follow"] == [1] * 4 and rows["toggle"] == [0, 0, 0, 2]


def test_tiles_keep_what_is_in_the_same_64_bytes(tmp_path: Path) -> None:
    players = load("unpack", tmp_path, "l1", "tile 0x100 bfp2 1", "tile 0x250 bf16 2", "end")
    rows = fields("l1_write", players)
    # 16 + 64 + 256 bytes from 0x100 on: the second tile begins right behind the first one
    last, first = rows["data"][rows["line"] == 0x240 // 16]
    assert (last[:4] == first[:4]).all() and first[:4].any() and first[4:].any()


BAD = [
    ("420000C1", "no section yet"),
    ("thread 3", "there is no thread 3"),
    ("thread 0\nB3000000", "goes to no port"),
    ("thread 0\nttunpacr", "UNPACR takes 13 operands"),
    ("thread 0\nwait config 1 2", "one count at most"),
    ("thread 0\nwait config\nwait l1\nwait matrix", "waits for 2 things at most"),
    ("thread 0\nwait issue 3", "there is no thread 3"),
    ("thread 0\nwait issue", "number of a thread"),
    ("thread 0\nwait for ever", "wait takes"),
    ("thread 0\nwait idle 64", "6 bits"),
    ("thread 0\ngap 65536", "at most"),
    ("config\nwrite 256 1", "index"),
    ("config\nwrite 76", "takes 2 numbers"),
    ("config\nread 76", "no operation 'read'"),
    ("matrix\ntake C 1", "A or B"),
    ("matrix\nread 1023 2", "row"),
    ("l1\ntile 8 bf16 1", "multiple of 16"),
    ("l1\ntile 0x10000000 bf16 1", "inside L1"),
    ("l1\ntile 0 fp64 1", "no kind 'fp64'"),
    ("l1\ntile 0 bf16", "an address, a kind and a number"),
    ("l1\ntile 0 bf16 65536", "16 bits"),
]


@pytest.mark.parametrize(("lines", "why"), BAD)
def test_bad_lines(tmp_path: Path, lines: str, why: str) -> None:
    with pytest.raises(ProgramError, match=rf"a\.tt:{lines.count(chr(10)) + 1}: ") as error:
        load("unpack", tmp_path, lines, "end")
    assert why in str(error.value)
