# SPDX-License-Identifier: Apache-2.0
"""Coverage of what is read: formats, dimensions, alignment, exponents, wrapping, compression.

Source: unpack-adc section 7, lines Format triple, Geometry, Wrap, Exponent section, Compressed;
crosses 2, 7, 9; U11 to U26. What depends on L1 is counted by ``reads``.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.isa.profiles import Profile
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.unpack.coverage.datums import LEGAL, legal
from tilepath.tb.unpack.coverage.derive import BFP_CODES, Bool, Regular
from tilepath.tb.unpack.coverage.points import FILES, NO_YES, UNPACKERS, labels, place
from tilepath.tb.unpack.coverage.work import ROW_KINDS, SIZES

_X_DIM: Final = (1, 15, 16, 17, 256, 1024)
_Y_DIM: Final = (1, 2, 16, 255)
_ZW_DIM: Final = (0, 1, 255)
_COUNT: Final = (0, 1, 15, 16, 17, 31, 32, 33, 256, 1024)
_FIRST: Final = (0, 1, 15, 16, 17, 31)
_SIZE_NAMES: Final = ("quarter_byte", "half_byte", "1_byte", "2_bytes", "4_bytes")
_CROSSES: Final = ("no_boundary", "16", "32")
_BFP_NAMES: Final = ("bfp8a", "bfp4a", "bfp8", "bfp4", "bfp2a", "bfp2")
_KINDS: Final = ("datum", "exponent", "delta")
_LIMIT: Final = ("below", "at", "in_next_line", "beyond")


def sizes(profile: Profile) -> tuple[str, ...]:
    """Sizes of a datum, with the row width that goes with them (U25)."""
    return tuple(
        f"{name}.row{profile.row_w if quarters >= 8 else 16}"
        for name, quarters in zip(_SIZE_NAMES, SIZES, strict=True)
    )


def declare(points: PointGroup, profile: Profile) -> list[int]:
    """Declare the points; places of the seven that ``reads`` counts, in its order."""
    points.add("format.pair_x_file", LEGAL, FILES, exclude=tuple(
        Exclude((name, file), "only to Dst (U47, U54, U56)")
        for name in LEGAL[-3:] for file in FILES[:2]
    ))  # fmt: skip
    points.add("format.override_x_unpacker", NO_YES, UNPACKERS)
    points.add("geometry.x_dim_x_unpacker", labels(_X_DIM), UNPACKERS)
    points.add("geometry.y_dim", labels(_Y_DIM))
    points.add("geometry.z_dim", labels(_ZW_DIM))
    points.add("geometry.w_dim", labels(_ZW_DIM))
    points.add("geometry.count_x_unpacker", labels(_COUNT), UNPACKERS)
    points.add(
        "geometry.size_x_first_mod_32_x_crosses", _SIZE_NAMES, labels(_FIRST), _CROSSES,
        exclude=tuple(
            Exclude((None, first, "16"), "the next multiple of 16 is one of 32")
            for first in ("16", "17", "31")
        ),
    )  # fmt: skip
    points.add("geometry.first_bit", ("bfp4.0", "bfp4.4", *(f"bfp2.{b}" for b in (0, 2, 4, 6))))
    points.add("geometry.digest_x_unpacker", labels((0, 1, 255)), UNPACKERS)
    points.add("geometry.offset_x_unpacker", labels((0, 0xFFFF)), UNPACKERS)
    points.add("geometry.row_search_x_blobs_x_compressed", NO_YES, NO_YES, NO_YES)
    points.add("geometry.counter_not_0", ("x0", "y0", "z0", "w0"), UNPACKERS)
    points.add("wrap.pointer_x_limit_x_fifo", _KINDS[:2], _LIMIT, ("small_fifo", "large_fifo"))
    points.add("wrap.no_fifo_beyond_limit", _KINDS[:2])
    points.add("exponents.elements_mod_16", labels((0, 1, 15)))
    points.add("exponents.bytes_mod_16", labels((0, 1, 15)))
    points.add(
        "exponents.format_x_from", _BFP_NAMES, ("section", "no_section", "forced"),
        exclude=tuple(
            Exclude((name, "no_section"), "NoBFPExpSection is for smaller datums (U13)")
            for name in ("bfp8a", "bfp8")
        ),
    )  # fmt: skip
    names = sizes(profile)
    wrap = points.add(
        "wrap.kind_x_when_x_size", _KINDS, ("never", "initial", "mid"), names,
        exclude=(
            *(Exclude(("exponent", None, name), "has no exponents") for name in names[3:]),
            Exclude(("delta", None, names[0]), "BFP2 is never compressed (U21)"),
        ),
    )  # fmt: skip
    nibble = points.add("compressed.all_zero_x_nibble", NO_YES, ("0", "1", "15", "other"))
    crossed = points.add("compressed.groups_crossed", ("none", "1", "more"))
    start = points.add("compressed.first_mod_32", labels((0, 1, 15, 31)))
    rows = points.add("compressed.count", labels((0, 1, 15, 16, 17, 31, 32, 33)))
    partial = points.add(
        "compressed.part_of_row_drops_x_stops", ("nothing", "into_a_run", "to_end_of_run"),
        ("end_of_run", "in_a_run"),
    )  # fmt: skip
    empty = points.add(
        "compressed.empty_row", ROW_KINDS, ("equal", "negative"),
        exclude=(Exclude(("part_of_row", None), "reads no second entry (U19)"),),
    )  # fmt: skip
    points.add("compressed.or_not_x_bfp_x_row_x_all_zero", ("compressed", "uncompressed"),
               NO_YES, ROW_KINDS, NO_YES)  # fmt: skip
    points.add("compressed.size_x_file", _SIZE_NAMES[1:], FILES)
    points.add("compressed.plane_of", ("y_dim", "blobs"))
    return [wrap, nibble, crossed, start, rows, partial, empty]


def count(points: Tally, r: Regular) -> None:
    """Count the Regular instructions of a block."""
    pair = legal(r)
    points.hit("format.pair_x_file", pair, r.dest, where=pair >= 0)
    points.hit("format.override_x_unpacker", r.by_context, r.u)
    points.hit("geometry.x_dim_x_unpacker", place(r.xdim, _X_DIM), r.u)
    points.hit("geometry.y_dim", place(r.ydim, _Y_DIM))
    points.hit("geometry.z_dim", place(r.zdim_field, _ZW_DIM))
    points.hit("geometry.w_dim", place(r.wdim_field, _ZW_DIM))
    points.hit("geometry.digest_x_unpacker", place(r.digest, (0, 1, 255)), r.u)
    points.hit("geometry.offset_x_unpacker", place(r.offset, (0, 0xFFFF)), r.u)
    points.hit("geometry.row_search_x_blobs_x_compressed", r.search, r.blobs != 0, r.compressed)
    for number, column in enumerate((r.x, r.y_full, r.i.own["z0"] & 0xFF, r.i.own["w0"] & 0xFF)):
        points.hit("geometry.counter_not_0", number, r.u, where=column != 0)
    size = np.searchsorted(SIZES, r.quarters)
    plain = ~r.compressed
    points.hit("geometry.count_x_unpacker", place(r.count, _COUNT), r.u, where=plain)
    some = plain & (r.count > 0)
    last = r.first + np.maximum(r.count, 1) - 1
    crosses = np.where(r.first >> 5 != last >> 5, 2, np.where(r.first >> 4 != last >> 4, 1, 0))
    points.hit(
        "geometry.size_x_first_mod_32_x_crosses",
        size, place(r.first & 31, _FIRST), crosses, where=some,
    )  # fmt: skip
    bit = np.where(r.quarters == 2, r.first & 1, 2 + (r.first & 3))
    points.hit("geometry.first_bit", bit, where=some & (r.quarters < 4))
    _count_wraps(points, r, some)
    kinds = np.where(r.force == 1, 2, np.where(r.section, 0, 1))
    points.hit("exponents.format_x_from", place(r.code, BFP_CODES), kinds, where=r.bfp)
    points.hit("exponents.elements_mod_16", place(r.elements & 15, (0, 1, 15)), where=r.section)
    points.hit("exponents.bytes_mod_16", place(r.n_exponents & 15, (0, 1, 15)), where=r.section)
    row = np.where(r.search == 1, 0, np.where(r.whole, 1, 2))
    points.hit("compressed.or_not_x_bfp_x_row_x_all_zero", plain, r.bfp, row, r.all_zero)
    points.hit("compressed.size_x_file", size - 1, r.dest, where=r.compressed)
    points.hit("compressed.plane_of", r.blobs != 0, where=r.compressed)


def _count_wraps(points: Tally, r: Regular, some: Bool) -> None:
    fifo = (r.fifo > 64 * 256).astype(np.int64)
    for number, (pointer, has) in enumerate(
        ((r.datum_raw, some), (r.exponent_raw, some & r.read_exponents))
    ):
        over = pointer - r.limit
        where = np.select([over < 0, over == 0, over <= 256], range(3), 3)
        points.hit("wrap.pointer_x_limit_x_fifo", number, where, fifo, where=has & (r.fifo > 0))
        points.hit("wrap.no_fifo_beyond_limit", number, where=has & (r.fifo == 0) & (over > 0))
