# SPDX-License-Identifier: Apache-2.0
"""Coverage of where datums go: rows, columns, banks, upsampling, tilizing.

Source: unpack-adc section 7, lines Output, Upsample; crosses 4, 5, 6; U25 to U43.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tilepath.isa.profiles import Profile
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.unpack.coverage.derive import DST, SRCA, SRCB, Bool, Regular
from tilepath.tb.unpack.coverage.geometry import sizes
from tilepath.tb.unpack.coverage.matrix import MAPS
from tilepath.tb.unpack.coverage.points import (
    FILES,
    NO_YES,
    UNPACKERS,
    labels,
    numbers,
    place,
)
from tilepath.tb.unpack.coverage.work import SIZES

_START: Final = ("0-3", "4", "5", "19", "20", "67", "68-", "other")
_SHIFT: Final = (0, 1, 15)
_ROWS: Final = (0, 16, 32, 48)
_DST_ROWS: Final = (0, 7, 8, 15, 16, 511, 512, 1020, 1021, 1022, 1023)
_STRIDE: Final = ("0", "less_than_row", "row", "more")
_PARTS: Final = ("srca_transposed", "dst_16", "dst_32")
_WRITES: Final = ("write", "write1", "write2", "write3")
_DEST: Final = ("single_context", "replaces", "added", "to_dst", "to_dst_added")


def declare(points: PointGroup, profile: Profile) -> None:
    """Declare the points of this topic."""
    points.add("output.file_x_column", FILES, ("0", "other"))
    points.add("output.file_x_bank", FILES, numbers(2))
    points.add("output.file_x_bytes", FILES, ("1", "2", "4"))
    points.add("output.srca_start_row", _START)
    points.add("output.srcb_start_row", ("0", "1-47", "48-63", "64-"))
    points.add("output.transpose_x_shift_x_start_row", NO_YES, labels(_SHIFT), _START)
    row = tuple(map(str, _ROWS))
    points.add("output.srca_ovrd_x_row_x_flip_x_upd_x_base", NO_YES, row, NO_YES, NO_YES,
               numbers(4))  # fmt: skip
    points.add("output.srcb_row_x_flip_x_upd_x_base", row, NO_YES, NO_YES, numbers(4))
    points.add("output.dest_register", _DEST)
    points.add("output.stride_x_unpacker", ("y", "z", "w"), UNPACKERS)
    points.add("output.dst_row_x_bits", labels(_DST_ROWS), ("16", "32"))
    points.add("output.dst_ovrd", NO_YES)
    points.add("output.dst_map_x_bits", MAPS, ("16", "32"))
    points.add("output.parts", _PARTS, ("one", "two"))
    rate = numbers(4)
    points.add("upsample.rate_x_interleave_x_rows", rate, NO_YES, ("one_row", "crosses_rows"))
    points.add("upsample.rate_x_compressed_x_file", rate, NO_YES, FILES)
    names = sizes(profile)
    points.add(
        "tilize.size_x_stride_x_unpacker", names[2:], _STRIDE, UNPACKERS,
        exclude=(Exclude((names[2], "less_than_row", None), "16 bytes is a row"),),
    )  # fmt: skip
    points.add("tilize.file_x_count", FILES, ("one_row", "more_rows"))


def count(points: Tally, r: Regular) -> None:
    """Count the Regular instructions of a block."""
    some = r.compressed | (r.count > 0)
    points.hit("output.file_x_column", r.dest, r.out_address & 15 != 0, where=some)
    points.hit("output.file_x_bank", r.dest, r.i["bank"], where=some)
    unit = np.where(r.wide, 2, np.isin(r.out, (1, 5, 9)))
    points.hit("output.file_x_bytes", r.dest, unit, where=some)
    row = r.out_address >> 4
    start = np.select(
        [row < 4, row == 4, row == 5, row == 19, row == 20, row == 67, row > 67], range(7), 7
    )
    srca, srcb = some & (r.dest == SRCA), some & (r.dest == SRCB)
    points.hit("output.srca_start_row", start, where=srca)
    band = np.select([row == 0, row < 48, row < 64], range(3), 3)
    points.hit("output.srcb_start_row", band, where=srcb)
    shift = place(r.colshift, _SHIFT)
    points.hit("output.transpose_x_shift_x_start_row", r.transpose, shift, start, where=srca)
    at = place(r.i["row"], _ROWS)
    known = at < len(_ROWS)
    points.hit(
        "output.srca_ovrd_x_row_x_flip_x_upd_x_base",
        r.ovrd, at, r.flip, r.set_upd, r.src_base, where=(r.dest == SRCA) & known,
    )  # fmt: skip
    points.hit(
        "output.srcb_row_x_flip_x_upd_x_base",
        at, r.flip, r.set_upd, r.src_base, where=(r.dest == SRCB) & known,
    )  # fmt: skip
    register = r.i.bits("exponent", 8) == 1
    kind = np.where(r.uses_dest, 1 + register * 1 + np.where(r.to_dst, 2, 0), 0)
    points.hit("output.dest_register", kind, where=some & (r.u == 0))
    for number, (name, word, low) in enumerate(
        (("y1", "xy", 16), ("z1", "zw", 0), ("w1", "zw", 16))
    ):
        used = (r.i.own[name] & 0xFFFF != 0) & (r.i[word] >> low & 0xFFFF != 0)
        points.hit("output.stride_x_unpacker", number, r.u, where=some & used)
    points.hit("output.dst_ovrd", r.ovrd, where=some & (r.dest == DST))
    points.hit("output.dst_map_x_bits", r.i.bits("dst_map", 0, 2), r.wide,
               where=some & (r.dest == DST))  # fmt: skip
    slots = r.count * (1 + r.zeros)
    crosses = (r.out_address & 15) + slots > 16
    plain = ~r.compressed & (r.count > 0)
    points.hit("upsample.rate_x_interleave_x_rows", r.rate, r.interleave, crosses, where=plain)
    points.hit("upsample.rate_x_compressed_x_file", r.rate, r.compressed, r.dest, where=some)
    _count_tilize(points, r, some)


def _count_tilize(points: Tally, r: Regular, some: Bool) -> None:
    tilize = r.tilize & some
    size = np.searchsorted(SIZES, r.quarters)
    bytes_of_row = r.quarters // 4 * r.row_w
    stride = np.select(
        [r.stride == 0, r.stride < bytes_of_row, r.stride == bytes_of_row], range(3), 3
    )
    points.hit("tilize.size_x_stride_x_unpacker", size - 2, stride, r.u, where=tilize)
    points.hit("tilize.file_x_count", r.dest, r.count > r.row_w, where=tilize)


def count_rows(points: Tally, streams: Mapping[str, Records]) -> None:
    """Count what unpacker 0 writes: rows of Dst, steps in two parts."""
    steps = np.concatenate([_ends(streams[f"u0.{name}"], k) for k, name in enumerate(_WRITES)])
    for end in ("first", "last"):
        dst = steps[steps["dst"] == 1]
        points.hit("output.dst_row_x_bits", place(dst[end] & 1023, _DST_ROWS), dst["wide"])
    cycles, some, which = np.unique(steps["cycle"], return_index=True, return_inverse=True)
    of_cycle = steps[some]
    first, last = np.full(len(cycles), 1 << 20), np.full(len(cycles), -1)
    np.minimum.at(first, which, steps["first"])
    np.maximum.at(last, which, steps["last"])
    block = np.where(of_cycle["dst"] == 1, 3, 4)
    kind = np.where(of_cycle["dst"] == 1, 1 + of_cycle["wide"], 0)
    parted = (of_cycle["dst"] == 1) | (of_cycle["transpose"] == 1)
    points.hit("output.parts", kind, first >> block != last >> block, where=parted)


def _ends(records: Records, group: int) -> Records:
    """The rows of the first and the last slot that is written, not wrapped."""
    kinds = [("cycle", "i8"), ("dst", "i8"), ("wide", "i8"), ("transpose", "i8")]
    found = np.zeros(len(records), [*kinds, ("first", "i8"), ("last", "i8")])
    for name, _ in kinds:
        found[name] = records[name]
    if len(records):
        mask = records["mask"][:, None] >> np.arange(32, dtype=np.uint32) & 1
        address = records["address"].astype(np.int64) + 32 * group
        found["first"] = address + np.argmax(mask, 1) >> 4
        found["last"] = address + 31 - np.argmax(mask[:, ::-1], 1) >> 4
    return found
