# SPDX-License-Identifier: Apache-2.0
"""Whether stimulus is legal: the golden model executes a script, one thing after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from tilepath.isa.boundary.unpack import BOUNDARY
from tilepath.models.unpack import UnpackState
from tilepath.models.unpack.untimed import Effect
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.plan import WARNINGS
from tilepath.sequences.unpack.script import SRCA, SRCB, Script
from tilepath.tb.unpack.items import COMMAND
from tilepath.tb.unpack.matrix_unit import MatrixUnit

WRITE: Final = ("target", "bank", "row", "data", "wide", "access", "wait")
"""Fields of a ``matrix_write`` in a script."""


def faults(script: Script) -> Iterator[tuple[str, str]]:
    """(what raises it, fault) of all that ``script`` has noted, but for warnings.

    ``waits``: something would wait for a bank that nobody has released yet.
    """
    for what in _executed(script):
        if len(what) == 2:
            yield what
            continue
        thread, word, effect = what
        name = f"{word:08X} of thread {thread}"
        yield from ((name, fault) for fault in effect.faults if fault not in WARNINGS)
        if not effect.met:
            yield name, "waits"


def effects(script: Script) -> Iterator[tuple[int, int, Effect]]:
    """(thread, word, what came of it) of each UNPACR and NOP that ``script`` has noted."""
    for what in _executed(script):
        if len(what) == 3:
            yield what


def _executed(script: Script) -> Iterator[tuple[str, str] | tuple[int, int, Effect]]:
    state = UnpackState(script.profile)
    unit = MatrixUnit(state)
    for player, fields in script.history or ():
        kind = player.rpartition(".")[2]
        if kind == "issue":
            thread, word = int(player[1]), fields[0]
            if word >> 24 in (w.OPCODE, w.NOP_OPCODE):
                yield thread, word, state.execute(thread, word)
            else:
                state.adc.execute(thread, word)
        elif kind == "matrix_write":
            unit.write(dict(zip(WRITE, fields, strict=True)))
        elif kind == "matrix":
            yield from _matrix(state, unit, fields)
        else:
            names = (field.name for field in BOUNDARY.stream(kind).fields)
            given = dict(zip(names, fields, strict=True))
            if kind == "l1_write":
                given["data"] = np.frombuffer(given["data"], "<u4")
            state.apply(player, given)


def _matrix(
    state: UnpackState, unit: MatrixUnit, fields: tuple[int, ...]
) -> Iterator[tuple[str, str]]:
    given = dict(zip(COMMAND, fields, strict=True))
    if given["follow"]:
        given["banks"] = int(state.matrix_bank[0] | state.matrix_bank[1] << 1)
    for file in (SRCA, SRCB):
        bank = given["banks"] >> file & 1
        if given["wait"] >> file & 1 and not state.src_owner[file, bank]:
            yield f"command for bank {bank} of file {file}", "waits"
        if given["release"] >> file & 1:
            state.release(file, bank)
        elif file == SRCA and given["read"] & 1 and state.stale[bank]:
            yield f"read of SrcA bank {bank}", "stale"
        state.matrix_bank[file] ^= given["toggle"] >> file & 1
    unit.zero(given)
    unit.clear(given)
