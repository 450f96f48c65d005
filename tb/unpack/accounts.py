# SPDX-License-Identifier: Apache-2.0
"""What must add up in a run of the unpackers: items and records; unpackers that have finished."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.tb.kernel.description.accounts import Accounts, Echo, Values, bits
from tilepath.tb.kernel.description.player import Items
from tilepath.tb.unpack.items import LATENCY

_UNPACKER_OPCODES: Final = (0x42, 0x43)


def _word(items: Items) -> Values:
    return {"word": items[:, 3]}


def _goes_to(unpacker: int | None, items: Items) -> NDArray[np.bool_]:
    """Which instructions go to ``unpacker``, or (``None``) to the counters."""
    theirs = np.isin(bits(items, 3, 24, 8), _UNPACKER_OPCODES)
    return ~theirs if unpacker is None else theirs & (bits(items, 3, 23, 1) == unpacker)


def _cfg(items: Items) -> Values:
    return {
        "index": bits(items, 3, 0, 8),
        "banks": bits(items, 3, 8, 2),
        "wide": bits(items, 3, 10, 1),
        "data": items[:, 4:8],
    }


def _matrix(items: Items) -> Values:
    place = (("op", 0, 2), ("file", 2, 2), ("bank", 4, 1), ("row", 5, 10))
    return {name: bits(items, 3, low, width) for name, low, width in place}


ACCOUNTS = Accounts(
    echoes=(
        Echo("issue", "u0.issue", _word, lambda items: _goes_to(0, items), own="thread"),
        Echo("issue", "u1.issue", _word, lambda items: _goes_to(1, items), own="thread"),
        Echo("issue", "counter", _word, lambda items: _goes_to(None, items)),
        Echo("cfg", "cfg", _cfg),
        Echo(
            "setc16",
            "setc16",
            lambda items: {"value": bits(items, 3, 0, 16), "index": bits(items, 3, 16, 7)},
        ),
        # with `follow` the bench's pointer says which bank
        Echo("matrix", "matrix", _matrix, care=lambda items: {"bank": 1 - bits(items, 3, 17, 1)}),
        Echo("l1_write", "l1_write", lambda items: {"line": items[:, 3], "data": items[:, 4:20]}),
        Echo(
            "setreg_base",
            "setreg_base",
            lambda items: {"base0": items[:, 1], "base1": items[:, 2]},
            idle={"base0": 0, "base1": 0},
        ),
        Echo(
            "l1_latency",
            "l1_latency",
            lambda items: {"cycles": items[:, 1]},
            idle={"cycles": LATENCY},
        ),
    ),
    rest=(("busy", "value", 0x3F), ("hold", "value", 0b111)),
)
