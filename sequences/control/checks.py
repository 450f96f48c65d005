# SPDX-License-Identifier: Apache-2.0
"""Whether a thread keeps to what makes random tests live."""

from __future__ import annotations

from collections.abc import Sequence

from tilepath.isa import decode
from tilepath.sequences.control import words as w


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
