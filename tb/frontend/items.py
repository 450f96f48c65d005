# SPDX-License-Identifier: Apache-2.0
"""Stimulus items of the front end; all of these raise ``ValueError`` for what does not fit."""

from __future__ import annotations

from numpy.typing import ArrayLike

from tilepath.engine.description.packing import Items
from tilepath.tb.frontend import streams


def push(words: ArrayLike, gaps: ArrayLike = 0) -> Items:
    """Items that push ``words`` (n), each after its gap in cycles (0 … 65535)."""
    return streams.CORE.pack(push=1, word=words, gap=gaps)


def mopcfg(index: ArrayLike, data: ArrayLike, gaps: ArrayLike = 0) -> Items:
    """Items that write MopCfg[index] = data."""
    return streams.CORE.pack(mopcfg=1, index=index, data=data, gap=gaps)


def sync(gap: int = 0, background: bool = False) -> Items:
    """One item that requests mop_sync, and waits for it unless in the background."""
    return streams.CORE.pack(sync=1, background=background, gap=gap)


def brisc(words: ArrayLike, gaps: ArrayLike = 0, safe: bool = True) -> Items:
    """Items for the BRISC port; ``safe`` waits until no collision can happen."""
    return streams.BRISC.pack(word=words, safe=safe, gap=gaps)


def gate(cycles: ArrayLike, ready: ArrayLike) -> Items:
    """Levels of ``issue_ready``, for ``cycles`` (at least 1) each."""
    return streams.GATE.pack(cycles=cycles, ready=ready)


def sfpu_cc(cycles: ArrayLike, busy: ArrayLike) -> Items:
    """Levels of ``sfpu_cc``, for ``cycles`` (at least 1) each."""
    return streams.SFPU_CC.pack(cycles=cycles, busy=busy)
