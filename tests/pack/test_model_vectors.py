# SPDX-License-Identifier: Apache-2.0
"""Worked examples: conversions, addresses, compression, accumulation."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from tilepath.models.pack import PackState
from tilepath.models.pack.accumulate import add_word
from tilepath.tests.pack.model_helpers import TILE, datums, fill, l1, put, ready, storage, word

FP32 = {"r32": 1, "inner": 0, "from_": 0}
FP16 = {"inner": 1, "from_": 1}
BF16 = {"inner": 5, "from_": 5}
INT8 = {"r32": 1, "inner": 14, "from_": 14, "to": 14}
EARLY = {**BF16, "r32": 1, "to": 5}
raw32 = partial(storage, settings={"r32": 1})

# (name, settings, storage, bytes of L1)
CONVERSIONS: list[tuple[str, dict[str, int], int, str]] = [
    ("V1", {**FP32, "to": 0}, 0x407F0001, "01 00 C0 3F"),
    ("V2 tie", EARLY, 0x007F8000, "81 3F"),
    ("V2 below", EARLY, 0x007F7FFF, "80 3F"),
    ("V2 minus", EARLY, 0x817F8000, "82 BF"),
    ("V3 overflow", EARLY, 0x7FFE8000, "80 7F"),
    ("V3 NaN", EARLY, 0xC0FF0001, "80 FF"),
    ("V4 up", EARLY, 0x7F00FFFF, "80 00"),
    ("V4 flush", EARLY, 0xC0000000, "00 00"),
    ("V5", {**FP32, "to": 5}, 0x007FFFFF, "80 3F"),
    ("V5 flush", {**FP32, "to": 5}, raw32(0x80400000), "00 00"),
    ("V6", {"r32": 1, "inner": 4, "from_": 4, "to": 4}, 0x007F1000, "00 20 80 3F"),
    ("V7", {**FP32, "to": 1}, 0x407F2000, "01 3E"),
    ("V7 large", {**FP32, "to": 1}, raw32(0x48000000), "FF 7F"),
    ("V7 largest", {**FP32, "to": 1}, raw32(0x47FFE000), "FF 7F"),
    ("V7 infinity", {**FP32, "to": 1}, raw32(0xFF800000), "FF FF"),
    ("V7 denormal", {**FP32, "to": 1}, 0x40700000, "00 02"),
    ("V7 small", {**FP32, "to": 1}, raw32(0xB7800000), "00 80"),
    ("V8", {**FP32, "to": 10}, 0x707F0000, "3F"),
    ("V8 large", {**FP32, "to": 10}, raw32(0xC9000000), "FF"),
    ("V9 raw", {**BF16, "to": 5, "raw": 1}, 0x8100, "01 80"),
    ("V9", {**BF16, "to": 5}, 0x8100, "00 00"),
    ("V9 -0", {**BF16, "to": 5}, 0x8000, "00 00"),
    ("V10", {**BF16, "to": 0}, 0xC980, "00 00 49 C0"),
    ("V11", {**FP16, "to": 0}, 0x002F, "00 20 80 3F"),
    ("V11 large", {**FP16, "to": 0}, 0x7FFF, "00 E0 FF 47"),
    ("V11 raw", {**FP16, "to": 0, "raw": 1}, 0x8020, "00 20 00 80"),
    ("V12", {**FP16, "to": 5}, 0x3FEF, "BF 3F"),
    ("V13", {"inner": 10, "from_": 10, "to": 10, "raw": 1}, 0x7FEF, "3F"),
    ("V14", INT8, 0x80000100, "FF"),
    ("V14 unsigned", {**INT8, "uns": 1}, raw32(0x80000005), "00"),
    ("V14 large", {**INT8, "uns": 1}, raw32(300), "FF"),
    ("V14 shift", {**INT8, "descale": 1, "shift": 3}, raw32(0x8000000C), "82"),
    ("V14 raw", {**INT8, "raw": 1}, 0x80000185, "85"),
    ("V15", {**FP16, "to": 10, "e4m3": 1}, 0x3FEF, "3B"),
    ("V15 large", {**FP16, "to": 10, "e4m3": 1}, 0x8018, "FF"),
]


@pytest.mark.parametrize(("name", "settings", "storage", "want"), CONVERSIONS)
def test_conversions(name: str, settings: dict[str, int], storage: int, want: str) -> None:
    state = ready(**settings)
    fill(state, [storage], wide=bool(settings.get("r32")))
    assert state.execute(0, word()).faults == ()
    wanted = bytes.fromhex(want)
    assert l1(state, len(wanted)) == wanted, name
    assert l1(state, 16, TILE + 16 * len(wanted)) == bytes(16)


_V16 = "007F 807F 7F7F 007E C07E 017F 0078 0077 8077 0076 8076 0000 7E7F FF78 207C 7F7E"
_V21 = "007F0000 807F0000 7F7F0000 00710000 80700000 197D999A 0 407F0000"
_V21_SET = {**FP32, "exp_size": 1}
_V22 = {**FP32, "to": 2}
GROUPS: list[tuple[str, dict[str, int], str, str, str]] = [
    (
        "V16", {**BF16, "to": 6}, _V16, "7F",
        "40 C0 7F 20 B0 41 01 00 00 00 00 00 7F 81 0A 40",
    ),
    ("V17", {**BF16, "to": 7}, _V16, "7F", "C4 27 4B 00 00 00 07 40"),
    ("V18", {**BF16, "to": 15}, _V16, "7F", "1D 04 00 41"),
    ("V19", {**BF16, "to": 6}, "80FF" + " 007F" * 15, "FF", "C0" + " 00" * 15),
    ("V19 zeros", {**BF16, "to": 6}, "0", "00", "00"),
    ("V20", {**BF16, "to": 6}, "017F 0080", "80", "20 40" + " 00" * 14),
    ("V20 E8M6", {"inner": 6, "from_": 6, "to": 6}, "017F 0080", "80", "21 40" + " 00" * 14),
    ("V21", {**_V21_SET, "to": 2}, _V21, "0F", "40 C0 7F 00 00 13 00 60" + " 00" * 8),
    ("V21 BFP4a", {**_V21_SET, "to": 3}, _V21, "0F", "C4 07 10 60 00 00 00 00"),
    ("V21 BFP2a", {**_V21_SET, "to": 11}, _V21, "0F", "1D 40 00 00"),
    ("V22", _V22, f"{raw32(0x38400000):X}", "00", "20" + " 00" * 15),
    ("V22 threshold", {**_V22, "threshold_en": 1, "threshold": 113}, "40700000", "00", "00"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "settings", "storage", "exponent", "want"), GROUPS)
def test_groups(
    name: str, settings: dict[str, int], storage: str, exponent: str, want: str
) -> None:
    state = ready(**{**settings, "exp_size": 1})
    numbers = [int(number, 16) for number in storage.split()]
    fill(state, numbers, wide=bool(settings.get("r32")))
    state.execute(0, word())
    wanted = bytes.fromhex(want)
    assert l1(state, 16) == bytes.fromhex(exponent) + bytes(15), name
    assert l1(state, len(wanted), TILE + 16) == wanted, name


@pytest.mark.parametrize(
    ("settings", "want"),
    [
        ({"edge_mode": 0}, "80 3F" * 8 + "00" * 16),
        ({"edge_mode": 1}, "80 3F" * 8 + "80 FF" * 8),
        ({"edge_mode": 1, "relu": 1}, "80 3F" * 8 + "00" * 16),
    ],
)
def test_edges(settings: dict[str, int], want: str) -> None:
    """V23."""
    state = ready(**BF16, to=5, mask0=0x00FF, **settings)
    fill(state, [0x007F] * 16)
    state.execute(0, word())
    assert l1(state, 32) == bytes.fromhex(want)


_SUMS: list[tuple[int, int, int, int]] = [
    (0, 0x3F800000, 0x33800000, 0x3F800000),
    (0, 0x3F800000, 0x33800001, 0x3F800001),
    (0, 0x00400000, 0x00400000, 0),
    (0, 0x7F800000, 0xFF800000, 0x7FC00000),
    (0, 0x00800000, 0x80C00000, 0x80000000),
    *(
        (5, *sums)
        for sums in (
            (0x3F81, 0x3B80, 0x3F82), (0x3F80, 0x3B80, 0x3F80), (0x7F7F, 0x7F7F, 0x7F80),
            (0x7FC0, 0xFF80, 0xFF80), (0x7FC0, 0x3F80, 0x7F80), (0x7FC0, 0xFF7F, 0x7F80),
        )
    ),
    *(
        (1, *sums)
        for sums in (
            (0x7BFF, 0x7BFF, 0x7FFF), (0x7800, 0xF800, 0x7FFF), (0x3C00, 0xBC00, 0x0000),
            (0x0400, 0x8401, 0xFFFF), (0x0800, 0x8401, 0x0000), (0x3C00, 0x1000, 0x3C00),
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize(("to", "old", "new", "want"), _SUMS)
def test_sums(to: int, old: int, new: int, want: int) -> None:
    """V24."""
    assert add_word(to, old, new, 1) == want


def test_accumulation_through_l1() -> None:
    """V24: lanes of a line, and the lanes that pad a line."""
    state = ready(**BF16, to=5, acc=1)
    lanes = state.l1[TILE : TILE + 16].view(np.uint16)
    lanes[:] = [0x3F81, 0x3F80, 0x7FC0, 0x0001, 0x8000, 0, 0, 0]
    state.dst[0, :3] = [0x0077, 0x0077, 0x80FF]  # 3B80, 3B80, FF80
    datums(state, 3)
    state.execute(0, word())
    assert lanes.tolist() == [0x3F82, 0x3F80, 0xFF80, 0, 0, 0, 0, 0]


def test_compression() -> None:
    """V25: [A 0 0 0 B, 11 zeros] in one row."""
    state = ready(**BF16, to=5, plain=0, row_size=1)
    fill(state, [0x117F, 0, 0, 0, 0x227F])
    assert state.execute(0, word()).faults == ()
    assert l1(state, 16) == bytes.fromhex("00 00 03 00") + bytes(12)
    assert l1(state, 64, TILE + 16) == bytes.fromhex("91 3F A2 3F") + bytes(60)
    assert l1(state, 16, TILE + 80) == bytes.fromhex("A3") + bytes(15)
    assert state.walk[0].ops[: state.walk[0].op_count].tolist()[:4] == [4, 1, 0, 0]


def _rows(state: PackState, packer: int = 0) -> list[int]:
    """Rows of storage, and the first column, of the packer's steps."""
    record = state.walk[0]
    steps = [step for step in record.steps[: record.step_count] if step.packer == packer]
    return [*(int(step.rows[0]) for step in steps), int(steps[0].column)]


