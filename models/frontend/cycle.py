# SPDX-License-Identifier: Apache-2.0
"""Cycle-exact model of the front end: from input events to output events, block by block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath.isa import profiles
from tilepath.models.frontend import layout as L
from tilepath.models.frontend import levels, streams
from tilepath.models.frontend.drain import drain
from tilepath.models.frontend.feed import feed, finish
from tilepath.models.inputs import Records, Rows, checked_rows
from tilepath.models.jit import kernel

_CHUNK: Final = 65536  # cycles per pass of the kernels: bounds the output buffers
_LAST_CYCLE: Final = 1 << 32
_BITS: Final = {"word": 32, "index": 4, "data": 32, "ready": 1, "busy": 1}

_ARENA: Final = {
    L.ACCEPT: "accept",
    L.BRISC_ACCEPT: "brisc_accept",
    L.SYNC_ACK: "sync_ack",
    L.INGEST: "ingest",
    L.MQ: "mq",
    L.RQ: "rq",
    L.ISSUE: "issue",
}
# Where in the arena each stream starts: at most one record per cycle, and one held back
_START: Final = tuple(int(n) for n in np.cumsum((0, *L.WIDTH)) * (_CHUNK + 1))
_DTYPE: Final = {suffix: streams.output_dtype(suffix) for suffix in streams.OUTPUTS}


@kernel
def _run(
    m: L.Memory,
    push: L.Memory,
    cfgw: L.Memory,
    brisc: L.Memory,
    sync: L.Memory,
    ready: L.Memory,
    o: L.Memory,
    d: L.Memory,
    base: int,
    until: int,
) -> None:
    """All events of one thread in cycles ``base`` to ``until - 1``.

    Words go through the expanders one write to M at a time, each as far down as it gets, so that
    whatever a later word has to wait for is known.
    """
    more = True
    while more:
        drain(m, ready, o, d, base, until)
        more = feed(m, push, cfgw, brisc, sync, o, d, base, until)
    finish(m, push, cfgw, sync, o, d, base, until)


def _rows(name: str, given: Records, start: int, until: int) -> Rows:
    """Input records as rows, see :func:`checked_rows`."""
    fields = streams.FIELDS[name.rpartition(".")[2]]
    return checked_rows(name, given, {field: _BITS[field] for field in fields}, start, until)


class _Lane:
    """One thread: its memory, the input events it still needs, its output buffers."""

    def __init__(self, profile: profiles.Profile) -> None:
        self.m = L.new_memory(profile)
        self.arena = np.empty(_START[-1], dtype=np.uint32)
        self.rows: dict[str, Rows] = {
            suffix: np.zeros((0, 1 + len(fields)), dtype=np.int64)
            for suffix, fields in streams.INPUTS.items()
        }
        self.rows["ready"] = np.array([[-1, 0]], dtype=np.int64)
        self._states = np.zeros(2, dtype=np.int64)
        self._pulsed: list[tuple[int, int] | None] = [None, None]  # race, collision: cycle, origin
        self._shown = [0, 0]

    def add(self, suffix: str, rows: Rows) -> None:
        if rows.shape[0]:
            old = self.rows[suffix]
            self.rows[suffix] = np.concatenate((old, rows)) if old.shape[0] else rows

    def run(self, d: Rows, base: int, until: int) -> dict[str, Records]:
        """Output records of the chunk, all streams but qstatus."""
        m, rows = self.m, self.rows
        m[L.WP : L.WP + len(L.WIDTH)] = _START[:-1]
        _run(
            m, rows["push"], rows["mopcfg"], rows["brisc"], rows["sync"], rows["ready"],
            self.arena, d, base, until,
        )  # fmt: skip
        out = {
            suffix: self._table(stream).copy().view(_DTYPE[suffix]).reshape(-1)
            for stream, suffix in _ARENA.items()
        }
        out["fault"] = self._faults()
        out["sticky"] = self._sticky(until)
        out["status"] = self._status(until - base)
        return out

    def _table(self, stream: int) -> npt.NDArray[np.uint32]:
        """Records of one stream of the arena, as rows of 32-bit words."""
        end = int(self.m[L.WP + stream])
        return self.arena[_START[stream] : end].reshape(-1, L.WIDTH[stream])

    def _faults(self) -> Records:
        kinds = (L.FAULT_ILLEGAL, L.FAULT_COLLISION, L.FAULT_RACE)
        tables = [self._table(kind) for kind in kinds]
        for place, table in ((0, tables[2]), (1, tables[1])):
            if table.shape[0] and self._pulsed[place] is None:
                origin = int(table[0, 1:3].copy().view(np.int64)[0])
                self._pulsed[place] = (int(table[0, 0]), origin)
        total = sum(table.shape[0] for table in tables)
        if total == 0:
            return np.empty(0, dtype=_DTYPE["fault"])
        pulses = np.concatenate(tables)
        field = np.repeat(np.array([0, 2, 1], dtype=np.int64), [t.shape[0] for t in tables])
        order = np.argsort(pulses[:, 0], kind="stable")
        merged = np.empty((total, 6), dtype=np.uint32)
        count = levels.faults(pulses[order], field[order], merged)
        return merged[:count].view(_DTYPE["fault"]).reshape(-1)

    def _sticky(self, until: int) -> Records:
        due = {
            pulse[0] + 1: pulse[1]
            for pulse, shown in zip(self._pulsed, self._shown, strict=True)
            if pulse is not None and not shown and pulse[0] + 1 < until
        }
        out = np.empty(len(due), dtype=_DTYPE["sticky"])
        for n, cycle in enumerate(sorted(due)):
            self._shown = [int(p is not None and p[0] < cycle) for p in self._pulsed]
            out[n] = (cycle, *self._shown, due[cycle])
        return out

    def _status(self, cycles: int) -> Records:
        changes = (self._table(L.MOP_STATE), self._table(L.REPLAY_STATE))
        most = min(cycles, changes[0].shape[0] + changes[1].shape[0])
        if most == 0:
            return np.empty(0, dtype=_DTYPE["status"])
        merged = np.empty((most, 5), dtype=np.uint32)
        count = levels.status(*changes, self._states, merged)
        return merged[:count].view(_DTYPE["status"]).reshape(-1)

    def trim(self) -> None:
        """Forget input events that cannot matter any more."""
        m = self.m
        for suffix, base, following in (("push", L.F_BASE, L.F_POP), ("brisc", L.B_BASE, L.B_NEXT)):
            self._drop(suffix, int(m[following] - m[base]))
            m[base] = m[following]
        for suffix, row in (("sync", L.S_ROW), ("mopcfg", L.C_ROW)):
            self._drop(suffix, int(m[row]))
            m[row] = 0
        self._drop("ready", self.rows["ready"].shape[0] - 1)
        m[L.G_ROW] = 0

    def _drop(self, suffix: str, count: int) -> None:
        if count:
            self.rows[suffix] = self.rows[suffix][count:].copy()


class FrontendModel:
    """The three threads' front ends as a function from input to output streams, in blocks.

    Attributes:
        fields: stream suffix (``"push"``, ``"issue"``, …) -> names of its fields, without
            ``cycle`` and ``origin``; inputs and outputs.
        inputs, outputs: full names of the streams (``"t0.push"``, …, ``"sfpu_cc"``).
        now: first cycle that has not been modelled yet.
    """

    fields: Final = streams.FIELDS
    inputs: Final = streams.INPUT_NAMES
    outputs: Final = streams.OUTPUT_NAMES

    def __init__(self, profile: str = profiles.DEFAULT) -> None:
        """Front end after reset. Raises ``ValueError`` for an unknown profile."""
        chosen = profiles.get(profile)
        self.now = 0
        self._lanes = tuple(_Lane(chosen) for _ in range(streams.THREADS))
        self._busy = 0
        self._edges = np.zeros((streams.THREADS + 1, _CHUNK + 2), dtype=np.int64)
        self._shown = np.zeros(levels.STATE_SIZE, dtype=np.int64)
        self._qstatus = np.empty((streams.THREADS, _CHUNK, 4), dtype=np.uint32)

    def step(self, inputs: Mapping[str, Records], until: int) -> dict[str, Records]:
        """Model the cycles from ``now`` to ``until - 1``.

        Args:
            inputs: input stream name -> its events in those cycles, a structured array with
                ``cycle`` and the stream's fields, cycles increasing. A missing stream has none.
            until: cycle to stop before; at most 2**32.

        Returns:
            For every output stream a structured array: ``cycle`` and the fields (uint32), then
            ``origin`` (int64): index of the push offer on that thread whose word caused the event,
            -1 - k for BRISC offer k, the least int64 when no single word did (``sync_ack``,
            ``qstatus``). Words of an expansion or a playback have the origin of the MOP or REPLAY.
            A fault of several kinds names the illegal word, else the lost word, else the MOP.
            A status change names the MOP or the REPLAY, the MOP if both states change.

        Raises:
            ValueError: unknown stream, wrong fields, events that are out of order or outside the
                cycles, ``until`` before ``now`` or beyond 2**32. The model is as before.

        How a run is cut into blocks makes no difference to the events.
        """
        if not self.now <= until <= _LAST_CYCLE:
            raise ValueError(f"until {until}: want {self.now} to {_LAST_CYCLE}")
        if unknown := set(inputs) - set(self.inputs):
            raise ValueError(f"no such input stream: {', '.join(sorted(unknown))}")
        rows = {name: _rows(name, given, self.now, until) for name, given in inputs.items()}
        busy = rows.pop("sfpu_cc", np.zeros((0, 2), dtype=np.int64))
        for name, new in rows.items():
            self._lanes[int(name[1])].add(name[3:], new)
        parts = []
        while True:
            end = min(until, self.now + _CHUNK)
            parts.append(self._chunk(busy, end))
            self.now = end
            if end == until:
                break
        for lane in self._lanes:
            lane.trim()
        if len(parts) == 1:
            return parts[0]
        return {name: np.concatenate([part[name] for part in parts]) for name in self.outputs}

    def _chunk(self, busy: Rows, until: int) -> dict[str, Records]:
        base, edges = self.now, self._edges
        count = until - base
        out = {}
        for thread, lane in enumerate(self._lanes):
            for suffix, records in lane.run(edges[thread], base, until).items():
                out[f"t{thread}.{suffix}"] = records
        first, last = np.searchsorted(busy[:, 0], (base, until))
        level = (busy[first:last, 1] != 0).astype(np.int64)
        if level.size:
            edges[-1, busy[first:last, 0] + (1 - base)] += np.diff(level, prepend=self._busy)
            self._busy = int(level[-1])
        levels.qstatus(edges, base, until, self._shown, self._qstatus)
        for thread in range(streams.THREADS):
            table = self._qstatus[thread, : int(self._shown[levels.COUNT + thread])]
            out[f"t{thread}.qstatus"] = table.copy().view(_DTYPE["qstatus"]).reshape(-1)
        # What words did in the last two cycles shows in qstatus of the next two.
        edges[:, :2] = edges[:, count : count + 2].copy()
        edges[:, 2 : count + 2] = 0
        return {name: out[name] for name in self.outputs}
