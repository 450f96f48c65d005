# SPDX-License-Identifier: Apache-2.0
"""Directed tests: what was never written since reset, and the specification's examples.

The examples are the vectors V1 … V10 and the timelines T1 … T4, one to a window of cycles. Case i
runs on thread i mod 3 in window i div 3. In a window MopCfg is written from its first cycle on,
then ``before`` is pushed; from cycle ``FIRST`` of the window on come the words of the case. A
window is long enough for all of it to leave, so that a case finds the front end idle; replay
buffer, MaskHi and the MopCfg words that it does not write are those that the case before left.
What is to come out is not known here: tests/frontend/test_model_vectors.py and
``test_model_timelines`` have it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tilepath.engine.description.player import Items
from tilepath.engine.description.stimulus import Context, Stimulus, TestSpec
from tilepath.sequences.frontend import words as w
from tilepath.sequences.frontend.builder import ThreadScript
from tilepath.tb.frontend.items import gate
from tilepath.tb.frontend.streams import THREADS

FIRST: Final = 32
PLAYER_START: Final = 1  # a player's first item is on the port in cycle 1
_MOP: Final = w.mop(1)
_N: Final = w.NOP


@dataclass(frozen=True)
class Case:
    """One vector or timeline.

    ``cfg``: MopCfg words, all nine or by index. ``at``: the cycle of each push, counted from
    cycle ``FIRST`` of the window; one after the other if not given. ``stall``: cycles from there
    on in which the issue port is not ready.
    """

    name: str
    words: Sequence[int]
    cfg: Mapping[int, int] | Sequence[int] = field(default_factory=dict)
    before: Sequence[int] = ()
    at: Sequence[int] = ()
    stall: int = 0

    def script(self) -> ThreadScript:
        """What the core does in this case's window."""
        script = ThreadScript().mopcfg(self.cfg).push(*self.before)
        for word, cycle in zip(self.words, self.at or range(len(self.words)), strict=True):
            script.gap(FIRST + cycle - script.cycles).push(word)
        return script


@dataclass(frozen=True)
class Windows:
    """Cases shared out among threads and windows of ``length`` cycles."""

    cases: tuple[Case, ...]
    length: int

    def place(self, index: int) -> tuple[int, int]:
        """Thread of case ``index`` and the first cycle of its window."""
        return index % THREADS, PLAYER_START + index // THREADS * self.length

    def stimulus(self, _ctx: Context) -> Stimulus:
        """Core and gate players of all threads."""
        scripts = [ThreadScript() for _ in range(THREADS)]
        gates: list[list[tuple[int, int]]] = [[] for _ in range(THREADS)]
        for index, case in enumerate(self.cases):
            thread, start = self.place(index)
            script = scripts[thread]
            script.gap(start - PLAYER_START - script.cycles).extend(case.script())
            rest = self.length - FIRST - case.stall
            gates[thread] += [(FIRST, 1), *([(case.stall, 0)] if case.stall else []), (rest, 1)]
        players: dict[str, list[Items]] = {}
        for thread, script in enumerate(scripts):
            counts, values = zip(*gates[thread], strict=True)
            players[f"t{thread}.core"] = [script.items()]
            players[f"t{thread}.gate"] = [gate(counts, values)]
        return players


def _numbered(first: int, count: int) -> list[int]:
    return [first + i for i in range(count)]


# matmul, math thread: the order of the LLK's addr_mods, at bit 14
_M16: Final = [0x26000000 | mode << 14 for mode in (0, 1, 0, 2, 0, 1, 0, 4, 0, 1, 0, 2, 0, 1, 0, 5)]
_SFPU: Final = [0x7000E000, 0x85009000, 0x7200E000, 0x38008000]
_UNPACK: Final = [
    *(0x428000C1, 0xB10C007C, 0x5800C312, 0xA2400001, 0xB00C007C, _N),
    *(0x428000C1, 0xB10C007D, 0x5800C312, 0xA2400001, 0xB00C007D, _N),
]
_UNPACK_CFG: Final = {1: 0, 3: 0x04000060, 7: 0x04018060}
_MASK_CFG: Final = [*_numbered(0x420000A0, 4), 0x550000F0, 0x550000FB]  # A0 … A3, skip A and B
_RECORD32: Final = [w.replay(0, 32, 0, 1), *_numbered(0x70000000, 32)]
_BUG: Final = [0x70000001, _N, 0x70000002, 0x70000003]
_END: Final = 0x60000000

