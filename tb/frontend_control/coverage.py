# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of the seam between front end and control; the blocks' own is theirs.

What the gate does while the expanders are at work: live latches, units, and how long a word waits,
each against the states of MOP and replay expander.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.isa.tables import block_class, is_wait
from tilepath.tb.frontend.streams import THREADS
from tilepath.tb.kernel.coverage.bins import PointGroup
from tilepath.tb.kernel.coverage.model import CoverageModel
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.stream import Records

Ints = NDArray[np.int64]

KINDS: Final = ("STALLWAIT", "SEMWAIT", "STREAMWAIT")
MOP: Final = ("IDLE", "EXP", "TRANS")
REPLAY: Final = ("PASS", "PLAY", "REC")
CLASSES: Final = (
    "wait",
    "NOP",
    "TDMA",
    "SYNC",
    "PACK",
    "UNPACK",
    "XMOV",
    "THCON",
    "MATH",
    "CFG",
    "SFPU",
)
WAITS: Final = ("0", "1", "2-7", "8+")

GROUP = PointGroup()
GROUP.add("latch x expanders", KINDS, MOP, REPLAY)
GROUP.add("class x MOP expander", CLASSES, MOP)
GROUP.add("class x replay expander", CLASSES, REPLAY)
GROUP.add("cycles at the gate x replay expander", WAITS, REPLAY)
GROUP.add("illegal word x latch", ("retired",), ("no latch", *KINDS))


def _classes() -> Ints:
    """Index into CLASSES by opcode; -1 for words that no gate sees."""
    index = np.full(256, -1, np.int64)
    for opcode in range(256):
        bits = int(block_class()[opcode])
        if is_wait()[opcode]:
            index[opcode] = 0
        elif opcode == 0x02:
            index[opcode] = 1
        elif bits:
            index[opcode] = 2 + bits.bit_length() - 1  # the special bit, not B0, where there is one
    return index


_CLASS: Final = _classes()


class _Level:
    """The value of one field of a level stream in any cycle of the present block."""

    def __init__(self) -> None:
        self._last = 0

    def at(self, records: Records, field: str, cycles: Ints) -> Ints:
        """Values in ``cycles``; to be followed by :meth:`keep`."""
        values = np.concatenate([[self._last], records[field].astype(np.int64)])
        found: Ints = values[np.searchsorted(records["cycle"], cycles, side="right")]
        return found

    def keep(self, records: Records, field: str) -> None:
        """Remember the last value of the block."""
        if len(records):
            self._last = int(records[field][-1])


class _Thread:
    def __init__(self) -> None:
        self.levels = {name: _Level() for name in ("kind", "mop_state", "replay_state")}
        self.offered = np.zeros(0, np.int64)  # cycle of a word that was not taken yet


# Names of the axes of points that their own names do not tell.
_AXES: Final = {
    "latch x expanders": "latch mop_expander replay_expander",
    "class x MOP expander": "class mop_expander",
    "class x replay expander": "class replay_expander",
    "cycles at the gate x replay expander": "cycles replay_expander",
    "illegal word x latch": "word latch",
}


class JoinedCoverage(CoverageModel):
    """Coverage of ``frontend+control``; the three threads count into the same bins."""

    def __init__(self, profile: str) -> None:
        self._tally = Tally(GROUP)
        super().__init__("frontend_control", profile, self._tally, axes=_AXES)
        self._threads = [_Thread() for _ in range(THREADS)]

    def count(self, streams: Mapping[str, Records], _start: int, _end: int) -> None:
        """Count a block of cycles, thread after thread."""
        for number, thread in enumerate(self._threads):
            self._count(thread, {n.removeprefix(f"t{number}."): r for n, r in streams.items()})

    def _count(self, thread: _Thread, streams: Mapping[str, Records]) -> None:
        latch, status = streams["latch"], streams["status"]
        fields = (("kind", latch), ("mop_state", status), ("replay_state", status))

        def states(cycles: Ints) -> tuple[Ints, Ints, Ints]:
            kind, mop, replay = (thread.levels[f].at(r, f, cycles) for f, r in fields)
            return kind, mop, replay

        changes = np.union1d(latch["cycle"], status["cycle"]).astype(np.int64)
        kind, mop, replay = states(changes)
        hit = self._tally.hit
        hit("latch x expanders", kind - 1, mop, replay, where=kind > 0)

        dispatch = streams["dispatch"]
        cycles = dispatch["cycle"].astype(np.int64)
        _, mop, replay = states(cycles)
        found = _CLASS[dispatch["word"] >> 24]
        for point, state in (("class x MOP expander", mop), ("class x replay expander", replay)):
            hit(point, found, state, where=found >= 0)

        offered = np.concatenate([thread.offered, streams["offer"]["cycle"].astype(np.int64)])
        waited = np.searchsorted((1, 2, 8), cycles - offered[: len(cycles)], side="right")
        hit("cycles at the gate x replay expander", waited, replay)
        thread.offered = offered[len(cycles) :]

        issue = streams["issue"]
        retired = issue["cycle"][issue["illegal"] == 1].astype(np.int64)
        hit("illegal word x latch", 0, states(retired)[0])
        for field, records in fields:
            thread.levels[field].keep(records, field)
