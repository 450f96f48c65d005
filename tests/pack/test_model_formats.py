# SPDX-License-Identifier: Apache-2.0
"""Number formats against arithmetic of another kind: all 16-bit values, many 32-bit ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tilepath.models.pack import PackState
from tilepath.models.pack.accumulate import add_words
from tilepath.tests.pack import model_reference as reference
from tilepath.tests.pack.format_settings import early_settings, integer_settings
from tilepath.tests.pack.model_helpers import datums, put, ready, word

Ints = npt.NDArray[np.int64]
_EDGES = (0, 1, 2, 8, 9, 23, 24, 30, 31, 111, 112, 113, 126, 127, 142, 143, 144, 254, 255)


def _ready(settings: dict[str, int]) -> PackState:
    state = ready()
    for packer in range(4):
        put(state, packer, **settings, dst_offset=16 * packer, l1=0x1000 + 0x1000 * packer)
        put(state, packer, exp_size=0x200 if settings["to"] & 2 else 0)
    size = max(4 >> (settings["from_"] & 3), 1)
    put(state, y_stride=16 * size, descale=1)
    datums(state, 256)
    return state


def _fill(state: PackState, storage: npt.NDArray[Any], wide: int) -> None:
    rows = storage.reshape(-1, 16)
    number = np.arange(len(rows))
    if wide:
        place = (number & 0x1F8) << 1 | number & 0x207
        state.dst[place], state.dst[place + 8] = rows >> 16, rows & 0xFFFF
    else:
        state.dst[number] = rows


def packed(settings: dict[str, int], storage: npt.NDArray[Any]) -> tuple[bytes, bytes]:
    """Data and exponents of storage, a multiple of 1024 datums, through PACRs of all packers."""
    wide = settings.get("r32", 0)
    state = _ready(settings)
    fill = 8192 if wide else 16384
    bits = {0: 32, 1: 16, 2: 8, 3: 2 if settings["to"] & 8 else 4}[settings["to"] & 3]
    data, exponents = [], []
    skip = 0x200 if settings["to"] & 2 else 0
    for start in range(0, len(storage), fill):
        part = storage[start : start + fill]
        _fill(state, part, wide)
        count = len(part) // 1024
        for k in range(count):
            state.adc.live[0, 2, 0, 1] = 64 * k
            state.execute(0, word(mask=15, last=int(k == count - 1)))
        by_packer = [state.l1[16 * (0x1000 + 0x1000 * p) :] for p in range(4)]
        bytes_of = 256 * bits // 8
        of_data = [m[16 * skip :][: count * bytes_of].reshape(count, -1) for m in by_packer]
        data.append(np.stack(of_data, axis=1).tobytes())
        of_exponents = [m[: count * 16].reshape(count, 16) for m in by_packer]
        exponents.append(np.stack(of_exponents, axis=1).tobytes())
    return b"".join(data), b"".join(exponents)


def _elements(data: bytes, bits: int) -> Ints:
    if bits >= 8:
        return np.frombuffer(data, dtype=f"<u{bits // 8}").astype(np.int64)
    each = np.frombuffer(data, dtype=np.uint8)[:, None] >> np.arange(0, 8, bits)
    return (each & ((1 << bits) - 1)).astype(np.int64).reshape(-1)


def _cases(wide: int) -> Iterator[dict[str, int]]:
    for settings in early_settings(wide):
        for to in (0, 4, 5, 1, 10):
            yield {**settings, "to": to}
        yield {**settings, "to": 10, "e4m3": 1}
    for settings in integer_settings(wide):
        yield {**settings, "r32": wide}


def _check(settings: dict[str, int], storage: npt.NDArray[Any]) -> None:
    bits = 32 >> (settings["to"] & 3)
    got = _elements(packed(settings, storage)[0], bits)
    exact = storage.astype(np.int64)
    want = reference.to_l1(reference.from_dst(exact, settings), settings)
    different = np.flatnonzero(got != want)
    first = [hex(values[different[0]]) for values in (storage, got, want) if different.size]
    assert not first, (settings, first)


def _random_storage(count: int, seed: int) -> npt.NDArray[np.uint32]:
    """32-bit storage: half any bits, half with exponents and mantissas where something happens."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 1 << 32, count, dtype=np.uint32)
    exponent = rng.choice(_EDGES, count).astype(np.uint32)
    low = rng.choice([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF, 0x1000, 0x0FFF, 0x3000], count)
    chosen = (values & 0xFF000000) | exponent << 16 | low.astype(np.uint32)
    return np.where(rng.random(count) < 0.5, chosen, values).astype(np.uint32)


