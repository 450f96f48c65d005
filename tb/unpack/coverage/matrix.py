# SPDX-License-Identifier: Apache-2.0
"""Coverage of the Matrix Unit's port: rows, banks, valid bits, formats, pause.

Source: docs/standin.md §2, docs/unpack.md §2; M14, M27, M28, M32, U37, U44, P52.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any, Final

import numpy as np

from tilepath.tb.kernel.coverage.bins import PointGroup
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.unpack.coverage.derive import DST
from tilepath.tb.unpack.coverage.layout import I64
from tilepath.tb.unpack.coverage.levels import Level
from tilepath.tb.unpack.coverage.points import FILES, NO_YES, numbers

MAPS: Final = ("none", "swizzle", "remap", "both")
_BANKS: Final = ("a0", "a1", "b0", "b1")
_SETS: Final = ("a", "b", "ab", "d", "ad", "bd", "abd")
_BITS: Final = ("16", "32")
_OWNERS: Final = ("unpackers", "matrix")
_MODES: Final = ("row", "rows", "half", "all")
_WHEN: Final = ("at_once", "next", "later")
_LOST: Final = ("release", "clear", "zerosrc")
_ROWS: Final = 1  # mode: 16 rows
_HALF: Final = 2


def declare(points: PointGroup) -> None:
    """Declare the points of this topic."""
    points.add("matrix.read_files_x_banks", _SETS, numbers(4))
    points.add("matrix.dst_by_x_bits_x_map", ("read", "write", "zero_row", "zero_rows"), _BITS,
               MAPS)  # fmt: skip
    points.add("matrix.read_file_x_written", FILES, _WHEN)
    points.add("matrix.write_bank_x_owner", _BANKS, _OWNERS)
    points.add("matrix.write_target", (*FILES, "none"))
    points.add("matrix.release_files_x_banks", ("a", "b", "ab"), numbers(4))
    points.add("matrix.release_bank_x_owner", _BANKS, _OWNERS)
    points.add("matrix.clear_banks_x_minus_infinity", numbers(16)[1:], NO_YES)
    points.add("matrix.clear_bank_x_written_at_once", _BANKS, NO_YES)
    points.add("matrix.zero_mode_x_undo", _MODES, NO_YES)
    points.add("matrix.zero_half", numbers(2))
    points.add("matrix.zero_x_written_at_once", NO_YES)
    points.add("matrix.read_valid", NO_YES)
    points.add("matrix.dst_by_x_behind_pause", ("write", "zero"), NO_YES)
    points.add("matrix.pause_cycles", ("1", "2", "3-"))
    points.add("matrix.format_bank_x_format", _BANKS, numbers(16))
    points.add("matrix.stale_bank_x_ends_by", numbers(2), _LOST)


def _at(records: Records, cycles: I64) -> tuple[I64, Any]:
    """Which of ``cycles`` have a record, and these records (some record where there is none)."""
    where = np.searchsorted(records["cycle"], cycles)
    inside = np.minimum(where, max(len(records) - 1, 0))
    if not len(records):
        return np.zeros(len(cycles), bool), np.zeros(len(cycles), records.dtype)
    return records["cycle"][inside] == cycles, records[inside]


class Port:
    """Counts what the Matrix Unit does; keeps what the next block of cycles asks about."""

    def __init__(self, points: Tally) -> None:
        self._points = points
        self._owner, self._pause = Level(("value",)), Level(("value",))
        self._implied = self._stale = 0
        self._last: dict[str, Records] = {}

    def count(self, streams: Mapping[str, Records]) -> None:
        """Count a block of cycles."""
        self._owner.take(streams["owner"])
        self._pause.take(streams["pause"])
        matrix, write = streams["matrix"], streams["matrix_write"]
        # with the last ones of the block before
        seen = {name: self._joined(name, streams[name]) for name in ("matrix", "matrix_write")}
        self._count_reads(matrix, seen["matrix_write"])
        self._count_writes(write)
        self._count_banks(matrix, write)
        self._count_zeroes(matrix, write)
        answers = streams["answer_d"]
        self._points.hit("matrix.read_valid", answers["row_valid"])
        self._count_levels(streams, seen["matrix"])

    def _joined(self, name: str, records: Records) -> Records:
        found = np.concatenate([self._last.get(name, records[:0]), records])
        self._last[name] = found[-2:]
        return found

    def _count_reads(self, matrix: Records, written: Records) -> None:
        points = self._points
        read, banks = matrix["read"].astype(np.int64), matrix["banks"].astype(np.int64)
        points.hit("matrix.read_files_x_banks", read - 1, banks, where=read > 0)
        self._count_map(0, matrix, read >> DST == 1)
        cycle = matrix["cycle"].astype(np.int64)
        for file, name in enumerate(("row_a", "row_b", "row")):
            when = np.full(len(matrix), 2)
            for back in (1, 0):
                some, by = _at(written, cycle - back)
                same = some & (by["target"] == file) & (by["row"] == matrix[name])
                if file < DST:
                    same &= by["bank"] == banks >> file & 1
                else:
                    same &= by["wide"] == matrix["wide"]
                when[same] = back
            points.hit("matrix.read_file_x_written", file, when, where=read >> file & 1 == 1)

    def _count_map(self, by: int, records: Records, where: Any) -> None:
        """Rows of Dst by bits and map."""
        self._points.hit(
            "matrix.dst_by_x_bits_x_map", by, records["wide"], records["access"], where=where
        )

    def _count_writes(self, write: Records) -> None:
        points = self._points
        cycle, target = write["cycle"].astype(np.int64), write["target"].astype(np.int64)
        points.hit("matrix.write_target", target)
        bank = 2 * target + write["bank"]
        owner = self._owner.at(cycle) >> np.minimum(bank, 3) & 1
        points.hit("matrix.write_bank_x_owner", bank, owner, where=target < DST)
        self._count_map(1, write, target == DST)
        behind = self._pause.at(cycle - 1)
        points.hit("matrix.dst_by_x_behind_pause", 0, behind, where=target == DST)

    def _count_banks(self, matrix: Records, write: Records) -> None:
        """Releases and clears."""
        points = self._points
        cycle, banks = matrix["cycle"].astype(np.int64), matrix["banks"].astype(np.int64)
        release, clear = matrix["release"].astype(np.int64), matrix["clear"].astype(np.int64)
        points.hit("matrix.release_files_x_banks", release - 1, banks, where=release > 0)
        points.hit("matrix.clear_banks_x_minus_infinity", clear - 1, matrix["neg_inf"],
                   where=clear > 0)  # fmt: skip
        some, by = _at(write, cycle)
        written = 2 * by["target"].astype(np.int64) + by["bank"]
        owner = self._owner.at(cycle)
        for file, bank in product(range(2), range(2)):
            place = 2 * file + bank
            gives = (release >> file & 1 == 1) & (banks >> file & 1 == bank)
            points.hit("matrix.release_bank_x_owner", place, owner >> place & 1, where=gives)
            points.hit("matrix.clear_bank_x_written_at_once", place, some & (written == place),
                       where=clear >> place & 1 == 1)  # fmt: skip

    def _count_zeroes(self, matrix: Records, write: Records) -> None:
        points, zero = self._points, matrix["zero"] == 1
        mode, cycle = matrix["zero_mode"].astype(np.int64), matrix["cycle"].astype(np.int64)
        points.hit("matrix.zero_mode_x_undo", mode, matrix["undo"], where=zero)
        points.hit("matrix.zero_half", matrix["row"] >> 9, where=zero & (mode == _HALF))
        for one in (0, _ROWS):
            self._count_map(2 + one, matrix, zero & (mode == one))
        some, by = _at(write, cycle)
        points.hit("matrix.zero_x_written_at_once", some & (by["target"] == DST), where=zero)
        points.hit("matrix.dst_by_x_behind_pause", 1, self._pause.at(cycle - 1), where=zero)

    def _count_levels(self, streams: Mapping[str, Records], matrix: Records) -> None:
        points, rows = self._points, self._pause.rows
        falls = rows[1:][(rows[1:, 1] == 0) & (rows[:-1, 1] == 1)][:, 0]
        rises = rows[:-1][(rows[1:, 1] == 0) & (rows[:-1, 1] == 1)][:, 0]
        new = np.isin(falls, streams["pause"]["cycle"])
        points.hit("matrix.pause_cycles", np.minimum(falls - rises, 3)[new] - 1)
        implied = np.concatenate(([self._implied], streams["implied"]["value"].astype(np.int64)))
        stale = np.concatenate(([self._stale], streams["stale"]["value"].astype(np.int64)))
        self._implied, self._stale = int(implied[-1]), int(stale[-1])
        for place in range(len(_BANKS)):
            values = implied >> 4 * place & 15
            changes = values[1:] != values[:-1]
            points.hit("matrix.format_bank_x_format", place, values[1:], where=changes)
        some, by = _at(matrix, streams["stale"]["cycle"].astype(np.int64) - 1)
        for bank in range(2):
            ended = (stale[:-1] & ~stale[1:]) >> bank & 1 == 1
            gives = some & (by["release"] & 1 == 1) & (by["banks"] & 1 == bank)
            clears = some & (by["clear"] >> bank & 1 == 1)
            kind = np.select([gives, clears], [0, 1], 2)
            points.hit("matrix.stale_bank_x_ends_by", bank, kind, where=ended)
