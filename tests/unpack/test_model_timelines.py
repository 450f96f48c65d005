# SPDX-License-Identifier: Apache-2.0
"""The unpackers' cycles, worked out by hand from the cycle contract (sections 3 and 4).

Unless said otherwise the latency of L1 is 4 and a word is issued in cycle 0: sampling in 1, planned
and loaded in 9 (PLAN 8), decided for in 10, requested in 12 (REQUEST 2), answered in 16, first step
in 22 (FRONT 6), which changes the registers in 28 (WRITE 6). A token is put in 10 and goes in 18.
"""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.models import format_codes as F
from tilepath.tests.unpack.model_cycle_helpers import (
    NOP,
    OVERLAY,
    SETDVALID,
    SETREG,
    Program,
    both_units,
    nop,
)
from tilepath.tests.unpack.model_helpers import load, plain, put, unpacr


def test_one_unpacr() -> None:
    r = both_units().issue(0, unpacr(0, flip_src=1)).run()
    assert r.changes("hold") == [(1, 1), (2, 0)]
    assert r.changes("ready") == [(1, 0), (2, 3)]
    assert r.rows("u0.pointers", "bank") == [(2, 1)]
    # 32 lines, four at a time
    lines = [(12 + n, 4, 0x401 + 4 * n, 0x402 + 4 * n, 0x403 + 4 * n, 0x404 + 4 * n)
             for n in range(8)]  # fmt: skip
    assert r.rows("u0.read", "count", "line0", "line1", "line2", "line3") == lines
    assert r.rows("u0.write", "address", "bank") == [(28 + n, 32 * n, 0) for n in range(8)]
    # last step in 29: busy to 35, the bank is the Matrix Unit's at the end of 36
    assert r.changes("busy") == [(1, 1), (36, 0)]
    assert r.changes("owner") == [(37, 1)]
    assert not r.all("u1.read").size and not r.all("u0.fault").size
    assert not r.all("u0.read")["rsi_count"].any()


def test_unpacrs_start_two_cycles_apart() -> None:
    p = both_units(count=16).issue(0, unpacr(0)).issue(2, unpacr(1), thread=0)
    r = p.issue(4, unpacr(0), thread=0).run()
    assert r.cycles("u0.read") == [12, 16]
    assert r.cycles("u1.read") == [14]
    assert r.changes("ready") == [(n, 0 if n % 2 else 3) for n in range(1, 7)]
    assert r.changes("hold") == [(n, n % 2) for n in range(1, 7)]


def test_both_in_one_cycle() -> None:
    p = both_units(count=16).issue(0, unpacr(0), 0).issue(0, unpacr(1), 1)
    r = p.issue(4, unpacr(0), 0).issue(4, unpacr(1), 1).run()
    # unpacker 0 first, then unpacker 1
    assert r.changes("hold") == [
        (1, 3), (2, 2), (4, 0), (5, 3), (6, 1), (8, 0)
    ]  # fmt: skip
    assert r.changes("ready") == [(1, 0), (4, 3), (5, 0), (8, 3)]
    # sampled in 1 and 3, then in 5 and 7
    assert r.cycles("u0.read") == [12, 18]
    assert r.cycles("u1.read") == [14, 16]


def test_counters_show_their_increments_behind_the_phase() -> None:
    p = both_units(count=16).issue(0, unpacr(0, addr_mode=0b01_10_11_01))
    r = p.run()
    rows = r.rows("t0.unpacker0", "z0", "y0", "z1", "y1")
    assert rows == [(2, 1, 3, 2, 1)]
    assert r.out["t0.unpacker0"]["origin"][-1] == 0  # the first word at u0.issue


def compressed_tile(first: int, end: int, nibbles: list[int], **more: int) -> Program:
    """FP16, datums 0x3C00, 0x3C01, … with ``nibbles`` behind them; rows of ten datums."""
    s = plain(F.FP16, uncompressed=0, x_dim=10, z_dim=1, count=10, **more)
    load(s, 0x4010, [first, end], "u2")
    data = np.zeros(2 * 80, dtype=np.uint8)
    both_ = np.pad(nibbles, (0, 64 - len(nibbles)))
    packed = (both_[::2] | both_[1::2] << 4).astype(np.uint8)
    for group in range(2):
        values = (0x3C00 + 32 * group + np.arange(32)).astype("<u2").view(np.uint8)
        data[80 * group : 80 * group + 64] = values
        data[80 * group + 64 : 80 * group + 80] = packed[16 * group : 16 * group + 16]
    load(s, 0x4020, data)
    return Program(s)


