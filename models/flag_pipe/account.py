# SPDX-License-Identifier: Apache-2.0
"""The account of the flag pipe: what commands, flags, transfers and ports did, a row each.

The model keeps it where it is asked to (``compiled``), with records of its own as ``rules``
describes them. Numbers: ``core`` as in ``CORES``,
``end`` of an endpoint (the cube's two, then the vectors'), ``way`` a ``Way``, ``op`` and ``error``
those of ``rules``, ``port`` as in ``timing_state.PORTS``; masks as in INIT, 0 before it. A ring is
that of a pipe (T34), a pair and a way (T5 to T8).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, Final

import numpy as np

from tilepath.engine.compiled.account import account_of
from tilepath.engine.compiled.records import Records, record
from tilepath.isa.boundary.flag_pipe import BANKS, CORES, ENDPOINTS, PAIRS, PIPES
from tilepath.models.flag_pipe import rules
from tilepath.models.flag_pipe.rules import ENDPOINT as STATE
from tilepath.models.flag_pipe.rules import PLAN, RULES
from tilepath.models.flag_pipe.timing_state import PAIR, PORTS

WAYS: Final = 2
NEVER: Final = -9  # of a flag's SET: before any WAIT
_FLAGS: Final = 8  # of a bank, at most
_MOST: Final = 32  # rows of a kind in a cycle, at most


class Way(IntEnum):
    """Where tiles go (T5)."""

    C2V = 0
    V2C = 1


class PairState(IntEnum):
    """A pair as an endpoint sees it."""

    UNINIT = 0
    IDLE = 1  # no tile has been pushed since INIT
    FILLED = 2
    FULL = 3
    HELD = 4  # by this endpoint
    EMPTY = 5  # of tiles that there were


# ── Kinds of rows ────────────────────────────────────────────────────────────────────────────────

_WHEN: Final = {"cycle": np.uint32, "core": np.uint8}

PROFILE: Final = record(cycle=np.uint32, rules=RULES)  # parameters, once
COMMAND: Final = record(  # a command accepted; what it meets is as this cycle leaves it
    **_WHEN,
    command=rules.COMMAND,  # as given (INIT: T19 to T21)
    plan=PLAN,
    endpoint=STATE,  # its own, and the pair's other one
    other=STATE,
    way=np.uint8,
    # its ring
    slots=np.uint8,
    filled=np.int8,  # slots, from the response of a TPUSH to that of a TFREE
    period=np.uint32,  # cycles since the one before of this ring and op, without its wait; 0: none
    producer=np.uint32,  # period of the ring's last TPUSH
    # the neighbours
    cube_masks=(np.uint8, PAIRS),  # of AIC's endpoints of this pipe
    pipes=np.uint8,  # of the pair of which its endpoints are initialised
    together=np.uint8,  # whether the other endpoint has its INIT in the same cycle
    peer_waits=np.uint8,  # whether the other core waits for a flag, of this pair
    cleared_mask=np.uint8,  # of the pair before its last clear (T13)
)
WAIT: Final = record(  # a WAIT that ends: the flag is consumed (T1)
    **_WHEN,
    plan=PLAN,
    way=np.uint8,
    length=np.uint32,  # cycles
    arrived=np.int32,  # the flag: cycles behind the first one of the WAIT
    late=np.uint8,  # of halves: the vector whose flag was the last; 2 if they came at once
    peer_sets=np.uint8,  # whether the other core is in PRE, of this pair
    then=np.uint8,  # the core's ``State`` in the next cycle; XFER: a transfer begins (T15)
    # AIC: its other pair, and the ring of the same way there
    other_mask=np.uint8,
    other_slots=np.uint8,
    other_filled=np.int8,
)
BEAT: Final = record(  # accepted by a port
    **_WHEN,
    port=np.uint8,
    latency=np.uint8,  # cycles, of a read port
    refused=np.uint32,  # cycles up to this one in which the port was not ready
    cores=np.uint8,  # in a transfer through this port
    beats=(np.uint16, 2),  # of the transfers of the first two of them
)
RESPONSE: Final = record(
    **_WHEN,
    plan=PLAN,
    endpoint=STATE,
    met=np.uint8,  # a ``PairState``, as the cycle of acceptance left it
    last_error=np.uint8,  # of the endpoint, if no command without an error came between; or 0
)
ENDPOINT: Final = record(  # an endpoint changed by INIT, or by an operation carried out
    **_WHEN,
    plan=PLAN,
    endpoint=STATE,
    other=STATE,  # the pair's other one
    way=np.uint8,
    push_tags=(np.uint8, WAYS),  # of the ring's producer
    free_tags=(np.uint8, WAYS),  # of its consumer
    wraps=np.uint32,  # how often this tag has wrapped, if it does now; or 0 (T7)
)
FLAG: Final = record(  # a SET that arrives: visible in the next cycle (T2)
    cycle=np.uint32,
    bank=np.uint8,  # of all pipes
    flag=np.uint8,
    both=np.uint8,  # whether one of the pair's other bank did before, in this cycle
)
STROBE: Final = record(  # a strobe, of a pair; as the cycle begins
    cycle=np.uint32,
    strobe=np.uint8,  # as in ``STROBES``
    pair=np.uint8,
    errors=PAIR,
    vector_state=np.uint8,  # of the core: a ``State``
    vector_offers=np.uint8,  # whether a command is offered to it
    cube_state=np.uint8,
    cube_pair=np.uint8,  # of its last command
    cube_offers=np.uint8,  # whether a command for this pair is offered to it
    flying=np.uint8,  # whether a SET of the pair is on its way
    alone=np.uint8,  # whether it is of one pair, and the cube has a pipe of halves (T37)
    filled=np.int8,  # slots of both rings
)
FAULT: Final = record(  # an error of a pair begins to show
    cycle=np.uint32,
    pair=np.uint8,
    faults=np.uint8,  # a bit for each of ``PAIR_FAULTS``
    differ=np.uint8,  # in what its endpoints do: a bit for each of ``rules.COMPARED`` (T6)
)
DEADLOCK: Final = record(  # begins to show
    cycle=np.uint32,
    pair=np.uint8,
    op=np.uint8,  # of the cube
    pairs=np.uint8,  # for so many it is
    pipes=(np.uint8, 2),  # in which cube and vector wait (T34)
)
KINDS: Final[Mapping[str, np.dtype[Any]]] = {
    "profile": PROFILE, "command": COMMAND, "wait": WAIT, "beat": BEAT,
    "response": RESPONSE, "endpoint": ENDPOINT, "flag": FLAG, "strobe": STROBE, "fault": FAULT,
    "deadlock": DEADLOCK,
}  # fmt: skip

# ── What is kept between rows ────────────────────────────────────────────────────────────────────

_CORE: Final = record(
    accepted=np.int64,  # cycle of the last command
    command=np.int64,  # its row, in the cycle at hand; or -1
    wait=np.int64,  # row of the WAIT that ended in the cycle at hand; or -1
    met=np.int64,
)
_END: Final = record(
    started=np.int64,  # cycle of INIT; -1: there was none
    wraps=(np.int64, 4),  # by op
    last_error=np.int64,
)
_SIDE: Final = record(  # the producer, or the consumer, of a ring
    accepted=np.int64,  # cycle of its last command; -1: there was none
    waited=np.int64,  # cycles, of that
)
_RING: Final = record(
    pushed=np.int64,
    freed=np.int64,
    producer=_SIDE,
    consumer=_SIDE,
    period=np.int64,
)
_PORT: Final = record(
    shut=np.int64,  # cycle from which on it was not ready, last
    opened=np.int64,  # cycle in which it was ready again; or -1
    cores=np.int64,
    beats=(np.int64, len(CORES)),
)
MEMORY: Final = record(
    moved=np.int64,  # whether rows of the cycle at hand are to be completed
    cores=(_CORE, len(CORES)),
    ends=(_END, ENDPOINTS),
    rings=(_RING, (PIPES, PAIRS, WAYS)),
    ports=(_PORT, len(PORTS)),
    arrived=(np.int64, (PIPES * len(BANKS), _FLAGS)),  # cycle of a flag's last SET
    cleared=(np.int64, (PIPES, PAIRS)),  # mask before the last clear
)
CYCLES: Final = 4096  # in which anything happens, in a pass
ACCOUNT: Final = account_of(KINDS, CYCLES, dict.fromkeys(KINDS, _MOST), MEMORY)


def begin(memory: Records) -> None:
    """Put what is kept between rows as it is before cycle 0."""
    for name in ("command", "wait"):
        memory["cores"][name] = -1
    memory["ends"]["started"] = -1
    for side in ("producer", "consumer"):
        memory["rings"][side]["accepted"] = -1
    memory["ports"]["opened"] = -1
    memory["arrived"] = NEVER
