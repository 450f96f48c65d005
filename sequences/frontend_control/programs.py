# SPDX-License-Identifier: Apache-2.0
"""The front end's programs, with units behind the gates instead of a port that is always ready."""

from __future__ import annotations

from typing import Final

from tilepath.engine.description.stimulus import Context, Stimulus, TestSpec
from tilepath.sequences.frontend.programs import PROGRAMS
from tilepath.tb.control.items import work
from tilepath.tb.control.streams import RISC_SEM

_BUSY: Final = (5, 7, 9, 3, 2, 4)
"""Cycles for which a word keeps each unit busy."""
_LENGTH: Final = 12_000
"""Cycles for which that lasts: more than any program takes."""

MATH_PACK: Final = 1
_UNPACK_SYNC: Final = 5
_FED: Final = {
    "pack": (MATH_PACK, [40] * 8),
    "add1": (_UNPACK_SYNC, [0] * 12),
    "matmul": (_UNPACK_SYNC, [0] * 8),
    "unpack": (_UNPACK_SYNC, [0] * 8),
}
"""Program → semaphore that the cores post in place of what it leaves out, and the posts' gaps."""


def _program_test(name: str) -> TestSpec:
    known = PROGRAMS.test(name)

    def stimulus(ctx: Context) -> Stimulus:
        players = dict(PROGRAMS.load(name, ctx.profile).stimulus())
        cores = {player: items for player, items in players.items() if not player.endswith(".gate")}
        players = {**cores, "work": [work(_LENGTH, _BUSY)]}
        if name in _FED:
            semaphore, gaps = _FED[name]
            players["risc_sem"] = [RISC_SEM.pack(write=1, index=semaphore, gap=gaps)]
        return players

    floor = {stream.replace(".issue", ".dispatch"): least for stream, least in known.floor.items()}
    return TestSpec(name, known.summary, "program", stimulus, floor=floor)


TESTS: dict[str, TestSpec] = {name: _program_test(name) for name in PROGRAMS.names()}
