# SPDX-License-Identifier: Apache-2.0
"""Timing of the specification, cycle by cycle: T5, §5.3 and §5.4, and the seed's matmul group."""

from __future__ import annotations

import itertools

import pytest

from tilepath import isa
from tilepath.tests.control.model_helpers import (
    NOP,
    control_run,
    first_with,
    issues,
    reader,
    rows,
    set_gpr,
    setc16,
)

enc = isa.encode
X = 100
WORDS = {
    "STREAMWRCFG": enc("STREAMWRCFG", reg_index=5, cfg_index=X),
    "WRCFG": enc("WRCFG", gpr=1, cfg_index=X),
    "CFGSHIFTMASK": enc("CFGSHIFTMASK", mask_mode=1, cfg_index=X),
    "RMWCIB": enc("RMWCIB0", mask=255, data=7, cfg_index=X),
    "RDCFG": enc("RDCFG", gpr=9, cfg_index=X),
}
# Least distance from the first (row) to the second (column), specification §5.3
DISTANCE = {
    "STREAMWRCFG": (1, 1, 1, 1, 1),
    "WRCFG": (1, 1, 2, 2, 2),
    "CFGSHIFTMASK": (1, 1, 2, 2, 2),
    "RMWCIB": (1, 1, 1, 1, 1),
    "RDCFG": (1, 1, 1, 1, 1),
}
T = 10  # issue of the first word in most tests


def expected(first: str, second: str, distance: int) -> int:
    """Issue distance of a second word that is offered ``distance`` cycles after the first."""
    least = dict(zip(WORDS, DISTANCE[first], strict=True))[second]
    if first == "STREAMWRCFG" and second != "STREAMWRCFG" and distance > 1:
        least = 4 if second == "WRCFG" else 5
    return max(distance, least)


@pytest.mark.parametrize("other", [False, True])
@pytest.mark.parametrize("distance", range(1, 7))
@pytest.mark.parametrize(("first", "second"), [*itertools.product(WORDS, WORDS)])
def test_issue_distances(first: str, second: str, distance: int, other: bool) -> None:
    programs = [[(T, WORDS[first])], [(T + distance, WORDS[second])]]
    if not other:
        programs = [programs[0] + programs[1]]
    out = control_run(*programs)
    got = issues(out, 1)[0] if other else issues(out)[1]
    assert got - T == expected(first, second, distance)


LATENCY = {"STREAMWRCFG": 5, "WRCFG": 2, "CFGSHIFTMASK": 2, "RMWCIB": 1}
STAGES = {
    "STREAMWRCFG": (1, 2, 4, 8, 16),
    "WRCFG": (8, 16),
    "CFGSHIFTMASK": (24, 16),
    "RMWCIB": (16,),
    "RDCFG": (16, 32),
}


@pytest.mark.parametrize("name", WORDS)
def test_stages_and_the_cycle_of_the_write(name: str) -> None:
    out = control_run([(T, WORDS[name])])
    assert rows(out["config_pipe"], "cycle", "stages") == [
        (T + 1 + n, stage) for n, stage in enumerate((*STAGES[name], 0))
    ]
    assert out["config_pipe"]["origin"].tolist()[0] == 0
    if name == "RDCFG":
        assert rows(out["t0.rdcfg"], "cycle", "gpr") == [(T + 2, 9)]
    else:
        assert rows(out["config_write"], "cycle", "source", "index") == [(T + LATENCY[name], 0, X)]


@pytest.mark.parametrize("prepare", [1, 2, 3, 7])
def test_contention_in_the_prepare_phase(prepare: int) -> None:
    """PREP cycles in -4; the next STREAMWRCFG enters behind it, others jump ahead (C16)."""
    word = WORDS["STREAMWRCFG"]
    busy = [(0, 1), (T + prepare, 0)]
    out = control_run([(T, word), word, WORDS["RMWCIB"]], stream_busy=busy)
    assert issues(out) == [T, T + prepare, T + prepare + 5]
    jumped = control_run([(T, word)], [(T + prepare, WORDS["RMWCIB"])], stream_busy=busy)
    assert issues(jumped, 1) == [T + prepare]
    late = control_run([(T, word)], [(T + prepare + 1, WORDS["RMWCIB"])], stream_busy=busy)
    assert issues(late, 1) == [T + prepare + 4]
    assert rows(late["config_write"], "cycle") == [(T + prepare + 4,), (T + prepare + 5,)]