def fp16(value: int) -> int:
    """As in Src: 0x3C00 + k has sign 0, exponent 15, mantissa k."""
    return (value - 0x3C00) << 8 | 15


def test_compressed_row() -> None:
    r = compressed_tile(0, 5, [1, 0, 2, 0, 0]).issue(0, unpacr(0)).run()
    assert r.changes("hold") == [(1, 1), (4, 0)]
    assert r.changes("ready") == [(1, 0), (4, 3)]
    fields = ("count", "rsi_count", "rsi0", "rsi1", "line0", "has_exponent", "has_delta", "delta")
    # entries decided for in 9, answered in 15; loaded in 22 (PLACE 7); beat answered in 29
    assert r.rows("u0.read", *fields) == [
        (11, 0, 2, 0x401, 0x401, 0, 0, 0, 0),
        (25, 1, 0, 0, 0, 0x402, 0, 1, 0x406),
    ]
    assert r.rows("u0.write", "address", "mask") == [(41, 0, 0xFF)]
    data = r.all("u0.write")["data"][0][:8].tolist()
    assert data == [fp16(0x3C00), 0, fp16(0x3C01), fp16(0x3C02), 0, 0, fp16(0x3C03), fp16(0x3C04)]
    assert r.changes("busy") == [(1, 1), (42, 0)]


def test_beats_of_compressed_datums_end_with_the_line() -> None:
    r = compressed_tile(30, 45, [0] * 64).issue(0, unpacr(0)).run()
    fields = ("count", "line0", "delta")
    # datums 30, 31 | 32 … 39 | 40 … 44
    assert r.rows("u0.read", *fields)[1:] == [
        (25, 1, 0x405, 0x406),
        (26, 1, 0x407, 0x40B),
        (27, 1, 0x408, 0x40B),
    ]
    assert r.rows("u0.write", "address", "mask") == [
        (41, 0, 3), (42, 2, 0xFF), (43, 10, 0x1F)
    ]  # fmt: skip


def test_bounded_output() -> None:
    """Items d0 0 d1 d2 0 0 d3 …: two are dropped, three emitted."""
    p = compressed_tile(0, 5, [1, 0, 2, 0, 0], x0=2, x1=4).issue(0, unpacr(0))
    r = p.issue(6, unpacr(0)).run()
    fields = ("count", "rsi_count", "rsi0", "rsi1", "line0", "has_delta")
    # the step in 35 finishes it; the next one is loaded then, and decides in 36
    assert r.rows("u0.read", *fields) == [
        (11, 0, 1, 0x401, 0, 0, 0), (17, 0, 1, 0x401, 0, 0, 0),
        (25, 1, 0, 0, 0, 0x402, 1), (38, 1, 0, 0, 0, 0x402, 1),
    ]  # fmt: skip
    assert r.rows("u0.write", "address", "mask") == [(41, 0x3FE, 0x1C), (54, 0x3FE, 0x1C)]
    data = r.all("u0.write")["data"][0][:6].tolist()
    assert data == [0, 0, fp16(0x3C01), fp16(0x3C02), 0, 0]


def test_bounded_output_over_more_than_one_beat() -> None:
    """Ten items to drop, seven to emit: the second beat has to be waited for."""
    p = compressed_tile(0, 5, [0] * 64, x0=10, x1=16).issue(0, unpacr(0))
    r = p.run()
    # beats of 8: step in 35 (all dropped: not recorded), entry free in 36; likewise 48 and 49
    assert r.cycles("u0.read") == [11, 25, 38, 51]
    assert r.rows("u0.write", "address", "mask") == [(54, 0x3FE, 0xFC), (67, 6, 0x01)]
    assert r.changes("busy") == [(1, 1), (68, 0)]


def test_bounded_output_of_nothing() -> None:
    r = compressed_tile(0, 5, [0], x0=3, x1=2).issue(0, unpacr(0, flip_src=1)).run()
    assert r.cycles("u0.read") == [11]
    # loaded in 22, token put in 23, goes in 31
    assert r.changes("busy") == [(1, 1), (38, 0)]
    assert r.changes("owner") == [(39, 1)]


