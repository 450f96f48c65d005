# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of what exists only where blocks are joined; the blocks' own is theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.isa.boundary.pack import PACKERS, SLOTS
from tilepath.models.datapath.connections import Levels
from tilepath.models.unpack.settings import MISC_CFG, THREAD_WORDS, WORDS
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup
from tilepath.tb.kernel.coverage.model import CoverageModel
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.stream import Records

Ints = NDArray[np.int64]
Streams = Mapping[str, Records]

THREADS: Final = 3
KINDS: Final = ("none", "STALLWAIT", "SEMWAIT")
_STALLWAIT: Final = 1
# Bits of STALLWAIT's conditions (C17); there is no mover and no vector unit, 9 and 11 are 0
CONDITIONS: Final = {"THCON": 0, "UNPACK0": 1, "UNPACK1": 2, "PACK": 3, "MATH": 4,
                     "SRCA_UNPACK": 5, "SRCB_UNPACK": 6, "SRCA_MATH": 7, "SRCB_MATH": 8,
                     "TRISC_CFG": 10, "CFG_PIPE": 12}  # fmt: skip
CLIENTS: Final = ("u0", "u1", "pack", "u0 u1", "u0 pack", "u1 pack", "u0 u1 pack")
PORTS: Final = (  # of L1
    {"u0.unpack_read"},
    {"u1.unpack_read"},
    {f"w{slot}.pack_write" for slot in range(SLOTS)},
    {"pack_source", *(f"p{packer}.pack_read" for packer in range(PACKERS))},
)
DST: Final = ("pack", "u0", "math", "pack u0", "pack math", "u0 math", "pack u0 math")
_PLACE: Final = np.array((0, 0, 1, 3, 2, 4, 5, 6))  # of both, by a bit for each
WRITES: Final = ("config unit", "REG2FLOP", "SETC16", "core")
AGO: Final = {"0": 1, "1": 2, "2-4": 5}  # cycles, each up to below
ORDER: Final = ("switch first", "same cycle", "hand-over first")
_NEAR: Final = 4  # cycles between the two
_NEVER: Final = -(1 << 40)
_PAUSE: Final = "nothing is done by the Matrix Unit while unpacker 0 writes Dst (M32)"

GROUP = PointGroup()
GROUP.add("latches.t0_x_t1", KINDS, KINDS)
GROUP.add("latches.t0_x_t2", KINDS, KINDS)
GROUP.add("latches.t1_x_t2", KINDS, KINDS)
GROUP.add("stallwait.condition_x_thread", tuple(CONDITIONS), ("t0", "t1", "t2"))
GROUP.add("l1.clients", CLIENTS)
GROUP.add("l1.at_once", ("one", "two", "three", "four"))  # what packers read is a client, too
GROUP.add("dst.at_once", DST, exclude=tuple(Exclude((both,), _PAUSE) for both in DST[5:]))
GROUP.add("dst.pair_x_halves", DST[3:5], ("same", "other"))
GROUP.add("unpacr.write_x_ago_x_unpacker", WRITES, tuple(AGO), ("u0", "u1"))
GROUP.add("bank.file_x_by_x_order", ("SrcA", "SrcB"), ("unpacker", "Matrix Unit"), ORDER)


def _of(records: Records, field: str, values: Any) -> Records:
    """Those in which the field has one of these values."""
    found: Records = records[np.isin(records[field], values)]
    return found


def _together(*users: Iterable[Any]) -> Ints:
    """Of each cycle in which any user has an event, those that have, a bit each."""
    every = [np.unique(np.concatenate(list(cycles))) for cycles in users]
    cycles = np.unique(np.concatenate(every))
    bits = [np.isin(cycles, own).astype(np.int64) << place for place, own in enumerate(every)]
    found: Ints = np.bitwise_or.reduce(bits)
    return found


