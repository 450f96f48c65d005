# SPDX-License-Identifier: Apache-2.0
"""Endless random items for the players beside ``core``: issue port, BRISC port and ``sfpu_cc``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tilepath.engine.description.packing import Items
from tilepath.engine.stimulus.tables import Table
from tilepath.tb.frontend.streams import BRISC, GATE, SFPU_CC

_PHASES = 64


def gate_items(rng: np.random.Generator, gate: Table, level: Table) -> Iterator[Items]:
    """Back-pressure: ``issue_ready``, in phases of a pattern each."""
    for rows in gate.blocks(rng, _PHASES):
        levels = level.rows(
            rng, rows["levels"].sum(), pattern=rows["pattern"].repeat(rows["levels"])
        )
        cycles = np.column_stack((levels["stalled"], levels["ready"])).reshape(-1)
        ready = np.arange(len(cycles)) & 1
        yield GATE.pack(cycles=cycles[cycles > 0], ready=ready[cycles > 0])


def brisc_items(rng: np.random.Generator, table: Table) -> Iterator[Items]:
    """BRISC words, some of them without waiting for an idle expander (F18)."""
    for rows in table.blocks(rng):
        yield BRISC.pack(word=rows["word"], safe=~rows["unsafe"], gap=rows["gap"])


def sfpu_cc_items(rng: np.random.Generator, table: Table) -> Iterator[Items]:
    """Levels of ``sfpu_cc``."""
    for rows in table.blocks(rng):
        yield SFPU_CC.pack(cycles=rows["more"] + 1, busy=np.arange(1, len(rows) + 1) & 1)
