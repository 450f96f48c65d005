# SPDX-License-Identifier: Apache-2.0
"""What the account of the math stand-in says, and what the streams show of the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tilepath.engine.compiled.columns import column
from tilepath.engine.description.stream import Records
from tilepath.models.standin.plan import OPS, Op
from tilepath.tests.account_runs import Account, Views

Rows = list[tuple[int, ...]]
Ints = np.ndarray[Any, np.dtype[np.int64]]


def said(rows: Records, *fields: str) -> Rows:
    """Columns of rows, those of several elements one after the other."""
    parts = [column(rows, name).reshape(len(rows), -1).astype(np.int64) for name in fields]
    return [tuple(row) for row in np.concatenate(parts, axis=1).tolist()]


def level(records: Records, field: str, cycles: Ints) -> Ints:
    """A level in these cycles."""
    values = np.append(0, records[field].astype(np.int64))
    found: Ints = values[np.searchsorted(records["cycle"], cycles, side="right")]
    return found


def views(account: Account, streams: Mapping[str, Records], _: str) -> Views:
    """What the account says, and what the streams show of the same."""
    told, counter, rows, issue = (
        account["instruction"], account["counter"], account["row"], streams["issue"]
    )  # fmt: skip
    number = {int(op): place for place, op in enumerate(Op)}
    ops = np.array([number.get(int(word) >> 24, len(OPS) - 1) for word in issue["word"]])

    def of(name: str, *those: str, late: int = 0) -> Records:
        """Records while one of those instructions is inside."""
        place = np.searchsorted(issue["cycle"], streams[name]["cycle"] - late, side="left") - 1
        found: Records = streams[name][np.isin(ops[place], [OPS.index(op) for op in those])]
        return found

    sampled, falls = told["sampled"].astype(np.int64), streams["busy"]
    rwc = [streams[f"t{thread}.rwc"] for thread in range(3)]
    found = zip(counter["cycle"], counter["thread"], counter["counter"], strict=True)
    counters = [
        tuple(int(level(rwc[t], f"{'abd'[k]}{more}", c)) for more in ("", "_cr"))
        for c, t, k in found
    ]
    phases = [
        tuple(int(level(rwc[t], name, c)) for name in ("phase", "bias"))
        for c, t in zip(sampled, told["thread"], strict=True)
    ]
    banks = level(streams["matrix_bank"], "value", sampled)
    cycles = np.arange(int(issue["cycle"][-1]) + 200)
    paused = level(streams["pause"], "value", cycles) & (level(falls, "value", cycles) > 0)
    results = of("matrix_write", *OPS[:6])["data"].reshape(-1, 1)
    moved = {name: of(f"answer_{name}", op, late=1)
             for name, op in (("a", "MOVA2D"), ("b", "MOVB2D"))}  # fmt: skip
    term, dot = account["term"], account["dot"]
    factors = dot["zeros"] + dot["shifts"].sum(axis=1)
    maximum = account["maximum"]
    first = account["result"]["op"] == OPS.index("GMPOOL")
    low = {name: of(f"answer_{name}", *OPS[3:6], late=1) for name in "ab"}
    raised = told[column(told, "faults") > 0]
    return {
        "issue": (said(told, "cycle", "thread", "word"), said(issue, "cycle", "thread", "word")),
        "busy": ([(last + 1,) for (last,) in said(told, "last")],
                 said(falls[falls["value"] == 0], "cycle")),
        "fault": (said(raised, "last", "thread", "faults"),
                  said(streams["fault"], "cycle", "thread", "flags")),
        "counter": (said(counter, "old", "checkpoint"), counters),
        "phase": (said(told, "phase", "bias"), phases),
        "banks": (said(told, "banks"), [(bank & 1, bank >> 1) for bank in banks.tolist()]),
        "row": (said(rows, "cycle", "target", "number"),
                said(streams["matrix_write"], "cycle", "target", "row")),
        "valid": (said(rows[rows["reads_dst"] > 0], "valid"),
                  said(streams["answer_d"], "row_valid")),
        "pause": (
            [c + k for c, n in said(account["pause"], "cycle", "cycles") for k in range(n)],
            np.flatnonzero(paused).tolist(),
        ),
        "result": (account["result"]["stored"].tolist(), results.ravel().tolist()),
        "moved": (
            account["moved"]["datum"][np.argsort(account["moved"]["op"], kind="stable")].tolist(),
            [*moved["a"]["data"].ravel().tolist(), *moved["b"]["data"].ravel().tolist()],
        ),
        "term": ((term["a"] & 31).tolist(), (low["a"]["data"] & 31).ravel().tolist()),
        "dot": (factors[(dot["tops"] > 0).all(axis=1)].tolist(),
                [16] * int((dot["tops"] > 0).all(axis=1).sum())),
        "maximum": (len(maximum) * 4, int(first.sum())),
        "store": (said(account["store"], "cycle", "thread", "index"),
                  said(streams["store"], "cycle", "thread", "index")),
    }  # fmt: skip