def test_streamwrcfg_order_vector() -> None:
    """Specification §6: the next word jumps ahead; with a NOP between, it comes behind."""
    value = 0x12345678
    byte = enc("RMWCIB0", mask=255, data=0, cfg_index=X)
    program = (T, WORDS["STREAMWRCFG"])
    write = [(2, 0, 5, value)]
    out = control_run([program, byte], stream_write=write)
    assert rows(out["config_write"], "data0") == [(0,), (value,)]
    out = control_run([program, NOP, byte], stream_write=write)
    assert rows(out["config_write"], "data0") == [(value,), (value & ~255,)]


def test_stream_register_is_read_in_stage_minus_3() -> None:
    for shown in range(T, T + 5):
        out = control_run([(T, WORDS["STREAMWRCFG"])], stream_write=[(shown - 1, 0, 5, 99)])
        assert rows(out["config_write"], "data0") == [(99 if shown <= T + 2 else 0,)]


READERS = [(n, reader(X)) for n in range(T, T + 15)]


@pytest.mark.parametrize(
    ("word", "visible"),
    [
        (enc("RMWCIB0", mask=255, data=9, cfg_index=X), T + 2),
        (enc("WRCFG", gpr=1, cfg_index=X), T + 3),
        (enc("CFGSHIFTMASK", mask_width=31, scratch=2, cfg_index=X), T + 3),
        (enc("STREAMWRCFG", reg_index=5, cfg_index=X), T + 6),
        (enc("REG2FLOP", size=1, flop=X - 64, gpr=1), T + 3),
    ],
)
def test_configuration_is_visible_from(word: int, visible: int) -> None:
    out = control_run(
        [*set_gpr(1, 9), (T, word)], READERS, risc=[(0, 1, 211, 9)], stream_write=[(0, 0, 5, 9)]
    )
    assert issues(out)[2] == T
    assert first_with(out["view_unpack0"], 9) == visible


def test_setc16_is_visible_from() -> None:
    program = [(n, reader(256 + 17)) for n in range(T, T + 8)]
    out = control_run(program, [(0, NOP)], [(0, NOP)])
    assert not out["view_unpack0"]["data"].any()
    out = control_run([(T, setc16(17, 9)), *[reader(256 + 17)] * 3])
    assert rows(out["t0.setc16"], "cycle", "index", "data") == [(T + 1, 17, 9)]
    # Issued in t + 1, entry in t + 2: needs no NOP between
    assert rows(out["view_unpack0"], "cycle", "data") == [(T + 2 + n, 9) for n in range(3)]


def test_registers_are_visible_from() -> None:
    """By WRCFG, which reads in its entry cycle."""
    source = enc("RMWCIB0", mask=255, data=9, cfg_index=50)
    read = enc("RDCFG", gpr=1, cfg_index=50)
    for distance, value in ((1, 0), (2, 9), (3, 9)):
        out = control_run([source, (T, read), (T + distance, WORDS["WRCFG"])])
        assert issues(out)[1:] == [T, T + distance]
        assert out["config_write"]["data0"].tolist() == [9, value]
    out = control_run([(T, set_gpr(1, 9)[0]), WORDS["WRCFG"]])
    assert issues(out) == [T, T + 1]
    assert out["config_write"]["data0"].tolist() == [9]
    for b, length in ((2, 3), (9, 4)):
        add = enc("ADDDMAREG", result=1, b=b, a=1)
        out = control_run([*set_gpr(1, 9), (T, add), WORDS["WRCFG"]])
        assert issues(out)[2:] == [T, T + length]
        assert out["config_write"]["data0"].tolist() == [9]


def test_semaphores_are_visible_from() -> None:
    post = enc("SEMPOST", sem_mask=4)
    out = control_run([(T, post)])
    assert rows(out["semaphores"], "cycle", "value", "max") == [(T + 2, 0x100, 0)]


