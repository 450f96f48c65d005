# SPDX-License-Identifier: Apache-2.0
"""The models of the flag pipe: long runs, bytes, the order of a walk; what is no vector."""

from __future__ import annotations

import doctest

import numpy as np
import pytest

from tilepath.isa.boundary.flag_pipe import PAIRS, STATES
from tilepath.models.flag_pipe import Command, FlagPipe, FlagPipeModel, Op, untimed
from tilepath.models.flag_pipe.timing_state import State
from tilepath.tests.account_runs import accounted
from tilepath.tests.flag_pipe.model_helpers import (
    C2V_BUF,
    GM_BASE,
    Records,
    asap,
    both_inits,
    columns,
    free,
    init,
    model_run,
    offers,
    pop,
    ports,
    push,
    stream,
)
from tilepath.tests.flag_pipe.test_model_errors import by_both


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


def test_waiting_lines_of_what_is_reserved() -> None:
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


def test_the_walk_takes_the_order_in_which_it_is_told() -> None:
    """Masks 2 and 3 SET a flag that is set; a pair at work is not cleared."""
    pipe = FlagPipe()
    for given in ([[init(2)], [init(3)]], [[pop(), free()]]):
        assert pipe.run(given).verdict == "DONE"
    assert pipe.set_set == {"cv0": True, "vc0": False, "cv1": False, "vc1": False}
    again = FlagPipe()
    again.run([[init(1), pop()], [init(1), pop()]])
    assert (again.clear(0), again.clear(1)) == (False, True)


def test_bytes_of_overlapped_traffic_through_global_memory() -> None:
    """Two tiles each way at a time, distinct bytes: V2C lies behind C2V (T15)."""
    size, rounds = 256, 6
    inits = both_inits(3, size=size)
    rng = np.random.default_rng(12)
    tiles = rng.integers(0, 1 << 32, (2, 2 * rounds, size // 4), dtype=np.uint32)
    pipe = FlagPipe("baseline,platform=a2a3")
    commands: list[list[Command]] = [[inits[0]], [inits[1]]]
    for core, where in enumerate(("L1", "UB0")):
        for k in range(2 * rounds):
            pipe.store(where, 0x1000 + k * size, tiles[core, k])
        for k in range(0, 2 * rounds, 2):
            commands[core] += [push(0x1000 + (k + n) * size) for n in (0, 1)]
            for n in (0, 1):
                commands[core] += [pop(tile=0x8000 + (k + n) * size), free()]
    assert pipe.run(commands).verdict == "DONE"
    for core, where in enumerate(("L1", "UB0")):
        got = pipe.load(where, 0x8000, (2 * rounds, size // 4))
        assert (got == tiles[1 - core]).all()
    ring = pipe.load("GM", GM_BASE, (2, 4, size // 4))
    for core in (0, 1):
        assert (ring[core] == tiles[core, -4:]).all()
    # the same traffic with computed tiles, cycle by cycle
    stamped = [
        [
            c._replace(fill_beats=8, stamp=9 * k + n) if c.op == Op.TPUSH else c
            for n, c in enumerate(x)
        ]
        for k, x in enumerate(commands, 1)
    ]
    by_both("a2a3", stamped, 3000)


def test_look_sees_a_popped_tile() -> None:
    """A digest of the slot, taken before it is freed, is that of the tile that was pushed."""
    looked = free(look_addr=C2V_BUF + 5, look_beats=4)
    commands = [[init(1), push(stamp=77)], [init(1), pop(), looked]]
    outcome = FlagPipe().run(commands)
    words = [(77 * 0x9E3779B1 + j * 0x85EBCA6B) % 2**32 for j in range(32)]
    mix = 0
    for word in words:
        mix = ((mix << 1 | mix >> 31) + word) % 2**32
    assert outcome.responses[1][-1].look == (sum(words) % 2**32, mix)
    timed = [[(10 * k, c) for k, c in enumerate(x)] for x in commands]
    timed[1][-1] = (60, looked)
    out, _ = model_run(ports() | offers(timed), 100)
    assert columns(out["core1.look"], "cycle", "sum", "mix") == [(60, sum(words) % 2**32, mix)]


def test_a_write_of_a_port_wins_over_fill() -> None:
    """``fill`` sets the beats of a cycle's end, a port's write of that cycle stands."""
    over = Command(Op.TFREE, tile_addr=C2V_BUF, fill_beats=4, stamp=1)
    found = []
    for at in range(30, 40):
        commands = [[(0, init(1)), (26, push(stamp=2))], [(0, init(1)), (at, over)]]
        _, model = model_run(ports() | offers(commands), 60)
        found.append(int(model.state()["memory"][1, 0]))
    assert len(set(found)) == 5  # 0 to 4 of the beats, written in 30 to 33, come after fill


@pytest.mark.parametrize("wrong", ["store", "memory", "size", "lists"])
def test_bad_use_of_the_walk(wrong: str) -> None:
    pipe = FlagPipe()
    with pytest.raises(ValueError, match=r"GM has no|no memory 'L2'|multiples of 4|lists of"):
        if wrong == "store":
            pipe.store("GM", 4_194_300, [1, 2])
        elif wrong == "memory":
            pipe.load("L2", 0, (1,))
        elif wrong == "size":
            pipe.store("L1", 2, [1, 2])
        else:
            pipe.run([[], [], [], []])
