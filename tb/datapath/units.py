# SPDX-License-Identifier: Apache-2.0
"""What each unit of ``datapath`` did in a run, and the least cycles that it could take for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilepath.engine.compiled.columns import column
from tilepath.engine.compiled.records import Records
from tilepath.isa import profiles
from tilepath.isa.boundary.datapath import THREADS
from tilepath.isa.boundary.pack import LANES, SLOTS
from tilepath.isa.boundary.unpack import WRITES
from tilepath.isa.constants import OP_UNPACR

BANKS: Final = ("SrcA 0", "SrcA 1", "SrcB 0", "SrcB 1")
_PHASE, _LONG_PHASE = 2, 4  # cycles from an UNPACR to the next one; compressed
_SOURCES: Final = 2  # files that have banks


class Unit(NamedTuple):
    """By cycle: whether it is busy, and the work that is due for what it does (in cycles).

    ``stood``: why it stood, with cycles.
    """

    name: str
    busy: NDArray[np.bool_]
    work: NDArray[np.float64]
    stood: Mapping[str, int] = {}


def levels(records: Records, cycles: int, field: str = "value") -> NDArray[np.int64]:
    """Of each cycle the value of a level, which is 0 before its first record."""
    begins = np.concatenate(([0], records["cycle"].astype(np.int64)))
    values = np.concatenate(([0], records[field].astype(np.int64)))
    return np.repeat(values, np.diff(begins, append=cycles))


class _Units:
    def __init__(
        self, profile: str, cycles: int, account: Mapping[str, Records], streams: Mapping[str, Any]
    ) -> None:
        self._packers = profiles.get(profile).packers
        self._cycles, self._account, self._streams = cycles, account, streams

    def _work(self, cycles: ArrayLike, weights: ArrayLike = 1.0) -> NDArray[np.float64]:
        at = np.asarray(cycles, np.int64)
        spread = np.broadcast_to(np.asarray(weights, np.float64), at.shape)
        return np.bincount(at, spread, self._cycles).astype(np.float64)

    def _port(self, name: str, cycles: ArrayLike, weights: ArrayLike = 1.0) -> Unit:
        """Busy in the cycles that it is used in."""
        work = self._work(cycles, weights)
        return Unit(name, self._work(cycles) > 0, work)

    def _busy(self, name: str, bits: int, field: str = "value") -> NDArray[np.bool_]:
        return np.asarray(levels(self._streams[name], self._cycles, field) & bits, np.bool_)

    def all(self) -> Iterator[Unit]:
        """Along the way of the data."""
        yield from self._reads()
        sampled = self._account["unpack.sampled"]
        sampled = sampled[column(sampled, "word") >> 24 == OP_UNPACR]
        phases = np.where(column(sampled, "compressed") == 1, _LONG_PHASE, _PHASE)
        work = self._work(sampled["cycle"], phases)
        yield Unit("unpackers' address unit", self._busy("hold", 7), work)
        for u in range(2):
            steps = self._of("unpack.step", "unpacker", u)
            stalled = int(steps["stalled"].sum())
            work = self._work(steps["cycle"], steps["parts"])
            busy = self._busy("unpack_busy", 0b010101 << u)
            yield Unit(f"unpacker {u}", busy, work, {"for its bank": stalled})
        yield from self._banks()
        yield self._matrix()
        yield from self._dst()
        for p in range(self._packers):
            steps = self._of("pack.step", "packer", p)
            busy = self._busy("pack_busy", 0b000100010001 << p)
            yield Unit(f"packer {p}", busy, self._work(steps["cycle"]))
        yield from self._writes()
        busy = self._busy("scalar", 1, "busy")
        yield Unit("scalar unit", busy, busy.astype(np.float64))
        for thread in range(THREADS):
            words = self._streams[f"t{thread}.dispatch"]["cycle"]
            yield self._port(f"issue slot of thread {thread}", words)

    def _of(self, kind: str, field: str, number: int) -> Records:
        rows = self._account[kind]
        found: Records = rows[column(rows, field) == number]
        return found

    def _reads(self) -> Iterator[Unit]:
        """L1's ports by which the unpackers read (U63); more than a line a cycle is shared."""
        shared = []
        for u in range(2):
            rows = self._of("unpack.request", "unpacker", u)
            rows = rows[rows["lines"] > 0]
            work = rows["lines"] / np.maximum(rows["want"], 1)
            yield self._port(f"L1 port of unpacker {u}", rows["cycle"], work)
            shared.append((rows["cycle"][rows["want"] > 1], work[rows["want"] > 1]))
        cycles, works = (np.concatenate(some) for some in zip(*shared, strict=True))
        if len(cycles):
            yield self._port("L1 ports that unpackers share", cycles, works)

    def _writes(self) -> Iterator[Unit]:
        """L1's ports of the packers: lines written, and of one lane those read to be added to."""
        lines = 1 if self._packers > 1 else SLOTS
        for p in range(self._packers):
            rows = self._of("pack.line", "packer", p)
            rows = rows if self._packers > 1 else rows[rows["kind"] == 0]
            reads = self._of("pack.read", "packer", p)
            reads = reads[(reads["is_source"] == 0) & (self._packers > 1)]
            cycles = np.concatenate((rows["cycle"], reads["cycle"]))
            counts = np.concatenate((np.ones(len(rows)), reads["count"]))
            ready = self._of("pack.ready", "packer", p)
            waits = int(np.diff(ready["cycle"])[ready["ready"][:-1] == 0].sum())
            port = self._port(f"L1 port of packer {p}", cycles, counts / lines)
            yield port._replace(stood={"L1 not ready": waits})

    def _banks(self) -> Iterator[Unit]:
        """A bank is written, or read: busy while it is the Matrix Unit's, or written."""
        matrix = self._account["unpack.matrix"]
        reads, of_bank = column(matrix, "read"), column(matrix, "banks")
        target, to_bank = column(matrix, "target"), column(matrix, "write.bank")
        owner = levels(self._streams["unpack_owner"], self._cycles)
        for number, name in enumerate(BANKS):
            file, bank = divmod(number, _SOURCES)
            read = (reads >> file & 1 == 1) & (of_bank >> file & 1 == bank)
            read |= (matrix["writes"] == 1) & (target == file) & (to_bank == bank)
            written = [self._streams[f"u{file}.unpack_{name}"] for name in WRITES]
            mine = [w["cycle"][(w["dst"] == 0) & (w["bank"] == bank)] for w in written]
            cycles = np.concatenate((matrix["cycle"][read], *mine))
            work = np.minimum(self._work(cycles), 1.0)
            yield Unit(name, (owner >> number & 1 == 1) | (work > 0), work)

    def _matrix(self) -> Unit:
        """An instruction of N cycles has it for N + 1, less what is a pause (M32)."""
        rows, pauses = self._account["standin.instruction"], self._account["standin.pause"]
        lasts = rows["last"].astype(np.int64) - rows["cycle"] + 1
        work = self._work(rows["cycle"], lasts)
        work -= self._work(pauses["cycle"], pauses["cycles"])
        stood = {"for unpacker 0 at Dst": int(pauses["cycles"].sum())}
        return Unit("Matrix Unit", self._busy("standin_busy", 7), work, stood)

    def _dst(self) -> Iterator[Unit]:
        matrix = self._account["unpack.matrix"]
        steps = self._of("unpack.step", "to_dst", 1)
        reads = matrix["cycle"][column(matrix, "read") >> 2 & 1 == 1]
        writes = matrix["cycle"][column(matrix, "target") == _SOURCES]
        yield self._port("Dst, read by the Matrix Unit", reads)
        yield self._port("Dst, written by the Matrix Unit", writes)
        yield self._port("Dst, written by unpacker 0", steps["cycle"], steps["parts"])
        for lane in range(LANES):
            rows = self._account["pack.dst"]
            rows = rows[rows["rows"][:, lane] >= 0]
            yield self._port(f"Dst, lane {lane} of the packers", rows["cycle"])


def units_of(
    profile: str, cycles: int, account: Mapping[str, Records], streams: Mapping[str, Records]
) -> list[Unit]:
    """All units of a run of so many cycles that did anything.

    ``account``: of the joined model; ``streams``: what the run recorded.
    """
    found = _Units(profile, cycles, account, streams).all()
    return [unit for unit in found if unit.busy.any()]
