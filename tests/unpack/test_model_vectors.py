# SPDX-License-Identifier: Apache-2.0
"""The worked vectors of the specification: values 1 to 23, addresses V1 to V8."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tilepath.isa import formats
from tilepath.models import format_codes as F
from tilepath.models.unpack import UnpackState
from tilepath.models.unpack.formats import is_wide
from tilepath.tests.tables import beside
from tilepath.tests.unpack.model_helpers import load, plain, put, unpacr

Ints = npt.NDArray[np.int64]


def _numbers(text: str) -> list[int]:
    return [int(number, 16) for number in text.split()]


def _values() -> Iterator[tuple[str, int, int, dict[str, Any], list[tuple[int, int | None, int]]]]:
    for name, code, out, more, *texts in beside(__file__, "vectors")["values"]:
        datums, src, dst = map(_numbers, texts)
        rows = list(zip(datums, src or [None] * len(dst), dst, strict=True))
        yield name, getattr(F, code), getattr(F, out), more, rows


VALUES = list(_values())
"""Number, format read, format written, further fields, and of each datum its bits, Src, Dst."""
CASES = [row[1:] for row in VALUES]
NAMES = [row[0] for row in VALUES]


def fill(state: Any, code: int, data: list[int]) -> None:
    """Datums, packed, lowest bits first, from 0x4010 on."""
    bits = formats.get(code).bits
    packed = sum(datum << bits * k for k, datum in enumerate(data))
    size = -(-len(data) * bits // 8)
    load(state, 0x4010, list(packed.to_bytes(size, "little")))


@pytest.mark.parametrize("unit", [0, 1])
@pytest.mark.parametrize(("code", "out", "more", "rows"), CASES, ids=NAMES)
def test_values_in_src(code: int, out: int, more: dict[str, Any], rows: Any, unit: int) -> None:
    s = plain(code, out, unit, count=len(rows), force_exponent=1, **more)
    fill(s, code, [row[0] for row in rows])
    effect = s.execute(0, unpacr(unit))
    want = [row[1] for row in rows]
    if want[0] is None:
        assert effect.faults == ("format_src",)
        return
    assert effect.faults == (("bfpa",) if code == F.BFP8A and more["shared_exponent"] != 15 else ())
    assert (s.src_b if unit else s.src_a)[0, 0, : len(rows)].tolist() == want


@pytest.mark.parametrize(("code", "out", "more", "rows"), CASES, ids=NAMES)
def test_values_in_dst(code: int, out: int, more: dict[str, Any], rows: Any) -> None:
    s = plain(code, out, count=len(rows), force_exponent=1, set_ovrd=0, if_sel=1, **more)
    fill(s, code, [row[0] for row in rows])
    effect = s.execute(0, unpacr())
    assert effect.faults == (("bfpa",) if code == F.BFP8A and more["shared_exponent"] != 15 else ())
    words = s.dst[0, : len(rows)].astype(np.uint32)
    if is_wide(out):
        words = words << 16 | s.dst[8, : len(rows)]
    assert words.tolist() == [row[2] for row in rows]
    assert np.flatnonzero(s.dst_valid).tolist() == [0] and s.stale.tolist() == [1, 0]


def halves(state: Any) -> Ints:
    """Every 16-bit word of L1 gets its own number."""
    words = np.arange(state.l1.size // 2, dtype=np.int64) * 40503 & 0xFFFF
    load(state, 0, words, "u2")
    return words


def bf16(words: Ints, addresses: Any) -> Ints:
    x = words[np.asarray(addresses) // 2]
    return x >> 15 << 18 | (x & 0x7F) << 11 | x >> 7 & 0xFF


def test_v1_face_of_a_bf16_tile() -> None:
    s = UnpackState()
    words = halves(s)
    put(s, base=0x3FF, in_format=F.BF16, out_format=F.BF16, x_dim0=256, y_dim=1, z_dim=4, w_dim=1)
    put(s, disable_0_3=1, add_dest=1, dest0=64, z_stride=512, set_ovrd=1, x1=255, z0=2, z1=1)
    assert s.execute(0, unpacr(multi_context=1)).faults == ()
    want = bf16(words, 0x4400 + 2 * np.arange(256))
    np.testing.assert_array_equal(s.src_a[0, 16:32].ravel(), want)
    assert not s.src_a[0, :16].any() and not s.src_a[0, 32:].any() and not s.src_a[1].any()


@pytest.mark.parametrize("width", [16, 32])
def test_v4_wrap_of_fp16(width: int) -> None:
    s = plain(F.FP16, count=64, base=0x7FD, limit=0x7FF, fifo=0x100, x_dim=64,
              profile=f"baseline,row_w={width}")  # fmt: skip
    words = halves(s)
    assert s.execute(0, unpacr()).faults == ()
    rows = {16: [0x7FE0, 0x7000, 0x7020, 0x7040], 32: [0x7FE0, 0x7020]}[width]
    x = words[(np.array(rows)[:, None] + 2 * np.arange(width)).ravel() // 2]
    want = x >> 15 << 18 | (x & 0x3FF) << 8 | x >> 10 & 0x1F
    np.testing.assert_array_equal(s.src_a[0, :4].ravel(), want)


@pytest.mark.parametrize(
    ("width", "places"),
    [
        (32, {16: 0x10020, 32: 0x10100, 1023: 0x11F3E}),
        (16, {16: 0x10100, 32: 0x10200, 1023: 0x13F1E}),
    ],
)
def test_v5_tilize(width: int, places: dict[int, int]) -> None:
    s = plain(F.BF16, count=1024, base=0xFFF, x_dim=1024, tilize=1, shift1=1,
              profile=f"blackhole,row_w={width}")  # fmt: skip
    words = halves(s)
    assert s.execute(0, unpacr()).faults == ()
    i = np.arange(1024)
    addresses = 0x10000 + i // width * 256 + i % width * 2
    assert {k: addresses[k] for k in places} == places
    np.testing.assert_array_equal(s.src_a[0].ravel(), bf16(words, addresses))


@pytest.mark.parametrize(
    ("row", "high", "low"),
    [(0, 0, 8), (7, 7, 15), (8, 16, 24), (15, 23, 31), (63, 119, 127), (511, 1015, 1023)],
)
def test_v7_rows_of_a_32_bit_dst(row: int, high: int, low: int) -> None:
    s = UnpackState()
    s.dst_valid[:] = 0  # so that they show what is written
    put(s, base=0x400, x1=15, disable_0_3=1, if_sel_0_3=1, dest0=64 + 16 * row)
    load(s, 0x4010, np.arange(16) + 0x3F800000, "u4")
    assert s.execute(0, unpacr(multi_context=1)).faults == ()
    assert s.dst[high].tolist() == [0x7F] * 16
    assert s.dst[low].tolist() == list(range(16))
    assert np.flatnonzero(s.dst.any(axis=1)).tolist() == [high, low]
    assert np.flatnonzero(s.dst_valid).tolist() == [high]


@pytest.mark.parametrize(("profile", "z"), [("baseline", 0), ("blackhole", 256)])
def test_v8_z_counter(profile: str, z: int) -> None:
    s = plain(F.BF16, count=16, z0=253, profile=profile)
    halves(s)
    s.execute(0, unpacr(ch0_z_inc=3))
    assert s.adc.live[0, 0, 0].tolist() == [0, 0, z, 0]
    s.execute(0, unpacr())
    want = bf16(s.l1.view("<u2").astype(np.int64), 0x4010 + 2 * np.arange(16))
    np.testing.assert_array_equal(s.src_a[0, 0], want)
