# SPDX-License-Identifier: Apache-2.0
"""The worked timelines and bounds of the cycle contract, on the cycle-exact model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pytest

from tilepath.models.flag_pipe import Command, FlagPipeModel, Op
from tilepath.tests.flag_pipe.model_helpers import (
    Records,
    asap,
    both_inits,
    columns,
    free,
    model_run,
    offers,
    pop,
    ports,
    push,
    stream,
)

IDLE, PRE, WAIT, XFER, DONE = range(5)
Step = tuple[int, Command]  # cycles in which nothing is offered after the response before; command


def looped(programs: Sequence[Sequence[Step]], profile: str, cycles: int) -> dict[str, Records]:
    """A run in which each core is offered its next command when it has responded."""
    model = FlagPipeModel(profile)
    found = defaultdict(list)
    following = [(0, 0)] * len(programs)  # command, cycle in which it is offered
    for cycle in range(cycles):
        inputs = ports() if cycle == 0 else {}
        for core, (index, at) in enumerate(following):
            if at == cycle and index < len(programs[core]):
                inputs[f"core{core}.cmd"] = stream("cmd", [(cycle, *programs[core][index][1])])
        for name, records in model.step(inputs, cycle + 1).items():
            found[name].append(records)
        for core, (index, _) in enumerate(following):
            if index < len(programs[core]) and found[f"core{core}.rsp"][-1].size:
                use = programs[core][index + 1][0] if index + 1 < len(programs[core]) else 0
                following[core] = index + 1, cycle + 1 + use
    return {name: np.concatenate(parts) for name, parts in found.items()}


def responses(out: dict[str, Records], core: int, op: Op) -> list[int]:
    """Cycles in which a core has responded to an operation."""
    return [cycle for cycle, done in columns(out[f"core{core}.rsp"], "cycle", "op") if done == op]


def entered(out: dict[str, Records], core: int, state: int) -> list[int]:
    """Cycles in which a core's state has become this one."""
    return [c for c, now in columns(out[f"core{core}.core"], "cycle", "state") if now == state]


def visible(out: dict[str, Records], bank: str, flag: int) -> list[int]:
    """Cycles from which a flag is 1, after it was 0."""
    levels = columns(out["pipe0.flags"], "cycle", bank)
    before = [0, *(value for _, value in levels)]
    return [c for (c, now), was in zip(levels, before, strict=False) if now & ~was & 1 << flag]


def unidirectional(platform: str, use: int, rounds: int) -> dict[str, Records]:
    """The first table: C2V, four slots, AIC as fast as it can."""
    cube, vector = both_inits(1)
    consumer = [(0, vector), *[(0, pop()), (use, free())] * rounds]
    producer = [(0, cube), *[(0, push(stamp=1 + k)) for k in range(rounds)]]
    return looped([producer, consumer], f"baseline,nflags=4,platform={platform}", 320)


def test_unidirectional_a5_use_40() -> None:
    out = unidirectional("a5", 40, 5)
    assert columns(out["core0.rsp"], "cycle")[0] == (1,)
    assert columns(out["core1.rsp"], "cycle")[0] == (4,)
    assert [visible(out, "vc0", k)[0] for k in range(4)] == [3, 4, 5, 6]
    assert entered(out, 0, WAIT) == [3, 12, 21, 30, 39]
    assert entered(out, 0, XFER) == [4, 13, 22, 31, 58]
    assert responses(out, 0, Op.TPUSH) == [10, 19, 28, 37, 64]
    assert sorted(c for k in range(4) for c in visible(out, "cv0", k)) == [12, 21, 30, 39, 66]
    assert entered(out, 1, WAIT) == [6, 57, 102, 147, 192]
    assert responses(out, 1, Op.TPOP) == [13, 58, 103, 148, 193]
    assert responses(out, 1, Op.TFREE) == [55, 100, 145, 190, 235]
    assert visible(out, "vc0", 0)[1:] == [57, 237]
    slots = columns(out["core1.rsp"], "op", "tag", "addr")[1::2]
    assert slots == [(Op.TPOP, k % 4, 0x8000 + 128 * (k % 4)) for k in range(5)]


@pytest.mark.parametrize(
    ("platform", "popped", "freed"),
    [
        ("a5", [13, 24, 35, 46, 57, 68], [21, 32, 43, 54, 65, 76]),
        ("a2a3", [19, 36, 53, 70, 87, 104], [27, 44, 61, 78, 95, 112]),
    ],
)
def test_unidirectional_use_6(platform: str, popped: list[int], freed: list[int]) -> None:
    out = unidirectional(platform, 6, 6)
    if platform == "a5":
        assert responses(out, 0, Op.TPUSH) == [10, 19, 28, 37, 46, 55]
    assert responses(out, 1, Op.TPOP) == popped
    assert responses(out, 1, Op.TFREE) == freed


