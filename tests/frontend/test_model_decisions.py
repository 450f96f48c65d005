# SPDX-License-Identifier: Apache-2.0
"""Replay expander, issue, BRISC, mop_sync, queues and qstatus: directed tests, cycles by hand."""

from __future__ import annotations

import pytest

from tilepath.tests.frontend.model_helpers import MOP1, NOP, brisc, one_thread, pushed, replay, rows

P, Q, A, B, C, D = (0x26000000 + i for i in range(6))
THREE = [1, 3, NOP, NOP, NOP, A, NOP, B, NOP]  # A A B


def test_f13_recording_goes_on_while_r_is_full() -> None:
    out = one_thread([P, Q, replay(3, 4, 0, 1), A, B, C, D, P], start=10, ready=[(40, 1)])
    # P and Q fill R in 12 and 13; A to D are swallowed in 15 to 18; the last P waits for R.
    assert rows(out["status"], "cycle", "replay_state") == [(15, 2), (19, 0)]
    assert rows(out["rq"], "cycle", "word") == [(12, P), (13, Q), (41, P)]


def test_f13_recording_with_exec_waits_for_r() -> None:
    out = one_thread([P, Q, replay(3, 2, 1, 1), A, B, C], start=10, ready=[(40, 1)])
    assert rows(out["rq"], "cycle", "word", "origin") == [
        (12, P, pushed(0)), (13, Q, pushed(1)),
        (41, A, pushed(3)), (42, B, pushed(4)), (43, C, pushed(5)),
    ]  # fmt: skip
    assert rows(out["status"], "cycle", "replay_state") == [(15, 2), (43, 0)]


def test_f13_record_takes_replay_words_as_they_are_and_skips_mop_cfg() -> None:
    stored = replay(0, 2)
    out = one_thread([replay(0, 3, 0, 1), stored, 0x03001111, A, stored, replay(0, 3)], start=10)
    assert rows(out["issue"], "word", "illegal") == [(stored, 1), (A, 0), (stored, 1)]
    assert rows(out["status"], "replay_state") == [(2,), (0,), (1,), (0,)]


def test_a_word_stored_in_one_cycle_is_played_in_the_next() -> None:
    out = one_thread([replay(7, 1, 0, 1), A, replay(7, 1), replay(7, 1)], start=10)
    # A is stored in 13, the playing REPLAYs leave M in 14 and 15 without a PLAY state.
    assert rows(out["rq"], "cycle", "word") == [(14, A), (15, A)]
    assert rows(out["status"], "cycle", "replay_state") == [(13, 2), (14, 0)]


def test_f14_playing_a_stored_replay_does_not_expand_it() -> None:
    inner = replay(1, 5)
    out = one_thread([replay(0, 2, 0, 1), inner, A, replay(0, 2)], start=10)
    assert rows(out["issue"], "word", "illegal", "origin") == [
        (inner, 1, pushed(3)), (A, 0, pushed(3)),
    ]  # fmt: skip
    assert rows(out["fault"], "illegal", "mopcfg_race", "collision") == [(1, 0, 0)]


@pytest.mark.parametrize(("profile", "count"), [("baseline", 64), ("blackhole", 32)])
def test_f15_count_0(profile: str, count: int) -> None:
    out = one_thread([replay(30, 0)], start=10, profile=profile, cycles=300)
    assert rows(out["status"], "cycle", "replay_state") == [(13, 1), (12 + count, 0)]
    # Slots never written hold word 0, which has an unassigned opcode.
    assert rows(out["issue"], "word", "illegal") == [(0, 1)] * count
    load = one_thread([replay(30, 0, 0, 1), *[A] * 70], start=10, profile=profile, cycles=300)
    assert len(load["issue"]) == 70 - count


def test_f15_counts_above_32_are_literal() -> None:
    for profile in ("baseline", "blackhole"):
        out = one_thread([replay(0, 33), replay(0, 63)], start=10, profile=profile, cycles=300)
        assert len(out["issue"]) == 96


def test_f16_exec_without_load_is_ignored() -> None:
    record = [replay(0, 3, 0, 1), A, B, C]
    runs = [one_thread([*record, replay(0, 3, execute)], start=10) for execute in (0, 1)]
    for name in ("rq", "issue", "status", "qstatus"):
        fields = [field for field in runs[0][name].dtype.names or () if field != "word"]
        assert rows(runs[0][name], *fields) == rows(runs[1][name], *fields)
    assert runs[0]["issue"]["word"].tolist() == [A, B, C]


