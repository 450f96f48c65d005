# SPDX-License-Identifier: Apache-2.0
"""The cycle-exact model on random programs: literal reference, cutting, functional order."""

from __future__ import annotations

import hashlib
import itertools

import numpy as np
import pytest

from tilepath.isa.boundary.description import ORIGIN_STREAMS
from tilepath.isa.boundary.frontend import BOUNDARY
from tilepath.models.frontend import FrontendModel, FunctionalThread
from tilepath.tests.frontend.model_helpers import (
    MOP1,
    Records,
    model_run,
    random_cfg,
    random_word,
    replay,
    rows,
    stream,
    streams,
)
from tilepath.tests.frontend.model_reference import Thread, run
from tilepath.tests.model_runs import assert_same, digest_in_plain_python, random_cuts

WITH_ORIGIN = ("accept", "brisc_accept", "sync_ack", "ingest", "mq", "rq", "issue")


def fields_of(name: str) -> list[str]:
    return [field.name for field in BOUNDARY.stream(name).fields]


def by_push(records: Records, thread: int) -> Records:
    """The records with the number of the push offer in place of their origin, -1 if none is."""
    index, number = np.divmod(records["origin"], ORIGIN_STREAMS)
    numbered = records.copy()
    numbered["origin"] = np.where(number == BOUNDARY.number(f"t{thread}.push"), index, -1)
    return numbered


def random_ready(rng: np.random.Generator, cycles: int) -> list[int]:
    share = float(rng.choice([0, 0.02, 0.3, 0.7, 1.0]))
    ready: list[int] = []
    while len(ready) < cycles:
        length = 1 if rng.random() < 0.8 else int(rng.integers(1, 40))
        ready += [int(rng.random() < share)] * length
    return ready


def random_thread(
    rng: np.random.Generator, cycles: int, profile: str, brisc: bool = True
) -> Thread:
    """A thread with random density of every kind of input."""
    gap = int(rng.choice([1, 1, 2, 4]))
    push = []
    t = 0
    while t < cycles:
        t += int(rng.integers(0, gap)) if rng.random() < 0.95 else int(rng.integers(0, 60))
        push.append((t, random_word(rng)))
        t += 1
    shares = [float(rng.choice(some)) for some in ([0, 0.02, 0.3, 1], [0, 0.05, 0.3], [0.02, 0.5])]
    hits = rng.random((3, cycles)) < np.array(shares)[:, np.newaxis]
    return Thread(
        profile,
        push,
        [(int(t), random_word(rng)) for t in np.flatnonzero(hits[0]) if brisc],
        [int(t) for t in np.flatnonzero(hits[1])],
        {t: random_cfg(rng) for t in range(cycles) if t < 20 or hits[2, t]},
        random_ready(rng, cycles),
    )


def reference_run(
    rng: np.random.Generator, cycles: int, profile: str = "baseline", brisc: bool = True
) -> tuple[dict[str, Records], dict[str, list[tuple[int, ...]]]]:
    busy = [int(x) for x in rng.integers(0, 2, 37)]
    threads = [random_thread(rng, cycles, profile, brisc) for _ in range(3)]
    inputs, outputs = run(threads, busy, cycles)
    return streams(inputs), outputs


@pytest.mark.parametrize("seed", range(60))
def test_equals_the_literal_reference(seed: int) -> None:
    rng = np.random.default_rng([1, seed])
    cycles = int(rng.integers(20, 600))
    profile = ("baseline", "blackhole")[seed % 2]
    inputs, want = reference_run(rng, cycles, profile)
    got = model_run(inputs, random_cuts(rng, cycles, 20), profile)
    for name, records in got.items():
        fields = ["cycle", *fields_of(name)]
        if name[3:] in WITH_ORIGIN:
            fields.append("origin")
        assert rows(records, *fields) == want.get(name, []), name


