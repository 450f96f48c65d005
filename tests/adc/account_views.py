# SPDX-License-Identifier: Apache-2.0
"""What the account of the address counters says, and what the streams show of the same."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tilepath.engine.compiled.columns import column
from tilepath.engine.description.stream import Records
from tilepath.isa.boundary.adc import TARGETS
from tilepath.tb.adc.coverage.labels import COUNTERS
from tilepath.tests.account_runs import Account, Views

Columns = dict[str, list[tuple[int, ...]]]


def rows_of(records: Records, *fields: str) -> list[tuple[int, ...]]:
    return list(zip(*(column(records, name).astype(int).tolist() for name in fields), strict=True))


def _from_account(account: Account) -> Columns:
    """What the account says of each stream, as rows of (cycle, fields)."""
    found: Columns = {}
    for thread in range(3):
        words = account["word"][account["word"]["thread"] == thread]
        found[f"t{thread}.issue"] = rows_of(words, "cycle", "opcode")
        found[f"t{thread}.fault"] = rows_of(words[words["faults"] > 0], "cycle", "faults")
    unpack = account["unpack"]
    found["unpack"] = rows_of(unpack, "cycle", "unpacker", "thread", "adc", "y0", "z0", "y1", "z1")
    found["pack"] = rows_of(account["pack"], "cycle", "sets")
    written = ("write.thread", "select", "checkpoint", "value")
    found["flop"] = rows_of(account["flop"], "cycle", *written)
    cycles = account["cycle"]
    found["conflict"] = rows_of(cycles[cycles["conflict"] > 0], "cycle", "conflict")
    found["unit_fault"] = rows_of(cycles[cycles["faults"] > 0], "cycle", "faults")
    met: dict[int, int] = {}
    for cycle, s, k in rows_of(account["touch"][account["touch"]["number"] > 0],
                               "cycle", "set", "target"):  # fmt: skip
        met[cycle] = met.get(cycle, 0) | 1 << 3 * s + k
    found["touched twice"] = list(met.items())
    found["found before"] = []
    values = np.zeros((3, 3, 8, 2), int)
    changes = account["change"]
    events = [
        (row[0], 1, (*row, *values))
        for row, values in zip(rows_of(changes, "cycle", "set", "target", "counter"),
                               changes["value"].tolist(), strict=True)
    ]  # fmt: skip
    events += [(row[0], 0, row) for row in rows_of(
        account["touch"], "cycle", "set", "target", "counter", "live", "checkpoint")]  # fmt: skip
    for cycle, changed, (_, *place, one, two) in sorted(events, key=lambda event: event[:2]):
        s, k, number = place
        if changed:
            values[s, k, number] = one, two
            level = found.setdefault(f"t{s}.{TARGETS[k]}", [])
            if level and level[-1][0] == cycle + 1:
                level.pop()
            level.append((cycle + 1, *values[s, k].ravel().tolist()))
        elif (one, two) != tuple(values[s, k, number]):
            found["found before"].append((cycle, s, k, number))
    return found


def _from_streams(streams: Mapping[str, Records]) -> Columns:
    """The same of the streams."""
    found: Columns = {"found before": []}
    for thread in range(3):
        issue, fault = streams[f"t{thread}.issue"], streams[f"t{thread}.fault"]
        found[f"t{thread}.issue"] = [(c, w >> 24) for c, w in rows_of(issue, "cycle", "word")]
        found[f"t{thread}.fault"] = [
            (c, a | b << 1 | e << 2)
            for c, a, b, e in rows_of(fault, "cycle", "illegal", "x_override", "empty")
        ]
    found["unpack"] = rows_of(streams["unpack"], *streams["unpack"].dtype.names[:8])  # type: ignore[index]
    found["pack"] = rows_of(streams["pack"], "cycle", "sets")
    found["flop"] = rows_of(streams["flop"], "cycle", "thread", "select", "checkpoint", "value")
    found["conflict"] = rows_of(streams["conflict"], "cycle", "where")
    found["touched twice"] = found["conflict"]
    found["unit_fault"] = [
        (c, a | b << 1 | e << 2)
        for c, a, b, e in rows_of(
            streams["unit_fault"], "cycle", "unpack_thread", "flop_thread", "flop_select"
        )
    ]
    for name in (f"t{s}.{k}" for s in range(3) for k in TARGETS):
        level = streams[name]
        pairs = []
        for counter in COUNTERS:
            if counter[0] == "x":
                pairs += [level[counter].astype(int), level[f"{counter}_cr"].astype(int)]
            else:
                pairs += [level[counter].astype(int) & 0xFFFF, level[counter].astype(int) >> 16]
        if len(level):
            found[name] = list(
                zip(level["cycle"].tolist(), *(p.tolist() for p in pairs), strict=True)
            )
    return found


def views(account: Account, streams: Mapping[str, Records], _: str) -> Views:
    """Of each stream, and of what is met twice or found otherwise than left."""
    said, shown = _from_account(account), _from_streams(streams)
    return {name: (said.get(name), shown.get(name)) for name in said | shown}
