# SPDX-License-Identifier: Apache-2.0
"""Decisions on the packers, one by one: stages, tile position, compression, the newer chip."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath import isa
from tilepath.models import Machine
from tilepath.models.pack import PackState
from tilepath.tests.pack.model_helpers import TILE, datums, fill, l1, put, ready, storage, word

BF16 = {"inner": 5, "from_": 5, "to": 5}
FP16 = {"inner": 1, "from_": 1, "to": 1}
FP32 = {"inner": 0, "from_": 0, "to": 0, "r32": 1}


def row(state: PackState, settings: dict[str, int], values: list[int]) -> list[int]:
    """What comes of a row of numbers, as numbers of TO's size; for a TO of 8, 16 or 32 bits."""
    fill(state, [storage(value, settings) for value in values], bool(settings.get("r32")))
    datums(state, len(values))
    state.execute(0, word())
    size = 4 >> (settings["to"] & 3)
    return np.frombuffer(l1(state, size * len(values)), f"<u{size}").tolist()


RELU: list[tuple[dict[str, int], int, list[int], list[int]]] = [
    (BF16, 0, [0xBF80, 0x3F80], [0xBF80, 0x3F80]),
    ({**BF16, "raw": 1}, 1, [0x8000, 0xFFC0, 0xFF80, 0x3F80, 0x7FC0], [0, 0, 0, 0x3F80, 0x7FC0]),
    ({**BF16, "raw": 1, "relu_threshold": 0x3F80}, 2, [0x3F7F, 0x3F80, 0x3F81, 0xBF80, 0x7FC0],
     [0, 0, 0x3F81, 0, 0x7FC0]),
    ({**BF16, "raw": 1, "relu_threshold": 0x3F80}, 3, [0x3F7F, 0x3F80, 0x3F81, 0xBF80, 0x7FC0],
     [0x3F7F, 0x3F80, 0x3F80, 0, 0x3F80]),
    ({**FP16, "relu_threshold": 0x3C00}, 3, [0x3BFF, 0x3C01, 0x7FFF, 0xBC00],
     [0x3BFF, 0x3C00, 0x3C00, 0]),
    ({**FP32, "relu_threshold": 0x3F80}, 3, [0x3F800001, 0x3F802000, 0x3F7FFFFF],
     [0x3F800000, 0x3F800000, 0x3F7FFFFF]),
    ({**FP32, "relu_threshold": 0x3F80}, 2, [0x3F800001, 0x3F800000], [0x3F800001, 0]),
    ({"inner": 14, "from_": 14, "to": 14, "r32": 1}, 1, [0x80000005, 7], [0, 7]),
    ({"inner": 14, "from_": 14, "to": 14, "r32": 1}, 3, [0x80000005, 7], [0, 7]),
    ({"inner": 14, "from_": 14, "to": 14, "r32": 1, "uns": 1}, 1, [200, 7], [200, 7]),
    ({"inner": 9, "from_": 9, "to": 9}, 1, [0x8005, 0x7005], [0, 0x7005]),
    # narrowed behind it, so that the threshold is a BF16 (P22)
    ({"inner": 1, "from_": 1, "to": 1, "r32": 1, "r10": 1, "relu_threshold": 0x3F80}, 3,
     [0x3F800000, 0x40000000, 0x3F000000], [0x3C00, 0x3C00, 0x3800]),
]  # fmt: skip


@pytest.mark.parametrize(("settings", "mode", "values", "want"), RELU)
def test_relu(settings: dict[str, int], mode: int, values: list[int], want: list[int]) -> None:
    """P24, P22."""
    assert row(ready(**settings, relu=mode), settings, values) == want


def test_relu_of_silicon() -> None:
    """``relu_max_cmp19``: mode 3 compares FP32 from bit 13 on."""
    settings = {**FP32, "relu_threshold": 0x3F80}
    state = ready("baseline,relu_max_cmp19=1", **settings, relu=3)
    assert row(state, settings, [0x3F801FFF, 0x3F802000]) == [0x3F801FFF, 0x3F800000]


