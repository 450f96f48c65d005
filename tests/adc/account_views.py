# SPDX-License-Identifier: Apache-2.0
"""What the account of the address counters says, and what the streams show of the same."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tilepath.engine.compiled.columns import column
from tilepath.engine.description.stream import Records
from tilepath.isa.boundary.adc import BOUNDARY, FAULTS, TARGETS, UNIT_FAULTS
from tilepath.tb.adc.coverage.labels import COUNTERS
from tilepath.tests.account_runs import Account, Ints, Views, flags, rows_of

_WORDS, _UPDATES = [f"t{thread}" for thread in range(3)], ("unpack", "pack", "flop")


def values_of(level: Records) -> Ints:
    """Live value and checkpoint of each counter, by the records of a target; before the first 0."""
    found = np.zeros((len(level) + 1, len(COUNTERS), 2), np.int64)
    for place, name in enumerate(COUNTERS):
        value = level[name].astype(np.int64)
        both = (value, level[f"{name}_cr"]) if name[0] == "x" else (value & 0xFFFF, value >> 16)
        found[1:, place] = np.stack(both, axis=1)
    return found


def views(account: Account, streams: Mapping[str, Records], _: str) -> Views:
    """Of each stream, and of what is met twice or found otherwise than left."""
    word, touch, change, cycle = (account[kind] for kind in ("word", "touch", "change", "cycle"))
    met: dict[int, int] = {}
    for when, s, k in rows_of(touch[touch["number"] > 0], "set", "target"):
        met[when] = met.get(when, 0) | 1 << 3 * s + k
    conflicts = rows_of(streams["conflict"], "where")
    found = {
        "conflict": (rows_of(cycle[cycle["conflict"] > 0], "conflict"), conflicts),
        "touched twice": (list(met.items()), conflicts),
        "unit_fault": (rows_of(cycle[cycle["faults"] > 0], "faults"),
                       flags(streams["unit_fault"], [fault.name for fault in UNIT_FAULTS])),
    }  # fmt: skip
    for thread, name in enumerate(_WORDS):
        mine = word[word["thread"] == thread]
        found[f"{name}.issue"] = (
            rows_of(mine, "instruction"),
            rows_of(streams[f"{name}.issue"], "word"),
        )
        found[f"{name}.fault"] = (
            rows_of(mine[mine["faults"] > 0], "faults"),
            flags(streams[f"{name}.fault"], [fault.name for fault in FAULTS]),
        )
    for name in _UPDATES:
        fields = [field.name for field in BOUNDARY.stream(name).fields]
        found[name] = rows_of(account[name], *fields), rows_of(streams[name], *fields)
    for s, k in np.ndindex(3, 3):
        name = f"t{s}.{TARGETS[k]}"
        cycles, values = streams[name]["cycle"].astype(int), values_of(streams[name])
        changes = zip(*np.nonzero((values[1:] != values[:-1]).any(2)), strict=True)
        mine, its = (
            rows[(column(rows, "set") == s) & (column(rows, "target") == k)]
            for rows in (change, touch)
        )
        before = values[np.searchsorted(cycles, its["cycle"], side="right")]
        found[name] = (
            rows_of(mine, "counter", "value"),
            [(cycles[n] - 1, c, *values[n + 1, c]) for n, c in changes],
        )
        places = 4 * column(its, "channel") + column(its, "touched.counter")
        left = before[np.arange(len(its)), places]
        found[f"found {name}"] = (
            rows_of(its, "live", "checkpoint"),
            list(map(tuple, np.column_stack((its["cycle"], left)).tolist())),
        )
    return found
