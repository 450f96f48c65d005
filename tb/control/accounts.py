# SPDX-License-Identifier: Apache-2.0
"""What must add up in a run of the control block: items and records; words offered and issued."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.tb.kernel.description.accounts import Accounts, Echo, Values, bits
from tilepath.tb.kernel.description.player import Items

_OWN: Final = 1 << 10 | 1 << 12  # bits of `busy` that are the block's own


def _risc(items: Items) -> Values:
    return {"address": bits(items, 1, 0, 10), "write": bits(items, 1, 31, 1), "data": items[:, 2]}


def _risc_sem(items: Items) -> Values:
    place = (("index", 0, 3), ("get", 4, 1), ("write", 8, 1))
    return {name: bits(items, 1, low, width) for name, low, width in place}


def _stream(items: Items) -> Values:
    return {"register": bits(items, 1, 0, 10), "stream": bits(items, 1, 10, 6), "data": items[:, 2]}


def _forced(items: Items) -> NDArray[np.uint32]:
    return items[:, 1] & np.uint32(0x1FFF & ~_OWN)


def _stalled(items: Items) -> NDArray[np.uint32]:
    return bits(items, 1, 16, 6)


ACCOUNTS = Accounts(
    echoes=(
        Echo("issue", "offer", lambda items: {"word": items[:, 1]}),
        Echo("risc", "risc", _risc),
        Echo("risc_sem", "risc_sem", _risc_sem),
        Echo("stream", "stream_write", _stream),
        Echo(
            "conditions",
            "stream_busy",
            lambda items: {"value": bits(items, 1, 13, 1)},
            idle={"value": 0},
        ),
        # units that work set further bits of `busy`, and clear further ones of `unit_ready`
        Echo(
            "conditions",
            "busy",
            lambda items: {"value": _forced(items)},
            care=lambda items: {"value": _forced(items)},
        ),
        Echo(
            "conditions",
            "unit_ready",
            lambda items: {"value": np.zeros_like(items[:, 1])},
            care=lambda items: {"value": _stalled(items)},
        ),
    ),
    unrecorded={"work": "it shows in how long a word keeps a unit busy, and in nothing else"},
    pairs=(("offer", "issue"), ("risc", "risc_done"), ("risc_sem", "risc_sem_done")),
    rest=(("config_pipe", "stages", 0x7F), ("scalar", "busy", 1)),
)
