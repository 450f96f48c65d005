# SPDX-License-Identifier: Apache-2.0
"""What the account of the math stand-in says, and what the streams show of the same."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tilepath.engine.compiled.columns import column
from tilepath.engine.description.stream import Records
from tilepath.isa.boundary.matrix import RWC
from tilepath.models.standin.plan import OPS, Op
from tilepath.tests.account_runs import Account, Views, at, rows_of


def views(account: Account, streams: Mapping[str, Records], _: str) -> Views:
    """What the account says, and what the streams show of the same."""
    told, rows, issue = account["instruction"], account["row"], streams["issue"]
    number = {int(op): place for place, op in enumerate(Op)}
    ops = np.array([number.get(int(word) >> 24, len(OPS) - 1) for word in issue["word"]])

    def of(name: str, *those: str, late: int = 0) -> Records:
        """Records while one of those instructions is inside."""
        place = np.searchsorted(issue["cycle"], streams[name]["cycle"] - late, side="left") - 1
        found: Records = streams[name][np.isin(ops[place], [OPS.index(op) for op in those])]
        return found

    sampled, falls = told["sampled"].astype(np.int64), streams["busy"]
    counters = [
        (sample, *(int(at(streams[f"t{t}.rwc"], name, sample)) for name, _ in RWC))
        for sample, t in zip(sampled.tolist(), told["thread"], strict=True)
    ]
    banks = at(streams["matrix_bank"], "value", sampled)
    cycles = np.arange(int(issue["cycle"][-1]) + 200)
    paused = at(streams["pause"], "value", cycles) & (at(falls, "value", cycles) > 0)
    results = of("matrix_write", *OPS[:6])["data"].reshape(-1, 1)
    moved = {name: of(f"answer_{name}", op, late=1)
             for name, op in (("a", "MOVA2D"), ("b", "MOVB2D"))}  # fmt: skip
    term, dot = account["term"], account["dot"]["note"]
    factors = np.bitwise_count(dot["zeros"]) + dot["shifts"].sum(axis=1)
    maximum = account["maximum"]
    first = account["result"]["op"] == OPS.index("GMPOOL")
    low = {name: of(f"answer_{name}", *OPS[3:6], late=1) for name in "ab"}
    raised = told[column(told, "faults") > 0]
    return {
        "issue": (rows_of(told, "thread", "word"), rows_of(issue, "thread", "word")),
        "busy": ((told["last"] + 1).tolist(), falls["cycle"][falls["value"] == 0].tolist()),
        "fault": (rows_of(raised, "thread", "faults", when="last"),
                  rows_of(streams["fault"], "thread", "flags")),
        "rwc": (rows_of(told, "rwc", when="sampled"), counters),
        "banks": (column(told, "banks").tolist(), np.stack((banks & 1, banks >> 1), 1).tolist()),
        "row": (rows_of(rows, "target", "number"),
                rows_of(streams["matrix_write"], "target", "row")),
        "valid": (rows["valid"][rows["reads_dst"] > 0].tolist(),
                  streams["answer_d"]["row_valid"].tolist()),
        "pause": (
            [c + k for c, n in rows_of(account["pause"], "cycles") for k in range(n)],
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
        "store": (rows_of(account["store"], "thread", "index"),
                  rows_of(streams["store"], "thread", "index")),
    }  # fmt: skip
