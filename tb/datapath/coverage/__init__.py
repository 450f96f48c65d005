# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of what exists only where blocks are joined; the blocks' own is theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.models.datapath.connections import Levels
from tilepath.models.unpack.settings import MISC_CFG
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup
from tilepath.tb.kernel.coverage.model import CoverageModel
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.unpack.coverage.layout import THREAD_WORDS, WORDS

Ints = NDArray[np.int64]

THREADS: Final = 3
KINDS: Final = ("none", "STALLWAIT", "SEMWAIT")
_STALLWAIT: Final = 1
# Conditions of STALLWAIT that something makes true (C17): mover and vector unit are not there
CONDITIONS: Final = {
    **{"scalar unit": 0, "unpacker 0": 1, "unpacker 1": 2, "packers": 3, "Matrix Unit": 4},
    **{"SrcA unpack bank": 5, "SrcB unpack bank": 6, "SrcA math bank": 7, "SrcB math bank": 8},
    **{"cores": 10, "config pipe": 12},
}
CLIENTS: Final = ("u0", "u1", "pack", "u0 u1", "u0 pack", "u1 pack", "u0 u1 pack")
_BITS: Final = (1, 2, 4, 3, 5, 6, 7)  # of CLIENTS and USERS, a bit each
USERS: Final = ("packers", "u0", "Matrix Unit", "packers u0", "packers Matrix Unit",
                "u0 Matrix Unit", "packers u0 Matrix Unit")  # fmt: skip
PAIRS: Final = {"packers u0": 2, "packers Matrix Unit": 4}  # the writer's first place of halves
HALVES: Final = ("same half", "other half")
WRITES: Final = ("config unit", "REG2FLOP", "SETC16", "core")
AGO: Final = ("0", "1", "2-4")  # cycles
_AGO: Final = (1, 2, 5)
ORDER: Final = ("switch first", "same cycle", "hand-over first")  # 4 cycles apart at most
_NEAR: Final = 4
_UNPACR: Final = 0x42
_CORES: Final = 3  # source of a write
_DST: Final = 2  # target of a write
_NEVER: Final = -(1 << 40)

_PAUSES = "the Matrix Unit does nothing in a cycle in which unpacker 0 writes Dst (M32)"

GROUP = PointGroup()
GROUP.add("latches.t0_x_t1", KINDS, KINDS)
GROUP.add("latches.t0_x_t2", KINDS, KINDS)
GROUP.add("latches.t1_x_t2", KINDS, KINDS)
GROUP.add("stallwait.condition_x_thread", tuple(CONDITIONS), ("t0", "t1", "t2"))
GROUP.add("l1.clients", CLIENTS)
GROUP.add("dst.at_once", USERS, exclude=tuple(Exclude((u,), _PAUSES) for u in USERS[5:]))
GROUP.add("dst.pair_x_halves", tuple(PAIRS), HALVES)
GROUP.add("unpacr.write_x_ago_x_unpacker", WRITES, AGO, ("u0", "u1"))
GROUP.add("bank.file_x_by_x_switch", ("SrcA", "SrcB"), ("unpacker", "Matrix Unit"), ORDER)


def _together(*users: Iterable[Records]) -> Ints:
    """Of each cycle in which any user has an event, those that have, a bit each."""
    every = [np.concatenate([records["cycle"] for records in own]) for own in users]
    cycles = np.unique(np.concatenate(every))
    bits = np.zeros(len(cycles), np.int64)
    for place, own in enumerate(every):
        bits = bits | np.isin(cycles, own).astype(np.int64) << place
    return bits


def _ago(cycles: Ints, *events: Any) -> Ints:
    """How long before each of ``cycles`` the last event was."""
    found = np.sort(np.concatenate(([_NEVER], *events)))
    return cycles - found[np.searchsorted(found, cycles, side="right") - 1]


def _halves(users: Iterable[Records]) -> list[list[Records]]:
    """Records of accesses to Dst, by the half of the storage (P52)."""
    found: list[list[Records]] = [[], []]
    for records in users:
        names = records.dtype.names or ()
        row = records["row"] if "row" in names else records["address"] >> 4
        wide = records["wide"] if "wide" in names else 0 * row
        for half, own in enumerate(found):
            own.append(records[(row >> 9 | wide & row >> 8) & 1 == half])
    return found


