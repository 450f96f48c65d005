# SPDX-License-Identifier: Apache-2.0
"""Decisions of the specification on UNPACR, one by one: what is written and left behind."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.models import format_codes as F
from tilepath.tests.unpack.model_helpers import load, put, unpacr
from tilepath.tests.unpack.model_numbered import (
    START,
    contexts,
    emit,
    numbered,
    place,
    places,
)


def test_u28_u29_output_address() -> None:
    for more, row, column in (
        ({"out_base": 128}, 0, 0), ({"out_base": 2 * 64 + 1}, 0, 0),
        ({"y_stride": 2, "y1": 5}, 0, 5), ({"z_stride": 32, "z1": 3}, 3, 0),
        ({"w_stride": 64, "w1": 2, "y_stride": 0}, 4, 0),
        ({"y_stride": 0x8000, "y1": 0x1000, "out_base": 128}, 0, 0),
    ):  # fmt: skip
        s = numbered(**more)
        s.execute(0, unpacr())
        assert s.src_a[0, row, column] and np.count_nonzero(s.src_a) == 1, more
    s = contexts(0)
    put(s, dest1=64 + 33, out_base=2 * 32)
    for add, to_dst, where in ((0, 0, 33), (1, 0, 65), (0, 1, 65)):
        put(s, add_dest=add, if_sel_0_3=2 * to_dst, set_ovrd=1 - to_dst)
        s.src_a[:], s.dst[:] = 0, 0
        s.execute(0, unpacr(multi_context=1, context_number=1))
        found = s.dst if to_dst else s.src_a[0]
        assert np.flatnonzero(found.ravel()).tolist() == [where]
    s = contexts(1)  # the other unpacker has no Dest
    put(s, 1, add_dest=1, dest0=77, out_base=6)
    s.execute(0, unpacr(1, multi_context=1))
    assert np.flatnonzero(s.src_b.ravel()).tolist() == [3]


def test_u30_rows_and_columns_in_front_are_not_written() -> None:
    s = numbered(count=48, out_base=2 * 48, shift0=3)
    emit(s)
    rows = s.src_a[0, :2]
    assert places(rows[:, :13].ravel()) == [
        START + 2 * (16 * r + 3 + c) for r in (1, 2) for c in range(13)
    ]
    assert (rows[:, 13:] == 0x7FFFF).all() and (s.src_a[0, 2:] == 0x7FFFF).all()
    s = numbered(unit=1, count=16, shift0=3)  # SrcB has neither
    s.execute(0, unpacr(1))
    assert places(s.src_b[0, 0]) == [START + 2 * k for k in range(16)]


def test_u31_u32_rows_wrap_at_64() -> None:
    s = numbered(count=32, out_base=2 * (64 + 63 * 16))
    s.execute(0, unpacr())
    assert places(s.src_a[0, [63, 0], 0]) == [START, START + 32]
    s = numbered(count=16, set_ovrd=0, out_base=2 * (64 + 5 * 16))
    s.src_row[0] = [62, 1, 2]
    s.execute(0, unpacr())
    assert places(s.src_a[0, 3, 0]) == START
    s = numbered(unit=1, count=16, out_base=2 * 5 * 16)
    s.src_row[1] = [62, 1, 2]
    s.execute(0, unpacr(1))
    assert places(s.src_b[0, 3, 0]) == START


def test_u35_u38_rows_of_dst() -> None:
    for base, ovrd, row in ((0, 0, 1020), (64, 0, 0), (63 * 16, 0, 59), (1027 * 16, 0, 1023),
                            (1028 * 16, 0, 0), (64 + 17 * 16, 1, 1), (0, 1, 12)):  # fmt: skip
        s = numbered(if_sel=1, set_ovrd=ovrd, out_base=2 * base, transpose=1, shift0=5, count=16)
        s.src_row[:] = 9
        s.execute(0, unpacr())
        assert (2 * s.dst[row].astype(int)).tolist() == [START + 2 * k for k in range(16)]
        assert np.flatnonzero(s.dst_valid).tolist() == [row] and np.count_nonzero(s.dst) == 16
        assert not s.src_a.any()


def test_u37_stale_banks() -> None:
    s = numbered(if_sel=1, set_ovrd=0)
    s.src_bank[0] = 1
    s.src_owner[0] = [0, 1]
    assert not s.execute(0, unpacr()).met
    assert s.stale.tolist() == [0, 1] and s.dst[0, 0]
    s.release(0, 1)
    assert s.stale.tolist() == [0, 0] and s.src_owner[0].tolist() == [0, 0]
    assert s.execute(0, unpacr()).met
    s.execute(0, 0x43000011)  # ZEROSRC
    assert s.stale.tolist() == [0, 0]
    put(s, x0=1, x1=0)
    s.execute(0, unpacr())  # nothing written
    assert s.stale.tolist() == [0, 0]
    with pytest.raises(ValueError, match="no bank 2 of file 0"):
        s.release(0, 2)


def test_u39_transpose_is_after_everything_else() -> None:
    s = numbered(count=256, transpose=1, x_dim=256, set_ovrd=0, shift0=2)
    s.src_row[0, 0] = 17
    s.execute(0, unpacr())
    for row in range(16):
        for column in range(14):
            register = (row + 17) % 64
            value = s.src_a[0, register & 48 | column, register & 15]
            assert places(value) == START + 2 * (16 * row + column + 2)
    s = numbered(unit=1, count=16, transpose=1)
    s.execute(0, unpacr(1))
    assert np.count_nonzero(s.src_b[0, 0]) == 16


def test_u42_u44_u59_flips() -> None:
    s = numbered(set_base=2, set_upd=1, x0=1, x1=0)  # nothing to write
    s.src_row[0] = [5, 6, 7]
    s.src_owner[0, 0] = 1
    effect = s.execute(0, unpacr(flip_src=1))
    assert effect.met and effect.faults == ("empty_flip", "flip_owner")
    assert s.src_bank.tolist() == [1, 0] and s.src_owner.tolist() == [[1, 0], [0, 0]]
    assert s.src_row[0].tolist() == [32, 6, 7]
    put(s, x0=0, x1=0, if_sel=1, set_ovrd=0)
    assert s.execute(0, unpacr(flip_src=1)).met  # to Dst, and still it flips
    assert s.src_owner[0].tolist() == [1, 1] and s.src_bank[0] == 0 and s.stale.tolist() == [0, 1]


def test_u43_source_rows_by_thread() -> None:
    s = numbered(unit=1, set_upd=1, set_base=1)
    s.src_row[1] = [40, 50, 60]
    s.execute(0, unpacr(1))
    assert s.src_row[1].tolist() == [(40 + 32) % 64, 50, 60]
    put(s, 1, set_upd=0)
    s.execute(0, unpacr(1))
    assert s.src_row[1, 0] == 8
    put(s, 1, set_upd=1)
    s.execute(0, unpacr(1, flip_src=1))
    assert s.src_row[1, 0] == 16 and not s.src_row[0].any()


def test_u55_conversion_goes_by_the_input_format() -> None:
    s = numbered(code=F.BF16, out=F.FP32, if_sel=1, set_ovrd=0)
    load(s, START, [0x3F81], "u2")
    s.execute(0, unpacr())
    assert (s.dst[0, 0], s.dst[8, 0]) == (0, 0x017F)  # zero-extended
    s = numbered(code=F.INT32, out=F.INT8, if_sel=1, set_ovrd=0)
    load(s, START, [0x12345678], "u4")
    s.execute(0, unpacr())
    assert s.dst[0, 0] == 0x5678 and s.dst[8, 0] == 0
    s = numbered(code=F.TF32, out=F.TF32)
    load(s, START, [0x3F802000], "u4")
    s.execute(0, unpacr())
    assert s.src_a[0, 0, 0] == 0x0017F


def test_a10_a11_counter_sets() -> None:
    s = contexts(0)
    put(s, thread=1, x0=3, x1=3, y0=2, z0=1)
    put(s, thread=2, x0=9, x1=9, y0=9, z0=3)
    put(s, y_dim=4, z_dim=4)
    increments = {"ch0_y_inc": 1, "ch0_z_inc": 2, "ch1_y_inc": 3, "ch1_z_inc": 1}
    put(s, thread=2, set_ovrd=1)
    assert place(s, thread=2, multi_context=1, context_adc=1, **increments) == (
        16 * 0x102 + 2 * (256 * (4 * 3 + 2) + 3)
    )
    assert s.adc.live[1, 0].tolist() == [[3, 3, 3, 0], [3, 3, 1, 0]]
    assert s.adc.live[2, 0].tolist() == [[9, 10, 5, 0], [9, 3, 1, 0]]
    assert not s.adc.live[:, 1:].any() and not s.adc.checkpoint.any()
    s.execute(1, unpacr(multi_context=1, context_adc=1, **increments))  # once
    assert s.adc.live[1, 0].tolist() == [[3, 4, 5, 0], [3, 6, 2, 0]]


def test_u65_bank_of_the_configuration() -> None:
    s = numbered()
    put(s, bank=1, base=0x600, in_format=F.INT16, out_format=F.INT16, uncompressed=1, x_dim=256)
    put(s, bank=1, y_dim=1, out_base=128)
    assert place(s) == START
    put(s, state_id=1)
    assert place(s) == 0x6010
