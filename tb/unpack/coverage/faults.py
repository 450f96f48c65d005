# SPDX-License-Identifier: Apache-2.0
"""Coverage of the faults that were raised (docs/unpack.md section 8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tilepath.isa.profiles import Profile
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.unpack.coverage.points import THREADS, UNPACKERS
from tilepath.tb.unpack.streams import FAULTS, READ_FAULTS, UNIT_FAULTS, WRITE_FAULTS

_ONLY_U0: Final = {
    "dst_modes": "unpacker 1 writes no Dst",
    "dst_ovrd": "unpacker 1 writes no Dst",
    "burst": "only unpacker 0 (U33)",
    "out_low": "only unpacker 0",
}
_ONLY_U1: Final = {
    "context_range": "unpacker 0 has eight contexts (U9)",
    "transpose_srcb": "unpacker 0 transposes (U39)",
    "neginf_srcb": "SrcA has the value (U57)",
}
_COUNTER: Final = ("illegal", "x_override", "empty")


def declare(points: PointGroup, profile: Profile) -> None:
    """Declare the points of this topic."""
    excluded = [Exclude((name, "u1"), reason) for name, reason in _ONLY_U0.items()]
    excluded += [Exclude((name, "u0"), reason) for name, reason in _ONLY_U1.items()]
    if profile.nop_enc == "BH":
        excluded.append(Exclude(("nop_reserved", None), "only the other encoding has mode 6"))
    if profile.nop_enc == "BH" or profile.zerosrc_neginf_srcb:
        excluded.append(Exclude(("neginf_srcb", None), "SrcB honours the value (U57)"))
    points.add("fault.flag_x_unpacker", FAULTS, UNPACKERS, exclude=tuple(excluded))
    points.add(
        "fault.read_x_unpacker", READ_FAULTS, UNPACKERS,
        exclude=(Exclude(("start_align", "u1"), "unpacker 0 transposes (U39)"),),
    )  # fmt: skip
    points.add(
        "fault.write_x_unpacker", WRITE_FAULTS, UNPACKERS,
        exclude=(
            Exclude(("srca_row", "u1"), "unpacker 1 writes SrcB"),
            Exclude(("srcb_row", "u0"), "unpacker 0 does not write SrcB"),
        ),
    )  # fmt: skip
    points.add("fault.unit", UNIT_FAULTS)
    points.add("fault.counter_x_thread", _COUNTER, THREADS)
    points.add("fault.counter_conflict", tuple(
        f"{name}.{target}" for name in THREADS for target in ("unpacker0", "unpacker1", "packers")
    ))  # fmt: skip


def count(points: Tally, streams: Mapping[str, Records]) -> None:
    """Count the faults of a block."""
    for u in range(2):
        flags = streams[f"u{u}.fault"]["flags"]
        for number in range(len(FAULTS)):
            points.hit("fault.flag_x_unpacker", number, u, where=flags >> number & 1 == 1)
        for kind, names in (("read", READ_FAULTS), ("write", WRITE_FAULTS)):
            records = streams[f"u{u}.{kind}_fault"]
            for number, name in enumerate(names):
                points.hit(f"fault.{kind}_x_unpacker", number, u, where=records[name] == 1)
    for number, name in enumerate(UNIT_FAULTS):
        points.hit("fault.unit", number, where=streams["unit_fault"][name] == 1)
    for thread in range(3):
        records = streams[f"t{thread}.counter_fault"]
        for number, name in enumerate(_COUNTER):
            points.hit("fault.counter_x_thread", number, thread, where=records[name] == 1)
    where = streams["counter_conflict"]["where"]
    for bit in range(9):
        points.hit("fault.counter_conflict", bit, where=np.asarray(where) >> bit & 1 == 1)