@pytest.mark.parametrize("word", [0x05000000, 0x00000000, 0xFF123456, 0xC0000000])
def test_f17_an_illegal_word_leaves_at_once(word: int) -> None:
    out = one_thread([word, A, word], start=10, ready=[(30, 1)])
    # The first is at R's head in 13; A waits for issue_ready, and the word behind A with it.
    assert rows(out["issue"], "cycle", "word", "illegal", "origin") == [
        (13, word, 1, pushed(0)), (30, A, 0, pushed(1)), (31, word, 1, pushed(2)),
    ]  # fmt: skip
    assert rows(out["fault"], "cycle", "illegal", "mopcfg_race", "collision", "origin") == [
        (13, 1, 0, 0, pushed(0)), (31, 1, 0, 0, pushed(2)),
    ]  # fmt: skip
    assert len(out["sticky"]) == 0


def test_f17_a_replay_never_reaches_issue_but_raw() -> None:
    out = one_thread([replay(0, 2, 1, 1), replay(5, 3), MOP1, A], [0] * 9, start=10)
    assert rows(out["issue"], "word", "illegal") == [(replay(5, 3), 1), (A, 0)]


def test_f18_brisc_wins_and_the_expanders_word_is_lost() -> None:
    out = one_thread([P, Q], start=10, brisc=[(11, C)])
    assert rows(out["mq"], "cycle", "word", "origin") == [
        (11, C, brisc(0)), (12, Q, pushed(1)),
    ]  # fmt: skip
    assert rows(out["brisc_accept"], "cycle", "origin") == [(11, brisc(0))]
    assert rows(out["issue"], "cycle", "word", "origin") == [
        (13, C, brisc(0)), (14, Q, pushed(1)),
    ]  # fmt: skip
    assert rows(out["fault"], "cycle", "illegal", "mopcfg_race", "collision", "origin") == [
        (11, 0, 0, 1, pushed(0))
    ]
    assert rows(out["sticky"], "cycle", "mopcfg_race", "collision") == [(12, 0, 1)]


def test_f18_collisions_inside_an_expansion() -> None:
    # Ingest 11: the words of 11 and 13 are lost, states and timing are those of the full run.
    out = one_thread([MOP1, Q], THREE, start=10, brisc=[(11, C), (13, D)])
    assert rows(out["mq"], "cycle", "word") == [(11, C), (12, A), (13, D), (15, Q)]
    assert rows(out["status"], "cycle", "mop_state") == [(12, 1), (14, 2), (15, 0)]
    assert rows(out["fault"], "cycle", "collision") == [(11, 1), (13, 1)]


def test_f18_no_collision_without_an_emission() -> None:
    out = one_thread([MOP1, Q], THREE, start=10, brisc=[(10, C), (14, D), (16, D)])
    # 10: before the ingest; 14: TRANS; 16: behind Q.
    assert out["mq"]["cycle"].tolist() == [10, 11, 12, 13, 14, 15, 16]
    assert len(out["fault"]) == 0


def test_f18_brisc_waits_for_room_in_m() -> None:
    # R is full after 13, M after 20; the eleventh word stands at the FIFO's head from 21 on.
    words = [(10 + n, A) for n in range(11)]
    out = one_thread(words, ready=[(40, 1), (41, 0)], brisc=[(25, C)])
    # Pop of R in 40, of M in 41, room in 42: both want it, BRISC gets it.
    assert rows(out["brisc_accept"], "cycle") == [(42,)]
    assert rows(out["mq"], "cycle", "word")[10:] == [(42, C)]
    assert rows(out["fault"], "cycle", "collision", "origin") == [(42, 1, pushed(10))]


def test_f18_brisc_mop_is_illegal_and_brisc_replay_works() -> None:
    words = [(10, MOP1), (11, 0x03000007), (12, replay(0, 1, 0, 1)), (13, A), (14, replay(0, 1))]
    out = one_thread([], THREE, brisc=words)
    assert rows(out["issue"], "cycle", "word", "illegal", "origin") == [
        (12, MOP1, 1, brisc(0)), (13, 0x03000007, 1, brisc(1)), (16, A, 0, brisc(4)),
    ]  # fmt: skip
    assert len(out["ingest"]) == len(out["fault"][out["fault"]["illegal"] == 0]) == 0


def test_faults_of_one_cycle_share_a_record() -> None:
    # 14: word 0 (pushed in 11) is retired; the MOP of 12 is EXP; BRISC collides with its word.
    writes = [*((n, n, data) for n, data in enumerate(THREE)), (14, 0, 1)]
    out = one_thread([(11, 0), (12, MOP1)], mopcfg=writes, brisc=[(14, C)])
    assert rows(out["fault"], "cycle", "illegal", "mopcfg_race", "collision", "origin") == [
        (14, 1, 1, 1, pushed(0))
    ]
    assert rows(out["sticky"], "cycle", "mopcfg_race", "collision") == [(15, 1, 1)]


