# SPDX-License-Identifier: Apache-2.0
"""A FIFO: the smallest bench. The harness follows from the ports."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from tilepath.engine.description.cycle_model import CycleModel
from tilepath.engine.description.naming import ports, proposed
from tilepath.engine.description.wired_block import wired_block

DEPTH = 4
WIRING = proposed(
    "fifo",
    ports(
        "clk_i rst_ni push_valid_i push_word_i:16 pop_ready_i",
        "push_ready_o pop_valid_o pop_word_o:16 level_o:3",
    ),
)


class Fifo(CycleModel):
    """What goes in comes out in its order, a cycle later at the earliest."""

    boundary = WIRING.boundary()

    def __init__(self, profile: str = "") -> None:
        super().__init__(profile)
        self._words: deque[int] = deque()

    def cycle(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """As the specification has it."""
        words = self._words
        out = {"push_ready": int(len(words) < DEPTH), "pop_valid": int(bool(words))}
        out |= {"level": len(words), "pop": words[0] if words and given["pop_ready"] else None}
        if out["pop"] is not None:
            words.popleft()
        if given["push"] is not None:
            words.append(given["push"])
        return out


LEVELS = tuple(map(str, range(DEPTH + 1)))
BLOCK = wired_block(WIRING, Fifo, {"level": (LEVELS, lambda streams: streams["level"]["value"])})