class DatapathCoverage(CoverageModel):
    """Coverage of ``datapath``."""

    def __init__(self, profile: str) -> None:
        self._tally = Tally(GROUP)
        super().__init__("datapath", profile, self._tally)
        self._levels = Levels()
        self._last: dict[str, int] = {}  # cycle of the last event of a kind, or its value

    def count(self, streams: Streams, start: int, end: int) -> None:
        """Count a block of cycles."""
        hit = self._tally.hit
        self._levels.begin(streams)
        self._latches(streams, start, end)
        clients = _together(
            *([s["cycle"] for n, s in streams.items() if n in own] for own in PORTS)
        )
        hit("l1.clients", _PLACE[clients & 7], where=clients & 7 != 0)
        hit("l1.at_once", np.bitwise_count(clients).astype(np.int64) - 1)
        self._dst(streams)
        for unpacker in (0, 1):
            self._writes(streams, unpacker)
            self._switches(streams, unpacker)

    def _latches(self, streams: Streams, start: int, end: int) -> None:
        at, hit = self._levels.at, self._tally.hit
        names = [f"t{thread}.latch" for thread in range(THREADS)]
        cycles = self._levels.changes(*names)
        kinds = [at(cycles, name, "kind") for name in names]
        for one, other in ((0, 1), (0, 2), (1, 2)):
            known = (kinds[one] < len(KINDS)) & (kinds[other] < len(KINDS))
            hit(f"latches.t{one}_x_t{other}", kinds[one], kinds[other], where=known)
        asked, done = streams["risc"]["cycle"], streams["risc_done"]["cycle"]
        for thread, name in enumerate(names):
            cycles = self._levels.changes(name, f"t{thread}.busy", "config_pipe")
            behind = np.append(done, self._last.get(f"done {thread}", _NEVER)) + 1
            cycles = np.unique(np.concatenate((cycles, asked, behind)))
            cycles = cycles[(cycles >= start) & (cycles < end)]
            since = self._ago(f"done {thread}", cycles, done)
            access = (self._ago(f"asked {thread}", cycles, asked) < since) | (since == 0)
            true = at(cycles, f"t{thread}.busy")
            true |= access.astype(np.int64) << 10
            true |= (at(cycles, "config_pipe", "stages") & 0x3F != 0).astype(np.int64) << 12
            true &= at(cycles, name, "what") * (at(cycles, name, "kind") == _STALLWAIT)
            for place, bit in enumerate(CONDITIONS.values()):  # that alone keeps it waiting
                hit("stallwait.condition_x_thread", place, thread, where=true == 1 << bit)

    def _dst(self, streams: Streams) -> None:
        """Who reads and writes Dst in a cycle, and which half of it."""
        written = [_of(streams[f"u0.unpack_write{n}"], "dst", 1) for n in ("", 1, 2, 3)]
        math = _of(streams["standin_matrix_write"], "target", 2)
        users = (
            [(s["cycle"], s["row"] >> 9) for n, s in streams.items() if n.endswith(".pack_row")],
            [(s["cycle"], s["address"] >> 13 - s["wide"] & 1) for s in written],
            [(math["cycle"], math["row"] >> 9 - math["wide"] & 1)],
        )
        used = _together(*([c[h == half] for c, h in u] for u in users for half in (0, 1)))
        pack, u0, matrix = (used >> 2 * user & 3 for user in range(3))
        self._tally.hit("dst.at_once", _PLACE[(pack > 0) + 2 * (u0 > 0) + 4 * (matrix > 0)])
        for place, half in enumerate((u0, matrix)):
            for other, own in enumerate((half, half << 1 | half >> 1)):
                self._tally.hit("dst.pair_x_halves", place, other, where=pack & own != 0)

    def _writes(self, streams: Streams, unpacker: int) -> None:
        """Writes of words that the unpacker reads, before an UNPACR is issued to it."""
        issues = streams[f"u{unpacker}.unpack_issue"]
        issues = issues[issues["word"] >> 24 == 0x42]
        write = _of(streams["config_write"], "index", WORDS[unpacker])
        flop = _of(streams["flop_write"], "index", WORDS[unpacker])
        store = _of(streams["unpack_store"], "index", THREAD_WORDS)
        for t in range(THREADS):
            own = _of(streams[f"t{t}.unpack_setc16"], "index", THREAD_WORDS)
            unit, cores = (_of(write, "source", by)["cycle"] for by in (range(3), 3))
            cores = np.append(cores, _of(store, "thread", t)["cycle"])
            cycles = _of(issues, "thread", t)["cycle"]
            for place, events in enumerate((unit, flop["cycle"], own["cycle"], cores)):
                ago = self._ago(f"{t} {unpacker} {place}", cycles, events)
                ago = np.digitize(ago, tuple(AGO.values()))
                hit = ago < len(AGO)
                self._tally.hit("unpacr.write_x_ago_x_unpacker", place, ago, unpacker, where=hit)

    def _switches(self, streams: Streams, unpacker: int) -> None:
        """Banks of the unpacker's file that are handed over beside a switch of its context."""
        at, name, moved = self._levels.at, f"u{unpacker}.unpack_pointers", []
        for thread in range(THREADS):
            cycles, field = self._levels.changes(name), f"context{thread}"
            moved.append(cycles[at(cycles, name, field) != at(cycles - 1, name, field)])
            own = _of(streams[f"t{thread}.unpack_setc16"], "index", MISC_CFG)
            key = f"offset {unpacker} {thread}"
            offset = np.append(self._last.get(key, 0), own["value"] >> 8 * unpacker & 15)
            self._last[key] = int(offset[-1])
            moved.append(own["cycle"][np.diff(offset) != 0])
        switched = np.concatenate(moved)
        cycles = self._levels.changes("unpack_owner")
        old, new = at(cycles - 1, "unpack_owner"), at(cycles, "unpack_owner")
        for by, gone in enumerate((new & ~old, old & ~new)):
            given = cycles[gone >> 2 * unpacker & 3 != 0]
            before = self._ago(f"switch {unpacker} {by}", given, switched)
            behind = self._ago(f"given {unpacker} {by}", switched, given)
            near = (before > 0) & (before <= _NEAR), before == 0, (behind > 0) & (behind <= _NEAR)
            for order, hit in enumerate(near):
                self._tally.hit("bank.file_x_by_x_order", unpacker, by, order, where=hit)

    def _ago(self, kind: str, cycles: Any, events: Any) -> Ints:
        """How long before each of ``cycles`` the last event of a kind was."""
        known = np.sort(np.append(self._last.get(kind, _NEVER), events))
        self._last[kind] = int(known[-1])
        found: Ints = cycles - known[np.searchsorted(known, cycles, side="right") - 1]
        return found
