# SPDX-License-Identifier: Apache-2.0
"""What must add up in a run: what was sent was recorded, what went in came out, nothing is left.

A block declares it in ``tb/<block>/accounts.py``; :mod:`tilepath.tb.kernel.checking` keeps the
accounts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tilepath.tb.kernel.description.player import Items

Values = Mapping[str, NDArray[np.uint32]]
"""Field → one value an item; n, or n × words for a field of more than 32 bits."""


@dataclass(frozen=True)
class Echo:
    """Where the bench records what a player plays.

    ``player`` and ``stream`` are names without instances, and instances go together (what
    ``t1.core`` plays is recorded in ``t1.push``); where all instances of a player share a stream,
    ``own`` is the stream's field that holds the instance's number. A player whose items show in
    several streams has an echo for each.

    ``values``: fields of the records that items (n × words) make. ``chosen``: which items are
    recorded in this stream (a mask), all if ``None``. ``care``: bits of a field that are
    compared, all where a field is not among them.

    Items make a record each, in order. The values of a level player hold from cycle 1 on, item
    after item, and the stream has a record per change; ``idle`` is what it shows before the first
    item and behind the last, ``None`` if that says nothing.
    """

    player: str
    stream: str
    values: Callable[[Items], Values]
    chosen: Callable[[Items], NDArray[np.bool_]] | None = None
    care: Callable[[Items], Values] | None = None
    own: str = ""
    idle: Mapping[str, int] | None = None


@dataclass(frozen=True)
class Accounts:
    """What must add up in the runs of a block.

    ``unrecorded``: player → why nothing records what it plays; only how many items it played is
    then checked. ``pairs``: streams that have equally many records when nothing is left to do
    (names without instances). ``rest``: level stream, field and bits of it that are 0 when nothing
    is left to do.
    """

    echoes: tuple[Echo, ...] = ()
    unrecorded: Mapping[str, str] = field(default_factory=dict)
    pairs: tuple[tuple[str, str], ...] = ()
    rest: tuple[tuple[str, str, int], ...] = ()


def bits(items: Items, word: int, low: int = 0, width: int = 32) -> NDArray[np.uint32]:
    """Bits ``low`` … ``low + width - 1`` of word ``word`` of each item."""
    return (items[:, word] >> np.uint32(low)) & np.uint32((1 << width) - 1)
