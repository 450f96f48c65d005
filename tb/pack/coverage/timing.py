# SPDX-License-Identifier: Apache-2.0
"""Coverage of cycles: what waits for what, from the recorded outputs and levels.

Source: docs/pack.md sections 4, 6, 7 and 9. Steps and lines that ``walk`` has noted come out of the
packers in order, so each gets the cycle of its record.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.isa.boundary.pack import LANES, PACKERS, SLOTS
from tilepath.isa.profiles import Profile
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.pack.coverage import contention
from tilepath.tb.pack.coverage.points import I64, NO_YES, THREADS, ranges
from tilepath.tb.pack.coverage.table import Instructions
from tilepath.tb.pack.coverage.words import packers

STEP_COLUMNS: Final = 9  # as ``walk.Seen.steps``
LINE_COLUMNS: Final = 5
_CYCLE, _PACKER, _LANES, _ROWS, _WIDE, _FIRST = 0, 1, 2, 3, 7, 8
_KIND, _LINE, _SUM = 2, 3, 4
_PAIRS: Final = tuple((i, j) for j in range(LANES) for i in range(j))
_BEGUN: Final = ("nothing", "unit", "data_line", "exponents", "row_starts", "block")
_LENGTHS: Final = ("1", "2-15", "16-63", "more")
_SHORT: Final = (2, 16, 64)


def declare(points: PointGroup, profile: Profile) -> None:
    """Declare the points of this topic."""
    some = packers(profile)
    contention.declare(points)
    points.add("issue.not_ready_for", _LENGTHS)
    points.add("departure.mode_x_begun", ("same", "values", "format"), _BEGUN)
    points.add("rows.first_behind_issue", ("10", "11-31", "32-127", "more"))
    points.add("rows.granted_together_x_wide", tuple("1234"), NO_YES)
    points.add("rows.bank_taken_by_x_lane", ("0", "1", "2"), ("1", "2", "3"), exclude=tuple(
        Exclude((str(i), str(j)), "a lower lane is served first")
        for i in range(3) for j in range(1, 4) if i >= j
    ))  # fmt: skip
    if profile.packers > 1:
        points.add("rows.behind_the_one_before_x_packer", ("1", "2-4", "5-15", "more"), some)
        points.add("rows.same_row_together", NO_YES)
    else:
        points.add("rows.cycles_of_step", ("1", "2", "more"))
        points.add("port.lines_together", tuple(map(str, range(1, SLOTS + 1))))
        points.add("port.side_line_beside", ("nothing", "data", "read"), exclude=(
            Exclude(("read",), "sums have no side lines, but where TO changes in a tile (U17)",
                    (profile.name,)),
        ))  # fmt: skip
        points.add("sum.lines_of_entry", tuple(map(str, range(1, SLOTS + 1))))
    points.add("port.not_ready_for_x_packer", _LENGTHS, some)
    points.add("port.kind_x_waited_for_ready", ("data", "exponent", "RSI"), NO_YES)
    points.add("sum.in_flight", ("0", "1", "2-14", "15"))
    points.add("sum.latency", ("1", "2-8", "9-30", "31"))
    points.add("sum.read_behind_write_of_same_line", NO_YES)
    points.add("source.latency", ("1", "2-8", "9-30", "31"))
    points.add("busy.thread_x_packer", THREADS, some)
    points.add("busy.threads_of_a_packer", ("1", "2", "3"))
    points.add("histogram.clear_x_last_row", ("survives", "is_lost", "was_counted"))


class Level:
    """A level's changes, with the value before the block and when it began."""

    def __init__(self, field: str) -> None:
        self._field = field
        self.cycles, self.values = np.zeros(1, np.int64), np.zeros(1, np.int64)

    def take(self, records: Records) -> None:
        """The changes of the next block, behind the last two of the one before."""
        self.cycles = np.append(self.cycles[-2:], records["cycle"].astype(np.int64))
        self.values = np.append(self.values[-2:], records[self._field].astype(np.int64))

    def at(self, cycles: I64) -> I64:
        """The value in each of ``cycles``."""
        found: I64 = self.values[
            np.maximum(np.searchsorted(self.cycles, cycles, side="right") - 1, 0)
        ]
        return found