_A1 = {"y_stride": 32, "z_stride": 512, "w_stride": 2048}
INPUTS: list[tuple[str, dict[str, int], tuple[int, int, int, int], list[int]]] = [
    ("A1", {**BF16, **_A1}, (0, 3, 1, 2), [147, 0]),
    ("A1 32 bits", {**BF16, **_A1, "r32": 1}, (0, 3, 1, 2), [291, 0]),
    ("A2", {**BF16, **_A1, "x_stride": 2}, (9, 3, 1, 2), [147, 9]),
    ("A2 18", {**BF16, **_A1, "x_stride": 0x12}, (9, 3, 1, 2), [147, 9]),
    ("A2 0", {**BF16, **_A1}, (9, 3, 1, 2), [147, 1]),
    ("A3", {**FP32, "r32": 0, "x_stride": 4, "y_stride": 64}, (6, 2, 0, 0), [2, 6]),
    ("A4", {"inner": 6, "from_": 6, "y_stride": 16}, (0, 5, 0, 0), [5, 0]),
    ("A5", {**BF16, **_A1, "dst_offset": 0x3F0}, (0, 4, 1, 0), [4, 0]),
    ("A6", {**BF16, "y_stride": 34}, (0, 3, 0, 0), [3, 0]),
]


@pytest.mark.parametrize(("name", "settings", "counters", "want"), INPUTS)
def test_input_addresses(
    name: str, settings: dict[str, int], counters: tuple[int, ...], want: list[int]
) -> None:
    state = ready(**{"to": 5, **settings})
    state.adc.live[0, 2, 0] = counters
    state.adc.live[0, 2, 1, 0] = counters[0]
    faults = state.execute(0, word()).faults
    assert _rows(state) == want, name
    assert ("align" in faults) == (name == "A6")


