# SPDX-License-Identifier: Apache-2.0
"""Hazards of order (C26 to C30): raised where the pipeline gives another value, and only there."""

from __future__ import annotations

import pytest

from tilepath.isa import encode as enc
from tilepath.models import Machine
from tilepath.models.machine import items as I
from tilepath.tests.control.model_helpers import NOP, control_run, reader

BASE = 76  # word of Config: where unpacker 0 reads in context 0
UNPACR, PACR, ADD = reader(BASE), enc("PACR"), enc("ELWADD")
WRCFG = enc("WRCFG", gpr=4, cfg_index=BASE)
SHIFT = enc("CFGSHIFTMASK", mask_mode=1, alu=3, mask_width=31, scratch=0, cfg_index=BASE)
RMW = enc("RMWCIB0", mask=0xFF, data=7, cfg_index=BASE)
STREAM = enc("STREAMWRCFG", cfg_index=BASE)
RDCFG, SET = enc("RDCFG", gpr=4, cfg_index=60), enc("SETDMAREG", value=7, half_reg=8)
PIPE = enc("STALLWAIT", block=8, cond=0x1000)  # UNPACK, until the config pipeline is empty
GIVE, MOVE = enc("SETRWC", clear_dvalid=1), enc("MOVD2A")
OWN = ("config_race", "half_gate", "shared_word", "stale_gpr", "sem_lost")


def told(*words: int, profile: str = "baseline", thread: int = 0) -> list[tuple[str, int]]:
    """Hazards of words that one thread pushes, and which word it is; each has its event."""
    m = Machine(profile)
    found = []
    for place, word in enumerate(words):
        m.faults.clear()
        m.push(thread, word)
        found += [(f.name, place) for f in m.faults if f.name in OWN]
    assert {e.name for e in m.events if e.name in OWN} <= {name for name, _ in found}
    return found


@pytest.mark.parametrize("between", range(8))
@pytest.mark.parametrize("writer", [WRCFG, SHIFT, RMW, STREAM], ids=hex)
def test_machine_tells_where_the_pipeline_shows_the_old_value(writer: int, between: int) -> None:
    """7 is in the register, the scratch word and the stream; so many words lie between."""
    risc = [(0, 1, 209, 7)]
    program = [SET, (20, writer), *[NOP] * between, UNPACR]
    out = control_run(program, risc=risc, stream_write=[(0, 0, 0, 7)])
    old = out["view_unpack0"]["data"].tolist() == [0]
    assert old == (between < {RMW: 0, STREAM: 4}.get(writer, 1))
    raised = told(writer, *[NOP] * between, UNPACR)
    assert raised == [("config_race", between + 1)] * (old or writer == STREAM)


def test_a_register_that_rdcfg_has_not_written_yet() -> None:
    """WRCFG right behind writes what was in it; one word further what RDCFG read."""
    for between, value in ((0, 0), (1, 7)):
        program = [(20, RDCFG), *[NOP] * between, WRCFG]
        out = control_run(program, risc=[(0, 1, 60, 7)])
        assert out["config_write"]["data0"].tolist()[-1] == value
        assert told(RDCFG, *[NOP] * between, WRCFG) == [("config_race", 1)] * (not between)
    assert told(RDCFG, enc("WRCFG", gpr=7, is128=1, cfg_index=60)) == [("config_race", 1)]
    assert told(RDCFG, enc("WRCFG", gpr=5, cfg_index=60)) == []


@pytest.mark.parametrize(
    ("words", "at"),
    [
        ((enc("WRCFG", cfg_index=69), PACR), 1),
        ((enc("WRCFG", is128=1, cfg_index=180), enc("PACR_SETREG")), 1),
        ((enc("WRCFG", cfg_index=1), ADD), 1),
        ((enc("CFGSHIFTMASK", cfg_index=220), enc("ZEROACC")), 1),
        ((enc("WRCFG", cfg_index=124), 0x42800001), 1),  # unpacker 1
        ((STREAM, RMW), 1),  # overtakes it
        ((STREAM, enc("STALLWAIT", block=1 << 6, cond=0x1000), UNPACR), 2),  # holds math
        ((STREAM, enc("STALLWAIT", block=8, cond=1), UNPACR), 2),
        ((enc("WRCFG", cfg_index=124), UNPACR), 0),  # the other unpacker's
        ((enc("WRCFG", cfg_index=77), UNPACR), 0),  # another context's
        ((enc("WRCFG", cfg_index=2), enc("SETRWC")), 0),  # reads none
        ((enc("WRCFG", cfg_index=4), PACR), 0),  # is dropped (C18)
        ((WRCFG, RMW, UNPACR), 0),
        ((WRCFG, enc("RDCFG", gpr=9, cfg_index=BASE)), 0),  # the pipeline keeps their order
        ((enc("SETC16", cfg_index=41, value=1), UNPACR), 0),
        ((STREAM, PIPE, UNPACR), 0),
        ((STREAM, PIPE, UNPACR, RMW), 0),
        ((STREAM, enc("RMWCIB0", mask=1, data=1, cfg_index=60)), 0),
    ],
)
def test_who_reads_what(words: tuple[int, ...], at: int) -> None:
    assert told(*words) == [("config_race", at)] * (at > 0)


