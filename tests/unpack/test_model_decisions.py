# SPDX-License-Identifier: Apache-2.0
"""Decisions of the specification on UNPACR, one by one: forms, contexts, what is read.

What is written: ``test_model_output.py``.
"""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.models import format_codes as F
from tilepath.models.unpack import UnpackState
from tilepath.tests.unpack.model_helpers import load, plain, put, unpacr
from tilepath.tests.unpack.model_numbered import (
    START,
    compressed,
    contexts,
    datum,
    emit,
    numbered,
    place,
    places,
)


def test_u3_forms_of_unpacr() -> None:
    s = numbered(context_count=3, set_upd=1)
    for word in (unpacr(flush_cache=1, inc_ctx=1, flip_src=1, ch0_y_inc=1, multi_context=1),
                 unpacr(flush_cache=1)):  # fmt: skip
        assert s.execute(0, word) == ((), True, None, None)
    assert not s.context_counter.any() and not s.src_a.any() and not s.adc.live[0, 0, 0, 1]
    s.execute(1, unpacr(inc_ctx=1, flip_src=1, ch0_y_inc=1, use_ctx_counter=1))
    assert s.context_counter.tolist() == [[0, 1, 0], [0, 0, 0]]
    assert not s.src_a.any() and not s.adc.live[1].any() and not s.src_bank.any()
    assert not s.src_row.any()


def test_u4_setc16_of_5_is_the_override_bit() -> None:
    for value, row in ((4, 16), (0, 26), (7, 16)):
        s = numbered(out_base=2 * (64 + 256), set_upd=1)
        s.thread_config[0, 5] = value
        s.src_row[0, 0] = 10
        s.execute(0, unpacr())
        assert np.flatnonzero(s.src_a[0].any(axis=1)).tolist() == [row]
        assert s.src_row[0, 0] == (10 + 16 + 16 * (value & 3)) % 64  # U43


def test_u6_resets_are_bit_by_bit() -> None:
    for value, want in ((0x1010, [0, 0]), (0x0010, [0, 5]), (0x1000, [5, 0]), (0x2F2F, [5, 5])):
        s = UnpackState()
        s.context_counter[:] = 5
        s.set_thread_config(1, 41, value)
        assert s.context_counter[:, 1].tolist() == want
        assert s.context_counter[:, [0, 2]].tolist() == [[5, 5]] * 2
        s.set_thread_config(0, 42, 0x1010)
        assert s.context_counter[:, 0].tolist() == [5, 5]


@pytest.mark.parametrize("unit", [0, 1])
@pytest.mark.parametrize("ctx", range(8))
def test_u9_bases_and_offsets_of_the_contexts(ctx: int, unit: int) -> None:
    s = contexts(unit)
    want = 16 * (0x100 + 0x100 * ctx + 1 + ctx % 4 + 1)
    assert place(s, unit, multi_context=1, context_number=ctx) == want
    assert place(s, unit, context_number=ctx, use_ctx_counter=1) == 16 * (0x100 + 1 + 1)


@pytest.mark.parametrize("ctx", range(8))
def test_u9_formats_and_flags_of_the_contexts(ctx: int) -> None:
    s = contexts(0)
    put(s, ovrd_format=1, in_format=F.BF16, out_format=F.BF16, set_ovrd=0)
    put(s, out_base=0)
    for k in range(8):
        code = F.INT16 if k == ctx else F.INT8
        put(s, **{f"in{k}": code, f"out{k}": code})
    word = {"multi_context": 1, "context_number": ctx}
    assert place(s, **word) == 16 * (0x102 + 0x100 * ctx + ctx % 4)
    put(s, if_sel_0_3=(1 << ctx) & 15, if_sel_4_7=1 << ctx >> 4)
    s.src_a[:] = 0
    s.execute(0, unpacr(**word))
    assert s.dst[0, 0] == 8 * (0x102 + 0x100 * ctx + ctx % 4) and not s.src_a.any()
    other = unpacr(multi_context=1, context_number=ctx ^ 5)
    s.dst[:] = 0
    s.execute(0, other)
    assert not s.dst.any() and s.src_a.any()
    put(s, disable_0_3=~(1 << ctx) & 15, disable_4_7=~(1 << ctx >> 4) & 15, x1=255)
    assert "x_window" not in s.execute(0, unpacr(**word)).faults  # an RSI is read
    put(s, x0=9000, x1=9000)
    assert "x_window" not in s.execute(0, unpacr(**word)).faults
    assert "x_window" in s.execute(0, other).faults


