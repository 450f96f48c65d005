# SPDX-License-Identifier: Apache-2.0
"""Endless random items for the players beside ``core``: issue port, BRISC port and ``sfpu_cc``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from tilepath.sequences.frontend import words as w
from tilepath.sequences.frontend.draws import weighted
from tilepath.sequences.frontend.knobs import Knobs
from tilepath.tb.frontend.streams import BRISC, GATE, SFPU_CC
from tilepath.tb.kernel.description.packing import Items

_BRISC_BLOCK: Final = 256
_PHASES: Final = 16


def gate_items(rng: np.random.Generator, knobs: Knobs) -> Iterator[Items]:
    """Back-pressure: blocks of (cycles, issue_ready), phases of the patterns of ``knobs.gate``."""
    patterns = weighted(knobs.gate)
    while True:
        chosen = rng.integers(0, len(patterns), _PHASES).tolist()
        yield np.concatenate([_phase(patterns[i], rng, knobs) for i in chosen])


def _phase(pattern: str, rng: np.random.Generator, knobs: Knobs) -> Items:
    length = int(rng.integers(50, 600))
    if pattern == "none":
        return np.array([[length, 1]], np.uint32)
    if pattern == "alternating":
        return _levels(np.ones(length & ~1, np.uint32))
    if pattern == "long":
        cycles = rng.geometric(1 / max(knobs.stall, 1), 4).astype(np.uint32)
        return _levels(cycles)
    # runs of stalled and of ready cycles whose means are in the ratio of the duty
    runs = max(2, length // 4) & ~1
    cycles = np.empty(runs, np.uint32)
    duty = min(max(knobs.duty, 0.05), 0.95)
    cycles[0::2] = rng.geometric(min(1.0, duty), runs // 2)
    cycles[1::2] = rng.geometric(min(1.0, 1 - duty), runs // 2)
    return _levels(cycles)


def _levels(cycles: Items) -> Items:
    """Stalled and ready in turn, for ``cycles`` each (an even number of entries)."""
    return GATE.pack(cycles=cycles, ready=np.arange(len(cycles)) & 1)


def brisc_items(rng: np.random.Generator, knobs: Knobs) -> Iterator[Items]:
    """BRISC words, ``knobs.brisc_unsafe`` of them without waiting for an idle expander (F18)."""
    kinds = weighted(knobs.brisc_words)
    plain = np.array(w.PLAIN, np.uint32)
    illegal = np.array((*w.UNASSIGNED, w.RESOURCEDECL >> 24), np.uint32)
    n = _BRISC_BLOCK
    while True:
        payload = rng.integers(0, 1 << 24, n, np.uint32)
        index, count, execute = payload & 31, 1 + (payload >> 5 & 7), payload >> 8 & 1
        replay = 0x0400_0000 | index << 14 | count << 4 | execute << 1
        options = {
            "plain": plain[rng.integers(0, len(plain), n)] << 24 | payload,
            "play": replay,
            "record": replay | 1,
            "mop": 0x0100_0000 | payload,
            "mop_cfg": 0x0300_0000 | payload & 0xFFFF,
            "illegal": illegal[rng.integers(0, len(illegal), n)] << 24 | payload,
        }
        table = np.array([list(options).index(kind) for kind in kinds])
        chosen = table[rng.integers(0, len(table), n)]
        gaps = rng.geometric(1 / (knobs.brisc_gap + 1), n) - 1
        safe = rng.random(n) >= knobs.brisc_unsafe
        words = np.stack(list(options.values()))[chosen, np.arange(n)]
        yield BRISC.pack(word=words, safe=safe, gap=np.minimum(gaps, 10_000))


def sfpu_cc_items(rng: np.random.Generator, mean: int) -> Iterator[Items]:
    """Levels of ``sfpu_cc``, ``mean`` cycles long on average."""
    while True:
        cycles = rng.geometric(1 / max(mean, 1), 256)
        yield SFPU_CC.pack(cycles=cycles, busy=np.arange(1, 257) & 1)
