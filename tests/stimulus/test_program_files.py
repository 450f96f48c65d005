# SPDX-License-Identifier: Apache-2.0
"""Programs in text files, of every block that has some: the files, and what all formats share."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.engine.description import registry
from tilepath.engine.stimulus.checks import check_items
from tilepath.engine.stimulus.program_text import ProgramError
from tilepath.tests.stimulus.helpers import PROFILES
from tilepath.tests.stimulus.program_helpers import FILES, assert_refused, load

NAMES: Final = {
    "control": (
        "context_pingpong", "matmul_unpack", "pack_address", "pack_protocol", "tile",
        "unpack_start",
    ),
    "frontend": (
        "add1", "math", "matmul", "matmul_seed", "pack", "replay_standalone", "sfpu_add", "unpack",
    ),
    "pack": ("add1", "matmul"),
    "unpack": ("add1", "matmul"),
}  # fmt: skip

WORD: Final = "5E23FC00"  # which goes to every block
MOST: Final = dict.fromkeys(NAMES, 100_000) | {"frontend": 1_000_000}  # operations
CUT: Final = {
    "control": ("tile", 23), "frontend": ("sfpu_add", 7), "pack": ("add1", 23),
    "unpack": ("add1", 23),
}  # fmt: skip

each_block = pytest.mark.parametrize("block", FILES)


@each_block
def test_the_programs_are_tests(block: str) -> None:
    assert FILES[block].names() == NAMES[block]
    tests = registry.tests_of(block)
    for name in NAMES[block]:
        assert tests[name].kind == "program" and not tests[name].endless


@pytest.mark.parametrize(("block", "name"), [(b, name) for b in NAMES for name in NAMES[b]])
@pytest.mark.parametrize("profile", PROFILES)
def test_programs_load(block: str, name: str, profile: str) -> None:
    program = FILES[block].load(name, profile)
    assert program.name == name and program.players
    for player, items in program.players.items():
        check_items(registry.load_block(block).player_table[player], items)


@each_block
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("frobnicate 1", "FROBNICATE"),
        ("ttincadcxy 1,2", "INCADCXY"),
        ("ttincadcxy 8,0,0,0,0", "fit"),
        ("2600000", "2600000"),
        ("gap", "gap takes"),
        ("gap soon", "'soon'"),
        ("thread 3", "no thread 3"),
        ("thread", "thread takes"),
        ("endrepeat", "without repeat"),
        ("repeat 2", "without endrepeat"),
        ("repeat\nendrepeat", "repeat takes one number"),
    ],
)
def test_bad_lines_are_named(block: str, tmp_path: Path, text: str, says: str) -> None:
    assert_refused(block, tmp_path, text, says, WORD)


@each_block
@pytest.mark.parametrize("times", ["0", "x", "", "2 3", "1000001"])
def test_bad_repeats_are_named(block: str, tmp_path: Path, times: str) -> None:
    with pytest.raises(ProgramError, match=r"a\.tt:2: "):
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
    with pytest.raises(ProgramError, match=says) as caught:
        load(block, tmp_path, *lines)
    assert str(caught.value).startswith(f"{tmp_path / 'a.tt'}:{number}: ")


@each_block
def test_every_truncation_of_a_program_is_found(block: str, tmp_path: Path) -> None:
    name, step = CUT[block]
    text = FILES[block].path(name).read_text(encoding="utf-8")
    path = tmp_path / "cut.tt"
    for length in range(0, len(text.rstrip()), step):
        path.write_text(text[:length], encoding="utf-8")
        with pytest.raises(ProgramError, match=r"cut\.tt:\d+: "):
            FILES[block].load(path, "baseline")


@each_block
def test_endless_repeats_are_stopped(
    block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert FILES[block].loader.max_items == MOST[block]
    monkeypatch.setattr(FILES[block].loader, "max_items", 5000)  # saves a minute
    nested = ("repeat 1000", "repeat 1000", "repeat 1000", WORD, *["endrepeat"] * 3)
    with pytest.raises(ProgramError, match="more than 5000 operations"):
        load(block, tmp_path, "thread 0", *nested, "end")


@each_block
def test_empty_and_deep_repeats_are_stopped(block: str, tmp_path: Path) -> None:
    most = MOST[block]
    empty = (f"repeat {most}", f"repeat {most}", "endrepeat", "endrepeat")
    with pytest.raises(ProgramError, match=f"more than {most} operations"):
        load(block, tmp_path, "thread 0", *empty, "end")
    deep = (*["repeat 1"] * 2000, WORD, *["endrepeat"] * 2000)
    with pytest.raises(ProgramError, match="nested more than"):
        load(block, tmp_path, "thread 0", *deep, "end")


@each_block
def test_unreadable_files_are_named(block: str, tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match=r"none\.tt:0: cannot be read"):
        FILES[block].load(tmp_path / "none.tt", "baseline")
    binary = tmp_path / "binary.tt"
    binary.write_bytes(b"thread 0\n\xff\xfe\nend\n")
    with pytest.raises(ProgramError, match=r"binary\.tt:0: cannot be read: it is not UTF-8"):
        FILES[block].load(binary, "baseline")