def test_the_bank_that_the_reader_sees() -> None:
    """STREAMWRCFG to bank 0; from bank 1 the same word is another one."""
    assert told(STREAM, enc("SETC16", value=1), UNPACR) == []
    m = Machine()
    for thread, word in ((0, WRCFG), (1, UNPACR), (0, NOP), (0, UNPACR)):
        m.push(thread, word)
    assert not {fault.name for fault in m.faults} & {*OWN}  # another thread's is not behind it


def test_stale_register_of_the_newer_chip() -> None:
    """Right behind only, of the scalar word that writes that register."""
    quad, other = enc("WRCFG", gpr=7, is128=1, cfg_index=60), enc("SETDMAREG", half_reg=11)
    add = enc("ADDDMAREG", result=4, a=1, b=2)
    for words in ((SET, WRCFG), (SET + 1, WRCFG), (add, WRCFG), (SET, quad)):
        assert told(*words, profile="blackhole") == [("stale_gpr", 1)]
        assert told(*words) == told(*words, profile="blackhole,stale_gpr=0") == []
    wait = enc("STALLWAIT", block=1 << 7, cond=1)
    mode = enc("SETDMAREG", mode=1, half_reg=8)
    for words in ((SET, wait, WRCFG), (SET, other, WRCFG), (other, WRCFG), (mode, WRCFG)):
        assert told(*words, profile="blackhole") == []


@pytest.mark.parametrize(
    "give", [GIVE, enc("ELWMUL", clear_dvalid=1), enc("CLEARDVALID", clear_dvalid=1)]
)
def test_half_a_gate(give: int) -> None:
    half, whole = (enc("STALLWAIT", block=0x40, cond=cond) for cond in (0x80, 0x90))
    other, drain = (enc("STALLWAIT", block=0x40, cond=cond) for cond in (0x100, 0x10))
    assert told(give, half, MOVE) == [("half_gate", 1)]
    holds_sync = enc("STALLWAIT", block=2, cond=0x10)
    assert told(give, holds_sync, NOP, MOVE, half) == []  # a wait: the one before is over
    for words in (
        (half, MOVE),
        (give, whole, MOVE),
        (give, other, MOVE),
        (give, drain, MOVE, half),
    ):
        assert told(*words) == []
    m = Machine()
    m.run([[give, I.Sync(), half]])  # the core waited until all was done
    assert "half_gate" not in {fault.name for fault in m.faults}


def rmw(byte: int, mask: int, data: int = 0xFF) -> int:
    return enc(f"RMWCIB{byte}", mask=mask, data=data, cfg_index=2)


WHOLE, GET, FREE = enc("WRCFG", cfg_index=2), enc("ATGETM"), enc("ATRELM")


@pytest.mark.parametrize(
    ("one", "two", "lost"),
    [
        ([rmw(0, 1)], [rmw(0, 3)], True),  # the same bit
        ([rmw(0, 1)], [WHOLE], True),
        ([WHOLE], [rmw(2, 0x10)], True),
        ([WHOLE], [enc("RDCFG", gpr=9, cfg_index=2), NOP, WHOLE], True),
        ([rmw(0, 1)], [enc("CFGSHIFTMASK", cfg_index=2)], True),
        ([GET, rmw(0, 1), FREE], [rmw(0, 1)], True),  # one of them alone holds it
        ([rmw(0, 1)], [rmw(0, 2)], False),  # the chip changes bits alone
        ([rmw(0, 1)], [rmw(1, 1)], False),
        ([rmw(0, 1)], [rmw(0, 0)], False),
        ([GET, rmw(0, 1), FREE], [GET, rmw(0, 1), FREE], False),
        ([WHOLE], [WHOLE], False),
        ([rmw(0, 1)], [enc("SETC16", value=1), rmw(0, 1)], False),  # the other bank
    ],
)
def test_one_word_two_threads(one: list[int], two: list[int], lost: bool) -> None:
    m = Machine()
    for thread, words in enumerate((one, two)):
        m.push(thread + 1, words)
    assert [fault[:2] for fault in m.faults] == [("shared_word", 2)] * lost
    assert [event.values for event in m.events] == [(2, 1)] * lost
    m.reset()
    m.push(2, two)
    assert m.faults == []


def test_posts_and_gets_that_are_lost() -> None:
    """Of words and of cores; one of several semaphores is enough."""
    fill, get, post = enc("SEMINIT", value=15, sem_mask=2), enc("SEMGET", sem_mask=3), 0xA4000008
    assert told(fill, post, get) == [("sem_lost", 1), ("sem_lost", 2)]
    assert told(post, enc("SEMGET", sem_mask=2), enc("SEMINIT", sem_mask=1)) == []
    m = Machine()
    m.run([[], [I.Get(3)], [I.Post(4), I.Get(4)]])
    m.store(2, 0xFFE80020 + 4 * 5, 1)
    assert [fault[:2] for fault in m.faults] == [("sem_lost", 1), ("sem_lost", 2)]
