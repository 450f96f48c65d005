# SPDX-License-Identifier: Apache-2.0
"""Whether items are well formed, and whether a thread keeps to what makes random tests live."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from tilepath.isa import decode
from tilepath.sequences.control import words as w
from tilepath.tb.control.streams import PLAYERS
from tilepath.tb.kernel.description.packing import Items

_PLAYERS: Final = {name: player for player in PLAYERS for name in player.instances}


def check_items(player: str, items: Items) -> None:
    """``ValueError`` unless ``items`` can be played by ``player`` (``t0.issue``, ``risc``, …)."""
    if items.dtype != np.uint32 or items.ndim != 2 or items.shape[1] != _PLAYERS[player].words:
        raise ValueError(f"{player}: {items.dtype} items of shape {items.shape}")
    wrong = _PLAYERS[player].malformed(items)
    if wrong.any():
        place = int(np.flatnonzero(wrong)[0])
        raise ValueError(f"{player}: item {place} is {[hex(word) for word in items[place]]}")


def check_liveness(words: Sequence[int], longest: int = 40) -> None:
    """``ValueError`` if the words of one thread may make it wait for ever, or others for it.

    Mutexes are taken in ascending order, and none for more than ``longest`` words. A SEMINIT of
    all semaphores comes before the first SEMWAIT; each has a maximum of 2 or more.
    """
    held: dict[int, int] = {}
    started = False
    for place, word in enumerate(words):
        instruction = decode(word)
        name = instruction.mnemonic
        if name == "ATGETM" and instruction["index"] in w.MUTEXES:
            index = instruction["index"]
            if any(other > index for other in held if index not in held):
                raise ValueError(f"word {place} wants mutex {index}, and {list(held)} are held")
            held.setdefault(index, place)
        elif name == "ATRELM":
            held.pop(instruction["index"], None)
        elif name == "SEMINIT":
            started |= instruction["sem_mask"] == 0xFF
            if instruction["max"] < 2:
                raise ValueError(f"word {place}: a maximum of {instruction['max']}")
        elif name == "SEMWAIT" and not started:
            raise ValueError(f"word {place} waits for semaphores without a maximum")
        if any(place - since > longest for since in held.values()):
            raise ValueError(f"word {place}: a mutex is held for long")
