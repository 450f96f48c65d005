# SPDX-License-Identifier: Apache-2.0
"""Tiles of numbers: bytes and register contents of numbers that the specification works out."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from tilepath.sequences.unpack.tile_image import (
    DST_KINDS,
    KINDS,
    SRC_KINDS,
    TILE,
    datums,
    image,
    values,
)
from tilepath.tests.unpack.tile_values import dst_rows, in_dst, in_src


def single(bits: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", bits))[0])


# kind, number, datum in L1, SrcA or SrcB, Dst; the specification's vectors (its section 6)
VECTORS = [
    ("fp32_tf32", single(0xC0490FDB), 0xC0490FDB, 0x64880, 0xC9800FDB),
    ("fp32_bf16", single(0xC0490FDB), 0xC0490FDB, 0x64880, 0xC980),
    ("fp32_bf16", single(0x3F80FFFF), 0x3F80FFFF, 0x0007F, 0x007F),
    ("fp32_fp16", 65504.0, 0x477FE000, 0x3FF1E, 0x7FFE),
    ("bf16", 1.0, 0x3F80, 0x0007F, 0x007F),
    ("fp16", 1.0, 0x3C00, 0x0000F, 0x000F),
    ("e5m2", 1.0, 0x3C, 0x0000F, 0x000F),
    ("e4m3", 1.0, 0x38, 0x0000F, 0x000F),
    ("bfp8", 1.0, 0x40, 0x0007F, 0x007F),
    ("bfp4", 1.0, 4, 0x0007F, 0x007F),
    ("bfp2", -1.0, 3, 0x4007F, 0x807F),
    ("bfp8a", 1.0, 0x40, 0x0000F, 0x000F),
    ("bfp4a", 1.0, 4, 0x0000F, 0x000F),
    ("bfp2a", 1.0, 1, 0x0000F, 0x000F),
    ("int8", 5.0, 0x05, 0x00510, 0x00B0),
    ("int8", -5.0, 0x85, 0x40510, 0x80B0),
    ("uint8", 255.0, 0xFF, 0x0FF10, 0x1FF0),
    ("int16", float(0x1234), 0x1234, 0x09034, 0x1234),
    ("int8_bf16", -64.0, 0xC0, 0x40085, 0x8085),
]


@pytest.mark.parametrize(("name", "number", "datum", "src", "dst"), VECTORS)
def test_vectors(name: str, number: float, datum: int, src: int, dst: int) -> None:
    kind = KINDS[name]
    numbers = np.full(16, number)
    packed = datums(kind, numbers)
    assert int.from_bytes(packed[: max(1, kind.bits // 8)].tobytes(), "little") == (
        datum if kind.bits >= 8 else sum(datum << k for k in range(0, 8, kind.bits))
    )
    assert in_src(kind, numbers)[0] == src
    assert in_dst(kind, numbers)[0] == dst


def test_wide_dst() -> None:
    number = np.array([float(0x12345678)])
    assert in_dst(KINDS["int32"], number)[0] == 0x34245678
    # U36: rows 7, 8 and 63 of 32 bits
    for row, stored in ((7, [7, 15]), (8, [16, 24]), (63, [119, 127])):
        places, halves = dst_rows(KINDS["int32"], row, np.full(16, number[0]))
        assert places.tolist() == stored
        assert halves[:, 0].tolist() == [0x3424, 0x5678]


@pytest.mark.parametrize("kind", DST_KINDS, ids=lambda kind: kind.name)
def test_tiles_have_many_numbers_and_the_right_size(kind) -> None:
    numbers = values(kind, 7)
    assert len(image(kind, numbers)) == kind.tile_bytes
    assert (numbers == values(kind, 7)).all() and (numbers != values(kind, 8)).any()
    assert (numbers == 0).sum() < TILE / 4 or kind.digits < 4
    assert len(np.unique(numbers)) > 40
    assert kind.unsigned or (numbers < 0).sum() > TILE / 8
    assert not np.signbit(numbers[numbers == 0]).any()


@pytest.mark.parametrize("kind", SRC_KINDS, ids=lambda kind: kind.name)
def test_registers_hold_the_numbers(kind) -> None:
    """Sign, mantissa and exponent read as a float give the number, up to digits dropped."""
    numbers = values(kind, 9)
    raw = in_src(kind, numbers).astype(np.int64)
    if kind.out_code in (9, 14):
        assert len(np.unique(raw)) == len(np.unique(numbers))
        return
    half = kind.out_code in (1, 2, 3, 10, 11)
    exponent, mantissa = raw & 0xFF, raw >> 8 & 0x3FF
    size = np.ldexp(1 + mantissa / 1024, exponent - (15 if half else 127))
    size = np.where(exponent == 0, 0, size) * np.where(raw >> 18, -1, 1)
    digits = min(kind.digits, 8 if kind.out_code == 5 else 11)
    assert (np.abs(size) <= np.abs(numbers)).all()
    assert (np.abs(numbers - size) <= np.abs(numbers) * 2.0 ** (1 - digits)).all()
    if kind.bits != 32:
        assert (numbers == size).all()
