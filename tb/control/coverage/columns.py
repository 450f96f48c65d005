# SPDX-License-Identifier: Apache-2.0
"""The rows of a block of cycles, made from its records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.tb.control.coverage import layout as at
from tilepath.tb.control.coverage.layout import I64, U32, VALID
from tilepath.tb.control.streams import FAULTS, THREADS, VIEWS
from tilepath.tb.kernel.description.stream import Records

_Place = tuple[str, int, int]  # field, lowest bit, width

_LEVELS: Final[tuple[tuple[str, int, tuple[_Place, ...]], ...]] = (
    ("config_pipe", at.PIPE, (("stages", 0, 7),)),
    ("scalar", at.SCALAR, (("busy", 0, 1), ("thread", 1, 2))),
    ("semaphores", at.SEMV, (("value", 0, 32),)),
    ("semaphores", at.SEMM, (("max", 0, 32),)),
    ("mutexes", at.MUTEX, (("value", 0, 12),)),
    ("hold", at.HOLDS, (("value", 0, 3),)),
    ("unit_ready", at.READY, (("value", 0, 6),)),
    ("stream_busy", at.SBUSY, (("value", 0, 1),)),
)
_TARGET: Final[tuple[_Place, ...]] = (("index", 4, 8), ("quad", 12, 1))
_EVENTS: Final[tuple[tuple[str, int, tuple[_Place, ...]], ...]] = (
    ("config_write", at.CW, (("source", 0, 2), ("banks", 2, 2), *_TARGET)),
    ("flop_write", at.FW, (("thread", 0, 2), *_TARGET)),
    (
        "flop_adc",
        at.FA,
        (
            ("thread", 0, 2),
            ("select", 2, 2),
            ("counter", 4, 2),
            ("checkpoint", 6, 1),
            ("channel", 7, 1),
        ),
    ),
    ("risc_thread_write", at.RT, (("data", 0, 16), ("index", 16, 7), ("thread", 23, 2))),
    ("stream_write", at.SW, (("register", 0, 10), ("stream", 10, 6))),
    *(
        (f"view_{unit}", at.VIEW + u, (("index", 0, 9), ("thread", 9, 2)))
        for u, unit in enumerate(VIEWS)
    ),
)
_THREAD_LEVELS: Final[tuple[tuple[int, tuple[_Place, ...]], ...]] = (
    (at.LATCH, (("valid", 0, 1), ("kind", 1, 2), ("block", 3, 9))),
    (at.WHAT, (("what", 0, 13),)),
    (at.TARGET, (("target", 0, 20),)),
)
_THREAD_EVENTS: Final[tuple[tuple[str, int, tuple[_Place, ...]], ...]] = (
    ("setc16", at.SETC, (("data", 0, 16), ("index", 16, 8))),
    ("rdcfg", at.RDC, (("gpr", 0, 6),)),
    ("gpr", at.GPRW, (("halves", 0, 2), ("gpr", 2, 6))),
)
_FAULT: Final[tuple[_Place, ...]] = tuple((flag, bit, 1) for bit, flag in enumerate(FAULTS))


def _packed(records: Records, places: tuple[_Place, ...], flags: int = 0) -> U32:
    """One word a record; a field wider than its place loses its upper bits."""
    words = np.full(len(records), flags, np.uint32)
    for name, low, width in places:
        words |= (records[name] & np.uint32((1 << width) - 1)) << np.uint32(low)
    return words


class Columns:
    """Rows of the block under way, with the last rows of the block before."""

    def __init__(self) -> None:
        self._memory = np.zeros((at.HISTORY, at.COLUMNS), np.uint32)
        self._standing: dict[int, int] = {}  # column → value at the end of the block before
        self._offered: dict[str, int] = {}  # offers not taken yet
        self.rows: U32 = self._memory

    def fill(self, streams: Mapping[str, Records], start: int, end: int) -> U32:
        """Rows of cycles ``start`` … ``end - 1`` behind ``HISTORY`` older ones.

        ``ValueError`` when a record is outside these cycles: the kernels index with it.
        """
        cycles = end - start
        if len(self._memory) < at.HISTORY + cycles:
            memory = np.zeros((at.HISTORY + cycles, at.COLUMNS), np.uint32)
        else:
            memory = self._memory
        memory[: at.HISTORY] = self.rows[len(self.rows) - at.HISTORY :].copy()
        self._memory, self.rows = memory, memory[: at.HISTORY + cycles]
        self._now = self.rows[at.HISTORY :]
        self._now[:] = 0
        self._when: dict[str, I64] = {}
        for name, records in streams.items():
            when = records["cycle"].astype(np.int64) - start
            if len(when) and not (when[0] >= 0 and when[-1] < cycles):
                raise ValueError(f"coverage: {name} has a record outside {start} to {end}")
            self._when[name] = when
        for n in range(THREADS):
            self._thread(n, streams)
        for name, column, places in _LEVELS:
            self._level(name, streams[name], column, places)
        for name, column, places in _EVENTS:
            self._event(name, streams[name], column, places)
        self._block(streams)
        return self.rows

    def _level(self, name: str, records: Records, column: int, places: tuple[_Place, ...]) -> None:
        """The value in each cycle: that of the last record."""
        values = np.empty(len(records) + 1, np.uint32)
        values[0] = self._standing.get(column, 0)
        values[1:] = _packed(records, places)
        self._standing[column] = int(values[-1])
        edges = np.concatenate(([0], self._when[name], [len(self._now)]))
        self._now[:, column] = np.repeat(values, np.diff(edges))

    def _event(
        self,
        name: str,
        records: Records,
        column: int,
        places: tuple[_Place, ...],
        flag: int = VALID,
    ) -> None:
        self._now[self._when[name], column] = _packed(records, places, flag)

    def _under_way(self, offer: str, taken: str) -> NDArray[np.bool_]:
        """Cycles from an offer to the one in which it is taken, both included."""
        change = np.zeros(len(self._now) + 1, np.int64)
        change[self._when[offer]] += 1
        change[self._when[taken] + 1] -= 1
        count = np.cumsum(change) + self._offered.get(offer, 0)
        self._offered[offer] = int(count[-1])
        under_way: NDArray[np.bool_] = count[:-1] > 0
        return under_way

    def _thread(self, n: int, streams: Mapping[str, Records]) -> None:
        now, base = self._now, n * at.PER_THREAD
        self._level(f"t{n}.offer", streams[f"t{n}.offer"], base + at.WORD, (("word", 0, 32),))
        opcodes = now[:, base + at.WORD] >> 24
        now[:, base + at.KIND] = at.KINDS[opcodes]
        now[:, base + at.CLASSES] = at.CLASS_BITS[opcodes]
        now[:, base + at.EV] = self._under_way(f"t{n}.offer", f"t{n}.issue") * at.OFFERED
        now[self._when[f"t{n}.issue"], base + at.EV] |= at.ISSUED
        for column, places in _THREAD_LEVELS:
            self._level(f"t{n}.latch", streams[f"t{n}.latch"], base + column, places)
        self._level(f"t{n}.busy", streams[f"t{n}.busy"], base + at.COND, (("value", 0, 13),))
        for name, column, places in _THREAD_EVENTS:
            self._event(f"t{n}.{name}", streams[f"t{n}.{name}"], base + column, places)
        for name, column in (("rdcfg", at.RDCD), ("gpr", at.GPRD)):
            now[self._when[f"t{n}.{name}"], base + column] = streams[f"t{n}.{name}"]["data"]
        self._event(f"t{n}.fault", streams[f"t{n}.fault"], base + at.FAULT, _FAULT, 0)

    def _block(self, streams: Mapping[str, Records]) -> None:
        """Accesses of the cores, and the data of what is written and viewed."""
        now = self._now
        places: tuple[_Place, ...] = (("address", 0, 10), ("write", 10, 1))
        self._level("risc", streams["risc"], at.RISC, places)
        places = (("index", 0, 3), ("get", 3, 1), ("write", 4, 1))
        self._level("risc_sem", streams["risc_sem"], at.RSEM, places)
        gev = self._under_way("risc", "risc_done") * np.uint32(at.RISC_ON)
        gev |= self._under_way("risc_sem", "risc_sem_done") * np.uint32(at.RSEM_ON)
        for name, bit in (
            ("risc", at.RISC_FIRST),
            ("risc_done", at.RISC_DONE),
            ("risc_sem_done", at.RSEM_DONE),
            ("sticky", at.STICKY),
        ):
            gev[self._when[name]] |= np.uint32(bit)
        fault = streams["risc_fault"]
        bits = fault["cfg_oob"] * np.uint32(at.RISC_OOB)
        gev[self._when["risc_fault"]] |= bits | fault["state_reset"] * np.uint32(at.RISC_RESET)
        now[:, at.GEV] = gev
        when, flop = self._when["flop_write"], streams["flop_write"]
        now[when, at.FW] |= (flop["bank"] & 1) + np.uint32(1) << np.uint32(2)
        for k in range(4):
            now[self._when["config_write"], at.CD + k] = streams["config_write"][f"data{k}"]
            now[when, at.FD + k] = flop[f"data{k}"]
        now[self._when["stream_write"], at.SWD] = streams["stream_write"]["data"]
        for u, unit in enumerate(VIEWS):
            now[self._when[f"view_{unit}"], at.VIEWD + u] = streams[f"view_{unit}"]["data"]