VECTORS: Final = Windows(
    (
        Case("V1a", [0x04040103, *_M16, _MOP],
             [1, 4, _N, _N, _N, 0x04040100, _N, 0x2640C000, 0x04040100]),
        Case("V1b", [0x04040101, *_M16, _MOP],
             [1, 4, _N, 0x3740000F, _N, 0x04040100, _N, 0x04040100, 0x04040100]),
        Case("V2 zmask 0", [0x040000C1, *_UNPACK, 0x01030000], _UNPACK_CFG),
        Case("V2 zmask FF", [0x040000C1, *_UNPACK, 0x010300FF], _UNPACK_CFG),
        Case("V3", [_MOP], [2, 2, _N, _N, _N, 0x420080C1, *[0x428080C1] * 3]),
        Case("V4 17.1", [_MOP],
             [1, 4, _N, _N, _N, 0x41000000, _N, 0x41008001, 0x41000000]),
        Case("V4 17.2", [_MOP],
             [4, 4, _N, _N, _N, 0x41000000, _N, 0x41008001, 0x41010000]),
        Case("V5 bug", [_MOP], [1, 0, _N, _END, _N, *_BUG]),
        Case("V5 bug, both ends", [_MOP],
             [0xFFFFFF81, 0x80, _N, _END, 0x8F000000, *_BUG]),
        Case("V5 outer 2", [_MOP], [2, 0, _N, _END, _N, *_BUG]),
        Case("V5 StartOp", [_MOP], [1, 0, _END, _END, _N, *_BUG]),
        Case("V5 EndOp0 NOP", [_MOP], [1, 0, _N, _N, 0x70000009, *_BUG]),
        Case("V6", [_MOP],
             [2, 3, 0x500000A0, 0x500000E0, 0x500000E1,
              0x7000000A, 0x7000000B, 0x700000F0, 0x700000F1]),
        Case("V6b", [_MOP],
             [1, 2, _N, _N, _N, _N, 0x7000000B, 0x700000F0, 0x700000F1]),
        Case("V7", [0x0300ABCD, 0x01221234],
             dict(enumerate([3, 0x428000B0, *_MASK_CFG], start=1))),
        Case("V7b", [0x03000001, 0x01000000, 0x01110000],
             dict(enumerate([0, 0x428000B0, *_MASK_CFG], start=1))),
        Case("V8a", [0x04070081, *_numbered(0x70000010, 8), 0x04078060]),
        Case("V8b", [*_RECORD32, 0x04014000]),
        Case("V8c", [0x04078003, *_numbered(0x71000000, 64), 0x04078040]),
        Case("V8d", [*_RECORD32, 0x040503F0]),
        Case("V9a", [0x04000033, 0x70000001, 0x04020020, 0x70000002, 0x04000030]),
        Case("V9b", [0x04010051, _MOP, 0x70000099, 0x04010050],
             [2, 2, _N, 0x500000E0, _N, 0x7000000A, _N, 0x700000F0, 0x700000F1]),
        Case("V9c", [0x04040021, 0x70000001, 0x70000002, 0x04000021, _MOP, 0x04000020],
             [1, 2, _N, _N, _N, 0x04040020, _N, 0x04040020, 0x04040020]),
        Case("V10", [0x04000041, *_SFPU, _MOP],
             [1, 32, _N, _N, _N, 0x04000040, _N, 0x04000040, 0x04000040]),
        Case("V10 seed", [0x04000053, *_SFPU, 0x8F000000, *[0x04000050] * 6]),
    ),
    length=320,
)  # fmt: skip
"""V1 … V10."""

