# SPDX-License-Identifier: Apache-2.0
"""``Machine.push``, ``execute``, ``on_issue`` and ``reset``: words in, what issued out."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.engine.compiled.state import differences
from tilepath.isa import assemble, encode, profiles
from tilepath.models import Event, Fault, Machine
from tilepath.models.frontend import FunctionalThread
from tilepath.tests.frontend.model_helpers import MOP1, NOP, random_program, replay

A, B = 0x26000001, 0x27000002
INC_Z0 = 0x55200040  # Z of channel 0 of unpacker 0
RESOURCEDECL = 0x05000000


def test_push_returns_what_issued() -> None:
    m = Machine()
    m.mop_cfg[1][:] = [1, 4, NOP, NOP, NOP, A, NOP, B, NOP]
    for words, issued in (
        (A, [A]),
        (MOP1, [A, A, A, B]),
        (replay(0, 2, 0, 1), []),
        ([A, B], []),
        (replay(0, 2), [A, B]),
        ([], []),
        ([B, MOP1, A], [B, A, A, A, B, A]),
        (np.array([A, B], np.int64), [A, B]),
        ((int(word) for word in (A, B)), [A, B]),
        (np.uint32(B), [B]),
    ):
        found = m.push(1, words)  # type: ignore[arg-type]  # an iterator and a NumPy scalar do too
        assert found.dtype == np.uint32 and not found.flags.writeable
        assert found.tolist() == issued
    assert m.issued[1].size == 18 and not m.issued[0].size


def test_what_packers_write_to_registers_is_an_event() -> None:
    """P46, P66; what has no address is a fault and none."""
    m = Machine()
    m.pack.setreg_base[0], m.pack.setreg_scaler[1] = 1 << 20 | 0x123, 3
    m.execute(2, 0x4A955FAA)
    address = 0xFFB00000 + (1 << 18 | 0x123 << 2) + (0x2A << 12)
    written = Event("setreg", 2, 0x4A955FAA, (address, 0x155))
    assert m.events == [written] and m.faults == []
    m.pack.setreg_base[0] = 0
    m.execute(2, encode("PACR_SETREG", push=1, pack_sel=3, flush=1))
    assert [f.name for f in m.faults] == ["setreg_address", "setreg_fields"]
    assert m.events == [written]


@pytest.mark.parametrize("seed", range(4))
def test_words_one_by_one_at_once_and_seen_by_a_hook_are_the_same(seed: int) -> None:
    rng = np.random.default_rng([seed, 11])
    machines = [Machine(("baseline", "blackhole")[seed % 2]) for _ in range(3)]
    seen: list[int] = []
    machines[2].on_issue = lambda _, word: seen.append(word)
    front = FunctionalThread(machines[0].profile)
    drawn, writes = random_program(rng, 600)
    for n, (_, index, datum) in enumerate(writes[:20]):
        words = drawn[30 * n :][:30]
        if index < 9:
            front.mop_cfg[index] = datum
            for m in machines:
                m.write_mop_cfg(2, index, datum)
        want = front.feed(words).tolist()
        one_by_one = [word for pushed in words for word in machines[0].push(2, pushed).tolist()]
        assert one_by_one == want
        assert machines[1].push(2, words).tolist() == want
        assert machines[2].push(2, words).tolist() == want
        assert seen[-len(want) :] == want or not want
    for m in machines[1:]:
        assert not differences(m.state(), machines[0].state())
        assert m.faults == machines[0].faults and m.events == machines[0].events


def test_behind_the_mop_expander() -> None:
    """F18: BRISC's words meet the replay expander, but a MOP of theirs is illegal."""
    m = Machine()
    m.mop_cfg[0][:] = [1, 4, NOP, NOP, NOP, A, NOP, B, NOP]
    mop_cfg = assemble("ttmop_cfg 5")
    assert m.push(0, [A, MOP1, mop_cfg], behind_mop=True).tolist() == [A, MOP1, mop_cfg]
    assert m.faults == [Fault("illegal", 0, MOP1), Fault("illegal", 0, mop_cfg)]
    assert m.state()["mask_hi"][0] == 0
    # recorded through one entry, played through the other
    assert m.push(0, replay(3, 2, 0, 1), behind_mop=True).size == 0
    assert m.push(0, A).size == 0 and m.push(0, B, behind_mop=True).size == 0
    assert m.push(0, replay(3, 2), behind_mop=True).tolist() == [A, B]
    assert m.push(0, replay(3, 2)).tolist() == [A, B]
    assert m.push(0, [], behind_mop=True).size == 0


def test_illegal_words_are_told_however_they_come() -> None:
    for word in (MOP1, RESOURCEDECL, 0x00000000, 0xFFFFFFFF, replay(0, 1)):
        m = Machine()
        m.execute(2, word)
        assert m.faults == [Fault("illegal", 2, word)]
        assert m.events == [Event("illegal_word_retired", 2, word)]
        assert m.issued[2].size == 0
        other = Machine()
        other.push(2, RESOURCEDECL)
        assert [fault.name for fault in other.faults] == ["illegal"]


def test_the_hook_sees_a_word_before_it_is_executed() -> None:
    m = Machine()
    m.mop_cfg[1][:] = [1, 3, NOP, NOP, NOP, INC_Z0, NOP, INC_Z0, INC_Z0]
    seen = []

    def look(thread: int, word: int) -> None:
        seen.append((thread, word, int(m.adc.live[1, 0, 0, 2])))

    m.on_issue = look
    m.push(1, [MOP1, RESOURCEDECL])
    assert seen == [(1, INC_Z0, n) for n in range(3)] + [(1, RESOURCEDECL, 3)]
    m.on_issue = None
    m.push(1, INC_Z0)
    assert len(seen) == 4


