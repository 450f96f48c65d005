# SPDX-License-Identifier: Apache-2.0
"""What the golden model without time says of a script, one thing after the other."""

from __future__ import annotations

from collections.abc import Iterator

from tilepath.isa.boundary.pack import BOUNDARY
from tilepath.models.pack import PackState
from tilepath.models.pack.untimed import OPCODES, Effect
from tilepath.sequences.pack.script import Script


def effects(script: Script) -> Iterator[tuple[int, int, Effect]]:
    """(thread, word, what came of it) of each instruction in the script's ``history``."""
    packers = PackState(script.profile)
    for player, fields in script.history or ():
        thread, _, kind = player.rpartition(".")
        names = [field.name for field in BOUNDARY.stream(kind).fields]
        if kind != "issue":
            packers.apply(player, dict(zip(names, fields, strict=True)))
        elif fields[0] >> 24 in OPCODES:
            yield int(thread[1]), fields[0], packers.execute(int(thread[1]), fields[0])
        else:
            packers.adc.execute(int(thread[1]), fields[0])
