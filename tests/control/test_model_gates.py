# SPDX-License-Identifier: Apache-2.0
"""The decisions on waits, semaphores, mutexes and arbitration: C8 to C13, C17, C19 to C21, C24."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath import isa
from tilepath.isa import tables
from tilepath.tests.control.control_play import stall
from tilepath.tests.control.model_helpers import (
    NOP,
    OWN,
    Records,
    control_run,
    faults,
    issues,
    origin,
    reader,
    rows,
    setc16,
)

enc = isa.encode
# A word of each class, B0 to B8; B0's is a counter instruction
OF_CLASS = (
    0x51000000, enc("SEMPOST", sem_mask=2), 0x41000000, 0x42000000, 0x40000000, enc("DMANOP"),
    enc("MVMUL"), enc("RMWCIB0", cfg_index=9), 0x70000000,
)  # fmt: skip
UNITS = (0x42000000, 0x42800000, 0x41000000, 0x26000000, 0x70000000, 0x40000000)
NAMES = ("unpack0", "unpack1", "pack", "math", "sfpu", "xmov")


def latches(out: dict[str, Records], thread: int = 0) -> list[tuple[int, ...]]:
    fields = ("cycle", "valid", "kind", "block", "what", "target")
    return rows(out[f"t{thread}.latch"], *fields)


def test_c8_bits_beside_the_target_do_not_matter() -> None:
    wait = enc("STREAMWAIT", block=8, target_lo=1, cond_idx=1, stream_sel=2)
    out = control_run([setc16(58, 0xFFFF), wait | 1 << 14 | 1 << 2])
    assert latches(out) == [(2, 1, 3, 8, 5, 0x7F << 10 | 1)]
    out = control_run([setc16(57, 0xFFFF), wait & ~8])
    assert latches(out) == [(2, 1, 3, 8, 4, 0x3FF << 10 | 1)]


@pytest.mark.parametrize(
    ("register", "index", "value", "low", "met"),
    [
        (29, 0, 0, 0, True),
        (29, 0, 0, 1, False),
        (29, 0, 1, 1, True),
        (29, 0, 0xFFFFF, 1023, True),
        (29, 0, 1 << 20, 1, False),
        (259, 1, 1 << 17, 1, False),
        (259, 1, 0x1FFFF, 1, True),
        (259, 0, 5, 1, False),
        (29, 1, 5, 1, False),
    ],
)
def test_c9_comparison(register: int, index: int, value: int, low: int, met: bool) -> None:
    """Unsigned, 20 bits of the phase and 17 of the count; target 0 is met at once."""
    wait = enc("STREAMWAIT", block=8, target_lo=low, cond_idx=index)
    out = control_run([(10, wait), reader(0)], stream_write=[(0, 0, register, value)])
    assert issues(out) == [10, 12] if met else issues(out) == [10]


@pytest.mark.parametrize("name", ["STALLWAIT", "SEMWAIT", "STREAMWAIT"])
def test_c10_block_0_is_math(name: str) -> None:
    fields = {"STALLWAIT": {"cond": 1}, "SEMWAIT": {"sem_mask": 1, "cond": 1},
              "STREAMWAIT": {"target_lo": 1}}[name]  # fmt: skip
    wait = enc(name, **fields)
    out = control_run([wait, *OF_CLASS[:6], OF_CLASS[7], OF_CLASS[8], OF_CLASS[6]], busy=[(0, 1)])
    assert latches(out)[0][3] == 0x040
    assert len(issues(out)) == 9
    assert latches(control_run([wait | 0x1FF << 15], busy=[(0, 1)]))[0][3] == 0x1FF


def test_c11_bank_sel_is_live_and_the_target_is_not() -> None:
    wait = enc("STREAMWAIT", block=8, target_lo=1, stream_sel=3)
    program = [setc16(62, 5), wait, (10, setc16(57, 3)), (20, setc16(62, 6)), (20, reader(0))]
    out = control_run(program, stream_write=[(5, 6, 29, 1)])
    # The new BankSel is written at the end of 21 and seen in 22.
    assert issues(out)[-1] == 23
    assert latches(out) == [(2, 1, 3, 8, 6, 1), (23, 0, 0, 0, 0, 0)]
    assert len(issues(control_run(program, stream_write=[(5, 5, 29, 0)]))) == 4


@pytest.mark.parametrize("second", ["STALLWAIT", "SEMWAIT", "STREAMWAIT"])
@pytest.mark.parametrize("first", ["STALLWAIT", "SEMWAIT", "STREAMWAIT"])
def test_c12_any_wait_is_held_by_any_latch(first: str, second: str) -> None:
    """Whatever the mask; and it replaces nothing."""
    conditions = {"STALLWAIT": {"cond": 1}, "SEMWAIT": {"sem_mask": 1, "cond": 1},
                  "STREAMWAIT": {"target_lo": 1}}  # fmt: skip
    a, b = (enc(name, block=16, **conditions[name]) for name in (first, second))
    held = control_run([a, b], busy=[(0, 1)])
    assert issues(held) == [0]
    out = control_run(
        [a, b],
        [(10, enc("SEMPOST", sem_mask=1))],
        busy=[(0, 1), (12, 0)],
        stream_write=[(11, 0, 29, 1)],
    )
    assert issues(out) == [0, 13]


def test_c13_latches_hold_only_their_classes() -> None:
    for block in range(9):
        out = control_run([stall(1 << block, 1), (5, OF_CLASS[block])], busy=[(0, 1)])
        assert issues(out) == [0]
        rest = [w for w in OF_CLASS if not tables.block_class()[w >> 24] >> block & 1]
        out = control_run([stall(1 << block, 1), *rest, NOP], busy=[(0, 1)])
        assert len(issues(out)) == len(rest) + 2


@pytest.mark.parametrize("bit", [*range(10), 11])
def test_c17_conditions_from_outside(bit: int) -> None:
    """A STALLWAIT waits while any chosen bit is 1, and a cycle in which it is 0 is enough."""
    wait = stall(8, 1 << bit)
    out = control_run([(10, wait), reader(0)], busy=[(0, 1 << bit), (20, 0), (21, 1 << bit)])
    assert issues(out) == [10, 21]
    assert latches(out) == [(11, 1, 1, 8, 1 << bit, 0), (21, 0, 0, 0, 0, 0)]
    others = 0x1FFF & ~(1 << bit)
    assert issues(control_run([(10, wait), reader(0)], busy=[(0, others)])) == [10, 12]


def test_c17_condition_0_is_the_first_four() -> None:
    for bit in range(12):
        out = control_run([stall(8, 0), reader(0)], busy=[(0, 1 << bit)])
        assert latches(out)[0][4] == 0x00F
        assert issues(out) == [0] if bit < 4 else issues(out) == [0, 2]


def test_c17_core_access() -> None:
    """From the cycle in which it is offered to that of ``done``."""
    wait, held = stall(8, 1 << 10), reader(0)
    out = control_run([(9, wait), held], risc=[(10, 0, 9, 0)])
    assert issues(out) == [9, 13]  # done in 11, met in 12
    out = control_run([(10, wait), held], risc=[(10, 0, 9, 0)])
    assert issues(out) == [10, 13]
    out = control_run([(11, wait), held], risc=[(10, 0, 9, 0)])
    assert issues(out) == [11, 13]
    stream = enc("STREAMWRCFG", cfg_index=9)
    out = control_run([(8, stream), (12, wait), held], risc=[(10, 0, 9, 0)])
    assert rows(out["risc_done"], "cycle") == [(14,)]
    assert issues(out) == [8, 12, 16]
    ignored = control_run([(10, wait), held], busy=[(0, 1 << 10)])
    assert issues(ignored) == [10, 12]


@pytest.mark.parametrize(
    ("word", "until"),
    [
        (enc("WRCFG", cfg_index=9), 2),
        (enc("CFGSHIFTMASK", cfg_index=9), 2),
        (enc("RMWCIB0", cfg_index=9), 1),
        (enc("RDCFG", cfg_index=9), 2),
        (enc("STREAMWRCFG", cfg_index=9), 5),
        (setc16(9, 1), 0),
    ],
)
def test_c17_config_pipe(word: int, until: int) -> None:
    """Any thread's instruction, in any stage; neither SETC16 nor the cores."""
    for programs in (
        [[(10, word), stall(8, 1 << 12), reader(0)]],
        [[(11, stall(8, 1 << 12)), reader(0)], [(10, word)]],
    ):
        out = control_run(*programs)
        assert issues(out)[-1] == max(13, 10 + until + 2)
    out = control_run([(10, stall(8, 1 << 12)), reader(0)], risc=[(10, 1, 9, 1)])
    assert issues(out) == [10, 12]
    out = control_run([(10, stall(8, 1 << 12)), reader(0)], busy=[(0, 1 << 12)])
    assert issues(out) == [10, 12]


