# SPDX-License-Identifier: Apache-2.0
"""Programs of the packers, executed by the golden model without time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tilepath.engine.description.player import Items
from tilepath.tb.pack.streams import HOLDING, PLAYERS
from tilepath.tests import play_machine
from tilepath.tests.play_machine import Row


class Play(play_machine.Play):
    """What packers do; words of the address counters are among those issued."""

    unit = "pack"

    def __init__(self, stimulus: Mapping[str, Iterable[Items]], profile: str) -> None:
        super().__init__(PLAYERS, HOLDING.sources, stimulus, profile)

    def _issue(self, thread: int, row: Row) -> None:
        self.machine.execute(thread, row["word"])
