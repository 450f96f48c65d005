# SPDX-License-Identifier: Apache-2.0
"""What a test is: a name, and for each player a stream of arrays of items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from tilepath.tb.kernel.description.player import Items
from tilepath.tb.kernel.description.seeds import derive

Stimulus = Mapping[str, Iterable[Items]]


@dataclass(frozen=True)
class Context:
    """What a test's stimulus may depend on. ``cycles`` is the length of an endless test."""

    block: str
    test: str
    seed: int
    profile: str
    cycles: int

    def rng(self, stream: str) -> np.random.Generator:
        """A generator of its own for each named stream of draws."""
        return derive(self.seed, self.block, self.test, stream)


@dataclass(frozen=True)
class TestSpec:
    """One test of a block.

    ``stimulus`` maps player instances to iterables of item arrays (n × words, uint32); a player
    left out is exhausted from the start. With ``endless`` the iterables never stop and the run
    lasts ``Context.cycles``; otherwise it lasts until every essential player is exhausted and
    nothing happens any more. ``floor``: stream instance → fewest events that must be seen (in
    an endless test of 5 000 cycles or more; a shorter one needs its share).
    """

    __test__ = False  # not a pytest class

    name: str
    summary: str
    kind: Literal["random", "directed", "program"]
    stimulus: Callable[[Context], Stimulus]
    endless: bool = False
    seeds: int = 1
    floor: Mapping[str, int] = field(default_factory=dict)


def scaled_floor(spec: TestSpec, cycles: int) -> dict[str, int]:
    """The floor of a run of ``cycles``; an endless test's is meant for 5 000 and more."""
    share = min(1.0, cycles / 5_000) if spec.endless else 1.0
    return {name: max(1, int(least * share)) for name, least in spec.floor.items()}
