# SPDX-License-Identifier: Apache-2.0
"""What endpoints, commands and plans are, and what a plan does to an endpoint.

No time and no data: the walk without time and the cycles both work from the ``PLAN`` that ``plan``
makes.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import numpy as np

from tilepath.engine.compiled.compiled_io import given
from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, Records, record, zeros
from tilepath.isa import constants as isa
from tilepath.isa import profiles
from tilepath.isa.boundary.flag_pipe import BOUNDARY, ENDPOINT_STATE

L1_BYTES: Final = 524_288
UB_BYTES: Final = 262_144
UB_LEGAL_A2A3: Final = 196_608
ADDRESS_END: Final = 1 << 32
NONE: Final = -1


class Op(IntEnum):
    """Operations; others are reserved."""

    INIT = isa.PIPE_OP_INIT
    TPUSH = isa.PIPE_OP_TPUSH
    TPOP = isa.PIPE_OP_TPOP
    TFREE = isa.PIPE_OP_TFREE


class Error(IntEnum):
    """Error codes of a response."""

    OK = isa.PIPE_ERR_OK
    NOT_INIT = isa.PIPE_ERR_NOT_INIT
    REINIT = isa.PIPE_ERR_REINIT
    BAD_DIRMASK = isa.PIPE_ERR_BAD_DIRMASK
    BAD_SLOT = isa.PIPE_ERR_BAD_SLOT
    BAD_BASE = isa.PIPE_ERR_BAD_BASE
    DIR_OFF = isa.PIPE_ERR_DIR_OFF
    HOLD_LIM = isa.PIPE_ERR_HOLD_LIM
    FREE_EMPTY = isa.PIPE_ERR_FREE_EMPTY
    BAD_TILE = isa.PIPE_ERR_BAD_TILE
    BAD_OP = isa.PIPE_ERR_BAD_OP
    BAD_PERIOD = isa.PIPE_ERR_BAD_PERIOD
    BAD_SPLIT = isa.PIPE_ERR_BAD_SPLIT


class Memory(IntEnum):
    """Memories; a core's own SRAM has the number of the core."""

    L1 = 0
    UB0 = 1
    UB1 = 2
    GM = 3


C2V, V2C, BOTH = isa.PIPE_DIR_C2V, isa.PIPE_DIR_V2C, isa.PIPE_DIR_BOTH
A2A3: Final = isa.PIPE_PLATFORM_A2A3

RULES: Final = record(
    **dict.fromkeys(("nflags", "flag_lat", "beat_bytes", "hold_max", "platform"), np.int64)
)
COMPARED: Final = ("mask", "slot_size", "gm_base", "c2v_buf", "v2c_buf", "period", "split", "row")
"""What both endpoints of a pair must have alike."""
ENDPOINT: Final = record(**dict.fromkeys(ENDPOINT_STATE, np.int64))
COMMAND: Final = given(BOUNDARY.stream("cmd"), wide=True)
PLAN: Final = record(
    **dict.fromkeys(
        (
            *("op", "error", "end", "pair", "pipe", "slots", "tag"),
            "pairs",  # from the pair on: a command of the cube can be for both (T37)
            # Halves: beats that are in a row of a vector's half in a whole slot, or of those that
            # the cube writes to both vectors
            *("apart", "turns"),
            *("addr", "beats"),  # of the response; of the transfer, 0 without one
            # Flags: all SETs go to the core's own bank, all WAITs to the other one
            # from set_flag on each set_step'th; a WAIT for no flag is NONE
            *("own_bank", "sets", "set_flag", "set_step", "waits", "wait_bank", "wait_flag"),
            *("from_memory", "from_addr", "to_memory", "to_addr"),
        ),
        np.int64,
    )
)


def new_rules(profile: str) -> Records:
    """The parameters of a profile: one ``RULES``. Raises ``ValueError`` for an unknown profile."""
    chosen = profiles.get(profile)
    rules = zeros(RULES)
    for name in RULES.names or ():
        rules[name] = profiles.to_rtl(name, getattr(chosen, name))
    return rules


@part
def slots_of(rules: Record, mask: int) -> int:
    """Slots of a ring: the flags of a bank, shared by two rings in mask 3 (T23)."""
    return rules.nflags // 2 if mask == BOTH else rules.nflags  # type: ignore[no-any-return]


