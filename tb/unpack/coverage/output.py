# SPDX-License-Identifier: Apache-2.0
"""Points of where datums go: rows, columns, banks, upsampling, tilizing, rates; cases by name.

Source: unpack-adc section 7, lines Output, Upsample, Timing; crosses 4, 5, 6; directed musts: those
that are bins of other points are not repeated here.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, CoveragePlan, Point, among, each, numbers, yes
from tilepath.isa.boundary.unpack import WRITES
from tilepath.isa.profiles import Profile
from tilepath.tb.unpack.coverage.labels import MODES, excluded_modes, plan, sized, sizes

MAPS: Final = ("none", "swizzle", "remap", "both")
_ROW: Final = "(out_addr >> 4)"
_ROWS: Final = {str(row): f"src_row == {row}" for row in (0, 16, 32, 48)}
_SOME: Final = "(compressed or count > 0)"
_CASES: Final = {
    "adc_is_thread_with_increment":
        "multi and word.context_adc == thread and word.addr_mode",
    "context_counter_with_offset": "multi and word.use_ctx_counter and context_offset",
    "setc16_5_4": f"file == SRCA and ovrd and set_base == 0 and {_SOME}",
    "setc16_5_0": f"file == SRCA and not ovrd and set_base == 0 and {_SOME}",
    "below_64_to_dst": f"file == DST and out_addr < 64 and {_SOME}",
    "empty_with_flip": "not compressed and count == 0 and flips",
    "dst_32_bits_adjacent_rows": "file == DST and wide and count > 16",
    "v4_row_runs_through_limit":
        "not compressed and fifo and count > row_w and quarters == 8"
        " and pointer[0] <= 16 * limit < pointer[0] + 32 * row_w - 256",
    "v5_tilize_32_by_32": "tilize and count == 1024 and quarters == 8",
}  # fmt: skip

# Y, Z, W of channel 1 move the output address
_MOVES: Final = (
    "(counters[5] and y_stride if moved == 0 else counters[6] and z_stride if moved == 1"
    " else counters[7] and w_stride)"
)
_BURST: Final = "burst_rows and not compressed and count > 16"
_CASE: Final = "".join(f"({when}) if case == {k} else " for k, when in enumerate(_CASES.values()))


_PLACES: Final = plan(
    "regular",
    {
        "column": Bins("out_addr & 15 != 0", ("0", "other")),
        "bytes": Bins(
            {"1": "not wide and out_format not in HALVES", "2": "not wide", "4": "1"}
        ),
        "start_row": Bins(
            {"0-3": f"{_ROW} < 4",
             **{str(row): f"{_ROW} == {row}" for row in (4, 5, 19, 20, 67)},
             "68-": f"{_ROW} > 67", "other": "1"}
        ),
        "srcb_start_row": among(_ROW, 0, "1-47", "48-63", other="64-"),
        "transpose": yes("transposes"),
        "shift": among("col_shift", 0, 1, 15, other="other"),
        "ovrd": yes("ovrd"),
        "row": Bins(_ROWS),
        "upd": yes("set_upd"),
        "base": Bins("set_base", numbers(4)),
        "dest_register": Bins(
            {"single_context": "not multi",
             "replaces": "file != DST and not add_dest", "added": "file != DST",
             "to_dst": "not add_dest", "to_dst_added": "1"}
        ),
        "moved": each(("y", "z", "w")),
        "dst_map": Bins("seen.swizzle | seen.remap << 1", MAPS),
    },
    Point("output.file_x_column", "U28 U30", when=_SOME),
    Point("output.file_x_bank", "U44", when=_SOME),
    Point("output.file_x_bytes", "U28", when=_SOME),
    Point("output.srca_start_row", "U30 U31 U34", "start_row",
          when=f"file == SRCA and {_SOME}"),
    Point("output.srcb_start_row", "U32", when=f"file == SRCB and {_SOME}"),
    Point("output.transpose_x_shift_x_start_row", "U30 U39", when=f"file == SRCA and {_SOME}"),
    Point("output.srca_ovrd_x_row_x_flip_x_upd_x_base", "U4 U31 U43",
          "ovrd row flip upd base", when="file == SRCA"),
    Point("output.srcb_row_x_flip_x_upd_x_base", "U32 U43", "row flip upd base",
          when="file == SRCB"),
    Point("output.dest_register", "U29", when=f"unpacker == 0 and {_SOME}"),
    Point("output.stride_x_unpacker", "U28", "moved unpacker",
          when=f"{_MOVES} and {_SOME}"),
    Point("output.dst_ovrd", "U34 U35", "ovrd", when=f"file == DST and {_SOME}"),
    Point("output.dst_map_x_bits", "P52", when=f"file == DST and {_SOME}"),
)  # fmt: skip
_SINGLE: Final = plan(
    "regular",
    {"behind": yes("behind_dst"), "case": each(tuple(_CASES))},
    Point("output.srca_behind_dst_x_flip", "U68", "behind flip", when="file == SRCA"),
    Point("directed.case", "U4 U7 U24 U27 U35 U36 U42", when=f"{_CASE}0"),
)  # fmt: skip


def _shapes(profile: Profile) -> CoveragePlan:
    """Upsampling, tilizing, rates and bursts."""
    names = sizes(profile)
    by_throttle = Point(
        "output.burst_by_x_size", "U33", "by size", when=f"{_BURST} and not tilize and quarters > 1"
    )
    return plan(
        "regular",
        {
            "rate": Bins("upsample_rate", numbers(4)),
            "interleave": yes("target.interleave"),
            "rows": Bins("(out_addr & 15) + count * (1 + zeros) > 16", ("one_row", "crosses_rows")),
            "size": sized(names[2:]),
            "tilize_stride": Bins(
                {"0": "stride == 0", "less_than_row": "stride < 4 * (quarters // 4 * row_w)",
                 "row": "stride == 4 * (quarters // 4 * row_w)", "more": "1"}
            ),
            "tilize_count": Bins("count > row_w", ("one_row", "more_rows")),
            "throttle": Bins("throttle", numbers(4)),
            "rule": Bins(
                "1 if tilize else 2 if compressed else 3 if zeros >= 3 else 4 if quarters == 1"
                " else 5 if zeros else 6 if quarters == 2 and file == DST else 0",
                ("none", "tilize", "compressed", "zeros>=3", "bfp2", "zeros1_2", "bfp4_to_dst"),
            ),
            "burst": among("burst_rows", 1, 2, 4, other="8"),
            "begin": Bins("((out_addr >> 4) + 4) % burst_rows != 0", ("aligned", "off")),
            "by": Bins("1 + throttle if ovrd_throttle else 0", ("default", *numbers(4))),
        },
        Point("upsample.rate_x_interleave_x_rows", "U40 U41", when="not compressed and count"),
        Point("upsample.rate_x_compressed_x_file", "U22 U40", "rate is_compressed file",
              when=_SOME),
        Point("tilize.size_x_stride_x_unpacker", "U26 U27", "size tilize_stride unpacker",
              when=f"tilize and {_SOME}",
              exclude=(Exclude((names[2], "less_than_row", None), "16 bytes is a row"),)),
        Point("tilize.file_x_count", "U27", "file tilize_count", when=f"tilize and {_SOME}"),
        Point("timing.throttle_x_rule", "U63 U64", when=_SOME),
        Point("output.burst_rows_x_begin", "U33", "burst begin", when=_BURST,
              exclude=(Exclude(("1", "off"), "every row begins one"),)),
        *((by_throttle,) if profile.burst_default_throttle else ()),
    )  # fmt: skip


def _steps(profile: Profile) -> CoveragePlan:
    """What a step writes, and what it waits for."""
    next_is = ("nothing", "unpacr", *MODES)
    return plan(
        "step",
        {
            "group": each(WRITES),
            "end": each(("first", "last")),
            "dst_row": among(
                "((last_row[group] if end else first_row[group]) & 1023)",
                0, 7, 8, 15, 16, 511, 512, 1020, 1021, 1022, 1023,
                other="other",
            ),
            "target": Bins(
                "1 + wide if file == DST else 0", ("srca_transposed", "dst_16", "dst_32")
            ),
            "parts_are": Bins(
                "rows[0] >> (3 if file == DST else 4) != rows[1] >> (3 if file == DST else 4)",
                ("one", "two"),
            ),
            "stall": among("stalled", 0, 1, other="more"),
            "flip": yes("flips"),
            "next": Bins("follows - 1 if follows > 0 else follows + 1", next_is),
        },
        Point("output.dst_row_x_bits", "U35 U36", when="file == DST and groups >> group & 1"),
        Point("output.parts", "U36 U39", "target parts_are", when="file == DST or transposes"),
        Point("timing.stall_x_file", "U37 U42", when="begins"),
        Point("timing.stall_x_flip_x_next", "U42 U59", when="begins",
              exclude=excluded_modes(profile, 3, 2)),
    )  # fmt: skip


def plans(profile: Profile) -> tuple[CoveragePlan, ...]:
    """With sizes and row widths of the profile."""
    return (_PLACES, _shapes(profile), _SINGLE, _steps(profile))