def test_rsi_requests_go_ahead_and_share_a_cycle_with_beats() -> None:
    p = compressed_tile(0, 40, [0] * 64)
    for cycle in (0, 4, 8, 12, 16):
        p.issue(cycle, unpacr(0))
    r = p.run(300)
    entries = [row[0] for row in r.rows("u0.read", "rsi_count") if row[1]]
    beats = [row[0] for row in r.rows("u0.read", "count") if row[1]]
    # sampled in 1, 5, 9, …; five lines each, without a gap
    assert entries == [11, 15, 19, 23, 27]
    assert beats == list(range(25, 50))
    both = [row[0] for row in r.rows("u0.read", "count", "rsi_count") if row[1] and row[2]]
    assert both == [27]


def test_compressed_goes_first() -> None:
    p = compressed_tile(0, 5, [0])
    p.issue(0, unpacr(0), 0).issue(0, unpacr(1, flush_cache=1), 1)
    r = p.run()
    # L = 3: phase of the other in 4 and 5
    assert r.changes("hold") == [(1, 3), (4, 2), (6, 0)]
    assert r.changes("ready") == [(1, 0), (6, 3)]
    assert r.changes("busy")[:3] == [(1, 9), (6, 1), (42, 0)]


def test_flush_cache_and_context_increment() -> None:
    s = plain(F.BF16)
    put(s, 0, context_count=2)
    p = Program(s).issue(0, unpacr(0, inc_ctx=1)).issue(2, unpacr(0, flush_cache=1, last=0))
    r = p.issue(5, unpacr(0, inc_ctx=1) | 1 << 5).run()
    assert r.changes("hold") == [(1, 1), (2, 0), (3, 1), (4, 0), (6, 1), (7, 0)]
    assert r.changes("busy") == r.changes("hold")
    assert r.rows("u0.pointers", "context0") == [(2, 1), (7, 2)]
    assert r.faults() == [(3, ("not_last",)), (6, ("reserved_bit",))]
    assert not r.all("t0.unpacker0").size


def test_what_is_sampled() -> None:
    """Writes in the cycle of issue are seen, those in the sampling cycle are not."""
    for cycle, seen in ((0, True), (1, False)):
        p = both_units(count=16).issue(0, unpacr(0))
        p.add("cfg", cycle, 1, 76, 0, [0x500, 0, 0, 0])  # Base_address
        r = p.run()
        assert r.all("u0.read")["line0"].tolist() == [0x501 if seen else 0x401]
        p = both_units(count=16).issue(0, unpacr(0))
        p.add("t0.counter", cycle, 0x50200000 | 31 | 1 << 20)  # SETADC, channel 1, X
        assert p.run().all("u0.read")["count"].tolist() == [4 if seen else 2]
        p = both_units(count=16).issue(0, unpacr(0, flip_src=1)).add("t0.setc16", cycle, 5, 3)
        assert p.run().rows("u0.pointers", "row0") == [(2, 48 if seen else 0)]


def test_reset_of_context_counters_wins() -> None:
    s = plain(F.BF16, count=16, in_format=F.BF16)
    put(s, 0, context_count=2, disable_0_3=15, x_dim0=256, in0=F.BF16)
    word = unpacr(0, inc_ctx=1)
    r = Program(s).issue(0, word).issue(2, word).issue(4, word).add("t0.setc16", 3, 41, 0x10).run()
    # 1 after the first; the second's update, at the end of 3, loses; 1 after the third
    assert r.rows("u0.pointers", "context0") == [(2, 1), (4, 0), (6, 1)]


def test_the_queue_has_sixteen_places() -> None:
    p = both_units(throttle=0)
    for cycle in range(0, 34, 2):
        p.issue(cycle, unpacr(0))
    r = p.run(800)
    # the first is loaded in 9 and decides in 10 to 41; the second leaves the queue in 41
    even = [(n, 0 if n % 2 else 3) for n in range(1, 34)]
    assert r.changes("ready") == [*even, (34, 2), (42, 3)]
    assert r.cycles("u0.read") == list(range(12, 12 + 17 * 32))


def test_a_nop_that_is_being_sampled_counts() -> None:
    p = both_units(throttle=0).issue(0, unpacr(0))
    for cycle in range(2, 18):
        p.issue(cycle, nop(0, NOP))
    # in 18 fifteen are queued and one is sampled
    assert p.run().changes("ready") == [(1, 0), (2, 3), (18, 2), (42, 3)]


