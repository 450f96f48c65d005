# SPDX-License-Identifier: Apache-2.0
"""What the tests of any block make: its players' items."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from tilepath.engine.description.packing import Items
from tilepath.engine.description.player import GAP_MASK
from tilepath.engine.description.registry import load_block, tests_of
from tilepath.engine.description.stimulus import Context, Stimulus, TestSpec
from tilepath.isa import profiles

PROFILES = profiles.names()


@dataclass(frozen=True)
class Case:
    """A test of a block."""

    block: str
    test: TestSpec

    def __str__(self) -> str:
        return f"{self.block}-{self.test.name}"

    def stimulus(self, seed: int = 7, profile: str = "baseline") -> Stimulus:
        return self.test.stimulus(Context(self.block, self.test.name, seed, profile, 5000))

    def played(self, profile: str = "baseline") -> dict[str, Items]:
        """All items of a finite test, by player."""
        stimulus = self.stimulus(profile=profile)
        return {player: np.concatenate(list(items)) for player, items in stimulus.items()}

    def first_blocks(self, seed: int = 7, blocks: int = 4) -> dict[str, Items]:
        """The items in the first arrays of each player."""
        return {
            player: np.concatenate(list(itertools.islice(items, blocks)))
            for player, items in self.stimulus(seed).items()
        }

    def cycles(self) -> int:
        """The fewest cycles that a finite test takes."""
        players = load_block(self.block).player_table
        return max(players[name].cycles(items) for name, items in self.played().items())


def cases(block: str, endless: bool) -> list[Case]:
    """The tests of a block that end, or do not."""
    return [Case(block, test) for test in tests_of(block).values() if test.endless == endless]


def starts(items: Items, cost: int = 1) -> list[int]:
    """Cycle of each item, counted from the first that a player can use; ``cost`` cycles each."""
    return [int(cycle) for cycle in np.cumsum((items[:, 0] & GAP_MASK) + cost) - cost]
