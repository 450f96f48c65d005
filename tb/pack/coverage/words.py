# SPDX-License-Identifier: Apache-2.0
"""Coverage of instruction words, counters, input addresses and banks of the configuration.

Source: pack section 7, C1, C2, C11 to C14, C18, C19; P2 to P18, P46, P50 to P55.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.isa.constants import CFG_GLOBAL_BASE
from tilepath.isa.profiles import Profile
from tilepath.models.pack import fields as F
from tilepath.models.pack.faults import Flag
from tilepath.models.pack.state import Source
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.pack.coverage.points import I64, NO_YES, THREADS, labels, names, place, ranges
from tilepath.tb.pack.coverage.table import Instructions, Parts, bits

_X, _Y, _Z, _W = range(4)
_FLAGS: Final = tuple(
    "+".join(name for k, name in enumerate(("last", "flush", "zero_write", "concat")) if n >> k & 1)
    or "none"
    for n in range(16)
)
_SOURCES: Final = ("dst", "zeros", "l1")
_COUNTS: Final = (0, 1, 7, 8, 15, 16, 17, 31, 32, 255, 256)
_INCREMENTS: Final = (0, 1, 15)
_UPDATES: Final = ("nothing", "incr", "cr", "cr+incr", "clear", "clear+incr", "clear+cr",
                   "clear+cr+incr")  # fmt: skip
_WRAPS: Final = ("y0", "z0", "y1", "z1")


def packers(profile: Profile) -> tuple[str, ...]:
    """Names of the packers."""
    return names("p", profile.packers)


def counts(profile: Profile) -> tuple[int, ...]:
    """Numbers of datums that have bins."""
    return tuple(n for n in _COUNTS if n <= profile.pack_max_datums)


def declare(points: PointGroup, profile: Profile) -> None:
    """Declare the points of this topic."""
    some = packers(profile)
    points.add("pacr.mask_x_thread", tuple(f"{n:x}" for n in range(16)), THREADS)
    points.add("pacr.thread_x_override_x_context", THREADS, NO_YES, tuple("0123"))
    points.add("pacr.override_x_packers_x_counters_move", NO_YES, ("1", "more"), NO_YES)
    points.add("pacr.flags_x_source", _FLAGS, _SOURCES, exclude=tuple(
        Exclude((flags, source), "Flush and ZeroWrite read nothing (P5, P15)")
        for flags in _FLAGS if "flush" in flags or "zero" in flags for source in ("dst", "l1")
    ) + tuple(
        Exclude((flags, "zeros"), "only Flush and ZeroWrite give zeros (P15)")
        for flags in _FLAGS if not ("flush" in flags or "zero" in flags)
    ))  # fmt: skip
    points.add("pacr.flags_x_new_address", _FLAGS, NO_YES)
    points.add("pacr.datums_x_packer", labels(counts(profile)), some)
    points.add("pacr.first_x_datums", ("x0_is_0", "x0_below_row", "x0_wraps"),
               ("1-15", "16", "more"), exclude=() if profile.packers > 1 else (
        Exclude((None, "more"), "an interface has 16 datums at most (P61)"),
        Exclude(("x0_below_row", "16"), "a row ends behind 16 datums (P61)"),
    ))  # fmt: skip
    if profile.packers > 1:
        points.add("pacr.steps", ("1", "2", "3-15", "16", "17"))
    points.add("address.size_x_x_stride", ("4", "2", "1"), ("0", "size", "16+size", "other"))
    points.add("address.offset_x_packer", ("0", "not_0"), some)
    points.add("address.quarter_x_wide", names("q", 4), NO_YES)
    points.add("address.wraps_x_wide", NO_YES, NO_YES)
    points.add("address.counter_x_stride", ("y", "z", "w"), NO_YES)
    points.add("counters.mode_x_thread", tuple("0123"), THREADS)
    for channel in ("src", "dst"):
        points.add(f"counters.y{channel}_update", _UPDATES)
        points.add(f"counters.z{channel}_update", ("nothing", "incr", "clear", "clear+incr"))
        points.add(f"counters.y{channel}_increment", labels(_INCREMENTS))
    points.add("counters.wraps", _WRAPS)
    points.add("counters.update_of", ("flush", "zero_write", "no_datums"))
    points.add("counters.clear_returns_checkpoint", ("y0", "z0", "y1", "z1"))
    points.add("state.bank_x_the_other_differs", ("0", "1"), NO_YES)
    points.add("address.global_offset_x_bank", ("0", "not_0"), ("0", "1"))
    points.add("setreg.form_x_select", ("open", "closed"), names("a", profile.setreg_slots))
    if profile.setreg_enc == "WH":
        points.add("setreg.scaler", tuple("0123"))
        points.add("setreg.value", ("0", "other", "3ff"))
    else:
        points.add("setreg.load_half", ("low", "high"))
        points.add("pacr.context", tuple("0123"))
        points.add("pacr.strided_x_map", NO_YES, ("plain", "swizzle", "remap", "both"))
        points.add("pacr.lanes_x_beyond_group", ("1", "2", "3", "4"), NO_YES)
        points.add("pacr.long_zero_write", ("17", "32", "1024", "other"))
    points.add("setreg.written", ("written", "below", "beyond"))


def count(points: Tally, i: Instructions, parts: Parts, profile: Profile) -> None:
    """Count the rows of both tables."""
    pacr = Instructions(i.rows, np.flatnonzero(i.is_pacr))
    _count_words(points, pacr, profile)
    _count_counters(points, pacr)
    _count_parts(points, parts, profile)
    _count_setreg(points, Instructions(i.rows, np.flatnonzero(~i.is_pacr)), parts, profile)
    differs = (i.rows["config"] != i.rows["other"])[:, :CFG_GLOBAL_BASE].any(axis=1)
    points.hit("state.bank_x_the_other_differs", i["bank"], differs)


def _flags(i: Instructions) -> I64:
    return i.get(F.LAST) | i.get(F.FLUSH) << 1 | i.get(F.ZERO_WRITE) << 2 | i.get(F.CONCAT) << 3


def _count_words(points: Tally, i: Instructions, profile: Profile) -> None:
    thread, override, context = i["thread"], i.get(F.OVRD_THREAD_ID), i.get(F.ADDR_CNT_CONTEXT)
    points.hit("pacr.mask_x_thread", i.get(F.MASK), thread)
    points.hit("pacr.thread_x_override_x_context", thread, override, context)
    several = i["packers"] & (i["packers"] - 1) != 0
    if profile.packers == 1:
        mask = np.where(i.get(F.MASK) == 0, profile.pack_mask0, i.get(F.MASK))
        several = mask & (mask - 1) != 0
    points.hit("pacr.override_x_packers_x_counters_move", override, several, i["addr_mod"] != 0)
    points.hit("counters.mode_x_thread", i.get(F.ADDR_MODE), thread)
    if profile.packers == 1:
        points.hit("pacr.context", i.get(F.CFG_CONTEXT))
        map_ = i.config(F.SWIZZLE) | i.config(F.REMAP) << 1
        points.hit("pacr.strided_x_map", i.get(F.DST_ACCESS_MODE), map_)


def _count_counters(points: Tally, i: Instructions) -> None:
    word = i["addr_mod"]
    for channel, (name, low, z) in enumerate((("src", 0, 12), ("dst", 6, 14))):
        increment, cr, clear = bits(word, low, 4), bits(word, low + 4), bits(word, low + 5)
        points.hit(f"counters.y{name}_update", (increment != 0) + 2 * cr + 4 * clear)
        points.hit(f"counters.z{name}_update", bits(word, z, 2))
        points.hit(f"counters.y{name}_increment", place(increment, _INCREMENTS))
        for k, (dimension, cleared) in enumerate(((_Y, clear), (_Z, bits(word, z + 1)))):
            old, new = i.counter(channel, dimension), i.counter(channel, dimension, "after")
            wraps = (new < old) & (cleared == 0) & (cr == 0 if dimension == _Y else True)
            points.hit("counters.wraps", 2 * channel + k, where=wraps)
            back = (cleared == 1) & (i.counter(channel, dimension, "checkpoint") == 0) & (old != 0)
            points.hit("counters.clear_returns_checkpoint", 2 * channel + k, where=back)
    moves = word != 0
    points.hit("counters.update_of", 0, where=moves & (i.get(F.FLUSH) == 1))
    points.hit("counters.update_of", 1, where=moves & (i.get(F.ZERO_WRITE) == 1))
    none = i.counter(1, _X) + 1 == i.counter(0, _X)
    points.hit("counters.update_of", 2, where=moves & none & (i.get(F.FLUSH) == 0))


def _count_parts(points: Tally, all_parts: Parts, profile: Profile) -> None:
    p = all_parts.where(all_parts.is_pacr)
    source, n, packer = p.plan("source"), p.plan("count"), p.packer
    flags = _flags(p)
    points.hit("pacr.flags_x_source", flags, source)
    new = p.parts["before"]["streams"]["needs_new"][:, 0]
    points.hit("pacr.flags_x_new_address", flags, new)
    of_dst = source == Source.DST
    points.hit("pacr.datums_x_packer", place(n, counts(profile)), packer, where=of_dst)
    some = of_dst & (n > 0)
    x0 = p.counter(0, _X)
    size = p.plan("datum_bytes")
    first = np.where(x0 == 0, 0, np.where(x0 < 16 // size, 1, 2))
    points.hit("pacr.first_x_datums", first, ranges(n, (16, 17)), where=some)
    if profile.packers > 1:
        rows = (p.plan("datum") % 16 + n + 15) // 16
        points.hit("pacr.steps", ranges(rows, (2, 3, 16, 17)), where=some)
    stride = p.config(F.XSTRIDE0)
    kind = np.select([stride == 0, stride == size, stride == 16 + size], range(3), 3)
    points.hit("address.size_x_x_stride", place(size, (4, 2)), kind, where=some)
    offset = p.config(F.DST_OFFSET, packer)
    points.hit("address.offset_x_packer", offset != 0, packer, where=some)
    wide = p.of_mode("wide")
    points.hit("address.quarter_x_wide", p.plan("datum") >> 12, wide, where=some)
    points.hit("address.wraps_x_wide", p["faults"] & Flag.WRAP != 0, wide, where=some)
    points.hit("address.global_offset_x_bank", offset != 0, p["bank"], where=some)
    if profile.packers == 1:
        _count_lanes(points, p, some)
    strides = (F.YSTRIDE0, F.ZSTRIDE0, F.WSTRIDE0)
    for number, field in enumerate(strides):
        moved = some & (p.counter(0, number + 1) != 0)
        points.hit("address.counter_x_stride", number, p.config(field) != 0, where=moved)


def _count_lanes(points: Tally, p: Parts, some: NDArray[np.bool_]) -> None:
    lanes = np.array([n.bit_count() - 1 for n in range(16)])[p.plan("lanes")]
    beyond = p["faults"] & Flag.INTF_GROUP != 0
    points.hit("pacr.lanes_x_beyond_group", lanes, beyond, where=some & (lanes >= 0))
    long = (p.get(F.ZERO_WRITE) == 1) & (p.get(F.MASK) == 0) & (p.plan("count") > 16)
    long &= (p.counter(0, _X) == 0) & (p.counter(1, _X) > 15)
    points.hit("pacr.long_zero_write", place(p.plan("count"), (17, 32, 1024)), where=long)


def _count_setreg(points: Tally, i: Instructions, parts: Parts, profile: Profile) -> None:
    p = parts.where(~parts.is_pacr & (parts.packer == 0))
    closed = p.parts["before"]["streams"]["needs_new"][:, 0]
    field = F.WH_ADDR_SEL if profile.setreg_enc == "WH" else F.BH_ADDR_SEL
    points.hit("setreg.form_x_select", closed, p.get(field))
    load = i.get(F.BH_LOAD) if profile.setreg_enc == "BH" else np.zeros(len(i), np.int64)
    address = i["address"]
    which = np.where(i["writes"] == 1, 0, np.where(address < 0xFFB11000, 1, 2))
    points.hit("setreg.written", which, where=load == 0)
    if profile.setreg_enc == "WH":
        points.hit("setreg.scaler", p.of_mode("to") & 3)
        value = i.get(F.WH_VALUE)
        points.hit("setreg.value", np.where(value == 0, 0, np.where(value == 0x3FF, 2, 1)))
    else:
        points.hit("setreg.load_half", i.get(F.BH_HALF), where=load == 1)
