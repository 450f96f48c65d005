# SPDX-License-Identifier: Apache-2.0
"""Expanders, issue, BRISC, mop_sync, queues and qstatus, decision by decision: cycles by hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import pytest

from tilepath.tests.frontend.model_helpers import (
    MOP1,
    NOP,
    Records,
    brisc,
    one_thread,
    pushed,
    replay,
    rows,
)

P, Q, A, B, C, D = (0x26000000 + i for i in range(6))
THREE = [1, 3, NOP, NOP, NOP, A, NOP, B, NOP]  # A A B
WRITTEN = [(n, n, data) for n, data in enumerate(THREE)]
TEN = [(10 + n, A) for n in range(10)]  # R is full after 13, M after 20
RACE, COLLISION = (0, 1, 0), (0, 0, 1)  # flags of a fault, behind illegal

run: Final[Callable[..., Callable[[], dict[str, Records]]]] = partial(partial, one_thread)
at_10: Final = partial(run, start=10)

CASES: Final[dict[str, tuple[Callable[[], dict[str, Records]], dict[str, list[Any]]]]] = {
    # MOP accepted in 20: back to back, the second one is ingested in 24
    "F7: the next MOP sees writes made during an expansion; index 9 writes nothing": (
        run([(20, MOP1), (21, MOP1)], mopcfg=[*WRITTEN, (22, 5, C), (23, 9, 7)]),
        {"mq word": [A, A, B, C, C, B], "fault cycle mopcfg_race": [(22, 1), (23, 1)],
         "sticky cycle mopcfg_race": [(23, 1)]},
    ),
    # the MOP is at the FIFO's head from 21 on
    "F7: a waiting MOP sees later writes": (
        run([*TEN, (20, MOP1)], mopcfg=[*WRITTEN, (30, 5, B)], ready=[(40, 1)]),
        {"mq cycle word": [*((11 + n, A) for n in range(10)), (42, B), (43, B), (44, B)]},
    ),
    "F7: an expansion that a write makes empty needs no room in M": (
        run([*TEN, (20, MOP1), (21, C)], mopcfg=[*WRITTEN, (30, 0, 0)], ready=[(40, 1)]),
        {"ingest cycle word": [(31, MOP1)], "status cycle mop_state": [(32, 2), (33, 0)],
         "mq cycle word": [*((11 + n, A) for n in range(10)), (42, C)]},
    ),
    # 17 words each: 12 to 28 and 29 to 45; MOP_CFG pays TRANS (46) and is popped in 47
    "F8: MaskHi persists and is sampled at ingest": (
        at_10([0x03000001, 0x01100000, 0x01100000, 0x03000000, 0x01100000],
              [0, 0, 0, A, 0, 0, 0, B, 0]),
        {"ingest cycle word": [(11, 0x03000001), (12, 0x01100000), (29, 0x01100000),
                               (47, 0x03000000), (48, 0x01100000)],
         "mq word": [*[*[A] * 16, B] * 2, *[A] * 17]},
    ),
    "F9: front end words in MopCfg are not expanded": (
        at_10([MOP1], [1, 1, MOP1, 0x03001234, NOP, NOP, NOP, A, NOP]),
        {"issue word illegal": [(MOP1, 1), (A, 0), (0x03001234, 1)]},
    ),
    "F11: MOP_CFG is popped without room in M": (
        run([*TEN, (20, 0x0300BEEF), (21, A)], ready=[]),
        {"ingest cycle": [21], "mq cycle": [*range(11, 21)]},
    ),
    # P and Q fill R in 12 and 13; A to D are swallowed in 15 to 18; the last P waits for R
    "F13: recording goes on while R is full": (
        at_10([P, Q, replay(3, 4, 0, 1), A, B, C, D, P], ready=[(40, 1)]),
        {"status cycle replay_state": [(15, 2), (19, 0)],
         "rq cycle word": [(12, P), (13, Q), (41, P)]},
    ),
    "F13: recording with exec waits for R": (
        at_10([P, Q, replay(3, 2, 1, 1), A, B, C], ready=[(40, 1)]),
        {"rq cycle word origin": [(12, P, pushed(0)), (13, Q, pushed(1)), (41, A, pushed(3)),
                                  (42, B, pushed(4)), (43, C, pushed(5))],
         "status cycle replay_state": [(15, 2), (43, 0)]},
    ),
    "F13: REPLAYs are recorded as they are, MOP_CFG is not": (
        at_10([replay(0, 3, 0, 1), replay(0, 2), 0x03001111, A, replay(0, 2), replay(0, 3)]),
        {"issue word illegal": [(replay(0, 2), 1), (A, 0), (replay(0, 2), 1)],
         "status replay_state": [2, 0, 1, 0]},
    ),
    # A is stored in 13; the playing REPLAYs leave M in 14 and 15 without a PLAY state
    "a word stored in one cycle is played in the next": (
        at_10([replay(7, 1, 0, 1), A, replay(7, 1), replay(7, 1)]),
        {"rq cycle word": [(14, A), (15, A)], "status cycle replay_state": [(13, 2), (14, 0)]},
    ),
    "F14: a stored REPLAY that is played is not expanded": (
        at_10([replay(0, 2, 0, 1), replay(1, 5), A, replay(0, 2)]),
        {"issue word illegal origin": [(replay(1, 5), 1, pushed(3)), (A, 0, pushed(3))],
         "fault illegal mopcfg_race collision": [(1, 0, 0)]},
    ),
    # the first is at R's head in 13; A waits for issue_ready, and the word behind A with it
    "F17: an illegal word leaves at once": (
        at_10([0xFF123456, A, 0xC0000000], ready=[(30, 1)]),
        {"issue cycle word illegal origin": [
            (13, 0xFF123456, 1, pushed(0)), (30, A, 0, pushed(1)), (31, 0xC0000000, 1, pushed(2)),
         ],
         "fault cycle illegal mopcfg_race collision origin": [
            (13, 1, 0, 0, pushed(0)), (31, 1, 0, 0, pushed(2)),
         ],
         "sticky cycle": []},
    ),
    "F18: BRISC wins, and the expander's word is lost": (
        at_10([P, Q], brisc=[(11, C)]),
        {"mq cycle word origin": [(11, C, brisc(0)), (12, Q, pushed(1))],
         "brisc_accept cycle origin": [(11, brisc(0))],
         "issue cycle word origin": [(13, C, brisc(0)), (14, Q, pushed(1))],
         "fault cycle illegal mopcfg_race collision origin": [(11, *COLLISION, pushed(0))],
         "sticky cycle mopcfg_race collision": [(12, 0, 1)]},
    ),
    # ingest 11: the words of 11 and 13 are lost, states and timing are those of the full run
    "F18: collisions inside an expansion": (
        at_10([MOP1, Q], THREE, brisc=[(11, C), (13, D)]),
        {"mq cycle word": [(11, C), (12, A), (13, D), (15, Q)],
         "status cycle mop_state": [(12, 1), (14, 2), (15, 0)],
         "fault cycle collision": [(11, 1), (13, 1)]},
    ),
    # 10: before the ingest; 14: TRANS; 16: behind Q
    "F18: no collision without an emission": (
        at_10([MOP1, Q], THREE, brisc=[(10, C), (14, D), (16, D)]),
        {"mq cycle": [*range(10, 17)], "fault cycle": []},
    ),
    # pop of R in 40, of M in 41, room in 42: BRISC and the eleventh word want it, BRISC gets it
    "F18: BRISC waits for room in M": (
        run([*TEN, (20, A)], ready=[(40, 1), (41, 0)], brisc=[(25, C)]),
        {"brisc_accept cycle": [42], "mq cycle word": [*((11 + n, A) for n in range(10)), (42, C)],
         "fault cycle collision origin": [(42, 1, pushed(10))]},
    ),
    "F18: a MOP of BRISC is illegal, a REPLAY works": (
        run([], THREE, brisc=[(10, MOP1), (11, 0x03000007), (12, replay(0, 1, 0, 1)), (13, A),
                              (14, replay(0, 1))]),
        {"issue cycle word illegal origin": [
            (12, MOP1, 1, brisc(0)), (13, 0x03000007, 1, brisc(1)), (16, A, 0, brisc(4)),
         ],
         "ingest cycle": [], "fault illegal": [1, 1]},
    ),
    # word 0 is retired in 14; the MOP of 12 is EXP; BRISC collides with its word
    "faults of one cycle share a record": (
        run([(11, 0), (12, MOP1)], mopcfg=[*WRITTEN, (14, 0, 1)], brisc=[(14, C)]),
        {"fault cycle illegal mopcfg_race collision origin": [(14, 1, 1, 1, pushed(0))],
         "sticky cycle mopcfg_race collision": [(15, 1, 1)]},
    ),
    # two in R, eight in M, 32 in the FIFO; then issue 100, M pop 101, FIFO pop 102, room 103
    "F19, F20: depths": (
        at_10([A] * 60, ready=[(100, 1)]),
        {"accept cycle": [*range(10, 52), *range(103, 121)], "issue cycle": [*range(100, 160)]},
    ),
    "issue follows ready": (
        at_10([A] * 4, ready=[(0, 1), (13, 0), (15, 1), (16, 0), (20, 1)]),
        {"issue cycle": [15, 20, 21, 22]},
    ),
    # 21 to 23, 24 to 26 and 27 to 29; MOP_CFG and plain words do not count
    "F21: mop_sync waits for every MOP in the FIFO": (
        run([(20, MOP1), (21, MOP1), (22, MOP1), (23, 0x03000000), (24, A)], THREE,
            sync=[(22,), (31,), (32,)]),
        {"sync_ack cycle": [30, 31, 32]},
    ),
    # room in M in 42 for the eleventh word; the empty MOP behind it is popped in 43
    "F21: a MOP behind blocked words holds the acknowledge": (
        run([*TEN, (20, A), (21, MOP1)], [0] * 9, sync=[(30,)], ready=[(40, 1)]),
        {"ingest cycle": [43], "sync_ack cycle": [44]},
    ),
    "F22: a REPLAY that only records does not count": (
        at_10([replay(0, 2, 0, 1), NOP, NOP]), {"qstatus cycle": []},
    ),
    # FIFO 11, M 12, REC 13 and 14
    "F22: with exec it does": (
        at_10([replay(0, 2, 1, 1), NOP, NOP]),
        {"qstatus cycle value": [(12, 1 | 1 << 13), (16, 0)]},
    ),
    # FIFO 16, M 17, PLAY 18 to 20
    "F22: one that plays does": (
        at_10([replay(0, 4, 0, 1), *[NOP] * 4, replay(0, 4)]),
        {"qstatus cycle value": [(17, 1 | 1 << 13), (22, 0)]},
    ),
    "F22: one that is recorded does in FIFO and M": (
        at_10([replay(0, 1, 0, 1), replay(0, 4)]),
        {"qstatus cycle value": [(13, 1 | 1 << 13), (15, 0)]},
    ),
    "F22: neither MOP_CFG nor raw MOPs in M": (
        at_10([0x03001234], brisc=[(11, MOP1)]), {"qstatus cycle": []},
    ),
    "F22: lost words count until lost": (
        at_10([A], brisc=[(11, NOP)]),
        {"qstatus cycle value": [(12, 1 << 10 | 1 << 23), (13, 0)]},
    ),
    "F22: sfpu_cc, and what other threads see": (
        at_10([A], sfpu_cc=[(0, 1), (1, 0), (12, 1)]),
        {"qstatus cycle value": [
            (1, 0x0100_0800), (2, 0), (12, 0x0080_0400), (13, 0x0180_0C00), (15, 0x0100_0800),
         ],
         "t1.qstatus cycle value": [
            (1, 0x0100_0800), (2, 0), (12, 0x0080_0000), (13, 0x0180_0800), (15, 0x0100_0800),
         ]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_decision(name: str) -> None:
    make, expected = CASES[name]
    out = make()
    for columns, want in expected.items():
        stream, *fields = columns.split()
        found = rows(out[stream], *fields)
        assert found == [row if isinstance(row, tuple) else (row,) for row in want], columns


@pytest.mark.parametrize(("cycle", "used", "race"), [
    (19, C, 0), (20, C, 0), (21, A, 0), (22, A, 1), (23, A, 1), (24, A, 0),
])  # fmt: skip
def test_f7_snapshot_and_race(cycle: int, used: int, race: int) -> None:
    # MOP accepted in 20, ingested in 21, EXP in 22 and 23, TRANS in 24.
    out = one_thread([(20, MOP1)], mopcfg=[*WRITTEN, (cycle, 5, C)])
    assert rows(out["mq"], "cycle", "word") == [(21, used), (22, used), (23, B)]
    pulses = rows(out["fault"], "cycle", "illegal", "mopcfg_race", "collision", "origin")
    assert pulses == [(cycle, *RACE, pushed(0))] * race
    assert rows(out["sticky"], "cycle", "mopcfg_race", "collision") == [(cycle + 1, 1, 0)] * race


@pytest.mark.parametrize(("profile", "count"), [("baseline", 64), ("blackhole", 32)])
def test_f15_counts(profile: str, count: int) -> None:
    play = at_10([replay(30, 0)], profile=profile, cycles=300)()
    assert rows(play["status"], "cycle", "replay_state") == [(13, 1), (12 + count, 0)]
    # Slots never written hold word 0, which has an unassigned opcode.
    assert rows(play["issue"], "word", "illegal") == [(0, 1)] * count
    load = at_10([replay(30, 0, 0, 1), *[A] * 70], profile=profile, cycles=300)()
    assert len(load["issue"]) == 70 - count
    above = at_10([replay(0, 33), replay(0, 63)], profile=profile, cycles=300)()
    assert len(above["issue"]) == 96


def test_f16_exec_without_load_is_ignored() -> None:
    record = [replay(0, 3, 0, 1), A, B, C]
    runs = [at_10([*record, replay(0, 3, execute)])() for execute in (0, 1)]
    for name in ("rq", "issue", "status", "qstatus"):
        fields = [field for field in runs[0][name].dtype.names or () if field != "word"]
        assert rows(runs[0][name], *fields) == rows(runs[1][name], *fields)
    assert runs[0]["issue"]["word"].tolist() == [A, B, C]


@pytest.mark.parametrize(
    ("asked", "answered"),
    # MOP accepted in 20; in the FIFO in 21, EXP 22 and 23, TRANS 24.
    [(15, 15), (19, 19), (20, 20), (21, 24), (22, 24), (23, 24), (24, 24), (25, 25)],
)
def test_f21_mop_sync(asked: int, answered: int) -> None:
    out = one_thread([(20, MOP1), (21, A)], THREE, sync=[(asked,)])
    assert rows(out["sync_ack"], "cycle") == [(answered,)]


@pytest.mark.parametrize(
    ("word", "bits"),
    [
        (0x45000000, 1 << 2 | 1 << 8),  # SETDMAREG: THCON, TDMA
        (0x40000000, 1 << 3 | 1 << 8),  # XMOV
        (0x42000000, 1 << 4 | 1 << 8),  # UNPACR
        (0x41000000, 1 << 5 | 1 << 8),  # PACR
        (0xB2000000, 1 << 6),  # SETC16
        (0xA4000000, 1 << 7),  # SEMPOST
        (0x50000000, 1 << 8),  # SETADC
        (0x70000000, 1 << 9),  # SFPLOAD
        (0x26000000, 1 << 10),  # MVMUL
        (0xA2000000, 1 << 7),  # STALLWAIT, executed by the sync unit too
        (0xA6000000, 1 << 7),  # SEMWAIT
        (0xA7000000, 1 << 7),  # STREAMWAIT
        (NOP, 0),
    ],
)
def test_f22_class_bits(word: int, bits: int) -> None:
    out = one_thread([word], start=10, ready=[(20, 1)])
    # In the FIFO in 11, M in 12, R from 13 on, gone after 20; the register is a cycle later.
    want = [(12, bits | bits << 13), (22, 0)] if bits else []
    assert rows(out["qstatus"], "cycle", "value") == want
    assert rows(out["t2.qstatus"], "cycle", "value") == [(c, v & ~0x7FF) for c, v in want]


def test_f22_played_words_count_in_r() -> None:
    record = [(10, replay(0, 2, 0, 1)), (11, A), (12, A)]
    out = one_thread([(40, replay(0, 2))], brisc=record)
    math = [(cycle, value >> 10 & 1) for cycle, value in rows(out["qstatus"], "cycle", "value")]
    # Recorded words: in M in 12 and 13. Played words (REPLAY: FIFO 41, M 42): in R in 43 and 44;
    # the record of 45 is the end of PLAY.
    assert math == [(13, 1), (15, 0), (42, 0), (44, 1), (45, 1), (46, 0)]