def test_c19_semwait_without_condition() -> None:
    out = control_run([(10, enc("SEMWAIT", block=8, sem_mask=255)), reader(0)])
    assert faults(out) == [(10, "sem_cond")]
    assert issues(out) == [10, 12]
    assert latches(out) == [(11, 1, 2, 8, 255, 0), (12, 0, 0, 0, 0, 0)]


def test_c20_semaphores_saturate() -> None:
    """All at once, INIT sets both; a maximum below the value is allowed (C23)."""
    init = enc("SEMINIT", max=3, value=14, sem_mask=0x81)
    post, get = enc("SEMPOST", sem_mask=0x83), enc("SEMGET", sem_mask=0x83)
    out = control_run([init, post, post, *[get] * 16])
    values = dict(rows(out["semaphores"], "cycle", "value"))
    want = [0xE000000E, 0xF000001F, 0xF000002F, 0xE000001E, 0xD000000D]
    assert [values[2 + n] for n in range(5)] == want
    assert max(values) == 19 and values[19 - 1] == 0x10000001 and values[19] == 0
    assert set(out["semaphores"]["max"].tolist()) == {0x30000003}


@pytest.mark.parametrize(
    ("value", "most", "mask", "cond", "met"),
    [
        (0, 2, 1, 1, False),
        (1, 2, 1, 1, True),
        (0, 2, 1, 2, True),
        (1, 2, 1, 2, True),
        (2, 2, 1, 2, False),
        (3, 2, 1, 2, False),
        (15, 15, 1, 2, False),
        (14, 15, 1, 3, True),
        (0, 15, 1, 3, False),
        (0, 0, 0, 3, True),
        (1, 2, 3, 1, False),  # semaphore 1 is 0
    ],
)
def test_c20_semwait(value: int, most: int, mask: int, cond: int, met: bool) -> None:
    init = enc("SEMINIT", max=most, value=value, sem_mask=1)
    out = control_run([init, (10, enc("SEMWAIT", block=8, sem_mask=mask, cond=cond)), reader(0)])
    assert issues(out) == [0, 10, 12] if met else issues(out) == [0, 10]


