# SPDX-License-Identifier: Apache-2.0
"""What a recorder records: one description from which HDL and NumPy layout both follow.

A record is a row of 32-bit little-endian words: the cycle, then each field in its own word or
words, at least two words in all. The last record that a recorder writes in a block of cycles is a
*marker*: cycle ``MARKER``, and in the next word how many records the stream has had so far
(modulo 2**32). Recorders write ``BATCH`` records at a time; behind the marker, what is left of a
batch is filled with records whose cycle is ``FILLER``. A trace whose markers are missing or do not
add up is not a trace.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

MARKER = 0xFFFF_FFFF
FILLER = 0xFFFF_FFFE
BATCH = 32

Kind = Literal["event", "level"]
Direction = Literal["input", "output"]
Records = NDArray[np.void]


@dataclass(frozen=True)
class Field:
    """One recorded value, ``width`` bits wide."""

    name: str
    width: int = 1

    @property
    def words(self) -> int:
        """Number of 32-bit words the field takes in a record."""
        return (self.width + 31) // 32


@dataclass(frozen=True)
class Stream:
    """A stream of records at the DUT's boundary.

    ``event`` streams have a record for each cycle in which the event happens; ``level`` streams
    one for each cycle whose value differs from the one before (all 0 before cycle 0).
    ``copies`` > 0 makes that many instances, named ``t0.<name>``, ``t1.<name>``, …: one a thread;
    ``prefix`` stands in the place of ``t`` where they are not threads.
    ``module``: the HDL module that is made of it, if not ``<block>_rec_<name>``; blocks that are
    joined keep the names that each has alone.
    """

    name: str
    direction: Direction
    kind: Kind = "event"
    fields: tuple[Field, ...] = ()
    copies: int = 0
    module: str = ""
    prefix: str = "t"

    @property
    def instances(self) -> tuple[str, ...]:
        """The names under which traces, model and scoreboard know this stream."""
        if self.copies == 0:
            return (self.name,)
        return tuple(f"{self.prefix}{i}.{self.name}" for i in range(self.copies))

    @property
    def payload_words(self) -> int:
        """32-bit words of a record after the cycle; never fewer than one."""
        return max(1, sum(f.words for f in self.fields))

    @property
    def dtype(self) -> np.dtype[np.void]:
        """NumPy layout of a record: ``cycle``, the fields, and ``_pad`` where there are none."""
        layout: list[tuple[str, str] | tuple[str, str, tuple[int, ...]]] = [("cycle", "<u4")]
        for f in self.fields:
            layout.append((f.name, "<u4") if f.words == 1 else (f.name, "<u4", (f.words,)))
        if not self.fields:
            layout.append(("_pad", "<u4"))
        return np.dtype(layout)

    def empty(self) -> Records:
        """An array of no records."""
        return np.empty(0, self.dtype)


def stream_table(streams: tuple[Stream, ...]) -> dict[str, Stream]:
    """Instance name → description, in the order given; ``ValueError`` for a name used twice."""
    table: dict[str, Stream] = {}
    for stream in streams:
        for name in stream.instances:
            if name in table:
                raise ValueError(f"stream {name} is described twice")
            table[name] = stream
    return table
