# SPDX-License-Identifier: Apache-2.0
"""What stimulus of the flag pipe knows of a profile; and scripts of its commands and clears."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike

from tilepath.engine.description.packing import Items
from tilepath.engine.stimulus.script import PhaseScript
from tilepath.isa import profiles
from tilepath.isa.boundary.flag_pipe import OPS
from tilepath.tb.flag_pipe import streams

INIT, TPUSH, TPOP, TFREE = range(len(OPS))
BOTH: Final = 3
L1_BYTES: Final = 1 << 19
UB_BYTES: Final = 1 << 18
UB_A2A3: Final = 3 << 16
GM_LOW: Final = 1 << 22
GM_TOP: Final = 1 << 19
COMMAND: Final = tuple(field.name for field in streams.CMD.shown)


@dataclass(frozen=True)
class Setup:
    """Parameters of a profile."""

    nflags: int
    beat: int
    hold_max: int
    flag_lat: int
    a2a3: bool

    @classmethod
    def of(cls, profile: str) -> Setup:
        """Those of ``profile``."""
        p = profiles.get(profile)
        return cls(p.nflags, p.beat_bytes, p.hold_max, p.flag_lat, p.platform == "a2a3")

    def slots(self, mask: int) -> int:
        """Slots of each ring (T23)."""
        return self.nflags // 2 if mask == BOTH else self.nflags


class Script(PhaseScript):
    """Collects items of the flag pipe's players."""

    holding = streams.HOLDING
    waiter = ("clr", (0,))
    leads: Mapping[str, tuple[Any, ...]] = {"clr": (0,)}

    def __init__(self, profile: str) -> None:
        super().__init__()
        self.setup = Setup.of(profile)
        self.stamp = 0

    def make(self, player: str, rows: Sequence[tuple[Any, ...]], **heads: ArrayLike) -> Items:
        """As the base has it."""
        return streams.items(player, np.array(rows, np.int64).T, **heads)

    def command(self, core: int, op: int, gap: int = 0, **values: int) -> Self:
        """A command of a core; what is not given is 0."""
        given = {"op": op, **values}
        self.add(f"core{core}.cmd", tuple(given.get(n, 0) for n in COMMAND), gap)
        return self

    def anew(self) -> Self:
        """When all is idle, clear both pairs; what follows waits for that."""
        self.phase().add("clr", (3,))
        return self.phase(idle=False)
