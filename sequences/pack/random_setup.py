# SPDX-License-Identifier: Apache-2.0
"""Set-ups of constrained random stimulus."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from tilepath.isa.profiles import Profile
from tilepath.sequences.kernel.draw import Draw
from tilepath.sequences.pack import cells
from tilepath.sequences.pack.cells import Cell
from tilepath.sequences.pack.knobs import Knobs

_FIRST_LINE: Final = 17_500  # below is what is read as a source
_AREA: Final = 18_000  # lines of a packer
_MARGIN: Final = 4_000
_MOST_SOURCE: Final = 200_000
_E5: Final = (cells.FP16, cells.BFP8A, cells.FP8)
_THRESHOLDS: Final = (0, 1, 0x3F, 0x0080, 0x3C00, 0x3F80, 0x4000, 0x7BFF, 0x7F7F, 0x7F80, 0x7FFF)
_MASKS: Final = (0, 1, 0x8000, 0x00FF, 0xFF00, 0x5555, 0xFFFF, 0xFFFE, 0x7FFF)
_READS: Final = (1, 2, 3, 4, 8, 16)


@dataclass
class Drawn:
    """A set-up, and what stimulus must know of it. ``fields``: as ``config`` has them.

    ``area``: the first line of each packer's (or context's) tiles, before counters and offset.
    """

    cell: Cell
    fields: dict[str, Any] = field(default_factory=dict)
    area: tuple[int, ...] = ()


def each(d: Draw, draw: Any) -> tuple[int, ...]:
    """Four draws, or four times the same one."""
    if d.chance(0.4):
        return (int(draw()),) * 4
    return tuple(int(draw()) for _ in range(4))


def draw_cell(d: Draw, knobs: Knobs, profile: Profile) -> Cell:
    """A cell by ``formats``."""
    name = d.by(knobs.formats)
    return d.one([cell for cell in cells.legal(profile) if cell.name == name])


def draw_target(d: Draw, knobs: Knobs, cell: Cell, compress: bool, accumulate: bool) -> int:
    """A TO that goes with ``cell``."""
    kind, legal = d.by(knobs.targets), cell.targets
    if compress:
        legal = tuple(to for to in legal if to not in (cells.BFP2, cells.BFP2A))
    if accumulate:
        legal = tuple(to for to in legal if to in cells.ACCUMULATED) or legal
    if kind == "own" and cell.from_ in legal:
        return cell.from_
    some = [to for to in legal if to in cells.BFP_TARGETS]
    return d.one(some if kind == "bfp" and some else legal)


def draw_setup(d: Draw, knobs: Knobs, profile: Profile) -> Drawn:
    """A legal set-up."""
    drawn = Drawn(draw_cell(d, knobs, profile))
    drawn.fields |= drawn.cell.setup()
    if d.chance(0.3):
        drawn.fields |= {"inner": d.upto(15), "inner_value": drawn.cell.inner, "inner_override": 1}
    _input(d, knobs, profile, drawn)
    draw_values(d, knobs, drawn)
    _output(d, knobs, profile, drawn)
    return drawn


def _input(d: Draw, knobs: Knobs, profile: Profile, drawn: Drawn) -> None:
    size, wild = drawn.cell.datum_bytes, d.chance(knobs.strides)
    # one packer reads whole rows, which must not go beyond their end
    unit = 16 if wild and profile.packers > 1 and d.chance(0.7) else 16 * size
    faces = d.one(((0, 16, 32, 48), (0, 32, 64, 96), (0, 0, 0, 0)))
    first = d.one((0, 0, 64, 512, 960, d.upto(1023)))
    offsets = tuple(first + face for face in faces)
    drawn.fields |= {
        "x_stride": d.one((0, size, 0x10 | size)) if wild else size,
        "y_stride": unit * d.between(0, 5) if wild else 16 * size,
        "z_stride": unit * d.between(0, 40) if wild else 256 * size,
        "w_stride": unit * d.between(0, 90) if wild else 1024 * size,
        "base0": unit * d.upto(60) if wild else 0,
        "dst_offset": tuple(d.upto(0xFFF) for _ in range(4)) if wild else offsets,
        "ignore_valid": d.flag(0.2),
    }
    if profile.dst_remap and d.chance(0.6):
        drawn.fields |= {"remap": d.flag(0.8), "swizzle": d.flag(0.8)}
    if d.chance(knobs.source):
        drawn.fields |= {"source_l1": (1, 0, 0, 0), "base0": 16 * d.upto(_MOST_SOURCE // 16)}
        drawn.fields |= {"y_stride": 16 * d.upto(4), "z_stride": 16 * d.upto(9), "w_stride": 0}
        if d.chance(0.3):
            drawn.fields |= {"source_high": (d.upto(1), 0, 0, 0), "base0": 16 * d.upto(100)}
            drawn.fields |= {"y_stride": 0, "z_stride": 0}


def draw_values(d: Draw, knobs: Knobs, drawn: Drawn) -> None:
    """ReLU, thresholds, edge masks and what else changes values."""
    cell, fields = drawn.cell, drawn.fields
    if d.chance(knobs.relu):
        mode = d.one((0, 1) if cell.integer else (0, 1, 2, 3, 2, 3))
        some = d.one((*_THRESHOLDS, d.upto(0x7FFF)))
        fields |= {"relu": mode, "relu_threshold": some | (d.flag() << 15 if mode < 2 else 0)}
    if cell.inner == cells.INT8 and d.chance(0.7):
        fields |= {
            "descale": d.flag(0.8),
            "shift": d.one((0, 1, 3, 8, d.upto(31), d.upto(1 << 31))),
        }
    if d.chance(knobs.threshold):
        top = 33 if cell.inner in _E5 else 255
        one = d.one((0, 1, 15, 31, 32, 113, 127, d.upto(top)))
        fields |= {"threshold_en": each(d, d.flag), "threshold": each(d, lambda: one)}
    if d.chance(knobs.downsample):
        fields["downsample"] = each(d, lambda: d.one((0, 1, 0xFFFF, 0x5555, d.upto(0xFFFF))))
    if d.chance(knobs.edges):
        fields |= {
            "edge_mask": each(d, lambda: d.one((*_MASKS, d.upto(0xFFFF)))),
            "edge_mode": 0 if cell.integer else d.flag(),
            "row_map": each(d, lambda: d.upto(0xFFFF_FFFF)),
            "face_map": each(d, lambda: d.upto(0xFFFF_FFFF)),
            "face_enable": d.flag(),
            "face_select": d.upto(255),
            "row_select": d.upto(255),
            "z_offset": each(d, lambda: d.upto(63)),
        }
    fields["reads"] = each(d, lambda: d.one(_READS))
    fields["transposed"] = each(d, d.flag)


def _output(d: Draw, knobs: Knobs, profile: Profile, drawn: Drawn) -> None:
    cell, fields = drawn.cell, drawn.fields
    compress = [d.chance(knobs.compress) for _ in range(4)]
    accumulate = [d.chance(knobs.accumulate) and not compress[p] for p in range(4)]
    targets = [draw_target(d, knobs, cell, compress[p], accumulate[p]) for p in range(4)]
    if profile.packers == 1 and d.chance(0.8):  # contexts can go on with one another's tiles
        targets, compress = targets[:1] * 4, compress[:1] * 4
        accumulate = accumulate[:1] * 4
    accumulate = [a and to in cells.ACCUMULATED for a, to in zip(accumulate, targets, strict=True)]
    relative = bool(profile.pack_relative) and d.chance(knobs.relative)
    areas = [_FIRST_LINE + _AREA * p + _MARGIN + d.upto(500) for p in range(4)]
    no_header, several = each(d, d.flag), profile.packers > 1
    fields |= {
        "to": tuple(targets),
        "from_": cell.from_,
        "accumulate": tuple(map(int, accumulate)),
        "no_header": no_header,
        "row_size": d.between(5, 8),
        # contexts can go on with one another's tiles
        "exp_size": each(d, lambda: d.between(60, 80)) if several else d.between(100, 128),
        "e4m3": d.flag(knobs.e4m3),
    }
    _compressed(d, profile, fields, compress)
    starts = [area + 1 - no_header[p] for p, area in enumerate(areas)]
    if relative:
        areas = [areas[0] | 1 << 31, *(areas[p] - starts[0] - (1 << 31) for p in (1, 2, 3))]
    fields["l1_dest"] = tuple(area & 0xFFFF_FFFF for area in areas)
    drawn.area = tuple(starts)
    if d.chance(knobs.output):
        fields |= {"y_stride1": d.upto(12), "z_stride1": d.upto(24), "w_stride1": d.upto(24)}
        fields["base1"] = d.upto(500)
        if d.chance(0.2):
            fields |= {"y_stride1": 16 * d.upto(1), "z_stride1": 0}
    if d.chance(knobs.offset):
        fields["add_offset"] = each(d, d.flag)
    if d.chance(knobs.limits) and not relative:
        fields["fifo"] = each(d, lambda: d.upto(_MARGIN // 2 - 300))
        near = [starts[p] // 2 + d.between(-2, 150) for p in range(4)]
        fields["limit"] = tuple(near[p] if fields["fifo"][p] else 0 for p in range(4))


def _compressed(d: Draw, profile: Profile, fields: dict[str, Any], compress: list[bool]) -> None:
    off = [int(not one) for one in compress]
    if profile.pack_compress_ovrd and d.chance(0.3):
        mask = sum(bit << p for p, bit in enumerate(off))
        fields |= {"uncompressed": each(d, d.flag), "uncompressed_all": mask}
        fields["uncompressed_override"] = 1
    else:
        fields["uncompressed"] = tuple(off)
        if not profile.pack_compress_ovrd and d.chance(0.2):
            fields |= {"uncompressed_all": d.upto(15), "uncompressed_override": d.flag()}
