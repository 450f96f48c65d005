# SPDX-License-Identifier: Apache-2.0
"""The account of the control block: it changes nothing, and says what the streams show."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from tilepath.engine.compiled.columns import column
from tilepath.isa.boundary.control import FAULTS, THREADS, UNITS, VIEWERS
from tilepath.models.control import ControlModel, cycle_account
from tilepath.tests.account_runs import Account, accounted, both_ways
from tilepath.tests.control.model_helpers import Records, random_inputs, seen

CYCLES = 1200
Said = dict[str, list[tuple[int, ...]]]


def run_of(seed: int) -> dict[str, Records]:
    """All streams of a random run."""
    return seen(random_inputs(np.random.default_rng([1, seed]), CYCLES), CYCLES)


def by_cycle(rows: Records) -> list[str]:
    """A row for each of its cycles, in any order."""
    whole = np.repeat(rows, rows["cycles"] if "cycles" in (rows.dtype.names or ()) else 1)
    if len(whole) > len(rows):
        first = np.cumsum(rows["cycles"]) - rows["cycles"]
        whole["cycle"] += (np.arange(len(whole)) - np.repeat(first, rows["cycles"])).astype("u4")
        whole["cycles"] = 1
    return sorted(map(repr, whole.tolist()))


def test_it_changes_no_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor do cuts, or how many cycles are modelled at once, change it, but for what they end."""
    streams = run_of(5)
    account, again = both_ways(
        ControlModel, streams, (1, 90, 91, 700, CYCLES),
        lambda: monkeypatch.setattr(cycle_account, "ACCOUNT_CYCLES", 129),
    )  # fmt: skip
    for kind, rows in account.items():
        assert by_cycle(rows) == by_cycle(again[kind]), kind
    assert account["units"]["cycles"].sum() == CYCLES


def table(rows: Records, *fields: str) -> list[tuple[int, ...]]:
    return sorted(zip(*(column(rows, name).astype(int).tolist() for name in fields), strict=True))


def lasting(rows: Records, *fields: str) -> list[tuple[int, ...]]:
    """A row for each cycle in which the first of the fields is not 0."""
    return sorted(
        (cycle + k, *values)
        for cycle, cycles, *values in table(rows, "cycle", "cycles", *fields)
        for k in range(cycles)
        if values[0]
    )


def level(records: Records, *fields: str) -> list[tuple[int, ...]]:
    """The same of a level."""
    ends = [*records["cycle"].tolist(), CYCLES][1:]
    return [
        (cycle, *(int(row[name]) for name in fields))
        for row, end in zip(records, ends, strict=True)
        for cycle in range(int(row["cycle"]), end)
        if row[fields[0]]
    ]


def from_account(account: Account) -> Said:
    """What the account says of streams, as rows of (cycle, …)."""
    found: Said = {}
    for thread in range(THREADS):
        word, gate, product = (
            account[kind][column(account[kind], "thread") == thread]
            for kind in ("word", "gate", "product")
        )
        offered, latch = gate[gate["offered"]["valid"]], gate[gate["latch"]["kind"] > 0]
        found[f"t{thread}.issue"] = table(word, "cycle", "word")
        found[f"t{thread}.issued"] = table(offered[offered["wins"]], "cycle", "word")
        found[f"t{thread}.offered"] = [(int(offered["cycles"].sum()),)]
        found[f"t{thread}.fault"] = table(word[word["faults"] > 0], "cycle", "faults")
        found[f"t{thread}.latch"] = lasting(latch, "latch.kind", "what")
        found[f"t{thread}.gone"] = table(
            gate[(gate["latch"]["gone_from"] == gate["cycle"]) & (gate["cycle"] > 0)], "cycle"
        )
        low = (column(product, "operand_a") & 0xFFFF).astype(np.uint32) * (product["b"] & 0xFFFF)
        found[f"t{thread}.product"] = [
            (int(c) + 1, int(v))
            for c, v in zip(product["cycle"], low, strict=True)
            if c + 1 < CYCLES
        ]
    units, semaphore = account["units"], account["semaphore"]
    found["config_pipe"] = lasting(units, "stages")
    found["hold"] = lasting(units, "hold")
    found["mutexes"] = lasting(units, "mutexes")
    grant = account["grant"][account["grant"]["resource"] < len(UNITS)]
    found["units"] = table(grant, "cycle", "resource", "winner")
    found["views"] = table(account["viewed"], "cycle", "unit", "thread", "index")
    flop = account["flop"][account["flop"]["unit"]["writes_config"]]
    found["flop_write"] = table(flop, "cycle", "thread", "bank")
    found["risc_done"] = table(account["access"], "cycle")
    found["risc_sem_done"] = table(semaphore[semaphore["thread"] == THREADS], "cycle")
    found["semaphores"] = [
        (cycle, sum(value << 4 * k for k, value in enumerate(levels)))
        for cycle, levels in zip(
            semaphore["cycle"].tolist(), semaphore["levels"].tolist(), strict=True
        )
    ]
    found["sticky"] = [(int(row["cycle"]) + 1,) for row in account["sticky"]]
    return found


