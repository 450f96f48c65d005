# SPDX-License-Identifier: Apache-2.0
"""The account of the packers: it changes nothing, and says what the streams show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pytest

from tilepath.isa.boundary.pack import LANES, PACKERS, SLOTS
from tilepath.isa.profiles import get
from tilepath.models.pack.cycle import PackModel
from tilepath.tb.kernel.description.stream import Records
from tilepath.tests.account_runs import Account, accounted, both_ways
from tilepath.tests.model_runs import random_cuts
from tilepath.tests.pack.pack_cover import random_run

Views = tuple[Counter[tuple[int, ...]], Counter[tuple[int, ...]]]


@pytest.mark.parametrize("seed", range(4))
def test_it_changes_no_record(seed: int) -> None:
    """Nor do cuts change it."""
    seen, end, profile = random_run(seed)
    cuts = [1, *random_cuts(np.random.default_rng(seed), end, 20)]
    account, again = both_ways(lambda: PackModel(profile), seen, cuts)
    for kind, rows in account.items():
        for field in rows.dtype.names or ():
            if kind not in ("row", "group"):  # of short ones the rest is anything
                assert np.array_equal(rows[field], again[kind][field]), (kind, field)


def said(account: Account, kind: str, *fields: str) -> Counter[tuple[int, ...]]:
    """Columns of the rows of a kind."""
    rows = account[kind]
    return Counter(zip(*(rows[name].astype(int).tolist() for name in fields), strict=True))


def shown(streams: Mapping[str, Records], name: str, copies: int, *fields: str) -> Counter[
    tuple[int, ...]
]:  # fmt: skip
    """Columns of the records of a stream, behind the number of the copy."""
    return Counter(
        (number, *(int(record[field]) for field in fields))
        for number in range(copies)
        for record in streams[name.format(number)]
    )


def words(rows: Records) -> Counter[tuple[int, ...]]:
    """Lines by their words."""
    return Counter(map(tuple, rows.tolist()))


def views(account: Account, streams: Mapping[str, Records], packers: int) -> dict[str, Views]:
    """What the account says, and what the streams show of the same."""
    lines = account["line"]
    slots = [streams[f"w{slot}.write"] for slot in range(SLOTS)]
    reads = account["read"]
    added = {"read": reads[reads["is_source"] == 0]}
    sums = words(account["sum"]["total"])
    busy = streams["busy"]["value"].astype(int)
    faulty = account["instruction"]
    return {
        "instruction": (
            said(account, "instruction", "cycle", "thread"),
            Counter((int(r["cycle"]), int(r["thread"])) for r in streams["issue"]),
        ),
        "grant": (
            said(account, "grant", "lane", "cycle", "row"),
            shown(streams, "l{}.row", LANES, "cycle", "row"),
        ),
        "line": (
            Counter(zip(lines["cycle"].tolist(), lines["kind"].tolist(), strict=True)),
            Counter((int(r["cycle"]), int(r["kind"])) for some in slots for r in some),
        ),
        "read": (
            said(added, "read", "packer", "cycle", "count"),
            shown(streams, "p{}.read", packers, "cycle", "count"),
        ),
        "busy": (
            Counter(
                (int(row["cycle"]), *map(int, row["threads"])) for row in account["busy"]
            ),
            Counter(
                (int(cycle), *(
                    sum((value >> PACKERS * t + p & 1) << t for t in range(3))
                    for p in range(PACKERS)
                ))
                for cycle, value in zip(streams["busy"]["cycle"], busy.tolist(), strict=True)
            ),
        ),
        "sum": (sums, sums & sum((words(some["data"]) for some in slots), Counter())),
        "share": (
            Counter((int(r["issued"]), int(r["packer"])) for r in account["share"]),
            Counter(
                (int(r["cycle"]), p)
                for r in faulty for p in range(packers) if int(r["packers"]) >> p & 1
            ),
        ),
    }  # fmt: skip


def disagreements(account: Account, streams: Mapping[str, Records], packers: int) -> set[str]:
    """Kinds of which the streams show something else."""
    return {k for k, (ours, theirs) in views(account, streams, packers).items() if ours != theirs}


@pytest.mark.parametrize("seed", range(8))
def test_it_says_what_the_streams_show(seed: int) -> None:
    seen, end, profile = random_run(seed)
    account, _ = accounted(PackModel(profile), seen, [100, end])
    assert disagreements(account, seen, get(profile).packers) == set()


@pytest.mark.parametrize(
    ("kind", "field"),
    [("instruction", "thread"), ("grant", "row"), ("line", "kind"), ("busy", "threads"),
     ("share", "packer")],
)  # fmt: skip
def test_a_lie_is_caught(kind: str, field: str) -> None:
    """A bit is another in the first row."""
    seen, end, profile = random_run(0)
    account, _ = accounted(PackModel(profile), seen, [end])
    account[kind][field][0] ^= 1
    assert disagreements(account, seen, get(profile).packers) == {kind}
