# SPDX-License-Identifier: Apache-2.0
"""Every cell to every format, with numbers of all classes; every stage behind it at its limits."""

from __future__ import annotations

from typing import Final

from tilepath.engine.description.stimulus import Context
from tilepath.isa import profiles
from tilepath.models import format_codes as C
from tilepath.sequences.pack import cells, words
from tilepath.sequences.pack.cells import Cell
from tilepath.sequences.pack.directed import common
from tilepath.sequences.pack.directed.common import cell, packs, way
from tilepath.sequences.pack.script import Script, script_test

_E8: Final = (
    0, 0x8000_0000, 0x0040_0000, 0x1900_0000, 0x3788_0000, 0x3840_0000, 0xB8C8_0000, 0x3C40_1000,
    0x47A0_0000, 0xC838_0000, 0x6440_0000, 0x7F20_0000, 0x7F80_0000, 0xFFC0_0000, 0x3F80_8000,
    0xBFFF_FFFF,
    0x0001_0000, 0x007F_0000, 0x0080_0000, 0xFF7F_0000, 0x807F_FFFF, 0x3F80_7FFF, 0x7F7F_8000,
    0x3F81_8000, 0x7F7F_FFFF, 0x3F80_1000, 0x3F80_3000, 0x3F80_0FFF, 0x3F81_0000, 0x7F7F_F000,
    0x3FFF_F000, 0x007F_F000,
    *(0x0080_0000, 0x0100_0000, 0x80C0_0000, 0x017F_0000) * 4,  # a group of small ones
)  # fmt: skip
_E5: Final = (
    0, 0x8000, 0x0200, 0x0480, 0x1155, 0xA040, 0x2741, 0x3C08, 0x5C01, 0xE3F0, 0x6F03, 0x7888,
    0x7C10, 0xFFFF, 0x3C07, 0x3C09,
    0x0001, 0x03FF, 0x0400, 0x07F8, 0x83F8, 0x7BF8, 0x7FF7, 0x7FF8, 0x3BF8, 0x3BFF, 0x3C18, 0x8001,
    0x0400, 0x0800, 0x8600, 0x0BF8, *(0x0400, 0x0800, 0x8600, 0x0BF8) * 4,
)  # fmt: skip
_MAGNITUDES: Final = (
    0, 5, 127, 128, 255, 256, 0x7FFF, 12, 0x8000, 0x4000_0000, 0x3FFF_FFFF, 0x4000_0001,
    0x7FFF_FFFE, 0x7FFF_FFFF,
)  # fmt: skip
_SHIFTS: Final = (0, 1, 3, 16, 31)
_THRESHOLDS8: Final = (0, 0x0040, 0x3F80, 0x7F7F, 0x7F80)
_THRESHOLDS5: Final = (0, 0x0200, 0x3C00, 0x7FFF, 0x0001)
_LIMITS8: Final = (0, 1, 126, 127, 128, 255)
_LIMITS5: Final = (1, 15, 31, 32, 33)
_STAGES: Final = (
    cell(C.FP32, 1, 1), cell(C.BF16, 0, 1), cell(C.FP16, 0, 1), cell(C.BFP8A, 0, 1),
    cell(C.BFP8A), cell(C.FP8, 0, 1),
)  # fmt: skip
_INTEGERS: Final = (
    cell(C.INT32, 1), cell(C.INT16), cell(C.INT8, 1), cell(C.INT8, 1, 0, 1),
)  # fmt: skip


def numbers(of: Cell) -> list[int]:
    """Numbers of all classes, as Dst has them."""
    if of.stored == "fp32":
        return list(_E8)
    if of.stored == "bf16":
        return [n >> 16 for n in _E8]
    if of.stored == "fp16":
        return list(_E5)
    top = 1 << (31 if of.stored == "int32" else 15)
    some = [n for n in _MAGNITUDES if n < top]
    return [*some, *(n | top for n in some)]