def test_offsets_of_the_other_packers() -> None:
    """A1: packer 2, 16 and 32 bits."""
    for wide, row in ((0, 179), (1, 355)):
        state = ready(**{**BF16, **_A1}, to=5, r32=wide)
        put(state, 2, from_=5, to=5, dst_offset=0x20)
        state.adc.live[0, 2, 0] = (0, 3, 1, 2)
        state.adc.live[0, 2, 1, 0] = 0
        state.execute(0, word(mask=4))
        assert _rows(state, 2) == [row, 0]


def _written(state: PackState) -> list[tuple[int, int, int]]:
    """(packer, kind, byte address) of the lines of the last instruction."""
    record = state.walk[0]
    return [
        (int(line.packer), int(line.kind), int(line.line) << 4)
        for line in record.lines[: record.line_count]
    ]


def _first(state: PackState) -> dict[tuple[int, int], int]:
    """First byte of each (packer, kind)."""
    found: dict[tuple[int, int], int] = {}
    for packer, kind, byte in _written(state):
        found.setdefault((packer, kind), byte)
    return found


def test_tiles_of_four_packers() -> None:
    """O1, O2."""
    for to, units, sizes, want in (
        (5, (0x80001FFF, 31, 63, 95), (0, 0, 0, 0), (0x20000, 0x20200, 0x20400, 0x20600)),
        (6, (0x80001FFF, 0, 1, 2), (4, 19, 34, 49), (0x20040, 0x20140, 0x20240, 0x20340)),
    ):
        state = ready(**BF16)
        for packer in range(4):
            put(state, packer, l1=units[packer], sub=0, exp_size=sizes[packer], from_=5, to=to)
            put(state, packer, dst_offset=16 * packer)
        put(state, y_stride=32)
        state.dst[:] = 0x007F
        datums(state, 256)
        assert state.execute(0, word(mask=15)).faults == ()
        first = _first(state)
        assert tuple(first[packer, 0] for packer in range(4)) == want
        if to == 6:
            assert [first[packer, 1] for packer in range(4)] == [0x20000, 0x20010, 0x20020, 0x20030]
        size = 1024 * (2 if to == 5 else 1)
        assert state.l1[want[0] : want[0] + size].all()


