# SPDX-License-Identifier: Apache-2.0
"""Tiles of numbers: register contents of numbers that the specification works out."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from tilepath.sequences.unpack.tile_image import DST_KINDS, KINDS, TILE, image, values
from tilepath.tests.unpack.tile_values import dst_rows, in_dst, in_src


def single(bits: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", bits))[0])


# kind, number, SrcA or SrcB, Dst; the specification's vectors where something is cut, or counts
VECTORS = [
    ("fp32_tf32", single(0xC0490FDB), 0x64880, 0xC9800FDB),
    ("fp32_bf16", single(0xC0490FDB), 0x64880, 0xC980),
    ("fp32_bf16", single(0x3F80FFFF), 0x0007F, 0x007F),
    ("fp32_fp16", 65504.0, 0x3FF1E, 0x7FFE),
    ("uint8", 255.0, 0x0FF10, 0x1FF0),
    ("int8_bf16", -64.0, 0x40085, 0x8085),
]


@pytest.mark.parametrize(("name", "number", "src", "dst"), VECTORS)
def test_vectors(name: str, number: float, src: int, dst: int) -> None:
    numbers = np.full(16, number)
    assert in_src(KINDS[name], numbers)[0] == src
    assert in_dst(KINDS[name], numbers)[0] == dst


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
