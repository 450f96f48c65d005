# SPDX-License-Identifier: Apache-2.0
"""Timelines T1 to T4 of the specification, cycle by cycle, against the cycle-exact model."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tilepath.tests.frontend.model_helpers import (
    MOP1,
    NOP,
    Records,
    one_thread,
    pushed,
    replay,
    rows,
)

# Cycle c0 of the timelines; MopCfg is written before it.
C0 = 20
P, Q, A, B, C, D = (0x26000000 + i for i in range(6))
LOOP, SECOND = 0x27000000, 0x28000000
TWO = [1, 2, NOP, NOP, NOP, LOOP, NOP, SECOND, NOP]  # L, S
MOP_CFG = 0x03001234


def when(records: Records) -> list[tuple[int, int]]:
    """(cycle counted from c0, word) of each event."""
    return [(cycle - C0, word) for cycle, word in rows(records, "cycle", "word")]


def at(first: int, *words: int | None) -> list[tuple[int, int]]:
    """Words in consecutive cycles from ``first`` on; None: a cycle without."""
    return [(first + n, word) for n, word in enumerate(words) if word is not None]


def states(out: dict[str, Records], field: str, first: int, last: int) -> list[int]:
    """Values of a state of the status stream in cycles ``first`` to ``last``."""
    changes = dict(rows(out["status"], "cycle", field))
    return [
        max([(c, v) for c, v in changes.items() if c <= C0 + cycle], default=(0, 0))[1]
        for cycle in range(first, last + 1)
    ]


def bits(out: dict[str, Records], mask: int) -> list[int]:
    """Cycles (from c0) in which qstatus shows any bit of ``mask``, in the first 60 cycles."""
    shown = []
    changes = dict(rows(out["qstatus"], "cycle", "value"))
    value = 0
    for cycle in range(C0 + 60):
        value = changes.get(cycle, value)
        if value & mask:
            shown.append(cycle - C0)
    return shown


def test_t1_pass_through() -> None:
    out = one_thread([A, B, C], start=C0)
    assert [cycle - C0 for (cycle,) in rows(out["accept"], "cycle")] == [0, 1, 2]
    assert when(out["mq"]) == at(1, A, B, C)
    assert when(out["rq"]) == at(2, A, B, C)
    assert when(out["issue"]) == at(3, A, B, C)
    assert out["issue"]["origin"].tolist() == [*map(pushed, [0, 1, 2])]
    assert len(out["status"]) == len(out["fault"]) == len(out["ingest"]) == 0


def test_t2_mop() -> None:
    out = one_thread([P, MOP1, Q], TWO, start=C0)
    assert when(out["ingest"]) == at(2, MOP1)
    assert when(out["mq"]) == at(1, P, LOOP, SECOND, None, Q)
    assert when(out["rq"]) == at(2, P, LOOP, SECOND, None, Q)
    assert when(out["issue"]) == at(3, P, LOOP, SECOND, None, Q)
    assert out["issue"]["origin"].tolist() == [*map(pushed, [0, 1, 1, 2])]
    assert states(out, "mop_state", 1, 6) == [0, 0, 1, 2, 0, 0]
    assert states(out, "replay_state", 0, 9) == [0] * 10
    # Busy in c2 (in the FIFO) and c3 (EXP); the register shows it a cycle later.
    assert bits(out, 1 << 1) == [3, 4]


@pytest.mark.parametrize(
    ("pushed", "issued"),
    [
        ([P, MOP1, MOP1, Q], at(3, P, LOOP, SECOND, LOOP, SECOND, None, Q)),
        (
            [P, MOP1, MOP_CFG, MOP1, Q],
            at(3, P, LOOP, SECOND, None, None, LOOP, SECOND, None, Q),
        ),
    ],
    ids=["MOP MOP", "MOP MOP_CFG MOP"],
)
def test_t2_variations(pushed: Sequence[int], issued: list[tuple[int, int]]) -> None:
    assert when(one_thread(pushed, TWO, start=C0)["issue"]) == issued


def test_t2_states_of_back_to_back_mops() -> None:
    out = one_thread([P, MOP1, MOP1, Q], TWO, start=C0)
    # The second MOP is ingested in the first one's TRANS cycle.
    assert when(out["ingest"]) == [(2, MOP1), (4, MOP1)]
    assert states(out, "mop_state", 1, 8) == [0, 0, 1, 2, 1, 2, 0, 0]
    assert bits(out, 1 << 1) == [3, 4, 5, 6]
    # A MOP_CFG between them is ingested in IDLE.
    out = one_thread([P, MOP1, MOP_CFG, MOP1, Q], TWO, start=C0)
    assert when(out["ingest"]) == [(2, MOP1), (5, MOP_CFG), (6, MOP1)]
    assert states(out, "mop_state", 1, 9) == [0, 0, 1, 2, 0, 0, 1, 2, 0]
    assert bits(out, 1 << 1) == [3, 4, 5, 6, 7, 8]


def test_t2_zero_length() -> None:
    out = one_thread([P, MOP1, Q], [0, *TWO[1:]], start=C0)
    assert when(out["issue"]) == at(3, P, None, None, Q)
    assert states(out, "mop_state", 1, 5) == [0, 0, 2, 0, 0]
    assert bits(out, 1 << 1) == [3]
    # Three empty MOPs: TRANS lasts, nothing waits.
    out = one_thread([P, MOP1, MOP1, MOP1, Q], [0, *TWO[1:]], start=C0)
    assert when(out["ingest"]) == at(2, MOP1, MOP1, MOP1)
    assert states(out, "mop_state", 1, 7) == [0, 0, 2, 2, 2, 0, 0]
    assert bits(out, 1 << 1) == [3, 4, 5]
    assert when(out["issue"]) == [(3, P), (8, Q)]


def test_t2_empty_fifo_pays_the_transition_too() -> None:
    # Q at the FIFO's head only in c6: TRANS is over, so nothing is lost; a MOP there is as fast.
    for late in (Q, MOP1):
        out = one_thread([(C0, P), (C0 + 1, MOP1), (C0 + 5, late)], TWO)
        assert when(out["mq"])[3][0] == 6
    # Accepted in c3 or c4: first seen in TRANS (c4) or right behind it.
    for accepted, word, written in ((3, Q, 5), (3, MOP1, 4), (4, Q, 5), (4, MOP1, 5)):
        out = one_thread([(C0, P), (C0 + 1, MOP1), (C0 + accepted, word)], TWO)
        assert when(out["mq"])[3][0] == written


def test_t2_transition_elapses_under_back_pressure() -> None:
    # Eight words and a two-word MOP fill R (2) and M (8) while issue stands still; Q waits.
    out = one_thread([*[P] * 8, MOP1, Q], TWO, start=C0, ready=[(C0 + 30, 1)])
    assert when(out["mq"]) == [*at(1, *[P] * 8, LOOP, SECOND), (32, Q)]
    assert states(out, "mop_state", 9, 13) == [0, 1, 2, 0, 0]
    assert bits(out, 1 << 1) == [10, 11]
    # The first pop of R is in 30, of M in 31: 32 is the first cycle in which M shows room.
    assert when(out["rq"])[2] == (31, P)
    assert when(out["issue"]) == at(30, *[P] * 8, LOOP, SECOND, Q)


def test_t2_penalty_hidden_behind_a_full_m() -> None:
    # Ten words before the MOP: it waits for M itself, and the surplus in M hides its TRANS.
    out = one_thread([*[P] * 10, MOP1, Q], TWO, start=C0, ready=[(C0 + 30, 1)])
    assert when(out["mq"])[10:] == at(32, LOOP, SECOND, None, Q)
    assert when(out["ingest"]) == [(32, MOP1)]
    assert states(out, "mop_state", 32, 36) == [0, 1, 2, 0, 0]
    assert bits(out, 1 << 1) == list(range(12, 35))
    assert when(out["issue"]) == at(30, *[P] * 10, LOOP, SECOND, Q)


def test_t3_record_and_play() -> None:
    out = one_thread([replay(0, 4, 0, 1), A, B, C, D, replay(0, 4), Q], start=C0)
    assert when(out["mq"]) == at(1, 0x04000041, A, B, C, D, 0x04000040, Q)
    assert when(out["rq"]) == at(7, A, B, C, D, Q)
    assert when(out["issue"]) == at(8, A, B, C, D, Q)
    assert out["issue"]["origin"].tolist() == [*map(pushed, [5, 5, 5, 5, 6])]
    assert states(out, "replay_state", 1, 12) == [0, 0, 2, 2, 2, 2, 0, 1, 1, 1, 0, 0]
    # The playing REPLAY: FIFO in c6, M in c7, PLAY c8 to c10; the recording one does not count.
    assert bits(out, 1 << 0) == [7, 8, 9, 10, 11]


def test_t3_record_with_exec() -> None:
    assert replay(0, 4, 1, 1) == 0x04000043
    out = one_thread([replay(0, 4, 1, 1), A, B, C, D, replay(0, 4), Q], start=C0)
    assert when(out["rq"])[:4] == at(3, A, B, C, D)
    assert when(out["issue"]) == at(4, A, B, C, D, A, B, C, D, Q)
    # Counts from the FIFO (c1) over REC (c3 to c6); then the other one until c10.
    assert bits(out, 1 << 0) == list(range(2, 12))


def test_t4_replays_from_a_mop() -> None:
    body = [0x26000010 + i for i in range(16)]
    load = [(9 + n, word) for n, word in enumerate([replay(16, 16, 0, 1), *body])]
    again = 0x04040100
    out = one_thread(
        [*load, *((C0 + 20 + n, word) for n, word in enumerate((P, MOP1, Q)))],
        [1, 2, NOP, NOP, NOP, again, NOP, again, NOP],
    )
    shift = [(cycle - 20, word) for cycle, word in when(out["mq"])[17:]]
    assert shift == at(1, P, again, again, None, Q)
    assert [(c - 20, w) for c, w in when(out["rq"])] == at(2, P, *body, *body, Q)
    assert [(c - 20, w) for c, w in when(out["issue"])] == at(3, P, *body, *body, Q)
    assert states(out, "mop_state", 21, 25) == [0, 0, 1, 2, 0]
    assert states(out, "replay_state", 21, 55) == [0] * 3 + [1] * 15 + [0] + [1] * 15 + [0]
    # The first REPLAY is in M from c3 on, the last word is played in c34.
    assert bits(out, 1 << 1) == [23, 24]
    assert bits(out, 1 << 0) == list(range(24, 56))