@pytest.mark.parametrize("ctx", range(8))
def test_u9_dest_shift_and_x_dim_of_the_contexts(ctx: int) -> None:
    s = contexts(0)
    for k in range(4):
        put(s, **{f"dest{k}": 64 + 16 * k, f"shift{k}": k + 1, f"x_dim{k}": 10 * k + 10})
    put(s, x1=15, y0=1)
    s.execute(0, unpacr(multi_context=1, context_number=ctx))
    k = ctx % 4
    begin = 16 * (0x102 + 0x100 * ctx + k) + 2 * (10 * k + 10)
    row = s.src_a[0, k]
    assert places(row[: 15 - k]) == [begin + 2 * (k + 1 + n) for n in range(15 - k)]
    assert not row[15 - k :].any() and np.count_nonzero(s.src_a.any(axis=2)) == 1


def test_u7_context_arithmetic() -> None:
    s = contexts(0)
    for number_, offset, ctx in ((3, 0, 3), (6, 3, 1), (0, 15, 7), (1, 8, 1)):
        put(s, thread=2, context_offset=offset, x1=0, set_ovrd=1)
        word = {"multi_context": 1, "context_number": number_, "context_adc": 2, "thread": 2}
        assert place(s, **word) == 16 * (0x102 + 0x100 * ctx + ctx % 4)


@pytest.mark.parametrize(
    ("count", "offset", "want"),
    [
        (0, 0, [0, 0, 0]), (1, 0, [1, 0, 1, 0]), (2, 0, [1, 2, 3, 0]),
        (3, 0, [1, 2, 3, 4, 5, 6, 7, 0]),
        (3, 2, [3, 6, 1, 4, 7, 2, 5, 0]), (2, 1, [2, 0, 2]), (1, 1, [0, 0]),
    ],
)  # fmt: skip
def test_u8_context_counter_of_unpacr(count: int, offset: int, want: list[int]) -> None:
    s = contexts(0)
    put(s, context_count=count, context_offset=offset)
    s.execute(0, unpacr(use_ctx_counter=1))  # without MultiContextMode: nothing
    s.execute(0, unpacr(multi_context=1))
    assert s.context_counter[0, 0] == 0
    found = []
    for _ in want:
        s.execute(0, unpacr(multi_context=1, use_ctx_counter=1, context_number=5))
        found.append(int(s.context_counter[0, 0]))
    assert found == want


@pytest.mark.parametrize(
    ("count", "want"),
    [(0, [0, 0]), (1, [1, 0, 1]), (2, [1, 2, 3, 0]), (3, [1, 2, 3, 4, 5, 6, 7, 0])],
)
def test_u8_counter_alone_has_no_offset(count: int, want: list[int]) -> None:
    s = UnpackState()
    put(s, 1, context_count=count, context_offset=3)
    found = []
    for _ in want:
        s.execute(0, unpacr(1, inc_ctx=1))
        found.append(int(s.context_counter[1, 0]))
    assert found == want


