# SPDX-License-Identifier: Apache-2.0
"""Streams and players of ``frontend+control``: those of both blocks (docs/control.md section 10).

``offer`` is an output here: when it must happen follows from the front end's streams. ``ready``
stays an input of the check, because it is recorded between the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tilepath.models.frontend_control import RENAMED
from tilepath.tb.control import streams as control
from tilepath.tb.frontend import streams as frontend
from tilepath.tb.kernel.description.player import Player
from tilepath.tb.kernel.description.stream import Stream


def _of_control(stream: Stream) -> Stream:
    return replace(
        stream,
        name=RENAMED.get(stream.name, stream.name),
        direction="output" if stream.name == "offer" else stream.direction,
        module=f"control_rec_{stream.name}",
    )


def _players(block: str, players: Sequence[Player], but: str) -> tuple[Player, ...]:
    return tuple(replace(p, module=f"{block}_play_{p.name}") for p in players if p.name != but)


STREAMS = (
    *(replace(stream, module=f"frontend_rec_{stream.name}") for stream in frontend.STREAMS),
    *(_of_control(stream) for stream in control.STREAMS),
)

PLAYERS = (
    *_players("frontend", frontend.PLAYERS, but="gate"),
    *_players("control", control.PLAYERS, but="issue"),
)
