# SPDX-License-Identifier: Apache-2.0
"""The unpackers' cycle model: cut into blocks, compiled or not."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest

from tilepath import isa
from tilepath.isa.boundary import Origin
from tilepath.isa.boundary.unpack import BOUNDARY
from tilepath.models import format_codes as F
from tilepath.models.unpack import UnpackModel, UnpackState, cycle_values, timing_issue
from tilepath.tb.unpack.items import DST
from tilepath.tests.model_runs import assert_same, cut, digest_in_plain_python
from tilepath.tests.unpack.model_cycle_helpers import (
    Program,
    Records,
    model_run,
    model_with,
    nop,
    stream,
)
from tilepath.tests.unpack.model_helpers import plain, random_setup, unpacr

MATRIX = BOUNDARY.stream("matrix")
PROFILES = ("baseline", "blackhole")
Rng = np.random.Generator


def random_word(rng: Rng, unit: int) -> int:
    """An instruction of an unpacker; most are Regular UNPACRs."""
    low = int(rng.integers(0, 1 << 23))
    if rng.random() < 0.25:
        mode = int(rng.integers(0, 8))
        if rng.random() < 0.5:
            low &= 0x1F8
        return nop(unit, low & ~7 | mode)
    word = isa.encode("UNPACR", unpacker=unit) | low & 0x7F9FDD
    if rng.random() < 0.1:
        word |= low & 0x2022
    if rng.random() < 0.5:
        word &= ~(0x7F8000 | 4)
    return word


def random_state(rng: Rng, profile: str) -> UnpackState:
    s = UnpackState(profile)
    random_setup(s, rng)
    s.l1[:] = rng.integers(0, 256, s.l1.size, dtype=np.uint8)
    # short sections of row starts, or else almost no compressed datum is ever read
    s.l1.view("<u2")[rng.integers(0, s.l1.size // 2, s.l1.size // 8)] &= 0x3F
    s.adc.live[:] = np.where(s.adc.live >= 1 << 16, 7, s.adc.live)
    return s


def is_ready(model: UnpackModel, unit: int) -> bool:
    """``ready`` in the cycle that is modelled next."""
    timing = model._model.timing[0]
    return bool(timing_issue.is_ready(timing, timing.units[unit], model.now))


def random_matrix(rng: Rng, pauses: bool) -> dict[str, tuple[Any, ...]]:
    """What the Matrix Unit does: releases above all, and nothing with Dst amid a pause."""
    out: dict[str, tuple[Any, ...]] = {}
    if rng.random() < 0.3:
        values = {f.name: int(rng.integers(0, 1 << f.width)) for f in MATRIX.fields}
        values["read"] &= int(rng.integers(0, 8))
        if rng.random() < 0.9:
            values["clear"] = 0
        if pauses or rng.random() < 0.8:
            values["zero"] = 0
        out["matrix"] = tuple(values.values())
    if rng.random() < 0.1:
        target = int(rng.integers(0, 4))
        if target != DST or not pauses:
            place = (rng.integers(0, n).item() for n in (2, 1024, 2, 4))
            out["matrix_write"] = (target, *place, rng.integers(0, 1 << 32, 16).tolist())
    return out


def random_cycle(rng: Rng, model: UnpackModel, busy: float) -> dict[str, tuple[Any, ...]]:
    """Inputs of the cycle that is modelled next: stream name -> fields."""
    out: dict[str, tuple[Any, ...]] = {}
    held = timing_issue.holds(model._model.timing[0])
    threads = [n for n in range(3) if not held >> n & 1]
    rng.shuffle(threads)
    for unit in range(2):
        if threads and is_ready(model, unit) and rng.random() < busy:
            out[f"u{unit}.issue"] = (threads.pop(), random_word(rng, unit))
    if threads and rng.random() < 0.02:
        out[f"t{threads.pop()}.counter"] = (0x51200000 | int(rng.integers(0, 1 << 23)),)
    out |= random_matrix(rng, cycle_values.pauses(model._model, model.now))
    if rng.random() < 0.02:
        out["matrix_bank"] = (int(rng.integers(0, 4)),)
    if rng.random() < 0.01:
        out["setreg_base"] = tuple(rng.integers(0, 1 << 20, 2).tolist())
    if rng.random() < 0.02:
        out["l1_latency"] = (int(rng.choice([1, 2, 3, 5, 20])),)
    if rng.random() < 0.05:
        line = 4 * int(rng.integers(0, 20_000))
        out["l1_write"] = (line, rng.integers(0, 1 << 32, 16).tolist())
    if rng.random() < 0.02:
        index = int(rng.choice([1, 51, 72, 73, 76, 120, 180, 221]))
        data = rng.integers(0, 1 << 32, 4).tolist() if index in (51, 221) else [0] * 4
        out["cfg"] = (int(rng.integers(1, 4)), index, int(rng.random() < 0.1), data)
    for thread in range(3):
        if rng.random() < 0.02:
            index, value = [(0, 1), (5, 7), (6, 3), (41, 0x1111), (42, 63)][int(rng.integers(0, 5))]
            out[f"t{thread}.setc16"] = (index, value & int(rng.integers(0, 1 << 16)))
    return out


def random_run(
    rng: Rng, cycles: int, profile: str
) -> tuple[dict[str, Records], dict[str, Records], UnpackState]:
    """Inputs of a random run, its outputs modelled cycle by cycle, and the state it starts from."""
    state = random_state(rng, profile)
    l1 = state.l1.copy()
    state.l1[:] = 0
    p = Program(state, profile)
    state.l1[:] = l1
    model = model_with(l1, profile)
    parts = [model.step(cut(p.inputs(), 0, p.start), p.start)]
    busy = float(rng.choice([0.05, 0.2, 1.0]))
    while model.now < p.start + cycles:
        now = random_cycle(rng, model, busy)
        for name, fields in now.items():
            p.rows[name].append((model.now, *fields))
        given = {name: stream(name, [(model.now, *fields)]) for name, fields in now.items()}
        parts.append(model.step(given, model.now + 1))
    out = {name: np.concatenate([part[name] for part in parts]) for name in model.outputs}
    return p.inputs(), out, state


@pytest.mark.parametrize("seed", range(6))
def test_cutting_into_blocks_changes_nothing(seed: int) -> None:
    rng = np.random.default_rng([1, seed])
    cycles = 1500
    profile = PROFILES[seed % 2]
    inputs, out, state = random_run(rng, cycles, profile)
    end = max(
        int(out["busy"]["cycle"][-1]) + 1,
        *(int(a["cycle"][-1]) + 1 for a in inputs.values() if a.size),
    )
    want = {name: a[a["cycle"] < end] for name, a in out.items()}
    assert len(want["u0.read"]) > 20 and len(want["u1.read"]) > 20
    for cuts in ([end], [0, 0, 1, 1, 2, end], [*sorted(rng.integers(0, end, 40).tolist()), end]):
        assert_same(BOUNDARY, model_run(inputs, cuts, profile, state.l1), want)


def test_idle_cycles_cost_nothing_and_memory_does_not_grow() -> None:
    s = plain(F.BF16)
    p = Program(s)
    model = UnpackModel()
    model.step(p.inputs(), p.start)
    sizes = set()
    for n in range(1, 30):
        end = n * 100_000_000
        issues = stream("issue", [(end - 15, 0, unpacr(0)), (end - 13, 0, unpacr(0, addr_mode=1))])
        out = model.step({"u0.issue": issues}, end)
        assert len(out["u0.read"]) == (3 if n == 1 else 16)
        kept = [a for a in vars(model).values() if isinstance(a, np.ndarray)]
        sizes.add(sum(a.nbytes for a in kept))
    assert len(sizes) <= 2
    last = int(out["u0.read"]["origin"][-1])
    assert Origin.decode(last, BOUNDARY.inputs) == ("u0.issue", 56)


def test_a_run_longer_than_the_models_own_pieces() -> None:
    s = plain(F.BF16, throttle=0)
    p = Program(s)
    for n in range(300):
        p.issue(32 * n, unpacr(0))
    r = p.run(10_000)
    assert r.cycles("u0.read") == list(range(12, 12 + 9600))
    assert r.changes("busy") == [(1, 1), (12 + 9600 - 1 + 4 + 6 + 6 + 1, 0)]


def digest() -> str:
    """Hash of the outputs of short random runs."""
    total = hashlib.sha256()
    for seed, profile in enumerate(PROFILES):
        _, out, _ = random_run(np.random.default_rng([4, seed]), 400, profile)
        for name, records in out.items():
            total.update(name.encode() + records.tobytes())
    return total.hexdigest()


def test_plain_python_gives_the_same() -> None:
    assert digest_in_plain_python("unpack") == digest()


def test_words_that_are_offered_without_ready_leave_no_trace() -> None:
    """While an address phase goes on, and where the queue is full."""
    s = plain(F.BF16, throttle=0)
    p = Program(s).issue(0, unpacr(0)).issue(1, unpacr(1), 1).issue(1, unpacr(0), 2)
    for n in range(20):
        p.issue(10 + 2 * n, unpacr(0, ch0_y_inc=1))
    r = p.run(1000)
    assert r.changes("hold")[:2] == [(1, 1), (2, 0)]
    assert not r.all("u1.read").size
    # the first of the 20 is loaded in 41; from 44 on sixteen are queued
    assert len(r.all("t0.unpacker0")) == 17
    assert len(r.all("u0.read")) == 18 * 32
    assert r.level("busy", 999) == 0


def row(name: str, *values: Any) -> dict[str, Records]:
    return {name: stream(name, [values])}


WIDE = np.array(
    [(12, 0, 0, 0, 0)], dtype=[(n, "u4") for n in ("cycle", "banks", "index", "wide", "data")]
)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (row("u0.issue", 12, 3, 0x42000000), "u0.issue: there is no thread 3"),
        (row("u0.issue", 12, 0, 0x42800000), "42800000 is no instruction of this unpacker"),
        (row("u1.issue", 12, 0, 0x44800000), "44800000 is no instruction"),
        ({"cfg": WIDE}, "want data as 4 words"),
        ({"l1_write": np.empty(0, [("cycle", "u4"), ("line", "u4")])}, "want data as 16 words"),
    ],
)  # fmt: skip
def test_bad_arguments(inputs: dict[str, Records], message: str) -> None:
    model = UnpackModel()
    model.step({}, 10)
    with pytest.raises(ValueError, match=message):
        model.step(inputs, 20)
    assert model.now == 10
    model.step(row("u0.issue", 10, 0, 0x42000000), 11)


def test_counters_set_in_the_quiet_end_of_a_block() -> None:
    """What a block's last, quiet cycles do to the counters is there in the next block."""
    program = {
        "t0.counter": stream("t0.counter", [(95, isa.assemble("SETADCXX 1,7,3"))]),
        "cfg": stream(
            "cfg",
            [
                (0, 3, 49, 0, [128, 0, 0, 0]),
                (1, 3, 64, 0, [0x0100_0015, 0, 0, 0]),
                (2, 3, 72, 0, [5, 0, 0, 0]),
            ],
        ),
        "u0.issue": stream("u0.issue", [(150, 0, isa.encode("UNPACR", unpacker=0, last=1))]),
    }
    inputs = {name: program.get(name, stream(name, [])) for name in BOUNDARY.inputs}
    whole = model_run(inputs, [200])
    parts = model_run(inputs, [100, 200])
    assert whole["u0.write"]["mask"].tolist() == [0x1F]
    for name, records in whole.items():
        fields = [field for field in records.dtype.names if field != "origin"]
        assert records[fields].tobytes() == parts[name][fields].tobytes(), name
