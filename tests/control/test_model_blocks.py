# SPDX-License-Identifier: Apache-2.0
"""The cycle-exact model on random programs: cutting, compiled or not."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable

import numpy as np
import pytest

from tilepath import isa
from tilepath.isa.boundary.control import BOUNDARY
from tilepath.models.control import ControlModel, ControlState
from tilepath.tests.control.model_helpers import (
    MIXES,
    Records,
    input_dtype,
    level,
    model_run,
    origin,
    random_risc,
    random_word,
    rows,
    streams,
)
from tilepath.tests.model_runs import assert_same, cut, digest_in_plain_python, random_cuts

LEVELS = ("latch", "semaphores", "mutexes", "config_pipe", "scalar", "sticky")


def random_level(
    rng: np.random.Generator, cycles: int, bits: int, share: float
) -> Callable[[int], int]:
    """Values by cycle: each bit is 1 with ``share``, for one cycle or for long."""
    values: list[int] = []
    while len(values) < cycles:
        length = 1 if rng.random() < 0.8 else int(rng.integers(1, 40))
        value = sum(int(rng.random() < share) << n for n in range(bits))
        values += [value] * length
    return values.__getitem__


def random_inputs(rng: np.random.Generator, cycles: int) -> dict[str, Records]:
    """Random density of every kind of input."""
    offers = []
    for _ in range(3):
        mix = MIXES[str(rng.choice(list(MIXES)))]
        gap = int(rng.choice([1, 1, 2, 4]))
        words = [(0, isa.encode("SEMINIT", max=15, value=1, sem_mask=255))]
        t = 1
        while t < cycles:
            t += int(rng.integers(0, gap)) if rng.random() < 0.95 else int(rng.integers(0, 60))
            words.append((t, random_word(rng, mix)))
            t += 1
        offers.append(words)
    shares = [
        float(rng.choice(some)) for some in ([0, 0.02, 0.3, 1], [0.02, 0.2, 1], [0.1, 0.3, 1])
    ]
    hits = rng.random((3, cycles)) < np.array(shares)[:, np.newaxis]
    accesses = [(int(t), *random_risc(rng)) for t in np.flatnonzero(hits[0])]
    sems = [
        (int(t), *(int(x) for x in rng.integers(0, (2, 8, 2)))) for t in np.flatnonzero(hits[1])
    ]
    writes = [
        (
            int(t),
            int(rng.integers(0, 4)),
            int(rng.choice([29, 259, 5])),
            int(
                rng.choice([0, 1, 2, 1024, 1 << 17, 1 << 20, 0xFFFFFFFF, rng.integers(0, 1 << 32)])
            ),
        )
        for t in np.flatnonzero(hits[2])
    ]
    levels = {
        "busy": random_level(rng, cycles, 13, float(rng.choice([0.02, 0.1, 0.3]))),
        "unit_ready": random_level(rng, cycles, 6, float(rng.choice([0.2, 0.6, 1]))),
        "stream_busy": random_level(rng, cycles, 1, float(rng.choice([0, 0.1, 0.6]))),
    }
    return streams(
        {
            **{f"t{n}.offer": words for n, words in enumerate(offers)},
            "risc": accesses, "risc_sem": sems, "stream_write": writes,
            **{name: level(value, cycles) for name, value in levels.items()},
        }
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_cutting_into_blocks_changes_nothing(seed: int) -> None:
    rng = np.random.default_rng([2, seed])
    cycles = 500
    inputs = random_inputs(rng, cycles)
    whole = model_run(inputs, [cycles])
    assert sum(len(records) for records in whole.values()) > 500
    assert_same(BOUNDARY, model_run(inputs, range(1, cycles + 1)), whole)
    for most in (5, 50, 200):
        assert_same(BOUNDARY, model_run(inputs, random_cuts(rng, cycles, most)), whole)


def busy_inputs(rng: np.random.Generator, first: int, last: int, gap: int) -> dict[str, Records]:
    """Input events in each ``gap``-th cycle of ``first`` to ``last - 1``; nothing waits forever."""
    mix = {"config": 6.0, "setc16": 2.0, "scalar": 3.0, "unit": 3.0, "sem": 2.0, "nop": 2.0}
    cycles = np.arange(first, last, gap)
    pool = np.array([random_word(rng, mix) for _ in range(500)])

    def events(name: str, **fields: np.ndarray | int) -> Records:
        records = np.zeros(cycles.size, dtype=input_dtype(name))
        records["cycle"] = cycles
        for field, values in fields.items():
            records[field] = values
        return records

    def draw(limit: int) -> np.ndarray:
        return rng.integers(0, limit, cycles.size)

    return {
        **{f"t{t}.offer": events("offer", word=rng.choice(pool, cycles.size)) for t in range(3)},
        "risc": events("risc", write=draw(2), address=draw(1024), data=draw(1 << 32)),
        "risc_sem": events("risc_sem", write=draw(2), index=draw(8), get=draw(2)),
        "busy": events("busy", value=draw(1 << 13)),
        "unit_ready": events("unit_ready", value=63),
        "stream_busy": events("stream_busy", value=draw(2)),
        "stream_write": events("stream_write", stream=draw(4), register=29, data=draw(1 << 32)),
    }


def test_cutting_a_run_longer_than_the_models_own_pieces() -> None:
    rng = np.random.default_rng(9)
    inputs = busy_inputs(rng, 5, 50_000, 7)
    whole = model_run(inputs, [50_000])
    assert len(whole["t1.issue"]) > 7000
    assert_same(BOUNDARY, model_run(inputs, [16_384, 16_385, 32_767, 50_000]), whole)


def test_long_runs_forget_what_is_over() -> None:
    model = ControlModel()
    rng = np.random.default_rng(6)
    block = 10_000
    kept = set()
    for n in range(12):
        got = model.step(busy_inputs(rng, n * block, (n + 1) * block, 8), (n + 1) * block)
        assert len(got["t2.issue"]) > 1000
        assert int(got["t2.issue"]["origin"][0]) // 256 >= n * block // 8 - 10
        kept.add(sum(len(rows_) for rows_ in model._rows.values()))
    assert max(kept) < 10
    assert all(value.dtype != object for value in vars(model).values() if hasattr(value, "dtype"))


@pytest.mark.parametrize("seed", range(6))
def test_invariants(seed: int) -> None:
    rng = np.random.default_rng([4, seed])
    cycles = 800
    inputs = random_inputs(rng, cycles)
    got = model_run(inputs, [cycles])
    for name, records in got.items():
        suffix = name.rpartition(".")[2]
        assert (np.diff(records["cycle"].astype(np.int64)) > 0).all(), name
        if suffix in LEVELS:
            values = [
                (0,) * len(ControlModel.fields[suffix]),
                *rows(records, *ControlModel.fields[suffix]),
            ]
            assert all(a != b for a, b in itertools.pairwise(values)), name
    for t in range(3):
        issue, offer = got[f"t{t}.issue"], inputs[f"t{t}.offer"]
        # Exactly once and in order
        assert issue["word"].tolist() == offer["word"][: len(issue)].tolist()
        assert issue["origin"].tolist() == [origin(f"t{t}.offer", k) for k in range(len(issue))]
        assert (issue["cycle"] >= offer["cycle"][: len(issue)]).all()
    # One a cycle in the config unit, the scalar unit, the sync unit and each external unit
    scalar = (0x45, 0x48, 0x58, 0x5A, 0x60)
    for opcodes in ((0xB0, 0xB1, *range(0xB3, 0xB9)), scalar, range(0xA2, 0xA8)):
        issues = np.concatenate([got[f"t{t}.issue"] for t in range(3)])
        taken = issues["cycle"][np.isin(issues["word"] >> 24, opcodes)]
        assert len(set(taken.tolist())) == len(taken)
    # Stage 0 and REG2FLOP never write the words 64 to 179 in the same cycle
    stage0 = got["config_write"]
    thcon = stage0[(stage0["index"] >= 64) & (stage0["index"] < 180)]
    assert not set(thcon["cycle"].tolist()) & set(got["flop_write"]["cycle"].tolist())


def digest() -> str:
    """Hash of the model's output streams for a small fixed program, and of a functional run."""
    rng = np.random.default_rng(5)
    inputs = random_inputs(rng, 300)
    model = ControlModel()
    total = hashlib.sha256()
    for name, records in model.step(cut(inputs, 0, 300), 300).items():
        total.update(name.encode() + records.tobytes())
    total.update(repr(model.waiting()).encode())
    state = ControlState()
    effects = [state.execute(1, random_word(rng, MIXES[mix])) for mix in MIXES for _ in range(80)]
    total.update(repr((effects, state.mutexes, state.semaphores.tolist())).encode())
    total.update(state.config.tobytes() + state.thread_config.tobytes() + state.gpr.tobytes())
    return total.hexdigest()


def test_plain_python_gives_the_same() -> None:
    assert digest_in_plain_python("control") == digest()
