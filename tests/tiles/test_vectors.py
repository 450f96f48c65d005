# SPDX-License-Identifier: Apache-2.0
"""Worked vectors of the specification, layouts of tiles, and what is refused."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tilepath.models import Machine, tiles
from tilepath.models.tiles import FORMATS, from_l1, to_l1
from tilepath.models.tiles.formats import datum_bits, datum_values, fp16_values
from tilepath.models.tiles.groups import group_bits, group_values
from tilepath.tests.tiles.helpers import same_bits
from tilepath.tests.unpack.test_model_vectors import VALUES


def fp32(text: str) -> np.ndarray:
    return np.array([int(code, 16) for code in text.split()], np.uint32).view(np.float32)


def codes(text: str) -> list[int]:
    return [int(code, 16) for code in text.split()]


# Format, datums in L1, values in Src, in Dst (the unpackers' vectors 1 to 23)
REGISTERS = [
    ("TF32", "3F800000 C0490000 807FE000 FF800000", "0007F 64880 7FF00 400FF", None),
    ("FP32", "3F800000 C0490FDB 807FFFFF FF800000", None, "007F0000 C9800FDB FF00FFFF 80FF0000"),
    ("BF16", "3F80 8000 0001 FFC1", "0007F 40000 00800 608FF", "007F 8000 0100 C1FF"),
    ("FP16", "3C00 8000 83FF 7C00 7E01", "0000F 40000 7FF00 0001F 2011F",
     "000F 8000 FFE0 001F 403F"),
    ("FP8", "3C 7C 7F FF 80 01", "0000F 0001F 3FF1F 7FF1F 40000 10000",
     "000F 001F 7FFF FFFF 8000 2000"),
    ("E4M3", "38 7E 7F FF 80 01 08", "0000F 30017 3FF17 7FF17 40000 08000 00009",
     "000F 6017 7FF7 FFF7 8000 1000 0009"),
    ("INT8", "05 85 00 7F", "00510 40510 00000 07F10", "00B0 80B0 0000 0FF0"),
    ("UINT8", "FF 80", "0FF10 08010", "1FF0 1010"),
    ("INT16", "1234 FFFF 00FF", "09034 7F8FF 000FF", "1234 FFFF 00FF"),
    ("INT32", "12345678 80000001", None, "34245678 80000001"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "data", "src", "dst"), REGISTERS)
def test_registers(name: str, data: str, src: str | None, dst: str | None) -> None:
    values = datum_values(FORMATS[name], np.array(codes(data)))
    if src is not None:
        assert same_bits(tiles.src_values(codes(src), name), values)
    if dst is not None:
        assert same_bits(tiles.dst_values(codes(dst), name), values)
    finite = np.isfinite(values)
    again = datum_bits(FORMATS[name], values)
    want = np.array(codes(data))
    if name == "E4M3":
        want[5] = 0  # a denormal
    assert (again[finite] == want[finite]).all()
    for made, text in ((tiles.src_bits, src), (tiles.dst_bits, dst)):
        if text is not None:
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
        tile[16] = 100
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


# The packers' vectors V16 to V22: exponent and datums of a group
_V16 = "3F80 BF80 3FFF 3F00 BF40 3F81 3C00 3B80 BB80 3B00 BB00 0000 3FFE BC7F 3E20 3F7F"
_V21 = "3F80 BF80 3FFF 3880 0000 3E9A 0000 3FC0" + " 0000" * 8
PACKED = [
    ("BFP8", _V16, "7F 40 C0 7F 20 B0 41 01 00 00 00 00 00 7F 81 0A 40"),
    ("BFP4", _V16, "7F C4 27 4B 00 00 00 07 40"),
    ("BFP2", _V16, "7F 1D 04 00 41"),
    ("BFP8", "FF80" + " 3F80" * 15, "FF C0" + " 00" * 15),
    ("BFP8", "0000" + " 0000" * 15, "00" * 17),
    ("BFP8", "3F81 4000" + " 0000" * 14, "80 20 40" + " 00" * 14),
    ("BFP8A", _V21, "0F 40 C0 7F 00 00 13 00 60" + " 00" * 8),
    ("BFP4A", _V21, "0F C4 07 10 60 00 00 00 00"),
    ("BFP2A", _V21, "0F 1D 40 00 00"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "bf16", "data"), PACKED)
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


REFUSED: dict[str, str] = {
    "tiles.to_l1(ones, 'BF17')": r"no format 'BF17': choose from FP32, .*UINT8",
    "tiles.to_l1(ones, None)": r"no format None: .*",
    "tiles.to_l1('x', 'BF16')": "BF16: want an array of numbers",
    "tiles.to_l1(ones > 0, 'BF16')": "BF16: want an array of numbers",
    "tiles.to_l1(ones * 0.5, 'INT8')": "INT8: want integers",
    "tiles.to_l1(ones * np.inf, 'INT32')": "INT32: want integers",
    "tiles.to_l1(ones * 128, 'INT8')": "INT8: one is not in -127 to 127",
    "tiles.to_l1(-ones, 'UINT8')": "UINT8: one is not in 0 to 255",
    "tiles.to_l1(ones[0], 'BF16')": r"numbers of shape \(32,\): want rows and columns",
    "tiles.to_l1(ones[:, :30], 'BF16')": r"shape \(32, 30\): faces of 16 x 16 do not fill it",
    "tiles.to_l1(ones, 'BF16', face=16)": "face 16: want a tuple, rows and columns",
    "tiles.to_l1(ones, 'BF16', header=8)": "header 8: want a multiple of 16 bytes",
    "tiles.to_l1(ones, 'BF16', row=100)": "row 100: want a divisor of 1024 datums",
    "tiles.to_l1(ones, 'BFP2', row=16)": r"BFP2 cannot be compressed \(U21, P44\)",
    "tiles.from_l1(bytes(2000), 'BF16')": "2000 bytes: the tile has 2064",
    "tiles.from_l1(bytes(16), 'BF16', row=16)": "16 bytes: the tile has 160",
    "tiles.from_l1(bytes(3000), 'BF16', row=16)": "row 0 has 0 datums, want 16",
    "tiles.from_l1(np.zeros(16), 'BF16')": r"data of float64, shape \(16,\): want bytes",
    "tiles.from_l1(b'', 'BF16', (0, 16))": r"shape \(0, 16\): want a tuple, rows and columns",
    "tiles.src_bits(1.0, 'INT32')": r"INT32: SrcA and SrcB have none \(U54\)",
    "tiles.src_values(1 << 19, 'BF16')": "raw values: one does not fit in 19 bits",
    "tiles.dst_values(1 << 16, 'BF16')": "raw values: one does not fit in 16 bits",
    "tiles.dst_values(1.0, 'BF16')": "raw values: want integers of 16 bits",
    "tiles.read_dst(m, 1024, 1, 'BF16')": "rows 1024 to 1024: Dst has 0 to 1023",
    "tiles.write_dst(m, 0, ones, 'BF16')": r"numbers of shape \(32, 32\): want rows of 16",
}


@pytest.mark.parametrize("call", REFUSED)
def test_refused_with_one_line(call: str) -> None:
    assert re.fullmatch(REFUSED[call], _refused(call))
