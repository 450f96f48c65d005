# SPDX-License-Identifier: Apache-2.0
"""Whether items are well formed, and whether they keep the default constraints."""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.isa import tables
from tilepath.sequences.frontend.words import MOPCFG_WORDS, OP_MOP, OP_MOP_CFG, OP_REPLAY
from tilepath.tb.frontend.items import (
    CORE_WORDS,
    INDEX_SHIFT,
    MOPCFG,
    PUSH,
    SYNC,
    SYNC_BACKGROUND,
)
from tilepath.tb.kernel.description.player import END, GAP_MASK, WAIT_GO, Items

_CORE_BITS: Final = GAP_MASK | PUSH | MOPCFG | SYNC | SYNC_BACKGROUND | 0xF << INDEX_SHIFT
_WORDS: Final = {"core": CORE_WORDS, "brisc": 2, "gate": 2, "sfpu_cc": 2}


def check_items(player: str, items: Items) -> None:
    """``ValueError`` unless ``items`` can be played by ``player`` (``t0.core``, ``sfpu_cc``, …)."""
    kind = player.rpartition(".")[2]
    if items.dtype != np.uint32 or items.ndim != 2 or items.shape[1] != _WORDS[kind]:
        raise ValueError(f"{player}: {items.dtype} items of shape {items.shape}")
    first = items[:, 0]
    if kind in ("gate", "sfpu_cc"):
        wrong = (first == 0) | (first == END) | (items[:, 1] > 1)
    elif kind == "brisc":
        wrong = (first & ~np.uint32(GAP_MASK | WAIT_GO)) != 0
    else:
        pushes, writes = first & PUSH != 0, first & MOPCFG != 0
        wrong = (first & ~np.uint32(_CORE_BITS)) != 0
        wrong |= ~pushes & (items[:, 1] != 0)
        wrong |= ~writes & ((items[:, 2] != 0) | (first >> INDEX_SHIFT != 0))
        wrong |= (first & SYNC_BACKGROUND != 0) & (first & SYNC == 0)
    if wrong.any():
        place = int(np.flatnonzero(wrong)[0])
        raise ValueError(f"{player}: item {place} is {[hex(word) for word in items[place]]}")


def unguarded_writes(items: Items) -> int:
    """MopCfg writes of a whole ``core`` stream that a MOP pushed earlier may still race (F7).

    Such a write has no blocking mop_sync, of an earlier item, behind the last MOP before it.
    """
    first = items[:, 0]
    place = np.arange(len(items))
    is_mop = (first & PUSH != 0) & (items[:, 1] >> 24 == OP_MOP)
    blocks = first & (SYNC | SYNC_BACKGROUND) == SYNC
    last_mop = np.maximum.accumulate(np.where(is_mop, place, -1))
    last_sync = np.maximum.accumulate(np.where(blocks, place, -1))
    # what an item does in its first cycle comes before its own push has arrived
    before_mop = np.concatenate(([-1], last_mop[:-1]))
    before_sync = np.concatenate(([-1], last_sync[:-1]))
    writes = first & MOPCFG != 0
    return int((writes & (before_mop > before_sync)).sum())


def faulty_words(items: Items) -> int:
    """Pushed words and MopCfg words of a ``core`` stream that end as illegal ones (F17)."""
    barred = np.array(tables.must_not_issue())
    first, words, data = items[:, 0], items[:, 1] >> 24, items[:, 2] >> 24
    consumed = np.isin(words, (OP_MOP, OP_MOP_CFG, OP_REPLAY))
    pushed = (first & PUSH != 0) & barred[words] & ~consumed
    index = first >> INDEX_SHIFT & 0xF
    operation = (first & MOPCFG != 0) & (index >= 2)
    stored = operation & barred[data] & (data != OP_REPLAY)
    beyond = (first & MOPCFG != 0) & (index >= MOPCFG_WORDS)
    return int((pushed | stored | beyond).sum())
