# SPDX-License-Identifier: Apache-2.0
"""What the account of the unpackers says of each stream, and what the stream shows."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from tilepath.engine.compiled.columns import column
from tilepath.engine.description.stream import Records
from tilepath.isa.boundary.unpack import THREADS, UNPACKERS, WRITES
from tilepath.models.unpack.account import KINDS
from tilepath.models.unpack.faults import READ_FAULTS, UNIT_FAULTS, WRITE_FAULTS
from tilepath.models.unpack.plan import Kind
from tilepath.models.unpack.timing_state import WRITE
from tilepath.tests.account_runs import Account, Views, at, flags, rows_of

COUNTERS = ("x0", "y0", "z0", "w0", "x1", "y1", "z1", "w1")


def comparable(_: str, rows: Records) -> Records:
    """What shows of counters comes set after set in each step."""
    place = rows["set"] * 2 + rows["unpacker"] if rows.dtype == KINDS["shown"] else rows["cycle"]
    return rows[np.argsort(place, kind="stable")]


def changes(level: Records, width: int, places: int) -> list[tuple[int, int, int, int]]:
    """Cycle, place, value before and value of each change in a level of several values."""
    found, before = [], 0
    for when, value in rows_of(level, "value"):
        for place in range(places):
            one, other = (v >> width * place & ((1 << width) - 1) for v in (before, value))
            if one != other:
                found.append((when, place, one, other))
        before = value
    return found


def views(account: Account, seen: Mapping[str, Records], _: str) -> Views:
    """Of all streams; those of one unpacker with its number behind the name."""
    assert set(KINDS) < set(account)
    found: dict[str, tuple[Any, Any]] = {}
    for u in range(UNPACKERS):
        mine = {k: r[r["unpacker"] == u] for k, r in account.items() if "unpacker" in r.dtype.names}
        its = {name[3:]: records for name, records in seen.items() if name.startswith(f"u{u}.")}
        found |= {f"{name} {u}": both for name, both in of_unpacker(u, mine, its, seen).items()}
    handed, matrix = account["handed"], account["matrix"]
    bank = 2 * handed["unpacker"].astype(int) + handed["bank"]
    pause = changes(seen["pause"], 1, 1)
    read = column(matrix, "read")
    asked = seen["matrix"][seen["matrix"]["read"] > 0]
    reads = ("read", "banks", "release", "clear")
    for t in range(THREADS):
        words = account["counter_word"]
        issued = rows_of(seen[f"t{t}.counter"], "word")
        told = rows_of(words[words["thread"] == t], "instruction")
        found[f"counters {t}"] = (told, issued)
    return found | {
        "handed": (list(zip(handed["cycle"].tolist(), bank.tolist(), strict=True)),
                   [(c, p) for c, p, _, now in changes(seen["owner"], 1, 4) if now]),
        "formats": (
            [(c, 2 * u + b, f)
             for c, u, b, f in rows_of(account["format"], "unpacker", "bank", "format")],
            [(c, p, now) for c, p, _, now in changes(seen["implied"], 4, 4)],
        ),
        "stale": (rows_of(account["stale"], "bank"),
                  [(c, p) for c, p, _, now in changes(seen["stale"], 1, 2) if not now]),
        "pauses": ([(c, c - n) for c, n in rows_of(account["pause"], "cycles")],
                   [(late[0], early[0]) for early, late in pairwise(pause) if not late[3]]),
        "reads": (rows_of(matrix[read > 0], *reads), rows_of(asked, *reads)),
        "rows": (rows_of(matrix[matrix["writes"] > 0], "target", "bank", "write.wide"),
                 rows_of(seen["matrix_write"], "target", "bank", "wide")),
        "valid": (rows_of(matrix[read >> 2 == 1], "valid", late=1),
                  rows_of(seen["answer_d"], "row_valid")),
        "unit faults": (rows_of(account["unit_fault"], "flags_"),
                        flags(seen["unit_fault"], UNIT_FAULTS)),
        "flops": (rows_of(account["flop"], "bank"), rows_of(seen["flop"], "bank")),
        "stores": (rows_of(account["store"], "thread"), rows_of(seen["store"], "thread")),
        "shown": (sorted(rows_of(account["shown"], "live")), shown_counters(seen)),
    }  # fmt: skip


def of_unpacker(unpacker: int, mine: Account, its: Account, seen: Mapping[str, Records]) -> Views:
    """What the account and the streams say of one unpacker."""
    sampled, steps, setreg = mine["sampled"], mine["step"], mine["setreg"]
    cycles = sampled["cycle"]
    owner, matrix = (at(seen[name], "value", cycles) for name in ("owner", "matrix_bank"))
    levels = at(its["pointers"], "bank", cycles), owner >> 2 * unpacker & 3, matrix >> unpacker & 1
    latency = at(seen["l1_latency"], "cycles", its["read"]["cycle"]).tolist()
    requests = rows_of(its["read"], "count", "rsi_count")
    setreg = setreg[(column(setreg, "accumulate") == 0) | (column(setreg, "reg_value") > 0)]
    plain = mine["regular"]["plan"]["source"]
    plain = plain[plain["compressed"] == 0]
    found = {
        "words": ([row[1:] for row in rows_of(sampled, "thread", "word")],
                  [row[1:] for row in rows_of(its["issue"], "thread", "word")]),
        "levels": (rows_of(sampled, "bank", "owners", "matrix_bank"),
                   list(zip(cycles.tolist(), *(x.tolist() for x in levels), strict=True))),
        "requests": (rows_of(mine["request"], "lines", "rsi_lines", "latency"),
                     [(*row, now) for row, now in zip(requests, latency, strict=True)]),
        "clears": (rows_of(mine["clear"], late=WRITE), rows_of(its["clear"])),
        "setreg": (rows_of(setreg, "value"), rows_of(its["setreg"], "data")),
        "faults": (rows_of(mine["fault"], "flags_"), rows_of(its["fault"], "flags")),
        "read faults": (rows_of(mine["read_fault"], "flags_"),
                        flags(its["read_fault"], READ_FAULTS)),
        "write faults": (rows_of(mine["write_fault"], "flags_"),
                         flags(its["write_fault"], WRITE_FAULTS)),
        "datums": ((int(plain["count"].sum()),
                    int((column(sampled, "kind") == Kind.REGULAR).sum())),
                   (int((mine["datum"]["compressed"] == 0).sum()), len(mine["regular"]))),
    }  # fmt: skip
    for group, name in enumerate(WRITES):
        some = steps[steps["groups"] >> group & 1 == 1]
        ends = zip(some["first_row"][:, group], some["last_row"][:, group], strict=True)
        wide = (column(some, "wide") * column(some, "to_dst")).tolist()
        told = [
            (row[0], *map(int, pair), w)
            for row, pair, w in zip(rows_of(some, late=WRITE), ends, wide, strict=True)
        ]
        written = [
            (c, a + 32 * group + ((m & -m).bit_length() - 1) >> 4,
             a + 32 * group + m.bit_length() - 1 >> 4, w)
            for c, a, m, w in rows_of(its[name], "address", "mask", "wide")
        ]  # fmt: skip
        found[name] = (told, written)
    return found


def shown_counters(seen: Mapping[str, Records]) -> list[tuple[int, ...]]:
    streams = [seen[f"t{t}.unpacker{u}"] for t in range(THREADS) for u in range(UNPACKERS)]
    masks = [0xFFFF if name[0] != "x" else 0x3FFFF for name in COUNTERS]
    return sorted(
        (c, *(v & m for v, m in zip(values, masks, strict=True)))
        for records in streams
        for c, *values in rows_of(records, *COUNTERS)
    )
