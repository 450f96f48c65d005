# SPDX-License-Identifier: Apache-2.0
"""``Machine.run``: threads, latches and cores at once; who waits for what when nothing goes on."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from tilepath.isa import assemble, encode, profiles
from tilepath.models import Event, Fault, Machine
from tilepath.models.machine import items as I
from tilepath.models.machine.run import Order

PRIORITIES = tuple(itertools.permutations(range(3)))
ORDERS: tuple[Order, ...] = ("round", *PRIORITIES, 1, 2, 3)
NOP = assemble("ttnop")
INC_Z0 = assemble("INCADCZW 1,0,0,0,1")


def _asm(*lines: str) -> list[int]:
    return [assemble(line) for line in lines]


def wait(sem: int, cond: int, block: int = 0x1FF) -> int:
    """SEMWAIT; ``cond``: 1 while it is 0, 2 while it is at its maximum."""
    return encode("SEMWAIT", block=block, sem_mask=1 << sem, cond=cond)


def stall(cond: int, block: int = 0x1FF) -> int:
    return encode("STALLWAIT", block=block, cond=cond)


def post(sem: int) -> int:
    return encode("SEMPOST", sem_mask=1 << sem)


def take(sem: int) -> int:
    return encode("SEMGET", sem_mask=1 << sem)


def init(sem: int, maximum: int, value: int = 0) -> int:
    return encode("SEMINIT", max=maximum, value=value, sem_mask=1 << sem)


@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_threads_hand_over_by_semaphores(order: Order) -> None:
    """Each round thread 1 adds 1 to a register's copy in Config, thread 2 adds it up."""
    m = Machine()
    m.execute(0, init(1, 1))
    make = [wait(1, 2), *_asm("ADDDMAREG 1,4,1,4", "WRCFG 4,0,60"), post(1)]
    use = [wait(1, 1), *_asm("RDCFG 5,60", "ADDDMAREG 0,6,5,6"), take(1)]
    run = m.run([[], make * 20, use * 20], order)
    assert run.end == "done" and run.waiting == () and run.steps == 20 * 8
    assert m.read_gpr(2, 6) == 20 * 21 // 2 and m.events == [] and m.faults == []


@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_cores_poll_post_store_and_sync(order: Order) -> None:
    """Contexts: the core writes a word of Config while fewer than two are ready."""
    m = Machine()
    word = 0xFFEF0000 + 4 * 76
    core: list[Any] = [init(5, 15), I.Sync()]
    for k in range(6):
        core += [I.Poll(5, "<", 1), I.Store(word, 100 + k), I.Post(5)]
    core += [I.Poll(5, "=", 0), I.Get(5)]
    # thread 1's core starts when semaphore 6 says that the first one has begun
    user = [wait(5, 1), *_asm("RDCFG 5,76", "ADDDMAREG 0,6,5,6"), take(5)]
    run = m.run(
        [[*core[:2], I.Post(6), *core[2:]], [I.Poll(6, ">=", 1), I.Get(6), *user * 6]], order
    )
    assert run.end == "done" and run.waiting == (), run
    assert m.read_gpr(1, 6) == sum(range(100, 106))
    assert m.semaphores[5:7, 0].tolist() == [0, 0]


def test_a_mop_takes_the_registers_of_when_it_is_pushed() -> None:
    m = Machine()
    config = [
        I.MopCfg(k, value)
        for k, value in enumerate((1, 3, NOP, NOP, NOP, INC_Z0, NOP, INC_Z0, INC_Z0))
    ]
    items = [
        *config,
        *_asm("MOP 1,0,0"),
        I.MopCfg(1, 5),
        I.Push(tuple(_asm("MOP 1,0,0", "ttnop"))),
        I.Sync(),
    ]
    assert m.run([items]).end == "done"
    assert int(m.adc.live[0, 0, 0, 2]) == 8 and m.issued[0].size == 9


