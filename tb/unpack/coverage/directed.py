# SPDX-License-Identifier: Apache-2.0
"""The cases that unpack-adc section 7 wants to be met whatever else is (directed musts).

Those that are bins of other points are not repeated here: BFP's -0, the E4M3 and E5M2 words of all
ones (``datum``), words of the other encoding (also ``fault``).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.isa.profiles import Profile
from tilepath.tb.kernel.coverage.bins import PointGroup
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.unpack.coverage.derive import DST, SRCA, Instructions, Regular

_CASES: Final = (
    "adc_is_thread_with_increment",
    "context_counter_with_offset",
    "setc16_5_4",
    "setc16_5_0",
    "below_64_to_dst",
    "empty_with_flip",
    "dst_32_bits_adjacent_rows",
    "v4_row_runs_through_limit",
    "v5_tilize_32_by_32",
    "nop_of_other_encoding",
)


def declare(points: PointGroup) -> None:
    """Declare the point."""
    points.add("directed.case", _CASES)


def count(points: Tally, i: Instructions, r: Regular, profile: Profile) -> None:
    """Count the instructions ``i`` of a block; ``r``: the Regular ones."""
    word = r.i["word"]
    some = r.count > 0
    plain = ~r.compressed
    adc_is_thread = (r.multi == 1) & (word >> 8 & 3 == r.i["thread"]) & (word >> 15 & 255 != 0)
    row = r.row_w * r.quarters * 4
    runs_through = (r.datum_raw <= r.limit) & (r.datum_raw + row > r.limit + 256) & (r.fifo > 0)
    cases = (
        adc_is_thread,
        (r.multi == 1) & (r.use_counter == 1) & (r.offset4 != 0),
        (r.dest == SRCA) & (r.i["src_set"] & 7 == 4) & some,
        (r.dest == SRCA) & (r.i["src_set"] & 7 == 0) & some,
        (r.dest == DST) & (r.out_address < 64) & some,
        plain & (r.count == 0) & (r.flip == 1),
        (r.dest == DST) & r.wide & (r.count > 16),
        plain & runs_through & (r.count > r.row_w) & (r.quarters == 8),
        r.tilize & (r.count == 1024) & (r.quarters == 8),
    )
    for number, case in enumerate(cases):
        points.hit("directed.case", number, where=case)
    nop = i["word"][i["word"] >> 24 == 0x43]
    other = nop & 0x7FFFFF == 7 if profile.nop_enc == "BH" else nop & 0x103 == 0x101
    points.hit("directed.case", len(cases), where=np.asarray(other))
