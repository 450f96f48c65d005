# SPDX-License-Identifier: Apache-2.0
"""The account of what blocks of ``datapath`` do to each other, beside the accounts of the blocks.

Rows of a kind are in the order of cycles within a thread, an unpacker and a step (``models.
account``). ``thread`` 0 to 2, ``unpacker`` 0 and 1. Ages count cycles, ``LONG`` so many or more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import numpy as np

from tilepath.engine.compiled.records import Records, record
from tilepath.isa.boundary.datapath import BOUNDARY, THREADS
from tilepath.isa.boundary.pack import PACKERS, SLOTS
from tilepath.isa.constants import OP_UNPACR
from tilepath.models.frontend_control.account import SeamAccount
from tilepath.models.levels import Ints, Streams
from tilepath.models.unpack.settings import MISC_CFG, THREAD_WORDS, WORDS

LONG: Final = 255
LATCHES: Final = record(cycle=np.uint32, latch=(np.uint8, THREADS))
"""A latch changes; of all threads, 0 none, 1 STALLWAIT, 2 SEMWAIT, 3 STREAMWAIT (C13)."""
STALLED: Final = record(  # a STALLWAIT, wherever something that one may wait for changes (C17)
    cycle=np.uint32,
    thread=np.uint8,
    what=np.uint16,  # its conditions; there is no mover and no vector unit, 9 and 11 are never true
    busy=np.uint16,  # those that are true
)
MEMORY: Final = record(cycle=np.uint32, clients=np.uint8)
"""A cycle in which L1 is used: bits 0, 1 unpackers, 2 packers' writes, 3 what packers read."""
DST: Final = record(  # a cycle in which Dst is used: bits of halves (M14)
    cycle=np.uint32,
    pack=np.uint8,  # read
    u0=np.uint8,  # written, likewise
    math=np.uint8,
)
UNPACR: Final = record(  # one issues (U65)
    cycle=np.uint32,
    thread=np.uint8,
    unpacker=np.uint8,
    # since a word of configuration that it reads was written: by the config unit, REG2FLOP (C14),
    # a SETC16 of its thread, a core
    ages=(np.uint8, 4),
)
HANDED: Final = record(  # a bank of the unpacker's file is handed over (U44) near to a switch
    cycle=np.uint32,  # of the later
    unpacker=np.uint8,
    by=np.uint8,  # 0: the unpacker, 1: the Matrix Unit
    behind=np.int8,  # cycles from a switch of the unpacker's context (U5, U8); below 0: before it
)
RAISED: Final = record(cycle=np.uint32, sources=np.uint32)
"""A cycle of ``fault_o``: a bit for each of ``SOURCES`` that is the reason."""
KINDS: Final[Mapping[str, np.dtype[Any]]] = {
    "latches": LATCHES, "stalled": STALLED, "memory": MEMORY, "dst": DST, "unpacr": UNPACR,
    "handed": HANDED, "raised": RAISED,
}  # fmt: skip
_FRONT: Final = tuple(f"t{thread}.fault" for thread in range(THREADS))
SOURCES: Final = (
    *(name for name in BOUNDARY.outputs if name.endswith("fault") and name != "standin_fault"),
    *("adc_conflict", "sfpu", "xmov"),
)
"""Streams of faults, but the Matrix Unit's; of words that go to nobody."""
_NEAR: Final = 4  # cycles, at most
_NEVER: Final = -(1 << 40)
_STALLWAIT: Final = 1
_PORTS: Final = (  # of L1
    {"u0.unpack_read"},
    {"u1.unpack_read"},
    {f"w{slot}.pack_write" for slot in range(SLOTS)},
    {"pack_source", *(f"p{packer}.pack_read" for packer in range(PACKERS))},
)


def _rows(kind: str, cycles: Any, **columns: Any) -> Records:
    found = np.zeros(len(cycles), KINDS[kind])
    found["cycle"] = cycles
    for name, values in columns.items():
        found[name] = values
    return found


def _of(records: Records, field: str, values: Any) -> Records:
    """Return the rows in which the field has one of these values."""
    found: Records = records[np.isin(records[field], values)]
    return found


def _together(*users: Iterable[Any]) -> tuple[Ints, Ints]:
    """Cycles in which any user has an event, and those that have, a bit each."""
    every = [np.unique(np.concatenate(list(cycles))) for cycles in users]
    cycles = np.unique(np.concatenate(every))
    bits = [np.isin(cycles, own).astype(np.int64) << place for place, own in enumerate(every)]
    return cycles, np.bitwise_or.reduce(bits)


def raised(streams: Streams) -> tuple[Ints, Ints]:
    """Cycles of ``fault_o``, and ``sources`` of each; races and collisions of MOPs are none."""
    found = ((name, streams[name]) for name in SOURCES)
    return _together(
        *([(_of(s, "illegal", 1) if name in _FRONT else s)["cycle"]] for name, s in found)
    )


