# SPDX-License-Identifier: Apache-2.0
"""Faults of the packers: each has a case that raises it, and no other."""

from __future__ import annotations

import pytest

from tilepath.isa.boundary.pack import FAULTS, RUN_FAULTS
from tilepath.models.pack import PackState
from tilepath.tests.pack.model_helpers import BF16, FP16, FP32, datums, put, ready, word

INT32 = {"inner": 8, "from_": 8, "to": 8, "r32": 1}
BFP8 = {"to": 6, "exp_size": 1}
PACKED = {"plain": 0, "row_size": 1}
MINUS = {"to": 6, "exp_size": 1, "edge_mode": 1}
FACES = {"face_enable": 1, "mask1": 0, "row_mapping2": 1}
BH = "blackhole"

# (faults, profile, settings of packer 0, fields of the word, X of channel 0, X of channel 1)
Case = tuple[str, str, dict[str, int], dict[str, int], int, int]
CASES: list[Case] = [
    ("", "baseline", {}, {}, 0, 15),
    ("", "baseline", {}, {}, 1, 0),
    *(("mask", "baseline", {}, {"mask": mask}, 0, 15) for mask in (6, 9, 11, 13, 14)),
    *(("", "baseline", {}, {"mask": mask}, 0, 15) for mask in (0, 1, 5, 7, 10, 12, 15)),
    *(
        ("fields", "baseline", {}, {name: 1}, 0, 15)
        for name in ("cfg_context", "row_pad_zero", "dst_access_mode", "ctxt_ctrl")
    ),
    *(("fields", BH, {}, {name: 1}, 0, 15) for name in ("row_pad_zero", "ctxt_ctrl")),
    ("count", "baseline", {}, {}, 2, 0),
    ("count", "baseline", {}, {}, 0, 256),
    ("", "baseline", {}, {"flush": 1}, 0, 256),
    ("count", BH, {}, {"zero_write": 1}, 0, 16),
    ("count row_end", BH, {"x_stride": 2}, {}, 1, 17),
    ("row_end", BH, {"x_stride": 2}, {}, 4, 16),
    ("", BH, {}, {"mask": 0, "zero_write": 1}, 0, 1023),
    ("count", BH, {}, {"mask": 0, "zero_write": 1}, 0, 1024),
    ("wrap", "baseline", {"dst_offset": 0x3FF}, {}, 0, 16),
    ("", "baseline", {"dst_offset": 0x3FF}, {}, 0, 15),
    ("wrap intf_group", BH, {"dst_offset": 0x3FE}, {"mask": 15}, 0, 15),
    ("early", "baseline", {"inner": 0, "from_": 0}, {}, 0, 15),
    ("early", "baseline", {**FP16, "r32": 1}, {}, 0, 15),
    ("early", "baseline", {"inner": 10, "from_": 10, "to": 10}, {}, 0, 15),
    ("early", "baseline", {"r10": 1}, {}, 0, 15),
    ("", "baseline", {"r10": 1, "from_": 4, "to": 1}, {}, 0, 15),
    ("", "baseline", {"inner": 0, "r10": 1, "from_": 1, "to": 10, "e4m3": 1}, {}, 0, 15),
    ("pair_if", "baseline", {"from_": 1}, {}, 0, 15),
    ("", "baseline", {"from_": 6, "y_stride": 0}, {}, 0, 15),
    ("", "baseline", {**FP32, "from_": 8, "to": 8}, {}, 0, 15),
    ("pair_if", "baseline", {**FP32, "from_": 4}, {}, 0, 15),
    ("pair_late", "baseline", {"to": 9}, {}, 0, 15),
    ("pair_late", "baseline", {"to": 12}, {}, 0, 15),
    ("early pair_late", "baseline", {"inner": 12, "from_": 12}, {}, 0, 15),
    ("", "baseline", {"to": 9}, {"flush": 1}, 0, 15),
    ("late_tf32", "baseline", {**FP32, "to": 4}, {}, 0, 15),
    ("stochastic", "baseline", {"srnd": 1}, {}, 0, 15),
    ("descale_mode", "baseline", {"descale_mode": 1}, {}, 0, 15),
    ("relu", "baseline", {"relu": 4}, {}, 0, 15),
    ("relu", "baseline", {"relu": 2, "relu_threshold": 0x8000}, {}, 0, 15),
    ("relu", "baseline", {**INT32, "relu": 3}, {}, 0, 15),
    ("", "baseline", {**INT32, "relu": 1}, {}, 0, 15),
    ("", "baseline", {"relu": 4}, {"zero_write": 1}, 0, 15),
    ("edge_int", "baseline", {**INT32, "edge_mode": 1}, {}, 0, 15),
    ("edge_neginf_bfp", "baseline", {**MINUS, "mask0": 0xFF}, {}, 0, 15),
    ("edge_neginf_bfp", BH, {**MINUS, "mask0": 0x7FFF, "to": 3}, {}, 0, 15),
    ("edge_neginf_bfp", "baseline", {**MINUS, "mask3": 0, "row_mapping0": 3 << 30}, {}, 0, 15),
    ("edge_neginf_bfp", "baseline", {**MINUS, **FACES, "face_mapping0": 2 << 30}, {}, 0, 15),
    ("", "baseline", {**MINUS, **FACES, "face_mapping0": 1 << 30}, {}, 0, 15),
    ("", "baseline", {**MINUS, "mask1": 0}, {}, 0, 15),
    ("", "baseline", {**BFP8, "mask0": 0xFF}, {}, 0, 15),
    ("", "baseline", {"edge_mode": 1, "mask0": 0xFF}, {}, 0, 15),
    ("", "baseline", {**MINUS, "mask0": 0xFF, "relu": 1}, {}, 0, 15),
    ("", "baseline", {**MINUS, "mask0": 0xFF}, {"zero_write": 1}, 0, 15),
    ("", "baseline", {**MINUS, "mask0": 0xFF}, {"flush": 1}, 0, 15),
    ("pair_if pair_late threshold", "baseline", {"from_": 11, "threshold_en": 1}, {}, 0, 15),
    ("dis_shared_exp", "baseline", {**BFP8, "own_exponents": 1}, {}, 0, 15),
    ("", "baseline", {"own_exponents": 1}, {}, 0, 15),
    ("acc_format", "baseline", {**BFP8, "acc": 1}, {}, 0, 15),
    ("fp16_accumulate", BH, {**FP16, "acc": 1}, {}, 0, 15),
    ("", BH, {**FP16, "acc": 1}, {"flush": 1}, 0, 15),
    ("", BH, {"acc": 1}, {}, 0, 15),
    ("", "baseline", {**FP16, "acc": 1}, {}, 0, 15),
    ("acc_compress", "baseline", {**PACKED, "acc": 1}, {}, 0, 15),
    ("compress_bfp2", "baseline", {**PACKED, "to": 15, "exp_size": 1}, {}, 0, 15),
    ("limit_fifo", "baseline", {"limit": 0x1FFF}, {}, 0, 15),
    ("align", "baseline", {"base0": 8}, {}, 0, 15),
    ("stride", "baseline", {"w_stride": 1}, {}, 0, 15),
    ("stride", "baseline", {"x_stride": 4}, {}, 0, 15),
    ("counters", "baseline", {"xys": 1}, {}, 0, 15),
    ("reads_per_plane", "baseline", {"mask2": 1, "reads": 17}, {}, 0, 15),
    ("", "baseline", {"reads": 0}, {}, 0, 15),
    ("l1_source", "baseline", {"source": 1, "source_addr": 1, "base0": 0x2000}, {}, 0, 15),
    ("", "baseline", {"source": 1, "source_addr": 1, "base0": 0x1FF0}, {}, 0, 15),
    ("strided", BH, {"remap": 1}, {"dst_access_mode": 1, "mask": 15}, 0, 15),
    ("", BH, {"remap": 1, "swizzle": 1}, {"dst_access_mode": 1, "mask": 15}, 0, 15),
    ("intf_group", BH, {"dst_offset": 2}, {"mask": 4}, 0, 15),
    ("", BH, {}, {"cfg_context": 1}, 0, 15),
    ("l1_range", "baseline", {"l1": 0x1FFFF}, {}, 0, 7),
    ("exp_overlap", "baseline", {"to": 6}, {}, 0, 15),
    ("rsi_overflow", "baseline", {"plain": 0}, {}, 0, 15),
    ("source_range", "baseline", {"source": 1, "source_addr": 7}, {}, 0, 15),
]


