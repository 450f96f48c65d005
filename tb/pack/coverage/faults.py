# SPDX-License-Identifier: Apache-2.0
"""Coverage of the faults that were raised (docs/pack.md section 10)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilepath.isa.boundary.adc import FAULTS as COUNTER_FAULTS
from tilepath.isa.boundary.pack import FAULTS, RUN_FAULTS, UNIT_FAULTS
from tilepath.isa.profiles import Profile
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.pack.coverage.labels import THREADS, numbers

_LANES: Final = ("row_end", "intf_group", "strided")
_FLAGS: Final = tuple(fault.name for fault in FAULTS)
_RUN: Final = tuple(fault.name for fault in RUN_FAULTS)
_UNIT: Final = tuple(fault.name for fault in UNIT_FAULTS)
_COUNTER: Final = tuple(fault.name for fault in COUNTER_FAULTS)
_PACKERS_TARGET: Final = 2


def declare(points: PointGroup, profile: Profile) -> None:
    """Declare the points of this topic."""
    excluded = []
    if profile.packers > 1:
        excluded += [Exclude((name, None), "a packer has one lane") for name in _LANES]
    else:
        excluded.append(Exclude(("mask", None), "each mask names lanes"))
    if not profile.pack_relative:
        excluded.append(Exclude(("relative_fifo", None), "no address is relative (P33)"))
    points.add("fault.flag_x_thread", _FLAGS, THREADS, exclude=tuple(excluded))
    others = numbers("p", profile.packers)
    points.add("fault.run_x_packer", _RUN, others, exclude=tuple(
        Exclude(("source_range", name), "packer 0 has the source (P16)") for name in others[1:]
    ))  # fmt: skip
    points.add("fault.unit", _UNIT)
    points.add("fault.counter_x_thread", _COUNTER, THREADS)
    points.add("fault.counter_conflict_in_set", numbers("set", 3))


def count(points: Tally, streams: Mapping[str, Records], profile: Profile) -> None:
    """Count the faults of a block."""
    some = streams["fault"]
    for number in range(len(_FLAGS)):
        raised = some["flags"] >> number & 1 == 1
        points.hit("fault.flag_x_thread", number, some["thread"], where=raised)
    for packer in range(profile.packers):
        records = streams[f"p{packer}.run_fault"]
        for number, name in enumerate(_RUN):
            points.hit("fault.run_x_packer", number, packer, where=records[name] == 1)
    for number, name in enumerate(_UNIT):
        points.hit("fault.unit", number, where=streams["unit_fault"][name] == 1)
    for thread in range(3):
        records = streams[f"t{thread}.counter_fault"]
        for number, name in enumerate(_COUNTER):
            points.hit("fault.counter_x_thread", number, thread, where=records[name] == 1)
        met = streams["counter_conflict"]["where"] >> (3 * thread + _PACKERS_TARGET) & 1 == 1
        points.hit("fault.counter_conflict_in_set", thread, where=met)
