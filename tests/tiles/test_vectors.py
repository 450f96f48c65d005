# SPDX-License-Identifier: Apache-2.0
"""Worked vectors of the specification, layouts of tiles, and what is refused."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tilepath.models import Machine, tiles
from tilepath.models.tiles import FORMATS, from_l1, to_l1
from tilepath.models.tiles.formats import (
    datum_bits,
    datum_values,
    fp16_values,
    group_bits,
    group_values,
)
from tilepath.tests.tables import beside
from tilepath.tests.unpack.test_model_vectors import VALUES

TABLES = beside(__file__, "vectors")


def same_bits(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two arrays are the same, NaN and the sign of zeros included."""
    return one.dtype == other.dtype and one.tobytes() == other.tobytes()


def fp32(text: str) -> np.ndarray:
    return np.array([int(code, 16) for code in text.split()], np.uint32).view(np.float32)


def codes(text: str) -> list[int]:
    return [int(code, 16) for code in text.split()]


@pytest.mark.parametrize(("name", "data", "src", "dst"), TABLES["registers"])
def test_registers(name: str, data: str, src: str, dst: str) -> None:
    values = datum_values(FORMATS[name], np.array(codes(data)))
    if src:
        assert same_bits(tiles.src_values(codes(src), name), values)
    if dst:
        assert same_bits(tiles.dst_values(codes(dst), name), values)
    finite = np.isfinite(values)
    again = datum_bits(FORMATS[name], values)
    want = np.array(codes(data))
    if name == "E4M3":
        want[5] = 0  # a denormal
    assert (again[finite] == want[finite]).all()
    for made, text in ((tiles.src_bits, src), (tiles.dst_bits, dst)):
        if text:
            found = np.array(made(values, name))
            assert found[finite].tolist() == np.array(codes(text))[finite].tolist()


GROUPS = [row for row in VALUES if "shared_exponent" in row[3]]
"""The unpackers' vectors 15 to 20, of block floats."""


@pytest.mark.parametrize(("_", "code", "out", "more", "rows"), GROUPS)
def test_groups(
    _: str, code: int, out: int, more: dict[str, int], rows: list[tuple[int, int, int]]
) -> None:
    (form,) = (form for form in FORMATS.values() if form.code == code == out)
    bits, src, _ = np.array(rows).T
    found = group_values(form, np.array([more["shared_exponent"]]), np.resize(bits, 16))
    assert same_bits(found[: len(rows)], tiles.src_values(src, form.name))


def test_what_has_no_float() -> None:
    """Minus 0 of a block float is exponent 255, or FC00."""
    for name, value in (("BFP8", -np.inf), ("BFP2", -np.inf), ("BFP8A", -65536.0)):
        tile = np.zeros(16 + 16 + 16, np.uint8)
        tile[16] = 20
        tile[32] = 1 << FORMATS[name].bits - 1
        assert from_l1(tile, name, (1, 16), face=None)[0, 0] == value
    assert fp16_values(np.array([0x7C00, 0x7FFF, 0xFFFF])).tolist() == [65536, 131008, -131008]
    some = [np.inf, -np.inf, np.nan, 2e5]
    assert tiles.dst_bits(some, "FP16").tolist() == [0x7FFF, 0xFFFF, 0x7FFF, 0x7FFF]
    assert tiles.src_values(tiles.src_bits(some, "BF16"), "BF16")[:2].tolist() == [np.inf, -np.inf]
    assert np.isnan(tiles.dst_values(tiles.dst_bits(np.nan, "FP32"), "FP32"))
    assert np.isnan(
        from_l1(to_l1([[np.nan] * 16], "BFP8", face=None), "BFP8", (1, 16), face=None)
    ).all()
    assert tiles.src_values(0x40000, "INT8") == 0 and tiles.dst_values(0x8000, "INT16") == 0
    assert np.signbit(tiles.src_values(0x40000, "BF16"))


@pytest.mark.parametrize(("name", "bf16", "data"), TABLES["packed"])
def test_packed_groups(name: str, bf16: str, data: str) -> None:
    numbers = fp32(" ".join(f"{code}0000" for code in bf16.split())).reshape(1, 16)
    want = bytes.fromhex(data)
    tile = to_l1(numbers, name, face=None, header=0)
    assert tile[0] == want[0] and not tile[1:16].any()
    assert tile[16 : 15 + len(want)].tobytes() == want[1:]