@pytest.mark.parametrize(
    ("settings", "want"),
    [
        (BF16, 0xFF80), ({**FP32, "to": 5}, 0xFF80), (FP32, 0xFF800000),
        ({**FP16, "raw": 1}, 0xFFFF), ({"inner": 2, "from_": 2, "to": 1}, 0xFFF0),
        ({"inner": 2, "from_": 2, "to": 1, "raw": 1}, 0xFFF8),
        ({"inner": 10, "from_": 10, "to": 10, "raw": 1}, 0xFF),
        ({"inner": 8, "from_": 8, "to": 8, "r32": 1}, 0xFFFFFFFF),
        ({"inner": 9, "from_": 9, "to": 9}, 0xFFFF),
        ({"inner": 1, "from_": 1, "to": 1, "r32": 1, "r10": 1}, 0xFFFF),
    ],
)  # fmt: skip
def test_minus_infinity(settings: dict[str, int], want: int) -> None:
    """P25, P60: what masked datums become in mode 1."""
    state = ready(**settings, edge_mode=1, mask0=1)
    values = row(state, settings, [0] * 3)
    assert values == [0, want, want]


def _rows_passed(state: PackState, rows: int) -> list[int]:
    """Which of the rows of BF16 ones have passed masks that are 0 or FFFF."""
    written = np.frombuffer(l1(state, 32 * rows), "<u2").reshape(rows, 16)
    assert ((written == 0x3F80).all(axis=1) | (written == 0).all(axis=1)).all()
    return (written[:, 0] != 0).astype(int).tolist()


def test_masks_of_rows() -> None:
    """P25, P26: mapping by Y, which wraps and counts Z; X does not begin at the column."""
    state = ready(**BF16, reads=4, mask1=0, row_mapping0=0b01_00_01_00, y_stride=32)
    state.dst[:] = 0x007F
    datums(state, 128)
    state.execute(0, word())
    assert _rows_passed(state, 8) == [1, 0] * 4
    # faces: Z counts when Y returns, so every second plane uses the other mapping
    put(state, face_enable=1, face_mapping0=0b01_00_01_00, row_mapping1=0b01010101)
    state.execute(0, word())
    assert _rows_passed(state, 8) == [1, 0, 1, 0, 0, 0, 0, 0]
    put(state, z_offset=1)
    state.execute(0, word())
    assert _rows_passed(state, 8) == [0, 0, 0, 0, 1, 0, 1, 0]
    put(state, z_offset=0, transposed=1, reads=2)  # Z wraps at 2 and counts Y
    state.execute(0, word())
    assert _rows_passed(state, 8) == [1, 0, 0, 0, 1, 0, 0, 0]


def test_position_goes_on_in_an_open_tile() -> None:
    """P26: the position stays until Last or Flush of the packer."""
    state = ready(**BF16, mask1=0, row_mapping0=0b01)
    state.dst[:] = 0x007F
    state.execute(0, word(last=0))
    state.execute(0, word(last=1))
    state.execute(0, word(last=1))
    assert _rows_passed(state, 1) == [0]
    assert np.frombuffer(l1(state, 32, TILE + 32), "<u2").all()


@pytest.mark.parametrize(("by_interface", "want"), [(0, [1, 1, 1, 0]), (1, [1, 1, 1, 0])])
def test_position_of_the_interfaces(by_interface: int, want: list[int]) -> None:
    """P51: whole rows count alike; with 8 datums a row only the interfaces do."""
    state = ready(f"blackhole,pack_tpg_by_intf={by_interface}", **BF16, mask1=0)
    put(state, row_mapping0=0b01 << 6)
    state.dst[:] = 0x007F
    state.execute(0, word(mask=0))
    assert _rows_passed(state, 4) == want
    datums(state, 8)
    state.execute(0, word(mask=0, last=0))
    state.execute(0, word(mask=0))
    halves = np.frombuffer(l1(state, 128), "<u2").reshape(8, 8)[:, 0] != 0
    assert halves.tolist() == ([1, 1, 1, 0, 1, 1, 1, 1] if by_interface else [1] * 6 + [0] * 2)


