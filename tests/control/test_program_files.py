# SPDX-License-Identifier: Apache-2.0
"""Programs of the control block in text files: what they do, and the format."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilepath.engine.text import TextError
from tilepath.models.control import ControlState
from tilepath.sequences.control.programs import PROGRAMS
from tilepath.tb.control import items as layout
from tilepath.tests.control import item_fields
from tilepath.tests.stimulus.program_helpers import load


def run(name: str, thread: int) -> ControlState:
    """The state behind one thread's words of a program, by the golden model without time."""
    state = ControlState()
    players = PROGRAMS.load(name, "baseline").players
    for word in players[f"t{thread}.issue"][:, 1].tolist():
        assert not state.execute(thread, word).faults
    return state


def test_matmul_moves_both_base_addresses() -> None:
    state = run("matmul_unpack", 0)
    assert state.config[0, [124, 125]].tolist() == [0x0001_1234 + 8 * 0x400] * 2


def test_pack_address_is_that_of_the_vector() -> None:
    state = run("pack_address", 2)
    assert state.config[0, 69] == 0x8001_2345
    assert state.gpr[2, 12] == 0x0001_2345


def test_the_start_of_the_unpack_thread_merges_bytes_under_a_mutex() -> None:
    state = run("unpack_start", 0)
    assert not state.config[:, :3].any()  # masks without data: bits are cleared
    assert state.thread_config[0, [5, 41]].tolist() == [4, 0]
    assert set(state.mutexes.values()) == {None}


@pytest.mark.parametrize(
    ("name", "semaphore"), [("context_pingpong", 5), ("pack_protocol", 1), ("tile", 5)]
)
def test_posts_and_gets_are_in_balance(name: str, semaphore: int) -> None:
    players = PROGRAMS.load(name, "baseline").players
    mask = 1 << semaphore + 2
    words = [word for p in players if p.endswith("issue") for word in players[p][:, 1].tolist()]
    posts = sum(word >> 24 == 0xA4 and bool(word & mask) for word in words)
    gets = sum(word >> 24 == 0xA5 and bool(word & mask) for word in words)
    if "risc_sem" in players:
        writes = item_fields.rows("risc_sem", players["risc_sem"], "index", "get", "write")
        posts += writes.count([semaphore, 0, 1])
    assert posts == gets > 5


def test_every_operation(tmp_path: Path) -> None:
    text = Path(__file__).with_name("every_operation.tt").read_text()
    players = load("control", tmp_path, *text.splitlines())

    def rows(player: str, *names: str) -> list[list[int]]:
        return item_fields.rows(player, players[player], *names)

    assert rows("t1.issue", "gap", "word", "after") == [
        [0, 0xB00C0045, 0],
        [0, 0xB00C0045, 0],
        [3, 0x02000000, int(layout.after_issue(2, 7))],
    ]
    assert rows("risc", "gap", "write", "address", "data", "after") == [
        [0, 1, 76, 0x1234, 0],
        [4, 0, 77, 0, int(layout.sem_below(5, 2))],
    ]
    assert rows("risc_sem", "gap", "write", "get", "index", "after") == [
        [0, 1, 0, 1, 0],
        [0, 1, 1, 2, int(layout.after_risc(2))],
        [0, 0, 0, 3, int(layout.after_sem(2))],
    ]
    write = [[0, 3, 29, 100, int(layout.sem_above(1, 0))]]
    assert rows("stream", "gap", "stream", "register", "data", "after") == write
    assert players["work"].tolist() == layout.work(10, (0, 1, 2, 3, 4, 31)).tolist()
    forced = item_fields.fields("conditions", players["conditions"])
    assert {name: some.tolist() for name, some in forced.items()} == {
        "cycles": [20, 7, 5], "stream_busy": [0, 1, 0], "stall": [0, 0x3F, 0], "hold": [0, 0, 3],
        "busy0": [0x10, 0, 0x81], "busy1": [0x10, 0, 1], "busy2": [0x10, 0, 0x101],
    }  # fmt: skip
    assert [word & 3 for (word,) in rows("t0.issue", "word")] == [1, 2, 1, 2]
    assert rows("t0.issue", "after")[1::2] == [[int(layout.after_issue(1, 3))]] * 2


def test_counts_grow_as_repeats_run(tmp_path: Path) -> None:
    lines = ("cores", "repeat 3", "read 1", "semaphores", "wait cores", "post 1", "cores")
    players = load("control", tmp_path, *lines, "endrepeat", "end")
    waited = item_fields.after("risc_sem", players["risc_sem"]).tolist()
    assert waited == [int(layout.after_risc(n)) for n in (1, 2, 3)]


def test_levels_alone_do_nothing(tmp_path: Path) -> None:
    with pytest.raises(TextError, match=r"a\.tt:3:1: the program does nothing"):
        load("control", tmp_path, "units", "force 3 1", "end")