def test_c21_nop_is_held_by_1ff_only() -> None:
    for block in (*(1 << n for n in range(9)), 0x1FE, 0x0FF):
        assert len(issues(control_run([stall(block, 1), NOP], busy=[(0, 1)]))) == 2
    assert issues(control_run([stall(0x1FF, 1), NOP], busy=[(0, 1), (9, 0)])) == [0, 10]
    # DMANOP and SFPNOP are none
    for word, block in ((0x60000000, 1), (0x8F000000, 0x100)):
        assert len(issues(control_run([stall(block, 1), word], busy=[(0, 1)]))) == 1


def test_mutexes() -> None:
    get, release = enc("ATGETM", index=3), enc("ATRELM", index=3)
    out = control_run(
        [get, get, (10, release)], [(5, release), get, (20, release)], [(11, release)]
    )
    assert issues(out) == [0, 1, 10]
    assert issues(out, 1) == [5, 11, 20]
    assert issues(out, 2) == [11]
    assert faults(out, 1) == [(5, "mutex_owner")] and faults(out, 2) == [(11, "mutex_owner")]
    assert rows(out["mutexes"], "cycle", "value") == [(1, 1 << 6), (11, 0), (12, 3 << 6), (21, 0)]


def test_three_mutexes_in_a_cycle() -> None:
    out = control_run(*([(10, enc("ATGETM", index=n))] for n in (0, 2, 4)))
    assert [issues(out, t) for t in range(3)] == [[10]] * 3
    assert rows(out["mutexes"], "cycle", "value") == [(11, 0b101_000_011_001)]


