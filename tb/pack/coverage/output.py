# SPDX-License-Identifier: Apache-2.0
"""Coverage of tile addresses, of what is left in buffers, of histogram and downsampling.

Source: pack section 7, C2, C7, C9, C10, C15 to C18 and the crosses; P26, P27, P30 to P45.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.isa.profiles import Profile
from tilepath.models import format_codes as C
from tilepath.models.pack import fields as F
from tilepath.models.pack.faults import Flag
from tilepath.models.pack.state import Kind, Source
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.pack.coverage.points import (
    BFP,
    FORMATS,
    I64,
    NO_YES,
    THREADS,
    place,
)
from tilepath.tb.pack.coverage.table import Parts
from tilepath.tb.pack.coverage.words import packers

TO: Final = tuple(code for code in range(16) if code not in (12, 13))
FLOATS: Final = (0, 4, 5, 6, 1, 2, 10)
_TO_FLOATS: Final = (0, 4, 5, 6, 7, 15, 1, 2, 3, 11, 10)
INTEGERS: Final = (8, 9, 14)
_LIMITS: Final = ("no_fifo", "below", "last", "first_beyond", "beyond")
_READS: Final = (1, 2, 4, 8, 16)
_PADS: Final = ("unit", "data_line", "exponents", "row_starts")
_ENDS: Final = ("last", "flush", "setreg")
_COMPRESSED: Final = tuple(code for code in TO if code not in (11, 15))
_FORMAT_FAULTS: Final = Flag.EARLY | Flag.PAIR_IF | Flag.PAIR_LATE | Flag.LATE_TF32
_FILLS: Final = tuple(map(str, range(16)))


def names_of(codes: tuple[int, ...]) -> tuple[str, ...]:
    """Names of formats."""
    return tuple(FORMATS[code] for code in codes)


def _pads(n: int) -> str:
    return "+".join(name for k, name in enumerate(_PADS) if n >> k & 1) or "nothing"


def declare(points: PointGroup, profile: Profile) -> None:
    """Declare the points of this topic."""
    some = packers(profile)
    points.add("format.float_from_x_to", names_of(FLOATS), names_of(_TO_FLOATS), exclude=(
        Exclude(("fp32", "tf32"), "the late conversion does not have it (P28)"),
    ))  # fmt: skip
    points.add("format.integer", ("int32", "int16", "int8", "uint8"))
    points.add("format.e4m3_of", names_of(FLOATS))
    points.add("format.to_x_packer", names_of(TO), some)
    points.add("format.to_x_ends", names_of(TO), _ENDS)
    points.add("tile.packer_x_header_x_offset", some, NO_YES, ("not_added", "0", "added"))
    points.add("tile.counter_x_stride", ("y", "z", "w"), NO_YES)
    points.add("tile.low_nibble_of_counters", ("0", "not_0"))
    points.add("tile.limit_x_packer", _LIMITS, some)
    points.add("tile.above_17_bits", NO_YES)
    points.add("tile.exponent_section_x_format", ("0", "not_0"), ("bfp", "fp8", "int8", "other"))
    points.add("tile.row_section_x_compressed", ("0", "not_0"), NO_YES)
    points.add("tile.needs_new_x_address_differs", NO_YES, NO_YES)
    if profile.pack_relative:
        points.add("tile.relative_x_packer_x_packer0_takes_part", NO_YES, some[1:], NO_YES)
        points.add("tile.relative_x_exponent_section", NO_YES, ("0", "not_0"))
    if profile.pack_compress_ovrd:
        points.add("compressed.override_x_packer_x_compressed", NO_YES, some, NO_YES)
    points.add("closing.pads", tuple(map(_pads, range(16))), exclude=tuple(
        Exclude((_pads(n),), reason, (profile.name,))
        for reason, some_pads in (
            ("a group has an exponent, but where TO changes in a tile (U17)", (2, 3, 10, 11)),
            ("a block has whole units, but where TO changes in a tile (U17)", (9, 13, 15)),
        )
        for n in some_pads
    ))  # fmt: skip
    points.add("closing.fill_x_size", _FILLS, ("32", "16", "8"), exclude=tuple(
        Exclude((fill, size), "is no number of whole datums")
        for size, step in (("32", 4), ("16", 2)) for fill in _FILLS if int(fill) % step
    ))  # fmt: skip
    points.add("closing.exponents", _FILLS)
    points.add("closing.row_starts", tuple(map(str, range(0, 16, 2))))
    points.add("closing.group_line", ("bfp4", "bfp2"), ("0", "4", "8", "12"), exclude=(
        Exclude(("bfp4", "4"), "a group has 8 bytes"),
        Exclude(("bfp4", "12"), "a group has 8 bytes"),
    ))  # fmt: skip
    if profile.packers > 1:
        points.add("closing.packers_that_go_on", NO_YES)
    points.add("position.at_begin_x_tile_open", ("0", "not_0"), NO_YES, exclude=(
        Exclude(("not_0", "no"), "the end of a tile resets it (P26)"),
    ))  # fmt: skip
    points.add("position.wraps_x_reads_x_transposed", NO_YES, (*map(str, _READS), "other"), NO_YES)
    points.add("downsample.kept_of_16", tuple(map(str, range(1, 17))))
    points.add("downsample.count_is_16s_x_group_straddles", NO_YES, ("no_group", "no", "yes"))
    points.add("downsample.mask_is_0", NO_YES)
    points.add("histogram.enabled_by", ("none", *THREADS, "several"))
    points.add("histogram.bypassed_source_x_edge_mode_x_counts", ("zeros", "l1"), ("0", "1"),
               NO_YES)  # fmt: skip
    points.add("accumulate.format_x_pads", names_of((0, 1, 5, 8)), NO_YES)
    points.add("source.from", names_of((*FLOATS, *INTEGERS)))
    points.add("compressed.concat_x_ends", NO_YES, ("no", "last", "flush"))
    points.add("compressed.format", names_of(_COMPRESSED))


def count(points: Tally, parts: Parts, profile: Profile) -> None:
    """Count the rows of the table of packers."""
    p = parts.where(parts.is_pacr)
    _count_formats(points, p)
    _count_tiles(points, p, profile)
    _count_closing(points, parts, profile)
    _count_stages(points, p)


def _count_formats(points: Tally, p: Parts) -> None:
    some = p.parts["kept"] > 0
    from_, to = p.own(F.FROM), p.of_mode("to")
    of_dst = some & (p.plan("source") == Source.DST)
    ok = of_dst & (p["faults"] & _FORMAT_FAULTS == 0)
    float_from, float_to = place(from_, FLOATS), place(to, _TO_FLOATS)
    both = ok & (float_from < len(FLOATS)) & (float_to < len(_TO_FLOATS))
    points.hit("format.float_from_x_to", float_from, float_to, where=both)
    integer = place(to, INTEGERS)
    is_one = ok & (integer < 3) & (from_ == to)
    integer += (to == C.INT8) & (p.config(F.READ_UNSIGNED) == 1)
    points.hit("format.integer", integer, where=is_one)
    e4m3 = both & (to == C.FP8) & (p.config(F.E4M3) == 1)
    points.hit("format.e4m3_of", float_from, where=e4m3)
    number = place(to, TO)
    points.hit("format.to_x_packer", number, p.packer, where=some & (number < len(TO)))
    source = place(from_, (*FLOATS, *INTEGERS))
    is_l1 = some & (p.plan("source") == Source.L1) & (source < 10)
    points.hit("source.from", source, where=is_l1)


def _count_tiles(points: Tally, p: Parts, profile: Profile) -> None:
    packer, to = p.packer, p.of_mode("to")
    streams = p.parts["before"]["streams"]
    new = streams["needs_new"][:, Kind.DATA] == 1
    add = p.own(F.ADD_OFFSET)
    offset = p["offsets"][np.arange(len(p)), packer]
    kind = np.where(add == 0, 0, np.where(offset == 0, 1, 2))
    points.hit("tile.packer_x_header_x_offset", packer, p.own(F.SUB_HEADER) == 0, kind, where=new)
    units = p.config(F.BASE1)
    for number, field in enumerate((F.YSTRIDE1, F.ZSTRIDE1, F.WSTRIDE1)):
        value, stride = p.counter(1, number + 1), p.config(field)
        points.hit("tile.counter_x_stride", number, stride != 0, where=new & (value != 0))
        units = units + value * stride
    units &= 0xFFFFFFFF
    points.hit("tile.low_nibble_of_counters", units & 15 != 0, where=new)
    own = p.own(F.L1_DEST) + 1 - p.own(F.SUB_HEADER)
    first = p.config(F.L1_DEST) + 1 - p.config(F.SUB_HEADER)
    relative = (first >> 31 == 1) & (packer > 0) & (profile.pack_relative == 1)
    address = own + np.where(relative, first, 0)
    address = address + (units >> 4 if profile.pack_yzw_shr4 else units & ~15) + add * offset
    address &= 0xFFFFFFFF
    places = np.array(F.LIMITS)[packer]
    limit, fifo = p.config(F.LIMIT, places), p.config(F.FIFO, places)
    over = address - 2 * limit - 1
    where = np.select([fifo == 0, over < 0, over == 0, over == 1], range(4), 4)
    points.hit("tile.limit_x_packer", where, packer, where=new)
    points.hit("tile.above_17_bits", address >> 17 != 0, where=new)
    bfp = np.isin(to, BFP)
    family = np.select([bfp, to == C.FP8, to == C.INT8], range(3), 3)
    exponents, rows = p.own(F.EXP_SIZE), p.own(F.ROW_START_SIZE)
    points.hit("tile.exponent_section_x_format", exponents != 0, family, where=new)
    compressed = p.of_mode("compresses")
    points.hit("tile.row_section_x_compressed", rows != 0, compressed, where=new)
    differs = p.plan("lines")[:, Kind.DATA] != streams["line"][:, Kind.DATA]
    points.hit("tile.needs_new_x_address_differs", new, differs)
    if profile.pack_relative:
        is_relative = first >> 31
        points.hit("tile.relative_x_packer_x_packer0_takes_part", is_relative,
                   np.maximum(packer - 1, 0), p["packers"] & 1,
                   where=new & (packer > 0))  # fmt: skip
        points.hit("tile.relative_x_exponent_section", relative, exponents != 0, where=new & bfp)
    if profile.pack_compress_ovrd:
        override = p.config(F.ALL_COMPRESS_OVRD)
        points.hit("compressed.override_x_packer_x_compressed", override, packer, compressed)


def _end_of(p: Parts) -> I64:
    """0, 1, 2 for Last, Flush, SETREG; 3 for an instruction that ends no tile."""
    flush, last = p.get(F.FLUSH) == 1, p.get(F.LAST) == 1
    found: I64 = np.select([~p.is_pacr, flush, last], (2, 1, 0), 3)
    return found


def _count_closing(points: Tally, p: Parts, profile: Profile) -> None:
    end = _end_of(p)
    closes = end < 3
    to, partial = p.of_mode("to"), p.parts["partial"]
    number = place(to, TO)
    points.hit("format.to_x_ends", number, end, where=closes & (number < len(TO)))
    points.hit("closing.pads", partial, where=closes)
    before, streams = p.parts["before"], p.parts["before"]["streams"]
    unit = p.of_mode("unit")
    bytes_ = (before["element_count"] + p.parts["pushed"]) % unit * 16 // np.maximum(unit, 1)
    bfp = p.of_mode("bfp") == 1
    size = np.minimum(to & 3, 2)
    points.hit("closing.fill_x_size", bytes_, size, where=closes & ~bfp)
    exponents = streams["filled"][:, Kind.EXPONENT] // 8 + p.parts["units"]
    points.hit("closing.exponents", exponents % 16, where=closes & bfp)
    line = streams["filled"][:, Kind.DATA] // 8 + p.parts["units"] * 2 * p.of_mode("bits")
    narrow = closes & bfp & (p.of_mode("bits") < 8)
    points.hit("closing.group_line", p.of_mode("bits") == 2, line % 16 // 4, where=narrow)
    compressed = p.of_mode("compresses") == 1
    points.hit("closing.row_starts", p.parts["entries"] % 8, where=closes & compressed)
    points.hit("compressed.format", place(to, _COMPRESSED), where=compressed & np.isin(
        to, _COMPRESSED) & (p.parts["pushed"] > 0))  # fmt: skip
    pacr = p.is_pacr
    ends = np.where(end == 3, 0, end + 1)
    points.hit("compressed.concat_x_ends", p.get(F.CONCAT), np.minimum(ends, 2),
               where=pacr & compressed)  # fmt: skip
    if profile.packers > 1:
        points.hit("closing.packers_that_go_on", p["packers"] != 15, where=closes)
    acc = place(to, (0, 1, 5, 8))
    summed = closes & (p.of_mode("accumulate") == 1) & (p.parts["pushed"] > 0)
    points.hit("accumulate.format_x_pads", acc, partial & 1, where=summed)


def _count_stages(points: Tally, p: Parts) -> None:
    before, after = p.parts["before"], p.parts["after"]
    of_dst = (p.plan("source") == Source.DST) & (p.plan("count") > 0)
    moved = (before["x"] != 0) | (before["y"] != 0) | (before["z"] != 0)
    is_open = before["streams"]["needs_new"][:, 0] == 0
    points.hit("position.at_begin_x_tile_open", moved, is_open, where=of_dst)
    turned = p.of_mode("transposed") == 1
    wraps = np.where(turned, before["y"] != after["y"], before["z"] != after["z"])
    points.hit(
        "position.wraps_x_reads_x_transposed", wraps,
        place(p.of_mode("reads_per_plane"), _READS), turned, where=of_dst & (_end_of(p) == 3),
    )  # fmt: skip
    mask = p.of_mode("downsample")
    kept = sum(mask >> k & 1 for k in range(16))
    some = p.plan("count") > 0
    points.hit("downsample.kept_of_16", kept - 1, where=some & (kept > 0))
    straddles = np.where(p.of_mode("bfp") == 0, 0, np.where(p.parts["group_parts"] > 1, 2, 1))
    points.hit(
        "downsample.count_is_16s_x_group_straddles", p.plan("count") % 16 == 0, straddles,
        where=some & (mask != 0xFFFF),
    )  # fmt: skip
    points.hit("downsample.mask_is_0", p.own(F.DOWNSAMPLE_MASK) == 0, where=some)
    enabled = place(p["acc_stats"], (0, 1, 2, 4))
    points.hit("histogram.enabled_by", enabled, where=of_dst)
    bypassed = some & (p.plan("source") != Source.DST)
    points.hit(
        "histogram.bypassed_source_x_edge_mode_x_counts", p.plan("source") - 1,
        p.config(F.EDGE_MODE), p["acc_stats"] != 0, where=bypassed,
    )  # fmt: skip