def test_t5() -> None:
    high, wait = setc16(57, 1), enc("STREAMWAIT", block=8, target_lo=2)  # target 1026
    held, free = reader(0), enc("MVMUL")
    met = control_run([high, wait, held], stream_write=[(0, 0, 29, 1026)])
    assert issues(met) == [0, 1, 3]
    assert rows(met["t0.latch"], "cycle", "valid", "kind", "block", "what", "target") == [
        (2, 1, 3, 8, 0, 1026),
        (3, 0, 0, 0, 0, 0),
    ]
    # The register is 1026 first in c7: a write in c6 shows there.
    assert issues(control_run([high, wait, held], stream_write=[(6, 0, 29, 1026)])) == [0, 1, 8]
    assert issues(control_run([high, wait, free])) == [0, 1, 2]
    assert issues(control_run([high, wait, wait], stream_write=[(0, 0, 29, 1026)])) == [0, 1, 3]
    short = control_run([high, wait, held], stream_write=[(0, 0, 29, 1025)])
    assert issues(short) == [0, 1]


def test_post_releases_the_other_thread() -> None:
    """SEMPOST in t: what another thread's SEMWAIT holds issues in t + 3."""
    wait = enc("SEMWAIT", block=8, sem_mask=1, cond=1)
    out = control_run([wait, reader(0)], [(T, enc("SEMPOST", sem_mask=1))])
    assert issues(out) == [0, T + 3]


@pytest.mark.parametrize("name", ["ADDDMAREG", "MULDMAREG"])
@pytest.mark.parametrize(
    ("fields", "length"),
    [
        ({"imm": 1, "result": 3, "b": 63, "a": 20}, 3),
        ({"result": 3, "b": 4, "a": 7}, 3),
        ({"result": 3, "b": 8, "a": 7}, 4),
        ({"result": 3, "b": 7, "a": 8}, 4),
    ],
)
def test_two_operands(name: str, fields: dict[str, int], length: int) -> None:
    """Sum and product take the same cycles (C25)."""
    add = enc(name, **fields)
    other = enc("DMANOP")
    out = control_run([(T, add), NOP], [(T + 1, other)], [(T + 1, NOP)])
    assert issues(out) == [T, T + length]
    assert issues(out, 1) == [T + length]
    assert issues(out, 2) == [T + 1]
    imm = 63 if name == "ADDDMAREG" and "imm" in fields else 0  # the registers are 0
    assert rows(out["t0.gpr"], "cycle", "gpr", "halves", "data") == [(T + length, 3, 3, imm)]
    assert rows(out["scalar"], "cycle", "busy", "thread") == [
        (T + 1, 1, 0),
        (T + length + 1, 1, 1),
        (T + length + 2, 0, 0),
    ]


@pytest.mark.parametrize("name", ["ADDDMAREG", "MULDMAREG"])
@pytest.mark.parametrize(("a", "b"), [(12, 18), (18, 12), (12, 13), (13, 12)])
def test_rdcfg_right_before_its_reader(a: int, b: int, name: str) -> None:
    """Both operands are read late enough, at issue + 2 or later (C22, C25)."""
    byte = enc("RMWCIB0", mask=255, data=9, cfg_index=X)
    read = enc("RDCFG", gpr=12, cfg_index=X)
    other = a if b == 12 else b
    out = control_run([*set_gpr(other, 5), byte, (T, read), enc(name, result=1, b=b, a=a)])
    assert issues(out)[3:] == [T, T + 1]
    assert out["t0.gpr"]["data"].tolist()[2:] == [45 if name == "MULDMAREG" else 14]


def test_scalar_unit_of_one_cycle_instructions() -> None:
    low, high = set_gpr(3, 0xABCD1234)
    out = control_run([low, high, enc("DMANOP"), NOP])
    assert issues(out) == [0, 1, 2, 3]
    assert rows(out["t0.gpr"], "cycle", "gpr", "halves", "data") == [
        (1, 3, 1, 0x1234),
        (2, 3, 2, 0xABCD0000),
    ]
    assert rows(out["scalar"], "cycle", "busy") == [(1, 1), (4, 0)]


