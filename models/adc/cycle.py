# SPDX-License-Identifier: Apache-2.0
"""Cycle-exact model of the address counters: from commands to changes, block by block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tilepath.isa import profiles
from tilepath.models.adc import commands, streams
from tilepath.models.adc import layout as L
from tilepath.models.adc.counters import AddressCounters
from tilepath.models.inputs import Records, Rows, checked_rows
from tilepath.models.jit import kernel, part

_CHUNK: Final = 36_000  # cycles with commands per pass of the kernel: bounds the output buffers
_LAST_CYCLE: Final = 1 << 32

# Writers, and output streams, by their place in the lists of names
_UNPACK: Final = 0
_PACK: Final = 1
_FLOP: Final = 2
_THREAD: Final = 3
_FAULT: Final = 9
_UNIT_FAULT: Final = 12
_CONFLICT: Final = 13

_WIDTHS: Final = {name: streams.INPUTS[streams.suffix(name)] for name in streams.INPUT_NAMES}
_DTYPE: Final = {name: streams.output_dtype(name) for name in streams.OUTPUT_NAMES}
_WORDS: Final = tuple(dtype.itemsize // 4 for dtype in _DTYPE.values())
# Where each stream starts in an arena of one record a stream
_START: Final = np.cumsum((0, *_WORDS))


@part
def _flags(m: L.Memory, o: L.Memory, stream: int, time: int, flags: int, by: int) -> None:
    """Record with three flags."""
    p = m[L.WP + stream]
    o[p] = time
    o[p + 1] = flags & 1
    o[p + 2] = (flags >> 1) & 1
    o[p + 3] = flags >> 2
    o[p + 4] = by & L.LOW32
    o[p + 5] = by >> 32
    m[L.WP + stream] = p + 6


@part
def _show(m: L.Memory, live: L.Memory, checkpoint: L.Memory, shown: L.Memory, o: L.Memory) -> None:
    """Records of the targets that were touched, where a value is not what it was."""
    for target in range(9):
        if ((m[L.DIRTY] >> target) & 1) == 0:
            continue
        p = m[L.WP + target]
        n = 0
        changed = False
        for counter in range(8):
            i = 8 * target + counter
            now = live[i]
            then = checkpoint[i]
            if now != shown[i, 0] or then != shown[i, 1]:
                changed = True
                shown[i, 0] = now
                shown[i, 1] = then
            if (counter & 3) == 0:
                o[p + n + 1] = now
                o[p + n + 2] = then
                n += 2
            else:
                o[p + n + 1] = now | (then << 16)
                n += 1
        if changed:
            by = m[L.TOUCHED_BY + target]
            o[p] = m[L.SHOW_AT]
            o[p + n + 1] = by & L.LOW32
            o[p + n + 2] = by >> 32
            m[L.WP + target] = p + n + 3
    m[L.DIRTY] = 0


@part
def _unit_fault(m: L.Memory, flags: int, by: int) -> None:
    if flags:
        m[L.UNIT_FAULT] |= flags
        m[L.UNIT_FAULT_BY] = by


@part
def _take(m: L.Memory, writer: int, given: L.Memory, time: int) -> int:
    """Whether a writer has a command in cycle ``time``: its origin then, else -1."""
    row = m[L.ROW + writer]
    if row >= given.shape[0] or given[row, 0] != time:
        return -1
    m[L.ROW + writer] = row + 1
    by: int = ((m[L.BASE + writer] + row) << streams.WRITER_BITS) | writer
    return by


@part
def _next(m: L.Memory, writer: int, given: L.Memory, time: int) -> int:
    """The earlier of ``time`` and the cycle of the writer's next command."""
    row = m[L.ROW + writer]
    if row < given.shape[0] and given[row, 0] < time:
        time = given[row, 0]
    return time


@kernel
def _run(
    m: L.Memory,
    live: L.Memory,
    checkpoint: L.Memory,
    shown: L.Memory,
    unpack: L.Memory,
    pack: L.Memory,
    flop: L.Memory,
    words0: L.Memory,
    words1: L.Memory,
    words2: L.Memory,
    o: L.Memory,
    until: int,
    room: int,
) -> bool:
    """Commands of up to ``room`` cycles before ``until``; returns whether any may be left.

    Writes at most ``room`` + 1 records a stream: a change from the call before may show first.
    """
    while True:
        if m[L.DIRTY] and m[L.SHOW_AT] < until:
            _show(m, live, checkpoint, shown, o)
        if room == 0:
            return True
        room -= 1
        t = L.NEVER
        t = _next(m, _UNPACK, unpack, t)
        t = _next(m, _PACK, pack, t)
        t = _next(m, _FLOP, flop, t)
        t = _next(m, _THREAD, words0, t)
        t = _next(m, _THREAD + 1, words1, t)
        t = _next(m, _THREAD + 2, words2, t)
        if t == L.NEVER:
            return False
        for target in range(9):
            m[L.TOUCHED + target] = 0
        m[L.CONFLICT] = 0
        m[L.UNIT_FAULT] = 0
        m[L.SHOW_AT] = t + 1
        by = _take(m, _UNPACK, unpack, t)
        if by >= 0:
            a = unpack[m[L.ROW + _UNPACK] - 1]
            flags = commands.unpack_update(m, live, checkpoint, a[1], a[2], a[3], a[4:], by)
            _unit_fault(m, flags, by)
        by = _take(m, _PACK, pack, t)
        if by >= 0:
            a = pack[m[L.ROW + _PACK] - 1]
            commands.pack_update(m, live, checkpoint, a[1], a[2], by)
        by = _take(m, _FLOP, flop, t)
        if by >= 0:
            a = flop[m[L.ROW + _FLOP] - 1]
            what = L.CHECKPOINT if a[5] != 0 else L.LIVE
            flags = commands.flop(
                m, live, checkpoint, a[1], a[2], 4 * a[3] + a[4], what, a[6], by
            )  # fmt: skip
            _unit_fault(m, flags, by)
        for thread in range(3):
            words = words0 if thread == 0 else (words1 if thread == 1 else words2)
            by = _take(m, _THREAD + thread, words, t)
            if by >= 0:
                word = words[m[L.ROW + _THREAD + thread] - 1, 1]
                flags = commands.instruction(m, live, checkpoint, thread, word, by)
                if flags:
                    _flags(m, o, _FAULT + thread, t, flags, by)
        if m[L.UNIT_FAULT]:
            _flags(m, o, _UNIT_FAULT, t, m[L.UNIT_FAULT], m[L.UNIT_FAULT_BY])
        if m[L.CONFLICT]:
            p = m[L.WP + _CONFLICT]
            by = m[L.CONFLICT_BY]
            o[p] = t
            o[p + 1] = m[L.CONFLICT]
            o[p + 2] = by & L.LOW32
            o[p + 3] = by >> 32
            m[L.WP + _CONFLICT] = p + 4


