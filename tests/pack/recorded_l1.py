# SPDX-License-Identifier: Apache-2.0
"""L1 as a recorded run of the packers leaves it, from its writes alone."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tilepath.isa import profiles
from tilepath.isa.boundary.pack import SLOTS
from tilepath.tb.kernel.description.stream import Records


def l1_of(streams: Mapping[str, Records], profile: str, before: int) -> NDArray[np.uint8]:
    """Bytes of L1, which was all ``before``; no line is written twice in a cycle here."""
    lines = np.full((profiles.get(profile).l1_bytes // 16, 4), before * 0x0101_0101, "<u4")
    writes = np.concatenate(
        [streams[f"w{slot}.write"][["cycle", "line", "data"]] for slot in range(SLOTS)]
    )
    for record in writes[np.argsort(writes["cycle"], kind="stable")]:
        lines[record["line"]] = record["data"]
    return lines.view(np.uint8).reshape(-1)
