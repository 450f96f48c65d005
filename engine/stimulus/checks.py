# SPDX-License-Identifier: Apache-2.0
"""Whether items are well formed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.description.packing import Items
from tilepath.engine.description.player import Player


def check_items(player: Player, items: Items, wrong: NDArray[np.bool_] | None = None) -> None:
    """``ValueError`` unless ``items`` (n × words, uint32) are what ``player.pack`` would make.

    ``wrong``: which of them the block refuses besides.
    """
    if items.dtype != np.uint32 or items.ndim != 2 or items.shape[1] != player.words:
        raise ValueError(f"{player.name}: {items.dtype} items of shape {items.shape}")
    bad = player.malformed(items)
    if wrong is not None:
        bad = bad | wrong
    if bad.any():
        place = int(np.flatnonzero(bad)[0])
        raise ValueError(f"{player.name}: item {place} is {[hex(word) for word in items[place]]}")