_O3 = {"l1": 0x1000, "base1": 5, "y_stride1": 0x13, "z_stride1": 0x100}
_O4 = {"l1": 0x2F0, "sub": 0, "base1": 0x100, "add_offset": 1, "limit": 0x1FF, "fifo": 0x100}
OUTPUTS: list[tuple[str, str, dict[str, int], dict[int, int]]] = [
    ("O3", "baseline", _O3, {0: 0x11300}),
    ("O3 BH", "blackhole", _O3, {0: 0x10130}),
    ("O4", "baseline", _O4, {0: 0x2110}),
    ("O4 at", "baseline", {**_O4, "l1": 0x2DE}, {0: 0x3FF0}),
    ("O4 beyond", "baseline", {**_O4, "l1": 0x2DF}, {0: 0x2000}),
    (
        "O5", "baseline",
        {"l1": 0x1000, "sub": 0, "to": 6, "plain": 0, "row_size": 2, "exp_size": 4},
        {2: 0x10010, 1: 0x10030, 0: 0x10070},
    ),
    ("O6", "baseline", {"l1": 0x1000, "sub": 0, "to": 10, "exp_size": 3}, {0: 0x10040}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "profile", "settings", "want"), OUTPUTS)
def test_output_addresses(
    name: str, profile: str, settings: dict[str, int], want: dict[int, int]
) -> None:
    state = ready(profile, **{**BF16, "to": 5, **settings})
    state.l1_dest_addr_offset[0] = 0x20
    if name.startswith("O3"):
        state.adc.live[0, 2, 1, 1:3] = 3, 1
    state.dst[:] = 0x007F
    state.execute(0, word())
    assert {kind: byte for (_, kind), byte in _first(state).items()} == want, name


def test_open_tile_goes_on() -> None:
    """O7."""
    state = ready(**BF16, to=5)
    state.dst[0] = 0x007F
    state.execute(0, word(last=0))
    put(state, l1=0x200)
    state.execute(0, word(last=1))
    assert _written(state) == [(0, 0, TILE + 32), (0, 0, TILE + 48)]
    state.execute(0, word(last=1))
    assert _written(state) == [(0, 0, 0x2000), (0, 0, 0x2010)]


def test_partial_lines() -> None:
    """O8."""
    for to, lines, data in (
        (5, [(0, 0, TILE)], bytes.fromhex("80 3F") * 5 + bytes(6)),
        (6, [(0, 0, TILE + 16), (0, 1, TILE)], bytes.fromhex("40") * 5 + bytes(11)),
    ):
        state = ready(**BF16, to=to, exp_size=1)
        state.l1[:] = 0xAA
        state.dst[0] = 0x007F
        datums(state, 5)
        state.execute(0, word())
        assert _written(state) == lines
        assert l1(state, 16, lines[0][2]) == data
        if to == 6:
            assert l1(state, 16) == b"\x7f" + bytes(15)


def test_flush_without_anything() -> None:
    """P5: nothing is written, the counters move, the next tile has a new address."""
    state = ready(**BF16, to=5)
    state.thread_config[0, 37] = 1 | 1 << 6
    assert state.execute(0, word(last=0, flush=1)).faults == ()
    assert _written(state) == []
    assert state.adc.live[0, 2, :, 1].tolist() == [1, 1]


@pytest.mark.parametrize("own", [0, 1])
@pytest.mark.parametrize("wide", [0, 1])
def test_rows_at_once_and_piece_by_piece(wide: int, own: int) -> None:
    """A line or a group is the same whether its elements come with one row or wait for others."""
    dst = np.random.default_rng(3 + wide).integers(0, 1 << 16, (1024, 16), np.uint16)
    dst[:8] &= 0xFF07  # as BF16: exponents that are near
    given = 0
    for from_, to in np.ndindex(16, 16):
        packed = []
        for begins in ([0], [0, 5, 8, 32, 63]):
            state = ready(inner=from_, from_=from_, to=to, r32=wide, own_exponents=own, exp_size=1)
            put(state, x_stride=max(4 >> (from_ & 3), 1))
            state.dst[:] = dst
            for first, end in zip(begins, [*begins[1:], 64], strict=True):
                datums(state, end - first, first)
                state.execute(0, word(last=int(end == 64)))
            packed.append(l1(state, 512))
        assert packed[0] == packed[1], (from_, to)
        given += any(packed[0])
    assert given > 100
