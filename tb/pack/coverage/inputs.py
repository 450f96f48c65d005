# SPDX-License-Identifier: Apache-2.0
"""Coverage of what else is given to the packers: Dst, histogram, offsets, configuration, L1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tilepath.isa.constants import CFG_GLOBAL_BASE
from tilepath.isa.profiles import Profile
from tilepath.tb.kernel.coverage.bins import PointGroup
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.pack.coverage import second_writes
from tilepath.tb.pack.coverage.labels import NO_YES, numbers

_MODES: Final = (6, 7, 9)


def declare(points: PointGroup, profile: Profile) -> None:
    """Declare the points of this topic."""
    points.add("dst_write.rows", tuple(map(str, range(1, 10))))
    points.add("dst_write.columns", ("none", "some", "all"))
    points.add("dst_write.behind_the_last_row", NO_YES)
    points.add("dst_zero.rows", ("half0", "half1", "all"))
    points.add("histogram.read_mode_x_packer", ("6", "7", "9", "other"), tuple("0123"))
    points.add("offset.packer_x_value", numbers("p", profile.packers), ("0", "ffff", "other"))
    points.add("cfg.banks_x_wide_x_global", tuple("0123"), NO_YES, NO_YES)
    second_writes.declare(points)
    points.add("setc16.thread_x_word", tuple("012"), ("state", "addr_mod", "acc_stats", "other"))
    points.add("l1_write.beyond_l1", NO_YES)


def count(points: Tally, streams: Mapping[str, Records], profile: Profile) -> None:
    """Count the records of a block."""
    some = streams["dst_write"]
    rows = some["count"].astype(np.int64)
    points.hit("dst_write.rows", rows - 1)
    used = np.arange(some["mask"].shape[1]) < rows[:, None]
    masks = some["mask"][used]
    points.hit("dst_write.columns", np.where(masks == 0, 0, np.where(masks == 0xFFFF, 2, 1)))
    points.hit("dst_write.behind_the_last_row", some["row"] + rows > 1024)
    zero = streams["dst_zero"]
    points.hit("dst_zero.rows", np.where(zero["all"] == 1, 2, zero["half"]))
    hist = streams["hist"]
    reads = hist["op"] == 0
    points.hit("histogram.read_mode_x_packer", _place(hist["mode"], _MODES), hist["packer"],
               where=reads)  # fmt: skip
    offset = streams["offset"]
    for packer in range(profile.packers):
        points.hit("offset.packer_x_value", packer, _place(offset["value"], (0, 0xFFFF)),
                   where=offset["packers"] >> packer & 1 == 1)  # fmt: skip
    cfg = streams["cfg"]
    points.hit("cfg.banks_x_wide_x_global", cfg["banks"], cfg["wide"],
               cfg["index"] >= CFG_GLOBAL_BASE)  # fmt: skip
    second_writes.count(points, streams)
    for thread in range(3):
        index = streams[f"t{thread}.setc16"]["index"]
        which = np.select([index == 0, (index >= 37) & (index <= 40), index == 45], range(3), 3)
        points.hit("setc16.thread_x_word", thread, which)
    lines = streams["l1_write"]["line"]
    points.hit("l1_write.beyond_l1", lines + 4 > profile.l1_bytes // 16)


def _place(column: Records, values: tuple[int, ...]) -> Records:
    """Where each element is in ``values``; ``len(values)`` for any other."""
    return np.select([column == value for value in values], range(len(values)), len(values))
