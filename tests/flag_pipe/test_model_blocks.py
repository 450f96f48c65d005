# SPDX-License-Identifier: Apache-2.0
"""The cycle model: long runs, who waits, names of states."""

from __future__ import annotations

import doctest

import numpy as np

from tilepath.isa.boundary.flag_pipe import PAIRS, STATES
from tilepath.models.flag_pipe import FlagPipeModel, untimed
from tilepath.models.flag_pipe.timing_state import State
from tilepath.tests.account_runs import accounted
from tilepath.tests.flag_pipe.model_helpers import (
    Records,
    asap,
    free,
    init,
    offers,
    pop,
    ports,
    push,
    stream,
)


def endless(start: int, cycles: int) -> dict[str, Records]:
    """AIC pushes, AIV0 pops and frees, for ever: the commands of some cycles."""
    cube = [(start + at, push(stamp=1)) for at in range(0, cycles, 12)]
    vector = [(start + at, free() if at % 12 else pop()) for at in range(0, cycles, 6)]
    return offers([cube, vector])


def test_long_runs_forget_what_is_over() -> None:
    model = FlagPipeModel()
    model.step(ports() | asap([[init(1)], [init(1)]]), 20)
    block = 120_000
    sizes = set()
    for n in range(4):
        end = 20 + (n + 1) * block
        out = model.step(endless(20 + n * block, block), end)
        assert len(out["core0.rsp"]) >= block // 12 - 2
        assert len(out["ub0_wr"]) >= 4 * (block // 12 - 2)
        sizes.add(sum(one.records.size - one.position["row"][0] for one in model._rows.cmd))
    assert max(sizes) <= 4
    kept = [a for a in vars(model).values() if isinstance(a, (list, set))]
    assert kept == []


def test_a_pass_ends_where_clears_fill_the_account() -> None:
    """Clears of a block at rest leave no record."""
    many = 40_000
    clears = stream("clr", ((cycle, 3) for cycle in range(many)))
    account, _ = accounted(FlagPipeModel(), {"clr": clears}, [many])
    assert account["strobe"]["cycle"].tolist() == np.repeat(np.arange(many), PAIRS).tolist()


def test_idle_stretches_are_skipped() -> None:
    model = FlagPipeModel()
    out = model.step(ports() | asap([[init(1)], [init(1), pop()]]), 1 << 32)
    assert model.now == 1 << 32
    assert out["core1.core"]["state"][-1] == State.WAIT
    assert model.waiting() == [
        "cycle 4294967296: AIV0 blocked at TPOP (pair 0 C2V empty), waits for ready flag cv0[0]"
    ]


def test_waiting_lines_of_what_is_under_way() -> None:
    model = FlagPipeModel()
    held = ports(ub0_wr=[(0, 0)])
    model.step(held | asap([[init(1), push(), push()], [init(1)]]), 50)
    assert model.waiting() == [
        "cycle 50: AIC in XFER of TPUSH, 0 of 4 beats written",
        "cycle 50: AIC is offered a command",
    ]
    model = FlagPipeModel()
    assert model.waiting() == []
    model.step(ports() | {"core1.cmd": stream("cmd", [(0, 6)])}, 1)
    assert model.waiting() == [
        "cycle 1: AIV0 in DONE of a reserved operation, 0 of 0 beats written"
    ]


def test_states_are_those_of_the_boundary() -> None:
    assert tuple(State.__members__) == STATES
    assert [int(state) for state in State] == list(range(len(STATES)))


def test_the_example_of_the_walk() -> None:
    failed, attempted = doctest.testmod(untimed, extraglobs={"np": np})
    assert (failed, attempted > 5) == (0, True)