def test_f19_f20_depths() -> None:
    out = one_thread([A] * 60, start=10, ready=[(100, 1)])
    # Two in R, eight in M and 32 in the FIFO; the rest one by one as words leave.
    accepted = out["accept"]["cycle"].tolist()
    assert accepted[:42] == list(range(10, 52))
    # Issue 100, M pop 101, FIFO pop 102, FIFO room 103.
    assert accepted[42:] == list(range(103, 121))
    assert out["issue"]["cycle"].tolist() == list(range(100, 160))


def test_issue_follows_ready() -> None:
    out = one_thread([A] * 4, start=10, ready=[(0, 1), (13, 0), (15, 1), (16, 0), (20, 1)])
    assert out["issue"]["cycle"].tolist() == [15, 20, 21, 22]


@pytest.mark.parametrize(
    ("asked", "answered"),
    # MOP accepted in 20; in the FIFO in 21, EXP 22 and 23, TRANS 24.
    [(15, 15), (19, 19), (20, 20), (21, 24), (22, 24), (23, 24), (24, 24), (25, 25)],
)
def test_f21_mop_sync(asked: int, answered: int) -> None:
    out = one_thread([(20, MOP1), (21, A)], THREE, sync=[(asked,)])
    assert rows(out["sync_ack"], "cycle") == [(answered,)]


def test_f21_mop_sync_waits_for_every_mop_in_the_fifo() -> None:
    # 21 to 23, 24 to 26 and 27 to 29; MOP_CFG and plain words do not count.
    words = [(20, MOP1), (21, MOP1), (22, MOP1), (23, 0x03000000), (24, A)]
    out = one_thread(words, THREE, sync=[(22,), (31,), (32,)])
    assert rows(out["sync_ack"], "cycle") == [(30,), (31,), (32,)]


def test_f21_a_mop_behind_blocked_words_holds_the_acknowledge() -> None:
    # The eleventh word has no room in M, so the MOP behind it stays in the FIFO.
    words = [*((10 + n, A) for n in range(11)), (21, MOP1)]
    out = one_thread(words, [0] * 9, sync=[(30,)], ready=[(40, 1)])
    # Room in M in 42 for the word; the empty MOP is popped in 43.
    assert rows(out["ingest"], "cycle") == [(43,)]
    assert rows(out["sync_ack"], "cycle") == [(44,)]


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


def test_f22_replay_counts_unless_it_only_records() -> None:
    body = [NOP, NOP]
    out = one_thread([replay(0, 2, 0, 1), *body], start=10)
    assert len(out["qstatus"]) == 0
    # With exec: FIFO 11, M 12, REC 13 and 14.
    out = one_thread([replay(0, 2, 1, 1), *body], start=10)
    assert rows(out["qstatus"], "cycle", "value") == [(12, 1 | 1 << 13), (16, 0)]
    # Playing four: FIFO 16, M 17, PLAY 18 to 20.
    record = [replay(0, 4, 0, 1), *body * 2]
    out = one_thread([*record, replay(0, 4)], start=10)
    assert rows(out["qstatus"], "cycle", "value") == [(17, 1 | 1 << 13), (22, 0)]
    # Recorded itself: in FIFO and M only.
    out = one_thread([replay(0, 1, 0, 1), replay(0, 4)], start=10)
    assert rows(out["qstatus"], "cycle", "value") == [(13, 1 | 1 << 13), (15, 0)]


def test_f22_mop_excludes_mop_cfg_and_raw_mops_in_m() -> None:
    out = one_thread([0x03001234], brisc=[(11, MOP1)], start=10)
    assert len(out["qstatus"]) == 0


def test_f22_played_words_count_in_r_and_lost_words_until_lost() -> None:
    record = [(10, replay(0, 2, 0, 1)), (11, A), (12, A)]
    out = one_thread([(40, replay(0, 2))], brisc=record)
    math = [(cycle, value >> 10 & 1) for cycle, value in rows(out["qstatus"], "cycle", "value")]
    # Recorded words: in M in 12 and 13. Played words (REPLAY: FIFO 41, M 42): in R in 43 and 44;
    # the record of 45 is the end of PLAY.
    assert math == [(13, 1), (15, 0), (42, 0), (44, 1), (45, 1), (46, 0)]
    lost = one_thread([A], start=10, brisc=[(11, NOP)])
    assert rows(lost["qstatus"], "cycle", "value") == [(12, 1 << 10 | 1 << 23), (13, 0)]


def test_f22_sfpu_cc_and_other_threads() -> None:
    out = one_thread([A], start=10, sfpu_cc=[(0, 1), (1, 0), (12, 1)])
    cc = 1 << 11 | 1 << 24
    math = 1 << 10
    assert rows(out["qstatus"], "cycle", "value") == [
        (1, cc), (2, 0), (12, math | math << 13), (13, cc | math | math << 13), (15, cc),
    ]  # fmt: skip
    assert rows(out["t1.qstatus"], "cycle", "value") == [
        (1, cc), (2, 0), (12, math << 13), (13, cc | math << 13), (15, cc),
    ]  # fmt: skip
