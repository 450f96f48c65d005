# SPDX-License-Identifier: Apache-2.0
"""Cycle-exact model of the unpackers: from input records to output records, block by block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tilepath.isa import profiles
from tilepath.isa.boundary.adc import BOUNDARY as COUNTERS
from tilepath.isa.boundary.description import ORIGIN_STREAMS
from tilepath.models.adc import AdcModel
from tilepath.models.inputs import Rows
from tilepath.models.jit import kernel
from tilepath.models.records import Records
from tilepath.models.unpack import cycle_address as A
from tilepath.models.unpack import cycle_fetch as F
from tilepath.models.unpack import cycle_records as R
from tilepath.models.unpack import cycle_rows as rows_of
from tilepath.models.unpack import cycle_state as S
from tilepath.models.unpack import cycle_unit as U
from tilepath.models.unpack import cycle_write as W
from tilepath.models.unpack import layout as L
from tilepath.models.unpack import plan, streams
from tilepath.models.unpack import tables as T
from tilepath.models.unpack.waiting import describe

_CHUNK: Final = 2048  # cycles in which anything happens per pass: bounds the output buffers
_LAST_CYCLE: Final = 1 << 32

_OWN: Final = streams.OUTPUT_NAMES[: R.COUNT]  # the others are those of the counters
_DTYPE: Final = {name: streams.output_dtype(name) for name in streams.OUTPUT_NAMES}
_START: Final = tuple(
    int(n) for n in np.cumsum([0, *(_DTYPE[name].itemsize // 4 for name in _OWN)]) * (_CHUNK + 1)
)
_COUNTERS: Final = {
    **{name: name for name in streams.OUTPUT_NAMES if "unpacker" in name},
    **{f"t{thread}.counter_fault": f"t{thread}.fault" for thread in range(streams.THREADS)},
    "counter_conflict": "conflict",
}
# Numbers of inputs
_CFG: Final = streams.INPUT_NAMES.index("cfg")
_SETC16: Final = streams.INPUT_NAMES.index("t0.setc16")
_COUNTER: Final = streams.INPUT_NAMES.index("t0.counter")
_ISSUE: Final = COUNTERS.number("t0.issue")
_COMMAND: Final = ("cycle", "unpacker", "thread", "adc", "y0", "z0", "y1", "z1")


@kernel
def _address(
    m: L.Memory,
    tables: L.Memory,
    config: L.Memory,
    tc: L.Memory,
    live: L.Memory,
    pointers: L.Memory,
    plans: L.Memory,
    issue0: L.Memory,
    issue1: L.Memory,
    cfg: L.Memory,
    setc0: L.Memory,
    setc1: L.Memory,
    setc2: L.Memory,
    commands: L.Memory,
    last: int,
    until: int,
) -> int:
    """The first pass: increments of the counters in cycles ``last`` + 1 to ``until`` - 1.

    ``commands``: gets a row for each, and behind it the origin. Returns their number.
    """
    n = 0
    while True:
        t = L.NEVER
        t = A.following(m, 0, issue0, t)
        t = A.following(m, 1, issue1, t)
        t = A.following(m, _CFG, cfg, t)
        t = A.following(m, _SETC16, setc0, t)
        t = A.following(m, _SETC16 + 1, setc1, t)
        t = A.following(m, _SETC16 + 2, setc2, t)
        for u in range(2):
            t = U.sooner(t, last, m[S.unit(u) + S.X_SAMPLE])
            t = U.sooner(t, last, m[S.unit(u) + S.X_LAST])
        if t >= until:
            return n
        last = t
        closed = A.closed(m)
        for u in range(2):
            at = S.unit(u)
            p = plans[u]
            if m[at + S.X_SAMPLE] == t:
                thread = m[at + S.X_THREAD]
                word = m[at + S.X_WORD]
                plan.sample(tables, p, config, tc, live, pointers, u, thread, word)
                plan.leave(p, pointers)
                A.sampled(m, p, u, t)
            if m[at + S.X_LAST] == t:
                if p[L.KIND] == L.REGULAR:  # A14
                    commands[n, 0] = t
                    commands[n, 1] = u
                    commands[n, 2] = p[L.THREAD]
                    commands[n, 3] = p[L.ADC]
                    for k in range(4):
                        commands[n, 4 + k] = p[L.INCREMENTS + k]
                    commands[n, 8] = m[at + S.X_BY]
                    n += 1
                A.end_phase(m, u)
        for u in range(2):
            issues = issue0 if u == 0 else issue1
            row = A.take(m, u, issues, t)
            if row >= 0 and closed == 0 and A.is_nop(issues[row, 2]) == 0:
                A.issue(m, u, row, issues, t)
        if closed == 0:
            A.begin_phase(m, t)
        row = A.take(m, _CFG, cfg, t)
        if row >= 0:
            A.write_config(config, cfg, row)
        for thread in range(3):
            writes = setc0 if thread == 0 else (setc1 if thread == 1 else setc2)
            row = A.take(m, _SETC16 + thread, writes, t)
            if row >= 0:
                A.setc16(tc, pointers, thread, writes[row, 1], writes[row, 2])


@kernel
def _run(
    m: L.Memory,
    tables: L.Memory,
    config: L.Memory,
    tc: L.Memory,
    live: L.Memory,
    pointers: L.Memory,
    plans: L.Memory,
    values: L.Memory,
    own: L.Memory,
    nibbles: L.Memory,
    out: L.Memory,
    l1: L.Memory,
    src: L.Memory,
    dst: L.Memory,
    valid: L.Memory,
    issue0: L.Memory,
    issue1: L.Memory,
    cfg: L.Memory,
    setc0: L.Memory,
    setc1: L.Memory,
    setc2: L.Memory,
    matrix: L.Memory,
    banks: L.Memory,
    bases: L.Memory,
    l1_writes: L.Memory,
    latency: L.Memory,
    changes: L.Memory,
    o: L.Memory,
    t: int,
    until: int,
    room: int,
) -> int:
    """Cycles ``t`` to ``until`` - 1, but no more than ``room`` in which anything can happen.

    Arrays as in ``cycle_state.State`` (``tc``: ``thread_config``); ``issue0`` to ``changes``: as
    ``cycle_rows`` makes them; ``o``: the arena of ``cycle_records``.

    Within a cycle: levels are shown as registered; write stages, then fetch stages, then loads,
    which may use what those have left in this cycle; then the address unit, and at last what is
    written from outside. Returns the cycle to go on with.
    """
    while t < until and room > 0:
        room -= 1
        U.clear(m)
        U.levels(m, banks, bases, latency, t)
        U.counters(m, live, changes, t)
        U.flips(m, t)
        U.show(m, o, pointers, t)
        closed = A.closed(m)
        released = U.matrix(m, o, matrix, src, dst, valid, t)
        for u in range(2):
            W.write(m, o, plans, out, values, own, nibbles, src, dst, valid, u, t)
        want0 = F.wants(m, plans, 0, t)
        want1 = F.wants(m, plans, 1, t)
        for u in range(2):
            mine = want0 if u == 0 else want1
            if mine:
                most = F.grant(mine, want1 if u == 0 else want0)
                F.request(m, o, l1, plans, values, own, nibbles, u, t, most)
            else:
                F.other_work(m, o, l1, pointers, plans, u, t)
        for u in range(2):
            F.load(m, plans, u, t)
            at = S.unit(u)
            if m[at + S.X_SAMPLE] == t or m[at + S.N_AT] == t:
                m[S.ACTIVE] = 1
                nop = m[at + S.N_AT] == t
                what = at + (S.N_THREAD if nop else S.X_THREAD)  # thread, word, origin
                by = m[what + 2]
                slot = F.free_slot(m, u, by)
                p = plans[S.SLOTS * u + slot]
                plan.sample(tables, p, config, tc, live, pointers, u, m[what], m[what + 1])
                plan.leave(p, pointers)
                if nop:
                    F.enqueue(m, p, u, slot, t)
                else:
                    m[at + S.X_SLOT] = slot
                    A.sampled(m, p, u, t)
                    if p[L.KIND] != L.REGULAR:
                        F.raise_fault(m, u, p[L.THREAD], p[L.FLAGS], by)
                U.touch_pointers(m, u, by)
            if m[at + S.X_LAST] == t:
                m[S.ACTIVE] = 1
                slot = m[at + S.X_SLOT]
                p = plans[S.SLOTS * u + slot]
                if p[L.KIND] == L.REGULAR:
                    F.enqueue(m, p, u, slot, t)
                else:
                    F.over(m, p, u, slot)
                A.end_phase(m, u)
        for u in range(2):
            issues = issue0 if u == 0 else issue1
            row = A.take(m, u, issues, t)
            if row >= 0 and closed == 0:
                m[S.ACTIVE] = 1
                A.issue(m, u, row, issues, t)
                m[S.BUSY + 2 * issues[row, 1] + u] += 1
                m[S.CHANGED_BY] = A.origin(m, u, row)
        if closed == 0:
            A.begin_phase(m, t)
        row = A.take(m, _CFG, cfg, t)
        if row >= 0:
            m[S.ACTIVE] = 1
            for u in range(2):
                if (m[S.BUSY_SHOWN] >> u) & 0x15 and A.changes_signs(tables, config, cfg, row, u):
                    U.fault(m, 1 << u, A.origin(m, _CFG, row))
            A.write_config(config, cfg, row)
        for thread in range(3):
            writes = setc0 if thread == 0 else (setc1 if thread == 1 else setc2)
            row = A.take(m, _SETC16 + thread, writes, t)
            if row >= 0:
                m[S.ACTIVE] = 1
                A.setc16(tc, pointers, thread, writes[row, 1], writes[row, 2])
                if writes[row, 1] == L.MISC_CFG:
                    for u in range(2):
                        U.touch_pointers(m, u, A.origin(m, _SETC16 + thread, row))
        U.put_faults(m, o, t)
        if released >= 0:
            U.release(m, matrix, released)
        U.write_l1(m, l1, l1_writes, t)
        U.settle(m)
        if m[S.ACTIVE]:
            t += 1
            continue
        soon = U.wake(m, t)
        soon = A.following(m, 0, issue0, soon)
        soon = A.following(m, 1, issue1, soon)
        soon = A.following(m, _CFG, cfg, soon)
        soon = A.following(m, _SETC16, setc0, soon)
        soon = A.following(m, _SETC16 + 1, setc1, soon)
        soon = A.following(m, _SETC16 + 2, setc2, soon)
        soon = A.following(m, U.MATRIX, matrix, soon)
        soon = A.following(m, U.MATRIX_BANK, banks, soon)
        soon = A.following(m, U.SETREG_BASE, bases, soon)
        soon = A.following(m, U.L1_WRITE, l1_writes, soon)
        soon = A.following(m, U.L1_LATENCY, latency, soon)
        t = soon
    if t >= until:  # the changes of quiet cycles at the end: they are not handed over again
        U.counters(m, live, changes, until)
    return t


class UnpackModel:
    """Both unpackers as a function from input to output streams, in blocks.

    Attributes:
        fields: stream suffix (``"issue"``, ``"read"``, …) -> names of its fields, without ``cycle``
            and ``origin``; inputs and outputs.
        inputs, outputs: full names of the streams (``"u0.issue"``, …, ``"counter_conflict"``).
        now: first cycle that has not been modelled yet.
    """

    fields: Final = streams.FIELDS
    inputs: Final = streams.INPUT_NAMES
    outputs: Final = streams.OUTPUT_NAMES

    def __init__(self, profile: str = profiles.DEFAULT) -> None:
        """Unpackers after reset. Raises ``ValueError`` for an unknown profile."""
        self.now = 0
        self._tables = T.new_tables(profile)
        l1_bytes = int(self._tables[T.L1_BYTES])
        self._first = S.State(l1_bytes=0)
        self._state = S.State(l1_bytes)
        self._adc = AdcModel(profile)
        self._given = 0  # commands that the counters have had
        self._given_by = np.zeros(0, dtype=np.int64)  # origins of the last of them
        self._arena = np.empty(_START[-1], dtype=np.uint32)

    def step(self, inputs: Mapping[str, Records], until: int) -> dict[str, Records]:
        """Model the cycles from ``now`` to ``until - 1``.

        Args:
            inputs: input stream name -> its records in those cycles, a structured array with
                ``cycle`` and the stream's fields, cycles increasing. A missing stream has none.
            until: cycle to stop before; at most 2**32.

        Returns:
            For every output stream a structured array: ``cycle`` and the fields (uint32, wide ones
            arrays of words), then ``origin`` (int64): what caused it, see ``streams``. Instructions
            are the cause of what they do, and of ``ready``, ``hold`` and ``busy`` the one that was
            issued, loaded or done in the cycle before.

        Raises:
            ValueError: unknown stream, wrong fields, a value outside its width, thread 3, a word
                that is no instruction of the unpacker, records that are out of order or outside the
                cycles, ``until`` before ``now`` or beyond 2**32. The model is as before.

        How a run is cut into blocks makes no difference to the records. A word that is issued
        while an UNPACR waits for an address phase or has it, which ``ready`` forbids, is ignored.
        """
        if not self.now <= until <= _LAST_CYCLE:
            raise ValueError(f"until {until}: want {self.now} to {_LAST_CYCLE}")
        rows = rows_of.inputs(inputs, self.now, until)
        commands = self._address_pass(rows, until)
        counters, changes = self._count(inputs, commands, until)
        parts = self._second_pass(rows, changes, until)
        for state in (self._first, self._state):
            state.m[S.BASE : S.BASE + len(rows)] += [some.shape[0] for some in rows]
        self.now = until
        if len(parts) == 1:
            return parts[0] | counters
        return {n: np.concatenate([part[n] for part in parts]) for n in _OWN} | counters

    def waiting(self) -> list[str]:
        """What holds the instructions that are in the unpackers when cycle ``now`` begins."""
        return describe(self._state, self.now)

    def _address_pass(self, rows: list[Rows], until: int) -> Rows:
        """Increments of the counters that fall into the cycles before ``until``, with origins."""
        s = self._first
        s.m[S.ROW : S.ROW + len(rows)] = 0
        commands = np.zeros((rows[0].shape[0] + rows[1].shape[0] + 2, 9), dtype=np.int64)
        n = _address(
            s.m, self._tables, s.config, s.thread_config, s.live, s.pointers, s.plans, rows[0],
            rows[1], rows[_CFG], rows[_SETC16], rows[_SETC16 + 1], rows[_SETC16 + 2], commands,
            self.now - 1, until,
        )  # fmt: skip
        return commands[:n]

    def _count(
        self, inputs: Mapping[str, Records], commands: Rows, until: int
    ) -> tuple[dict[str, Records], Rows]:
        """Output streams of the counters; changes of the unpackers' counters as rows."""
        unpack = np.empty(commands.shape[0], dtype=COUNTERS.table["unpack"].dtype)
        for place, field in enumerate(_COMMAND):
            unpack[field] = commands[:, place]
        given: dict[str, Records] = {"unpack": unpack}
        for thread in range(streams.THREADS):
            name = f"t{thread}.counter"
            if name in inputs:
                given[f"t{thread}.issue"] = inputs[name]
        found = self._adc.step(given, until)
        self._given += commands.shape[0]
        self._given_by = np.concatenate((self._given_by, commands[:, 8]))
        out = {}
        for name, theirs in _COUNTERS.items():
            records = np.empty(found[theirs].shape[0], dtype=_DTYPE[name])
            for field in records.dtype.names or ():
                records[field] = found[theirs][field]
            records["origin"] = self._translated(found[theirs]["origin"])
            out[name] = records
        self._given_by = self._given_by[-4:].copy()
        return out, rows_of.changes(out)

    def _translated(self, origins: Rows) -> Rows:
        """Origins of the counters' model in the numbers of this one."""
        index, writer = origins // ORIGIN_STREAMS, origins % ORIGIN_STREAMS
        out = index << streams.ORIGIN_BITS | (_COUNTER - _ISSUE + writer)
        ours = writer == 0
        out[ours] = self._given_by[index[ours] - (self._given - self._given_by.shape[0])]
        return out

    def _second_pass(self, rows: list[Rows], changes: Rows, until: int) -> list[dict[str, Records]]:
        s = self._state
        s.m[S.ROW : S.ROW + len(rows)] = 0
        s.m[S.LIVE_ROW] = 0
        parts = []
        t = self.now
        while True:
            s.m[S.WP : S.WP + len(_OWN)] = _START[:-1]
            t = _run(
                s.m, self._tables, s.config, s.thread_config, s.live, s.pointers, s.plans,
                s.values, s.own, s.nibbles, s.out, s.l1, s.src, s.dst, s.valid, rows[0], rows[1],
                rows[_CFG], rows[_SETC16], rows[_SETC16 + 1], rows[_SETC16 + 2], rows[U.MATRIX],
                rows[U.MATRIX_BANK], rows[U.SETREG_BASE], rows[U.L1_WRITE], rows[U.L1_LATENCY],
                changes, self._arena, t, until, _CHUNK,
            )  # fmt: skip
            ends = s.m[S.WP : S.WP + len(_OWN)].tolist()
            parts.append(
                {
                    name: self._arena[start:end].copy().view(_DTYPE[name])
                    for name, start, end in zip(_OWN, _START, ends, strict=False)
                }
            )
            if t >= until:
                return parts