@pytest.mark.parametrize("index", [1, 5, 0x4000, 0xFFFF])
def test_mutexes_that_do_not_exist(index: int) -> None:
    out = control_run([enc("ATGETM", index=index), enc("ATRELM", index=index)], [], [])
    assert faults(out) == [(0, "mutex_index"), (1, "mutex_index")]
    assert not len(out["mutexes"])


def order(*winners: list[int]) -> list[int]:
    """Which requester won in each cycle, from the requesters' cycles."""
    return [who for _, who in sorted((t, who) for who, times in enumerate(winners) for t in times)]


@pytest.mark.parametrize(
    "word", [*UNITS, enc("DMANOP"), enc("RMWCIB0", cfg_index=9), enc("SEMPOST", sem_mask=1)]
)
def test_c24_round_robin_of_threads(word: int) -> None:
    out = control_run(*([(10, word), word, word] for _ in range(3)))
    winners = order(*(issues(out, t) for t in range(3)))
    assert winners == [0, 1, 2] * 3
    assert issues(out, 2)[-1] == 18


def test_c24_the_cores_are_fourth() -> None:
    read, post = enc("RMWCIB0", cfg_index=9), enc("SEMPOST", sem_mask=1)
    risc = [(10, 0, 9, 0), (12, 0, 9, 0)]
    out = control_run(*([(10, read), read] for _ in range(3)), risc=risc)
    assert rows(out["risc_done"], "cycle") == [(14,), (18,)]
    assert order(*(issues(out, t) for t in range(3)), [13, 17]) == [0, 1, 2, 3] * 2
    sem = [(10, 1, 2, 0), (12, 1, 2, 1)]
    out = control_run(*([(10, post), post] for _ in range(3)), risc_sem=sem)
    assert rows(out["risc_sem_done"], "cycle") == [(14,), (18,)]
    assert rows(out["semaphores"], "cycle", "value")[3] == (15, 0x103)
    assert rows(out["semaphores"], "cycle", "value")[-1] == (19, 6)


def test_c24_the_pointer_stays_without_a_winner() -> None:
    """And counts for its resource only."""
    pack, math = UNITS[2], UNITS[3]
    out = control_run(
        [(10, pack), (20, math), (30, pack)], [(30, pack), math], [(20, math), (30, pack)]
    )
    assert issues(out) == [10, 20, 32]
    assert issues(out, 1) == [30, 31]
    assert issues(out, 2) == [21, 31]


def test_a_held_word_does_not_ask() -> None:
    """Nor one whose resource is not available to it: it keeps nobody from winning."""
    out = control_run(
        [stall(4, 1), (10, UNITS[2]), UNITS[2]], [(10, UNITS[2])], busy=[(0, 1), (20, 0)]
    )
    assert issues(out, 1) == [10] and issues(out) == [0, 21, 22]
    wrcfg, rmw = enc("WRCFG", cfg_index=9), enc("RMWCIB0", cfg_index=9)
    out = control_run([(10, wrcfg), rmw], [(11, wrcfg)])
    assert issues(out, 1) == [11] and issues(out) == [10, 13]


