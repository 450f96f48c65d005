# SPDX-License-Identifier: Apache-2.0
"""Streams for the tests of coverage and account: what a run recorded, random words with pauses."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from tilepath.engine.description.stream import Records, stream_table
from tilepath.isa import profiles
from tilepath.isa.boundary.standin import BOUNDARY
from tilepath.sequences.standin.config import config_words, thread_words
from tilepath.sequences.standin.tables import WORD
from tilepath.sequences.standin.words import modifier, word_of
from tilepath.tests.coverage_runs import recorded
from tilepath.tests.standin.port_memory import NOTHING, Given, Memory

TABLE = stream_table(BOUNDARY.streams)
PROFILES = profiles.names()
ANY = 5  # style


def seen(memory: Memory) -> dict[str, Records]:
    """What a run recorded."""
    given = {name: np.concatenate(rows) for name, rows in memory.given.items()}
    found = {
        name: np.array(rows, TABLE[name].dtype) if not rows else np.stack(rows)
        for name, rows in memory.found.items()
    }
    return recorded(TABLE, NOTHING | given | found)


def settings(**fields: int) -> list[Given]:
    """Writes of Config words, a cycle each."""
    found: list[Given] = []
    for index, value in config_words(**fields).items():
        write = {"banks": 3, "index": index, "data": (value, 0, 0, 0)}
        found.append((len(found), "cfg", write))
    return found


def own(thread: int, **fields: int) -> list[Given]:
    """Writes of ThreadConfig."""
    words = thread_words(**fields).items()
    return [
        (k, f"t{thread}.setc16", {"index": index, "value": value})
        for k, (index, value) in enumerate(words)
    ]


@cache
def random_run(seed: int) -> tuple[dict[str, Records], int, str]:
    """Streams of random words with pauses; the cycle behind them; profile."""
    profile = PROFILES[seed % len(PROFILES)]
    rng = np.random.default_rng(seed)
    memory = Memory(profile)
    for row in range(64):
        data = rng.integers(0, 1 << 19, 16, np.uint32)
        load: dict[str, Any] = {"target": row & 1, "bank": row >> 1 & 1, "row": row, "data": data}
        memory.run([(0, "load", load)], 1)
    memory.run(settings(a=5, b=5, fp32=seed & 1, swizzle=1, remap=1), 5)
    for row in WORD.tuples(WORD.rows(rng, 40, style=ANY)):
        given: list[Given] = []
        if row.flag:
            given += own(row.thread, offset=int(rng.integers(1024)), phase=row.give)
            index, value = list(modifier(row.mod, SrcAIncr=9, DestIncr=row.dst).items())[row.wide]
            write = {"index": index, "value": value}
            given.append((7, f"t{row.thread}.setc16", write))
            given.append((7, "store", write | {"thread": row.thread}))
        word = {"thread": row.thread, "word": word_of(row, profile)}
        given.append((8, "issue", word))
        for cycle in range(9, 40):
            given.append((cycle, "pause", {"value": int(rng.integers(5) == 0)}))
        given.append((40, "pause", {"value": 0}))
        given.append((0, "owner", {"value": int(rng.integers(16))}))
        memory.run(given, 80)
    return seen(memory), memory.model.now, profile
