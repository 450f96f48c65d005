# SPDX-License-Identifier: Apache-2.0
"""Accounts of all blocks: they change nothing, and say what streams show.

``tests/<block>/account_views.py`` has both of a block.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pytest

from tilepath.engine.compiled.account import Told, account_of, new_row
from tilepath.engine.compiled.columns import column, leaves
from tilepath.engine.compiled.records import record
from tilepath.engine.description.stream import Records
from tilepath.models.adc import timing as adc_timing
from tilepath.models.control import cycle_account as control_timing
from tilepath.models.frontend import timing as frontend_timing
from tilepath.tests.account_runs import Account, Views, a_row_a_cycle, accounted, both_ways
from tilepath.tests.adc import account_views as adc
from tilepath.tests.blocks.random_runs import Inputs, recorded_run, some_cuts
from tilepath.tests.control import account_views as control
from tilepath.tests.flag_pipe import account_views as flag_pipe
from tilepath.tests.frontend import account_views as frontend
from tilepath.tests.pack import account_views as pack
from tilepath.tests.standin import account_views as standin
from tilepath.tests.unpack import account_views as unpack

LAST, FIRST, ALL = -1, 0, slice(None)


@dataclass(frozen=True)
class Case:
    """Of a block: what is compared, what of rows does not depend on cuts, and seeds of runs.

    ``less``: module and name of how much is modelled at once, which may be less. ``whole``: whether
    no stream is left out of what is compared.
    """

    views: Callable[[Account, Inputs, str], Views]
    comparable: Callable[[str, Records], Records] = lambda _, rows: rows
    seeds: tuple[int, ...] = tuple(range(8))
    less: tuple[Any, str, int] | None = None
    whole: bool = False

    def disagreements(self, account: Account, seen: Inputs, profile: str) -> set[str]:
        """Of what the streams show something else."""
        found = self.views(account, seen, profile)
        return {name for name, (said, shown) in found.items() if said != shown}


CASES: Final = {
    "adc": Case(adc.views, less=(adc_timing, "CYCLES", 7), whole=True),
    "control": Case(
        control.views, a_row_a_cycle, tuple(range(12)), (control_timing, "ACCOUNT_CYCLES", 129)
    ),
    "flag_pipe": Case(flag_pipe.views),
    "frontend": Case(frontend.views, a_row_a_cycle, less=(frontend_timing, "ACCOUNT_CYCLES", 129)),
    "pack": Case(pack.views, pack.comparable),
    "standin": Case(standin.views, seeds=(0, 1, 2)),
    # of the first ones those whose instructions have time enough
    "unpack": Case(unpack.views, unpack.comparable, (0, 1, 2, 4, 5, 9, 12, 13)),
}
"""Block → its case."""


@pytest.mark.parametrize(("name", "seed"), [(name, seed) for name in CASES for seed in range(4)])
def test_it_changes_no_record(name: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor do cuts, or how much is modelled at once, change the account."""
    block, profile, seen, end = recorded_run(name, seed)
    parts = some_cuts(seen, end, np.random.default_rng(seed))
    cuts = sorted({1, end, *(cycle for some in parts for cycle in some)})
    compare, less = CASES[name].comparable, CASES[name].less
    account, again = both_ways(
        lambda: block.model(profile), seen, cuts, lambda: less and monkeypatch.setattr(*less)
    )
    for kind, rows in account.items():
        one, other = compare(kind, rows), compare(kind, again[kind])
        for path in leaves(rows.dtype):
            assert np.array_equal(column(one, path), column(other, path)), (kind, path)


@pytest.mark.parametrize(
    ("name", "seed"), [(name, seed) for name, case in CASES.items() for seed in case.seeds]
)
def test_it_says_what_the_streams_show(name: str, seed: int) -> None:
    block, profile, seen, end = recorded_run(name, seed)
    account, _ = accounted(block.model(profile), seen, [100, end])
    case = CASES[name]
    assert case.disagreements(account, seen, profile) == set()
    assert not case.whole or set(block.stream_table) <= set(case.views(account, seen, profile))
    assert (name, seed) != ("standin", 0) or all(len(rows) for rows in account.values())


