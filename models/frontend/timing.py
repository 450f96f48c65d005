# SPDX-License-Identifier: Apache-2.0
"""Timing: the cycle-exact model, from input events to output events, block by block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.account import taken
from tilepath.engine.compiled.cycle_exact import CycleExactModel, joined
from tilepath.engine.compiled.inputs import Rows, checked_rows
from tilepath.engine.compiled.jit import compiled
from tilepath.engine.compiled.records import Records, for_compiled, record, zeros
from tilepath.engine.compiled.state import by_thread
from tilepath.isa import profiles
from tilepath.isa.boundary.frontend import BOUNDARY, THREADS
from tilepath.models.frontend.account import Told
from tilepath.models.frontend.timing_expander import Inputs, feed, finish
from tilepath.models.frontend.timing_levels import LEVELS, STATUS, faults, qstatus, status
from tilepath.models.frontend.timing_output import ACCOUNT_CYCLES, BLOCK_CYCLES, BUFFERS, OUTPUT
from tilepath.models.frontend.timing_replay import drain
from tilepath.models.frontend.timing_state import new_thread
from tilepath.models.frontend.timing_walk import walk
from tilepath.models.frontend.untimed import architectural_state

# Input stream, without its thread → its fields, and their widths
_WIDTHS: Final = {
    stream.name: {field.name: field.width for field in stream.fields}
    for stream in BOUNDARY.streams
    if stream.direction == "input"
}
# ``data`` would be an attribute of every record.
_ROW: Final = {
    name: record(cycle=np.int64, **{"datum" if f == "data" else f: np.int64 for f in widths})
    for name, widths in _WIDTHS.items()
}


_STICKY: Final = BOUNDARY.stream("sticky").expected_dtype
_STICKING: Final = tuple(field.name for field in BOUNDARY.stream("sticky").fields)
# Streams that the loops write in full, but for qstatus
_TAKEN: Final = (
    *("accept", "brisc_accept", "sync_ack", "ingest", "mq", "rq", "issue", "fault", "status"),
)


@compiled
def _run(threads: Records, inputs: Inputs, outputs: Records, until: int) -> None:
    """All events of one thread in the cycles of the block, up to ``until - 1``.

    Words go through the expanders one write to M at a time, each as far down as it gets, so that
    whatever a later word has to wait for is known.
    """
    thread, output = threads[0], outputs[0]
    more = True
    while more:
        drain(thread, inputs.ready, output, until)
        more = feed(thread, inputs, output, until)
    finish(thread, inputs, output, until)


def _none(stream: str) -> Rows:
    return np.zeros((0, 1 + len(_WIDTHS[stream])), dtype=np.int64)


class _Buffer:
    """What one stream of one thread gets in a block of cycles."""

    def __init__(self, buffer: npt.NDArray[Any]) -> None:
        """``buffer``: one record of ``count`` and ``rows``."""
        self._written, rows = buffer["count"], buffer["rows"][0]
        self._dtype = rows.dtype
        self._raw = rows.view(f"V{rows.itemsize}")  # copied at once, not field by field

    def clear(self) -> None:
        """Forget the records."""
        self._written[0] = 0

    def take(self) -> Records:
        """The records written so far."""
        records: Records = self._raw[: self._written[0]].copy().view(self._dtype)
        return records


class _Lane:
    """One thread: its state, the input events it still needs, its output."""

    def __init__(self, number: int, profile: profiles.Profile, output: npt.NDArray[Any]) -> None:
        """Thread ``number`` after reset; ``output``: an array of one record for it to write to."""
        offers = (BOUNDARY.number(f"t{number}.{stream}") for stream in ("push", "brisc"))
        threads = new_thread(profile, *offers)
        threads["memory"]["thread"] = number
        self._threads = for_compiled(threads)
        self._next = self._threads["next"][0]
        self._rows = {name: _none(name) for name in Inputs._fields}
        self._rows["ready"] = np.array([[-1, 0]], dtype=np.int64)
        self._outputs = for_compiled(output)
        self._buffers = {name: _Buffer(output[name]) for name in BUFFERS}
        self._account: Records = output["account"]
        self._shown = for_compiled(zeros(STATUS))
        self._pulsed: dict[str, tuple[int, int]] = {}  # sticky fault → first cycle, origin
        self._stuck = dict.fromkeys(_STICKING, 0)

    @property
    def kept(self) -> int:
        """How many input events are kept."""
        return sum(map(len, self._rows.values()))

    def add(self, stream: str, rows: Rows) -> None:
        """More input events."""
        if len(rows):
            old = self._rows[stream]
            self._rows[stream] = np.concatenate((old, rows)) if len(old) else rows

    def run(self, first: int, until: int) -> dict[str, Records]:
        """Output records of the block of cycles, all streams but qstatus."""
        for buffer in self._buffers.values():
            buffer.clear()
        self._outputs["first"] = first
        inputs = self._inputs()
        if self._outputs["kept"][0]:
            for name, bit in (("push", Told.OFFERED), ("sync", Told.REQUESTED)):
                cycles = self._rows[name][:, 0]
                begin, end = np.searchsorted(cycles, (first, until))
                self._outputs["told"][0][cycles[begin:end] - first] |= bit
        _run(self._threads, inputs, self._outputs, until)
        faults(self._outputs)
        status(self._shown, self._outputs)
        written = {name: self.take(name) for name in _TAKEN}
        return {**written, "sticky": self._sticky(until)}

    def _inputs(self) -> Inputs:
        views = (rows.view(_ROW[name]).reshape(-1) for name, rows in self._rows.items())
        return Inputs(*map(for_compiled, views))

    def account(self, until: int, last: bool) -> dict[str, Records]:
        """Rows of the block of cycles, which :meth:`run` and ``qstatus`` have modelled.

        ``last``: of a step.
        """
        memory = self._threads["memory"]
        for place in ("rows", "status_row", "qstatus_row", "ready_row"):
            memory[place] = 0
        memory["row_number"] = 0
        walk(self._threads, self._outputs, self._inputs().ready, until)
        return taken(self._account, last)

    def take(self, stream: str) -> Records:
        """Records of one stream, as written."""
        return self._buffers[stream].take()

    def _sticky(self, until: int) -> Records:
        """A fault that sticks shows from the cycle after its first pulse."""
        for name in self._stuck:
            if name not in self._pulsed and len(pulses := self.take(name)):
                self._pulsed[name] = int(pulses["cycle"][0]), int(pulses["origin"][0])
        due = {
            cycle + 1: origin
            for name, (cycle, origin) in self._pulsed.items()
            if not self._stuck[name] and cycle + 1 < until
        }
        records = np.empty(len(due), dtype=_STICKY)
        for n, shown in enumerate(sorted(due)):
            for name, (cycle, _) in self._pulsed.items():
                self._stuck[name] = int(cycle < shown)
            records[n] = (shown, *self._stuck.values(), due[shown])
        return records

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Return this thread's state, as ``FunctionalThread.state`` has it."""
        return architectural_state(self._threads[0]["mop"], self._threads[0]["replay"])

    def trim(self) -> None:
        """Forget input events that cannot matter any more."""
        for name, rows in self._rows.items():
            # of issue_ready the last level counts
            done = len(rows) - 1 if name == "ready" else int(self._next[name])
            if done:
                self._rows[name] = rows[done:].copy()
            self._next[name] = 0