def test_all_values_of_16_bits() -> None:
    storage = np.arange(1 << 16, dtype=np.uint32)
    for settings in _cases(0):
        _check(settings, storage)


def test_values_of_32_bits() -> None:
    storage = _random_storage(1 << 20, 1)
    for number, settings in enumerate(_cases(1)):
        # the plain ones all of them, the others an eighth each
        plain = settings["inner"] in (0, 5) and settings["to"] in (0, 1, 5)
        part = storage if plain else storage[(number % 8) << 17 :][: 1 << 17]
        _check(settings, part)


@pytest.mark.parametrize("to", [6, 7, 15, 2, 3, 11])
def test_groups(to: int) -> None:
    """100,000 groups a format, half of them with exponents close to each other."""
    rng = np.random.default_rng(to)
    count = 25 * 1024
    for settings in (
        {"inner": 5, "from_": 5, "raw": 1},
        {"inner": 5, "from_": 5},
        {"inner": 0, "from_": 0, "r32": 1},
        {"inner": 1, "from_": 1},
        {"inner": 2, "from_": 2, "raw": 1},
        {"inner": 10, "from_": 10, "raw": 1},
    ):
        case = {**settings, "to": to}
        storage = rng.integers(0, 1 << 32, (count, 16), dtype=np.uint32)
        near = rng.integers(0, 256, (count, 1), dtype=np.uint32)
        near = (near + rng.integers(0, 10, (count, 16), dtype=np.uint32)) & 0xFF
        close = rng.random((count, 1)) < 0.5
        storage = np.where(close, storage & 0xFF00FFFF | near << 16, storage)
        if not settings.get("r32"):
            storage >>= 16
        flat = storage.reshape(-1)
        data, exponents = packed(case, flat)
        numbers = reference.to_l1(reference.from_dst(flat.astype(np.int64), case), case)
        shared, want = reference.groups(numbers.reshape(-1, 16), to)
        bits = {6: 8, 2: 8, 7: 4, 3: 4, 15: 2, 11: 2}[to]
        np.testing.assert_array_equal(_elements(exponents, 8), shared)
        np.testing.assert_array_equal(_elements(data, bits), want.reshape(-1))


def _pairs(bits: int, mantissa: int, seed: int) -> tuple[Ints, Ints]:
    """A million pairs; half of them with close exponents, some equal but for the sign."""
    rng = np.random.default_rng(seed)
    count = 1_000_000
    old = rng.integers(0, 1 << bits, count)
    new = rng.integers(0, 1 << bits, count)
    width = bits - 1 - mantissa
    exponent = (old >> mantissa) + rng.integers(-mantissa - 3, mantissa + 4, count)
    close = new & ~(((1 << width) - 1) << mantissa) | (exponent & ((1 << width) - 1)) << mantissa
    new = np.where(rng.random(count) < 0.5, close, new)
    new = np.where(rng.random(count) < 0.02, old ^ 1 << (bits - 1), new)
    old = np.where(rng.random(count) < 0.02, old & 1 << (bits - 1), old)
    return old, new


def _sum(to: int, quirk: int, old: Ints, new: Ints) -> Ints:
    out = np.zeros(len(old), dtype=np.uint32)
    add_words(to, quirk, old.astype(np.uint32), new.astype(np.uint32), out)
    return out.astype(np.int64)


def _two(values: Ints) -> Ints:
    return values[0::2] | values[1::2] << 16


@pytest.mark.parametrize("quirk", [0, 1])
def test_sums_of_16_bits(quirk: int) -> None:
    old, new = _pairs(16, 7, 2)
    np.testing.assert_array_equal(
        _sum(5, quirk, _two(old), _two(new)), _two(reference.add_bf16(old, new))
    )
    old, new = _pairs(16, 10, 3)
    want = reference.add_fp16(old, new, bool(quirk))
    np.testing.assert_array_equal(_sum(1, quirk, _two(old), _two(new)), _two(want))


def test_sums_of_32_bits() -> None:
    old, new = _pairs(32, 23, 4)
    want = reference.add_fp32(old.astype(np.uint32), new.astype(np.uint32))
    np.testing.assert_array_equal(_sum(0, 1, old, new), want)
    np.testing.assert_array_equal(_sum(8, 1, old, new), reference.add_int32(old, new))
