# SPDX-License-Identifier: Apache-2.0
"""Directed tests: what was never written since reset, and the specification's examples.

The examples are the vectors V1 … V10 and the timelines T1 … T4 of ``vectors.toml``, one to a window
of cycles. Case i runs on thread i mod 3 in window i div 3, whose cycle ``FIRST`` is the case's
cycle 0. A window is long enough for all of it to leave, so that a case finds the front end idle;
replay buffer, MaskHi and the MopCfg words that it does not write are those that the case before
left. What is to come out is not known here: tests/blocks/test_worked.py reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from tilepath.engine.description.player import Items
from tilepath.engine.description.stimulus import Context, Stimulus, TestSpec
from tilepath.isa.boundary.frontend import BOUNDARY
from tilepath.sequences.frontend import words as w
from tilepath.sequences.frontend.builder import ThreadScript
from tilepath.sequences.given import cases, given
from tilepath.tb.frontend.items import gate
from tilepath.tb.frontend.streams import THREADS

FIRST: Final = 32

_CASES: Final = cases(Path(__file__).with_name("vectors.toml"))


def _windows(letter: str, length: int) -> Stimulus:
    """Cases of this ``letter`` shared out among threads and windows of ``length`` cycles."""
    scripts = [ThreadScript() for _ in range(THREADS)]
    gates: list[list[tuple[int, int]]] = [[] for _ in range(THREADS)]
    chosen = [case for name, case in _CASES.items() if name[0] == letter]
    for index, case in enumerate(chosen):
        thread, begin = index % THREADS, FIRST + index // THREADS * length
        rows = given(BOUNDARY, case)
        script = scripts[thread]
        for cycle, *write in rows.get("t0.mopcfg", ()):
            script.gap(begin + cycle - script.cycles).mopcfg(dict([write]))
        for cycle, word in rows["t0.push"]:
            script.gap(begin + cycle - script.cycles).push(word)
        stall = sum(cycle for cycle, _ in rows.get("t0.ready", ()))
        levels = ((FIRST, 1), (stall, 0), (length - FIRST - stall, 1))
        gates[thread] += [level for level in levels if level[0]]
    players: dict[str, list[Items]] = {}
    for thread, script in enumerate(scripts):
        counts, values = zip(*gates[thread], strict=True)
        players[f"t{thread}.core"] = [script.items()]
        players[f"t{thread}.gate"] = [gate(counts, values)]
    return players


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
    p, q, a, b, c = range(0x26000000, 0x26000005)
    for thread in range(THREADS):
        script = ThreadScript(ctx.profile).push(w.replay(5 + thread, 3), p).gap(8)
        script.push(w.replay(10, 4, 1, 1), *range(0x71000000, 0x71000004))
        script.push(w.replay(8, 4), w.replay(12, 6)).gap(10)
        script.push(w.replay(30, 5), w.replay(0, 32), w.replay(10, 4), q)
        # MopCfg after reset: no passes for template 1, words 0 for template 0; MaskHi is 0, too
        script.push(w.mop(1), a, w.mop(0, 2, 2), b).sync()
        script.mopcfg([0, 3, *range(0x70000020, 0x70000027)]).push(w.mop(0, 31, 1), c)
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
        lambda _: _windows("V", 320),
        issue=200,
        faults=("illegal",),
    ),
    _test(
        "timelines",
        "the specification's timelines T1 to T4",
        lambda _: _windows("T", 96),
        issue=20,
    ),
)
TESTS: Final = {test.name: test for test in _TESTS}
