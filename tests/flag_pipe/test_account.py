# SPDX-License-Identifier: Apache-2.0
"""The account of the flag pipe: it changes nothing, and says what the streams show."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import pytest

from tilepath.isa.boundary.flag_pipe import BANKS, CORES, ENDPOINTS, PAIR_FAULTS, PAIRS
from tilepath.models.flag_pipe import FlagPipeModel
from tilepath.models.flag_pipe.account import KINDS
from tilepath.models.flag_pipe.timing_state import PORTS, State
from tilepath.tests.account_runs import Account, accounted, assert_alike
from tilepath.tests.flag_pipe.model_helpers import Records
from tilepath.tests.flag_pipe.random_programs import random_inputs
from tilepath.tests.model_runs import random_cuts

CYCLES = 1500
PROFILES = ("baseline", "baseline,platform=a2a3", "baseline,nflags=4,flag_lat=4,hold_max=2")
Rows = list[tuple[int, ...]]


@pytest.mark.parametrize("profile", PROFILES)
def test_it_changes_no_record(profile: str) -> None:
    """Nor do cuts change it."""
    rng = np.random.default_rng([7, 3])
    inputs = random_inputs(rng, CYCLES, profile)
    cuts = [1, *random_cuts(rng, CYCLES, 20)]
    assert_alike(lambda: FlagPipeModel(profile), inputs, cuts)


def test_a_pass_ends_where_clears_fill_the_account() -> None:
    """Clears of a block at rest leave no record."""
    many = 40_000
    inputs = random_inputs(np.random.default_rng(1), 10, "baseline")
    clears = np.zeros(many, inputs["clr"].dtype)
    clears["cycle"], clears["pairs"] = np.arange(many), 3
    account, _ = accounted(FlagPipeModel(), {"clr": clears}, [many])
    assert account["clear"]["cycle"].tolist() == np.repeat(np.arange(many), PAIRS).tolist()


def said(account: Account, kind: str, *fields: str) -> Rows:
    """Columns of the rows of a kind, in the order of cycles and cores."""
    rows = account[kind]
    return sorted(zip(*(rows[name].astype(int).tolist() for name in fields), strict=True))


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
    found, before = [], [0] * len(BANKS)
    for record in streams["flags"]:
        for bank, name in enumerate(BANKS):
            new = int(record[name]) & ~before[bank]
            before[bank] = int(record[name])
            found += [(int(record["cycle"]) - 1, bank, n) for n in range(8) if new >> n & 1]
    return sorted(found)


def ends(streams: Mapping[str, Records]) -> Rows:
    """Endpoints that change and have their INIT, the cycle before."""
    fields = ("mask", "init")
    rows = shown(streams, "end{}.endpoint", ENDPOINTS, *fields)
    return [(cycle - 1, end, mask) for cycle, end, mask, init in rows if init]


def both_views(account: Account, streams: Mapping[str, Records]) -> dict[str, tuple[Rows, Rows]]:
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
    return {
        "command": (
            said(account, "command", "cycle", "core", "op", "dir_mask", "slot_size"),
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
        "endpoint": (said(account, "endpoint", "cycle", "end", "mask"), ends(streams)),
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
            [row[:2] for row in shown(streams, "pair{}.status", PAIRS, "deadlock") if row[2]],
        ),
    }


def disagreements(account: Account, streams: Mapping[str, Records]) -> set[str]:
    """Kinds of which the streams show something else; levels show what was in the cycle before."""
    found = set()
    for kind, views in both_views(account, streams).items():
        ours, theirs = ([row for row in rows if row[0] < CYCLES - 1] for rows in views)
        found |= {kind} if ours != theirs else set()
    return found


def run_of(seed: int, profile: str) -> tuple[Account, dict[str, Records]]:
    """Account and all streams of a random run."""
    inputs = random_inputs(np.random.default_rng([1, seed]), CYCLES, profile)
    account, outputs = accounted(FlagPipeModel(profile), inputs, [100, CYCLES])
    return account, dict(inputs) | outputs


@pytest.mark.parametrize("profile", PROFILES)
def test_it_says_what_the_streams_show(profile: str) -> None:
    met = set()
    for seed in range(8):
        account, streams = run_of(seed, profile)
        assert disagreements(account, streams) == set()
        met |= {kind for kind, rows in account.items() if len(rows)}
    assert met == set(KINDS)


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        ("command", "op"),
        ("wait", "length"),
        ("transfer", "cycle"),
        ("beat", "port"),
        ("response", "error"),
        ("endpoint", "mask"),
        ("flag", "flag"),
        ("clear", "pair"),
        ("fault", "faults"),
        ("deadlock", "pair"),
    ],
)
def test_a_lie_is_caught(kind: str, field: str) -> None:
    """A bit is another in the first row of the first run that has any."""
    runs = (run_of(seed, "baseline") for seed in range(1, 9))
    account, streams = next(run for run in runs if len(run[0][kind]))
    account[kind][field][0] ^= 1
    assert disagreements(account, streams) == {kind}