@pytest.mark.parametrize("no_exponents", [0, 1])
@pytest.mark.parametrize("force", [0, 1])
@pytest.mark.parametrize("code", [F.BFP8, F.BFP4, F.BFP2A])
def test_u13_u14_exponent_section(code: int, force: int, no_exponents: int) -> None:
    s = plain(code, count=16, force_exponent=force, no_exponents=no_exponents, shared_exponent=20)
    load(s, START, [0x10] * 64)
    load(s, START + 64, [0xC0] * 16)
    s.execute(0, unpacr())
    shared, minus = (20 if force else 16), 1 << 18
    if force or (no_exponents and code != F.BFP8):  # the data are where the exponents would be
        want = {F.BFP8: [shared - 2], F.BFP4: [0, shared - 2], F.BFP2A: [0, 0, shared, 0]}[code]
    else:
        want = {F.BFP8: [], F.BFP4: [0], F.BFP2A: [0, 0, 0]}[code] + [minus | shared]
    assert s.src_a[0, 0].tolist() == want * (16 // len(want))


def test_u15_ranges_and_empty_unpack() -> None:
    s = numbered(x_dim=4, y_dim=2, z_dim=3, w_dim=2)
    put(s, x0=1, x1=1, y0=256 + 1)
    assert place(s) == START + 2 * (4 + 1)
    s = numbered(profile="blackhole", x_dim=4, y_dim=2, z_dim=3, w_dim=2, z0=256 + 2, w0=512 + 1)
    assert place(s) == START + 2 * (4 * 2 * (3 + 2))
    for begin, end in ((5, 4), (6, 4)):
        put(s, x0=begin, x1=end)
        s.src_a[:] = 7
        s.execute(0, unpacr())
        assert (s.src_a == 7).all()


def test_u11_dims_of_zero() -> None:
    s = numbered(x_dim=8, y_dim=2, z_dim=0, w_dim=0, z0=3, w0=5)
    assert place(s) == START + 2 * 8 * 2 * (5 + 3)
    put(s, y_dim=0, y0=1)
    assert place(s) == START + 2 * 8


def test_u16_row_search_has_an_exclusive_end() -> None:
    s = numbered(x_dim=64, x0=5, x1=7, y0=2)
    s.execute(0, unpacr(row_search=1))
    assert places(s.src_a[0, 0, :7]) == [START + 2 * (128 + k) for k in range(7)]
    assert not s.src_a[0, 0, 7:].any()


@pytest.mark.parametrize("ctx", [None, 0, 1, 2, 3, 6])
def test_u10_u17_blobs(ctx: int | None) -> None:
    """Starts of the tile: 0, 1, 3, …; of contexts 0 and 1: 1, 2, …; of 2 and 3: 2, 4 and so on."""
    s = contexts(0)
    put(s, blobs=3, x_dim=0x87, start_lo=0x4310, start_hi=0x8765)
    put(s, blobs_01=0x87654321, blobs_23=0x0ECA8642, x_dim0=0x87, x_dim2=0x87, x_dim3=0x87)
    put(s, x_dim1=0x87, y0=1)
    starts = {None: (1, 3), 0: (2, 3), 1: (2, 3)}.get(ctx, (4, 6))
    word = {} if ctx is None else {"multi_context": 1, "context_number": ctx}
    base = 0x102 if ctx is None else 0x102 + 0x100 * ctx + ctx % 4

    def emitted() -> list[int]:
        s.src_a[:] = 0
        s.execute(0, unpacr(row_search=1, **word))
        values = s.src_a[0].ravel()
        return places(values[: np.flatnonzero(values)[-1] + 1])

    put(s, x0=1, x1=3)  # n = 2
    assert emitted() == [16 * base + 2 * k for k in range(16 * starts[0], 16 * starts[1])]
    put(s, x0=2)  # n = 3, the last: up to x_dim & 1F0
    assert emitted() == [16 * base + 2 * k for k in range(16 * starts[0], 0x80)]


def test_u18_u19_rows_by_their_starts() -> None:
    s = compressed([0, 3, 3, 40, 43, 50, 60, 70, 90], [], z_dim=2)
    for y, (begin, end) in enumerate([(0, 3), (3, 3), (3, 40), (40, 43)]):
        put(s, y0=y)
        assert emit(s) == [datum(s, k) for k in range(begin, end)]
    put(s, y0=1, z0=1)
    assert emit(s) == [datum(s, k) for k in range(50, 60)]
    put(s, y0=256 + 2, z0=0)  # & FF
    assert emit(s) == [datum(s, k) for k in range(3, 40)]
    put(s, y0=1, x0=3)  # RowSearch: the end is that of row X
    assert emit(s, row_search=1) == [datum(s, k) for k in range(3, 43)]
    put(s, y0=2, x0=0)  # … which may be before the first one
    assert emit(s, row_search=1) == []
    s = compressed([0, 3, 3, 40, 43, 50, 60, 70, 90], [], z_dim=2, blobs=3, z0=1, x0=1)
    assert emit(s, row_search=1) == [datum(s, k) for k in range(40, 50)]


def test_u19_bounded_output() -> None:
    s = compressed([2, 5], [0, 0, 2, 1, 0, 3], x0=0, x1=5)
    items = [datum(s, 2), 0, 0, datum(s, 3), 0, datum(s, 4), datum(s, 5), 0, 0, 0, datum(s, 6)]
    assert emit(s) == items[:6]
    put(s, x0=1, x1=8)
    assert emit(s) == items[1:9]
    put(s, x0=4, x1=4)
    assert emit(s) == items[4:5]
    put(s, x0=4, x1=3)
    assert emit(s) == []
    put(s, x0=5, x1=1)
    assert emit(s) == []


def test_u20_groups_of_32() -> None:
    s = compressed([30, 100], [0] * 31 + [3] + [1] + [0] * 31 + [2], y_dim=1)
    want = [datum(s, 30), datum(s, 31), 0, 0, 0, datum(s, 32), 0]
    want += [datum(s, k) for k in range(33, 65)] + [0, 0]
    assert emit(s) == want + [datum(s, k) for k in range(65, 100)]


def test_u22_u23_u40_u41_items_are_upsampled() -> None:
    s = compressed([0, 3], [1, 0, 2], upsample=1, y_dim=1)
    one, two, three = (datum(s, k) for k in range(3))
    assert emit(s) == [one, 0, 0, 0, two, 0, three, 0, 0, 0, 0, 0]
    put(s, interleave=1)
    assert emit(s) == [one, -1, 0, -1, two, -1, three, -1, 0, -1, 0]
    put(s, interleave=0, x0=1, x1=2)  # drops the first item before it is upsampled
    assert emit(s) == [0, 0, two, 0]
    put(s, x0=0, x1=7)
    assert emit(s, all_zero=1) == [0] * 6  # no zeros by the nibbles then
    put(s, x0=1, x1=4)
    assert emit(s, all_zero=1) == [0] * 8


@pytest.mark.parametrize(
    ("profile", "zeros"),
    [("baseline", [0, 1, 3, 7]), ("baseline,upsample_zeros=0:1:2:4", [0, 1, 2, 4])],
)
def test_u40_zeros(profile: str, zeros: list[int]) -> None:
    for rate, count in enumerate(zeros):
        s = numbered(upsample=rate, x1=1, profile=profile)
        assert emit(s) == [START, *[0] * count, START + 2, *[0] * count]
        put(s, interleave=1)
        assert emit(s) == [START, *[-1] * count, START + 2]


def test_u24_wrap_is_beyond_the_limit_and_once() -> None:
    s = numbered(limit=START // 16, fifo=0x10)
    assert place(s) == START
    put(s, x0=1, x1=1)
    assert place(s) == START + 2 - 0x100
    put(s, x0=255, x1=255)
    assert place(s) == START + 510 - 0x100  # still beyond, but once is all
    put(s, fifo=0)
    assert place(s) == START + 510
    s = numbered(limit=START // 16 + 2, fifo=2, count=64, profile="baseline,row_w=16")
    want = [START + 2 * k for k in range(32)]  # the second row begins at the limit itself + 0
    assert emit(s)[:32] == want


def test_u24_exponents_wrap_where_a_line_ends() -> None:
    s = plain(F.BFP8, count=512, limit=START // 16, fifo=4, x_dim=4096, z_dim=255)
    s.l1[:] = 0x40
    load(s, START, np.arange(100, 116))
    load(s, START + 16 - 64, np.arange(50, 66))
    s.execute(0, unpacr())
    exponents = s.src_a[0, :32, 0]
    assert exponents.tolist() == [*range(100, 116), *range(50, 66)]


def test_u26_stride_of_tilize() -> None:
    s = numbered(tilize=1, shift0=3, shift1=1, count=80)
    rows = [START + k * 0x130 + 2 * n for k in range(3) for n in range(32)]
    assert emit(s) == rows[:80]
    s = numbered(tilize=1, shift0=4, shift1=0, count=96, x0=5, limit=START // 16 + 3, fifo=3)
    put(s, x1=100)
    begins = [START, START + 0x40 - 0x30, START + 0x10 + 0x40 - 0x30]  # from the wrapped begin
    assert emit(s) == [begin + 2 * n for begin in begins for n in range(32)]


def test_u27_tilize_is_off_when_it_cannot_be() -> None:
    s = numbered(tilize=1, shift1=1, upsample=1, interleave=1, x1=39)
    assert emit(s)[::2] == [START + 2 * k for k in range(40)]