def test_nops() -> None:
    p = Program(None)
    for cycle in (0, 1, 3):
        p.issue(cycle, nop(0, NOP))
    r = p.run()
    # loaded in 9, 10 and 12, each over in the cycle after that
    assert r.changes("ready") == []
    assert r.changes("busy") == [(1, 1), (14, 0)]
    assert r.changes("hold") == []
    assert Program(None).issue(0, nop(1, NOP), 2).run().changes("busy") == [(1, 32), (11, 0)]


def test_setdvalid() -> None:
    p = both_units().add("t0.setc16", -1, 5, 2)
    r = p.issue(0, nop(0, SETDVALID)).issue(1, nop(0, SETDVALID)).run()
    assert r.rows("u0.pointers", "bank", "row0") == [(2, 1, 32), (3, 0, 32)]
    # they go in 18 and 19
    assert r.changes("owner") == [(26, 1), (27, 3)]
    assert r.changes("busy") == [(1, 1), (26, 0)]
    assert r.flags("u0.write_fault") == []


@pytest.mark.parametrize(("cycle", "owners"), [
    (24, [(26, 1)]), (25, [(26, 1)]), (26, [(26, 1), (27, 0)])
])  # fmt: skip
def test_a_release_in_the_cycle_of_the_flip_loses(
    cycle: int, owners: list[tuple[int, int]]
) -> None:
    p = Program(None).issue(0, nop(0, SETDVALID)).matrix(cycle, 1, 0, 0, 0)
    assert p.run().changes("owner") == owners


def test_a_bank_whose_flip_is_under_way_is_not_the_unpackers() -> None:
    # two flips of bank 0: they go in 18 and 20, the second finds the first under way
    p = Program(None)
    for cycle in range(3):
        p.issue(cycle, nop(0, SETDVALID))
    r = p.matrix(26, 1, 0, 0, 0).run()
    assert r.flags("u0.write_fault") == [(26, ("flip_owner",))]
    # released at the end of 26, handed over at the end of 27 once more
    assert r.changes("owner") == [(26, 1), (27, 2), (28, 3)]
    # a step that can go in 23 waits for bank 0 from then on: the release in 26 lets it go in 27
    p = both_units(count=16)
    p.issue(0, nop(0, SETDVALID)).issue(1, unpacr(0)).matrix(26, 1, 0, 1, 0)
    r = p.run()
    assert r.rows("u0.write", "bank") == [(29, 1)]
    p = both_units(count=16).issue(0, unpacr(0, flip_src=1)).issue(2, nop(0, SETDVALID))
    r = p.issue(4, unpacr(0)).matrix(30, 1, 0, 0, 0).run()
    # the last step of the first goes in 22: visible in 30; that of the third could go in 26
    assert r.changes("owner") == [(30, 1), (31, 2)]
    assert r.rows("u0.write", "bank") == [(28, 0), (37, 0)]


def test_banks_are_waited_for_by_steps_alone() -> None:
    p = both_units(count=16)
    p.issue(0, nop(0, SETDVALID)).issue(1, nop(0, SETDVALID))  # banks 0 and 1 are gone
    p.issue(10, unpacr(0, flip_src=1))
    p.issue(12, nop(0, SETREG | 5 << 4 | 3 << 16)).issue(14, nop(0, OVERLAY | 9 << 16 | 1 << 4))
    p.issue(16, nop(0, SETDVALID))
    p.matrix(50, 1, 0, 0, 0)
    r = p.run()
    assert r.cycles("u0.read") == [22]
    # answered in 26: the effect in 27, the next one's in 28
    assert r.rows("u0.setreg", "address", "data") == [(27, 0xFFB03000, 5)]
    assert r.rows("u0.overlay", "stream", "count") == [(28, 9, 1)]
    # bank 0 is back in 51; the token behind it goes in 52, on bank 1, which is not back
    assert r.rows("u0.write", "bank") == [(57, 0)]
    assert r.changes("owner") == [(26, 1), (27, 3), (51, 2), (59, 3)]
    assert r.flags("u0.write_fault") == [(58, ("flip_owner",))]


