# SPDX-License-Identifier: Apache-2.0
"""What concerns a pair: set on set, configurations that differ, clear, deadlock, its bytes."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.isa.boundary.flag_pipe import STATES
from tilepath.models.flag_pipe import Command, FlagPipe, Op
from tilepath.models.flag_pipe.untimed import Verdict
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

STATUS = ("cycle", "set_set", "cfg_mismatch", "clr_busy", "deadlock")
WAIT = STATES.index("WAIT")


def clear(*rows: tuple[int, int]) -> dict[str, Records]:
    """Strobes of ``clr``: cycle, pairs."""
    return {"clr": stream("clr", rows)}


def test_set_on_set() -> None:
    """Masks 2 and 3: AIC takes AIV0's free flag 0 as ready, and its TFREE SETs a set flag (T2)."""
    commands = [[(0, init(2)), (20, pop()), (40, free())], [(0, init(3))]]
    out, model = model_run(ports() | offers(commands), 100)
    assert columns(out["core0.rsp"], "cycle", "op", "err", "tag")[1:] == [
        (22, Op.TPOP, 0, 0),
        (41, Op.TFREE, 0, 0),
    ]
    assert columns(out["pair0.status"], *STATUS) == [(2, 0, 1, 0, 0), (43, 1, 1, 0, 0)]
    assert columns(out["pair0.pair_fault"], "cycle", "cv_set_set", "vc_set_set") == [
        (2, 0, 0),
        (43, 1, 0),
    ]
    assert model.state()["flags"].tolist() == [0xFF, 0x0E, *[0] * 14]
    # the walk without time takes the order in which it happened
    pipe = FlagPipe()
    for given in ([[init(2)], [init(3)]], [[pop(), free()]]):
        assert pipe.run(given).verdict == "DONE"
    assert pipe.set_set == {"cv0": True, "vc0": False, "cv1": False, "vc1": False}
    assert pipe.state()["flags"].tolist() == model.state()["flags"].tolist()


@pytest.mark.parametrize(
    ("changed", "platform", "differs"),
    [
        ({"slot_size": 64}, "a5", True),
        ({"slot_size": 64}, "a2a3", True),
        ({"dir_mask": 3}, "a5", True),
        ({"c2v_buf": 0x9000}, "a5", True),
        ({"v2c_buf": 0x9000}, "a5", False),  # not active in mask 1
        ({"gm_base": 0x9000}, "a5", False),
        ({"gm_base": 0x9000}, "a2a3", True),
        ({"c2v_buf": 0x9000, "v2c_buf": 0x9020}, "a2a3", False),
        ({}, "a5", False),
    ],
)
def test_configurations_that_differ(changed: dict[str, int], platform: str, differs: bool) -> None:
    vector = Command(**(init(1, 1)._asdict() | {"peer": 0} | changed))
    commands = [[(0, init(1, 1))], [], [(10, vector)]]
    out, _ = model_run(ports() | offers(commands), 50, f"baseline,platform={platform}")
    expected = [(12, 0, 1, 0, 0)] if differs else []
    assert columns(out["pair1.status"], *STATUS) == expected
    assert not out["pair0.status"].size


@pytest.mark.parametrize(
    ("at", "granted"),
    [
        (10, True),  # AIV0 idle, AIC idle
        (3, False),  # AIV0 in PRE
        (9, False),  # the last free flag is still on its way in 9
        (20, False),  # AIC is offered a TPUSH for the pair in 20
        (24, False),  # at work for it
        (28, False),  # in DONE
        (29, False),  # its SET is on its way
        (30, True),
        (40, True),  # AIC accepts a command for the other pair
        (43, True),  # and waits for it
        (60, False),  # AIC is offered one for this pair meanwhile
        (70, False),
    ],
)
def test_clear(at: int, granted: bool) -> None:
    cube = [(0, init(1)), (20, push(stamp=3)), (35, init(1, 1)), (40, push(0, 1))]
    cube.append((60, push()))
    commands = [cube, [(0, init(1))]]
    out, model = model_run(ports() | offers(commands) | clear((at, 1)), 100)
    row = (at + 1, 0, 0, 1, 0)
    assert columns(out["pair0.status"], *STATUS) == ([] if granted else [row])
    assert columns(out["pair0.pair_fault"], "cycle", "clr_busy") == (
        [] if granted else [(*row[:1], 1)]
    )
    ends = columns(out["end0.endpoint"], "cycle", "init")
    assert ((at + 1, 0) in ends) is granted
    if granted:
        assert model.state()["flags"][:2].tolist() == [0, 0]
        assert not model.state()["endpoints"][[0, 2]].any()
    assert model.state()["endpoints"][1, 0] == 1  # pair 1 is left alone


