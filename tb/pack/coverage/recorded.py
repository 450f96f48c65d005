# SPDX-License-Identifier: Apache-2.0
"""Plans over records of the streams: faults (docs/pack.md section 10), and what packers are given.

Dst, histogram, offsets, configuration, L1; writes that can come beside others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np

from tilepath.engine.compiled.records import record
from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import (
    Bins,
    CoveragePlan,
    Planner,
    Point,
    among,
    each,
    numbers,
    yes,
)
from tilepath.engine.description.stream import Records
from tilepath.isa.boundary.adc import FAULTS as COUNTER_FAULTS
from tilepath.isa.boundary.pack import FAULTS, PACKERS, RUN_FAULTS, UNIT_FAULTS
from tilepath.isa.constants import CFG_GLOBAL_BASE
from tilepath.isa.profiles import Profile
from tilepath.tb.pack.coverage.labels import THREADS

_LANES: Final = ("row_end", "intf_group", "strided")
_DST_ROWS: Final = 9  # of a write
_PACKERS_TARGET: Final = 2
_T: Final = range(len(THREADS))
_STREAMS: Final[Mapping[str, tuple[str, ...]]] = {  # those whose records are rows of one kind
    "run_fault": tuple(f"p{packer}.run_fault" for packer in range(PACKERS)),
    "counter_fault": tuple(f"t{t}.counter_fault" for t in _T),
    "setc16": tuple(f"t{t}.setc16" for t in _T),
}
_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "fault": ("thread", "raised"),
    **dict.fromkeys(("run_fault", "unit_fault", "counter_fault"), ("copy_", "raised")),
    "counter_conflict": ("where",),
    "dst_write": ("row", "count"),
    "dst_zero": ("half", "whole"),
    "hist": ("op", "mode", "packer"),
    "offset": ("packers", "value"),
    "cfg": ("banks", "index", "wide"),
    "flop": ("bank", "beside"),
    "store": ("thread", "index", "beside"),
    "setc16": ("copy_", "index"),
    "l1_write": ("line",),
}
_MASKS: Final = {"dst_write": {"mask": (np.uint32, _DST_ROWS)}}
_ROWS: Final = {
    kind: record(**dict.fromkeys(("cycle", *fields), np.uint32), **_MASKS.get(kind, {}))
    for kind, fields in _FIELDS.items()
}
_plan: Final = Planner(_ROWS)


def rows(streams: Mapping[str, Records]) -> dict[str, Records]:
    """Kind → records, with the number of the copy, named faults as bits, and what was beside."""
    found = {kind: np.concatenate([*_of(streams, kind)]) for kind in _ROWS}
    found["dst_zero"]["whole"] = streams["dst_zero"]["all"]
    flop, store, setc = found["flop"], found["store"], found["setc16"]
    flop["beside"] = np.isin(flop["cycle"], found["cfg"]["cycle"])
    at, written = (
        some["cycle"].astype(np.int64) << 2 | some[by]
        for some, by in ((store, "thread"), (setc, "copy_"))
    )
    store["beside"] = np.isin(at, written)
    same = np.isin(at << 7 | store["index"], written << 7 | setc["index"])
    store["beside"] += same
    return found


def _of(streams: Mapping[str, Records], kind: str) -> Iterator[Records]:
    for copy, name in enumerate(_STREAMS.get(kind, (kind,))):
        own = streams[name]
        made = np.zeros(len(own), _ROWS[kind])
        for field in made.dtype.names or ():
            if field in (own.dtype.names or ()):
                made[field] = own[field]
            elif field == "raised" and kind == "fault":
                made[field] = own["flags"]
            elif field == "raised":
                for place, flag in enumerate((own.dtype.names or ())[1:]):
                    made[field] |= own[flag] << place
            elif field == "copy_":
                made[field] = copy
        yield made


def _faults(profile: Profile) -> Iterator[CoveragePlan]:
    excluded = []
    if profile.packers > 1:
        excluded.append(Exclude((_LANES, None), "a packer has one lane"))
    else:
        excluded.append(Exclude(("mask", None), "each mask names lanes"))
    if not profile.pack_relative:
        excluded.append(Exclude(("relative_fifo", None), "no address is relative (P33)"))
    flag, run, unit, counter = (
        each(tuple(fault.name for fault in some))
        for some in (FAULTS, RUN_FAULTS, UNIT_FAULTS, COUNTER_FAULTS)
    )
    thread = Bins("copy_", THREADS)
    packers = numbers(profile.packers, "p")
    source = Exclude(("source_range", packers[1:]), "packer 0 has the source (P16)")
    newer = Exclude(("fp16_accumulate", None), "of the newer chip (P70)")
    older = () if profile.pack_bh_fields else (newer,)
    yield _plan("fault", {"flag": flag, "thread": Bins("thread", THREADS)},
                Point("fault.flag_x_thread", "P61 P69", when="raised >> flag & 1",
                      exclude=tuple(excluded)))  # fmt: skip
    yield _plan("run_fault", {"run": run, "packer": Bins("copy_", packers)},
                Point("fault.run_x_packer", "P16 P26 P34 P61 P70", when="raised >> run & 1",
                      exclude=(source, *older)))  # fmt: skip
    yield _plan("unit_fault", {"unit": unit}, Point("fault.unit", "P61", when="raised >> unit & 1"))
    yield _plan("counter_fault", {"counter": counter, "thread": thread},
                Point("fault.counter_x_thread", "A7", when="raised >> counter & 1"))  # fmt: skip
    yield _plan("counter_conflict", {"set": each(numbers(3, "set"))},
                Point("fault.counter_conflict_in_set", "A13 P18", "set",
                      f"where >> 3 * set + {_PACKERS_TARGET} & 1"))  # fmt: skip


def _given(profile: Profile) -> Iterator[CoveragePlan]:
    packers = numbers(profile.packers, "p")
    yield _plan(
        "dst_write",
        {
            "rows": Bins("count - 1", tuple(map(str, range(1, 1 + _DST_ROWS)))),
            "number": each(numbers(_DST_ROWS)),
            "columns": Bins({"none": "mask[number] == 0", "some": "mask[number] != 0xFFFF",
                             "all": "1"}),
            "behind_the_last_row": yes("row + count > 1024"),
        },
        Point("dst_write.rows", "P19"),
        Point("dst_write.columns", "P19", when="number < count"),
        Point("dst_write.behind_the_last_row", "P19"),
    )  # fmt: skip
    yield _plan("dst_zero", {"rows": Bins("2 if whole else half", ("half0", "half1", "all"))},
                Point("dst_zero.rows", "P58"))  # fmt: skip
    yield _plan("hist", {"read_mode": among("mode", 6, 7, 9, other="other"),
                         "packer": Bins("packer", numbers(PACKERS))},
                Point("histogram.read_mode_x_packer", "P27", when="op == 0"))  # fmt: skip
    yield _plan("offset", {"packer": each(packers),
                           "value": Bins({"0": "value == 0", "ffff": "value == 0xFFFF",
                                          "other": "1"})},
                Point("offset.packer_x_value", "P35", when="packers >> packer & 1"))  # fmt: skip
    yield _plan("l1_write", {"beyond_l1": yes("line + 4 > LINES")},
                Point("l1_write.beyond_l1", "P34"), LINES=profile.l1_bytes // 16)  # fmt: skip


_WRITES: Final = (
    _plan("cfg", {"banks": Bins("banks", numbers(4)), "wide": yes("wide"),
                  "global": yes(f"index >= {CFG_GLOBAL_BASE}")},
          Point("cfg.banks_x_wide_x_global", "P8 C15")),
    _plan("flop", {"bank": Bins("bank", numbers(2)), "beside_cfg": yes("beside")},
          Point("flop.bank_x_beside_cfg", "C14")),
    _plan("store", {"thread": Bins("thread", numbers(3)),
                    "beside_setc16": Bins("beside", ("none", "other_word", "same_word"))},
          Point("store.thread_x_beside_setc16", "P8")),
    _plan("setc16", {"thread": Bins("copy_", numbers(3)),
                     "word": Bins({"state": "index == 0", "addr_mod": "37 <= index <= 40",
                                   "acc_stats": "index == 45", "other": "1"})},
          Point("setc16.thread_x_word", "P8 P18")),
)  # fmt: skip


def plans(profile: Profile) -> tuple[CoveragePlan, ...]:
    """Without the faults that the profile does not have."""
    return (*_faults(profile), *_given(profile), *_WRITES)
