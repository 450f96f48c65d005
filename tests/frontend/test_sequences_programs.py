# SPDX-License-Identifier: Apache-2.0
"""Programs in text files: those that come with the project, and the format."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilepath.engine.text import TextError
from tilepath.sequences.frontend.programs import PROGRAMS
from tilepath.tb.frontend import items as layout
from tilepath.tests.frontend.test_sequences_random import (
    faulty_words,
    issued_by,
    unguarded_writes,
)
from tilepath.tests.stimulus.program_helpers import load


@pytest.mark.parametrize("name", PROGRAMS.names())
@pytest.mark.parametrize("profile", ["baseline", "blackhole"])
def test_programs_keep_the_default_constraints(name: str, profile: str) -> None:
    for player, items in PROGRAMS.load(name, profile).players.items():
        if player.endswith("core"):
            assert unguarded_writes(items) == 0
            assert faulty_words(items) == 0


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
    items = PROGRAMS.load(name, "baseline").players[f"t{thread}.core"]
    assert len(issued_by(items, "baseline")) == count


def test_matmul_unpacks_multiplies_and_packs() -> None:
    players = PROGRAMS.load("matmul", "baseline").players
    opcodes = [
        {word >> 24 for word in issued_by(players[f"t{t}.core"], "baseline")} for t in range(3)
    ]
    assert 0x42 in opcodes[0] and 0x26 in opcodes[1] and 0x41 in opcodes[2]


def test_every_operation(tmp_path: Path) -> None:
    players = load(
        "frontend",
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
    items = load("frontend", tmp_path, "thread 0", *lines, "end")["t0.core"]
    assert items[:, 2].tolist() == [10, 16, 16, 0xFFFFFF81]


def test_repeats_nest_and_may_change_the_thread(tmp_path: Path) -> None:
    players = load(
        "frontend",
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
    with pytest.raises(TextError, match=r"a\.tt:2:1: "):
        load("frontend", tmp_path, "thread 0", line, "end")
