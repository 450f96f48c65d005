# SPDX-License-Identifier: Apache-2.0
"""Set-ups of random stimulus, from rows of table ``setup``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from tilepath.isa.profiles import Profile
from tilepath.models import format_codes as C
from tilepath.sequences.pack import cells
from tilepath.sequences.pack.cells import Cell
from tilepath.sequences.pack.tables import MARGIN, TARGETS, THRESHOLD_CORNERS

_FIRST_LINE: Final = 17_500  # below is what is read as a source
_AREA: Final = 18_000  # lines of a packer
_E5: Final = (C.FP16, C.BFP8A, C.FP8)
_OWN, _BFP, _ = range(len(TARGETS))


@dataclass
class Drawn:
    """A set-up, and what stimulus must know of it. ``fields``: as ``config`` has them.

    ``area``: the first line of each packer's (or context's) tiles, before counters and offset.
    """

    cell: Cell
    fields: dict[str, Any] = field(default_factory=dict)
    area: tuple[int, ...] = ()


def _one(of: Any, number: int) -> Any:
    return of[number % len(of)]


def chosen_cell(row: Any, profile: Profile) -> Cell:
    """A cell of ``formats``."""
    name = cells.NAMES[row.formats]
    cell: Cell = _one([cell for cell in cells.legal(profile) if cell.name == name], row.cell)
    return cell


def chosen_target(row: Any, packer: int, cell: Cell, compress: bool, accumulate: bool) -> int:
    """A TO that goes with ``cell``."""
    kind, legal = row.targets[packer], cell.targets
    if compress:
        legal = tuple(to for to in legal if to not in (C.BFP2, C.BFP2A))
    if accumulate:
        legal = tuple(to for to in legal if to in cells.ACCUMULATED) or legal
    if kind == _OWN and cell.from_ in legal:
        return cell.from_
    some = [to for to in legal if to in C.SHARED]
    return int(_one(some if kind == _BFP and some else legal, row.target[packer]))


def legal_setup(row: Any, profile: Profile) -> Drawn:
    """A legal set-up."""
    drawn = Drawn(chosen_cell(row, profile))
    drawn.fields |= drawn.cell.setup()
    if row.inner_override:
        drawn.fields |= {"inner": row.inner, "inner_value": drawn.cell.inner, "inner_override": 1}
    _input(row, profile, drawn)
    set_values(row, drawn)
    _output(row, profile, drawn)
    return drawn


def _input(row: Any, profile: Profile, drawn: Drawn) -> None:
    size, fields = drawn.cell.datum_bytes, drawn.fields
    if row.any_strides:
        # one packer reads whole rows, which must not go beyond their end
        unit = 16 if profile.packers > 1 and row.row_unit else 16 * size
        fields |= {
            "x_stride": (0, size, 0x10 | size)[row.x_stride],
            "y_stride": unit * row.y_stride,
            "z_stride": unit * row.z_stride,
            "w_stride": unit * row.w_stride,
            "base0": unit * row.base0,
            "dst_offset": tuple(row.dst_offset),
        }
    else:
        fields |= tile_strides(size)
        fields["dst_offset"] = tuple(row.first + face for face in row.faces)
    fields["ignore_valid"] = int(row.ignore_valid)
    if profile.dst_remap and row.remaps:
        fields |= {"remap": int(row.remap), "swizzle": int(row.swizzle)}
    if row.source:
        fields |= {"source_l1": (1, 0, 0, 0), "base0": 16 * row.source_base, "w_stride": 0}
        fields |= {"y_stride": 16 * row.source_y, "z_stride": 16 * row.source_z}
        if row.source_far:
            fields |= {"source_high": (row.source_high, 0, 0, 0), "base0": 16 * row.source_near}
            fields |= {"y_stride": 0, "z_stride": 0}


def tile_strides(size: int) -> dict[str, int]:
    """Strides of a tile in rows of 16 datums, of ``size`` bytes each."""
    strides = {"x": size, "y": 16 * size, "z": 256 * size, "w": 1024 * size}
    return {f"{name}_stride": value for name, value in strides.items()}


def set_values(row: Any, drawn: Drawn) -> None:
    """ReLU, thresholds, edge masks and what else changes values."""
    cell, fields = drawn.cell, drawn.fields
    if row.relu:
        mode = row.relu_mode_integer if cell.integer else row.relu_mode
        minus = int(row.relu_minus) << 15 if mode < 2 else 0
        fields |= {"relu": mode, "relu_threshold": row.relu_threshold | minus}
    if cell.inner == C.INT8 and row.descales:
        fields |= {"descale": int(row.descale), "shift": row.descale_shift}
    if row.threshold:
        at = row.threshold_at
        if cell.inner in _E5 and at not in THRESHOLD_CORNERS:
            at %= 34
        fields |= {"threshold_en": tuple(row.threshold_en), "threshold": at}
    if row.downsample:
        fields["downsample"] = tuple(row.downsample_mask)
    if row.edges:
        fields |= {
            name: getattr(row, name) for name in ("face_enable", "face_select", "row_select")
        }
        for name in ("edge_mask", "row_map", "face_map", "z_offset"):
            fields[name] = tuple(getattr(row, name))
        fields["edge_mode"] = 0 if cell.integer else row.edge_mode
    fields |= {"reads": tuple(row.reads), "transposed": tuple(row.transposed)}


def _output(row: Any, profile: Profile, drawn: Drawn) -> None:
    cell, fields = drawn.cell, drawn.fields
    compress = [bool(one) for one in row.compressed]
    accumulate = [a and not c for a, c in zip(row.accumulate, compress, strict=True)]
    targets = [chosen_target(row, p, cell, compress[p], accumulate[p]) for p in range(4)]
    if profile.packers == 1 and row.alike:  # contexts can go on with one another's tiles
        targets, compress = targets[:1] * 4, compress[:1] * 4
        accumulate = accumulate[:1] * 4
    accumulate = [a and to in cells.ACCUMULATED for a, to in zip(accumulate, targets, strict=True)]
    relative = bool(profile.pack_relative) and row.relative
    areas = [_FIRST_LINE + _AREA * p + MARGIN + row.area[p] for p in range(4)]
    no_header = tuple(row.no_header)
    fields |= {
        "to": tuple(targets),
        "from_": cell.from_,
        "accumulate": tuple(map(int, accumulate)),
        "no_header": no_header,
        "row_size": row.row_size,
        # contexts can go on with one another's tiles
        "exp_size": tuple(row.exp_size) if profile.packers > 1 else row.exp_size_alone,
        "e4m3": int(row.e4m3),
    }
    _compressed(row, profile, fields, compress)
    starts = [area + 1 - no_header[p] for p, area in enumerate(areas)]
    if relative:
        areas = [areas[0] | 1 << 31, *(areas[p] - starts[0] - (1 << 31) for p in (1, 2, 3))]
    fields["l1_dest"] = tuple(area & 0xFFFF_FFFF for area in areas)
    drawn.area = tuple(starts)
    if row.output:
        fields |= {n: getattr(row, n) for n in ("y_stride1", "z_stride1", "w_stride1", "base1")}
        if row.y_lines >= 0:
            fields |= {"y_stride1": row.y_lines, "z_stride1": 0}
        if row.far_output and profile.pack_ch1_offset18 and profile.pack_yzw_shr4:
            fields[f"{'yzw'[row.far_counter]}_stride1"] = row.far_stride
    if row.offset:
        fields["add_offset"] = tuple(row.add_offset)
    if row.limits and not relative:
        fields["fifo"] = tuple(row.fifo)
        near = [start // 2 + more for start, more in zip(starts, row.limit, strict=True)]
        fields["limit"] = tuple(near[p] if row.fifo[p] else 0 for p in range(4))


def _compressed(row: Any, profile: Profile, fields: dict[str, Any], compress: list[bool]) -> None:
    off = [int(not one) for one in compress]
    if profile.pack_compress_ovrd and row.by_override:
        mask = sum(bit << p for p, bit in enumerate(off))
        fields |= {"uncompressed": tuple(row.uncompressed), "uncompressed_all": mask}
        fields["uncompressed_override"] = 1
    else:
        fields["uncompressed"] = tuple(off)
        if not profile.pack_compress_ovrd and row.odd_override:
            for name in ("uncompressed_all", "uncompressed_override"):
                fields[name] = getattr(row, name)