@pytest.mark.parametrize("seed", range(8))
def test_cutting_into_blocks_changes_nothing(seed: int) -> None:
    rng = np.random.default_rng([2, seed])
    cycles = 500
    inputs, _ = reference_run(rng, cycles)
    whole = model_run(inputs, [cycles])
    assert sum(len(records) for records in whole.values()) > 100
    assert_same(BOUNDARY, model_run(inputs, range(1, cycles + 1)), whole)
    for most in (5, 50, 200):
        assert_same(BOUNDARY, model_run(inputs, random_cuts(rng, cycles, most)), whole)


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
    inputs, _ = reference_run(rng, cycles, brisc=False)
    for t in range(3):
        last = [(cycles, 1)]
        inputs[f"t{t}.ready"] = np.concatenate((inputs[f"t{t}.ready"], stream("ready", last)))
    # No more input but an open gate: everything drains.
    got = model_run(inputs, [cycles, 400_000])
    for t in range(3):
        assert len(got[f"t{t}.accept"]) == len(inputs[f"t{t}.push"])
        assert got[f"t{t}.issue"]["word"].tolist() == functional_issue(inputs, got, t)


@pytest.mark.parametrize("seed", range(10))
def test_invariants(seed: int) -> None:
    rng = np.random.default_rng([4, seed])
    cycles = 800
    inputs, _ = reference_run(rng, cycles)
    got = model_run(inputs, [cycles])
    for t in range(3):
        mine = (name for name in got if name.startswith(f"t{t}"))
        out = {name[3:]: by_push(got[name], t) for name in mine}
        check_invariants(out, inputs[f"t{t}.push"]["word"], cycles)


def before(events: Records, cycles: int) -> np.ndarray:
    """How many of the events have happened before each cycle."""
    return np.searchsorted(events["cycle"], np.arange(cycles), side="left")


def check_invariants(out: dict[str, Records], words: np.ndarray, cycles: int) -> None:
    for name in ("accept", "mq", "rq", "issue", "ingest", "brisc_accept", "sync_ack", "fault"):
        assert (np.diff(out[name]["cycle"].astype(np.int64)) > 0).all(), name
    # Exactly once and in order: what leaves R is what entered it, in order.
    count = len(out["issue"])
    assert out["issue"]["word"].tolist() == out["rq"]["word"][:count].tolist()
    assert (out["issue"]["cycle"] > out["rq"]["cycle"][:count]).all()
    assert out["accept"]["origin"].tolist() == list(range(len(out["accept"])))
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
    # Level streams record changes only.
    for name in ("status", "sticky", "qstatus"):
        fields = fields_of(name)
        if len(out[name]):
            values = [(0,) * len(fields), *rows(out[name], *fields)]
            assert all(a != b for a, b in itertools.pairwise(values)), name


def test_long_runs_forget_what_is_over() -> None:
    model = FrontendModel()
    program = [replay(0, 4, 0, 1), 0x26000001, 0x42000002, 0x70000003, 0x45000004]
    block = 20_000
    sizes = []
    for n in range(30):
        base = n * block
        cycles = np.arange(base, base + block, 3)
        words = np.resize(np.array([*program, 0x04000040], dtype=np.uint32), cycles.size)
        push = stream("push", zip(cycles.tolist(), words.tolist(), strict=True))
        ready = stream("ready", [(base + k, k & 1) for k in range(block)])
        sync = stream("sync", [(base + k,) for k in range(0, block, 100)])
        cfg = stream("mopcfg", [(base + k, 0, 1) for k in range(0, block, 50)])
        inputs = {"t2.push": push, "t2.ready": ready, "t2.sync": sync, "t2.mopcfg": cfg}
        got = model.step(inputs, base + block)
        assert len(got["t2.issue"]) > block // 5
        sizes.append(sum(lane.kept for lane in model._lanes))
    assert max(sizes) < 100


def digest() -> str:
    """Hash of the model's output streams for a small fixed program, and of a functional run."""
    rng = np.random.default_rng(5)
    inputs, _ = reference_run(rng, 200)
    got = model_run(inputs, [37, 120, 200])
    total = hashlib.sha256()
    for name, records in got.items():
        total.update(name.encode() + records.tobytes())
    words = [random_word(rng) for _ in range(200)]
    thread = FunctionalThread()
    writes = [(int(p), *random_cfg(rng)) for p in sorted(rng.integers(0, 200, 60))]
    total.update(thread.feed(words, writes).tobytes())
    return total.hexdigest()


def test_plain_python_gives_the_same() -> None:
    assert digest_in_plain_python("frontend") == digest()
