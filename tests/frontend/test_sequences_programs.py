# SPDX-License-Identifier: Apache-2.0
"""Programs in text files: those that come with the project, the format, and every bad line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilepath.models.frontend import FunctionalThread
from tilepath.sequences.frontend import TESTS, checks
from tilepath.sequences.frontend.programs import (
    DIRECTORY,
    ProgramError,
    load_program,
    program_names,
)
from tilepath.tb.frontend import items as layout
from tilepath.tb.frontend.streams import CORE
from tilepath.tb.kernel.description.packing import Items

PROGRAMS = (
    "add1",
    "math",
    "matmul",
    "matmul_seed",
    "pack",
    "replay_standalone",
    "sfpu_add",
    "unpack",
)


def load(tmp_path: Path, *lines: str, profile: str = "baseline") -> dict[str, Items]:
    path = tmp_path / "a.tt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return dict(load_program(path, profile).players)


def issued(items: Items) -> list[int]:
    words: list[int] = []
    writes: list[tuple[int, int, int]] = []
    found = CORE.unpack(items)
    for push, write, index, word, data in zip(
        *(found[name].tolist() for name in ("push", "mopcfg", "index", "word", "data")), strict=True
    ):
        if write:
            writes.append((len(words), index, data))
        if push:
            words.append(word)
    return [int(word) for word in FunctionalThread().feed(words, writes)]


def test_the_programs_are_tests() -> None:
    assert program_names() == PROGRAMS
    for name in PROGRAMS:
        assert TESTS[name].kind == "program" and not TESTS[name].endless


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("profile", ["baseline", "blackhole"])
def test_programs_load_and_keep_the_default_constraints(name: str, profile: str) -> None:
    program = load_program(DIRECTORY / f"{name}.tt", profile)
    assert program.name == name
    for player, items in program.players.items():
        checks.check_items(player, items)
        if player.endswith("core"):
            assert checks.unguarded_writes(items) == 0
            assert checks.faulty_words(items) == 0


@pytest.mark.parametrize(
    ("name", "thread", "count"),
    [
        ("replay_standalone", 1, 35),
        ("sfpu_add", 1, 3 * 128),
        ("math", 1, 8 * 66),
        ("matmul_seed", 1, 16 + 6 * 49),
    ],
)
def test_programs_issue_as_many_words_as_the_seeds_say(name: str, thread: int, count: int) -> None:
    items = load_program(DIRECTORY / f"{name}.tt", "baseline").players[f"t{thread}.core"]
    assert len(issued(items)) == count


def test_matmul_unpacks_multiplies_and_packs() -> None:
    players = load_program(DIRECTORY / "matmul.tt", "baseline").players
    opcodes = [{word >> 24 for word in issued(players[f"t{t}.core"])} for t in range(3)]
    assert 0x42 in opcodes[0] and 0x26 in opcodes[1] and 0x41 in opcodes[2]


def test_every_operation(tmp_path: Path) -> None:
    players = load(
        tmp_path,
        "# a comment",
        "thread 1",
        "ttreplay 16,16,0,1   # record",
        "26000000",
        "0x26004000",
        "gap 4",
        "MOPCFG 0 127",
        "mopcfg 5 ttreplay 16,16,0,0",
        "sync",
        "sync background",
        "brisc gap 3",
        "brisc ttnop",
        "brisc unsafe 60000000",
        "stall 30",
        "ready 5",
        "END",
    )
    assert players["t1.core"].tolist() == np.concatenate([
        layout.push([0x04040101, 0x26000000, 0x26004000]),
        layout.mopcfg([0, 5], [127, 0x04040100], [4, 0]),
        layout.sync(),
        layout.sync(background=True),
    ]).tolist()  # fmt: skip
    brisc = [layout.brisc(0x02000000, 3), layout.brisc(0x60000000, safe=False)]
    assert players["t1.brisc"].tolist() == np.concatenate(brisc).tolist()
    assert players["t1.gate"].tolist() == [[30, 0], [5, 1]]
    assert set(players) == {"t1.core", "t1.brisc", "t1.gate"}


def test_numbers(tmp_path: Path) -> None:
    lines = ("mopcfg 1 10", "mopcfg 1 0x10", "mopcfg 1 00000010", "mopcfg 1 0xFFFFFF81")
    items = load(tmp_path, "thread 0", *lines, "end")["t0.core"]
    assert items[:, 2].tolist() == [10, 16, 16, 0xFFFFFF81]


def test_repeats_nest_and_may_change_the_thread(tmp_path: Path) -> None:
    players = load(
        tmp_path,
        "thread 0",
        "repeat 3",
        "02000001",
        "repeat 2",
        "02000002",
        "endrepeat",
        "thread 2",
        "02000003",
        "thread 0",
        "endrepeat",
        "end",
    )
    assert (players["t0.core"][:, 1] & 0xF).tolist() == [1, 2, 2] * 3
    assert (players["t2.core"][:, 1] & 0xF).tolist() == [3] * 3


def test_the_profile_reaches_the_assembler(tmp_path: Path) -> None:
    line = "unpacr_nop_pop_stream 0,0,0,0,0"
    with pytest.raises(ProgramError, match=r"a\.tt:2: "):
        load(tmp_path, "thread 0", line, "end")


BAD = {
    "an unknown instruction": ("frobnicate 1", "FROBNICATE"),
    "too few operands": ("ttreplay 1,2", "REPLAY"),
    "an operand too large": ("ttmop 2,0,0", "fit"),
    "a word with too few digits": ("2600000", "2600000"),
    "a word with too many digits": ("260000000", "260000000"),
    "mopcfg without a word": ("mopcfg 1", "index and a word"),
    "mopcfg index": ("mopcfg 9 1", "no word 9"),
    "mopcfg index that is no number": ("mopcfg x 1", "'x'"),
    "mopcfg word too large": ("mopcfg 1 4294967296", "32 bits"),
    "mopcfg with a bad instruction": ("mopcfg 1 ttreplay 1", "REPLAY"),
    "sync with an argument": ("sync now", "background"),
    "gap without a number": ("gap", "gap takes one number"),
    "gap with two": ("gap 1 2", "gap takes one number"),
    "gap that is no number": ("gap soon", "'soon'"),
    "gap below zero": ("gap -1", "'-1'"),
    "gap too long": ("gap 1000001", "at most"),
    "brisc without a word": ("brisc", "word is missing"),
    "brisc unsafe without a word": ("brisc unsafe", "word is missing"),
    "brisc with a bad word": ("brisc nonsense", "NONSENSE"),
    "brisc gap too long": ("brisc gap 65536", "65535"),
    "stall of no length": ("stall 0", "at least 1"),
    "ready without a length": ("ready", "ready takes one number"),
    "a thread too many": ("thread 3", "no thread 3"),
    "thread without a number": ("thread", "thread takes one number"),
    "endrepeat alone": ("endrepeat", "without repeat"),
    "repeat without an end": ("repeat 2", "without endrepeat"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_lines_are_named(tmp_path: Path, what: str) -> None:
    line, says = BAD[what]
    with pytest.raises(ProgramError) as caught:
        load(tmp_path, "thread 0", "ttnop", "", f"{line}  # bad", "end")
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'a.tt'}:4: ")
    assert says in message and "\n" not in message


@pytest.mark.parametrize("times", ["0", "x", "", "2 3", "1000001"])
def test_bad_repeats_are_named(tmp_path: Path, times: str) -> None:
    with pytest.raises(ProgramError, match=r"a\.tt:2: "):
        load(tmp_path, "thread 0", f"repeat {times}", "ttnop", "endrepeat", "end")


@pytest.mark.parametrize(
    ("lines", "number", "says"),
    [
        (("thread 0", "ttnop"), 2, "truncated"),
        (("thread 0", "ttnop", "", "# end"), 4, "truncated"),
        (("",), 1, "truncated"),
        (("thread 0", "ttnop", "en"), 3, "truncated"),
        (("thread 0", "ttnop", "end", "ttnop", "end"), 4, "follows"),
        (("thread 0", "ttnop", "end of program"), 3, "end takes nothing"),
        (("ttnop", "end"), 1, "no thread"),
        (("thread 0", "end"), 2, "does nothing"),
        (("end",), 1, "does nothing"),
    ],
)
def test_files_that_are_not_whole(
    tmp_path: Path, lines: tuple[str, ...], number: int, says: str
) -> None:
    with pytest.raises(ProgramError, match=says) as caught:
        load(tmp_path, *lines)
    assert str(caught.value).startswith(f"{tmp_path / 'a.tt'}:{number}: ")


def test_every_truncation_of_a_program_is_found(tmp_path: Path) -> None:
    text = (DIRECTORY / "sfpu_add.tt").read_text(encoding="utf-8")
    path = tmp_path / "cut.tt"
    for length in range(0, len(text.rstrip()), 7):
        path.write_text(text[:length], encoding="utf-8")
        with pytest.raises(ProgramError, match=r"cut\.tt:\d+: "):
            load_program(path, "baseline")


def test_endless_repeats_are_stopped(tmp_path: Path) -> None:
    nested = ("repeat 1000", "repeat 1000", "repeat 1000", "ttnop", *["endrepeat"] * 3)
    with pytest.raises(ProgramError, match="more than 1000000 operations"):
        load(tmp_path, "thread 0", *nested, "end")


def test_empty_and_deep_repeats_are_stopped(tmp_path: Path) -> None:
    empty = ("repeat 1000000", "repeat 1000000", "endrepeat", "endrepeat")
    with pytest.raises(ProgramError, match="more than 1000000 operations"):
        load(tmp_path, "thread 0", *empty, "end")
    with pytest.raises(ProgramError, match="nested more than"):
        load(tmp_path, "thread 0", *["repeat 1"] * 2000, "ttnop", *["endrepeat"] * 2000, "end")


def test_unreadable_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match=r"none\.tt:0: cannot be read"):
        load_program(tmp_path / "none.tt", "baseline")
    binary = tmp_path / "binary.tt"
    binary.write_bytes(b"thread 0\n\xff\xfe\nend\n")
    with pytest.raises(ProgramError, match=r"binary\.tt:0: cannot be read: it is not UTF-8"):
        load_program(binary, "baseline")


def test_items_are_arrays_of_their_own(tmp_path: Path) -> None:
    players = load(tmp_path, "thread 0", "ttnop", "stall 3", "end")
    assert all(isinstance(items, np.ndarray) for items in players.values())
