# SPDX-License-Identifier: Apache-2.0
"""Programs in text files: every bad line of a block's own, the formats of pack and unpack."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from numpy.typing import NDArray

from tilepath.engine.description.player import Items
from tilepath.engine.description.registry import load_block
from tilepath.engine.description.waiting import CONDITION
from tilepath.engine.stimulus.program_text import ProgramError
from tilepath.isa import profiles
from tilepath.tb.pack.streams import HOLDING
from tilepath.tb.unpack import items as layout
from tilepath.tests.stimulus.program_helpers import FILES, load

BAD: Final = {
    "control": [
        ("thread 0\nttwrcfg 1,2", "WRCFG"),
        ("thread 0\nttsetc16 256,0", "fit"),
        ("thread 0\ngap", "gap takes 1 number"),
        ("thread 0\ngap 65536", "65535"),
        ("thread 0\nthread 3", "no thread 3"),
        ("thread 0\nthread", "thread takes 1 number"),
        ("thread 0\nwait", "wait takes issue"),
        ("thread 0\nwait rain 1", "wait takes issue"),
        ("thread 0\nwait below 8 1", "semaphore"),
        ("thread 0\nwait below 3", "2 numbers"),
        ("thread 0\nwait issue 3 1", "thread"),
        ("thread 0\nwait issue", "number of a thread"),
        ("thread 0\nwait issue 1 2 3", "one count"),
        ("thread 0\nwait cores 65536", "count"),
        ("thread 0\nwrite 1 2", "WRITE"),
        ("thread 0\ncores\npost 1", "'post'"),
        ("thread 0\ncores\nwrite 1", "2 numbers"),
        ("thread 0\ncores\nread 1024", "address"),
        ("thread 0\nsemaphores\nget 8", "index"),
        ("thread 0\nstreams\nwrite 64 1 1", "stream"),
        ("thread 0\nunits\nshine 3 1", "'shine'"),
        ("thread 0\nunits\ngap 3", "'gap'"),
        ("thread 0\nunits\nforce 3", "two to five"),
        ("thread 0\nunits\nforce 3 0 0 0 0 1", "or eight"),
        ("thread 0\nunits\nforce 3 0 0 0 8", "hold: 0 to 7"),
        ("thread 0\nunits\nforce 0 1", "cycles"),
        ("thread 0\nunits\nwork 10 1 2 3 4 5", "7 numbers"),
        ("thread 0\nunits\nwork 10 1 2 3 4 5 32", "xmov: 0 to 31"),
    ],
    "frontend": [
        ("thread 0\nttreplay 1,2", "REPLAY"),
        ("thread 0\nttmop 2,0,0", "fit"),
        ("thread 0\n260000000", "260000000"),
        ("thread 0\nmopcfg 1", "index and a word"),
        ("thread 0\nmopcfg 9 1", "no word 9"),
        ("thread 0\nmopcfg x 1", "'x'"),
        ("thread 0\nmopcfg 1 4294967296", "32 bits"),
        ("thread 0\nmopcfg 1 ttreplay 1", "REPLAY"),
        ("thread 0\nsync now", "background"),
        ("thread 0\ngap", "gap takes one number"),
        ("thread 0\ngap 1 2", "gap takes one number"),
        ("thread 0\ngap -1", "'-1'"),
        ("thread 0\ngap 1000001", "at most"),
        ("thread 0\nbrisc", "word is missing"),
        ("thread 0\nbrisc unsafe", "word is missing"),
        ("thread 0\nbrisc nonsense", "NONSENSE"),
        ("thread 0\nbrisc gap 65536", "65535"),
        ("thread 0\nstall 0", "at least 1"),
        ("thread 0\nready", "ready takes one number"),
        ("thread 0\nthread", "thread takes one number"),
    ],
    "pack": [
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
    ],
    "unpack": [
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
    ],
}


@pytest.mark.parametrize(
    ("block", "lines", "why"), [(block, *row) for block, rows in BAD.items() for row in rows]
)
def test_bad_lines(block: str, lines: str, why: str, tmp_path: Path) -> None:
    """The last line is the bad one, and it is named in one line."""
    with pytest.raises(ProgramError) as error:
        load(block, tmp_path, lines, "end")
    message = str(error.value)
    assert message.startswith(f"{tmp_path / 'a.tt'}:{lines.count(chr(10)) + 1}: ")
    assert why in message and "\n" not in message


def fields(block: str, player: str, players: Mapping[str, Items]) -> dict[str, NDArray[Any]]:
    """What the items of a player say, and its conditions whole."""
    found = load_block(block).player_table[player].unpack(players[player])
    for name in ("after", "and"):
        if f"{name}_source" in found:
            parts = {part: found[f"{name}_{part}"] for part, _ in CONDITION.bits}
            found[name] = CONDITION.value(**parts)
    return found


_UNPACR = {"add1": {0x420080C1, 0x428080C1}, "matmul": {0x420000C1, 0x428000C1}}
_FOUR = [0x41000000] * 3
_PACRS = {
    name: [*_FOUR, 0x41010000] * n + [*_FOUR, 0x41008001]
    for name, n in (("add1", 0), ("matmul", 3))
}


@pytest.mark.parametrize("profile", profiles.names())
@pytest.mark.parametrize("name", ["add1", "matmul"])
def test_the_seeds_words(name: str, profile: str) -> None:
    players = FILES["unpack"].load(name, profile).players
    words = fields("unpack", "t0.issue", players)["word"].tolist()
    # start-up: counters 0, X1 of a face (seed 11.1)
    assert words[:3] == [0x5160000B, 0x5460000F, 0x5E23FC00]
    port = fields("unpack", "t0.setc16", players)
    assert port["index"].tolist()[:4] == [5, 41, 41, 41]
    assert port["value"].tolist()[:4] == [4, 0, 257, 0]
    assert {word for word in words if word >> 24 == 0x42} == _UNPACR[name]
    players = FILES["pack"].load(name, profile).players
    words = fields("pack", "t2.issue", players)["word"].tolist()
    port = fields("pack", "t2.setc16", players)
    assert port["index"].tolist() == [37, 38, 39]
    assert port["value"].tolist() == [260, 10272, 4384]
    # ttsetadcxx, ttsetadcxy 4,…,11, ttsetadczw 4,…,15
    assert words[:3] == [0x5E803C00, 0x5180000B, 0x5480000F]
    assert [word for word in words if word >> 24 == 0x41] == _PACRS[name] * 4


def test_setc16_keeps_its_place_in_the_thread(tmp_path: Path) -> None:
    lines = ("thread 1", "420000C1", "ttsetc16 41,257", "ttsetc16 5,4", "420000C1", "end")
    players = load("unpack", tmp_path, *lines)
    own, port = (fields("unpack", f"t1.{name}", players) for name in ("issue", "setc16"))
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
    word = {name: some.tolist() for name, some in fields("unpack", "t0.issue", players).items()}
    assert (word["gap"], word["idle"], word["word"]) == ([7], [0x21], [0x420000C1])
    assert word["after"] == [int(layout.after_cfg(2))]
    assert word["and"] == [int(layout.after_l1_write(3))]
    added = {name: some[2].tolist() for name, some in fields("unpack", "cfg", players).items()}
    assert (added["after"], added["and"]) == (int(layout.after_issue(0, 9)), 0)
    assert (added["index"], added["banks"], added["wide"]) == (77, 1, 0)
    assert added["data"] == [7, 0, 0, 0]
    assert fields("unpack", "matrix", players)["row"].tolist() == [5, 6]


def test_take_reads_and_releases(tmp_path: Path) -> None:
    players = load("unpack", tmp_path, "matrix", "take B 3", "end")
    rows = {name: some.tolist() for name, some in fields("unpack", "matrix", players).items()}
    assert rows["read"] == [2, 2, 2, 0] and rows["release"] == [0, 0, 0, 2]
    assert rows["row_b"] == [0, 1, 2, 0]
    assert rows["wait"] == [2] * 4 and rows["follow"] == [1] * 4 and rows["toggle"] == [0, 0, 0, 2]


def test_tiles_keep_what_is_in_the_same_64_bytes(tmp_path: Path) -> None:
    players = load("unpack", tmp_path, "l1", "tile 0x100 bfp2 1", "tile 0x250 bf16 2", "end")
    rows = fields("unpack", "l1_write", players)
    # 16 + 64 + 256 bytes from 0x100 on: the second tile begins right behind the first one
    last, first = rows["data"][rows["line"] == 0x240 // 16]
    assert (last[:4] == first[:4]).all() and first[:4].any() and first[4:].any()


def test_tiles_of_32_bits_are_two_rows_each(tmp_path: Path) -> None:
    rows = fields("pack", "dst_write", load("pack", tmp_path, "dst", "tile 2 int32 1", "end"))
    assert int(rows["count"].sum()) == 128 and rows["row"].min() == 256


def test_waits_of_the_packers(tmp_path: Path) -> None:
    players = load(
        "pack", tmp_path,
        "zero", "all", "dst", "wait zero", "tile 0 bf16 1",
        "thread 1", "wait dst", "wait idle 0xF", "41000000",
        "end",
    )  # fmt: skip
    word, rows = (fields("pack", name, players) for name in ("t1.issue", "dst_write"))
    assert word["idle"].tolist() == [0xF]
    assert word["after_count"].tolist() == [len(rows["row"])]
    assert word["after_source"].tolist() == [1 + HOLDING.sources.index("dst_write")]
    assert rows["after_count"].tolist() == [1] + [0] * (len(rows["row"]) - 1)