@pytest.mark.parametrize(
    "block, word, held",
    [
        (0x040, "SETRWC 0,0,0,0,0,0", True),
        (0x000, "SETRWC 0,0,0,0,0,0", True),  # C10: block 0 is that of the Matrix Unit
        (0x000, "INCADCZW 1,0,0,0,1", False),
        (0x0FF, "ttnop", False),  # C21
        (0x1FF, "ttnop", True),
        (0x002, "SETADCXX 1,3,0", False),
        (0x001, "SETADCXX 1,3,0", True),
        (0x080, "SEMPOST 4", True),  # by its own SEMWAIT in front: C12
    ],
)
def test_a_latch_holds_its_classes_and_any_wait(block: int, word: str, held: bool) -> None:
    m = Machine()
    one = assemble(word)
    words = [wait(3, 1, block), one]
    if word == "SEMPOST 4":
        words = [wait(3, 1, block), stall(0, 0x080), one]
    m.run([words])
    assert (one in [w for w in m.issued[0].tolist()]) and m.faults == []
    run = m.run([[]])
    assert run.end == "done"
    other = Machine()
    seen: list[int] = []
    other.on_issue = lambda _, w: seen.append(w)
    end = other.run([words])
    assert end.end == "deadlock" and (one not in seen) == held
    (waiting,) = end.waiting
    assert "SEMWAIT" in waiting.reason and "semaphore 3 (OPERAND_SYNC) is 0" in waiting.reason


def test_the_banks_of_a_stallwait() -> None:
    """C17: 5, 6 while the unpackers' bank is not theirs; 7, 8 while the Matrix Unit's is not."""
    for file, (unpack, matrix) in enumerate(((5, 7), (6, 8))):
        for bit in range(13):
            for owner in (0, 1):
                m = Machine()
                m.src_owner[file, :] = owner
                other = 1 - file
                m.src_owner[other, int(m.src_bank[other])] = 0
                run = m.run([[stall(1 << bit), NOP]])
                stands = (bit == unpack and owner == 1) or (bit == matrix and owner == 0)
                stands |= bit == 7 + other  # nothing was given there
                assert (run.end == "deadlock") == stands, (file, bit, owner)
    reason = Machine().run([[stall(1 << 8, 0x101)]]).waiting[0].reason
    assert reason == "STALLWAIT, block 101 (TDMA SFPU): waits while SRCB_MATH_BANK busy"


def test_a_streamwait_keeps_its_target() -> None:
    m = Machine()
    word = encode("STREAMWAIT", block=0x1FF, target_lo=7, cond_idx=1, stream_sel=0)
    run = m.run([[word, NOP]])
    assert run.end == "deadlock"
    assert (
        "STREAMWAIT" in run.waiting[0].reason
        and "message count 0 < target 7" in run.waiting[0].reason
    )
    m.streams[:, 259] = 7
    assert m.run([[word, NOP]]).end == "done"


def test_a_mutex_is_one_threads() -> None:
    m = Machine()
    item = _asm("ATGETM 2", "RDCFG 5,60", "ADDDMAREG 1,5,1,5", "WRCFG 5,0,60", "ATRELM 2")
    for order in ORDERS:
        m.reset()
        assert m.run([item * 5] * 3, order).end == "done"
        assert m.read_config(60) == 15 and m.faults == []
    m.reset()
    run = m.run([item[:1], item])
    assert run.end == "deadlock"
    assert run.waiting[0].thread == 1 and run.waiting[0].reason == "mutex 2 held by thread 0"
    assert str(run.waiting[0]) == "thread 1: ATGETM 2 (A0000002): mutex 2 held by thread 0"


def test_the_matrix_unit_is_part_of_the_machine() -> None:
    """CLREXPHIST is its word, for the packers (M29); counters and banks are there, and reset."""
    m = Machine()
    m.pack.bins[:], m.pack.maximum[:] = 3, 7
    m.execute(1, assemble("CLREXPHIST"))
    assert not m.pack.bins.any() and not m.pack.maximum.any() and not m.events
    m.execute(1, assemble("ZEROACC 1,0,0,0,2"))
    assert np.flatnonzero(m.dst_valid == 0).tolist() == list(range(32, 48))
    m.execute(1, assemble("SETRWC 0,0,3,0,0,4"))
    assert m.rwc[1, 4] == 3 and not m.rwc[[0, 2]].any()
    m.src_owner[0, 0] = 1
    word = assemble("MOVA2D 0,0,0,1,0")
    m.execute(1, word)
    m.execute(1, assemble("SETRWC 1,0,0,0,0,0"))
    assert m.src_owner[0].tolist() == [0, 0] and m.matrix_bank.tolist() == [1, 0]
    m.execute(1, word)
    assert m.events == [Event("wait_not_met", 1, word)] and m.faults == []
    m.reset()
    assert not m.rwc.any() and not m.matrix_bank.any()


