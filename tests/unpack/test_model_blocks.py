# SPDX-License-Identifier: Apache-2.0
"""The unpackers' cycle model: long runs, words that are not taken, the end of a block."""

from __future__ import annotations

import numpy as np

from tilepath import isa
from tilepath.isa.boundary import Origin
from tilepath.isa.boundary.unpack import BOUNDARY
from tilepath.models import format_codes as F
from tilepath.models.unpack import UnpackModel
from tilepath.tests.unpack.model_cycle_helpers import (
    Program,
    model_run,
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