def test_a_hook_can_stop() -> None:
    """A breakpoint: the word is not executed, nor what issued with it."""
    m = Machine()

    def stop(_: int, word: int) -> None:
        if m.adc.live[0, 0, 0, 2] == 2:
            raise StopIteration(word)

    m.on_issue = stop
    with pytest.raises(StopIteration):
        m.push(0, [INC_Z0] * 5)
    assert int(m.adc.live[0, 0, 0, 2]) == 2 and m.issued[0].size == 3


def test_a_hook_may_push() -> None:
    m = Machine()

    def answer(thread: int, word: int) -> None:
        if thread == 0:
            assert m.push(1, word + 1).tolist() == [word + 1]

    m.on_issue = answer
    assert m.push(0, [A, B]).tolist() == [A, B]
    assert m.issued[1].tolist() == [A + 1, B + 1]


@pytest.mark.parametrize("seed", range(4))
def test_expanded_and_executed_is_pushed(seed: int) -> None:
    rng = np.random.default_rng([seed, 12])
    one, other = Machine(), Machine()
    for m in (one, other):
        m.mop_cfg[1][:] = [3, 4, NOP, NOP, NOP, INC_Z0, NOP, B, A]
    for behind_mop in (False, True, False):
        words, _ = random_program(rng, 60)
        pushed = one.push(1, words, behind_mop=behind_mop)
        expanded = other.expand(1, words, behind_mop=behind_mop)
        assert not other.adc.live.any() or behind_mop or other.faults
        for word in expanded.tolist():
            other.execute(1, word)
        assert pushed.tolist() == expanded.tolist()
    assert not differences(one.state(), other.state())
    assert one.faults == other.faults and one.issued[1].tolist() == other.issued[1].tolist()


@pytest.mark.parametrize("profile", profiles.names())
def test_would_wait_tells_the_event_before_it_comes(profile: str) -> None:
    rng = np.random.default_rng(5)
    m = Machine(profile)
    m.l1 = 1
    for unit in range(2):
        m.write_field(f"THCON_SEC{unit}_REG0_TileDescriptor_InDataFormat", 14)
        m.write_field(f"THCON_SEC{unit}_REG0_TileDescriptor_IsUncompressed", 1)
        m.write_field(f"THCON_SEC{unit}_REG2_Out_data_format", 14)
    m.write_field("UNP0_ADDR_BASE_REG_1_Base", 64)
    opcodes = [0xA0, 0xA1, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0x42, 0x43, 0x43]
    waited: dict[int, list[bool]] = {opcode: [] for opcode in opcodes}
    for _ in range(3000):
        opcode = int(rng.choice(opcodes))
        word = opcode << 24 | int(rng.integers(1 << 24))
        if opcode in (0xA0, 0xA1):
            word = opcode << 24 | int(rng.integers(6))
        elif opcode == 0x42:  # one datum; the formats and contexts stay
            word &= 0x42802043 | int(rng.integers(2)) << 23
        elif opcode == 0x43 and m.src_bank[0] > 1:
            continue
        thread = int(rng.integers(3))
        m.streams[:, [29, 259]] = rng.integers(1 << 10)
        m.src_owner[:] = rng.integers(2, size=(2, 2))
        m.matrix_bank[:] = rng.integers(2, size=2)
        before = m.state()
        waits = m.would_wait(thread, word)
        assert not differences(m.state(), before) and not m.events
        m.execute(thread, word)
        assert waits == any(event.name == "wait_not_met" for event in m.events), hex(word)
        waited[opcode].append(waits)
        m.events.clear()
    for opcode in (0xA0, 0xA6, 0xA7, 0x42, 0x43):
        assert 10 < sum(waited[opcode]) < len(waited[opcode])
    assert not any(waited[0xA1] + waited[0xA3] + waited[0xA4] + waited[0xA5])


@pytest.mark.parametrize("profile", profiles.names())
def test_reset(profile: str) -> None:
    m, new = Machine(profile), Machine(profile)
    names = [name for name, value in vars(m).items() if isinstance(value, np.ndarray)]
    assert len(names) == 20
    arrays = {name: getattr(m, name) for name in names}
    for array in (*arrays.values(), m.adc.live, m.adc.checkpoint, m.pack.bins, m.unpack.stale):
        array[...] = 1
    m.mop_cfg[1][:] = A
    shown = m.push(0, [INC_Z0, RESOURCEDECL])
    m.push(1, replay(0, 5, 0, 1))  # still recording
    m.execute(0, assemble("ATGETM 3"))
    m.execute(0, 0x41000F01)  # PACR: a tile stays open
    lists = m.events, m.faults
    m.reset()
    assert not differences(m.state(), new.state())
    for name, array in arrays.items():
        assert array is getattr(m, name)
        np.testing.assert_array_equal(array, getattr(new, name))
    assert m.events is lists[0] and m.faults is lists[1] and m.events == m.faults == []
    assert m.mutexes == new.mutexes and not m.pack.bins.any() and not m.unpack.stale.any()
    assert [words.size for words in m.issued] == [0, 0, 0]
    assert m.push(1, A).tolist() == [A]
    assert shown.tolist() == [INC_Z0, RESOURCEDECL]  # what was given out stays
