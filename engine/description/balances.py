# SPDX-License-Identifier: Apache-2.0
"""What must add up in a run, beyond what each player says of where it is recorded.

A block declares it (``Block.balances``); :mod:`tilepath.engine.checking` keeps the balances.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tilepath.engine.description.recorded import Columns


@dataclass(frozen=True)
class PartlyRecorded:
    """An input stream that records what a player plays together with something else.

    ``values``: from the fields of items, fields of the stream's records; ``known``: which bits of
    these fields are the player's, all others are not compared. Where an item player is named, each
    item makes a record; of a level player the known bits hold as long as its items say.
    """

    player: str
    stream: str
    values: Callable[[Columns], Columns]
    known: Callable[[Columns], Columns]


@dataclass(frozen=True)
class Balances:
    """What must add up in the runs of a block.

    ``partly``: more records of what players play than ``Player.records`` names. ``pairs``: streams
    that have equally many records when nothing is left to do (names without instances). ``rest``:
    level stream, field and bits of it that are 0 when nothing is left to do.
    """

    partly: tuple[PartlyRecorded, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    rest: tuple[tuple[str, str, int], ...] = ()
