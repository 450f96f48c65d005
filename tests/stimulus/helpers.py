# SPDX-License-Identifier: Apache-2.0
"""What the tests of any block make: its players' items."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from tilepath.engine.description.block import Block
from tilepath.engine.description.packing import Items
from tilepath.engine.description.player import GAP_MASK
from tilepath.engine.description.registry import load_block, tests_of
from tilepath.engine.description.stimulus import Context, Stimulus, TestSpec
from tilepath.engine.description.stream import Records
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


def offered(block: Block, stimulus: Stimulus, cycles: int) -> dict[str, Records]:
    """The input streams of items that nothing holds up, up to ``cycles``."""
    found = {name: one.empty() for name, one in block.stream_table.items()
             if one.direction == "input"}  # fmt: skip
    for name, blocks in stimulus.items():
        player, parts, length = block.player_table[name], [], 0
        for items in blocks:
            parts.append(items)
            length += player.cycles(items)
            if length > cycles:
                break
        columns = player.unpack(np.concatenate(parts))
        is_level = player.kind == "level"
        ends = np.cumsum(columns["cycles"] if is_level else columns["gap"].astype(int) + 1)
        columns["cycle"] = ends - columns["cycles"] + 1 if is_level else ends
        for recorded in player.records:
            chosen = recorded.chosen(columns)
            stream = f"{name.rpartition('.')[0]}.{recorded.stream}".removeprefix(".")
            records = np.zeros(len(chosen["cycle"]), block.stream_table[stream].dtype)
            for field in ("cycle", *(one.name for one in block.stream_table[stream].fields)):
                records[field] = chosen[field]
            found[stream] = records[records["cycle"] < cycles]
    return found