class AdcModel:
    """The address counters as a function from input to output streams, in blocks.

    Attributes:
        fields: stream suffix (``"issue"``, ``"packers"``, …) -> names of its fields, without
            ``cycle`` and ``origin``; inputs and outputs.
        inputs, outputs: full names of the streams (``"unpack"``, …, ``"conflict"``).
        now: first cycle that has not been modelled yet.
    """

    fields: Final = streams.FIELDS
    inputs: Final = streams.INPUT_NAMES
    outputs: Final = streams.OUTPUT_NAMES

    def __init__(self, profile: str = profiles.DEFAULT) -> None:
        """Counters after reset. Raises ``ValueError`` for an unknown profile."""
        self.now = 0
        self._m = L.new_memory(profile)
        counters = AddressCounters(profile)
        self._live = counters.live.reshape(-1)
        self._checkpoint = counters.checkpoint.reshape(-1)
        self._shown = np.zeros((self._live.size, 2), dtype=np.uint32)

    def step(self, inputs: Mapping[str, Records], until: int) -> dict[str, Records]:
        """Model the cycles from ``now`` to ``until - 1``.

        Args:
            inputs: input stream name -> its commands in those cycles, a structured array with
                ``cycle`` and the stream's fields, cycles increasing. A missing stream has none.
            until: cycle to stop before; at most 2**32.

        Returns:
            For every output stream a structured array: ``cycle`` and the fields (uint32), then
            ``origin`` (int64): 8 × index of the command in its input stream, since reset, + number
            of the writer (0 ``unpack``, 1 ``pack``, 2 ``flop``, 3 to 5 ``t0.issue`` to
            ``t2.issue``); ``streams.split_origin`` takes it apart. It names the command that is
            at fault; for a level the last one that touched the target in the cycle before; for
            ``conflict`` the last one that touched a counter again; for a ``unit_fault`` of two
            commands the latter.

        Raises:
            ValueError: unknown stream, wrong fields, a value outside its width, commands that are
                out of order or outside the cycles, ``until`` before ``now`` or beyond 2**32. The
                model is as before.

        How a run is cut into blocks makes no difference to the records.
        """
        if not self.now <= until <= _LAST_CYCLE:
            raise ValueError(f"until {until}: want {self.now} to {_LAST_CYCLE}")
        if unknown := set(inputs) - set(self.inputs):
            raise ValueError(f"no such input stream: {', '.join(sorted(unknown))}")
        rows = [
            checked_rows(
                name,
                inputs.get(name, _NOTHING[name]),
                streams.INPUTS[streams.suffix(name)],
                self.now,
                until,
            )
            for name in self.inputs
        ]
        m = self._m
        m[L.ROW : L.ROW + len(rows)] = 0
        parts = []
        more = True
        while more:
            more, part = self._pass(rows, until)
            parts.append(part)
        m[L.BASE : L.BASE + len(rows)] += [some.shape[0] for some in rows]
        self.now = until
        if len(parts) == 1:
            return parts[0]
        return {name: np.concatenate([part[name] for part in parts]) for name in self.outputs}

    def _pass(self, rows: list[Rows], until: int) -> tuple[bool, dict[str, Records]]:
        """One pass of the kernel: whether commands may be left, and the records."""
        m = self._m
        left = sum(some.shape[0] for some in rows) - int(m[L.ROW : L.ROW + len(rows)].sum())
        room = min(_CHUNK, left + 1)
        starts = _START * (room + 1)
        m[L.WP : L.WP + len(_WORDS)] = starts[:-1]
        # Mostly untouched, so the system does not provide it; the records are views into it.
        arena = np.empty(starts[-1], dtype=np.uint32)
        more = _run(
            m, self._live, self._checkpoint, self._shown,
            rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], arena, until, room,
        )  # fmt: skip
        ends = m[L.WP : L.WP + len(_WORDS)].tolist()
        return bool(more), {
            name: arena[start:end].view(dtype)
            for (name, dtype), start, end in zip(_DTYPE.items(), starts[:-1], ends, strict=True)
        }


_NOTHING: Final = {
    name: np.empty(0, dtype=streams.input_dtype(name)) for name in streams.INPUT_NAMES
}