_P, _Q, _A, _B, _C, _D = _numbered(0x26000000, 6)
_TWO: Final = [1, 2, _N, _N, _N, 0x27000000, _N, 0x28000000, _N]
_NONE: Final = [0, *_TWO[1:]]
_AGAIN: Final = 0x04040100
_MASK: Final = w.mop_cfg(0x1234)

TIMELINES: Final = Windows(
    (
        Case("T1", [_A, _B, _C]),
        Case("T2", [_P, _MOP, _Q], _TWO),
        Case("T2 MOP MOP", [_P, _MOP, _MOP, _Q], _TWO),
        Case("T2 MOP MOP_CFG MOP", [_P, _MOP, _MASK, _MOP, _Q], _TWO),
        Case("T2 zero length", [_P, _MOP, _Q], _NONE),
        Case("T2 three of zero length", [_P, _MOP, _MOP, _MOP, _Q], _NONE),
        Case("T2 word in TRANS", [_P, _MOP, _Q], _TWO, at=(0, 1, 3)),
        Case("T2 MOP in TRANS", [_P, _MOP, _MOP], _TWO, at=(0, 1, 3)),
        Case("T2 word behind TRANS", [_P, _MOP, _Q], _TWO, at=(0, 1, 4)),
        Case("T2 MOP behind TRANS", [_P, _MOP, _MOP], _TWO, at=(0, 1, 4)),
        Case("T2 word late", [_P, _MOP, _Q], _TWO, at=(0, 1, 5)),
        Case("T2 stalled TRANS", [*[_P] * 8, _MOP, _Q], _TWO, stall=30),
        Case("T2 stalled MOP", [*[_P] * 10, _MOP, _Q], _TWO, stall=30),
        Case("T3", [w.replay(0, 4, 0, 1), _A, _B, _C, _D, w.replay(0, 4), _Q]),
        Case("T3 exec", [w.replay(0, 4, 1, 1), _A, _B, _C, _D, w.replay(0, 4), _Q]),
        Case("T4", [_P, _MOP, _Q], [1, 2, _N, _N, _N, _AGAIN, _N, _AGAIN, _N],
             before=[w.replay(16, 16, 0, 1), *_numbered(0x26000010, 16)]),
    ),
    length=96,
)  # fmt: skip
"""T1 … T4 and what the specification says of their variations."""


def _test(
    name: str,
    summary: str,
    stimulus: Callable[[Context], Stimulus],
    *,
    faults: tuple[str, ...] = (),
    **floor: int,
) -> TestSpec:
    """A test; ``floor``: stream → fewest events in every thread."""
    least = {f"t{t}.{stream}": count for t in range(THREADS) for stream, count in floor.items()}
    return TestSpec(name, summary, "directed", stimulus, floor=least, faults=faults)


def _unwritten(ctx: Context) -> Stimulus:
    """Slots that were never written since reset are played: 0 is an unassigned opcode."""
    players: dict[str, Iterable[Items]] = {}
    for thread in range(THREADS):
        script = ThreadScript(ctx.profile).push(w.replay(5 + thread, 3), _P).gap(8)
        script.push(w.replay(10, 4, 1, 1), *_numbered(0x71000000, 4))
        script.push(w.replay(8, 4), w.replay(12, 6)).gap(10)
        script.push(w.replay(30, 5), w.replay(0, 32), w.replay(10, 4), _Q)
        # MopCfg after reset: no passes for template 1, words 0 for template 0; MaskHi is 0, too
        script.push(_MOP, _A, w.mop(0, 2, 2), _B).sync()
        script.mopcfg([0, 3, *_numbered(0x70000020, 7)]).push(w.mop(0, 31, 1), _C)
        players[f"t{thread}.core"] = [script.items()]
    return players


_TESTS: Final = (
    _test(
        "after_reset",
        "slots, MopCfg and MaskHi that were never written",
        _unwritten,
        issue=50,
        fault=40,
        faults=("illegal",),
    ),
    _test(
        "vectors",
        "the specification's vectors V1 to V10",
        VECTORS.stimulus,
        issue=200,
        faults=("illegal",),
    ),
    _test("timelines", "the specification's timelines T1 to T4", TIMELINES.stimulus, issue=20),
)
TESTS: Final = {test.name: test for test in _TESTS}