def test_no_pass_of_a_step_has_the_room_of_another() -> None:
    """Nor has the next step's first: rows that are not whole go there while others are read."""
    told = Told(account_of({"one": record(cycle=np.uint32)}, 4, {}, record(number=np.int64)))
    assert told.taken(True) == []
    told.keep()["number"] = 7
    for passes in (1, 3, 1, 2, 4, 4):
        rooms = [told.accounts.ctypes.data]
        for number in range(passes):
            new_row(told.accounts[0].one, number)
            (found,) = told.taken(number + 1 == passes)
            assert found["one"]["cycle"].tolist() == [number]
            rooms.append(told.accounts.ctypes.data)
            assert told.accounts["memory"]["number"] == 7
        assert len(set(rooms)) == passes + 1


LIES: Final = [
    *(("adc", 1, kind, field, FIRST, caught) for kind, field, caught in (
        ("word", "faults", "t1.fault"), ("touch", "live", "found"),
        ("touch", "number", "touched twice"), ("change", "set", "t0.unpacker t1.unpacker"))),
    *(("control", 1, kind, field, ALL, caught) for kind, field, caught in (
        ("word", "faults", "fault"), ("word", "word", "issue"),
        ("gate", "cycles", "offered latch what"), ("gate", "what", "what"),
        ("gate", "gone_from", "gone"),
        ("units", "stages", "config_pipe"), ("units", "mutexes", "mutexes"),
        ("grant", "winner", "units"), ("viewed", "index", "views"), ("flop", "bank", "flop_write"),
        ("semaphore", "thread", "risc_sem_done"), ("access", "cycle", "risc_done"))),
    *(("flag_pipe", 0, kind, field, FIRST, kind) for kind, field in (
        ("command", "command.op"), ("wait", "length"), ("beat", "port"),
        ("response", "error"), ("endpoint", "endpoint.mask"), ("flag", "flag"), ("strobe", "pair"),
        ("fault", "faults"))),
    ("flag_pipe", 4, "deadlock", "pair", FIRST, "deadlock"),
    ("flag_pipe", 0, "wait", "then", ALL, "transfer"),
    *(("frontend", 1, kind, field, FIRST, caught) for kind, field, caught in (
        ("thread", "faults", "fault"), ("thread", "m", "m"), ("thread", "popped", "fifo"),
        ("thread", "played", "played"), ("thread", "mop_state", "mop_state"),
        ("stored", "cycle", "m"), ("mop", "length", "length"))),
    *(("pack", 0, kind, field, FIRST, kind) for kind, field in (
        ("instruction", "thread"), ("line", "kind"), ("busy", "threads"), ("share", "packer"))),
    ("pack", 0, "dst", "rows", ALL, "dst"),
    *(("standin", 0, kind, field, ALL, caught) for kind, field, caught in (
        ("instruction", "word", "issue"), ("instruction", "last", "busy fault"),
        ("instruction", "banks", "banks"), ("instruction", "faults", "fault"),
        ("instruction", "rwc", "rwc"), ("row", "number", "row"),
        ("result", "stored", "result"), ("moved", "datum", "moved"), ("term", "a", "term"),
        ("dot", "shifts", "dot"), ("pause", "cycles", "pause"), ("store", "index", "store"))),
    *(("unpack", 9, kind, field, LAST, caught) for kind, field, caught in (
        ("sampled", "bank", "levels"), ("request", "lines", "requests"),
        ("request", "latency", "requests"), ("step", "first_row", "write"),
        ("handed", "cycle", "handed"), ("format", "format", "formats"),
        ("fault", "flags_", "faults"), ("shown", "live", "shown"),
        ("datum", "compressed", "datums"), ("regular", "", "datums"))),
]  # fmt: skip
"""Block, seed, kind, field of which a bit is another or none if the last row is gone; which rows;
what the streams show otherwise then."""


@pytest.mark.parametrize(("name", "seed", "kind", "field", "rows", "caught"), LIES)
def test_a_lie_is_caught(
    name: str, seed: int, kind: str, field: str, rows: Any, caught: str
) -> None:
    block, profile, seen, end = recorded_run(name, seed)
    account, _ = accounted(block.model(profile), seen, [end])
    if field:
        column(account[kind], field)[rows] ^= 1
    else:
        account[kind] = account[kind][:-1]
    found = CASES[name].disagreements(account, seen, profile)
    assert found and all(one.startswith(tuple(caught.split())) for one in found)
