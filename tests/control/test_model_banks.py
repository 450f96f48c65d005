# SPDX-License-Identifier: Apache-2.0
"""What a thread's neighbours do not decide: its conditions (C17), its banks (M8), its ``hold``."""

from __future__ import annotations

from itertools import product

import pytest

from tilepath import isa
from tilepath.isa import tables
from tilepath.tests.control.model_helpers import NOP, control_run, faults, issues, reader, rows
from tilepath.tests.control.test_model_waiting import held, waiting

enc = isa.encode
A, B = 1 << 7, 1 << 8
# math-stand-in section 1, "waits for"
BOTH = (0x26, 0x27, 0x28, 0x30, 0x33, 0x34)
BANKS = {**dict.fromkeys(BOTH, A | B), 0x12: A, 0x13: B, 0x0B: B, 0x16: B}
MVMUL, MOVA2D, MOVB2D, SETRWC, ZEROACC = (
    enc(name) for name in ("MVMUL", "MOVA2D", "MOVB2D", "SETRWC", "ZEROACC")
)


@pytest.mark.parametrize("opcode", range(256))
def test_m8_which_opcode_waits_for_which_bank(opcode: int) -> None:
    """Each alone is enough to hold it; the unpackers' banks (bits 5, 6) are no matter."""
    word = opcode << 24
    for busy in (0x1E7F, A, B, A | B):
        out = control_run([(10, word), NOP], busy=[(0, busy), (30, busy & ~A), (40, 0)], cycles=60)
        waits = busy & BANKS.get(opcode, 0)
        assert issues(out)[0] == (40 if waits & B else 30 if waits else 10)


def test_m8_one_cycle_is_enough_and_is_looked_at_when_the_unit_is_ready() -> None:
    level = [(0, A | B), (20, A), (21, B), (22, 0), (23, A)]
    assert issues(control_run([(10, MVMUL)], busy=level)) == [22]
    not_ready = [(0, 63), (22, 63 & ~8), (23, 63)]
    assert issues(control_run([(10, MVMUL)], busy=level, unit_ready=not_ready)) == []
    assert issues(control_run([(10, MOVB2D)], busy=level, unit_ready=not_ready)) == [20]


def test_m8_a_word_that_waits_for_a_bank_keeps_nobody_from_the_unit() -> None:
    """It does not ask: ZEROACC of thread 2 goes by, the pointer does not stop at the waiting one.

    Each thread looks at its own bits, even if they should differ.
    """
    out = control_run([(10, MVMUL)], [(5, MOVA2D)], [(10, ZEROACC), ZEROACC], t0_busy=[(0, B)],
                      t1_busy=[(0, A), (30, B)])  # fmt: skip
    assert issues(out) == [] and issues(out, 1) == [30] and issues(out, 2) == [10, 11]
    assert rows(out["math"], "cycle", "thread") == [(10, 2), (11, 2), (30, 1)]
    # both come free: round robin, from thread 0 on
    both = control_run([(10, MVMUL)], [(10, MVMUL)], [(15, SETRWC)], busy=[(0, A), (20, 0)])
    assert [issues(both, t) for t in range(3)] == [[20], [21], [15]]


def test_m8_a_latch_comes_first() -> None:
    """A STALLWAIT on bit 7 may be met in a cycle in which the bank is there: rule 4 looks again."""
    wait = enc("STALLWAIT", block=64, cond=A)
    out = control_run([wait, MOVA2D], busy=[(0, A), (10, 0), (11, A), (20, 0)])
    assert issues(out) == [0, 20]


@pytest.mark.parametrize("thread", range(3))
def test_hold(thread: int) -> None:
    """No word of the thread issues, to whatever; the others' do; an illegal one leaves (rule 1)."""
    words = [NOP, reader(0), SETRWC, 0x51000000, 0x49000000, enc("SEMPOST", sem_mask=1),
             enc("RMWCIB0", cfg_index=9), enc("DMANOP"), enc("ATGETM", index=2)]  # fmt: skip
    for word in words:
        out = control_run(*([(10, word if t == thread else NOP)] for t in range(3)),
                          hold=[(0, 1 << thread), (30, 0)])  # fmt: skip
        assert [issues(out, t) for t in range(3)] == [
            [30] if t == thread else [10] for t in range(3)
        ]
    out = control_run(*([(10, 0x05000000), NOP] for _ in range(3)), hold=[(0, 7), (12, 0)])
    assert issues(out, thread) == [10, 12] and faults(out, thread) == [(10, "illegal")]


def test_a_word_under_hold_does_not_ask() -> None:
    """The others go by, and the pointer passes it as if it were not there (C24)."""
    word = enc("RMWCIB0", cfg_index=9)
    out = control_run([(10, word), word], [(10, word)], [(10, word)], hold=[(0, 1), (12, 0)])
    assert [issues(out, t) for t in range(3)] == [[12, 13], [10], [11]]


def test_hold_and_latch() -> None:
    """A latch is set before a hold, its condition is evaluated under it, and it is cleared."""
    wait = enc("STALLWAIT", block=8, cond=1)
    out = control_run([(10, wait), reader(0)], busy=[(0, 1), (15, 0), (16, 1)],
                      hold=[(11, 1), (25, 0)])  # fmt: skip
    assert rows(out["t0.latch"], "cycle", "valid") == [(11, 1), (16, 0)]
    assert issues(out) == [10, 25]


@pytest.mark.parametrize(("bit", "thread"), [*product([*range(10), 11], range(3))])
def test_c17_conditions_are_the_waiting_threads(bit: int, thread: int) -> None:
    """The others' bits do not keep it waiting, and theirs being 0 does not free it."""
    wait = enc("STALLWAIT", block=8, cond=1 << bit)
    own = {f"t{t}_busy": [(0, (1 << bit) * (t == thread)), (20, (1 << bit) * (t != thread))]
           for t in range(3)}  # fmt: skip
    out = control_run(*[[(10, wait), reader(t)] for t in range(3)], **own)
    others = [issues(out, t)[-1] for t in range(3) if t != thread]
    assert max(others) < 20 <= issues(out, thread)[-1] <= 23


def test_c17_condition_0_is_of_the_thread() -> None:
    wait = enc("STALLWAIT", block=8, cond=0)
    out = control_run([wait, reader(0)], [(10, wait), reader(0)], t0_busy=[(0, 0xF)], t1_busy=[])
    assert issues(out) == [0] and issues(out, 1) == [10, 12]


def test_waiting_names_banks_and_hold() -> None:
    of_a, of_b = (
        f"waits for the Matrix Unit's bank of Src{file}, which is the unpackers'" for file in "AB"
    )
    assert waiting(MVMUL, busy=[(0, A)]) == held(MVMUL, of_a)
    assert waiting(MVMUL, busy=[(0, A | B)]) == held(MVMUL, f"{of_a}; {of_b}")
    assert waiting(MOVB2D, busy=[(0, A | B)]) == held(MOVB2D, of_b)
    busy = {"busy": [(0, B)], "unit_ready": [(0, 55)]}
    assert waiting(MVMUL, **busy) == held(MVMUL, f"unit MATH not ready; {of_b}")
    hold = "hold: an unpacker's instruction of thread 0 is in its address phase"
    assert waiting(NOP, hold=[(0, 1)]) == held(NOP, hold)
    assert waiting(NOP, hold=[(0, 6)]) == []


def test_banks_are_in_the_class_of_the_matrix_unit() -> None:
    assert all(tables.block_class()[opcode] == 0x40 for opcode in BANKS)
