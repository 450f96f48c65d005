# SPDX-License-Identifier: Apache-2.0
"""The unpackers' cycle model: long runs, the end of a block, origins of counters, who waits."""

from __future__ import annotations

import numpy as np

from tilepath import isa
from tilepath.isa.boundary import Origin
from tilepath.isa.boundary.unpack import BOUNDARY
from tilepath.models import format_codes as F
from tilepath.models.unpack import UnpackModel
from tilepath.tests.model_runs import cut
from tilepath.tests.unpack.model_cycle_helpers import (
    SETDVALID,
    Program,
    model_run,
    nop,
    stream,
)
from tilepath.tests.unpack.model_helpers import plain, unpacr


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


def test_counters_and_their_conflicts() -> None:
    s = plain(F.BF16, count=16)
    z0 = 0x50200000 | 2 << 18 | 5  # SETADC, unpacker 0, channel 0, Z = 5
    p = Program(s).issue(0, unpacr(0, addr_mode=1)).issue(4, unpacr(0, addr_mode=1))
    p.add("t0.counter", 1, z0).add("t1.counter", 5, 0x42000000)
    r = p.run()
    assert r.rows("t0.unpacker0", "z0") == [(2, 5 << 16 | 5), (6, 5 << 16 | 6)]
    assert r.rows("counter_conflict", "where") == [(1, 1)]
    assert r.flags("t1.counter_fault") == [(5, ("illegal",))]
    origins = r.all("t0.unpacker0")["origin"].tolist()
    assert [Origin.decode(int(n), BOUNDARY.inputs) for n in origins] == [
        ("t0.counter", 1),
        ("u0.issue", 1),
    ]
    assert Origin.decode(int(r.all("t1.counter_fault")["origin"][0]), BOUNDARY.inputs) == (
        "t1.counter",
        0,
    )


def test_waiting() -> None:
    s = plain(F.BF16, count=2048, x_dim=2048)
    p = Program(s).issue(0, nop(0, SETDVALID)).issue(1, nop(0, SETDVALID))
    for cycle in (10, 12, 14, 16):
        p.issue(cycle, unpacr(0) if cycle < 16 else unpacr(1))
    model = UnpackModel()
    inputs = p.inputs()
    model.step(cut(inputs, 0, p.start + 17), p.start + 17)
    lines = model.waiting()
    assert lines[-1].startswith("unpacker 1: UNPACR ")
    assert lines[-1].endswith(" of thread 0: is being sampled")
    model.step(cut(inputs, p.start + 17, p.start + 100), p.start + 100)
    lines = model.waiting()
    assert len(lines) == 4
    assert lines[0].endswith("write stage waits for SrcA bank 0, which is the Matrix Unit's")
    assert lines[1].endswith("waits for room, all 40 entries of the buffer are in use")
    assert lines[2].endswith("place 0 of the queue, waits for the fetch stage")
    assert lines[3].endswith("place 1 of the queue")
    assert UnpackModel().waiting() == []
