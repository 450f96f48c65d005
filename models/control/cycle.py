# SPDX-License-Identifier: Apache-2.0
"""Cycle-exact model of the control block: from input events to output events, block by block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tilepath.isa import profiles
from tilepath.models.control import config_unit, cores, gate, levels, scalar_unit, streams, waiting
from tilepath.models.control import layout as L
from tilepath.models.inputs import Records, Rows, checked_rows
from tilepath.models.jit import kernel

_CHUNK: Final = 16384  # cycles per pass of the kernel: bounds the output buffers
_LAST_CYCLE: Final = 1 << 32

# Where in the arena each stream starts: at most one record per cycle
_START: Final = tuple(int(n) for n in np.cumsum((0, *L.WIDTH)) * _CHUNK)
_DTYPE: Final = {name: streams.output_dtype(name) for name in streams.OUTPUT_NAMES}
_BITS: Final = {
    "word": 32,
    "write": 1,
    "address": 10,
    "data": 32,
    "get": 1,
    "stream": 6,
    "register": 10,
    "risc_sem.index": 3,
    "busy.value": 13,
    "unit_ready.value": 6,
    "stream_busy.value": 1,
}
# Where the model notes the next row of each input
_ROW: Final = {
    "risc": L.A_ROW,
    "risc_sem": L.B_ROW,
    "busy": L.BUSY_ROW,
    "unit_ready": L.READY_ROW,
    "stream_busy": L.STALL_ROW,
    "stream_write": L.SW_ROW,
}
_BUSY_MASK: Final = 0x0BFF  # conditions 10 and 12 are made here (C17)


@kernel
def _run(
    m: L.Memory,
    s: L.Memory,
    offers: L.Memory,
    risc: L.Memory,
    risc_sem: L.Memory,
    busy: L.Memory,
    ready: L.Memory,
    stall: L.Memory,
    writes: L.Memory,
    o: L.Memory,
    base: int,
    until: int,
) -> None:
    """All events in cycles ``base`` to ``until - 1``.

    Within a cycle: what is dated for it reads, waits and arbitration are decided, what is dated for
    it writes, and last what issues is dated.
    """
    t = base
    while t < until:
        levels.refresh(m, busy, L.BUSY_ROW, t)
        levels.refresh(m, ready, L.READY_ROW, t)
        levels.refresh(m, stall, L.STALL_ROW, t)
        levels.write_streams(m, s, writes, t)
        for thread in range(3):
            gate.take_offer(m, offers, thread, t)
        levels.show_state(m, o, t)
        gate.show_gone(m, o, t)
        config_unit.enter(m, o, t)
        config_unit.read_stream(m, s, t)
        scalar_unit.read(m, o, t)
        cores.views(m, o, t)
        levels.show_units(m, o, t)
        gate.latches(m, s, o, t, cores.risc_offered(m, t))
        gate.ask(m, t)
        config = cores.risc_asks(m, t)
        sync = cores.sem_asks(m, o, risc_sem, t)
        gate.decide(m, config, sync)
        risc_won = config and gate.wins(m, 3, L.CONFIG, config, sync)
        sem_won = sync and gate.wins(m, 3, L.SYNC, config, sync)
        gate.clear_latches(m, t)
        config_unit.leave(m, t)
        config_unit.write(m, o, t)
        scalar_unit.write(m, o, t)
        cores.write_sync(m, o, t)
        cores.write_setc16(m, o, t)
        for thread in range(3):
            at = L.T + thread * L.SIZE_T
            if m[at + L.WON]:
                gate.advance(m, thread, m[at + L.W_RES])
                gate.issue(m, o, thread, t)
        if risc_won:
            gate.advance(m, 3, L.CONFIG)
            cores.risc_wins(m, risc, t)
        if sem_won:
            gate.advance(m, 3, L.SYNC)
            cores.sem_wins(m, risc_sem, t)
        m[L.OCCUPIED + (t & 7)] = 0
        t = levels.next_cycle(m, t)
    levels.write_streams(m, s, writes, until)


def _rows(name: str, given: Records, start: int, until: int) -> Rows:
    """Input records as rows, see :func:`checked_rows`."""
    suffix = name.rpartition(".")[2]
    widths = {f: _BITS.get(f"{suffix}.{f}") or _BITS[f] for f in streams.INPUTS[suffix]}
    rows = checked_rows(name, given, widths, start, until)
    if suffix == "busy":
        rows[:, 1] &= _BUSY_MASK
    return rows


class ControlModel:
    """Gates, config unit, sync unit and scalar unit as a function from input to output streams.

    Attributes:
        fields: stream suffix (``"offer"``, ``"issue"``, ``"risc"``, …) -> names of its fields,
            without ``cycle`` and ``origin``; inputs and outputs.
        inputs, outputs: full names of the streams (``"t0.offer"``, …, ``"view_pack"``).
        now: first cycle that has not been modelled yet.
    """

    fields: Final = streams.FIELDS
    inputs: Final = streams.INPUT_NAMES
    outputs: Final = streams.OUTPUT_NAMES

    def __init__(self, profile: str = profiles.DEFAULT) -> None:
        """Block after reset. Raises ``ValueError`` for an unknown profile."""
        self.now = 0
        self._m = L.new_memory(profiles.get(profile))
        self._streams = np.zeros(L.STREAMS * L.STREAM_REGS, dtype=np.uint32)
        self._arena = np.empty(_START[-1], dtype=np.uint32)
        self._rows = {
            name: np.zeros((0, 1 + len(streams.INPUTS[name.rpartition(".")[2]])), dtype=np.int64)
            for name in self.inputs
        }

    def step(self, inputs: Mapping[str, Records], until: int) -> dict[str, Records]:
        """Model the cycles from ``now`` to ``until - 1``.

        Args:
            inputs: input stream name -> its events in those cycles, a structured array with
                ``cycle`` and the stream's fields, cycles increasing. A missing stream has none.
            until: cycle to stop before; at most 2**32.

        Returns:
            For every output stream a structured array: ``cycle`` and the fields (uint32), then
            ``origin`` (int64), what caused the event: 4 * k + t for offer k of thread t, 4 * k + 3
            for access k at ``risc``, -1 - k for access k at ``risc_sem``, the least int64 when no
            single one did. A level names what changed it; ``config_pipe`` what entered.

        Raises:
            ValueError: unknown stream, wrong fields, values beyond a field's width, events that
                are out of order or outside the cycles, ``until`` before ``now`` or beyond 2**32.
                The model is as before.

        How a run is cut into blocks makes no difference to the events.
        """
        if not self.now <= until <= _LAST_CYCLE:
            raise ValueError(f"until {until}: want {self.now} to {_LAST_CYCLE}")
        if unknown := set(inputs) - set(self.inputs):
            raise ValueError(f"no such input stream: {', '.join(sorted(unknown))}")
        new = {name: _rows(name, given, self.now, until) for name, given in inputs.items()}
        for name, rows in new.items():
            old = self._rows[name]
            self._rows[name] = np.concatenate((old, rows)) if old.shape[0] else rows
        offers = self._open()
        parts = []
        while True:
            end = min(until, self.now + _CHUNK)
            parts.append(self._chunk(offers, end))
            self.now = end
            if end == until:
                break
        self._trim()
        if len(parts) == 1:
            return parts[0]
        return {name: np.concatenate([part[name] for part in parts]) for name in self.outputs}

    def waiting(self) -> list[str]:
        """What holds the words that are offered and not issued when cycle ``now`` begins.

        One line for each such thread: the thread, the word, and the latch with its condition or the
        resource it lacks; then one for each access of the cores that still waits.
        """
        rows = self._rows
        return waiting.describe(
            self._m, self._streams, self.now, rows["risc"], rows["risc_sem"]
        )  # fmt: skip

    def _open(self) -> Rows:
        """Point the model's memory at the first rows; all offers in one array."""
        m = self._m
        offers = [self._rows[f"t{thread}.offer"] for thread in range(streams.THREADS)]
        first = 0
        for thread, rows in enumerate(offers):
            at = L.T + thread * L.SIZE_T
            m[at + L.ROW] = first
            first += rows.shape[0]
            m[at + L.END] = first
            m[at + L.NEXT] = rows[0, 0] if rows.shape[0] else L.NEVER
        for name, row in _ROW.items():
            rows = self._rows[name]
            m[row] = 0
            m[row + 1] = rows[0, 0] if rows.shape[0] else L.NEVER
        return np.concatenate(offers)

    def _chunk(self, offers: Rows, until: int) -> dict[str, Records]:
        m, rows = self._m, self._rows
        m[L.WP : L.WP + len(L.WIDTH)] = _START[:-1]
        _run(
            m, self._streams, offers, rows["risc"], rows["risc_sem"], rows["busy"],
            rows["unit_ready"], rows["stream_busy"], rows["stream_write"],
            self._arena, self.now, until,
        )  # fmt: skip
        out = {}
        for number, name in enumerate(self.outputs):
            table = self._arena[_START[number] : int(m[L.WP + number])]
            out[name] = table.copy().view(_DTYPE[name])
        return out

    def _trim(self) -> None:
        """Forget the input events that have been used."""
        for thread in range(streams.THREADS):
            at = L.T + thread * L.SIZE_T
            name = f"t{thread}.offer"
            left = int(self._m[at + L.END] - self._m[at + L.ROW])
            rows = self._rows[name]
            self._rows[name] = rows[rows.shape[0] - left :].copy()
        for name, row in _ROW.items():
            self._rows[name] = self._rows[name][int(self._m[row]) :].copy()