class DatapathAccount(SeamAccount):
    """The account has rows of all streams of ``datapath``."""

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[str, int] = {}  # cycle of the last event of a kind, or its value

    def rows(self, streams: Streams) -> Mapping[str, Records]:
        """Return the rows, as the base says."""
        names = [f"t{thread}.latch" for thread in range(THREADS)]
        changes = self.levels.changes(*names)
        kinds = np.stack([self.levels.at(changes, name, "kind") for name in names], 1)
        ports = ([s["cycle"] for n, s in streams.items() if n in own] for own in _PORTS)
        used, clients = _together(*ports)
        stalled = np.concatenate([*self._stalled(streams)])
        wrong, sources = raised(streams)
        return {
            "latches": _rows("latches", changes, latch=kinds),
            "stalled": stalled,
            "memory": _rows("memory", used, clients=clients),
            "dst": self._dst(streams),
            "unpacr": np.concatenate([*self._unpacrs(streams)]),
            "handed": np.concatenate([*self._handed(streams)]),
            "raised": _rows("raised", wrong, sources=sources),
        }

    def _stalled(self, streams: Streams) -> Iterator[Records]:
        at = self.levels.at
        asked, done = streams["risc"]["cycle"], streams["risc_done"]["cycle"]
        for thread in range(THREADS):
            latch, busy = f"t{thread}.latch", f"t{thread}.busy"
            cycles = self.levels.changes(latch, busy, "config_pipe")
            behind = np.append(done, self._last.get(f"done {thread}", _NEVER)) + 1
            cycles = np.unique(np.concatenate((cycles, asked, behind)))
            cycles = cycles[(cycles >= self.begin) & (cycles < self.end)]
            since = self._ago(f"done {thread}", cycles, done)
            access = (self._ago(f"asked {thread}", cycles, asked) < since) | (since == 0)
            true = at(cycles, busy) | access.astype(np.int64) << 10
            true |= (at(cycles, "config_pipe", "stages") & 0x3F != 0).astype(np.int64) << 12
            what = at(cycles, latch, "what")
            rows = _rows("stalled", cycles, thread=thread, what=what, busy=true)
            yield rows[at(cycles, latch, "kind") == _STALLWAIT]

    def _dst(self, streams: Streams) -> Records:
        written = [_of(streams[f"u0.unpack_write{n}"], "dst", 1) for n in ("", 1, 2, 3)]
        math = _of(streams["standin_matrix_write"], "target", 2)
        users = (
            [(s["cycle"], s["row"] >> 9) for n, s in streams.items() if n.endswith(".pack_row")],
            [(s["cycle"], s["address"] >> 13 - s["wide"] & 1) for s in written],
            [(math["cycle"], math["row"] >> 9 - math["wide"] & 1)],
        )
        cycles, used = _together(*([c[h == half] for c, h in u] for u in users for half in (0, 1)))
        return _rows("dst", cycles, pack=used & 3, u0=used >> 2 & 3, math=used >> 4)

    def _unpacrs(self, streams: Streams) -> Iterator[Records]:
        for unpacker in (0, 1):
            issues = streams[f"u{unpacker}.unpack_issue"]
            issues = issues[issues["word"] >> 24 == OP_UNPACR]
            write = _of(streams["config_write"], "index", WORDS[unpacker])
            flop = _of(streams["flop_write"], "index", WORDS[unpacker])["cycle"]
            store = _of(streams["unpack_store"], "index", THREAD_WORDS)
            unit, core = (_of(write, "source", by)["cycle"] for by in (range(THREADS), THREADS))
            for t in range(THREADS):
                own = _of(streams[f"t{t}.unpack_setc16"], "index", THREAD_WORDS)["cycle"]
                cores = np.append(core, _of(store, "thread", t)["cycle"])
                rows = _rows("unpacr", _of(issues, "thread", t)["cycle"], thread=t)
                rows["unpacker"] = unpacker
                for place, events in enumerate((unit, flop, own, cores)):
                    ages = self._ago(f"{t} {unpacker} {place}", rows["cycle"], events)
                    rows["ages"][:, place] = np.minimum(ages, LONG)
                yield rows

    def _switched(self, streams: Streams, unpacker: int) -> Ints:
        """Cycles in which the context of the unpacker becomes another, of any thread."""
        at, name, moved = self.levels.at, f"u{unpacker}.unpack_pointers", []
        cycles = self.levels.changes(name)
        for thread in range(THREADS):
            field = f"context{thread}"
            moved.append(cycles[at(cycles, name, field) != at(cycles - 1, name, field)])
            own = _of(streams[f"t{thread}.unpack_setc16"], "index", MISC_CFG)
            key = f"offset {unpacker} {thread}"
            offset = np.append(self._last.get(key, 0), own["value"] >> 8 * unpacker & 15)
            self._last[key] = int(offset[-1])
            moved.append(own["cycle"][np.diff(offset) != 0])
        return np.concatenate(moved)

    def _handed(self, streams: Streams) -> Iterator[Records]:
        cycles = self.levels.changes("unpack_owner")
        old, new = (self.levels.at(cycles - less, "unpack_owner") for less in (1, 0))
        for unpacker in (0, 1):
            switched = self._switched(streams, unpacker)
            for by, gone in enumerate((new & ~old, old & ~new)):
                given = cycles[gone >> 2 * unpacker & 3 != 0]
                behind = self._ago(f"switch {unpacker} {by}", given, switched)
                before = self._ago(f"given {unpacker} {by}", switched, given)
                for when, far in ((given, behind), (switched[before > 0], -before[before > 0])):
                    near = abs(far) <= _NEAR
                    yield _rows("handed", when[near], unpacker=unpacker, by=by, behind=far[near])

    def _ago(self, kind: str, cycles: Any, events: Any) -> Ints:
        """How long before each of ``cycles`` the last event of a kind was."""
        known = np.sort(np.append(self._last.get(kind, _NEVER), events))
        self._last[kind] = int(known[-1])
        found: Ints = cycles - known[np.searchsorted(known, cycles, side="right") - 1]
        return found
