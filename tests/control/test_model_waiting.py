# SPDX-License-Identifier: Apache-2.0
"""What is held: the text of the deadlock report; a thread's conditions (C17) and banks (M8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

import pytest

from tilepath import isa
from tilepath.isa import tables
from tilepath.models.control import ControlModel
from tilepath.tests.control.model_helpers import (
    NOP,
    control_run,
    issues,
    reader,
    rows,
    setc16,
    streams,
    words,
)

UNPACR = isa.encode("UNPACR")
MATH = isa.encode("MVMUL")
PACR = isa.encode("PACR")


def waiting(
    *thread0: int | tuple[int, int], until: int = 60, **others: Iterable[Sequence[int]]
) -> list[str]:
    """Lines after ``until`` cycles; all units ready unless told otherwise."""
    rows: dict[str, Iterable[Sequence[int]]] = {
        "unit_ready": [(0, 63)],
        "t0.offer": words(*thread0),
    }
    rows |= {
        f"{name[:2]}.{name[3:]}" if name[2] == "_" else name: some for name, some in others.items()
    }
    model = ControlModel()
    model.step(streams(rows), until)
    return model.waiting()


def held(word: int, reason: str, thread: int = 0) -> list[str]:
    return [f"thread {thread}: {isa.disassemble(word)} ({word:08X}): {reason}"]


def test_nothing_waits() -> None:
    assert ControlModel().waiting() == []
    assert waiting(NOP, UNPACR) == []


def test_semwait() -> None:
    init = isa.encode("SEMINIT", max=2, value=0, sem_mask=2)
    wait = isa.encode("SEMWAIT", block=0, sem_mask=2, cond=1)
    assert waiting(init, wait, MATH) == held(
        MATH,
        "SEMWAIT, block 040 (MATH): waits while semaphore 1 (MATH_PACK) is 0; value 0, max 2",
    )
    full = isa.encode("SEMWAIT", block=0x1FF, sem_mask=0x82, cond=3)
    assert waiting(init, full, NOP) == held(
        NOP,
        "SEMWAIT, block 1FF (TDMA SYNC PACK UNPACK XMOV THCON MATH CFG SFPU): waits while "
        "semaphore 1 (MATH_PACK) is 0; value 0, max 2, or semaphore 7 (MATH_DONE) is 0; "
        "value 0, max 0",
    )
    at_most = isa.encode("SEMWAIT", block=4, sem_mask=1, cond=2)
    post = isa.encode("SEMPOST", sem_mask=1)
    assert waiting(post, at_most, PACR) == held(
        PACR,
        "SEMWAIT, block 004 (PACK): waits while semaphore 0 (FPU_SFPU) is at its maximum; "
        "value 1, max 0",
    )


def test_posts_at_the_most_are_lost() -> None:
    wait = isa.encode("SEMWAIT", block=4, sem_mask=1, cond=2)
    post = isa.encode("SEMPOST", sem_mask=3)
    (line,) = waiting(*(post,) * 18, wait, PACR)
    assert line.endswith("(FPU_SFPU) is at its maximum; value 15, max 0, 3 posts lost at 15")


def test_stallwait() -> None:
    wait = isa.encode("STALLWAIT", block=8, cond=0x404)
    assert waiting(wait, UNPACR, busy=[(0, 4)]) == held(
        UNPACR, "STALLWAIT, block 008 (UNPACK): waits while UNPACK1 busy"
    )
    assert waiting(wait, UNPACR, busy=[(0, 4), (20, 0)]) == []
    pipe = isa.encode("STALLWAIT", block=8, cond=0x1000)
    stream = isa.encode("STREAMWRCFG", cfg_index=70)
    lines = waiting(stream, pipe, UNPACR, stream_busy=[(0, 1)])
    assert lines == held(UNPACR, "STALLWAIT, block 008 (UNPACK): waits while CFG_PIPE busy")


@pytest.mark.parametrize(("index", "name", "bits"), [(0, "phase", 20), (1, "message count", 17)])
def test_streamwait(index: int, name: str, bits: int) -> None:
    register = (29, 259)[index]
    wait = isa.encode("STREAMWAIT", block=8, target_lo=10, cond_idx=index, stream_sel=2)
    program = (setc16(57 + index, 1), setc16(61, 5), wait, UNPACR)
    writes = [(3, 5, register, (1 << bits) + 3)]  # beyond the compared bits
    want = held(UNPACR, f"STREAMWAIT, block 008 (UNPACK): stream 5 {name} 3 < target 1034")
    assert waiting(*program, stream_write=writes) == want
    # Also with a write in the last cycle
    assert waiting(*program, stream_write=writes, until=4) == want
    enough = [(5, 5, register, 1034)]
    assert waiting(*program, stream_write=enough, until=6)[0].endswith(" 1034 >= target 1034")
    assert waiting(*program, stream_write=enough) == []


def test_a_second_wait() -> None:
    wait = isa.encode("STALLWAIT", block=8, cond=1)
    assert waiting(wait, wait, busy=[(0, 1)]) == held(
        wait, "STALLWAIT, block 008 (UNPACK): waits while THCON busy"
    )


def test_units_and_mutexes() -> None:
    assert waiting(PACR, unit_ready=[(0, 59)]) == held(PACR, "unit PACK not ready")
    get = isa.encode("ATGETM", index=2)
    assert waiting(get, t1_offer=words((5, get))) == held(get, "mutex 2 held by thread 0", 1)


def test_scalar_unit() -> None:
    add = isa.encode("ADDDMAREG", result=1, b=8, a=2)
    inside = f"inside {isa.disassemble(add)} ({add:08X}), issued in cycle 0"
    assert waiting(add, NOP, until=3) == held(NOP, inside)
    other = isa.encode("DMANOP")
    assert waiting(add, t1_offer=words((1, other)), until=3) == held(
        other, f"scalar unit busy: thread 0 is {inside}", 1
    )


def test_config_unit_and_cores() -> None:
    stream = isa.encode("STREAMWRCFG", cfg_index=70)
    program = words(stream, stream)
    assert waiting(*program, stream_busy=[(0, 1)]) == held(
        stream,
        f"config unit: {isa.disassemble(stream)} ({stream:08X}) is in the prepare phase, "
        "stream_busy is 1",
    )
    read = isa.encode("RDCFG", cfg_index=70)
    lines = waiting(stream, (2, read), until=4, risc=[(3, 1, 70, 5)])
    first = "config unit: what is in it must go first, free from cycle 5"
    assert lines == [*held(read, first), f"risc: write of configuration address 70: {first}"]
    assert waiting(stream, until=8, risc=[(3, 1, 70, 5)]) == []


def test_cores_that_lost() -> None:
    # The pointers start at thread 0: the cores come last.
    post = isa.encode("SEMPOST", sem_mask=1)
    assert waiting(post, t1_offer=words(post), until=1, risc_sem=[(0, 1, 3, 1)]) == [
        "risc_sem: get of semaphore 3: waits for its turn"
    ]
    read = isa.encode("RDCFG", cfg_index=70)
    assert waiting(read, until=1, risc=[(0, 0, 7, 0)]) == [
        "risc: read of configuration address 7: waits for its turn"
    ]


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
