# SPDX-License-Identifier: Apache-2.0
"""What ``tiles`` makes is what the machine reads, and rows of Dst are where the packers read them.

Numbers of all formats, unpacked and packed: ``tests/unpack`` and ``tests/pack`` play programs.
"""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.models import Machine, tiles
from tilepath.models.tiles import FORMATS, from_l1, to_l1
from tilepath.tests.tiles.helpers import (
    TILE,
    TO_SRC,
    of_file,
    pack,
    same_bits,
    unpacked,
)

LAYOUT = {name: tiles.Layout(form) for name, form in FORMATS.items()}


def numbers_of(name: str, seed: int, zeros: float = 0.1) -> np.ndarray:
    """A tile of numbers for a format; not all of them it has."""
    form = FORMATS[name]
    rng = np.random.default_rng([seed, form.code])
    if form.integer:
        low = 0 if name == "UINT8" else -form.largest
        found = rng.integers(low, form.largest, (32, 32), endpoint=True)
    else:
        found = rng.normal(size=(32, 32)) * 2.0 ** rng.integers(-3, 4, (32, 32))
    return np.where(rng.random((32, 32)) < zeros, 0, found)


def random_tile(name: str, seed: int) -> np.ndarray:
    """Any bytes, but exponents of the A formats that do not fit in five bits (U52)."""
    rng = np.random.default_rng([seed, FORMATS[name].code])
    tile = rng.integers(0, 256, LAYOUT[name].before + LAYOUT[name].datums, np.uint8)
    if FORMATS[name].shared and FORMATS[name].exponent == 5:
        exponents = tile[16 : LAYOUT[name].before]
        exponents[:] = 7 + exponents % 25
    return tile


# Any bytes are no integers that anybody wrote.
pytestmark = pytest.mark.filterwarnings("ignore:INT.* look like")


@pytest.mark.parametrize("file", ["SrcA", "SrcB"])
@pytest.mark.parametrize("name", TO_SRC)
def test_unpacked_to_src(name: str, file: str) -> None:
    for seed, profile in enumerate(("baseline", "blackhole")):
        for tile in (to_l1(numbers_of(name, seed), name), random_tile(name, seed)):
            m = unpacked(tile, name, file, profile=profile)
            assert {fault.name for fault in m.faults} <= {"burst"}
            raw = of_file(m, file)
            want = from_l1(tile, name)
            assert same_bits(LAYOUT[name].square(tiles.src_values(raw, name)), want)
            if not FORMATS[name].integer and np.isfinite(want).all():
                np.testing.assert_array_equal(tiles.src_bits(want, name), LAYOUT[name].square(raw))


@pytest.mark.parametrize("name", FORMATS)
def test_unpacked_to_dst(name: str) -> None:
    for seed, profile in enumerate(("baseline", "blackhole")):
        for tile in (to_l1(numbers_of(name, seed), name), random_tile(name, seed)):
            m = unpacked(tile, name, "Dst", profile=profile)
            assert m.faults == []
            found = tiles.read_dst(m, 0, 64, name)
            assert same_bits(LAYOUT[name].square(found), from_l1(tile, name))


@pytest.mark.parametrize("row", [16, 256])
@pytest.mark.parametrize("name", [name for name in TO_SRC if FORMATS[name].bits > 2])
def test_compressed_tiles_are_unpacked(name: str, row: int) -> None:
    for seed, zeros in enumerate((0.0, 0.5, 0.97, 1.0)):
        numbers = numbers_of(name, seed, zeros)
        tile = to_l1(numbers, name, row=row)
        want = from_l1(tile, name, row=row)
        for file in ("SrcA", "SrcB"):
            m = unpacked(tile, name, file, row=row)
            assert {fault.name for fault in m.faults} <= {"out_row"}
            raw = LAYOUT[name].square(of_file(m, file))
            assert same_bits(tiles.src_values(raw, name), want)
        if not FORMATS[name].shared:  # block floats: other numbers share an exponent
            assert same_bits(want, from_l1(to_l1(numbers, name), name))


@pytest.mark.parametrize("bits", [0, 1, 2, 3])
def test_rows_of_dst_are_where_the_packer_reads_them(bits: int) -> None:
    """P52: the row map of ``blackhole``, chosen by two bits; ``baseline`` has none."""
    for profile in ("baseline", "blackhole"):
        for name in ("BF16", "FP32"):
            m = Machine(profile)
            m.write_field("DEST_ACCESS_CFG_remap_addrs", bits >> 1)
            m.write_field("DEST_ACCESS_CFG_swizzle_32b", bits & 1)
            numbers = np.arange(1024, dtype=np.float32).reshape(32, 32) % 256
            flat = LAYOUT[name].flat(numbers).reshape(64, 16)
            tiles.write_dst(m, 0, flat, name)
            np.testing.assert_array_equal(tiles.read_dst(m, 0, 64, name), flat)
            pack(m, name)
            assert m.faults == []
            found = from_l1(m.read_l1(TILE, 16 + 4096), name)
            np.testing.assert_array_equal(found, numbers)


def test_rows_that_are_not_valid_are_zeros() -> None:
    m = Machine()
    tiles.write_dst(m, 1022, np.ones((4, 16)), "BF16")  # rows run round
    assert (tiles.read_dst(m, 0, 3, "BF16")[:2] == 1).all()
    m.execute(0, 0x10180000)  # ZEROACC of all
    assert not tiles.read_dst(m, 0, 3, "BF16").any()
    tiles.write_dst(m, 1, np.ones((1, 16)), "FP16")
    assert tiles.read_dst(m, 0, 3, "FP16").sum(axis=1).tolist() == [0, 16, 0]