def from_streams(streams: Mapping[str, Records], said: Said) -> Said:
    """The same of the streams; when to look at semaphores and products the account says."""
    found: Said = {}
    for thread in range(THREADS):
        mine = {n[3:]: r for n, r in streams.items() if n.startswith(f"t{thread}.")}
        issue, latch, gpr = mine["issue"], mine["latch"], mine["gpr"]
        found[f"t{thread}.issue"] = table(issue, "cycle", "word")
        found[f"t{thread}.issued"] = found[f"t{thread}.issue"]
        offer = mine["offer"]["cycle"].astype(int)
        ends = np.append(issue["cycle"].astype(int) + 1, CYCLES)[: len(offer)]
        found[f"t{thread}.offered"] = [(int((ends - offer).sum()),)]
        found[f"t{thread}.fault"] = [
            (int(row["cycle"]), sum(int(row[f.name]) << bit for bit, f in enumerate(FAULTS)))
            for row in mine["fault"]
        ]
        found[f"t{thread}.latch"] = level(latch, "kind", "what")
        found[f"t{thread}.gone"] = table(latch[latch["valid"] == 0], "cycle")
        at = dict(zip(gpr["cycle"].tolist(), gpr["data"].tolist(), strict=True))
        found[f"t{thread}.product"] = [
            (cycle, at.get(cycle, -1)) for cycle, _ in said[f"t{thread}.product"]
        ]
    found["config_pipe"] = level(streams["config_pipe"], "stages")
    found["hold"] = level(streams["hold"], "value")
    found["mutexes"] = [
        (cycle, sum((value >> 3 * place & 1) << place for place in range(4)))
        for cycle, value in level(streams["mutexes"], "value")
    ]
    found["units"] = sorted(
        (cycle, number, thread)
        for number, unit in enumerate(UNITS)
        for cycle, thread in table(streams[unit], "cycle", "thread")
    )
    found["views"] = sorted(
        (row[0], number, *row[1:])
        for number, unit in enumerate(VIEWERS)
        for row in table(streams[f"view_{unit}"], "cycle", "thread", "index")
    )
    found["flop_write"] = table(streams["flop_write"], "cycle", "thread", "bank")
    for name in ("risc_done", "risc_sem_done", "sticky"):
        found[name] = table(streams[name], "cycle")
    values = streams["semaphores"]
    last = np.searchsorted(values["cycle"], [c for c, _ in said["semaphores"]], side="right")
    shown = [0, *values["value"].tolist()]
    found["semaphores"] = [
        (cycle, shown[k]) for (cycle, _), k in zip(said["semaphores"], last, strict=True)
    ]
    return found


def disagreements(account: Account, streams: Mapping[str, Records]) -> set[str]:
    said = from_account(account)
    shown = from_streams(streams, said)
    assert set(said) == set(shown)
    return {name.split(".")[-1] for name in said if said[name] != shown[name]}


@pytest.mark.parametrize("seed", range(12))
def test_it_says_what_the_streams_show(seed: int) -> None:
    streams = run_of(seed)
    assert disagreements(accounted(ControlModel(), streams, (100, CYCLES))[0], streams) == set()


@pytest.mark.parametrize(
    ("kind", "field", "caught"),
    [
        ("word", "faults", "fault"),
        ("word", "word", "issue"),
        ("gate", "cycles", "offered"),
        ("gate", "what", "latch"),
        ("gate", "gone_from", "gone"),
        ("units", "stages", "config_pipe"),
        ("units", "mutexes", "mutexes"),
        ("grant", "winner", "units"),
        ("viewed", "index", "views"),
        ("flop", "bank", "flop_write"),
        ("semaphore", "thread", "risc_sem_done"),
        ("access", "cycle", "risc_done"),
    ],
)
def test_a_lie_is_caught(kind: str, field: str, caught: str) -> None:
    """A bit is another in every row of a run that has any."""
    for seed in range(20):
        streams = run_of(seed)
        account, _ = accounted(ControlModel(), streams, [CYCLES])
        if len(account[kind]):
            column(account[kind], field)[:] ^= 1
            assert caught in disagreements(account, streams)
            return
    pytest.fail("no run has any")
