# SPDX-License-Identifier: Apache-2.0
"""Hazards of order (C26 to C30): raised where the pipeline gives another value, and only there."""

from __future__ import annotations

from typing import Final

import pytest

from tilepath.isa import encode as enc
from tilepath.models import Machine
from tilepath.models.machine import items as I
from tilepath.tests.control.model_helpers import NOP, control_run, reader
from tilepath.tests.tables import cases
from tilepath.tests.unpack.model_helpers import number_list, said, word_of

CASES: Final = cases(__file__, "hazards")
BASE: Final = 76  # word of Config: where unpacker 0 reads in context 0
GIVE: Final = enc("SETRWC", clear_dvalid=1)
OWN: Final = ("config_race", "half_gate", "shared_word", "stale_gpr", "sem_lost")


def told(m: Machine, *words: tuple[int, int]) -> list[str]:
    """Hazards of words that threads push, and which word it is; each has its event."""
    found = []
    for place, (thread, word) in enumerate(words):
        m.faults.clear()
        m.push(thread, word)
        found += [f"{fault.name}@{place}" for fault in m.faults if fault.name in OWN]
    names = {one.partition("@")[0] for one in found}
    assert {event.name for event in m.events if event.name in OWN} <= names
    return found


@pytest.mark.parametrize("name", CASES)
def test_hazard(name: str) -> None:
    case, words = CASES[name], []
    profile = case.get("profile", "baseline")
    for some in case["given"]:
        for line in [some] if isinstance(some, str) else some:
            thread, what, fields = said(line)
            is_word = what.startswith("0x")
            words.append((thread, int(what, 16) if is_word else word_of(what, fields, profile)))
    m = Machine(profile)
    assert told(m, *words) == case["told"].split()
    if "values" in case:
        assert [event.values for event in m.events] == [tuple(number_list(case["values"]))]
        m.reset()
        assert told(m, *(one for one in words if one[0] == words[-1][0])) == []


@pytest.mark.parametrize("between", range(8))
@pytest.mark.parametrize("name", ["WRCFG", "CFGSHIFTMASK", "RMWCIB0", "STREAMWRCFG"])
def test_machine_tells_where_the_pipeline_shows_the_old_value(name: str, between: int) -> None:
    """7 is in the register, the scratch word and the stream; so many words lie between."""
    fields = {
        "WRCFG": {"gpr": 4},
        "CFGSHIFTMASK": {"mask_mode": 1, "alu": 3, "mask_width": 31, "scratch": 0},
        "RMWCIB0": {"mask": 0xFF, "data": 7},
    }
    writer = enc(name, cfg_index=BASE, **fields.get(name, {}))
    behind = [*[NOP] * between, reader(BASE)]
    program = [enc("SETDMAREG", value=7, half_reg=8), (20, writer), *behind]
    out = control_run(program, risc=[(0, 1, 209, 7)], stream_write=[(0, 0, 0, 7)])
    old = out["view_unpack0"]["data"].tolist() == [0]
    assert old == (between < {"RMWCIB0": 0, "STREAMWRCFG": 4}.get(name, 1))
    raised = told(Machine(), *((0, word) for word in (writer, *behind)))
    assert raised == [f"config_race@{between + 1}"] * (old or name == "STREAMWRCFG")


@pytest.mark.parametrize(("between", "value"), [(0, 0), (1, 7)])
def test_a_register_that_rdcfg_has_not_written_yet(between: int, value: int) -> None:
    """WRCFG right behind writes what was in it; one word further what RDCFG read."""
    words = [
        enc("RDCFG", gpr=4, cfg_index=60), *[NOP] * between, enc("WRCFG", gpr=4, cfg_index=BASE),
    ]  # fmt: skip
    out = control_run([(20, words[0]), *words[1:]], risc=[(0, 1, 60, 7)])
    assert out["config_write"]["data0"].tolist()[-1] == value
    assert told(Machine(), *((0, word) for word in words)) == ["config_race@1"] * (not between)


def test_what_cores_do() -> None:
    """Posts and gets of theirs are lost, too; a sync waits until the Matrix Unit is done."""
    m = Machine()
    m.run([[GIVE, I.Sync(), enc("STALLWAIT", block=0x40, cond=0x80)]])
    assert "half_gate" not in {fault.name for fault in m.faults}
    m.reset()
    m.run([[], [I.Get(3)], [I.Post(4), I.Get(4)]])
    m.store(2, 0xFFE80020 + 4 * 5, 1)
    assert [fault[:2] for fault in m.faults] == [("sem_lost", 1), ("sem_lost", 2)]
