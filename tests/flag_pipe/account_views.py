# SPDX-License-Identifier: Apache-2.0
"""What the account of the flag pipe says, and what the streams show of the same."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from tilepath.engine.description.stream import Records
from tilepath.isa.boundary.flag_pipe import BANKS, CORES, ENDPOINTS, PAIR_FAULTS, PAIRS, PIPES
from tilepath.models.flag_pipe.timing_state import PORTS, STROBES, State
from tilepath.tests.account_runs import Account, Rows, Views, flags, rows_of
from tilepath.tests.blocks.random_runs import CYCLES


def shown(streams: Mapping[str, Records], name: str, copies: int, *fields: str) -> Rows:
    """Columns of the records of a stream, with the number of the copy behind the cycle."""
    return [
        (cycle, number, *row)
        for number in range(copies)
        for cycle, *row in rows_of(streams[name.format(number)], *fields)
    ]


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
    for cycle, pipe, *values in shown(streams, "pipe{}.flags", PIPES, *BANKS):
        for bank, value in enumerate(values, pipe * len(BANKS)):
            new, before[bank] = value & ~before[bank], value
            found += [(cycle - 1, bank, n) for n in range(8) if new >> n & 1]
    return found


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
    """Endpoints that change and have their INIT, the cycle before; with halves the cube's first."""
    rows = shown(streams, "end{}.endpoint", ENDPOINTS, "mask", "init")
    found = {(cycle - 1, end): mask for cycle, end, mask, init in rows if init}
    second = {(cycle, end + 1) for cycle, end in found if end % 4 == 0}
    return [(*at, mask) for at, mask in found.items() if at not in second]


def views(account: Account, streams: Mapping[str, Records], _: str) -> Views:
    """Of each kind of row; levels show what was in the cycle before."""
    states = [(core, *span) for core in range(len(CORES)) for span in spans(streams, core)]
    taken = [
        (begin - 1, core)
        for before, (core, begin, *_) in pairwise(states)
        if before[0] == core and before[3] == State.IDLE
    ]
    asked = ("op", "dir_mask", "slot_size")
    commands = [
        (cycle, core, *row)
        for core in range(len(CORES))
        for (cycle, _), (_, *row) in zip(
            [one for one in taken if one[1] == core],
            rows_of(streams[f"core{core}.cmd"], *asked),
            strict=False,
        )
    ]
    wait = account["wait"]
    both = {
        "command": (
            rows_of(account["command"], "core", "command.op", "dir_mask", "command.slot_size"),
            commands,
        ),
        "wait": (
            rows_of(wait, "core", "length"),
            [
                (end - 1, core, end - begin)
                for core, begin, end, state in states
                if state == State.WAIT and end < CYCLES
            ],
        ),
        "transfer": (
            rows_of(wait[wait["then"] == State.XFER], "core", late=1),
            [(begin, core) for core, begin, _, state in states if state == State.XFER],
        ),
        "beat": (
            rows_of(account["beat"], "port"),
            [(*cycle, n) for n, port in enumerate(PORTS) for cycle in rows_of(streams[port])],
        ),
        "response": (
            rows_of(account["response"], "core", "op", "error"),
            shown(streams, "core{}.rsp", len(CORES), "op", "err"),
        ),
        "endpoint": (rows_of(account["endpoint"], "end", "endpoint.mask"), ends(streams)),
        "flag": (rows_of(account["flag"], "bank", "flag"), rises(streams)),
        "strobe": (
            rows_of(account["strobe"], "strobe", "pair"),
            [
                (cycle, number, pair)
                for number, strobe in enumerate(STROBES)
                for cycle, pairs in rows_of(streams[strobe], "pairs")
                for pair in range(PAIRS)
                if pairs >> pair & 1
            ],
        ),
        "fault": (
            rows_of(account["fault"], "pair", "faults"),
            [
                (cycle, pair, bits)
                for pair in range(PAIRS)
                for cycle, bits in flags(
                    streams[f"pair{pair}.pair_fault"], [fault.name for fault in PAIR_FAULTS]
                )
            ],
        ),
        "deadlock": (rows_of(account["deadlock"], "pair"), deadlocks(streams)),
    }

    def inside(rows: Rows) -> Rows:
        return sorted(row for row in rows if row[0] < CYCLES - 1)

    return {kind: (inside(said), inside(seen)) for kind, (said, seen) in both.items()}
