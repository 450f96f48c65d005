# SPDX-License-Identifier: Apache-2.0
"""Tiles of numbers: bytes of numbers that the specification works out, sizes of tiles."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from tilepath.sequences.pack.tile_image import KINDS, TILE, values
from tilepath.tests.pack.tile_values import added, tile


def single(bits: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", bits))[0])


def half(bits: int) -> float:
    """Of FP16, whose greatest exponent is an ordinary one."""
    size = np.ldexp(1024 + (bits & 0x3FF), (bits >> 10 & 31) - 25)
    return float(-size if bits >> 15 else size)


# kind, number, datum in L1; the specification's vectors of conversions (its section 6)
VECTORS = [
    ("fp32", single(0x3FC00001), 0x3FC00001),
    ("fp32_bf16", single(0x3F808000), 0x3F81),
    ("fp32_bf16", single(0x3F807FFF), 0x3F80),
    ("fp32_bf16", single(0xBF818000), 0xBF82),
    ("fp32_bf16", single(0x7F7F8000), 0x7F80),
    ("fp32_bf16", single(0x007FFFFF), 0x0080),
    ("fp32_bf16", single(0x80400000), 0x0000),
    ("fp32_bf16_cut", single(0x3F80FFFF), 0x3F80),
    ("fp32_bf16_cut", single(0x80400000), 0x0000),
    ("fp32_tf32", single(0x3F801000), 0x3F802000),
    ("fp32_fp16_cut", single(0x3FC02000), 0x3E01),
    ("fp32_fp16_cut", single(0x48000000), 0x7FFF),
    ("fp32_fp16_cut", single(0x47FFE000), 0x7FFF),
    ("fp32_fp16_cut", single(0xFF800000), 0xFFFF),
    ("fp32_fp16_cut", single(0x38400000), 0x0200),
    ("fp32_fp16_cut", single(0xB7800000), 0x8000),
    ("fp32_e5m2", single(0x3FF00000), 0x3F),
    ("fp32_e5m2", single(0xC9000000), 0xFF),
    ("bf16", -0.0, 0x0000),
    ("bf16_fp32", single(0xC0490000), 0xC0490000),
    ("fp16_fp32", half(0x3C01), 0x3F802000),
    ("fp16_fp32", half(0x7FFF), 0x47FFE000),
    ("fp16_bf16", half(0x3DFF), 0x3FBF),
    ("int32_int8", -256.0, 0xFF),
    ("int32_uint8", -5.0, 0x00),
    ("int32_uint8", 300.0, 0xFF),
    ("int32_int8_shifted", -12.0, 0x82),
    ("fp16_e4m3", half(0x3DFF), 0x3B),
    ("fp16_e4m3", half(0xE000), 0xFF),
]


@pytest.mark.parametrize(("name", "number", "datum"), VECTORS)
def test_vectors(name: str, number: float, datum: int) -> None:
    packed = tile(KINDS[name], np.full(16, number)).tobytes()
    assert packed == datum.to_bytes(len(packed) // 16, "little") * 16


_V20 = [single(0x3F81_0000), single(0x4000_0000), *[0.0] * 14]
_V21 = [1.0, -1.0, 1.9921875, 2.0**-14, -(2.0**-15), single(0x3E99999A), 0.0, 1.5, *[0.0] * 8]
GROUPS = [
    ("fp32_bfp8_twice", _V20, "80 21 40" + " 00" * 14),
    ("fp32_bfp8a", _V21, "0F 40 C0 7F 00 00 13 00 60" + " 00" * 8),
    ("fp32_bfp8a", [single(0x38400000), *[0.0] * 15], "00" * 17),
]


@pytest.mark.parametrize(("name", "numbers", "data"), GROUPS)
def test_groups(name: str, numbers: list[float], data: str) -> None:
    exponent, *datums = bytes.fromhex(data)
    assert tile(KINDS[name], np.array(numbers)).tolist() == [exponent, *[0] * 15, *datums]


# kind, code in L1, code of the datum, code of the sum
SUMS = [
    ("fp32", 0x3F800000, 0x33800000, 0x3F800000),
    ("fp32", 0x3F800000, 0x33800001, 0x3F800001),
    ("bf16", 0x3F81, 0x3B80, 0x3F82),
    ("bf16", 0x3F80, 0x3B80, 0x3F80),
    ("fp16", 0x3C00, 0xBC00, 0x0000),
    ("fp16", 0x3C00, 0x1000, 0x3C00),
]


@pytest.mark.parametrize(("name", "one", "two", "total"), SUMS)
def test_sums(name: str, one: int, two: int, total: int) -> None:
    """V24."""
    number = {"fp32": single, "bf16": lambda code: single(code << 16), "fp16": half}[name]
    found = added(KINDS[name], np.full(16, number(one)), np.full(16, number(two)))
    size = KINDS[name].bits // 8
    assert tile(KINDS[name], found).tobytes() == total.to_bytes(size, "little") * 16


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_tiles_have_many_numbers(kind) -> None:
    numbers = values(kind, 7)
    assert (numbers == values(kind, 7)).all() and (numbers != values(kind, 8)).any()
    assert (numbers == 0).sum() < TILE / 4 and len(np.unique(numbers)) > 200
    assert (numbers < 0).sum() > TILE / 4
    sparse = values(kind, 7, tame=True, dense=6)
    assert (sparse == 0).sum() > TILE / 2 and not np.signbit(sparse[sparse == 0]).any()


def test_every_format_is_packed_from_both_dsts_that_have_it() -> None:
    every = set(range(16)) - {12, 13}
    assert {kind.to for kind in KINDS.values()} == every
    assert {kind.to for kind in KINDS.values() if kind.dst == "fp32"} >= every - {8, 9, 14}