def test_histogram() -> None:
    """P27: bins count if a thread wants it, the maximum always, and the end of counting."""
    state = ready(**BF16)
    values = [0x3F80] * 8 + [0x4000] * 8
    row(state, BF16, values)
    assert state.maximum.tolist() == [0x80, 0, 0, 0] and not state.bins.any()
    state.thread_config[2, 45] = 1
    put(state, downsample=1)
    for _ in range(40):
        state.execute(0, word())
    assert state.bins[0, 0x1F] == state.bins[0, 0] == 255
    before = state.bins.copy()
    state.execute(0, word(zero_write=1))
    assert (state.bins == before).all()
    assert state.histogram(7, 0)[15] == 255 and state.histogram(6, 0)[0] == 255
    assert state.histogram(9, 3)[0] == 0x80 and not state.histogram(6, 1).any()
    state.execute(1, 0x21000000)
    assert not state.bins.any() and not state.maximum.any()


def test_threshold() -> None:
    """P27: below it +0; five bits with FP16; never with INT16."""
    for settings, threshold, values, want in (
        (BF16, 0x7F, [0x3F7F, 0x3F80, 0xC000], [0, 0x3F80, 0xC000]),
        (FP16, 15, [0x3BFF, 0x3C00, 0xBBFF], [0, 0x3C00, 0]),
        (FP16, 32, [0x7FFF, 0x3C00, 0], [0, 0, 0]),
        ({"inner": 9, "from_": 9, "to": 9}, 255, [1, 2, 3], [1, 2, 3]),
    ):
        state = ready(**settings, threshold_en=1, threshold=threshold)
        assert row(state, settings, values) == want


def test_downsampling_begins_anew() -> None:
    """P27: with each PACR, whatever the column; groups go on."""
    state = ready(**BF16, downsample=0b0101, x_stride=2)
    fill(state, [storage(0x3F80 + k, BF16) for k in range(16)])
    datums(state, 6, first=5)
    state.execute(0, word(last=0))
    state.execute(0, word())
    kept = [0x3F80 + 5, 0x3F80 + 7]
    assert np.frombuffer(l1(state, 16), "<u2").tolist() == kept + kept + [0] * 4


def test_zero_write_passes_everything_by() -> None:
    """P15: masks of minus infinity do not reach its zeros."""
    state = ready(**BF16, edge_mode=1, mask0=0)
    state.l1[:] = 0xAA
    state.execute(0, word(zero_write=1))
    assert l1(state, 33) == bytes(32) + b"\xaa"


