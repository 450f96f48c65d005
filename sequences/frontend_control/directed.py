# SPDX-License-Identifier: Apache-2.0
"""Directed tests of the seam: what the front end does while a gate holds its words."""

from __future__ import annotations

from typing import Final

from tilepath.engine.description.player import Items
from tilepath.engine.description.stimulus import Context, Stimulus, TestSpec
from tilepath.isa import assemble
from tilepath.sequences.control import words as w
from tilepath.sequences.frontend import words as fe
from tilepath.tb.control.items import conditions
from tilepath.tb.control.streams import RISC_SEM, STREAM
from tilepath.tb.frontend import items
from tilepath.tb.frontend.streams import THREADS

_FORCED: Final = 1  # condition bit 0: nothing but the bench drives it
_STREAM: Final = 5
_MESSAGES: Final = 259
_ROUNDS: Final = 6
_PERIOD: Final = 120


def _illegal_under_latch(_ctx: Context) -> Stimulus:
    """Illegal words right behind each kind of wait, and again behind what the wait holds."""
    junk = [fe.RESOURCEDECL, fe.UNASSIGNED[0] << 24, fe.RESOURCEDECL]
    waits = (
        assemble(f"ttstallwait 64,{_FORCED}"),
        assemble("ttsemwait 64,1,1"),
        assemble(f"ttstreamwait 64,{_ROUNDS},1,0"),
    )
    start = [w.seminit(1, 0, 15), w.setc16(w.BANK_SEL[0], _STREAM)]
    players: dict[str, list[Items]] = {}
    for thread in range(THREADS):
        one = [waits[thread], *junk, fe.NOP, *junk, 0x26000000, *junk]
        many = [items.push(start, gaps=4)]
        for _ in range(_ROUNDS):
            many.append(items.push([*one, *([assemble("ttsemget 1")] if thread == 1 else [])]))
            many.append(items.push([fe.NOP], gaps=_PERIOD))
        players[f"t{thread}.core"] = many
    forced = [conditions(_PERIOD // 2, busy=_FORCED), conditions(_PERIOD // 2)] * (2 * _ROUNDS)
    return {
        **players,
        "conditions": forced,
        "risc_sem": [RISC_SEM.pack(write=1, gap=[_PERIOD] * _ROUNDS)],
        "stream": [
            STREAM.pack(stream=_STREAM, register=_MESSAGES, data=range(1, _ROUNDS + 1), gap=_PERIOD)
        ],
    }


TESTS: dict[str, TestSpec] = {
    "illegal_under_latch": TestSpec(
        "illegal_under_latch",
        "words that no gate sees, retired while the gate holds others",
        "directed",
        _illegal_under_latch,
        floor={f"t{thread}.dispatch": 2 * _ROUNDS for thread in range(THREADS)},
        faults=("fault.illegal",),
    )
}
