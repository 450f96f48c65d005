# SPDX-License-Identifier: Apache-2.0
"""What the account of the control block says, and what the streams show of the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from tilepath.engine.compiled.columns import column
from tilepath.engine.description.stream import Records
from tilepath.isa.boundary.control import FAULTS, THREADS, UNITS, VIEWERS
from tilepath.tests.account_runs import Account, Views, at, flags, rows_of
from tilepath.tests.blocks.random_runs import CYCLES

_EVERY: Final = np.arange(CYCLES)


def _whole(rows: Records, name: str) -> list[int]:
    """A column of rows that last, a value a cycle."""
    return np.repeat(column(rows, name).astype(int), rows["cycles"]).tolist()


def _level(records: Records, field: str) -> list[int]:
    """The same of a level."""
    return at(records, field, _EVERY).tolist()


def _of_units(streams: Mapping[str, Records], names: tuple[str, ...], *fields: str) -> Any:
    """Cycle, number of the unit, and fields of what several units are given."""
    return sorted(
        (cycle, number, *values)
        for number, name in enumerate(names)
        for cycle, *values in rows_of(streams[name], *fields)
    )


def _of_thread(account: Account, shown: Mapping[str, Records], thread: int) -> Views:
    word, gate, product = (
        rows[column(rows, "thread") == thread]
        for rows in (account[kind] for kind in ("word", "gate", "product"))
    )
    issued = rows_of(shown["issue"], "word")
    latch = shown["latch"]
    gone = (gate["latch"]["gone_from"] == gate["cycle"]) & (gate["cycle"] > 0)
    offers, issues = shown["offer"]["cycle"], shown["issue"]["cycle"]
    offered = np.searchsorted(offers, _EVERY, "right") - np.searchsorted(issues, _EVERY, "left")
    product = product[product["cycle"] < CYCLES - 1]
    low = (column(product, "operand_a") & 0xFFFF).astype(np.uint32) * (product["b"] & 0xFFFF)
    written = dict(rows_of(shown["gpr"], "data"))
    made = list(zip((product["cycle"] + 1).tolist(), low.tolist(), strict=True))
    return {
        "issue": (rows_of(word, "word"), issued),
        "issued": (rows_of(gate[gate["offered"]["valid"] & gate["wins"]], "word"), issued),
        "offered": (_whole(gate, "valid"), offered.tolist()),
        "fault": (rows_of(word[word["faults"] > 0], "faults"),
                  flags(shown["fault"], [fault.name for fault in FAULTS])),
        "latch": (_whole(gate, "latch.kind"), _level(latch, "kind")),
        "what": (list(np.array(_whole(gate, "what")) * (np.array(_whole(gate, "latch.kind")) > 0)),
                 _level(latch, "what")),
        "gone": (rows_of(gate[gone]), rows_of(latch[latch["valid"] == 0])),
        "product": (made, [(cycle, written.get(cycle, -1)) for cycle, _ in made]),
    }  # fmt: skip


def views(account: Account, streams: Mapping[str, Records], _: str) -> Views:
    """Of each thread, and of the units; when to look at semaphores and products the rows say."""
    units, semaphore, flop = (account[kind] for kind in ("units", "semaphore", "flop"))
    grant = account["grant"][account["grant"]["resource"] < len(UNITS)]
    mutexes = at(streams["mutexes"], "value", _EVERY)
    held = sum((mutexes >> 3 * place & 1) << place for place in range(4))
    levels = [sum(v << 4 * k for k, v in enumerate(row)) for row in semaphore["levels"].tolist()]
    found: dict[str, tuple[Any, Any]] = {
        "config_pipe": (_whole(units, "stages"), _level(streams["config_pipe"], "stages")),
        "hold": (_whole(units, "hold"), _level(streams["hold"], "value")),
        "mutexes": (_whole(units, "mutexes"), list(held)),
        "units": (sorted(rows_of(grant, "resource", "winner")),
                  _of_units(streams, UNITS, "thread")),
        "views": (sorted(rows_of(account["viewed"], "unit", "thread", "index")),
                  _of_units(streams, tuple(f"view_{unit}" for unit in VIEWERS), "thread", "index")),
        "flop_write": (rows_of(flop[flop["unit"]["writes_config"]], "thread", "bank"),
                       rows_of(streams["flop_write"], "thread", "bank")),
        "risc_done": (rows_of(account["access"]), rows_of(streams["risc_done"])),
        "risc_sem_done": (rows_of(semaphore[semaphore["thread"] == THREADS]),
                          rows_of(streams["risc_sem_done"])),
        "sticky": (rows_of(account["sticky"], late=1), rows_of(streams["sticky"])),
        "semaphores": (levels, at(streams["semaphores"], "value", semaphore["cycle"]).tolist()),
    }  # fmt: skip
    for thread in range(THREADS):
        shown = {name[3:]: some for name, some in streams.items() if name[:3] == f"t{thread}."}
        its = _of_thread(account, shown, thread)
        found |= {f"{name} {thread}": both for name, both in its.items()}
    return found
