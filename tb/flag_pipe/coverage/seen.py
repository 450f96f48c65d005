# SPDX-License-Identifier: Apache-2.0
"""What the walk through a run knows of a core and of a ring."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

IDLE, PRE, WAIT, XFER = range(4)


@dataclass
class Core:
    """What is known of a core."""

    offered: deque[Any] = field(default_factory=deque)
    now: Any = None  # the command at work
    state: int = IDLE
    pair: int = 0
    since: int = 0  # of the state
    pair_state: int = 0
    waited: int = 0


@dataclass
class Pipe:
    """A ring of a pair."""

    pushed: int = 0
    popped: int = 0
    freed: int = 0
    produce: tuple[int, int] | None = None  # last acceptance, and its WAIT
    consume: tuple[int, int] | None = None
    period: int = 0  # of the producer
