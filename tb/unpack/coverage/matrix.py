# SPDX-License-Identifier: Apache-2.0
"""Points of the Matrix Unit's port: rows, banks, valid bits, formats, pause.

Source: docs/standin.md section 2, docs/unpack.md section 2.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.plan import Bins, Point, among, each, numbers, yes
from tilepath.tb.unpack.coverage.labels import FILES, OWNERS, plan
from tilepath.tb.unpack.coverage.output import MAPS

_BANKS: Final = ("a0", "a1", "b0", "b1")
# A write is of the row that is read
_SAME: Final = (
    "{0}writes and {0}target == file and ({0}write.row == command.row"
    " and {0}write.wide == command.wide if file == DST else {0}bank == banks >> file & 1"
    " and {0}write.row == (row_b if file else row_a))"
)
_AT_ONCE: Final = "cycle - command.cycle == 1"
_MATRIX: Final = plan(
    "matrix",
    {
        "files": Bins("read - 1", ("a", "b", "ab", "d", "ad", "bd", "abd")),
        "banks": Bins("banks", numbers(4)),
        "by": each(("read", "write", "zero_row", "zero_rows")),
        "bits": Bins("(write.wide if by == 1 else command.wide)", ("16", "32")),
        "map": Bins("(write.access if by == 1 else command.access)", MAPS),
        "file": each(FILES),
        "row_written": Bins(
            {"at_once": _SAME.format(""),
             "next": f"cycle - before.cycle == 1 and {_SAME.format('before.')}", "later": "1"}
        ),
        "write_target": Bins("target", (*FILES, "none")),
        "write_bank": Bins("2 * target + bank if writes else -1", _BANKS),
        "write_owner": Bins("owners >> 2 * target + bank & 1", OWNERS),
        "released": Bins("release - 1", ("a", "b", "ab")),
        "of_bank": each(_BANKS),
        "owner": Bins("owners >> of_bank & 1", OWNERS),
        "cleared": Bins("clear - 1", numbers(16)[1:]),
        "minus_infinity": yes("neg_inf"),
        "written_at_once": yes("writes and 2 * target + bank == of_bank"),
        "zero_mode_is": Bins("zero_mode", ("row", "rows", "half", "all")),
        "undone": yes("undo"),
        "zero_half": Bins("command.row >> 9", numbers(2)),
        "dst_written_at_once": yes("target == DST"),
        "read_valid": yes("valid"),
        "dst_by": each(("write", "zero")),
        "behind_pause": yes("paused"),
    },
    Point("matrix.read_files_x_banks", "U42", "files banks"),
    Point("matrix.dst_by_x_bits_x_map", "U36 P52", "by bits map",
          when="read >> 2 & 1 if by == 0 else target == DST if by == 1"
               " else zero and zero_mode == by - 2"),
    Point("matrix.read_file_x_written", "M14", "file row_written", when="read >> file & 1"),
    Point("matrix.write_bank_x_owner", "M27", "write_bank write_owner"),
    Point("matrix.write_target", "M27", when="writes"),
    Point("matrix.release_files_x_banks", "M28", "released banks"),
    Point("matrix.release_bank_x_owner", "M28", "of_bank owner",
          when="release >> of_bank // 2 & 1 and banks >> of_bank // 2 & 1 == of_bank & 1"),
    Point("matrix.clear_banks_x_minus_infinity", "U57", "cleared minus_infinity"),
    Point("matrix.clear_bank_x_written_at_once", "U57", "of_bank written_at_once",
          when="clear >> of_bank & 1"),
    Point("matrix.zero_mode_x_undo", "M32", "zero_mode_is undone", when="zero"),
    Point("matrix.zero_half", "M32", when="zero and zero_mode == 2"),
    Point("matrix.zero_x_written_at_once", "M32", "dst_written_at_once", when="zero"),
    Point("matrix.read_valid", "U36", when="read >> 2 & 1"),
    Point("matrix.dst_by_x_behind_pause", "U36", "dst_by behind_pause",
          when="zero if dst_by else target == DST"),
)  # fmt: skip
_PAUSE: Final = plan(
    "pause",
    {"pause_cycles": among("cycles", 1, 2, other="3-")},
    Point("matrix.pause_cycles", "U36"),
)
_FORMAT: Final = plan(
    "format",
    {"of_bank": Bins("2 * unpacker + bank", _BANKS), "format_is": Bins("format", numbers(16))},
    Point("matrix.format_bank_x_format", "U44", "of_bank format_is"),
)
_STALE: Final = plan(
    "stale",
    {
        "ends_by": Bins(
            {"release": f"{_AT_ONCE} and release & 1 and banks & 1 == bank",
             "clear": f"{_AT_ONCE} and clear >> bank & 1", "zerosrc": "1"}
        )
    },
    Point("matrix.stale_bank_x_ends_by", "U37", "bank ends_by"),
)  # fmt: skip
PLANS: Final = (_MATRIX, _PAUSE, _FORMAT, _STALE)
