# SPDX-License-Identifier: Apache-2.0
"""UNPACR_NOP, faults, counters and who waits in the cycle model of the unpackers."""

from __future__ import annotations

from tilepath.isa.boundary import Origin
from tilepath.isa.boundary.unpack import BOUNDARY
from tilepath.models import format_codes as F
from tilepath.models.unpack import UnpackModel
from tilepath.tests.model_runs import cut
from tilepath.tests.unpack.model_cycle_helpers import (
    OVERLAY,
    SETDVALID,
    SETREG,
    ZEROSRC,
    Program,
    nop,
)
from tilepath.tests.unpack.model_helpers import plain, unpacr

READ, RELEASE, ZERO = range(3)
NEGINF, BOTH, WAIT = 4, 8, 16


def test_zerosrc_waits_for_the_bank_the_matrix_unit_is_at() -> None:
    p = Program(None).add("matrix_bank", 0, 0)
    p.issue(0, nop(0, SETDVALID)).issue(4, nop(0, ZEROSRC)).issue(6, nop(1, ZEROSRC))
    p.add("matrix_bank", 40, 1)
    r = p.run()
    # src_bank is 1, bank 0 is not the Unpackers' from 19 on; its token could go in 22
    assert r.rows("u0.clear", "banks", "value") == [(46, 2, 0)]
    assert r.rows("u1.clear", "banks", "value") == [(30, 1, 0)]
    p = Program(None).issue(0, nop(0, SETDVALID)).issue(4, nop(0, ZEROSRC | WAIT | NEGINF))
    assert p.run().rows("u0.clear", "banks", "value") == [(28, 2, 0x7FFFF)]


def test_zerosrc_clears_six_cycles_after_it_goes() -> None:
    p = (
        Program(None)
        .issue(0, nop(1, ZEROSRC | WAIT | BOTH))
        .issue(4, nop(0, ZEROSRC | NEGINF | BOTH))
    )
    for cycle in (28, 29):
        p.matrix(cycle, READ, 0, cycle & 1, 33)
    p.matrix(18, ZERO, 1, 0, 0)
    r = p.run()
    assert r.rows("u1.clear", "banks") == [(24, 3)]
    assert r.flags("u1.write_fault") == [(24, ("zerosrc_race",))]
    assert r.rows("u0.clear", "banks") == [(28, 3)]
    assert r.answers()["data"].tolist() == [[0] * 16, [0x7FFFF] * 16]


def test_zerosrc_faults() -> None:
    p = Program(None).issue(0, nop(0, SETDVALID)).issue(5, nop(0, ZEROSRC | WAIT | BOTH))
    p.issue(12, nop(1, ZEROSRC | NEGINF)).matrix(23, ZERO, 1, 0, 0)
    r = p.run()
    # the race is one whatever file the Matrix Unit clears
    assert r.flags("u0.write_fault") == [(29, ("zerosrc_matrix", "zerosrc_race"))]
    assert r.faults(1) == [(21, ("neginf_srcb",))]
    assert r.rows("u1.clear", "value") == [(36, 0)]


def test_setreg() -> None:
    p = Program(None).add("setreg_base", 0, 0x1000, 0xFF000).add("setreg_base", 20, 0, 0)
    p.issue(0, nop(0, SETREG | 8 | 0x7FF << 4)).issue(4, nop(0, SETREG | 8 | 2 << 4 | 1 << 22))
    p.issue(8, nop(0, SETREG | 8)).issue(10, nop(0, SETREG | 3 << 4))
    r = p.run()
    assert r.rows("u0.setreg", "address", "data") == [
        (10, 0xFFB01000, 0x7FF), (14, 0xFFBFF000, 0x801), (20, 0xFFB00000, 3)
    ]  # fmt: skip
    assert r.rows("u0.pointers", "acc") == [(11, 0x7FF), (15, 0x801), (19, 0)]


def test_overlay_clear() -> None:
    p = Program(None).add("t1.setc16", 0, 43, 0x2A).issue(1, nop(1, 0), 1)
    r = (
        p.issue(4, nop(1, OVERLAY | 5 << 16), 1)
        .issue(8, nop(1, OVERLAY | 5 << 16 | 7 << 4), 1)
        .run()
    )
    assert r.rows("u1.overlay", "stream", "count") == [(11, 42, 0), (14, 42, 0), (18, 5, 7)]


def test_faults_of_load_and_sampling_in_one_cycle() -> None:
    s = plain(F.BF16, count=16)
    p = Program(s).issue(0, unpacr(0, last=0), 0).issue(7, unpacr(0, flush_cache=1) | 32, 2)
    # the first is loaded in 9, the second sampled in 8
    assert p.run().rows("u0.fault", "thread", "flags") == [(8, 2, 1), (9, 0, 1 << 26)]
    p = Program(s).issue(0, nop(0, 6), 1).issue(8, unpacr(0, flush_cache=1) | 32, 2)
    r = p.run()
    assert r.rows("u0.fault", "thread", "flags") == [(9, 1, 1 << 19 | 1)]
    assert r.all("u0.fault")["origin"].tolist() == [0]
    p = Program(s).issue(0, nop(0, 2), 1).issue(8, unpacr(0, flush_cache=1) | 32, 2)
    assert p.run().rows("u0.fault", "thread", "flags") == [(9, 2, 1)]


def test_a_write_to_dst_wins_over_the_release() -> None:
    s = plain(F.BF16, count=16, if_sel=1)
    for cycle, stale in ((28, [(40, ("stale",))]), (29, [])):
        p = Program(s).issue(0, unpacr(0)).matrix(cycle, RELEASE, 0, 0, 0)
        assert p.matrix(40, READ, 0, 0, 0).run().flags("unit_fault") == stale


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
