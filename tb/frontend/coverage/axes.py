# SPDX-License-Identifier: Apache-2.0
"""Names of the axes of points that their own names do not tell."""

from __future__ import annotations

from typing import Final

AXES: Final = {
    "t1.outer_x_inner_x_nop_flags": "outer inner loop1 start end0 end1",
    "t1.bug_x_count_bits_x_end0": "count_bits end0",
    "t1.bug_x_loop1_x_end1": "loop1 end1",
    "t1.count_bits_7_up": "outer inner",
    "t1.nop_lookalike": "slot word",
    "mopcfg.ingest_distance": "template distance",
    "replay.recorded_source_x_kind": "source kind mode",
    "replay.rec_ended_at": "at mode",
    "replay.rec_gap": "mode cycles",
    "replay.back_to_back": "first second",
    "replay.play_back_to_back": "first second",
    "replay.read_after_write": "mode slot",
}