@part
def sram_bytes(rules: Record, core: int) -> int:
    """Legal bytes of a core's SRAM."""
    if core == 0:
        return L1_BYTES
    return UB_LEGAL_A2A3 if rules.platform == A2A3 else UB_BYTES


@part
def tile_bytes(endpoint: Record, core: int) -> int:
    """Bytes of a tile: a vector's is half of a slot where tiles are in halves (T37)."""
    return endpoint.slot_size >> (core != 0 and endpoint.split != 0)  # type: ignore[no-any-return]


@part
def direction(core: int, op: int) -> int:
    """Bit of the mask: the cube pushes C2V and consumes V2C, a vector the other way round (T5)."""
    return C2V if (core == 0) == (op == Op.TPUSH) else V2C


@part
def first_flag(rules: Record, mask: int, of_direction: int) -> int:
    """Flag of tag 0 (T7, T8)."""
    return rules.nflags // 2 if mask == BOTH and of_direction == V2C else 0


@part
def ring_place(plan: Record, beat: int) -> int:
    """Where a beat of a transfer is in its ring, in beats from the first one on (T37)."""
    if plan.apart:
        beat += beat // plan.apart * plan.apart
    if plan.turns:
        beat = beat // (2 * plan.turns) * plan.turns + beat % plan.turns
    return beat


@part
def written_memory(plan: Record, beat: int) -> int:
    """The memory that a beat is written to."""
    second = beat // plan.turns % 2 if plan.turns else 0
    return plan.to_memory + second  # type: ignore[no-any-return]


@part
def is_for(plan: Record, pair: int) -> bool:
    """Whether a command is for a pair."""
    return plan.pair <= pair < plan.pair + plan.pairs  # type: ignore[no-any-return]


@part
def end_of(pipe: int, pair: int, vector: bool) -> int:
    """Number of an endpoint: of a pipe the cube's of each pair, then the vectors' (T34)."""
    return 4 * pipe + pair + (2 if vector else 0)


@part
def initialise(endpoint: Record, command: Record) -> None:
    """INIT of an endpoint; flags are left alone (T12)."""
    endpoint.init = 1
    endpoint.mask = command.dir_mask
    endpoint.period = command.period
    endpoint.split = command.split
    endpoint.row = command.row
    endpoint.slot_size = command.slot_size
    endpoint.gm_base = command.gm_base
    endpoint.c2v_buf = command.c2v_buf
    endpoint.v2c_buf = command.v2c_buf
    endpoint.push_tag = 0
    endpoint.pop_tag = 0
    endpoint.free_tag = 0
    endpoint.held = 0


@part
def forget(endpoint: Record, nothing: Record) -> None:
    """A granted clear: as after reset (T13); ``nothing``: a command that is all 0."""
    initialise(endpoint, nothing)
    endpoint.init = 0


@part
def advance(endpoint: Record, plan: Record) -> None:
    """Tags and count of held slots behind an operation without error."""
    following = (plan.tag + 1) % plan.slots if plan.op != Op.INIT else 0
    if plan.op == Op.TPUSH:
        endpoint.push_tag = following
    elif plan.op == Op.TPOP:
        endpoint.pop_tag = following
        endpoint.held += 1
    elif plan.op == Op.TFREE:
        endpoint.free_tag = following
        endpoint.held -= 1


@part
def differences(rules: Record, one: Record, other: Record) -> int:
    """Return in what two endpoints with INIT differ: a bit for each of ``COMPARED`` (T6).

    What is not in use does not count; 0 where one has no INIT.
    """
    if not (one.init and other.init):
        return 0
    found = (one.mask != other.mask) | (one.slot_size != other.slot_size) << 1
    found |= (one.period != other.period) << 5 | (one.split != other.split) << 6
    if one.split == isa.PIPE_SPLIT_LEFT_RIGHT:
        found |= (one.row != other.row) << 7
    if rules.platform == A2A3:
        return found | (one.gm_base != other.gm_base) << 2  # type: ignore[no-any-return]
    active = one.mask | other.mask
    if active & C2V and one.c2v_buf != other.c2v_buf:
        found |= 1 << 3
    if active & V2C and one.v2c_buf != other.v2c_buf:
        found |= 1 << 4
    return found  # type: ignore[no-any-return]