@pytest.mark.parametrize(("names", "profile", "settings", "fields", "x0", "x1"), CASES)
def test_of_one_instruction(
    names: str,
    profile: str,
    settings: dict[str, int],
    fields: dict[str, int],
    x0: int,
    x1: int,
) -> None:
    state = ready(profile, **{**BF16, **settings})
    for packer in range(1, 4):
        put(state, packer, from_=5, to=5, l1=0x1000 * packer)
    state.adc.live[0, 2, 0, 0] = x0
    state.adc.live[0, 2, 1, 0] = x1
    assert state.execute(0, word(**fields)).faults == tuple(names.split())


def _open(**settings: int) -> PackState:
    state = ready(**{**BF16, **settings})
    state.execute(0, word(last=0))
    return state


@pytest.mark.parametrize(
    "change",
    [{"to": 1}, {"from_": 6}, {"acc": 1}, {"exp_size": 3}, {"row_size": 1}, {"plain": 0}],
)
def test_of_an_open_tile(change: dict[str, int]) -> None:
    state = _open()
    put(state, **change)
    assert "open_change" in state.execute(0, word(last=1)).faults
    assert "open_change" not in state.execute(0, word(last=0)).faults


def test_of_an_open_tile_of_another_packer() -> None:
    """P68: told once, with the PACR that brings the mode; its sections matter with its own."""
    state = _open()
    put(state, 1, from_=5, to=5, l1=0x1000)
    put(state, to=1)
    assert "open_change" in state.execute(0, word(mask=2)).faults
    put(state, exp_size=3)
    assert state.execute(0, word(mask=2)).faults == ()
    assert "open_change" in state.execute(0, word()).faults