def test_clear_of_both_pairs_and_of_errors() -> None:
    """Each pair by itself; a granted clear takes the sticky errors away."""
    commands = [[(0, init(1)), (10, init(1, 1))], [(0, init(1))], [(8, init(2))]]
    out, _ = model_run(ports() | offers(commands) | clear((2, 3), (30, 3)), 60)
    assert columns(out["pair0.status"], *STATUS) == [(3, 0, 0, 1, 0), (31, 0, 0, 0, 0)]
    mismatch = [(12, 0, 1, 0, 0), (31, 0, 0, 0, 0)]
    assert columns(out["pair1.status"], *STATUS) == mismatch
    again = FlagPipe()
    again.run([[init(1), pop()], [init(1), pop()]])
    assert not again.clear(0)
    assert again.clear(1)


def test_relaunch_from_one_direction_to_both() -> None:
    """Without a clear INIT is refused; with one no stale flag is left (T13)."""
    first = [both_inits(1), both_inits(3)]
    for cleared in (True, False):
        commands = [
            [(0, first[0][k]), (50, first[1][k]), (70, push(stamp=5 + k)), (71, pop())]
            for k in (0, 1)
        ]
        strobe = clear((40, 1)) if cleared else {}
        out, model = model_run(ports() | offers(commands) | strobe, 200)
        answers = [columns(out[f"core{k}.rsp"], "op", "err") for k in (0, 1)]
        if cleared:
            assert answers[0] == answers[1] == [(0, 0), (0, 0), (1, 0), (2, 0)]
            assert not out["pair0.status"].size
            assert model.state()["flags"].tolist() == [0xE0, 0x0E, *[0] * 14]
        else:
            assert [row[1] for row in answers[0]] == [0, 2, 0, 6]
            assert [row[1] for row in answers[1]] == [0, 2, 6, 0]


@pytest.mark.parametrize("k", range(1, 8))
@pytest.mark.parametrize("platform", ["a2a3", "a5"])
def test_push_first_on_both_sides(k: int, platform: str) -> None:
    """Four pushes ahead of the pops go well on both sides, five do not (T18)."""
    program = [*[push()] * k, *[pop(), free()] * k]
    inits = both_inits(3)
    commands = [[one, *program] for one in inits]
    want: Verdict = "DONE" if k <= 4 else "DEADLOCK"
    outcome = FlagPipe(f"baseline,platform={platform}").run(commands)
    assert outcome.verdict == want
    out, model = model_run(ports() | asap(commands), 1000, f"baseline,platform={platform}")
    status = columns(out["pair0.status"], "deadlock")
    assert status == ([] if k <= 4 else [(1,)])
    lines = model.waiting()
    if k > 4:
        assert outcome.lines == (
            "AIC blocked at TPUSH#5 (pair 0 C2V full), waits for free flag vc0[0]",
            "AIV0 blocked at TPUSH#5 (pair 0 V2C full), waits for free flag cv0[4]",
        )
        assert [line.split("#")[0][:30] for line in lines] == [
            "cycle 1000: AIC blocked at TPU",
            "cycle 1000: AIC is offered a c",
            "cycle 1000: AIV0 blocked at TP",
            "cycle 1000: AIV0 is offered a ",
        ]
    else:
        assert lines == []


def test_verdicts() -> None:
    inits = both_inits(3)
    pops_first = [[one, pop(), free(), push()] for one in inits]
    assert FlagPipe().run(pops_first).verdict == "DEADLOCK"
    five_and_one = [[inits[0], *[push()] * 5], [inits[1], push(), *[pop(), free()] * 5]]
    assert FlagPipe().run(five_and_one).verdict == "DONE"
    starved = FlagPipe().run([[init(1), push()], [init(1), pop(), free(), pop()]])
    assert starved[:2] == (
        "STARVED",
        ("AIV0 blocked at TPOP#3 (pair 0 C2V empty), waits for ready flag cv0[1]",),
    )
    out, _ = model_run(ports() | asap([[init(1), push()], [init(1), pop(), free(), pop()]]), 200)
    assert not out["pair0.status"].size  # no deadlock: nobody waits for the vector


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
