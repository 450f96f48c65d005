# SPDX-License-Identifier: Apache-2.0
"""The columns of a block of cycles, and the memory of a thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from tilepath.tb.frontend.coverage import layout, mop, queues, replay, timeline
from tilepath.tb.frontend.coverage.timeline import I64, U8, U32
from tilepath.tb.kernel.coverage.recorded import Rows

_MARKED: Final = (
    ("accept", layout.ACCEPT),
    ("sync", layout.SYNC),
    ("sync_ack", layout.SYNC_ACK),
    ("brisc", layout.BRISC),
    ("brisc_accept", layout.BRISC_ACCEPT),
    ("mopcfg", layout.MOPCFG),
)
_FAULTS: Final = np.array([layout.ILLEGAL, layout.RACE, layout.COLLISION], np.uint32)


@dataclass
class ThreadMemory:
    """What the kernels carry from block to block, for one thread."""

    track: I64
    mop: I64
    replay: I64
    queues: I64

    @classmethod
    def after_reset(cls, count0: int) -> ThreadMemory:
        """All zero, but for the words that a REPLAY count of 0 stands for."""
        memory = cls(
            np.zeros(timeline.MEMORY, np.int64),
            np.zeros(mop.MEMORY, np.int64),
            np.zeros(replay.MEMORY, np.int64),
            np.zeros(queues.MEMORY, np.int64),
        )
        memory.replay[replay.COUNT0] = count0
        return memory


class Columns:
    """One value a cycle, of each kind that the kernels need."""

    ev: U32  # event words
    push: U32  # words, as moved in the cycle
    ingest: U32
    mq: U32
    rq: U32
    issue: U32
    popped: U32  # ... from M
    qstatus: U32
    mop: U8  # states
    replay: U8
    fifo: U8  # levels at the start of the cycle
    m: U8
    r: U8
    mops: U8  # MOP words in the FIFO
    head: U8  # kind of the FIFO's head, of the word accepted
    accepted: U8
    source: U8  # of the word popped from M

    _WIDE = ("ev", "push", "ingest", "mq", "rq", "issue", "popped", "qstatus")
    _NARROW = ("mop", "replay", "fifo", "m", "r", "mops", "head", "accepted", "source")

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        for name in self._WIDE:
            setattr(self, name, np.zeros(capacity, np.uint32))
        for name in self._NARROW:
            setattr(self, name, np.zeros(capacity, np.uint8))

    def first(self, cycles: int) -> Columns:
        """The same memory, for a block of ``cycles``."""
        part = Columns(0)
        part.capacity = cycles
        for name in self._WIDE + self._NARROW:
            setattr(part, name, getattr(self, name)[:cycles])
        return part

    def fill(self, memory: I64, rows: Mapping[str, Rows], start: int) -> None:
        """Compute all columns of one thread; ``memory`` is carried from block to block."""
        self.ev[:] = 0
        for name, bit in _MARKED:
            timeline.mark(self.ev, rows[name], start, bit)
        for name, words, bit in (
            ("push", self.push, layout.PUSH),
            ("ingest", self.ingest, layout.INGEST),
            ("mq", self.mq, layout.MQ),
            ("rq", self.rq, layout.RQ),
            ("issue", self.issue, layout.ISSUE),
        ):
            timeline.mark_words(self.ev, words, rows[name], start, bit)
        timeline.mark_faults(self.ev, rows["fault"], start, _FAULTS)
        hold, status = timeline.hold, rows["status"]
        # `accepted` serves as scratch: it is filled last.
        hold(self.accepted, rows["ready"], 1, start, memory, timeline.READY_WAS)
        self.ev |= self.accepted.astype(np.uint32) * np.uint32(layout.READY)
        hold(self.mop, status, 1, start, memory, timeline.MOP_WAS)
        hold(self.replay, status, 2, start, memory, timeline.REPLAY_WAS)
        hold(self.qstatus, rows["qstatus"], 1, start, memory, timeline.QSTATUS_WAS)
        timeline.track(
            self.ev, self.push, self.mq, self.mop, self.replay, self.fifo, self.m, self.r,
            self.head, self.mops, self.accepted, self.popped, self.source, memory,
        )  # fmt: skip
