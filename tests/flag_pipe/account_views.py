# SPDX-License-Identifier: Apache-2.0
"""What the account of the flag pipe says, and what the streams show of the same."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from tilepath.engine.compiled.columns import column
from tilepath.engine.description.stream import Records
from tilepath.isa.boundary.flag_pipe import BANKS, CORES, ENDPOINTS, PAIR_FAULTS, PAIRS, PIPES
from tilepath.models.flag_pipe.timing_state import PORTS, State
from tilepath.tests.account_runs import Account, Views
from tilepath.tests.blocks.random_runs import CYCLES

Rows = list[tuple[int, ...]]


def said(account: Account, kind: str, *fields: str) -> Rows:
    """Columns of the rows of a kind, in the order of cycles and cores."""
    rows = account[kind]
    return sorted(zip(*(column(rows, name).astype(int).tolist() for name in fields), strict=True))


def shown(streams: Mapping[str, Records], name: str, copies: int, *fields: str) -> Rows:
    """Columns of the records of a stream, with the number of the copy behind the cycle."""
    return sorted(
        (int(record["cycle"]), number, *(int(record[field]) for field in fields))
        for number in range(copies)
        for record in streams[name.format(number)]
    )


def spans(streams: Mapping[str, Records], core: int) -> list[tuple[int, int, int]]:
    """States of a core: from when on, until when, which."""
    rows = streams[f"core{core}.core"]
    ends = [*rows["cycle"].tolist(), CYCLES][1:]
    whole = zip(rows["cycle"].tolist(), ends, rows["state"].tolist(), strict=True)
    found: list[tuple[int, int, int]] = [(0, 0, State.IDLE)]
    for begin, end, state in whole:  # peer is of the same level
        if found[-1][2] == state:
            found[-1] = (found[-1][0], end, state)
        else:
            found.append((begin, end, state))
    return found


def rises(streams: Mapping[str, Records]) -> Rows:
    """Cycle before a flag is seen that was not, its bank and number."""
    found, before = [], [0] * (PIPES * len(BANKS))
    for pipe in range(PIPES):
        for record in streams[f"pipe{pipe}.flags"]:
            for bank, name in enumerate(BANKS, pipe * len(BANKS)):
                new = int(record[name]) & ~before[bank]
                before[bank] = int(record[name])
                found += [(int(record["cycle"]) - 1, bank, n) for n in range(8) if new >> n & 1]
    return sorted(found)


def deadlocks(streams: Mapping[str, Records]) -> Rows:
    """Cycle in which a deadlock begins, and its pair."""
    found: Rows = []
    for pair in range(PAIRS):
        status = streams[f"pair{pair}.status"]
        dead = status["deadlock"].astype(bool)
        begins = dead & ~np.append(False, dead[:-1])
        found += [(cycle, pair) for cycle in status["cycle"][begins].tolist()]
    return found


def ends(streams: Mapping[str, Records]) -> Rows:
    """Endpoints that change and have their INIT, the cycle before."""
    fields = ("mask", "init")
    rows = shown(streams, "end{}.endpoint", ENDPOINTS, *fields)
    return [(cycle - 1, end, mask) for cycle, end, mask, init in rows if init]


def _both(account: Account, streams: Mapping[str, Records]) -> Views:
    """What the account says, and what the streams show of the same."""
    states = {core: spans(streams, core) for core in range(len(CORES))}
    commands = [streams[f"core{core}.cmd"] for core in range(len(CORES))]
    taken = {
        core: [s[0] - 1 for before, s in pairwise(all_) if before[2] == State.IDLE]
        for core, all_ in states.items()
    }
    beats = sorted(
        (int(cycle), number)
        for number, port in enumerate(PORTS)
        for cycle in streams[port]["cycle"]
    )
    faults = [
        (cycle, pair, sum(bit << k for k, bit in enumerate(bits)))
        for cycle, pair, *bits in shown(
            streams, "pair{}.pair_fault", PAIRS, *(fault.name for fault in PAIR_FAULTS)
        )
    ]
    asked = ("command.op", "dir_mask", "command.slot_size")
    return {
        "command": (
            said(account, "command", "cycle", "core", *asked),
            sorted(
                (cycle, core, *(int(command[f]) for f in ("op", "dir_mask", "slot_size")))
                for core, cycles in taken.items()
                for cycle, command in zip(cycles, commands[core], strict=False)
            ),
        ),
        "wait": (
            said(account, "wait", "cycle", "core", "length"),
            sorted(
                (end - 1, core, end - begin)
                for core, all_ in states.items()
                for begin, end, state in all_
                if state == State.WAIT and end < CYCLES
            ),
        ),
        "transfer": (
            said(account, "transfer", "cycle", "core"),
            sorted(
                (begin, core)
                for core, all_ in states.items()
                for begin, _, state in all_
                if state == State.XFER
            ),
        ),
        "beat": (said(account, "beat", "cycle", "port"), beats),
        "response": (
            said(account, "response", "cycle", "core", "op", "error"),
            shown(streams, "core{}.rsp", len(CORES), "op", "err"),
        ),
        "endpoint": (said(account, "endpoint", "cycle", "end", "endpoint.mask"), ends(streams)),
        "flag": (said(account, "flag", "cycle", "bank", "flag"), rises(streams)),
        "clear": (
            said(account, "clear", "cycle", "pair"),
            sorted(
                (cycle, pair)
                for cycle, _, pairs in shown(streams, "clr", 1, "pairs")
                for pair in range(PAIRS)
                if pairs >> pair & 1
            ),
        ),
        "fault": (said(account, "fault", "cycle", "pair", "faults"), faults),
        "deadlock": (
            said(account, "deadlock", "cycle", "pair"),
            sorted(deadlocks(streams)),
        ),
    }


def views(account: Account, streams: Mapping[str, Records], _: str) -> Views:
    """Of each kind of row; levels show what was in the cycle before."""

    def inside(rows: Rows) -> Rows:
        return [row for row in rows if row[0] < CYCLES - 1]

    both = _both(account, streams)
    return {kind: (inside(said), inside(shown)) for kind, (said, shown) in both.items()}
