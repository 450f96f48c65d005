# SPDX-License-Identifier: Apache-2.0
"""Streams and players of ``frontend+control``: those of both blocks, but for what joins them.

The front end's ``gate`` and control's ``issue`` do not play: each block is the other's counterpart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tilepath.engine.description.player import Player
from tilepath.isa.boundary.frontend_control import STREAMS
from tilepath.tb.control import streams as control
from tilepath.tb.frontend import streams as frontend

__all__ = ["PLAYERS", "STREAMS"]


def _players(block: str, players: Sequence[Player], but: str) -> tuple[Player, ...]:
    return tuple(replace(p, module=f"{block}_play_{p.name}") for p in players if p.name != but)


PLAYERS: Final = (
    *_players("frontend", frontend.PLAYERS, but="gate"),
    *_players("control", control.PLAYERS, but="issue"),
)
