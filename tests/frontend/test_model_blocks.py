# SPDX-License-Identifier: Apache-2.0
"""The cycle-exact model on random programs: functional order, invariants, long runs."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.isa.boundary.description import ORIGIN_STREAMS
from tilepath.isa.boundary.frontend import BOUNDARY
from tilepath.models.frontend import FrontendModel, FunctionalThread
from tilepath.tests.frontend.model_helpers import (
    MOP1,
    Records,
    model_run,
    random_inputs,
    replay,
    streams,
)
from tilepath.tests.model_runs import assert_same, stream


def by_push(records: Records, thread: int) -> Records:
    """The records with the number of the push offer in place of their origin, -1 if none is."""
    index, number = np.divmod(records["origin"], ORIGIN_STREAMS)
    numbered = records.copy()
    numbered["origin"] = np.where(number == BOUNDARY.number(f"t{thread}.push"), index, -1)
    return numbered


def test_cutting_a_run_longer_than_the_models_own_pieces() -> None:
    cycles = 200_000
    push = [(50 + 40 * n, MOP1) for n in range(4000)]
    inputs = streams(
        {
            "t1.push": push,
            "t1.mopcfg": [(n, n, data) for n, data in enumerate([2, 9, *[0x42000000] * 7])],
            "t1.ready": [(0, 1), *((100_000 + n, n & 1) for n in range(1, 60_000))],
            "sfpu_cc": [(65_535 + n, 1 - n % 2) for n in range(4)],
        }
    )
    whole = model_run(inputs, [cycles])
    assert len(whole["t1.issue"]) > 70_000
    assert_same(BOUNDARY, model_run(inputs, [65_536, 65_537, 131_071, cycles]), whole)


def functional_issue(inputs: dict[str, Records], got: dict[str, Records], t: int) -> list[int]:
    """Issue order by the functional expander; MopCfg writes fall before the next MOP ingested."""
    ingests = by_push(got[f"t{t}.ingest"], t)
    mops = ingests[ingests["word"] >> 24 == 1]
    words = inputs[f"t{t}.push"]["word"]
    writes = inputs[f"t{t}.mopcfg"]
    following = np.searchsorted(mops["cycle"], writes["cycle"], side="right")
    positions = np.append(mops["origin"], len(words))[following]
    rows_ = np.column_stack((positions, writes["index"], writes["data"])).astype(np.int64)
    return FunctionalThread().feed(words, rows_).tolist()


@pytest.mark.parametrize("seed", range(20))
def test_issue_order_is_the_functional_order(seed: int) -> None:
    rng = np.random.default_rng([3, seed])
    cycles = 500
    inputs = random_inputs(rng, cycles, brisc=False)
    for t in range(3):
        opened = stream(BOUNDARY, f"t{t}.ready", [(cycles, 1)])
        inputs[f"t{t}.ready"] = np.concatenate((inputs[f"t{t}.ready"], opened))
    # No more input but an open gate: everything drains.
    got = model_run(inputs, [cycles, 400_000])
    for t in range(3):
        assert len(got[f"t{t}.accept"]) == len(inputs[f"t{t}.push"])
        assert got[f"t{t}.issue"]["word"].tolist() == functional_issue(inputs, got, t)


@pytest.mark.parametrize("seed", range(10))
def test_invariants(seed: int) -> None:
    rng = np.random.default_rng([4, seed])
    cycles = 800
    inputs = random_inputs(rng, cycles)
    got = model_run(inputs, [cycles])
    for t in range(3):
        mine = (name for name in got if name.startswith(f"t{t}"))
        out = {name[3:]: by_push(got[name], t) for name in mine}
        check_invariants(out, inputs[f"t{t}.push"]["word"], cycles)


def before(events: Records, cycles: int) -> np.ndarray:
    """How many of the events have happened before each cycle."""
    return np.searchsorted(events["cycle"], np.arange(cycles), side="left")


def check_invariants(out: dict[str, Records], words: np.ndarray, cycles: int) -> None:
    # Exactly once and in order: what leaves R is what entered it, in order.
    count = len(out["issue"])
    assert out["issue"]["word"].tolist() == out["rq"]["word"][:count].tolist()
    assert (out["issue"]["cycle"] > out["rq"]["cycle"][:count]).all()
    assert out["accept"]["origin"].tolist() == list(range(len(out["accept"])))
    # The origin of a record is its word, or the MOP or REPLAY that made it.
    for name, makers in (("ingest", ()), ("mq", (1,)), ("rq", (1, 4)), ("issue", (1, 4))):
        own = out[name][out[name]["origin"] >= 0]
        made = words[own["origin"]]
        assert ((own["word"] == made) | np.isin(made >> 24, makers)).all(), name
    # Queues never overflow. A word has left the FIFO when it is ingested, written to M or lost.
    r_fill = before(out["rq"], cycles) - before(out["issue"], cycles)
    assert set(r_fill.tolist()) <= {0, 1, 2}
    lost = out["fault"][out["fault"]["collision"] == 1]
    plain = (words >> 24 != 1) & (words >> 24 != 3)
    popped = np.zeros(cycles, dtype=np.int64)
    popped[out["ingest"]["cycle"]] += 1
    own = out["mq"][out["mq"]["origin"] >= 0]
    popped[own["cycle"][plain[own["origin"]]]] += 1
    single = lost[(lost["illegal"] == 0) & (lost["origin"] >= 0)]
    popped[single["cycle"][plain[single["origin"]]]] += 1
    fifo_fill = before(out["accept"], cycles) - (np.cumsum(popped) - popped)
    assert fifo_fill.max() <= 32 + len(lost) - len(single)
    # An acknowledge means that no MOP is queued: all accepted before have been ingested before.
    accepted_mops = out["accept"][words[out["accept"]["origin"]] >> 24 == 1]
    ingested_mops = out["ingest"][out["ingest"]["word"] >> 24 == 1]
    waiting = before(accepted_mops, cycles) - before(ingested_mops, cycles)
    assert (waiting[out["sync_ack"]["cycle"]] == 0).all()


def test_long_runs_forget_what_is_over() -> None:
    model = FrontendModel()
    program = [replay(0, 4, 0, 1), 0x26000001, 0x42000002, 0x70000003, 0x45000004]
    block = 20_000
    sizes = []
    for n in range(30):
        base = n * block
        cycles = np.arange(base, base + block, 3)
        words = np.resize(np.array([*program, 0x04000040], dtype=np.uint32), cycles.size)
        inputs = {
            "t2.push": zip(cycles.tolist(), words.tolist(), strict=True),
            "t2.ready": [(base + k, k & 1) for k in range(block)],
            "t2.sync": [(base + k,) for k in range(0, block, 100)],
            "t2.mopcfg": [(base + k, 0, 1) for k in range(0, block, 50)],
        }
        got = model.step(streams(inputs), base + block)
        assert len(got["t2.issue"]) > block // 5
        sizes.append(sum(lane.kept for lane in model._lanes))
    assert max(sizes) < 100
