# SPDX-License-Identifier: Apache-2.0
"""The specification's vector V8 and the examples of its decisions, one to a window of cycles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.adc import words as w
from tilepath.sequences.adc.directed.common import timeline_test
from tilepath.sequences.adc.timeline import Timeline

WINDOW: Final = 16


def _v8_wrap(tl: Timeline) -> None:
    """Z0 = 253 (w = 8), UNPACR Ch0ZInc = 3."""
    tl.issue(0, int(w.setadc(1, 2, 253))).step().unpack(0, 0, 0, z0=3)


def _v8_reload(tl: Timeline) -> None:
    """Cr = 5, live = 9, ADDRCRZW Z0Inc = 2, mask 1."""
    tl.issue(0, int(w.setadc(1, 2, 5))).step()
    tl.issue(0, int(w.packed("incadczw", 1, (4, 0, 0, 0)))).step()
    tl.issue(0, int(w.packed("addrcrzw", 1, (2, 0, 0, 0), 1)))


def _v8_override(tl: Timeline) -> None:
    """SETADC X, value 0x2FFFF, from T0: thread 1, X = 0x2FFFF."""
    tl.issue(0, int(w.setadc(1, 0, 0x2FFFF)))


def _single_increment(tl: Timeline) -> None:
    """Thread and adc the same: one increment, not two (A11)."""
    tl.issue(1, int(w.setadc(2, 1, 100))).step().unpack(1, 1, 1, y0=3)


def _two_sets(tl: Timeline) -> None:
    """Thread 1 and adc 2: both sets (A11)."""
    tl.issue(1, int(w.setadc(2, 5, 200))).issue(2, int(w.setadc(2, 5, 300))).step()
    tl.unpack(1, 1, 2, y1=2)


def _clear_wins(tl: Timeline) -> None:
    """Clear, CR and Incr at once (P18)."""
    tl.issue(2, int(w.setadc(4, 1, 40))).step()
    tl.pack(4, YsrcIncr=9, YsrcCR=1, YsrcClear=1)


def _carry(tl: Timeline) -> None:
    """CR: checkpoint += Incr, live = checkpoint (P18)."""
    tl.issue(2, int(w.setadc(4, 1, 40))).step().pack(4, YsrcIncr=1).step()
    tl.pack(4, YsrcIncr=9, YsrcCR=1)


def _same_cycle(tl: Timeline) -> None:
    """UNPACR, then T0, T1, T2: ((0 + 3) + 4), reloaded to 6 + 1, + 2 (A13)."""
    tl.issue(1, int(w.setadc(1, 1, 6))).step().flop(1, 0, 1, 0).step()
    tl.unpack(0, 1, 1, y0=3)
    tl.touch("incadcxy", (1, 0, 1), 4, by=0).touch("addrcrxy", (1, 0, 1), 1)
    tl.touch("incadcxy", (1, 0, 1), 2, by=2)


SCENES: Final[tuple[Callable[[Timeline], None], ...]] = (
    _v8_wrap,
    _v8_reload,
    _v8_override,
    _single_increment,
    _two_sets,
    _clear_wins,
    _carry,
    _same_cycle,
)
"""In the order of their windows."""


def _build(tl: Timeline) -> None:
    for number, scene in enumerate(SCENES):
        tl.step(number * WINDOW - tl.now)
        scene(tl)


TESTS: Final[tuple[TestSpec, ...]] = (
    timeline_test(
        "vectors",
        "the specification's vector V8 and examples",
        _build,
        issue=2,
        conflict=1,
        faults=("x_override",),
    ),
)
