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
