# SPDX-License-Identifier: Apache-2.0
"""Accounts of the blocks that run beside a program: they change nothing, and say what streams show.

``tests/<block>/account_views.py`` has both of a block.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pytest

from tilepath.tb.kernel.description.stream import Records
from tilepath.tests.account_runs import Account, Views, accounted, both_ways
from tilepath.tests.blocks.random_runs import Inputs, recorded_run, some_cuts
from tilepath.tests.pack import account_views as pack
from tilepath.tests.standin import account_views as standin
from tilepath.tests.unpack import account_views as unpack

LAST, FIRST, ALL = -1, 0, slice(None)


@dataclass(frozen=True)
class Case:
    """Of a block: what is compared, what of rows does not depend on cuts, and seeds of programs."""

    views: Callable[[Account, Inputs, str], Views]
    comparable: Callable[[str, Records], Records] = lambda _, rows: rows
    seeds: tuple[int, ...] = tuple(range(8))

    def disagreements(self, account: Account, seen: Inputs, profile: str) -> set[str]:
        """Of what the streams show something else."""
        found = self.views(account, seen, profile)
        return {name for name, (said, shown) in found.items() if said != shown}


CASES: Final = {
    "pack": Case(pack.views, pack.comparable),
    "standin": Case(standin.views, seeds=(0, 1, 2)),
    # of the first ones those whose instructions have time enough
    "unpack": Case(unpack.views, unpack.comparable, (0, 1, 2, 4, 5, 9, 12, 13)),
}
"""Block → its case."""


@pytest.mark.parametrize(("name", "seed"), [(name, seed) for name in CASES for seed in range(4)])
def test_it_changes_no_record(name: str, seed: int) -> None:
    """Nor do cuts change the account."""
    block, profile, seen, end = recorded_run(name, seed)
    parts = some_cuts(seen, end, np.random.default_rng(seed))
    cuts = sorted({1, end, *(cycle for some in parts for cycle in some)})
    account, again = both_ways(lambda: block.model(profile), seen, cuts)
    compare = CASES[name].comparable
    for kind, rows in account.items():
        one, other = compare(kind, rows), compare(kind, again[kind])
        for field in rows.dtype.names or ():
            assert np.array_equal(one[field], other[field]), (kind, field)


@pytest.mark.parametrize(
    ("name", "seed"), [(name, seed) for name, case in CASES.items() for seed in case.seeds]
)
def test_it_says_what_the_streams_show(name: str, seed: int) -> None:
    block, profile, seen, end = recorded_run(name, seed)
    account, _ = accounted(block.model(profile), seen, [100, end])
    assert CASES[name].disagreements(account, seen, profile) == set()
    assert (name, seed) != ("standin", 0) or all(len(rows) for rows in account.values())


LIES: Final = [
    *(("pack", 0, kind, field, FIRST, kind) for kind, field in (
        ("instruction", "thread"), ("grant", "row"), ("line", "kind"), ("busy", "threads"),
        ("share", "packer"))),
    *(("standin", 0, kind, field, ALL, caught) for kind, field, caught in (
        ("instruction", "word", "issue"), ("instruction", "last", "busy fault"),
        ("instruction", "banks", "banks"), ("instruction", "faults", "fault"),
        ("counter", "checkpoint", "counter"), ("row", "number", "row"),
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
        account[kind][field][rows] ^= 1
    else:
        account[kind] = account[kind][:-1]
    found = CASES[name].disagreements(account, seen, profile)
    assert found and all(one.startswith(tuple(caught.split())) for one in found)
