# SPDX-License-Identifier: Apache-2.0
"""The cycle model: cut into blocks, compiled or not, long runs, what causes what, bad input."""

from __future__ import annotations

import doctest
import hashlib
import itertools

import numpy as np
import pytest

from tilepath.isa.boundary import NOT_KNOWN, Origin
from tilepath.isa.boundary.flag_pipe import BOUNDARY, STATES
from tilepath.models.flag_pipe import FlagPipeModel, untimed
from tilepath.models.flag_pipe.timing_state import State
from tilepath.tests.flag_pipe.model_helpers import (
    Records,
    asap,
    free,
    init,
    model_run,
    offers,
    pop,
    ports,
    push,
    random_ports,
    stream,
)
from tilepath.tests.flag_pipe.random_programs import random_profile, random_program
from tilepath.tests.model_runs import (
    assert_same,
    digest_in_plain_python,
    random_cuts,
    run_in_pieces,
)


def random_inputs(rng: np.random.Generator, cycles: int, profile: str) -> dict[str, Records]:
    """Commands, clears and levels in some cycles."""
    commands = asap(random_program(rng, profile), int(rng.integers(1, 12)))
    offered = {name: rows[rows["cycle"] < cycles] for name, rows in commands.items()}
    at = np.unique(rng.integers(0, cycles, 12))
    clears = stream("clr", zip(at, rng.integers(0, 4, at.size), strict=True))
    return random_ports(rng, cycles) | offered | {"clr": clears}


@pytest.mark.parametrize("seed", range(8))
def test_cutting_into_blocks_changes_nothing(seed: int) -> None:
    rng = np.random.default_rng([2, seed])
    cycles = 600
    profile = random_profile(rng)
    inputs = random_inputs(rng, cycles, profile)
    whole, model = model_run(inputs, cycles, profile)
    assert sum(len(records) for records in whole.values()) > 50
    every = range(1, cycles + 1) if seed < 2 else [0, 0, 7, 7, cycles]
    for cuts in (every, random_cuts(rng, cycles, 20), random_cuts(rng, cycles, 200)):
        again = FlagPipeModel(profile)
        assert_same(BOUNDARY, run_in_pieces(again, inputs, cuts), whole)
        assert again.waiting() == model.waiting()
        for name, values in model.state().items():
            np.testing.assert_array_equal(values, again.state()[name])


@pytest.mark.parametrize("seed", range(8))
def test_records_are_well_formed(seed: int) -> None:
    rng = np.random.default_rng([3, seed])
    profile = random_profile(rng)
    inputs = random_inputs(rng, 2000, profile)
    out, _ = model_run(inputs, 2000, profile)
    for name, records in out.items():
        described = BOUNDARY.stream(name)
        assert (np.diff(records["cycle"].astype(np.int64)) > 0).all(), name
        fields = [field.name for field in described.fields]
        for field in described.fields:
            values = records[field.name]
            narrow = field.width < 32
            assert not (narrow and values.size) or int(values.max()) < 1 << field.width
        if described.kind == "level":
            rows = [(0,) * len(fields), *(tuple(row)[1:-1] for row in records.tolist())]
            assert all(a != b for a, b in itertools.pairwise(rows)), name
        for cycle, number in zip(records["cycle"], records["origin"], strict=True):
            assert number != NOT_KNOWN
            origin = Origin.decode(int(number), BOUNDARY.inputs)
            assert origin is not None
            cause = inputs[origin.stream][origin.index]
            assert cause["cycle"] <= cycle
            if name.split(".")[0] in ("core0", "core1", "core2"):
                assert origin.stream == name.split(".")[0] + ".cmd"
            elif "core" in fields:
                assert origin.stream == f"core{records['core'][records['cycle'] == cycle][0]}.cmd"


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
        left = model._left or ()
        sizes.add(sum(rows.size for rows in left))
        assert model._log.size == 1 << 15
    assert max(sizes) <= 4
    kept = [a for a in vars(model).values() if isinstance(a, (list, set))]
    assert kept == []


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


def digest() -> str:
    """Hash of the model's output streams for a few small programs."""
    total = hashlib.sha256()
    for platform, nflags in (("a2a3", 8), ("a5", 4)):
        rng = np.random.default_rng([5, nflags])
        profile = f"baseline,platform={platform},nflags={nflags}"
        inputs = random_inputs(rng, 300, profile)
        model = FlagPipeModel(profile)
        for name, records in run_in_pieces(model, inputs, [40, 130, 300]).items():
            total.update(name.encode() + records.tobytes())
        total.update(repr(model.waiting()).encode() + model.state()["memory"].tobytes())
    return total.hexdigest()


def test_plain_python_gives_the_same() -> None:
    assert digest_in_plain_python("flag_pipe") == digest()


def test_the_example_of_the_walk() -> None:
    failed, attempted = doctest.testmod(untimed, extraglobs={"np": np})
    assert (failed, attempted > 5) == (0, True)
