# SPDX-License-Identifier: Apache-2.0
"""Points of what packers do for an instruction: datums, tile addresses, what closing pads.

Source: pack section 7, C2, C7, C9 to C18 and the crosses; P5, P10 to P16, P26 to P45.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, CoveragePlan, Point, among, each, numbers, yes
from tilepath.isa.formats import pack_cells
from tilepath.isa.profiles import Profile
from tilepath.models import format_codes as C
from tilepath.models.pack.faults import Flag
from tilepath.tb.pack.coverage.labels import THREADS, formats, plan, up_to

_TO_FLOATS: Final = sorted(C.FLOATS, key=lambda code: (code in C.EXPONENT_5, code == C.FP8))
_INNER: Final = {cell.inner for cell in pack_cells()}
_FLOATS: Final = tuple(code for code in _TO_FLOATS if code in _INNER)
_COUNTS: Final = (0, 1, 7, 8, 15, 16, 17, 31, 32, 255, 256)


def _some(none: str, *names: str) -> tuple[str, ...]:
    """Every set of names, in the order of its bits."""
    sets = ([name for k, name in enumerate(names) if n >> k & 1] for n in range(1 << len(names)))
    return tuple("+".join(some) or none for some in sets)


_FLAGS: Final = _some("none", "last", "flush", "zero_write", "concat")
_PADS: Final = _some("nothing", "unit", "data_line", "exponents", "row_starts")
_FILLS: Final = numbers(16)
_PATHS: Final = ("plain", "compressed", "sums")

# What closing pads (P30, P36, P38, P44)
_ELEMENTS: Final = "(elements + pushed)"
_REST: Final = f"({_ELEMENTS} & unit - 1)"  # units are powers of two
_UNITS: Final = f"(({_ELEMENTS} + unit - 1) // unit)"  # with the one that closing pads
_DATA: Final = f"(filled[0] + {_UNITS} * 16 * bits)"
_EXPONENTS: Final = f"(filled[1] // 8 + {_UNITS})"
_PADDED: Final = (
    f"({_REST} != 0) + 2 * (bfp and {_DATA} & 127 != 0) + 4 * (bfp and {_EXPONENTS} & 15 != 0)"
    " + 8 * (compresses and row_starts & 7 != 0)"
)
_CLOSES: Final = "(not is_pacr or flags_set & 3)"
_KEPT_OF_16: Final = f"({' + '.join(f'(mode.downsample >> {k} & 1)' for k in range(16))})"
# Y, Z, W of channel 0, of channel 1
_IN: Final = "live[counter + 1 & 7]"
_OUT: Final = "live[counter + 5 & 7]"
_OVER: Final = "(address - 2 * limit - 1)"


def _kinds(column: str) -> Bins:
    """What elements are: their bits, or numbers of groups."""
    return Bins({"bfp_a": f"{column} in BFPA", "bfp_b": f"{column} in BFP",
                 "32": f"{column} & 3 == 0", "16": f"{column} & 3 == 1", "8": "1"})  # fmt: skip


_LANES: Final = "+".join(f"(lanes >> {n} & 1)" for n in range(4))
_STEPS: Final = "((datum % 16 + count + 15) // 16)"
_FAULTY: Final = Flag.EARLY | Flag.PAIR_IF | Flag.PAIR_LATE | Flag.LATE_TF32
_READ: Final = "is_pacr and source == FROM_DST"
_SOME: Final = f"{_READ} and count"
_LEGAL: Final = f"{_READ} and kept and head.faults & {int(_FAULTY)} == 0"
_FLOAT: Final = f"{_LEGAL} and to in FLOATS and from_ in {_FLOATS}"
_NEW: Final = "is_pacr and is_new"
_COUNT: Final = "is_pacr and count"
_DATUMS: Final = {
    "flags": Bins("flags_set", _FLAGS),
    "source": Bins("source", ("dst", "zeros", "l1")),
    "new_address": yes("is_new"),
    "first": Bins({"x0_is_0": "live[0] == 0", "x0_below_row": "live[0] * datum_bytes < 16",
                   "x0_wraps": "1"}),
    "datums": among("count", "1-15", 16, other="more"),
    "steps": up_to(_STEPS, "1", "2", "3-15", "16", "17"),
    "size_x": among("datum_bytes", 4, 2, 1),
    "x_stride": Bins({"0": "x_stride == 0", "size": "x_stride == datum_bytes",
                      "16+size": "x_stride == 16 + datum_bytes", "other": "1"}),
    "offset": Bins("dst_offset != 0", ("0", "not_0")),
    "quarter": Bins("datum >> 12", numbers(4, "q")),
    "wide": yes("wide"),
    "wraps": yes("head.faults & FAULT_WRAP != 0"),
    "bank": Bins("bank", ("0", "1")),
    "counter": each(("y", "z", "w")),
    "stride_0": yes("stride[counter] != 0"),
    "stride_1": yes("stride_out[counter] != 0"),
    "lanes": Bins(f"{_LANES} - 1", ("1", "2", "3", "4")),
    "beyond_group": yes("head.faults & FAULT_INTF_GROUP != 0"),
    "long_zero_write": among("count", 17, 32, 1024, other="other"),
}  # fmt: skip


def _datums(profile: Profile) -> tuple[Point, ...]:
    one = profile.packers == 1
    own = (
        Point("pacr.lanes_x_beyond_group", "P50 P53", when=f"{_SOME} and lanes"),
        Point("pacr.long_zero_write", "P55",
              when="is_pacr and flags_set & 4 and word.mask == 0 and count > 16"
                   " and live[0] == 0 and live[4] > 15"),
    ) if one else (Point("pacr.steps", "P13 P14", when=_SOME),)  # fmt: skip
    return (
        Point("pacr.flags_x_source", "P5 P15", when="is_pacr", exclude=(
            Exclude((tuple(some for n, some in enumerate(_FLAGS) if n & 6), ("dst", "l1")),
                    "Flush and ZeroWrite read nothing (P5, P15)"),
            Exclude((tuple(some for n, some in enumerate(_FLAGS) if not n & 6), "zeros"),
                    "only Flush and ZeroWrite give zeros (P15)"),
        )),
        Point("pacr.flags_x_new_address", "P6 P38", when="is_pacr"),
        Point("pacr.datums_x_packer", "P14", "datums_of packer", _READ),
        Point("pacr.first_x_datums", "P12 P14", when=_SOME, exclude=(
            Exclude((None, "more"), "an interface has 16 datums at most (P61)"),
            Exclude(("x0_below_row", "16"), "a row ends behind 16 datums (P61)"),
        ) if one else ()),
        *own,
        Point("address.size_x_x_stride", "P10 P11", "size_x x_stride", _SOME),
        Point("address.offset_x_packer", "P12", when=_SOME),
        Point("address.quarter_x_wide", "P12", when=_SOME),
        Point("address.wraps_x_wide", "P12 P13", when=_SOME),
        Point("address.counter_x_stride", "P10", "counter stride_0",
              f"{_SOME} and {_IN}"),
        Point("address.global_offset_x_bank", "P8 P12", "offset bank", _SOME),
    )  # fmt: skip


_TILES: Final = {
    "float_from": formats("from_", _FLOATS),
    "from": formats("from_", (*_FLOATS, *C.INTEGERS)),
    "float_to": formats("to", _TO_FLOATS),
    "to": formats("to", C.ALL),
    "integer": Bins({"int32": "to == INT32", "int16": "to == INT16",
                     "int8": "to == INT8 and not is_unsigned", "uint8": "to == INT8"}),
    "summed": formats("to", (0, 1, 5, 8)),
    "compressed_format": formats("to", tuple(c for c in C.ALL if c not in (C.BFP2A, C.BFP2))),
    "ends": Bins({"last": "is_pacr and flags_set & 3 == 1",
                  "flush": "is_pacr and flags_set & 2", "setreg": "not is_pacr"}),
    "pacr_ends": Bins({"no": "flags_set & 3 == 0", "last": "flags_set & 2 == 0", "flush": "1"}),
    "header": yes("not no_header"),
    "l1_offset": Bins({"not_added": "not adds_offset", "0": "offset == 0", "added": "1"}),
    "beyond_18_bits": yes(f"{_OUT} * stride_out[counter] >> 18"),
    "low_nibble": Bins("units & 15 != 0", ("0", "not_0")),
    "limit": Bins({"no_fifo": "fifo == 0", "below": f"{_OVER} < 0", "last": f"{_OVER} == 0",
                   "first_beyond": f"{_OVER} == 1", "beyond": "1"}),
    "above": yes("address >> 17 != 0"),
    "exponent_section": Bins("exponent_section != 0", ("0", "not_0")),
    "family": Bins({"bfp": "bfp", "fp8": "to == FP8", "int8": "to == INT8", "other": "1"}),
    "row_section": Bins("row_section != 0", ("0", "not_0")),
    "compressed": yes("compresses"),
    "address_differs": yes("elsewhere"),
    "relative": yes("relative"),
    "is_relative": yes("relative and packer > 0"),
    "packer0_takes_part": yes("packers & 1"),
    "override": yes("compress_override"),
}  # fmt: skip


def _tiles(profile: Profile) -> tuple[Point, ...]:
    own: tuple[Point, ...] = ()
    if profile.pack_relative:
        own = (
            Point("tile.relative_x_packer_x_packer0_takes_part", "P33 P34",
                  "relative later_packer packer0_takes_part", f"{_NEW} and packer > 0"),
            Point("tile.relative_x_exponent_section", "P33 P37", "is_relative exponent_section",
                  f"{_NEW} and bfp"),
        )  # fmt: skip
    if profile.pack_compress_ovrd:
        own += (Point("compressed.override_x_packer_x_compressed", "P42", when="is_pacr"),)
    if profile.pack_ch1_offset18:
        own += (
            Point("tile.counter_x_beyond_18_bits", "P33", "counter beyond_18_bits",
                  f"{_NEW} and {_OUT} and stride_out[counter]"),
        )  # fmt: skip
    return (
        Point("format.float_from_x_to", "P20 P23 P28", "float_from float_to", _LEGAL,
              (Exclude(("fp32", "tf32"), "the late conversion does not have it (P28)"),)),
        Point("format.integer", "P23 P28", when=f"{_LEGAL} and from_ == to"),
        Point("format.e4m3_of", "P57 P64", "float_from", f"{_FLOAT} and to == FP8 and e4m3"),
        Point("format.to_x_packer", "P28", when="is_pacr and kept"),
        Point("format.to_x_ends", "P5 P6 P66", when=_CLOSES),
        Point("tile.packer_x_header_x_offset", "P32 P35", "packer header l1_offset", _NEW),
        Point("tile.counter_x_stride", "P33", "counter stride_1",
              f"{_NEW} and {_OUT}"),
        Point("tile.low_nibble_of_counters", "P33", "low_nibble", _NEW),
        Point("tile.limit_x_packer", "P34", when=_NEW),
        Point("tile.above_17_bits", "P34", "above", _NEW),
        Point("tile.exponent_section_x_format", "P36 P37", "exponent_section family", _NEW),
        Point("tile.row_section_x_compressed", "P33 P43", when=_NEW),
        Point("tile.needs_new_x_address_differs", "P38", "new_address address_differs", "is_pacr"),
        *own,
    )  # fmt: skip


_CLOSING: Final = {
    "pads": Bins(_PADDED, _PADS),
    "fill": Bins(f"{_REST} * bits // 8", _FILLS),
    "size": Bins("to & 3 if to & 3 < 2 else 2", ("32", "16", "8")),
    "exponents": Bins(f"{_EXPONENTS} % 16", _FILLS),
    "row_starts": Bins("row_starts % 8", tuple(map(str, range(0, 16, 2)))),
    "format_byte": Bins("bits == 2", ("bfp4", "bfp2")),
    "byte": Bins(f"(filled[0] // 8 + {_UNITS} * 2 * bits) % 16 // 4", ("0", "4", "8", "12")),
    "go_on": yes("packers != 15"),
    "padded": yes(f"{_REST} != 0"),
    "concat": yes("flags_set >> 3"),
}  # fmt: skip


def _closing(profile: Profile) -> tuple[Point, ...]:
    changes = "but where TO changes in a tile (U17)"
    own = (Point("closing.packers_that_go_on", "P5", "go_on", _CLOSES),)
    return (
        Point("closing.pads", "P30 P36 P39 P44", when=_CLOSES, exclude=tuple(
            Exclude((tuple(_PADS[n] for n in some),), f"{reason}, {changes}", (profile.name,))
            for reason, some in (("a group has an exponent", (2, 3, 10, 11)),
                                 ("a block has whole units", (9, 13, 15)))
        )),
        Point("closing.fill_x_size", "P39", when=f"{_CLOSES} and not bfp", exclude=tuple(
            Exclude((tuple(fill for fill in _FILLS if int(fill) % step), size),
                    "is no number of whole datums")
            for size, step in (("32", 4), ("16", 2))
        )),
        Point("closing.exponents", "P36 P39", when=f"{_CLOSES} and bfp"),
        Point("closing.row_starts", "P44", when=f"{_CLOSES} and compresses"),
        Point("closing.group_line", "P30", "format_byte byte",
              f"{_CLOSES} and bfp and bits < 8", (
            Exclude(("bfp4", ("4", "12")), "a group has 8 bytes"),
        )),
        *(own if profile.packers > 1 else ()),
        Point("accumulate.format_x_pads", "P40", "summed padded",
              f"{_CLOSES} and accumulate and pushed"),
        Point("compressed.concat_x_ends", "P7", "concat pacr_ends", "is_pacr and compresses"),
        Point("compressed.format", "P42", "compressed_format", "compresses and pushed"),
    )  # fmt: skip


_CHANGES: Final = {
    "path": Bins("path", _PATHS),
    "path_before": Bins("before.path", _PATHS),
    "kind": _kinds("to"),
    "kind_before": _kinds("before.to"),
}  # fmt: skip


def _changes(profile: Profile) -> tuple[Point, ...]:
    """Tiles that go on in another format (P68)."""
    own = Point("changed.setreg_without_exponent_address_x_packer", "P68", "packer",
                "not is_pacr and bfp and elements and not has_exponents")  # fmt: skip
    return (
        Point("changed.kind_before_x_kind", "P30 P68", when="left"),
        Point("changed.low_bits_of_a_format_x_kind", "P28 P68", "kind",
              "left and before.target == LATE_LOW_BITS and before.to in BFPA"),
        Point("changed.path_before_x_path", "P68",
              when="is_pacr and not is_new and count and before.path != path",
              exclude=tuple(Exclude((path, path), "it goes on as it was") for path in _PATHS)),
        *((own,) if profile.packers > 1 else ()),
    )  # fmt: skip


_OF_STAGES: Final = {
    "at_begin": Bins("moved", ("0", "not_0")),
    "tile_open": yes("not is_new"),
    "position_wraps": yes("wrapped"),
    "reads": among("reads_per_plane", 1, 2, 4, 8, 16, other="other"),
    "transposed": yes("transposed"),
    "kept_of_16": Bins(f"{_KEPT_OF_16} - 1", tuple(map(str, range(1, 17)))),
    "count_is_16s": yes("count % 16 == 0"),
    "group_straddles": Bins({"no_group": "not bfp", "no": "group_instructions <= 1",
                             "yes": "1"}),
    "mask_is_0": yes("downsample == 0"),
    "enabled_by": Bins({
        "none": "stats == 0",
        **{name: f"stats == {1 << t}" for t, name in enumerate(THREADS)}, "several": "1",
    }),
    "bypassed_source": Bins("source - 1", ("zeros", "l1")),
    "edge_mode": Bins("edge_mode", ("0", "1")),
    "counts": yes("stats != 0"),
}  # fmt: skip
_RESETS: Final = Exclude(("not_0", "no"), "the end of a tile resets it (P26)")
_STAGES: Final = (
    Point("position.wraps_x_reads_x_transposed", "P26 P51 P59",
          "position_wraps reads transposed", f"{_SOME} and flags_set & 3 == 0"),
    Point("downsample.kept_of_16", "P27", when=f"{_COUNT} and mode.downsample"),
    Point("downsample.count_is_16s_x_group_straddles", "P27 P30",
          when=f"{_COUNT} and mode.downsample != 0xFFFF"),
    Point("downsample.mask_is_0", "P27", when=_COUNT),
    Point("histogram.enabled_by", "P27", "enabled_by", _SOME),
    Point("histogram.bypassed_source_x_edge_mode_x_counts", "P15 P16 P27",
          when=f"{_COUNT} and source != FROM_DST"),
    Point("source.from", "P16", when="is_pacr and kept and source == FROM_L1"),
)  # fmt: skip


def share_plan(profile: Profile) -> CoveragePlan:
    """What packers do for an instruction."""
    kept = () if profile.pack_tile_position_kept else (_RESETS,)
    position = Point("position.at_begin_x_tile_open", "P26", when=_SOME, exclude=kept)
    points = (
        position,
        *_datums(profile),
        *_tiles(profile),
        *_closing(profile),
        *_changes(profile),
        *_STAGES,
    )
    some = numbers(profile.packers, "p")
    counts = tuple(n for n in _COUNTS if n <= profile.pack_max_datums)
    own = {
        "datums_of": among("count", *counts, other="other"),
        "packer": Bins("packer", some),
        "later_packer": Bins("packer - 1", some[1:]),
    }
    bins = {**own, **_DATUMS, **_TILES, **_CLOSING, **_CHANGES, **_OF_STAGES}
    return plan("share", bins, *points)