@pytest.mark.parametrize(
    ("from_", "to", "source", "want"),
    [
        (0, 0, "01020304 AABBCCDD", "01020304 AABBCCDD"),
        (5, 5, "803F 0100", "803F 0100"),
        (5, 0, "803F", "0000803F"),
        (1, 9, "1234", "1234"),
        (10, 10, "3C01", "3C01"),
        (10, 1, "3C", "003C"),
        (6, 5, "C041", "4080 4100"),
        (2, 1, "C0", "0082"),
        (14, 14, "8185", "8185"),
        (8, 8, "01000080", "01000080"),
    ],
)
def test_source_l1(from_: int, to: int, source: str, want: str) -> None:
    """P16."""
    given, wanted = bytes.fromhex(source), bytes.fromhex(want)
    state = ready(from_=from_, to=to, source=1, base0=0x2000, inner=5, edge_mode=1, mask0=0)
    state.l1[0x2000 : 0x2000 + len(given)] = list(given)
    datums(state, len(given) // max(4 >> (from_ & 3), 1))
    state.execute(0, word())
    assert l1(state, len(wanted)) == wanted


def test_source_l1_goes_over_lines() -> None:
    """P16: from a column of X on, line by line; beyond L1 zeros and a fault."""
    state = ready(from_=5, to=5, source=1, base0=0x2008, inner=5)
    state.l1[0x2000:0x2040] = range(64)
    datums(state, 16, first=3)
    assert "l1_source" not in state.execute(0, word()).faults
    assert l1(state, 32) == bytes(range(6, 38))
    put(state, source_addr=6)
    assert state.execute(0, word()).faults == ("l1_source", "source_range")
    assert l1(state, 32) == bytes(32)


def test_rows_that_are_not_valid() -> None:
    """P17, P58."""
    for settings, rows in ((BF16, (8,)), (FP32, (16,))):
        state = ready(**settings, base0=8 * 16 * (2 << settings.get("r32", 0)))
        state.dst[:] = 0x1234
        state.execute(0, 0x10000000 | 2 << 19)
        assert state.dst_valid.sum() == 512 and not state.dst_valid[:512].any()
        state.execute(0, word())
        assert l1(state, 32) == bytes(32)
        state.dst_valid[list(rows)] = 1
        state.execute(0, word())
        assert all(l1(state, 32)[1::2])
        state.dst_valid[:] = 1
        state.execute(0, 0x10000000 | 3 << 19)
        assert not state.dst_valid.any()
        put(state, ignore_valid=1)
        state.execute(0, word())
        assert all(l1(state, 32)[1::2])


def test_change_of_format_in_an_open_tile() -> None:
    """U17: elements stay, partial BFP lines go; all packers see the change."""
    state = ready(**{**BF16, "to": 6}, exp_size=1)
    state.dst[:] = 0x007F
    datums(state, 5)
    state.execute(0, word(last=0))  # five elements of a group
    put(state, to=5)
    assert state.execute(0, word()).faults == ("open_change",)
    assert np.frombuffer(l1(state, 20, TILE + 16), "<u2").tolist() == [0x3F80] * 10
    put(state, 1, from_=5, to=7, l1=0x800, exp_size=1)
    datums(state, 16)
    state.execute(0, word(mask=2, last=0))
    put(state, 1, to=6)
    state.execute(0, word(mask=1))  # packer 1 loses half a line
    state.execute(0, word(mask=2))
    assert l1(state, 48, 0x8000) == b"\x7f" * 2 + bytes(14) + b"\x40" * 16 + bytes(16)


def test_setreg_ends_a_tile_that_has_become_bfp() -> None:
    """P68: its exponents have no address; they go to line 0, or behind the tile before."""
    state = ready(**BF16)
    put(state, 1, from_=5, to=5, l1=0x800)
    state.dst[:] = 0x007F
    datums(state, 5)
    for line in (0, 0x811):
        put(state, 1, to=5)
        state.execute(0, word(mask=2, last=0))
        put(state, 1, to=6)
        assert "open_change" in state.execute(0, word()).faults
        state.execute(0, isa.encode("PACR_SETREG", push=1, pack_sel=2, flush=1))
        assert l1(state, 16, 16 * line) == b"\x7f" + bytes(15)
        put(state, 1, l1=0x810)
        state.execute(0, word(mask=2))


def test_setreg() -> None:
    """P46, P66."""
    machine = Machine()
    state = machine.pack
    put(state, plain=1, l1=0x100, sub=1, mask0=0xFFFF, reads=16, **BF16)
    machine.dst[:] = 0x007F
    datums(state, 5)
    machine.execute(0, word(last=0))
    state.setreg_base[0] = 1 << 20 | 0x123
    state.setreg_scaler[1] = 3
    machine.execute(2, 0x4A955FAA)
    address = 0xFFB00000 + (1 << 18 | 0x123 << 2) + (0x2A << 12)
    value = 0x155 + (0x155 * 3 << 12)
    assert machine.events[-1].values == (address, value) and machine.faults == []
    assert np.frombuffer(l1(state, 16), "<u2").tolist() == [0x3F80] * 5 + [0] * 3
    state.setreg_base[0] = 0
    machine.execute(2, isa.encode("PACR_SETREG", push=1, pack_sel=3, flush=1))
    assert [f.name for f in machine.faults] == ["setreg_address", "setreg_fields"]
    assert len(machine.events) == 1


def test_setreg_of_the_newer_chip() -> None:
    """P46: two halves, four slots."""
    state = ready("blackhole")
    field = isa.config_field("THCON_SEC1_REG10_Packer_Reg_Wr_Addr")
    state.config[0, field.addr32] = 0x405 << 12
    state.execute(0, 0x4A45F77C)
    address = 0xFFB00000 | 1 << 18 | 0x2A << 12 | 5 << 2
    assert state.execute(0, 0x4A8003AA) == ((), (address, 0xBEEF0000))
    state.config[0, field.addr32] = 0xC05 << 12  # beyond the registers
    assert state.execute(0, 0x4A8003AA) == ((), None)


def test_counters_move_once() -> None:
    """P9, P18: one set, by the word of the issuing thread; 3 stands for 0."""
    state = ready(**BF16)
    state.thread_config[1, 38] = 2 | 1 << 6 | 1 << 12
    for context, of_set in ((2, 2), (3, 0)):
        before = state.adc.live.copy()
        state.execute(1, word(mask=15, addr_mode=1, ovrd_thread_id=1, addr_cnt_context=context))
        before[of_set, 2, 0, 1:3] += np.array([2, 1], np.uint32)
        before[of_set, 2, 1, 1] += 1
        assert (state.adc.live == before).all()


def test_lanes_of_the_newer_chip() -> None:
    """P2, P50, P53, P55."""
    state = ready("blackhole", **BF16, dst_offset=6)
    state.dst[:] = (np.arange(1024)[:, None] % 64 * 256 + 0x7F).astype(np.uint16)

    def rows(**fields: int) -> list[int]:
        faults.extend(state.execute(0, word(**{"mask": 0, **fields})).faults)
        step = state.walk[0].steps[0]
        return [int(step.rows[k]) for k in range(4) if int(step.lanes) >> k & 1]

    faults: list[str] = []
    assert rows() == [6, 7, 8, 9] and faults == ["intf_group"]
    assert rows(mask=5) == [6, 8] and faults == ["intf_group"] * 2
    del faults[:]
    assert rows(dst_access_mode=1) == [6, 22, 38, 54] and faults == ["strided"]
    state.execute(0, word(mask=0, zero_write=1))
    assert state.walk[0].steps[0].count == 64
    datums(state, 100)
    state.execute(0, word(mask=0, zero_write=1))
    assert [int(s.count) for s in state.walk[0].steps[:2]] == [64, 36]
    datums(state, 8, first=4)
    put(state, x_stride=2, mask0=0xFFFF)
    del faults[:]
    rows(mask=1)
    assert state.walk[0].steps[0].count == 8 and not faults
    datums(state, 14, first=4)
    rows(mask=1)
    assert state.walk[0].steps[0].count == 12 and faults == ["row_end"]


def test_row_map_of_the_newer_chip() -> None:
    """P52: the formulas, against a table written by bits."""
    for remap, swizzle, wide in ((1, 0, 0), (1, 1, 0), (0, 1, 1), (1, 1, 1), (0, 0, 1)):
        settings = FP32 if wide else BF16
        state = ready("blackhole", **settings, remap=remap, swizzle=swizzle)
        for number in range(0, 1024, 7):
            put(state, dst_offset=number)
            state.execute(0, word())
            bits = [number >> k & 1 for k in range(10)]
            if remap:
                bits[3:6] = [bits[4], bits[5], bits[3]]
            if wide and swizzle:
                bits[2:4] = [bits[3], bits[2] ^ bits[4]]
            place = sum(bit << k for k, bit in enumerate(bits))
            if wide:
                place = (place & 0x1F8) << 1 | place & 0x207
            assert state.walk[0].steps[0].rows[0] == place
