# SPDX-License-Identifier: Apache-2.0
"""Which row in which cycle, pauses, races."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilepath import isa
from tilepath.isa.boundary.standin import BOUNDARY
from tilepath.tests.standin.port_memory import Given, Memory

T = 3  # issued
S = T + 1
FLAGS = [fault.name for fault in BOUNDARY.faults_of("fault")]


def issue(word: int, cycle: int = T, thread: int = 1) -> Given:
    return cycle, "issue", {"thread": thread, "word": word}


def flags(memory: Memory) -> list[list[str]]:
    return [
        [name for bit, name in enumerate(FLAGS) if int(fault["flags"]) >> bit & 1]
        for fault in memory.found["fault"]
    ]


def reads(memory: Memory, bit: int) -> list[int]:
    return [int(c["cycle"]) - S for c in memory.found["matrix"] if c["read"] >> bit & 1]


@pytest.mark.parametrize(
    ("word", "cycles", "a", "b", "d", "writes"),
    [
        (isa.encode("SETRWC"), 1, [], [], [], []),
        (0x25000000, 1, [], [], [], []),
        (isa.encode("MOVA2D"), 2, [0], [], [], [1]),
        (isa.encode("MOVA2D", rows8=1), 9, range(8), [], [], range(1, 9)),
        (isa.encode("MOVB2D", movb2d_mode=2), 9, [], range(8), [], range(1, 9)),
        (
            isa.encode("MOVB2D", movb2d_mode=4, dest_32b_lo=1),
            5,
            [],
            range(4),
            range(4),
            range(1, 5),
        ),
        (isa.encode("MOVD2A", rows4=1), 5, [], [], range(4), range(1, 5)),
        (isa.encode("MOVB2A", rows4=1), 5, [], range(4), [], range(1, 5)),
        (isa.encode("ELWSUB"), 9, range(8), range(8), range(8), range(1, 9)),
        (isa.encode("MVMUL"), 25, range(16), range(8, 16), range(16, 24), range(17, 25)),
        (isa.encode("GAPOOL"), 21, range(16), range(12, 16), range(16, 20), range(17, 21)),
        (isa.encode("GMPOOL"), 21, range(16), [0], [16], range(17, 21)),
        (isa.encode("TRNSPSRCB"), 32, [], range(16), [], range(16, 32)),
    ],
)
def test_rows_and_cycles(word: int, cycles: int, a: Any, b: Any, d: Any, writes: Any) -> None:
    memory = Memory()
    memory.run([(0, "owner", {"value": 15}), issue(word)], T + cycles + 3)
    assert [reads(memory, bit) for bit in range(3)] == [list(a), list(b), list(d)]
    assert [cycle - S for cycle in memory.cycles("matrix_write")] == list(writes)
    assert memory.cycles("ready") == [0, S, S + cycles]
    assert [(r["cycle"], r["value"]) for r in memory.found["busy"]] == [(S, 2), (S + cycles, 0)]
    memory.check()


def test_pause() -> None:
    """It moves what is behind it, sampling too; what has been read before is kept."""
    memory = Memory()
    given: list[Given] = [
        (0, "owner", {"value": 15}),
        (0, "load", {"target": 0, "bank": 0, "row": 1, "data": 0x7F}),
        (1, "load", {"target": 2, "row": 5, "row_valid": 1, "data": 0x7F}),
        issue(isa.encode("MOVA2D", rows8=1)),
        (S, "pause", {"value": 1}),
        # the last to count: as registered in the sampling cycle
        (S, "t1.setc16", {"index": 1, "value": 16}),
        (S + 1, "pause", {"value": 0}),
        (S + 2, "t1.setc16", {"index": 1, "value": 32}),
        (S + 3, "pause", {"value": 1}),
        (S + 6, "pause", {"value": 0}),
    ]
    memory.run(given, 20)
    assert reads(memory, 0) == [1, 2, 6, 7, 8, 9, 10, 11]
    assert [cycle - S for cycle in memory.cycles("matrix_write")] == [2, 6, 7, 8, 9, 10, 11, 12]
    assert memory.cycles("ready") == [0, S, S + 13]
    assert memory.dst[16:24, 0].tolist() == [0, 0x7F, *[0] * 6]
    memory.check()


def test_eight_rows_are_cleared_one_a_cycle() -> None:
    """Pauses are between them, and a row that is loaded after its turn keeps its bit (M27)."""
    memory = Memory("blackhole")
    loads = [
        (cycle, "load", {"target": 2, "row": 1020, "row_valid": 1}) for cycle in (S - 1, S + 4)
    ]
    pauses = [(S + 3, "pause", {"value": 1}), (S + 5, "pause", {"value": 0})]
    given: list[Given] = [issue(isa.encode("ZEROACC", dst=1020, addr_mode=3)), *loads, *pauses]
    memory.run(sorted(given, key=lambda one: one[0]), 20)
    told = memory.found["matrix"]
    assert [int(row["cycle"]) - S for row in told] == [0, 1, 2, 5, 6, 7, 8, 9]
    assert [int(row["row"]) for row in told] == [*range(1020, 1024), *range(4)]
    assert all(row["zero"] and not row["zero_mode"] and not row["wide"] for row in told)
    assert np.flatnonzero(memory.valid == 0).tolist() == [0, 1, 2, 3, 1021, 1022, 1023]
    assert memory.cycles("ready") == [0, S, S + 10]
    memory.check()


def test_what_happens_at_the_end() -> None:
    memory = Memory()
    memory.run([(0, "owner", {"value": 0b0111}), issue(isa.encode("ELWADD", clear_dvalid=3))], 9)
    assert memory.model.waiting() == ["ELWADD 3, 0, 0, 0, 0 (28C00000) of thread 1: cycle 5 of 9"]
    memory.run([], 10)
    assert memory.model.waiting() == []
    memory_end = S + 8
    release = memory.found["matrix"][-1]
    assert (release["cycle"], release["release"], release["banks"]) == (memory_end, 3, 0)
    assert memory.cycles("matrix_bank") == [memory_end + 1]
    assert memory.cycles("fault") == []
    memory.run([issue(isa.encode("CLEARDVALID", clear_dvalid=3))], 8)
    assert flags(memory) == [["release_owner"]]
    assert memory.found["matrix"][-1]["banks"] == 3
    assert memory.found["fault"][-1]["thread"] == 1
    memory.check()


def test_races_and_stale() -> None:
    memory = Memory()
    memory.run(
        [
            (0, "owner", {"value": 15}),
            issue(isa.encode("ZEROSRC", srca=1, srcb=1)),
            (S, "unpack_zero", {"files": 2}),
            issue(isa.encode("ZEROSRC", srca=1), 10),
            (11, "unpack_zero", {"files": 2}),
            (12, "unpack_zero", {"files": 1}),
            issue(isa.encode("MOVD2B"), 20),
            (22, "pack_read", {"lanes": 15}),
            issue(isa.encode("MOVA2D", dst=3), 30),
            (31, "pack_read", {"lanes": 4, "row": [0, 0, 3, 0]}),
            (32, "pack_read", {"lanes": 4, "row": [3, 0, 2, 0]}),
            issue(isa.encode("MOVA2D", dst=11), 40),
            (42, "pack_read", {"lanes": 4, "wide": 1, "row": [0, 0, 3, 0]}),
            issue(isa.encode("MOVA2D"), 50),
            (50, "stale", {"value": 2}),
            issue(isa.encode("MOVA2D", rows8=1), 60),
            (64, "stale", {"value": 1}),
            (65, "stale", {"value": 0}),
        ],
        80,
    )
    assert flags(memory) == [["zerosrc_race"], ["dst_race"], ["stale"]]
    assert memory.cycles("fault") == [S, 42, 60 + 9]
    assert memory.cycles("hist_clear") == []
    memory.run([issue(0x21000000)], 10)
    assert memory.cycles("hist_clear") == [80 + S]
    memory.check()