def test_register_writes_wait_for_requests_of_rsi_entries_too() -> None:
    # five lines, decided for in 23 to 27, the last one answered in 33; SETREG is loaded in 27
    for cycle, effect in ((20, 36), (21, 37), (24, 40), (25, 34)):
        p = compressed_tile(0, 40, [0] * 64).issue(0, unpacr(0))
        p.issue(10, nop(0, SETREG | 5 << 4 | 3 << 16)).issue(cycle, unpacr(0))
        # the other's entries: decided for 9 cycles behind its issue, answered in 6 more
        assert p.run().cycles("u0.setreg") == [effect]


def test_an_instruction_that_writes_nothing_does_not_wait() -> None:
    s = plain(F.BF16, x0=5, count=5)
    p = Program(s).issue(0, nop(0, SETDVALID)).issue(1, nop(0, SETDVALID))
    r = p.issue(8, unpacr(0, flip_src=1)).run()
    assert r.faults() == [(17, ("empty_flip",))]
    # token put in 18, goes in 26
    assert r.flags("u0.write_fault") == [(32, ("flip_owner",))]
    assert r.changes("busy") == [(1, 1), (33, 0)]
    # all its datums are in masked rows
    s = plain(F.BF16, count=32)
    put(s, 0, out_base=0)
    p = Program(s).issue(0, nop(0, SETDVALID)).issue(1, nop(0, SETDVALID)).issue(8, unpacr(0))
    r = p.run()
    assert r.changes("busy")[-1] == (37, 0)
    assert not r.all("u0.write").size


def test_forty_beats_wait() -> None:
    p = both_units(count=2048, x_dim=2048)
    p.issue(0, nop(0, SETDVALID)).issue(1, nop(0, SETDVALID)).issue(10, unpacr(0))
    r = p.matrix(100, 1, 0, 0, 0).run(300)
    # decided for in 20 to 59; the first step in 101 frees its entry for 102
    assert r.cycles("u0.read") == [*range(22, 62), *range(104, 128)]
    assert r.cycles("u0.write") == list(range(107, 171))


def test_order_of_tokens() -> None:
    """A token waits behind the beats of the instruction before it, and those behind it wait too."""
    p = both_units(count=64).issue(0, unpacr(0)).issue(2, nop(0, SETDVALID)).issue(4, unpacr(0))
    r = p.run()
    # 64 datums: two beats, decided for in 10 and 11; token in 12; then the other's in 14 and 15
    assert r.cycles("u0.read") == [12, 13, 16, 17]
    # steps in 22 and 23, the token in 24, steps in 26 and 27
    assert r.rows("u0.write", "bank") == [(28, 0), (29, 0), (32, 1), (33, 1)]
    assert r.changes("owner") == [(32, 1)]


def test_answers_come_in_order() -> None:
    p = both_units(count=128)
    p.rows["l1_latency"].append((p.start + 13, 1))
    r = p.issue(0, unpacr(0)).run()
    assert r.cycles("u0.read") == [12, 13, 14, 15]
    # asked in 12, answered in 16; the others one a cycle behind it
    assert r.cycles("u0.write") == [28, 29, 30, 31]
    for latency in (0, 1):  # 0 stands for 1
        p = both_units(count=32)
        p.rows["l1_latency"] = [(0, latency)]
        assert p.issue(0, unpacr(0)).run().cycles("u0.write") == [25]
    p = both_units(count=128)
    p.rows["l1_latency"] = [(0, 31)]
    assert p.issue(0, unpacr(0)).run().cycles("u0.write") == [55, 56, 57, 58]


def test_l1_is_read_in_the_cycle_of_the_request_at_the_port() -> None:
    for cycle, value in ((11, 0x1111), (12, 0x0100)):
        p = both_units(F.INT16, count=8).issue(0, unpacr(0))
        p.add("l1_write", cycle, 0x400, [0x11111111] * 16)
        data = p.run().all("u0.write")["data"][0][0]
        assert data == (value & 0xFF00) << 3 | value & 0xFF


def test_row_starts_are_read_in_the_cycle_of_their_request_at_the_port() -> None:
    for cycle, datums in ((10, 2), (11, 5)):
        p = compressed_tile(0, 5, [0] * 64).issue(0, unpacr(0))
        # line 401 is the second of four: entries 0 and 2
        p.add("l1_write", cycle, 0x400, [*[0] * 4, 2 << 16, *[0] * 3, 0x3C013C00, *[0] * 7])
        assert p.run().rows("u0.write", "mask") == [(41, (1 << datums) - 1)]
