# SPDX-License-Identifier: Apache-2.0
"""What the golden model without time says of a script, one thing after the other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tilepath.isa.boundary.pack import BOUNDARY
from tilepath.models.pack.untimed import Effect
from tilepath.sequences.pack.script import Script
from tilepath.tb.pack.streams import OPCODES
from tilepath.tb.pack.untimed import UntimedPackers

_DTYPES = {stream.name: stream.dtype for stream in BOUNDARY.streams}


def effects(script: Script) -> Iterator[tuple[int, int, Effect]]:
    """(thread, word, what came of it) of each instruction in the script's ``history``."""
    found: list[tuple[int, int, Effect]] = []
    packers = UntimedPackers(script.profile)
    packers.told = lambda thread, word, effect: found.append((thread, word, effect))
    for player, fields in script.history or ():
        thread, kind = int(player[1]) if player[1].isdigit() else 0, player.rpartition(".")[2]
        if kind == "issue":
            kind = "issue" if fields[0] >> 24 in OPCODES else "counter"
        name = player if kind == "setc16" else f"t{thread}.counter" if kind == "counter" else kind
        record = np.zeros(1, _DTYPES[kind])[0]
        names = [field for field in _DTYPES[kind].names or () if field != "cycle"]
        values = (thread, *fields) if kind == "issue" else fields
        for field, value in zip(names, values, strict=True):
            record[field] = value
        packers.perform(name, record)
        yield from found
        found.clear()
