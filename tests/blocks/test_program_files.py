# SPDX-License-Identifier: Apache-2.0
"""Programs in text files: what all formats share, bad lines, the formats of pack and unpack."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from numpy.typing import NDArray

from tilepath.engine.description.player import Items
from tilepath.engine.description.registry import load_block, tests_of
from tilepath.engine.description.waiting import CONDITION
from tilepath.engine.stimulus.checks import check_items
from tilepath.engine.text import TextError
from tilepath.isa import profiles
from tilepath.tb.pack.streams import HOLDING
from tilepath.tb.unpack import items as layout
from tilepath.tests.stimulus.program_helpers import FILES, load

REFUSED: Final = tomllib.loads(Path(__file__).with_name("refused.toml").read_text())
COUNTS: Final = {"control": 6, "frontend": 8, "pack": 2, "unpack": 2}
WORD: Final = "5E23FC00"  # which goes to every block
MOST: Final = dict.fromkeys(FILES, 100_000) | {"frontend": 1_000_000}  # operations
CUT: Final = {
    "control": ("tile", 23), "frontend": ("sfpu_add", 7), "pack": ("add1", 23),
    "unpack": ("add1", 23),
}  # fmt: skip

each_block = pytest.mark.parametrize("block", FILES)


@each_block
def test_the_programs_are_tests(block: str) -> None:
    names, tests = FILES[block].names(), tests_of(block)
    assert len(names) == COUNTS[block]
    for name in names:
        assert tests[name].kind == "program" and not tests[name].endless


@pytest.mark.parametrize(("block", "name"), [(b, name) for b in FILES for name in FILES[b].names()])
@pytest.mark.parametrize("profile", profiles.names())
def test_programs_load(block: str, name: str, profile: str) -> None:
    program = FILES[block].load(name, profile)
    assert program.name == name and program.players
    for player, items in program.players.items():
        check_items(load_block(block).player_table[player], items)


WHOLE: Final = f"thread 0\n{WORD}\n"


@pytest.mark.parametrize(
    ("block", "lines", "why"),
    [(block, *row) for block in FILES for row in REFUSED[block].items()]
    + [(block, WHOLE + row, why) for row, why in REFUSED["every_block"].items() for block in FILES],
)
def test_bad_lines(block: str, lines: str, why: str, tmp_path: Path) -> None:
    """The last line is the bad one, and it is named in one line."""
    with pytest.raises(TextError) as error:
        load(block, tmp_path, f"{lines}  # bad", "end")
    message = str(error.value)
    assert message.startswith(f"{tmp_path / 'a.tt'}:{lines.count(chr(10)) + 1}:1: ")
    assert why in message and "\n" not in message


@each_block
@pytest.mark.parametrize(
    ("times", "why"),
    [("0", "at least"), ("x", "'x'"), ("", "1 num"), ("2 3", "1 num"), ("1000001", "at most")],
)
def test_bad_repeats_are_named(block: str, tmp_path: Path, times: str, why: str) -> None:
    with pytest.raises(TextError, match=rf"a\.tt:2:1: .*{why}"):
        load(block, tmp_path, "thread 0", f"repeat {times}", WORD, "endrepeat", "end")


@each_block
@pytest.mark.parametrize(
    ("lines", "number", "says"),
    [
        (("thread 0", WORD), 2, "truncated"),
        (("thread 0", WORD, "", "# end"), 4, "truncated"),
        (("",), 1, "truncated"),
        (("thread 0", WORD, "en"), 3, "truncated"),
        (("thread 0", WORD, "end", WORD, "end"), 4, "follows"),
        (("thread 0", WORD, "end of program"), 3, "end takes nothing"),
        ((WORD, "end"), 1, "no (section|thread)"),
        (("thread 0", "end"), 2, "does nothing"),
        (("end",), 1, "does nothing"),
    ],
)
def test_files_that_are_not_whole(
    block: str, tmp_path: Path, lines: tuple[str, ...], number: int, says: str
) -> None:
    with pytest.raises(TextError, match=says) as caught:
        load(block, tmp_path, *lines)
    assert str(caught.value).startswith(f"{tmp_path / 'a.tt'}:{number}:1: ")


@each_block
def test_every_truncation_of_a_program_is_found(block: str, tmp_path: Path) -> None:
    name, step = CUT[block]
    text = FILES[block].path(name).read_text(encoding="utf-8")
    path = tmp_path / "cut.tt"
    for length in range(0, len(text.rstrip()), step):
        path.write_text(text[:length], encoding="utf-8")
        with pytest.raises(TextError, match=r"cut\.tt:\d+:1: "):
            FILES[block].load(path, "baseline")


@each_block
def test_endless_repeats_are_stopped(
    block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert FILES[block].loader.max_items == MOST[block]
    monkeypatch.setattr(FILES[block].loader, "max_items", 5000)  # saves a minute
    nested = ("repeat 1000", "repeat 1000", "repeat 1000", WORD, *["endrepeat"] * 3)
    with pytest.raises(TextError, match="more than 5000 operations"):
        load(block, tmp_path, "thread 0", *nested, "end")


@each_block
def test_empty_and_deep_repeats_are_stopped(block: str, tmp_path: Path) -> None:
    most = MOST[block]
    empty = (f"repeat {most}", f"repeat {most}", "endrepeat", "endrepeat")
    with pytest.raises(TextError, match=f"more than {most} operations"):
        load(block, tmp_path, "thread 0", *empty, "end")
    deep = (*["repeat 1"] * 2000, WORD, *["endrepeat"] * 2000)
    with pytest.raises(TextError, match="more than 21 blocks in one another"):
        load(block, tmp_path, "thread 0", *deep, "end")


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
