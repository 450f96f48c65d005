# SPDX-License-Identifier: Apache-2.0
"""The unpackers as part of the machine: UNPACR_NOP in both encodings, real programs."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath import isa
from tilepath.engine.description.stimulus import Context
from tilepath.isa import profiles
from tilepath.models import Event, Fault, Machine
from tilepath.models import format_codes as F
from tilepath.models.unpack import UnpackState
from tilepath.sequences.unpack.programs import TESTS
from tilepath.tests.unpack.model_helpers import load, put, unpacr
from tilepath.tests.unpack.play_machine import Play
from tilepath.tests.unpack.program_reads import PROGRAMS, check, valid

WH_SETDVALID = 0x43000007


def machine(profile: str = "baseline") -> Machine:
    m = Machine(profile)
    put(m, base=0x400, in_format=F.BF16, out_format=F.BF16, uncompressed=1, x_dim=256, y_dim=1)
    put(m, out_base=128, set_ovrd=1, x1=15)
    return m


def test_state_after_reset() -> None:
    m = Machine()
    for array, dtype, shape in (
        (m.l1, np.uint8, (1499136,)),
        (m.src_a, np.uint32, (2, 64, 16)),
        (m.src_b, np.uint32, (2, 64, 16)),
        (m.src_owner, np.uint8, (2, 2)),
        (m.dst, np.uint16, (1024, 16)),
        (m.dst_valid, np.uint8, (1024,)),
        (m.src_bank, np.int64, (2,)),
        (m.src_row, np.int64, (2, 3)),
        (m.context_counter, np.int64, (2, 3)),
        (m.setreg_acc, np.int64, (2,)),
        (m.matrix_bank, np.uint8, (2,)),
        (m.setreg_base, np.uint32, (2,)),
    ):
        assert array.dtype == dtype and array.shape == shape and array.flags.writeable
        assert array.all() if array is m.dst_valid else not array.any()
    assert Machine("blackhole").l1.size == 1572864


def test_a_pushed_unpacr_reads_what_words_have_set_up() -> None:
    m = Machine()
    for index, value in ((64, 5 | 16 | 256 << 16), (65, 1), (72, 5), (76, 0x400), (49, 128)):
        for half in range(2):  # SETDMAREG, WRCFG
            m.push(1, isa.encode("SETDMAREG", half_reg=half, value=value >> 16 * half & 0xFFFF))
        m.push(1, isa.encode("WRCFG", gpr=0, cfg_index=index))
    m.push(1, isa.encode("SETC16", cfg_index=5, value=4))
    m.push(1, isa.encode("SETADCXX", target=1, x1_val=15, x0_val=0))
    load(m, 0x4010, np.arange(0x3F80, 0x3F90), "u2")
    m.push(1, unpacr(flip_src=1, ch0_y_inc=1))
    assert m.src_a[0, 0].tolist() == [0x7F | k << 11 for k in range(16)]
    assert m.src_owner.tolist() == [[1, 0], [0, 0]] and m.src_bank.tolist() == [1, 0]
    assert m.adc.live[1, 0].tolist() == [[0, 1, 0, 0], [15, 0, 0, 0]]
    assert m.faults == [] and m.events == []


def test_a_bank_that_is_not_there_is_an_event() -> None:
    m = machine()
    m.src_owner[0, 0] = 1
    load(m, 0x4010, [0x3F80], "u2")
    word = unpacr()
    m.push(0, word)
    assert m.events == [Event("wait_not_met", 0, word)] and m.src_a[0, 0, 0] == 0x7F
    m.src_owner[0, 0] = 0  # released
    m.push(0, word)
    assert len(m.events) == 1
    m.unpack.release(0, 0)
    m.push(0, unpacr(last=0))
    assert m.faults == [Fault("not_last", 0, unpacr(last=0))]


@pytest.mark.parametrize("profile", profiles.names())
@pytest.mark.parametrize("unit", [0, 1])
def test_zerosrc_waits_for_the_matrix_units_pointer(unit: int, profile: str) -> None:
    for like, owner, pointer, met in (
        (0, [0, 1], 0, True), (0, [0, 1], 1, False), (1, [0, 1], 1, True), (1, [1, 0], 1, False),
    ):  # fmt: skip
        m = Machine(profile)
        m.src_owner[unit] = owner
        m.matrix_bank[unit] = pointer
        m.src_a[:], m.src_b[:] = 5, 5
        word = isa.encode("UNPACR_NOP_ZEROSRC", unpacker=unit, wait_like_unpacr=like)
        if profile == "blackhole":
            word = bh(unpacker=unit, unpack_pop=1, stall_clr=like)
        m.push(0, word)
        assert (m.events == []) == met
        cleared = (m.src_b if unit else m.src_a)[0]
        assert not cleared.any() and m.src_a.sum() + m.src_b.sum() == 3 * 1024 * 5
        assert not m.src_bank.any()


def bh(**fields: int) -> int:
    return isa.encode("UNPACR_NOP", "blackhole", **fields)


def test_newer_zerosrc() -> None:
    m = Machine("blackhole")
    put(m, 1, clear_value=0xFFF8_1234)
    put(m, 1, bank=1, clear_value=0x4321)
    for value, form, want in (
        (0, 0, 0), (1, 0, 0x7FFFF), (2, 0, 0x7F), (2, 1, 0x7F), (2, 2, 0x110), (3, 0, 0x01234),
    ):  # fmt: skip
        m.src_b[:] = 9
        m.push(2, bh(unpacker=1, unpack_pop=1, src_clr_val=value, clr_to1_fmt=form))
        assert (m.src_b[0] == want).all() and (m.src_b[1] == 9).all()
    m.thread_config[2, 0] = 1
    m.push(2, bh(unpacker=1, unpack_pop=1, src_clr_val=3, bank_clr=1))
    assert (m.src_b == 0x4321).all()
    assert m.events == [] and m.faults == []


@pytest.mark.parametrize(
    ("profile", "words"),
    [
        ("baseline", [WH_SETDVALID]),
        ("blackhole", [0x430001E9, 0x430000C9, bh(unpack_pop=2, set_dvalid=1)]),
        ("blackhole,unpacr_nop_zero_clears=0", [0x430000C1, 0x430001E1, 0x430001E9]),
    ],
)
def test_setdvalid_does_not_wait(profile: str, words: list[int]) -> None:
    for word in words:
        m = Machine(profile)
        m.thread_config[2, 5] = 1
        m.src_row[0] = 60
        m.push(2, word)
        assert m.src_owner.tolist() == [[1, 0], [0, 0]] and m.src_bank.tolist() == [1, 0]
        assert m.src_row[0].tolist() == [60, 60, 16] and m.faults == []
        m.push(2, word)
        m.push(2, word)
        assert [fault.name for fault in m.faults] == ["flip_owner"] and m.events == []


@pytest.mark.parametrize("thread", [-1, 3])
def test_bad_thread(thread: int) -> None:
    with pytest.raises(ValueError, match=r"^no thread -?[13]: choose from 0, 1, 2$"):
        UnpackState().execute(thread, unpacr())


@pytest.mark.parametrize("word", [-1, 1 << 32, 0x44000000, 0x41FFFFFF])
def test_bad_word(word: int) -> None:
    with pytest.raises(ValueError, match=r"is no UNPACR or UNPACR_NOP$"):
        UnpackState().execute(0, word)


@pytest.mark.parametrize("stream", ["nonsense", "setc16", "t3.setc16", "t0.cfg"])
def test_unknown_stream(stream: str) -> None:
    known = "cfg, flop, store, t0.setc16, t0.counter, .*, t2.counter, l1_write"
    with pytest.raises(ValueError, match=f"^'{stream}' is none of the streams {known}$"):
        UnpackState().apply(stream, {})


def test_unknown_profile() -> None:
    with pytest.raises(ValueError, match="unknown profile 'nonsense'"):
        UnpackState("nonsense")


@pytest.mark.parametrize("profile", ["baseline", "blackhole", "baseline,row_w=16"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_matrix_unit_reads_the_tiles(program: str, profile: str) -> None:
    context = Context("unpack", program, 1, profile, 0)
    play = Play(TESTS[program].stimulus(context), profile).run()
    assert play.machine.faults == [] and play.machine.events == []
    check(program, profile, play.words())
    assert play.valid == (valid(program) or [0] * len(play.valid))
