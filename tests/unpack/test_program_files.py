# SPDX-License-Identifier: Apache-2.0
"""Programs of the unpackers in text files: the format, and every bad line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilepath.sequences.program_text import program_names
from tilepath.sequences.unpack import TESTS
from tilepath.sequences.unpack.programs import DIRECTORY, ProgramError, load_program
from tilepath.tb.kernel.description.player import Items
from tilepath.tb.unpack import items as layout

PROGRAMS = ("add1", "matmul")


def load(tmp_path: Path, *lines: str) -> dict[str, Items]:
    path = tmp_path / "a.tt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return dict(load_program(path, "baseline").players)


def test_the_programs_are_tests() -> None:
    assert program_names(DIRECTORY) == PROGRAMS
    for name in PROGRAMS:
        assert TESTS[name].kind == "program" and not TESTS[name].endless


@pytest.mark.parametrize("profile", ["baseline", "blackhole"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_seeds_words(name: str, profile: str) -> None:
    players = load_program(DIRECTORY / f"{name}.tt", profile).players
    words = players["t0.issue"][:, 3].tolist()
    # start-up: counters 0, X1 of a face (seed 11.1)
    assert words[:3] == [0x5160000B, 0x5460000F, 0x5E23FC00]
    assert players["t0.setc16"][:, 3].tolist()[:4] == [0x50004, 0x290000, 0x290101, 0x290000]
    unpacr = {word for word in words if word >> 24 == 0x42}
    face = {"add1": {0x420080C1, 0x428080C1}, "matmul": {0x420000C1, 0x428000C1}}
    assert unpacr == face[name]


def test_setc16_keeps_its_place_in_the_thread(tmp_path: Path) -> None:
    players = load(
        tmp_path, "thread 1", "420000C1", "ttsetc16 41,257", "ttsetc16 5,4", "420000C1", "end"
    )
    own, port = players["t1.issue"], players["t1.setc16"]
    assert port[:, 3].tolist() == [41 << 16 | 257, 5 << 16 | 4]
    assert port[:, 1].tolist() == [int(layout.after_issue(1, 1))] * 2
    assert own[:, 1].tolist() == [0, int(layout.after_setc16(1, 2))]


def test_waits_and_gaps(tmp_path: Path) -> None:
    players = load(
        tmp_path,
        "config", "write 76 1", "write 77 2",
        "thread 0", "wait config", "wait l1 3", "wait idle 0x21", "gap 7", "420000C1",
        "config", "wait issue 0", "wait issue 0 9", "add 77 5",
        "matrix", "wait matrix 0", "read 5 2",
        "end",
    )  # fmt: skip
    (word,) = players["t0.issue"]
    after = layout.after_cfg(2), layout.after_l1_write(3)
    assert word.tolist() == [7 | 0x21 << 17, *map(int, after), 0x420000C1]
    added = players["cfg"][2].tolist()
    assert added[1:5] == [int(layout.after_issue(0, 9)), 0, 77 | 1 << 8, 7]
    assert (players["matrix"][:, 3] >> 5 & 0x3FF).tolist() == [5, 6]


def test_take_reads_and_releases(tmp_path: Path) -> None:
    rows = load(tmp_path, "matrix", "take B 3", "end")["matrix"]
    wait, toggle, follow = 1 << 15, 1 << 16, 1 << 17
    reads = [layout.SRCB << 2 | row << 5 | wait | follow for row in range(3)]
    release = layout.RELEASE | layout.SRCB << 2 | wait | toggle | follow
    assert rows[:, 3].tolist() == [*reads, release]


def test_tiles_keep_what_is_in_the_same_64_bytes(tmp_path: Path) -> None:
    rows = load(tmp_path, "l1", "tile 0x100 bfp2 1", "tile 0x250 bf16 2", "end")["l1_write"]
    # 16 + 64 + 256 bytes from 0x100 on: the second tile begins right behind the first one
    last, first = rows[rows[:, 3] == 0x240 // 16][:, 4:]
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
    ("thread 0\nwait idle 64", "six bits"),
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
        load(tmp_path, lines, "end")
    assert why in str(error.value)
