# SPDX-License-Identifier: Apache-2.0
"""What must add up in a run of the address counters: every command is recorded as it is played."""

from __future__ import annotations

from tilepath.tb.kernel.description.accounts import Accounts, Echo, Values, bits
from tilepath.tb.kernel.description.player import Items


def _unpack(items: Items) -> Values:
    names = ("thread", "adc", "y0", "z0", "y1", "z1")
    pairs = {name: bits(items, 1, 1 + 2 * place, 2) for place, name in enumerate(names)}
    return {"unpacker": bits(items, 1, 0, 1), **pairs}


def _flop(items: Items) -> Values:
    return {
        "value": bits(items, 1, 0, 18),
        "checkpoint": bits(items, 1, 18, 1),
        "counter": bits(items, 1, 19, 2),
        "channel": bits(items, 1, 21, 1),
        "select": bits(items, 1, 22, 2),
        "thread": bits(items, 1, 24, 2),
    }


ACCOUNTS = Accounts(
    echoes=(
        Echo("issue", "issue", lambda items: {"word": items[:, 1]}),
        Echo("unpack", "unpack", _unpack),
        Echo(
            "pack",
            "pack",
            lambda items: {"addr_mod": bits(items, 1, 0, 16), "sets": bits(items, 1, 16, 3)},
        ),
        Echo("flop", "flop", _flop),
    )
)
