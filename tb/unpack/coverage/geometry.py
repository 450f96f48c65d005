# SPDX-License-Identifier: Apache-2.0
"""Points of what is read: formats, dimensions, alignment, exponents, wrapping.

Source: unpack-adc section 7, lines Format triple, Geometry, Wrap, Exponent section; crosses 2, 7
and 9.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, Point, among, each, yes
from tilepath.tb.unpack.coverage.labels import FILES, LEGAL, ROW_KINDS, SIZES, plan, sized

_BFP_NAMES: Final = ("bfp8a", "bfp4a", "bfp8", "bfp4", "bfp2a", "bfp2")
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
        "format": Bins({name: f"in_format == {name.upper()}" for name in _BFP_NAMES}),
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