def test_semaphore_port_of_the_cores() -> None:
    """A read is answered at once with the value as registered, a write two cycles later visible."""
    post = enc("SEMPOST", sem_mask=4)
    sem = [(10, 0, 2, 0), (11, 0, 2, 1), (12, 0, 2, 0), (13, 1, 2, 1), (15, 0, 2, 0), (16, 1, 3, 0)]
    out = control_run([(10, post)], risc_sem=sem)
    assert rows(out["risc_sem_done"], "cycle", "data", "origin") == [
        (cycle, data, origin("risc_sem", k))
        for k, (cycle, data) in enumerate(((10, 0), (11, 0), (12, 1), (14, 0), (15, 0), (17, 0)))
    ]
    assert rows(out["semaphores"], "cycle", "value") == [(12, 0x100), (15, 0), (18, 0x1000)]


@pytest.mark.parametrize("unit", range(6))
def test_units(unit: int) -> None:
    """A word issues in the cycles in which its unit is ready."""
    ready = [(0, 63 & ~(1 << unit)), (20, 1 << unit), (21, 0)]
    out = control_run([], [(10, UNITS[unit] | 5), NOP], unit_ready=ready)
    assert issues(out, 1) == [20, 21]
    assert rows(out[NAMES[unit]], "cycle", "thread", "word") == [(20, 1, UNITS[unit] | 5)]
    assert all(not len(out[name]) for n, name in enumerate(NAMES) if n != unit)


def test_every_opcode_has_its_place() -> None:
    """Illegal ones leave at once, whatever holds; the rest go to their unit or are unsupported."""
    seen = {}
    for opcode in range(256):
        word = opcode << 24 | 0x3FF
        out = control_run([stall(0x1FF, 1), word], busy=[(0, 1)], cycles=12)
        illegal = bool(tables.must_not_issue()[opcode])
        assert faults(out) == [(1, "illegal")] * illegal
        assert len(issues(out)) == 1 + illegal
        out = control_run([word], cycles=12)
        assert issues(out) == [0]
        if not illegal:
            names = [name for _, name in faults(out)]
            units = [name for name in NAMES if len(out[name])]
            place = (
                ["adc"] * len(out["t0.adc"]) + units + ["unsupported"] * names.count("unsupported")
            )
            seen[opcode] = "".join(place)
    adc = {0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x5E}
    unsupported = {*bytes.fromhex("44 46 49 57 59 5B 5C 5D 61 62 63 64 66 67 68")}
    math = [o for o in range(256) if tables.block_class()[o] == 0x40]
    sfpu = [o for o in range(256) if tables.block_class()[o] == 0x100]
    want = dict.fromkeys(OWN, "") | dict.fromkeys(adc, "adc")
    want |= dict.fromkeys(unsupported, "unsupported") | dict.fromkeys(math, "math")
    want |= dict.fromkeys(sfpu, "sfpu") | {0x40: "xmov", 0x41: "pack", 0x4A: "pack"}
    want |= {0x42: "unpack0", 0x43: "unpack0", 0x45: "unsupported"}  # 45: mode 1, by its low bits
    assert seen == want


def test_illegal_words_leave_a_thread_in_the_scalar_unit() -> None:
    out = control_run([enc("ADDDMAREG"), 0x05000000, NOP])
    assert issues(out) == [0, 1, 3]
    assert faults(out) == [(1, "illegal")]


def test_latch_outlives_the_offers() -> None:
    """It is cleared while nothing is offered, too; and works with every profile."""
    program = [(10, stall(8, 1)), (40, reader(0)), reader(1)]
    for profile in ("baseline", "blackhole"):
        out = control_run(program, busy=[(0, 1), (30, 0), (35, 1)], profile=profile)
        assert issues(out) == [10, 40, 41]
    assert np.array_equal(out["t0.latch"]["origin"], [0, 0])
