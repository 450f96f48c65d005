# SPDX-License-Identifier: Apache-2.0
"""Input streams that record what a player plays: what was sent is compared with what arrived."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Columns = dict[str, NDArray[Any]]  # field → the values of n items, or n records


@dataclass(frozen=True)
class Recorded:
    """An input stream that records items of a player, in their order.

    ``stream``: its name, if it has as many copies as the player: each records its own; else the
    name of an instance. ``when``: which items it records, from their fields: the name of a flag,
    or a function that returns a mask; all of them by default. ``named``: stream's field → player's
    field, where they have other names. ``but``: fields of the stream that do not come from the
    player. ``copy``: the stream's field with the number of the player's copy, where the stream
    records several copies.

    Of a level player the stream has a record for each change of its fields; before the stimulus and
    behind it they have what ``Player.rest`` says.
    """

    stream: str
    when: str | Callable[[Columns], NDArray[np.bool_]] = ""
    named: Mapping[str, str] = field(default_factory=dict)
    but: tuple[str, ...] = ()
    copy: str = ""

    def chosen(self, columns: Columns) -> Columns:
        """The ``columns`` of those items that the stream records."""
        if not self.when:
            return columns
        mask = self.when(columns) if callable(self.when) else columns[self.when] != 0
        return {name: values[mask] for name, values in columns.items()}
