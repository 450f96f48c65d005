# SPDX-License-Identifier: Apache-2.0
"""What the account of the packers says, and what the streams show of the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from tilepath.engine.compiled.columns import column
from tilepath.engine.description.stream import Records
from tilepath.isa.boundary.pack import LANES, PACKERS, SLOTS
from tilepath.isa.profiles import get
from tilepath.tests.account_runs import Account, Views


def comparable(kind: str, rows: Records) -> Records:
    """Of short rows and groups the rest is anything."""
    return rows[:0] if kind in ("row", "group") else rows


def said(account: Account, kind: str, *fields: str) -> Counter[tuple[int, ...]]:
    """Columns of the rows of a kind."""
    rows = account[kind]
    return Counter(zip(*(column(rows, name).astype(int).tolist() for name in fields), strict=True))


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


def views(account: Account, streams: Mapping[str, Records], profile: str) -> Views:
    """What the account says, and what the streams show of the same."""
    packers = get(profile).packers
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
        "dst": (
            Counter((lane, int(r["cycle"]), int(r["rows"][lane]))
                    for r in account["dst"] for lane in range(LANES) if r["rows"][lane] >= 0),
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
            said(account, "share", "share.head.cycle", "share.packer"),
            Counter(
                (int(r["cycle"]), p)
                for r in faulty for p in range(packers) if int(r["head"]["packers"]) >> p & 1
            ),
        ),
    }  # fmt: skip