def test_of_threads() -> None:
    state = _open()
    datums(state, 16)
    state.adc.live[1] = state.adc.live[0]
    assert state.execute(1, word()).faults == ("threads",)
    assert state.execute(0, word()).faults == ()


def test_of_relative_addresses() -> None:
    state = ready(**BF16, l1=0x80000100)
    put(state, 1, from_=5, to=5, fifo=1, limit=0x1FFFF)
    assert state.execute(0, word(mask=2)).faults == ("relative_fifo",)
    put(state, 1, fifo=0)
    assert state.execute(0, word(mask=2)).faults == ("limit_fifo",)


@pytest.mark.parametrize("profile", ["baseline", BH])
@pytest.mark.parametrize("kept", [0, 1])
@pytest.mark.parametrize(
    ("rows", "settings", "between", "told"),
    [
        (5, {}, {}, True),
        (16, {}, {}, False),  # a whole plane: Y is 0 again
        (5, {"mask0": 0xFFFF}, {}, False),
        (5, {}, {"flush": 1}, True),  # no rows: as before
        (5, {}, {"zero_write": 1}, True),
        (4, {"transposed": 1}, {}, False),  # Z counts
        (16, {"transposed": 1}, {}, True),
    ],
)
def test_of_a_position_that_is_left(
    profile: str, kept: int, rows: int, settings: dict[str, int], between: dict[str, int],
    told: bool,
) -> None:  # fmt: skip
    """P26: the first masked rows behind a tile that has ended within a plane."""
    state = ready(f"{profile},pack_tile_position_kept={kept}", **BF16, mask0=0xFF, reads=16)
    put(state, **settings)
    state.dst[:] = 0x007F
    for row in range(rows):
        assert state.execute(0, word(last=int(row == rows - 1))).faults == ()
    if between:
        assert state.execute(0, word(**between)).faults == ()
    want = ("edge_position",) if told else ()
    assert state.execute(0, word(last=0)).faults == want
    assert state.execute(0, word()).faults == ()


def test_rows_beyond_the_flags() -> None:
    """P41: 32 rows and the first entry are flagged, more are not, another format or not."""
    for first, faults in ((5, ("rows",)), (1, ("open_change", "rows"))):
        state = ready(**BF16, plain=0, row_size=8)
        datums(state, 1)
        for number in range(34):
            put(state, to=first if number < 33 else 5)
            told = state.execute(0, word(last=int(number == 33))).faults
        assert told == faults


def test_every_fault_has_a_case() -> None:
    told = {name for names, *_ in CASES for name in names.split()}
    elsewhere = {"open_change", "threads", "relative_fifo", "rows", "edge_position"}
    elsewhere |= {"setreg_address", "setreg_fields"}  # test_model_decisions
    assert told | elsewhere == {f.name for f in (*FAULTS, *RUN_FAULTS)}
