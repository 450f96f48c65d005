# SPDX-License-Identifier: Apache-2.0
"""What the account of the front end says, and what the streams show of the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.description.stream import Records
from tilepath.isa.boundary.frontend import THREADS
from tilepath.models.frontend import expand_mop
from tilepath.models.frontend.account import MOP_CFG_TAKEN, Replaying, WordKind, kind_of
from tilepath.tests.account_runs import Account, Views
from tilepath.tests.blocks.random_runs import CYCLES

Columns = dict[str, NDArray[np.int64]]
_AS_SHOWN = (
    *("r", "m", "fifo", "ready", "issued", "refused", "popped", "mop_state", "qstatus", "sticky"),
)


def by_cycle(rows: Records, field: str) -> NDArray[np.int64]:
    """A column of stretches, a value a cycle."""
    return np.repeat(rows[field].astype(np.int64), rows["cycles"])


def events(cycles: Any, values: Any = 1) -> NDArray[np.int64]:
    """A column from events; ``values`` are not 0."""
    column = np.zeros(CYCLES, np.int64)
    column[cycles] = values
    return column


def level(records: Records, field: str) -> NDArray[np.int64]:
    """A column from the records of a level."""
    column = np.zeros(CYCLES, np.int64)
    for cycle, value in zip(records["cycle"], records[field], strict=True):
        column[cycle:] = value
    return column


def so_far(column: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many there were before each cycle."""
    return np.cumsum(column) - column


def kinds(words: Records) -> list[int]:
    """``1 + WordKind`` of each word."""
    return [1 + int(kind_of(int(word))) for word in words]


def _from_account(account: Account, thread: int) -> Columns:
    """What the account says of a thread, a value a cycle."""
    mine = {kind: rows[rows["thread"] == thread] for kind, rows in account.items()}
    stored, mop, rows = mine["stored"], mine["mop"], mine["thread"]
    started = mine["replay"][mine["replay"]["ends"] == 0]
    told = {name: by_cycle(rows, name) for name in _AS_SHOWN}
    return told | {
        "accept": (by_cycle(rows, "accepted") + 1) % (WordKind.NONE + 1),
        "replay_state": np.minimum(by_cycle(rows, "replay_state"), Replaying.REC),
        "fault": by_cycle(rows, "faults"),
        "mop": events(mop["cycle"], mop["word"]),
        "mop_cfg": (by_cycle(rows, "ingested") == MOP_CFG_TAKEN) * (1 + by_cycle(rows, "value")),
        "mopcfg": events(mine["write"]["cycle"], 1 + mine["write"]["datum"].astype(int)),
        "sync": by_cycle(rows, "requested"),
        "sync_ack": by_cycle(rows, "acknowledged"),
        "brisc": events(mine["brisc"]["cycle"], mine["brisc"]["word"]),
        "lost": events(mine["brisc"]["cycle"], mine["brisc"]["lost"] > 0),
        "played": (by_cycle(rows, "played") + 1) % (WordKind.NONE + 1),
        "left_m": events(stored["cycle"]) + events(started["cycle"]),
        "length": mop["length"].astype(np.int64),
    }


def _from_streams(streams: Mapping[str, Records], account: Account, thread: int) -> Columns:
    """The same of the streams; of pops that leave no trace in them the account is believed."""
    mine = {name[3:]: some for name, some in streams.items() if name.startswith(f"t{thread}.")}
    cycles = {name: some["cycle"] for name, some in mine.items()}
    said = _from_account(account, thread)
    fault, sticky, ingest, issue = (mine[n] for n in ("fault", "sticky", "ingest", "issue"))
    replay_state = level(mine["status"], "replay_state")
    is_mop = ingest["word"] >> 24 == 1
    rq = events(cycles["rq"])
    played = events(cycles["rq"], kinds(mine["rq"]["word"])) * (
        (replay_state == Replaying.PLAY) | (said["played"] > 0) & (replay_state == Replaying.PASS)
    )
    recording = replay_state == Replaying.REC
    passed = (rq == 1) & (played == 0) & ~recording
    mops = account["mop"][account["mop"]["thread"] == thread]
    pushed = mine["push"]["word"][: len(cycles["accept"])]
    return {
        "r": so_far(rq) - so_far(events(cycles["issue"])),
        "m": so_far(events(cycles["mq"])) - so_far(passed + said["left_m"]),
        "fifo": so_far(events(cycles["accept"])) - so_far(said["popped"]),
        "popped": said["popped"],
        "ready": level(mine["ready"], "ready"),
        "issued": events(cycles["issue"], 1 + issue["illegal"]),
        "refused": np.cumsum(events(cycles["push"])) - np.cumsum(events(cycles["accept"])),
        "mop_state": level(mine["status"], "mop_state"),
        "qstatus": level(mine["qstatus"], "value"),
        "accept": events(cycles["accept"], kinds(pushed)),
        "replay_state": replay_state,
        "fault": events(
            cycles["fault"],
            fault["illegal"] | fault["mopcfg_race"] << 1 | fault["collision"] << 2,
        ),
        "sticky": level(sticky, "mopcfg_race") | level(sticky, "collision") << 1,
        "mop": events(ingest["cycle"][is_mop], ingest["word"][is_mop]),
        "mop_cfg": events(ingest["cycle"][~is_mop], 1 + (ingest["word"][~is_mop] & 0xFFFF)),
        "mopcfg": events(cycles["mopcfg"], 1 + mine["mopcfg"]["data"].astype(int)),
        "sync": events(cycles["sync"]),
        "sync_ack": events(cycles["sync_ack"]),
        "brisc": events(
            cycles["brisc_accept"], mine["brisc"]["word"][: len(cycles["brisc_accept"])]
        ),
        "lost": events(cycles["fault"], fault["collision"]),
        "played": played,
        "left_m": said["left_m"],
        "length": np.array(
            [
                len(expand_mop(row["word"], row["mask"] >> 16, [*row["counts"], *row["words"]]))
                for row in mops
            ],
            np.int64,
        ),
    }


def views(account: Account, streams: Mapping[str, Records], _: str) -> Views:
    """Of each thread, a value a cycle."""
    found: dict[str, tuple[Any, Any]] = {}
    for thread in range(THREADS):
        said, shown = _from_account(account, thread), _from_streams(streams, account, thread)
        assert set(said) == set(shown)
        found |= {f"{name} {thread}": (said[name].tolist(), shown[name].tolist()) for name in said}
    return found
