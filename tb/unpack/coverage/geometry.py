# SPDX-License-Identifier: Apache-2.0
"""Points of what is read: formats, dimensions, alignment, exponents, wrapping; compressed rows.

Source: unpack-adc section 7, lines Format triple, Geometry, Wrap, Exponent section, Compressed,
Timing; crosses 2, 7, 9, 11 and 12.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, CoveragePlan, Point, among, each, yes
from tilepath.isa.profiles import Profile
from tilepath.tb.unpack.coverage.labels import (
    BFPS,
    FILES,
    LEGAL,
    ROW_KINDS,
    SIZES,
    plan,
    sized,
    sizes,
)

_SOME: Final = "not compressed and count > 0"
_SECTION: Final = "reads_exponents and (quarters == 4 or not tile_no_exponents)"
_ELEMENTS: Final = "x_dim * tile_y * (tile_z if tile_z else 1) * (tile_w if tile_w else 1)"

PLAN: Final = plan(
    "regular",
    {
        "pair": Bins(LEGAL),
        "override": yes("multi and ovrd_format"),
        "x_dim_is": among("x_dim", 1, 15, 16, 17, 256, 1024, other="other"),
        "y_dim_is": among("tile_y", 1, 2, 16, 255, other="other"),
        "z_dim_is": among("tile_z", 0, 1, 255, other="other"),
        "w_dim_is": among("tile_w", 0, 1, 255, other="other"),
        "count_is": among("count", 0, 1, 15, 16, 17, 31, 32, 33, 256, 1024, other="other"),
        "size": sized(tuple(SIZES)),
        "packed_size": sized(tuple(SIZES)[1:]),
        "first_mod_32": among("first & 31", 0, 1, 15, 16, 17, 31, other="other"),
        "crosses": Bins(
            {"no_boundary": "first >> 4 == first + count - 1 >> 4",
             "16": "first >> 5 == first + count - 1 >> 5", "32": "1"}
        ),
        "first_bit": Bins(
            "first & 1 if quarters == 2 else 2 + (first & 3)",
            ("bfp4.0", "bfp4.4", *(f"bfp2.{b}" for b in (0, 2, 4, 6))),
        ),
        "digest_is": among("tile_digest", 0, 1, 255, other="other"),
        "offset_is": among("tile_offset[ctx & 3]", 0, 0xFFFF, other="other"),
        "has_blobs": yes("tile_blobs != 0"),
        "counter": each(("x0", "y0", "z0", "w0")),
        "pointer_of": each(("datum", "exponent")),
        "limit_is": Bins(
            {"below": "pointer[pointer_of] < 16 * limit", "at": "pointer[pointer_of] == 16 * limit",
             "in_next_line": "pointer[pointer_of] <= 16 * limit + 256", "beyond": "1"}
        ),
        "fifo_is": Bins("fifo > 1024", ("small_fifo", "large_fifo")),
        "elements": among(f"({_ELEMENTS} & 15)", 0, 1, 15, other="other"),
        "bytes": among(f"(({_ELEMENTS} + 15) // 16 & 15)", 0, 1, 15, other="other"),
        "format": Bins({name: f"in_format == {name.upper()}" for name in BFPS}),
        "exponents_from": Bins(
            {"section": f"not force_exp and {_SECTION}", "no_section": "not force_exp",
             "forced": "1"}
        ),
        "or_not": Bins("not compressed", ("compressed", "uncompressed")),
        "bfp": yes("in_format in SHARED"),
        "row": Bins(
            "0 if word.row_search else 1 if counters[0] == 0 and counters[4] == x_dim - 1 else 2",
            ROW_KINDS,
        ),
        "plane_of": Bins("tile_blobs != 0", ("y_dim", "blobs")),
    },
    Point("format.pair_x_file", "U45 U46 U47 U53 U54 U55 U56", exclude=(
        Exclude((tuple(LEGAL)[-3:], FILES[:2]), "only to Dst (U47, U54, U56)"),
    )),
    Point("format.override_x_unpacker", "U9"),
    Point("geometry.x_dim_x_unpacker", "U11", "x_dim_is unpacker"),
    Point("geometry.y_dim", "U11", "y_dim_is"),
    Point("geometry.z_dim", "U11", "z_dim_is"),
    Point("geometry.w_dim", "U11", "w_dim_is"),
    Point("geometry.count_x_unpacker", "U15 U16", "count_is unpacker", when="not compressed"),
    Point("geometry.size_x_first_mod_32_x_crosses", "U11 U25", when=_SOME, exclude=(
        Exclude((None, ("16", "17", "31"), "16"), "the next multiple of 16 is one of 32"),
    )),
    Point("geometry.first_bit", "U11 U51", when=f"{_SOME} and quarters < 4"),
    Point("geometry.digest_x_unpacker", "U12", "digest_is unpacker"),
    Point("geometry.offset_x_unpacker", "U12", "offset_is unpacker"),
    Point("geometry.row_search_x_blobs_x_compressed", "U10 U16 U17 U19",
          "row_search has_blobs is_compressed"),
    Point("geometry.counter_not_0", "U15", "counter unpacker",
          when="counters[counter] & (255 if counter > 1 else -1)"),
    Point("wrap.pointer_x_limit_x_fifo", "U24", "pointer_of limit_is fifo_is",
          when=f"fifo and {_SOME} and (reads_exponents or pointer_of == 0)"),
    Point("wrap.no_fifo_beyond_limit", "U24", "pointer_of",
          when=f"not fifo and {_SOME} and (reads_exponents or pointer_of == 0)"
               " and pointer[pointer_of] > 16 * limit"),
    Point("exponents.elements_mod_16", "U13", "elements", when=_SECTION),
    Point("exponents.bytes_mod_16", "U13", "bytes", when=_SECTION),
    Point("exponents.format_x_from", "U13 U14", "format exponents_from", exclude=(
        Exclude((("bfp8a", "bfp8"), "no_section"), "NoBFPExpSection is for smaller datums (U13)"),
    )),
    Point("compressed.or_not_x_bfp_x_row_x_all_zero", "U19 U23"),
    Point("compressed.size_x_file", "U20", "packed_size file", when="compressed"),
    Point("compressed.plane_of", "U18", when="compressed"),
)  # fmt: skip

_COUNT: Final = "(end - first if end > first else 0)"
_BESIDE: Final = "unpacker and want and beside.want and beside.cycle == cycle"
_WANTS: Final = tuple(f"{a}x{b}" for a in (1, 2, 4) for b in (1, 2, 4))

_STARTS: Final = plan(
    "starts",
    {
        "first_mod_32": among("first & 31", 0, 1, 15, 31, other="other"),
        "count": among(_COUNT, 0, 1, 15, 16, 17, 31, 32, 33, other="other"),
        "row": Bins("0 if searches else 1 if end >= 0 else 2", ROW_KINDS),
        "why": Bins({"equal": "end == first", "negative": "end < first"}),
    },
    Point("compressed.first_mod_32", "U20"),
    Point("compressed.count", "U19", when="end >= 0"),
    Point("compressed.empty_row", "U19", "row why", when="end >= 0",
          exclude=(Exclude(("part_of_row", None), "reads no second entry (U19)"),)),
)  # fmt: skip
_REQUEST: Final = plan(
    "request",
    {
        "l1_latency": Bins(
            {"1": "latency < 2", "2-4": "latency < 5", "5-15": "latency < 16", "16-31": "1"}
        ),
        "rsi": Bins("rsi_lines - 1", ("1", "2")),
        "request": Bins("lines > 0", ("alone", "with_datums")),
        # 1, 2 and 4 are places 0 to 2
        "both": Bins("3 * (beside.want // 2) + want // 2", _WANTS),
        "ended": Bins("beside.ends + 2 * ends - 1", ("u0_ends", "u1_ends", "both_end")),
    },
    Point("timing.l1_latency_x_unpacker", "U66"),
    Point("timing.rsi_lines_x_request_x_unpacker", "U18 U19", "rsi request unpacker"),
    Point("timing.both_fetch_wants", "U63", "both", when=_BESIDE),
    Point("timing.both_fetch_wants_x_ends", "U63", "both ended", when=_BESIDE),
)


def packed_plans(profile: Profile) -> tuple[CoveragePlan, ...]:
    """With sizes and row widths of the profile."""
    names = sizes(profile)
    fetched = plan(
        "fetched",
        {
            "kind": each(("datum", "exponent", "delta")),
            "when": each(("never", "initial", "mid")),
            "size": sized(names),
            "groups_crossed": Bins({"none": "groups == 0", "1": "groups == 1", "more": "1"}),
            "drops": Bins("dropped", ("nothing", "into_a_run", "to_end_of_run")),
            "stops": Bins("cut", ("end_of_run", "in_a_run")),
        },
        Point("wrap.kind_x_when_x_size", "U24 U25",
              when="fifo and (kind != 1 or reads_exponents) and (kind != 2 or compressed)"
                   " and (wrapped[kind] >> when - 1 & 1 if when else wrapped[kind] == 0)",
              exclude=(
                  Exclude(("exponent", None, names[3:]), "has no exponents"),
                  Exclude(("delta", None, names[0]), "BFP2 is never compressed (U21)"),
              )),
        Point("compressed.groups_crossed", "U20", when="compressed"),
        Point("compressed.part_of_row_drops_x_stops", "U19 U22", "drops stops",
              when="bounded and source.items > 0"),
    )  # fmt: skip
    return (_STARTS, _REQUEST, fetched)