def test_math_words_wait_for_their_banks() -> None:
    """M8: ELWADD for both files, MOVA2D for SrcA; MOVD2A for none."""
    for word, files in ((0x28000000, 3), (0x12000000, 1), (0x13000000, 2), (0x08000000, 0)):
        for given in range(4):
            m = Machine()
            m.src_owner[0, 0], m.src_owner[1, 0] = given & 1, given >> 1
            assert m.would_wait(1, word) == bool(files & ~given)
    run = Machine().run([[], [0x28000000]])
    assert run.waiting[0].reason == "bank 0 of SrcA is the Unpackers'"


@pytest.mark.parametrize("profile", profiles.names())
def test_an_unpacr_that_writes_nothing_does_not_wait(profile: str) -> None:
    """U42; its bank is the Matrix Unit's all the same."""
    m = Machine(profile)
    for name, value in (("InDataFormat", 14), ("IsUncompressed", 1), ("XDim", 16), ("YDim", 1)):
        m.write_field(f"THCON_SEC0_REG0_TileDescriptor_{name}", value)
    m.write_field("THCON_SEC0_REG2_Out_data_format", 14)
    m.src_owner[:] = 1
    word = assemble("UNPACR 0,0,0,0,0,0,0,0,0,0,0,0,1")
    before = m.src_a.copy()
    assert not m.would_wait(0, word)  # a datum to row 0, which SrcA leaves out (U30)
    m.write_field("UNP0_ADDR_BASE_REG_1_Base", 64)
    assert m.would_wait(0, word)
    run = m.run([[word]])
    assert run.end == "deadlock" and run.waiting[0].reason == "bank 0 of SrcA is the Matrix Unit's"
    assert (m.src_a == before).all() and m.events == []
    m.execute(0, assemble("SETADCXX 1,0,1"))
    assert not m.would_wait(0, word)


def test_a_poll_that_never_comes_true_is_told_with_the_word_in_front() -> None:
    m = Machine()
    run = m.run([[wait(2, 1), NOP, I.Poll(5, ">=", 2)], [I.Poll(0, "=", 3)]])
    assert [(one.thread, one.word) for one in run.waiting] == [
        (0, "NOP (02000000)"),
        (0, "poll 5 >= 2"),
        (1, "poll 0 = 3"),
    ]
    assert run.waiting[1].reason == "semaphore 5 (UNPACK_SYNC) is 0"
    assert m.run([[I.Post(5), I.Post(5), I.Poll(5, ">=", 2)]]).end == "done"


def test_illegal_words_and_unsupported_ones_are_told() -> None:
    """Those of the vector unit fall through."""
    m = Machine()
    words = assemble("SFPNOP"), assemble("RESOURCEDECL 0,0,0"), 0x57000000
    assert m.run([[], [*words, NOP]]).end == "done"
    names = "unsupported", "illegal", "unsupported"
    assert m.faults == [Fault(name, 1, word) for name, word in zip(names, words, strict=True)]
    assert m.events == [Event("illegal_word_retired", 1, words[1])]


def test_what_is_made_of_a_program_that_stays_is_of_its_thread_and_profile() -> None:
    largest = Machine("blackhole").l1.size
    places = {largest - 4: 5, 0xFFEF0000 + 4 * (224 + 65): 2, 0xFFEF0000 + 4 * (448 + 66): 3}
    stores = [I.Store(place, value) for place, value in places.items()]
    program = I.CoreProgram([I.Push((INC_Z0,)), I.MopCfg(3, 7), *stores])
    for thread in (0, 2, 0):
        m = Machine("blackhole")
        assert m.run([*[[NOP], [], []][:thread], program]).steps == 5 + (thread > 0)
        assert m.adc.live[thread, 0, 0, 2] == 1 and m.mop_cfg[thread][3] == 7
        assert m.l1[largest - 4] == 5
        assert m.config[:, 65:67].tolist() == [[0, 3], [2, 3]]  # of bank 1, of both
    with pytest.raises(ValueError, match="nothing that the core of thread 0 has in the model"):
        Machine("baseline").run([program])