def _formats(script: Script, _ctx: Context) -> None:
    """All cells, four targets at a time; E4M3 once more."""
    common.begin(script)
    for number, of in enumerate(cells.legal(profiles.get(script.profile))):
        targets = list(of.targets)
        several = [(tuple((targets[k:] + targets * 4)[:4]), 0) for k in range(0, len(targets), 4)]
        if C.FP8 in targets:
            several.append(((C.FP8,) * 4, 1))
        for to, e4m3 in several:
            mask = 15 if len(set(to)) > 1 else 1
            packs(script, way(of, to, e4m3=e4m3), numbers(of), of.stored, mask, thread=number % 3)
    for unsigned in (0, 1):
        for shift in _SHIFTS:
            of = cell(C.INT8, 1, 0, unsigned)
            packs(script, way(of, descale=1, shift=shift), numbers(of), of.stored, 1)
        packs(script, way(of, shift=3), numbers(of), of.stored, 1)


def _around(of: Cell, threshold: int) -> list[int]:
    """Numbers around a ReLU threshold, and signs."""
    if of.stored == "fp32":
        t = threshold << 16
        return [
            max(t - 1, 0),
            t,
            t + 1,
            t + 0x8000,
            0x7FC0_0000,
            0xBF80_0000,
            0x8000_0000,
            0,
            0x3F80_0000,
        ]
    special = [0x7FC0, 0xBF80, 0x8000, 0, 0x3F80] if of.stored == "bf16" else [0xBC00, 0x8000, 0, 1]
    return [max(threshold - 1, 0), threshold, min(threshold + 1, 0x7FFF), *special]


def _stages(script: Script, _ctx: Context) -> None:
    """ReLU with its thresholds, edge masks in both modes, exponent thresholds, datums that stay."""
    common.begin(script)
    targets = (C.BFP8, C.BFP8A, C.BFP8, C.BFP8A)
    for of in _STAGES:
        thresholds = _THRESHOLDS8 if of.stored in ("fp32", "bf16") else _THRESHOLDS5
        relus = [(relu, 0, edge) for relu in (0, 1) for edge in (0, 1)]
        relus += [(r, t, (k + r) & 1) for r in (2, 3) for k, t in enumerate(thresholds)]
        relus += [(r, thresholds[2], edge) for r in (2, 3) for edge in (0, 1)]
        for relu, threshold, edge in relus:
            fields = {"relu": relu, "relu_threshold": threshold, "edge_mode": edge}
            values = _around(of, threshold)
            setup = way(of, (*targets[:2], of.from_, of.from_), edge_mask=0x7FFF, **fields)
            packs(script, setup, values + [values[1]] * (16 - len(values)), of.stored, 7)
        for limit in _LIMITS8 if thresholds is _THRESHOLDS8 else _LIMITS5:
            packs(script, way(of, threshold_en=1, threshold=limit), numbers(of), of.stored, 1)
    for of in _INTEGERS:
        for relu, edge in ((0, 0), (1, 0), (0, 1), (1, 1)):
            setup = way(of, edge_mask=0x7FFF, relu=relu, edge_mode=edge)
            packs(script, setup, numbers(of)[:16], of.stored, 1)
        for fields in ({"threshold_en": 1, "threshold": 255}, {"relu": 3, "relu_threshold": 5}):
            packs(script, way(of, **fields), numbers(of), of.stored, 1)
    for kept in range(16):
        mask = ~((1 << kept) - 1) & 0xFFFF
        setup = way(common.BF16, targets[:1] * 4, downsample=mask)
        packs(script, setup, [0x3F80 + k for k in range(48)], "bf16", 1)
        common.first(script, 9)
        script.word(0, words.pacr(1, last=1))


TESTS: Final = (
    script_test(
        "values_formats", "all cells to all formats, numbers of all classes", _formats,
        {"issue": 250, "w0.write": 250}, faults=("*",),
    ),
    script_test(
        "values_stages", "ReLU, edge masks, thresholds, downsampling at their limits", _stages,
        {"issue": 200, "w0.write": 200},
        faults=("edge_int", "relu", "edge_neginf_bfp", "edge_position"),
    ),
)  # fmt: skip