def test_compressed() -> None:
    """V25."""
    numbers = np.array([[1, 0, 0, 0, 2, *[0] * 11]])
    tile = to_l1(numbers, "BF16", face=None, header=0, row=16)
    assert tile.tobytes() == (
        bytes([0, 0, 3, *[0] * 13]) + bytes.fromhex("803F0040") + bytes(60) + b"\xa3" + bytes(15)
    )
    assert from_l1(tile, "BF16", (1, 16), face=None, header=0, row=16).tolist() == numbers.tolist()


def test_shapes() -> None:
    for name in FORMATS:
        for shape in ((), (1,), (2, 3, 4)):
            values = np.ones(shape, np.int8)
            raw = tiles.dst_bits(values, name)
            assert raw.shape == shape and raw.dtype == np.uint32
            assert tiles.dst_values(raw, name).shape == shape
            if name != "INT32":
                assert tiles.src_bits(values, name).shape == shape
                assert (tiles.src_values(tiles.src_bits(values, name), name) == 1).all()


def test_nearest() -> None:
    for name, number, want in (
        ("BF16", 1 + 2**-8, 1), ("BF16", 1 + 3 * 2**-8, 1 + 2**-6), ("TF32", 1 + 2**-11, 1),
        ("FP16", 1 + 2**-11, 1), ("FP16", 2**-25, 0), ("FP16", 3 * 2**-25, 2**-23),
        ("FP8", 1.125, 1), ("FP8", 1.375, 1.5), ("E4M3", 1.0625, 1), ("E4M3", 2.0**-7, 0),
        ("E4M3", 1000, 511.75), ("FP8", 1e6, 131008), ("FP16", 1e6, 131008),
    ):  # fmt: skip
        tile = to_l1(np.full((1, 16), number), name, face=None)
        assert from_l1(tile, name, (1, 16), face=None)[0, 0] == want, (name, number)


@pytest.mark.parametrize("name", FORMATS)
def test_layout(name: str) -> None:
    """Sizes of the specification's tiles (pack-data-path 14), and the order of the faces."""
    form = FORMATS[name]
    sizes = {32: 4096, 16: 2048, 8: 1024, 4: 512, 2: 256}
    numbers = np.zeros((32, 32), int)
    numbers[0, 16], numbers[17, 3] = 1, 1
    tile = to_l1(numbers, name)
    assert len(tile) == 16 + 64 * form.shared + sizes[form.bits]
    assert len(to_l1(numbers, name, header=48)) == len(tile) + 32
    assert (from_l1(tile, name) == numbers).all()
    flat = from_l1(tile, name, (1, 1024), face=None)[0]
    assert np.flatnonzero(flat).tolist() == [256, 512 + 16 + 3]
    assert (from_l1(bytes(tile) + b"more", name) == numbers).all()
    other = np.arange(6 * 10).reshape(6, 10) % 2
    for face in (None, (3, 5), (2, 10), (6, 10)):
        assert (from_l1(to_l1(other, name, face=face), name, (6, 10), face=face) == other).all()
    if form.bits > 2:
        small = to_l1(other, name, face=(3, 5), row=5)
        assert (from_l1(small, name, (6, 10), face=(3, 5), row=5) == other).all()


@pytest.mark.parametrize("name", [name for name in FORMATS if FORMATS[name].bits <= 16])
def test_every_datum_comes_back(name: str) -> None:
    """All bits that a datum can have, NaN and those that mean the number of others aside."""
    form = FORMATS[name]
    bits = np.arange(1 << form.bits)
    if form.shared:  # each in a group with the greatest magnitude, which sets the exponent
        bits = np.resize(bits, (max(1, len(bits) // 8), 16))
        bits[:, 0] = form.largest
        bits[bits == form.largest + 1] = 0  # minus 0
        exponents = np.full(len(bits), 20)
        numbers = group_values(form, exponents, bits.reshape(-1))
        found = group_bits(form, numbers)
        assert (found[0] == exponents).all() and (found[1] == bits.reshape(-1)).all()
        return
    values = datum_values(form, bits)
    again = datum_values(form, datum_bits(form, values))
    kept = ~np.isnan(values)
    if name == "E4M3":  # its denormals become 0
        kept &= np.abs(values) >= 2.0**-6
    assert same_bits(again[kept], values[kept])


def _refused(call: str) -> str:
    with pytest.raises(ValueError, match=r"^\S.*\S$") as error:
        eval(call, {"tiles": tiles, "np": np, "m": Machine(), "ones": np.ones((32, 32))})
    return str(error.value)


@pytest.mark.parametrize(("call", "says"), TABLES["refused"].items())
def test_refused_with_one_line(call: str, says: str) -> None:
    assert re.fullmatch(says, _refused(call))