class Lows:
    """Lengths of the times in which one bit of a level is 0."""

    def __init__(self) -> None:
        self._since = -1  # no such time at present

    def take(self, records: Records, bit: int) -> I64:
        """Those that end in the next block."""
        found = []
        for cycle, value in zip(records["cycle"].tolist(), records["value"].tolist(), strict=True):
            if value >> bit & 1:
                if self._since >= 0:
                    found.append(cycle - self._since)
                self._since = -1
            elif self._since < 0:
                self._since = cycle
        return np.array(found, np.int64)


class Timing:
    """Steps and lines that have not come out yet, and what the last block left."""

    def __init__(self, points: Tally, profile: Profile) -> None:
        self._points = points
        self._contention = contention.Contention(points)
        self._n = profile.packers
        self._steps = [np.zeros((0, STEP_COLUMNS), np.int64) for _ in range(self._n)]
        self._grants = [np.zeros((0, 2), np.int64) for _ in range(LANES)]  # cycle, row: not matched
        self._recent = [np.zeros((0, 2), np.int64) for _ in range(LANES)]  # of the last block
        self._before = [-1] * self._n  # cycle of the step before
        self._lines = [np.zeros((0, LINE_COLUMNS), np.int64)] * (3 * self._n)  # by packer, kind
        self._noted: list[tuple[I64, I64]] = []
        self._sums = [np.zeros((0, 2), np.int64) for _ in range(self._n)]  # of the last block
        self._reads = [0] * self._n  # that have not been written back
        self._ready, self._latency = Level("value"), Level("cycles")
        self._lows = [Lows() for _ in range(1 + PACKERS)]
        self._modes: NDArray[np.uint8] | None = None
        self._last_row = -1000

    def left(self) -> tuple[int, int]:
        """Steps that have not been granted, lines that have not been written."""
        return sum(map(len, self._steps)), sum(map(len, self._lines))

    def note(self, i: Instructions, steps: I64, lines: I64) -> None:
        """What instructions were going to do, in order."""
        self._noted.append((steps.copy(), lines.copy()))
        pacr = i.rows[i.is_pacr]
        if not len(pacr):
            return
        modes = pacr["modes"].view(np.uint8).reshape(len(pacr), -1)
        first = np.zeros_like(modes[:1]) if self._modes is None else self._modes
        differs = (modes != np.concatenate([first, modes[:-1]])).any(axis=1)
        to = pacr["modes"]["to"][:, : self._n]
        before = first.view(pacr["modes"].dtype)["to"].reshape(1, -1)[:, : self._n]
        format_differs = (to != np.concatenate([before, to[:-1]])).any(axis=1)
        self._modes = modes[-1:].copy()
        kind = np.where(format_differs, 2, differs)
        self._points.hit("departure.mode_x_begun", kind, 0, where=pacr["begun"] == 0)
        for bit in range(5):
            begun = pacr["begun"] >> bit & 1 == 1
            self._points.hit("departure.mode_x_begun", kind, 1 + bit, where=begun)

    def count(self, streams: Mapping[str, Records], start: int) -> None:
        """Count a block's records, behind ``note``."""
        self._take_noted()
        self._ready.take(streams["l1_ready"])
        self._latency.take(streams["l1_latency"])
        lengths = self._lows[PACKERS].take(streams["ready"], 0)
        self._points.hit("issue.not_ready_for", ranges(lengths, _SHORT))
        for p in range(self._n):
            lengths = self._lows[p].take(streams["l1_ready"], p)
            self._points.hit("port.not_ready_for_x_packer", ranges(lengths, _SHORT), p)
        self._count_busy(streams["busy"])
        grants = [_columns(streams[f"l{lane}.row"], "row") for lane in range(LANES)]
        left = [int(part[0, 0]) for part in self._grants if len(part)]
        self._contention.take(streams, min(start, *left, start) - 1)
        if self._n > 1:
            self._count_banks(grants, start)
        self._count_clears(streams["hist"], grants)
        for p in range(self._n):
            self._count_steps(p, grants)
            self._count_lines(p, streams, start)
        source = streams["source"]["cycle"].astype(np.int64)
        self._points.hit("source.latency", ranges(self._latency.at(source), (2, 9, 31)))

    def _take_noted(self) -> None:
        none = np.zeros((0, STEP_COLUMNS), np.int64), np.zeros((0, LINE_COLUMNS), np.int64)
        steps, lines = (np.concatenate(parts) for parts in zip(none, *self._noted, strict=True))
        self._noted = []
        for p in range(self._n):
            mine = steps[steps[:, _PACKER] == p]
            self._steps[p] = np.concatenate([self._steps[p], mine])
            for kind in range(3):
                mine = lines[(lines[:, _PACKER] == p) & (lines[:, _KIND] == kind)]
                queue = self._lines[3 * p + kind]
                self._lines[3 * p + kind] = np.concatenate([queue, mine])

    def _count_busy(self, busy: Records) -> None:
        value = busy["value"].astype(np.int64)
        for p in range(self._n):
            threads = np.zeros(len(value), np.int64)
            for t in range(3):
                bit = value >> 4 * t + p & 1
                threads += bit
                self._points.hit("busy.thread_x_packer", t, p, where=bit == 1)
            self._points.hit("busy.threads_of_a_packer", threads - 1, where=threads > 0)

    def _count_banks(self, grants: list[I64], start: int) -> None:
        """Of packers: a row is granted a cycle behind another one of its bank."""
        recent = [part[part[:, 0] >= start - 1] for part in self._recent]
        known = [np.concatenate(pair) for pair in zip(recent, grants, strict=True)]
        self._recent = grants
        for i, j in _PAIRS:
            mine, other = grants[j], known[i]
            if not len(mine) or not len(other):
                continue
            cycles, rows = mine[:, 0], mine[:, 1]
            at = np.minimum(np.searchsorted(other[:, 0], cycles - 1), len(other) - 1)
            met = (other[at, 0] == cycles - 1) & ~np.isin(cycles - 1, known[j][:, 0])
            theirs = other[at, 1]
            taken = met & (_bank(rows) == _bank(theirs)) & (rows != theirs)
            self._points.hit("rows.bank_taken_by_x_lane", i, j - 1, where=taken)
            same = np.minimum(np.searchsorted(other[:, 0], cycles), len(other) - 1)
            together = other[same, 0] == cycles
            self._points.hit("rows.same_row_together", other[same, 1] == rows, where=together)

    def _count_lanes(self, queue: I64, cycles: I64) -> None:
        """Of one packer's lanes: a row waits for another one of the same step."""
        for i, j in _PAIRS:
            one, other = queue[:, _ROWS + i], queue[:, _ROWS + j]
            shared = _bank(one) == _bank(other)
            wide = (_bank(one + 8) == _bank(other)) | (_bank(one) == _bank(other + 8))
            shared |= (queue[:, _WIDE] == 1) & wide
            waits = (cycles[:, i] >= 0) & (cycles[:, j] == cycles[:, i] + 1)
            self._points.hit("rows.bank_taken_by_x_lane", i, j - 1, where=waits & shared)

    def _count_clears(self, hist: Records, grants: list[I64]) -> None:
        cycles = np.sort(np.concatenate([[self._last_row], *(part[:, 0] for part in grants)]))
        clears = hist["cycle"][hist["op"] == 1].astype(np.int64)
        last = cycles[np.searchsorted(cycles, clears, side="right") - 1]
        self._points.hit("histogram.clear_x_last_row", ranges(clears - last, (9, 10)))
        self._last_row = int(cycles[-1])

    def _count_steps(self, p: int, grants: list[I64]) -> None:
        lanes = range(LANES) if self._n == 1 else (p,)
        queue, done = self._steps[p], len(self._steps[p])
        own = {}
        for lane in lanes:
            self._grants[lane] = np.concatenate([self._grants[lane], grants[lane]])
            own[lane] = np.flatnonzero(queue[:, _LANES] >> (lane if self._n == 1 else 0) & 1)
            n = len(self._grants[lane])
            if n < len(own[lane]):
                done = min(done, int(own[lane][n]))
        cycles = np.full((done, LANES), -1, np.int64)
        for lane in lanes:
            mine = own[lane][own[lane] < done]
            cycles[mine, lane] = self._grants[lane][: len(mine), 0]
            self._grants[lane] = self._grants[lane][len(mine) :]
        self._steps[p] = queue[done:]
        if not done:
            return
        queue = queue[:done]
        last = cycles.max(axis=1)
        before = np.append(self._before[p], last[:-1])
        self._before[p] = int(last[-1])
        first = queue[:, _FIRST] == 1
        hit = self._points.hit
        earliest = np.where(cycles < 0, last[:, None], cycles).min(axis=1)
        for lane in lanes:
            got = cycles[:, lane] >= 0
            asked = ~first & (before < cycles[:, lane] - 1) | (earliest < cycles[:, lane])
            rows = queue[:, _ROWS + (lane if self._n == 1 else 0)]
            columns = (cycles[:, lane], rows, queue[:, _WIDE], asked)
            self._contention.count(lane, *(column[got] for column in columns))
        hit("rows.first_behind_issue", ranges(earliest - queue[:, _CYCLE], (11, 32, 128)),
            where=first)  # fmt: skip
        if self._n == 1:
            hit("rows.cycles_of_step", ranges(last - earliest, (1, 2)))
            self._count_lanes(queue, cycles)
            for lane in lanes:
                together = (cycles == cycles[:, lane : lane + 1]).sum(axis=1)
                hit("rows.granted_together_x_wide", together - 1, queue[:, _WIDE],
                    where=cycles[:, lane] >= 0)  # fmt: skip
        else:
            hit("rows.behind_the_one_before_x_packer", ranges(last - before, (2, 5, 16)), p,
                where=~first)  # fmt: skip
            others = [grants[lane][:, 0] for lane in range(LANES) if lane != p]
            together = sum(np.isin(last, part).astype(np.int64) for part in others)
            hit("rows.granted_together_x_wide", together, queue[:, _WIDE])

    def _count_lines(self, p: int, streams: Mapping[str, Records], start: int) -> None:
        slots = range(SLOTS) if self._n == 1 else (p,)
        parts = [_columns(streams[f"w{slot}.write"], "kind", "line") for slot in slots]
        parts = [np.insert(part, 1, slot, axis=1) for slot, part in zip(slots, parts, strict=True)]
        events = np.concatenate(parts)
        events = events[np.lexsort((events[:, 1], events[:, 0]))]
        kinds = events[:, 2]
        sums = np.zeros(len(events), bool)
        for kind in range(3):
            mine = np.flatnonzero(kinds == kind)
            queue = self._lines[3 * p + kind]
            sums[mine[: len(queue)]] = queue[: len(mine), _SUM] == 1
            self._lines[3 * p + kind] = queue[len(mine) :]
        waited = self._ready.at(events[:, 0] - 1) >> p & 1 == 0
        self._points.hit("port.kind_x_waited_for_ready", kinds, waited)
        read = _columns(streams[f"p{p}.read"], "line", "count")
        if self._n == 1:
            self._count_together(events, read)
        self._count_sums(p, events[sums], read, start)

    def _count_together(self, events: I64, read: I64) -> None:
        data = events[events[:, 2] == 0]
        if len(data):
            _, lines = np.unique(data[:, 0], return_counts=True)
            self._points.hit("port.lines_together", lines - 1)
        side = events[events[:, 2] > 0][:, 0]
        beside = np.where(np.isin(side, data[:, 0]), 1, np.where(np.isin(side, read[:, 0]), 2, 0))
        self._points.hit("port.side_line_beside", beside)
        self._points.hit("sum.lines_of_entry", read[:, 2] - 1)

    def _count_sums(self, p: int, sums: I64, read: I64, start: int) -> None:
        hit = self._points.hit
        written = np.unique(sums[:, 0])
        in_flight = self._reads[p] + np.arange(len(read)) - np.searchsorted(written, read[:, 0])
        hit("sum.in_flight", ranges(in_flight, (1, 2, 15)))
        self._reads[p] += len(read) - len(written)
        hit("sum.latency", ranges(self._latency.at(read[:, 0]), (2, 9, 31)))
        before = self._sums[p]
        recent = np.concatenate([before[before[:, 0] >= start - 1], sums[:, (0, 3)]])
        keys = recent[:, 0] + 1 << 17 | recent[:, 1]
        again = np.isin(read[:, 0] << 17 | read[:, 1], keys)
        hit("sum.read_behind_write_of_same_line", again)
        self._sums[p] = recent


def _columns(records: Records, *fields: str) -> I64:
    """``cycle`` and the fields of ``records`` as columns."""
    return np.stack([records[name].astype(np.int64) for name in ("cycle", *fields)], axis=1)


def _bank(rows: I64) -> I64:
    return (rows ^ rows >> 4) & 15
