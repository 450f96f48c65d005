# SPDX-License-Identifier: Apache-2.0
"""The models' public face, the functional expander's own interface, and long runs."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.models import Machine
from tilepath.models.frontend import FrontendModel, FunctionalThread, expand, expand_replay
from tilepath.tests.frontend.model_helpers import MOP1, NOP, random_program, replay, streams

A, B = 0x26000001, 0x27000002


def test_push_and_issue_per_thread() -> None:
    m = Machine()
    m.mop_cfg[1][:] = [1, 4, NOP, NOP, NOP, A, NOP, B, NOP]
    m.push(1, MOP1)
    m.push(0, B)
    assert [words.tolist() for words in m.issued] == [[B], [A, A, A, B], []]
    assert all(words.dtype == np.uint32 for words in m.issued)
    m.mop_cfg[1][0] = 2
    m.push(1, MOP1)
    assert m.issued[1].tolist() == [A, A, A, B, A, A, A, NOP, A, A, A, B]
    assert {event.name for event in m.events} == {"wait_not_met"} and m.faults == []


def test_issued_grows_and_is_read_only() -> None:
    m = Machine()
    m.mop_cfg[2][:] = [100, 100, *[A] * 7]
    early = m.issued[2]
    for _ in range(3):
        m.push(2, MOP1)
    assert early.size == 0
    assert m.issued[2].size == 3 * 100 * 203
    with pytest.raises(ValueError, match="read-only"):
        m.issued[2][0] = 0


def test_profiles() -> None:
    for profile, count in (("baseline", 64), ("blackhole", 32)):
        m = Machine(profile)
        m.push(0, replay(0, 0))
        assert m.issued[0].size == count
    with pytest.raises(ValueError, match="unknown profile 'nonesuch'"):
        Machine("nonesuch")


def test_writes_take_effect_before_the_word_at_their_position() -> None:
    cfg = [(0, n, data) for n, data in enumerate([1, 1, NOP, NOP, NOP, A, NOP, A, NOP])]
    writes = [*cfg, (1, 7, B), (2, 9, 5), (2, 7, NOP), (9, 0, 3)]
    thread = FunctionalThread()
    assert thread.feed([MOP1, MOP1, MOP1], writes).tolist() == [A, B, NOP]
    # Writes behind the last word are performed too; index 9 wrote nothing.
    assert thread.mop_cfg.tolist() == [3, 1, NOP, NOP, NOP, A, NOP, NOP, NOP]


def test_state_persists_between_feeds() -> None:
    words, writes = random_program(np.random.default_rng(11), 400)
    whole = expand(words, writes)
    assert whole.size > 400
    thread = FunctionalThread()
    parts = []
    for first in range(0, 400, 7):
        now = [(p - first, i, d) for p, i, d in writes if first <= p < first + 7]
        parts.append(thread.feed(words[first : first + 7], now))
    assert np.concatenate(parts).tolist() == whole.tolist()
    assert thread.mask_hi == [w for w in words if w >> 24 == 3][-1] & 0xFFFF
    assert thread.buffer.shape == (32,)


def test_long_expansions_come_in_one_piece() -> None:
    cfg = [(0, n, data) for n, data in enumerate([127, 127, *[replay(0, 0)] * 7])]
    words = [replay(0, 32, 0, 1), *range(A, A + 32), MOP1]
    out = expand(words, cfg)
    assert out.size == 32639 * 64
    assert (out.reshape(-1, 32) == np.arange(A, A + 32)).all()


@pytest.mark.parametrize(
    ("words", "writes", "message"),
    [
        ([1 << 32], [], "32 bits"),
        ([-1], [], "32 bits"),
        ([0.5], [], "integers"),
        ([[A]], [], "sequence"),
        ([A], [(0, 0, 1 << 32)], "32 bits"),
        ([A], [(0, -1, 0)], "negative"),
        ([A], [(1, 0, 0), (0, 0, 0)], "positions"),
    ],
)
def test_bad_arguments(words: list[int], writes: list[tuple[int, int, int]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        expand(words, writes)


def test_a_given_replay_buffer() -> None:
    buffer = np.arange(A, A + 32, dtype=np.uint32)
    before = buffer.copy()
    played = [A + (5 + i) % 32 for i in range(64)]
    assert expand_replay([replay(5, 0)], buffer).tolist() == played
    assert expand_replay([replay(5, 0)], buffer, profile="blackhole").tolist() == played[:32]
    assert (buffer == before).all()
    assert expand_replay([replay(31, 2, 0, 1), MOP1, 0x03000000], buffer).size == 0
    assert buffer[[31, 0]].tolist() == [MOP1, 0x03000000]


def test_bad_replay_buffer() -> None:
    for buffer in (np.zeros(31, dtype=np.uint32), np.zeros(32, dtype=np.int64)):
        with pytest.raises(ValueError, match="buffer"):
            expand_replay([A], buffer)  # type: ignore[arg-type]  # the wrong type is the point


def test_long_runs_forget_what_is_over() -> None:
    model = FrontendModel()
    program = [replay(0, 4, 0, 1), 0x26000001, 0x42000002, 0x70000003, 0x45000004]
    block = 20_000
    sizes = []
    for n in range(30):
        base = n * block
        cycles = np.arange(base, base + block, 3)
        words = np.resize(np.array([*program, 0x04000040], dtype=np.uint32), cycles.size)
        inputs = {
            "t2.push": zip(cycles.tolist(), words.tolist(), strict=True),
            "t2.ready": [(base + k, k & 1) for k in range(block)],
            "t2.sync": [(base + k,) for k in range(0, block, 100)],
            "t2.mopcfg": [(base + k, 0, 1) for k in range(0, block, 50)],
        }
        got = model.step(streams(inputs), base + block)
        assert len(got["t2.issue"]) > block // 5
        sizes.append(sum(lane.kept for lane in model._lanes))
    assert max(sizes) < 100
