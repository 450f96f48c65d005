# SPDX-License-Identifier: Apache-2.0
"""What the cycles of the flag pipe remember: cores, endpoints, flags, ports. No datum among it."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import numpy as np

from tilepath.engine.compiled.records import Records, record
from tilepath.isa.boundary.flag_pipe import (
    BANKS,
    CORES,
    ENDPOINTS,
    INPUTS,
    PAIRS,
    PIPES,
    READ_PORTS,
    SHARED_PORTS,
    STATES,
    WRITE_PORTS,
)
from tilepath.models.flag_pipe.rules import COMMAND, ENDPOINT, PLAN, RULES, new_rules

PORTS: Final = (*READ_PORTS, *WRITE_PORTS)
SHARED: Final = tuple(port in SHARED_PORTS for port in PORTS)
WRITES: Final = len(READ_PORTS)  # first write port; a read port has the number of its memory
STROBES: Final = tuple(one.name for one in INPUTS if one.kind == "event" and not one.copies)
"""Events but for commands: each asks something of the pairs in its mask."""
CREDIT: Final = 4
"""Reads of a transfer that may be ahead of its writes."""
FLIGHT: Final = 4  # cycles, at most, from SET to a visible flag


class State(IntEnum):
    """A core is in one of these states: the boundary's ``STATES``."""

    IDLE = STATES.index("IDLE")
    PRE = STATES.index("PRE")
    WAIT = STATES.index("WAIT")
    XFER = STATES.index("XFER")
    DONE = STATES.index("DONE")


CORE: Final = record(
    state=np.int64,
    peer=np.int64,  # of the command at work; 0 when IDLE
    pipe=np.int64,  # likewise
    origin=np.int64,  # of the command accepted last
    plan=PLAN,
    sets_done=np.int64,  # in PRE
    # Beats of the transfer: accepted reads and writes; cycle in which each read returns
    reads=np.int64,
    writes=np.int64,
    due=(np.int64, CREDIT),
    wrote=np.int64,  # cycle in which the last write was accepted
)
PORT: Final = record(
    ready=np.int64,
    latency=np.int64,
    turn=np.int64,  # core that is first
    kept=np.int64,  # core whose request was presented and not accepted, plus 1; or 0
    returned=np.int64,  # cycle in which the last read returns
)
BANK: Final = record(
    visible=np.int64,  # a bit a flag
    # SETs on their way, by the cycle of their arrival modulo FLIGHT: flag plus 1, or 0; command
    flying=(np.int64, FLIGHT),
    flying_by=(np.int64, FLIGHT),
    in_flight=np.int64,
    set_set=np.int64,
)
PAIR: Final = record(
    cfg_mismatch=np.int64,
    clr_busy=np.int64,
    changed_by=np.int64,  # origin
)
TIMING: Final = record(
    rules=RULES,
    cores=(CORE, len(CORES)),
    endpoints=(ENDPOINT, ENDPOINTS),
    nothing=COMMAND,
    endpoint_by=(np.int64, ENDPOINTS),  # origin of what changed it last
    banks=(BANK, PIPES * len(BANKS)),
    pairs=(PAIR, PAIRS),
    # Of each strobe in the cycle at hand: its pairs, 0 without it; its origin
    asked=(np.int64, len(STROBES)),
    asked_by=(np.int64, len(STROBES)),
    flags_by=(np.int64, PIPES),
    ports=(PORT, len(PORTS)),
    changed=np.int64,  # anything but a transfer's beats, in the cycle at hand
)


def new_timing(profile: str) -> Records:
    """State after reset: one ``TIMING``. Raises ``ValueError`` for an unknown profile."""
    timings = np.zeros(1, TIMING)
    timings[0].rules = new_rules(profile)[0]
    return timings
