# SPDX-License-Identifier: Apache-2.0
"""The account of what lies between front end and control: words at the gate, and the expanders.

Beside the accounts of the two (``compiled``). Rows of a thread behind those of the one before
it, in the order of cycles. ``thread`` 0 to 2; ``latch`` 0 none, 1 STALLWAIT, 2 SEMWAIT,
3 STREAMWAIT (C13); ``mop_state`` and ``replay_state`` as in the stream ``status``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from tilepath.engine.compiled.records import Records, record
from tilepath.models.levels import Ints, Levels, Streams

_THREADS: Final = 3
_SEEN: Final = {  # in the cycle
    "cycle": np.uint32,
    "thread": np.uint8,
    "latch": np.uint8,
    "mop_state": np.uint8,
    "replay_state": np.uint8,
}
EXPANDERS: Final = record(**_SEEN)
"""The latch of a thread changes, or the state of an expander (F11, F13)."""
LEFT: Final = record(  # a word has left R
    **_SEEN,
    opcode=np.uint8,
    illegal=np.uint8,  # it goes nowhere (F17)
    waited=np.uint32,  # cycles at the gate; 0 of an illegal one
)
KINDS: Final[Mapping[str, np.dtype[Any]]] = {"expanders": EXPANDERS, "left": LEFT}


class SeamAccount:
    """What streams on both sides of a seam tell together, as ``compiled.account`` says."""

    def __init__(self) -> None:
        self.account: Sequence[Mapping[str, Records]] = ()
        self.levels = Levels()
        self.begin, self.end = 0, 0  # of the block of cycles
        self._kept = False

    def keep_account(self) -> None:
        """Leave an account from the next step on."""
        self._kept = True

    def step(self, streams: Streams, until: int) -> None:
        """Look at a block of cycles, up to before ``until``: all streams of the joined block."""
        if self._kept:
            self.levels.begin(streams)
            self.begin, self.end = self.end, until
            self.account = (self.rows(streams),)

    def rows(self, streams: Streams) -> Mapping[str, Records]:
        """Kind → rows of the block of cycles."""
        raise NotImplementedError


class GateAccount(SeamAccount):
    """The account has rows of the joined block's streams."""

    def __init__(self) -> None:
        super().__init__()
        self._offered = [np.zeros(0, np.int64)] * _THREADS  # cycle of a word that was not taken yet

    def rows(self, streams: Streams) -> Mapping[str, Records]:
        """Return the rows, as the base says."""
        found: dict[str, list[Records]] = {kind: [] for kind in KINDS}
        for thread in range(_THREADS):
            changes = self.levels.changes(f"t{thread}.latch", f"t{thread}.status")
            found["expanders"].append(self._seen(EXPANDERS, thread, changes))
            found["left"] += self._left(streams, thread)
        return {kind: np.concatenate(rows) for kind, rows in found.items()}

    def _left(self, streams: Streams, thread: int) -> tuple[Records, Records]:
        """Words that control took, and those that are illegal."""
        taken, issued = streams[f"t{thread}.dispatch"], streams[f"t{thread}.issue"]
        rows = self._seen(LEFT, thread, taken["cycle"])
        rows["opcode"] = taken["word"] >> 24
        offers = streams[f"t{thread}.offer"]["cycle"].astype(np.int64)
        offers = np.concatenate((self._offered[thread], offers))
        rows["waited"] = rows["cycle"] - offers[: len(rows)]
        self._offered[thread] = offers[len(rows) :]
        retired = issued[issued["illegal"] == 1]
        gone = self._seen(LEFT, thread, retired["cycle"])
        gone["opcode"], gone["illegal"] = retired["word"] >> 24, 1
        return rows, gone

    def _seen(self, described: np.dtype[Any], thread: int, cycles: Ints) -> Records:
        """A row for each of ``cycles``."""
        rows = np.zeros(len(cycles), described)
        rows["cycle"], rows["thread"] = cycles, thread
        rows["latch"] = self.levels.at(cycles, f"t{thread}.latch", "kind")
        for state in ("mop_state", "replay_state"):
            rows[state] = self.levels.at(cycles, f"t{thread}.status", state)
        return rows
