# SPDX-License-Identifier: Apache-2.0
"""Random programs: with and without time they leave the same behind, whatever memories do."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tilepath.models.flag_pipe import FlagPipe, FlagPipeModel
from tilepath.models.state import differences
from tilepath.tests.flag_pipe.model_helpers import asap, columns, random_ports
from tilepath.tests.flag_pipe.random_programs import random_profile, random_program

_PORTS_CHANGE = 2000  # cycles
_MOST = 100_000
ROUNDS = 100


def one(rng: np.random.Generator) -> tuple[str, set[int]]:
    """A program by both models, compared; its verdict, and the errors it has met."""
    profile = random_profile(rng)
    programs = random_program(rng, profile)
    pipe = FlagPipe(profile)
    outcome = pipe.run(programs)
    model = FlagPipeModel(profile)
    inputs = random_ports(rng, _PORTS_CHANGE) | asap(programs, int(rng.integers(1, 40)))
    parts = [model.step(inputs, 2 * _PORTS_CHANGE)]
    while any(records.size for records in parts[-1].values()):
        assert model.now < _MOST
        parts.append(model.step({}, model.now + _PORTS_CHANGE))
    out = {name: np.concatenate([part[name] for part in parts]) for name in model.outputs}
    for core, answers in enumerate(outcome.responses):
        rows = columns(out[f"core{core}.rsp"], "op", "err", "tag", "addr")
        assert rows == [(a.op, a.err, a.tag, a.addr) for a in answers]
        looks = columns(out[f"core{core}.look"], "sum", "mix")
        done = [a.look for a in answers if a.look]
        assert looks[: len(done)] == done  # one more where a core is blocked in what it took
    assert differences(model.state(), pipe.state()) == []
    status = [out[f"pair{pair}.status"] for pair in (0, 1)]
    assert not any(records["set_set"].any() for records in status)
    is_dead = any(records.size and records["deadlock"][-1] for records in status)
    waits = [line for line in model.waiting() if "blocked" in line]
    assert outcome.verdict == ("DEADLOCK" if is_dead else "STARVED" if waits else "DONE")
    assert len(waits) == len(outcome.lines)
    return outcome.verdict, {a.err for answers in outcome.responses for a in answers}


@pytest.mark.parametrize("seed", range(10))
def test_random_programs(seed: int) -> None:
    rng = np.random.default_rng([12, seed])
    found = [one(rng) for _ in range(ROUNDS)]
    verdicts = Counter(verdict for verdict, _ in found)
    assert verdicts.keys() == {"DONE", "DEADLOCK", "STARVED"}
    assert {err for _, errors in found for err in errors} >= {0, 1, 2, 6, 7, 8, 10}