class FrontendModel(CycleExactModel):
    """The three threads' front ends.

    The origin of a record is the push offer on that thread, or the BRISC offer, whose word caused
    the event; none where no single word did (``sync_ack``, ``qstatus``). Words of an expansion or a
    playback have the origin of the MOP or REPLAY. A fault of several kinds names the illegal word,
    else the lost word, else the MOP. A status change names the MOP or the REPLAY, the MOP if both
    states change.
    """

    inputs = BOUNDARY.inputs
    outputs = BOUNDARY.outputs

    def __init__(self, profile: str = profiles.DEFAULT) -> None:
        """Front end after reset. Raises ``ValueError`` for an unknown profile."""
        chosen = profiles.get(profile)
        outputs = np.zeros(THREADS, OUTPUT)
        self._kept = outputs["kept"]
        self._outputs = for_compiled(outputs)
        self.account: Sequence[Mapping[str, Records]] = ()
        self._lanes = tuple(
            _Lane(thread, chosen, outputs[thread : thread + 1]) for thread in range(THREADS)
        )
        self._levels = for_compiled(zeros(LEVELS))
        self._changes = (*outputs["occupancy"], self._levels["sfpu_cc_changes"][0])
        self._busy = 0

    def keep_account(self) -> None:
        """Leave an account (``compiled.account``); ``frontend.account`` has what is in it."""
        self._kept[:] = True

    def _step(self, inputs: Mapping[str, Records], until: int) -> dict[str, Records]:
        rows = {
            name: checked_rows(name, given, _WIDTHS[name.rpartition(".")[2]], self.now, until)
            for name, given in inputs.items()
        }
        busy = rows.pop("sfpu_cc", _none("sfpu_cc"))
        for name, new in rows.items():
            self._lanes[int(name[1])].add(name[3:], new)
        parts = []
        account: list[Mapping[str, Records]] = []
        while True:
            most = ACCOUNT_CYCLES if self._kept[0] else BLOCK_CYCLES
            end = min(until, self.now + most)
            parts.append(self._block(busy, end))
            if self._kept[0]:
                account += [lane.account(end, end == until) for lane in self._lanes]
            self.now = end
            if end == until:
                break
        for lane in self._lanes:
            lane.trim()
        self.account = account
        return joined(parts)

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """MopCfg, MaskHi and replay buffers after cycle ``now - 1``, as ``compiled.state`` says.

        ``mop_cfg``: uint32, shape (3 threads, 9); ``mask_hi``: uint16, shape (3,);
        ``replay_buffer``: uint32, shape (3, 32); copies.
        """
        return by_thread([lane.state() for lane in self._lanes])

    def _block(self, busy: Rows, until: int) -> dict[str, Records]:
        """Output records of the cycles from ``now`` to ``until - 1``."""
        out = {}
        for thread, lane in enumerate(self._lanes):
            for stream, records in lane.run(self.now, until).items():
                out[f"t{thread}.{stream}"] = records
        self._change_sfpu_cc(busy, until)
        qstatus(self._levels, self._outputs, until)
        for thread, lane in enumerate(self._lanes):
            out[f"t{thread}.qstatus"] = lane.take("qstatus")
        # What words did in the last two cycles shows in qstatus of the next two.
        cycles = until - self.now
        for changes in self._changes:
            changes[:2] = changes[cycles : cycles + 2].copy()
            changes[2 : cycles + 2] = 0
        return {name: out[name] for name in self.outputs}

    def _change_sfpu_cc(self, busy: Rows, until: int) -> None:
        """Note the changes of the input sfpu_cc, which qstatus shows one cycle later (F22)."""
        start, end = np.searchsorted(busy[:, 0], (self.now, until))
        level = (busy[start:end, 1] != 0).astype(np.int64)
        if level.size:
            self._changes[-1][busy[start:end, 0] + 1 - self.now] += np.diff(
                level, prepend=self._busy
            )
            self._busy = int(level[-1])