class DatapathCoverage(CoverageModel):
    """Coverage of ``datapath``."""

    def __init__(self, profile: str) -> None:
        self._tally = Tally(GROUP)
        super().__init__("datapath", profile, self._tally)
        self._levels = Levels()
        self._accesses = 0  # of cores to the configuration that are not done
        self._misc = [0] * THREADS  # word of the contexts of each thread

    def count(self, streams: Mapping[str, Records], _start: int, _end: int) -> None:
        """Count a block of cycles."""
        hit = self._tally.hit
        self._levels.begin(streams)
        self._latches(streams)
        writes = [records for name, records in streams.items() if name.endswith(".pack_write")]
        clients = _together([streams["u0.unpack_read"]], [streams["u1.unpack_read"]], writes)
        for place, bits in enumerate(_BITS):
            hit("l1.clients", place, where=clients == bits)
        self._dst(streams)
        for unpacker in range(2):
            self._writes(streams, unpacker)
            self._switches(streams, unpacker)

    def _latches(self, streams: Mapping[str, Records]) -> None:
        levels, hit = self._levels, self._tally.hit
        names = [f"t{thread}.latch" for thread in range(THREADS)]
        cycles = levels.changes(*names)
        kinds = [levels.at(cycles, name, "kind") for name in names]
        for one, other in ((0, 1), (0, 2), (1, 2)):
            known = (kinds[one] < len(KINDS)) & (kinds[other] < len(KINDS))
            hit(f"latches.t{one}_x_t{other}", kinds[one], kinds[other], where=known)
        asked, done = streams["risc"]["cycle"], streams["risc_done"]["cycle"]
        for thread, name in enumerate(names):
            cycles = levels.changes(name, f"t{thread}.busy", "config_pipe")
            cycles = np.unique(np.concatenate((cycles, asked, done + 1)))
            open_ = self._accesses + np.searchsorted(asked, cycles, side="right")
            true = levels.at(cycles, f"t{thread}.busy")
            true |= (open_ > np.searchsorted(done, cycles)).astype(np.int64) << CONDITIONS["cores"]
            pipe = levels.at(cycles, "config_pipe", "stages") & 0x3F != 0  # not a core's access
            true |= pipe.astype(np.int64) << CONDITIONS["config pipe"]
            true &= levels.at(cycles, name, "what")
            waits = levels.at(cycles, name, "kind") == _STALLWAIT
            for place, bit in enumerate(CONDITIONS.values()):
                alone = waits & (true == 1 << bit)
                hit("stallwait.condition_x_thread", place, thread, where=alone)
        self._accesses += len(asked) - len(done)

    def _dst(self, streams: Mapping[str, Records]) -> None:
        """Who uses Dst in a cycle, and which half of it."""
        matrix, hit = streams["standin_matrix_write"], self._tally.hit
        written = [streams[f"u0.unpack_write{n}"] for n in ("", "1", "2", "3")]
        users = (
            [records for name, records in streams.items() if name.endswith(".pack_row")],
            [records[records["dst"] == 1] for records in written],
            [matrix[matrix["target"] == _DST]],
        )
        halves = _together(*(half for user in users for half in _halves(user)))
        packers = halves & 3
        at_once = sum((halves >> 2 * n & 3 != 0).astype(np.int64) << n for n in range(3))
        for place, bits in enumerate(_BITS):
            hit("dst.at_once", place, where=at_once == bits)
        for place, first in enumerate(PAIRS.values()):
            writer = halves >> first & 3
            hit("dst.pair_x_halves", place, 0, where=packers & writer != 0)
            hit("dst.pair_x_halves", place, 1, where=packers & (writer << 1 | writer >> 1) & 3 != 0)

    def _writes(self, streams: Mapping[str, Records], unpacker: int) -> None:
        """Writes of words that the unpacker reads, before an UNPACR is issued to it."""
        issues = streams[f"u{unpacker}.unpack_issue"]
        issues = issues[issues["word"] >> 24 == _UNPACR]
        written, flops = (
            records[np.isin(records["index"], WORDS[unpacker])]
            for records in (streams["config_write"], streams["flop_write"])
        )
        stored = streams["unpack_store"]
        stored = stored[np.isin(stored["index"], THREAD_WORDS)]
        cores = written["source"] == _CORES
        for thread in range(THREADS):
            own = issues["cycle"][issues["thread"] == thread].astype(np.int64)
            set_ = streams[f"t{thread}.unpack_setc16"]
            kinds = (
                (written["cycle"][~cores],),
                (flops["cycle"],),
                (set_["cycle"][np.isin(set_["index"], THREAD_WORDS)],),
                (written["cycle"][cores], stored["cycle"][stored["thread"] == thread]),
            )
            for place, events in enumerate(kinds):
                ago = np.digitize(_ago(own, *events), _AGO)
                hit = ago < len(AGO)
                self._tally.hit("unpacr.write_x_ago_x_unpacker", place, ago, unpacker, where=hit)

    def _switches(self, streams: Mapping[str, Records], unpacker: int) -> None:
        """Banks of the unpacker's file that are handed over beside a switch of its context."""
        levels, name = self._levels, f"u{unpacker}.unpack_pointers"
        cycles = levels.changes(name)
        switches = []
        for thread in range(THREADS):
            set_ = streams[f"t{thread}.unpack_setc16"]
            set_ = set_[set_["index"] == MISC_CFG]
            offsets = np.concatenate(([self._misc[thread]], set_["value"])) >> 8 * unpacker & 15
            switches.append(set_["cycle"][np.diff(offsets) != 0])
            counter = f"context{thread}"
            moved = levels.at(cycles, name, counter) != levels.at(cycles - 1, name, counter)
            switches.append(cycles[moved])
            if unpacker == 1 and len(set_):
                self._misc[thread] = int(set_["value"][-1])
        switched = np.unique(np.concatenate(switches)).astype(np.int64)
        cycles = levels.changes("unpack_owner")
        old, new = levels.at(cycles - 1, "unpack_owner"), levels.at(cycles, "unpack_owner")
        for by, gone in enumerate((new & ~old, old & ~new)):
            given = cycles[gone >> 2 * unpacker & 3 != 0]
            before, behind = _ago(given, switched), _ago(switched, given)
            for order, where in (
                (0, (before > 0) & (before <= _NEAR)),
                (1, before == 0),
                (2, (behind > 0) & (behind <= _NEAR)),
            ):
                hit = self._tally.hit
                hit("bank.file_x_by_x_switch", unpacker, by, order, where=where)