@pytest.mark.parametrize("delay", range(4))
def test_reg2flop_waits_for_stage_0(delay: int) -> None:
    """Each write of stage 0 to the words 64 to 179 costs a cycle."""
    flop = enc("REG2FLOP", size=1, flop=3, gpr=1)
    write = enc("RMWCIB0", mask=255, data=1, cfg_index=64)
    others = [(T + 1 + n, write) for n in range(delay)]  # in stage 0 in T + 2 + n
    out = control_run([*set_gpr(1, 9), (T, flop), NOP], others)
    assert rows(out["flop_write"], "cycle", "index", "data0") == [(T + 2 + delay, 67, 9)]
    assert issues(out)[3] == T + 2 + delay
    assert rows(out["scalar"], "cycle", "busy")[-2:] == [(T + 1, 1), (T + 3 + delay, 0)]


@pytest.mark.parametrize(
    ("write", "delays"),
    [
        (enc("RMWCIB0", cfg_index=179), 1),
        (enc("RMWCIB0", cfg_index=63), 0),
        (enc("RMWCIB0", cfg_index=180), 0),
        (enc("RMWCIB0", cfg_index=224), 0),
        (enc("RDCFG", cfg_index=70), 0),
        ((1, 1, 400), 1),  # RISC: bank 1
        ((1, 1, 448 + 64), 1),
        ((1, 0, 70), 0),
        ((1, 1, 672), 0),
        (enc("WRCFG", is128=1, cfg_index=67), -1),
        (enc("CFGSHIFTMASK", cfg_index=70), -1),
    ],
)
def test_what_delays_reg2flop(write: int | tuple[int, int, int], delays: int) -> None:
    """-1: writes only one cycle later than the others."""
    flop = enc("REG2FLOP", size=1, flop=3)
    if isinstance(write, tuple):
        out = control_run([(T, flop)], risc=[(T + write[0], *write[1:], 0)])
    else:
        out = control_run([(T, flop)], [(T + 1 - (delays < 0), write)])
    assert rows(out["flop_write"], "cycle") == [(T + 2 + abs(delays),)]


@pytest.mark.parametrize("flop", [116, 127])
def test_reg2flop_beyond_the_end_does_not_wait(flop: int) -> None:
    word = enc("REG2FLOP", size=1, flop=flop)
    write = enc("RMWCIB0", mask=255, data=1, cfg_index=64)
    out = control_run([(T, word), NOP], [(T + 1, write)])
    assert issues(out) == [T, T + 2] and not len(out["flop_write"])


def test_seeds_matmul_group() -> None:
    context = 124
    group = [
        enc("RDCFG", gpr=12, cfg_index=context),
        enc("ADDDMAREG", result=12, b=12, a=18),
        enc("STALLWAIT", block=128, cond=1),
        enc("WRCFG", gpr=12, cfg_index=context),
        NOP,
        reader(context),
    ]
    twice = [*set_gpr(18, 0x100), *((20 if n == 0 else 0, w) for n, w in enumerate(group)), *group]
    out = control_run(twice, risc=[(0, 1, context, 5)])
    times = [0, 1, 5, 7, 8, 9]
    assert [t - 20 for t in issues(out)[2:]] == [*times, *(10 + t for t in times)]
    assert rows(out["config_write"], "cycle", "data0")[1:] == [(29, 0x105), (39, 0x205)]
    assert rows(out["view_unpack0"], "cycle", "data") == [(30, 0x105), (40, 0x205)]
    assert rows(out["t0.rdcfg"], "cycle", "data")[0] == (22, 5)


def test_pack_address() -> None:
    """V11, its STALLWAIT included."""
    words = (0x45234518, 0x45800119, 0xA2400001, 0xB00C0045, 0x45000119, 0x60000000)
    out = control_run(words)
    assert rows(out["config_write"], "index", "data0") == [(69, 0x80012345)]
    assert [row[0] for row in rows(out["t0.gpr"], "data")] == [0x2345, 0x80010000, 0x00010000]
    assert issues(out) == [0, 1, 2, 4, 5, 6]


def test_clock_of_the_gate() -> None:
    """NOP one a cycle, STALLWAIT one in two."""
    assert issues(control_run([NOP] * 5)) == [0, 1, 2, 3, 4]
    wait = enc("STALLWAIT", block=8, cond=1)
    assert issues(control_run([wait] * 4)) == [0, 2, 4, 6]