def test_bidirectional() -> None:
    cube, vector = both_inits(3)
    loop = [(0, push(stamp=7)), (0, pop()), (6, free())] * 5
    out = looped([[(0, cube), *loop], [(0, vector), *loop]], "baseline", 130)
    for core in (0, 1):
        waits = [w + 20 * k for k in range(5) for w in (6, 15)]
        assert entered(out, core, WAIT) == waits
        assert entered(out, core, PRE) == [1]
        assert responses(out, core, Op.TPUSH) == [13 + 20 * k for k in range(5)]
        assert responses(out, core, Op.TPOP) == [16 + 20 * k for k in range(5)]
        assert responses(out, core, Op.TFREE) == [24 + 20 * k for k in range(5)]
    assert [visible(out, "cv0", 4 + k)[0] for k in range(4)] == [3, 4, 5, 6]
    assert [visible(out, "vc0", k)[0] for k in range(4)] == [3, 4, 5, 6]
    assert visible(out, "cv0", 0) == visible(out, "vc0", 4) == [15, 95]


@pytest.mark.parametrize("beats", [1, 4, 16])
@pytest.mark.parametrize("platform", ["a2a3", "a5"])
@pytest.mark.parametrize("latency", [1, 2, 4])
def test_bounds(beats: int, platform: str, latency: int) -> None:
    size = 32 * beats
    cube, vector = both_inits(1, size=size)
    profile = f"baseline,platform={platform},flag_lat={latency},hold_max=8"
    fast = [vector, *[pop()] * 4, *[free()] * 4]
    producer = [(0, cube), *[(20 + k, push()) for k in range(4)]]
    consumer = [(0 if k == 0 else 400 + k, command) for k, command in enumerate(fast)]
    out, _ = model_run(ports() | offers([producer, consumer]), 900, profile)
    assert set(np.diff(entered(out, 0, WAIT))) == {beats + 5}
    assert set(np.diff(entered(out, 1, WAIT))) == {3 if platform == "a5" else beats + 5}
    assert set(np.diff(responses(out, 1, Op.TFREE))) == {2}
    if platform == "a5":
        alone = [(0, cube), (20, push())], [(0, vector), (20, pop())]
        out, _ = model_run(ports() | offers(alone), 200, profile)
        assert responses(out, 1, Op.TPOP) == [20 + beats + latency + 5]


def test_credit_and_latency() -> None:
    """With latency 10 four reads are out, then one for each write; refused writes hold all up."""
    cube, vector = both_inits(1, size=256)
    slow = ports(l1_rd=[(0, 1, 10)])
    out, _ = model_run(slow | asap([[cube, push()], [vector]]), 100)
    first = entered(out, 0, XFER)[0]
    reads = [c - first for (c,) in columns(out["l1_rd"], "cycle")]
    writes = [c - first for (c,) in columns(out["ub0_wr"], "cycle")]
    assert reads[:4] == [0, 1, 2, 3]
    assert writes[:4] == [11, 12, 13, 14]
    assert reads[4:] == [12, 13, 14, 15]  # credit is as registered
    held = ports(ub0_wr=[(0, 0), (90, 1)])
    out, _ = model_run(held | asap([[cube, push()], [vector]]), 120)
    assert columns(out["ub0_wr"], "cycle")[0] == (90,)
    assert sum(c < 90 for (c,) in columns(out["l1_rd"], "cycle")) == 4


def test_shared_port_takes_turns() -> None:
    """Three cores push through ``gm_wr`` at once: each in its turn, none overtakes."""
    inits = [both_inits(3, pair) for pair in (0, 1)]
    commands = [
        [(0, inits[0][0]), (20, inits[1][0]), (50, push(stamp=1))],
        *([(0, inits[pair][1]), (50, push(stamp=2 + pair))] for pair in (0, 1)),
    ]
    out, _ = model_run(ports() | offers(commands), 100, "baseline,platform=a2a3")
    assert [core for (core,) in columns(out["gm_wr"], "core")] == [0, 1, 2] * 4
    cycles = [c for (c,) in columns(out["gm_wr"], "cycle")]
    assert cycles == list(range(cycles[0], cycles[0] + 12))
    refused = ports(gm_wr=[(0, 0), (70, 1), (71, 0), (80, 1)])
    out, _ = model_run(refused | offers(commands), 120, "baseline,platform=a2a3")
    assert columns(out["gm_wr"], "cycle", "core")[:3] == [(70, 0), (80, 1), (81, 2)]
