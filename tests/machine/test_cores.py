# SPDX-License-Identifier: Apache-2.0
"""What cores and Matrix Unit do to a machine, and how its arrays are written."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from tilepath.isa import config_field, encode
from tilepath.models import Machine
from tilepath.models.machine import items
from tilepath.tests.tables import beside

SEMINIT = 0xA3 << 24


def test_semaphores() -> None:
    m = Machine()
    m.execute(0, encode("SEMINIT", max=2, value=1, sem_mask=0b100))
    assert m.read_semaphore(2) == 1 and m.semaphores[2].tolist() == [1, 2]
    m.post_semaphore(2)
    m.post_semaphore(2)
    assert m.read_semaphore(2) == 3 and not m.semaphores[[0, 1, 3, 4, 5, 6, 7]].any()
    for _ in range(20):
        m.post_semaphore(7)
    assert m.read_semaphore(7) == 15  # C20
    m.get_semaphore(7)
    m.get_semaphore(0)
    assert (m.read_semaphore(7), m.read_semaphore(0)) == (14, 0)


def test_mutexes() -> None:
    m = Machine()
    assert m.acquire_mutex(1, 3) and m.acquire_mutex(1, 3)
    assert not m.acquire_mutex(2, 3) and m.mutexes == {0: None, 2: None, 3: 1, 4: None}
    m.execute(2, encode("ATGETM", index=3))
    assert [event.name for event in m.events] == ["wait_not_met"]
    assert not m.release_mutex(2, 3) and m.mutexes[3] == 1
    assert m.release_mutex(1, 3) and m.mutexes[3] is None
    assert m.faults == []
    with pytest.raises(TypeError):
        m.mutexes[3] = 1  # type: ignore[index]  # it is read-only


def test_config_words() -> None:
    m = Machine()
    m.write_config(64, 7, 1)
    m.write_config(65, 8)
    assert m.config[:, 64:66].tolist() == [[0, 8], [7, 8]]
    for bank in (0, 1, None):
        m.write_config(180, 0xFFFFFFFF, bank)
        assert (m.config[:, 180] == 0xFFFFFFFF).all()
        m.write_config(223, 5, bank)
        assert (m.config[:, 223] == 5).all()
        m.write_config(180, 0)
    m.write_config(179, 1, 0)
    assert m.config[:, 179].tolist() == [1, 0]
    assert (m.read_config(64), m.read_config(64, 1)) == (0, 7)
    m.write_thread_config(2, 67, 0xFFFF)
    assert m.read_thread_config(2, 67) == 0xFFFF and m.thread_config.sum() == 0xFFFF


def test_fields() -> None:
    m = Machine()
    name = "THCON_SEC0_REG2_Out_data_format"
    field = config_field(name)
    m.write_config(field.addr32, 0xFFFFFFFF)
    m.write_field(name, 5, bank=1)
    assert (m.read_field(name), m.read_field(name, bank=1)) == (15, 5)
    assert int(m.config[1, field.addr32]) == 0xFFFFFFF5
    m.write_field("DEST_TARGET_REG_CFG_PACK_SEC1_Offset", 16, bank=0)  # global
    assert m.config[:, 181].tolist() == [16, 16]
    m.write_field("SRCA_SET_Base", 2, thread=1)
    m.write_field("SRCA_SET_SetOvrdWithAddr", 1)
    assert m.thread_config[:, 5].tolist() == [4, 6, 4]
    assert m.read_field("SRCA_SET_Base", thread=1) == 2
    assert m.read_field("SRCA_SET_SetOvrdWithAddr") == 1


def test_registers() -> None:
    m = Machine()
    m.write_gpr(2, 63, 0x12345678)
    assert m.read_gpr(2, 63) == int(m.gpr[2, 63]) == 0x12345678 and m.gpr.sum() == 0x12345678
    m.write_mop_cfg(1, 8, 9)
    assert m.mop_cfg[1][8] == 9 and not m.mop_cfg[0].any()
    m.write_stream(63, 1023, 4)
    assert m.streams[63, 1023] == 4


@pytest.mark.parametrize("file", [0, 1, "SrcA", "SrcB"])
def test_release_goes_on_to_the_other_bank(file: int | str) -> None:
    m = Machine()
    number = file if isinstance(file, int) else ("SrcA", "SrcB").index(file)
    assert not m.release(file) and not m.matrix_bank.any()  # the Matrix Unit has none
    m.src_owner[number] = 1
    m.unpack.stale[:] = 1
    assert m.release(file)
    assert m.src_owner[number].tolist() == [0, 1] and m.matrix_bank[number] == 1
    assert m.unpack.stale.tolist() == [number, 1]
    assert m.release(file)
    assert not m.src_owner.any() and not m.matrix_bank.any()


def test_l1() -> None:
    m = Machine()
    m.write_l1(0x100, b"abc")
    assert m.read_l1(0x100, 4).tolist() == [97, 98, 99, 0]
    m.write_l1(0x200, np.array([[0x04030201], [0x08070605]], ">u4"))
    assert m.l1[0x200:0x208].tolist() == list(range(1, 9))
    m.write_l1(0x200, np.array([0x0A09], np.uint16))
    m.write_l1(0x202, [255, 0])
    assert m.read_l1(0x200, 5).tolist() == [9, 10, 255, 0, 5]
    m.write_l1(m.l1.size - 2, b"ab")
    m.write_l1(m.l1.size, b"")
    copy = m.read_l1(0x200, 1)
    copy[:] = 0
    assert m.l1[0x200] == 9


def test_stores_and_loads() -> None:
    m = Machine()
    nop = 0x02000000
    for core in (0, 1, 2):
        m.store(core, 0xFFE00000 + 4 * 5, 0x100 + core)
        m.store(core, 0xFFB80000 + 4 * 8, 0x200 + core)
        m.store(core, 0xFFE40000, nop + core)
        assert m.load(core, 0xFFE00014) == 0x100 + core
    assert m.gpr[:, 5].tolist() == [0x100, 0x101, 0x102]
    assert [int(row[8]) for row in m.mop_cfg] == [0x200, 0x201, 0x202]
    for thread in range(3):
        m.store("brisc", 0xFFE40000 + 0x10000 * thread, 0x01000000 | thread)  # a MOP
    assert [words.tolist() for words in m.issued] == [[nop + k, 0x01000000 + k] for k in range(3)]
    assert [fault.name for fault in m.faults] == ["illegal"] * 3
    m.store(1, 0xFFE80020 + 4 * 3, 0)
    m.store("brisc", 0xFFE80020 + 4 * 3, 0xFFFFFFFE)
    m.store(2, 0xFFE80020 + 4 * 3, 1)
    assert m.load(0, 0xFFE8002C) == m.read_semaphore(3) == 1
    for word, bank in ((64, [1, 0]), (224 + 65, [0, 2]), (448 + 66, [3, 3]), (180, [4, 4])):
        m.store(0, 0xFFEF0000 + 4 * word, max(bank))
        assert m.config[:, word % 224].tolist() == bank
        assert m.load(0, 0xFFEF0000 + 4 * word) == max(bank)
    m.store(0, 0xFFEF0000 + 4 * (672 + 68 + 67), 0x12345678)
    assert m.thread_config[1, 67] == 0x5678 == m.load(2, 0xFFEF0000 + 4 * 807)
    m.store(0, 0xFFB40000 + 0x1000 * 63 + 4 * 29, 7)
    assert m.streams[63, 29] == 7 == m.load("brisc", 0xFFB7F074)
    m.store(2, 0x1000, 0x04030201)
    assert m.l1[0x1000:0x1004].tolist() == [1, 2, 3, 4] and m.load(0, 0x1000) == 0x04030201


def _refused(call: str) -> str:
    """What ``call`` of a machine is refused with; no word has issued."""
    m = Machine()
    with pytest.raises((ValueError, IndexError, AttributeError)) as error:
        exec(call, {"m": m, "np": np, "I": items})
    assert not m.adc.live.any() and not any(words.size for words in m.issued)
    return str(error.value)


REFUSED = beside(__file__, "refused")


@pytest.mark.parametrize("call", REFUSED)
def test_refused_with_one_line(call: str) -> None:
    assert _refused(call) == REFUSED[call]


def test_assignment_writes_into_the_array() -> None:
    m = Machine()
    for name, value in {
        "l1": np.arange(m.l1.size) & 0xFF,
        "gpr": np.arange(192).reshape(3, 64),
        "src_a": 0x7FFFF,
        "semaphores": [[1, 15]] * 8,
        "dst_valid": 0,
        "src_bank": [1, 0],
    }.items():
        array = getattr(m, name)
        setattr(m, name, value)
        assert getattr(m, name) is array and (array == np.asarray(value)).all()
    assert (m.unpack.l1 == m.l1).all() and m.pack.l1[1] == 1 and m.unpack.src_bank[0] == 1
    m.mop_cfg = np.arange(27).reshape(3, 9)
    m.mop_cfg[0][0] = 5
    assert m.state()["mop_cfg"].ravel().tolist() == [5, *range(1, 27)]
    m.gpr += 1
    m.gpr[0, :4] *= 2
    assert m.gpr[0, :5].tolist() == [2, 4, 6, 8, 5]
    m.events = []
    m.l1 = bytes(m.l1.size)
    assert not m.l1.any()


def test_arrays_read_as_others_do() -> None:
    m = Machine()
    m.dst[:] = np.arange(16384, dtype=np.uint16).reshape(1024, 16)
    plain = np.asarray(m.dst)
    assert type(plain) is np.ndarray
    for key in (3, (3, 4), slice(2, -2, 3), (..., 15), ([1, 5], 2), (slice(None), [0, 1]), ()):
        np.testing.assert_array_equal(m.dst[key], plain[key])
    assert type(m.dst[[1, 2]]) is type(m.dst + 1) is type(m.dst.copy()) is np.ndarray
    assert type(m.dst.astype(np.int64)) is np.ndarray and isinstance(m.dst[3, 4], np.uint16)
    assert m.dst[plain > 16380].tolist() == [16381, 16382, 16383]
    assert isinstance(m.dst.sum(), np.integer) and m.dst.max() == 16383
    with pytest.raises(IndexError):
        _ = m.dst[1024]


def test_a_copy_would_be_none() -> None:
    for call in (copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match=r"^a Machine cannot be copied: "):
            call(Machine())


def test_types_of_words_that_fit() -> None:
    m = Machine()
    values: Any = (np.uint8(1), np.int64(2))
    assert m.push(values[1], 0x02000000).tolist() == [0x02000000]
    m.write_gpr(values[0], values[1], values[1])
    assert m.read_gpr(1, 2) == 2
