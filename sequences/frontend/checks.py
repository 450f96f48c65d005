# SPDX-License-Identifier: Apache-2.0
"""Whether items are well formed, and whether they keep the default constraints."""

from __future__ import annotations

import numpy as np

from tilepath.engine.description.packing import Items
from tilepath.engine.stimulus.checks import check_items
from tilepath.isa import tables
from tilepath.sequences.frontend.words import MOPCFG_WORDS, OP_MOP, OP_MOP_CFG, OP_REPLAY
from tilepath.tb.frontend.streams import CORE


def check_core_items(items: Items) -> None:
    """``ValueError`` unless ``items`` can be played by ``core``, and say no more than they do."""
    fields = CORE.unpack(items)
    wrong = (fields["push"] == 0) & (fields["word"] != 0)
    wrong |= (fields["mopcfg"] == 0) & ((fields["data"] != 0) | (fields["index"] != 0))
    wrong |= (fields["background"] != 0) & (fields["sync"] == 0)
    check_items(CORE, items, wrong)


def unguarded_writes(items: Items) -> int:
    """MopCfg writes of a whole ``core`` stream that a MOP pushed earlier may still race (F7).

    Such a write has no blocking mop_sync, of an earlier item, behind the last MOP before it.
    """
    fields = CORE.unpack(items)
    place = np.arange(len(items))
    is_mop = (fields["push"] != 0) & (fields["word"] >> 24 == OP_MOP)
    blocks = (fields["sync"] != 0) & (fields["background"] == 0)
    last_mop = np.maximum.accumulate(np.where(is_mop, place, -1))
    last_sync = np.maximum.accumulate(np.where(blocks, place, -1))
    # what an item does in its first cycle comes before its own push has arrived
    before_mop = np.concatenate(([-1], last_mop[:-1]))
    before_sync = np.concatenate(([-1], last_sync[:-1]))
    writes = fields["mopcfg"] != 0
    return int((writes & (before_mop > before_sync)).sum())


def faulty_words(items: Items) -> int:
    """Pushed words and MopCfg words of a ``core`` stream that end as illegal ones (F17)."""
    barred = np.array(tables.must_not_issue())
    fields = CORE.unpack(items)
    words, data, index = fields["word"] >> 24, fields["data"] >> 24, fields["index"]
    consumed = np.isin(words, (OP_MOP, OP_MOP_CFG, OP_REPLAY))
    pushed = (fields["push"] != 0) & barred[words] & ~consumed
    operation = (fields["mopcfg"] != 0) & (index >= 2)
    stored = operation & barred[data] & (data != OP_REPLAY)
    beyond = (fields["mopcfg"] != 0) & (index >= MOPCFG_WORDS)
    return int((pushed | stored | beyond).sum())
