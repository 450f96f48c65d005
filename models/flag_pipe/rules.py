# SPDX-License-Identifier: Apache-2.0
"""What a command means to an endpoint: its error, its flags, from where to where a tile moves.

No time and no data: the walk without time and the cycles both work from the ``PLAN`` made here.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import numpy as np

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


_C2V, _V2C, _BOTH = isa.PIPE_DIR_C2V, isa.PIPE_DIR_V2C, isa.PIPE_DIR_BOTH
_A2A3: Final = isa.PIPE_PLATFORM_A2A3

RULES: Final = record(
    **dict.fromkeys(("nflags", "flag_lat", "beat_bytes", "hold_max", "platform"), np.int64)
)
COMPARED: Final = ("mask", "slot_size", "gm_base", "c2v_buf", "v2c_buf", "period", "split", "row")
"""What both endpoints of a pair must have alike."""
ENDPOINT: Final = record(**dict.fromkeys(ENDPOINT_STATE, np.int64))
COMMAND: Final = record(
    **dict.fromkeys(BOUNDARY.stream("cmd").dtype.names or (), np.int64),
)
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
    rules[0].nflags = chosen.nflags
    rules[0].flag_lat = chosen.flag_lat
    rules[0].beat_bytes = chosen.beat_bytes
    rules[0].hold_max = chosen.hold_max
    rules[0].platform = profiles.to_rtl("platform", chosen.platform)
    return rules


@part
def slots_of(rules: Record, mask: int) -> int:
    """Slots of a ring: the flags of a bank, shared by two rings in mask 3 (T23)."""
    return rules.nflags // 2 if mask == _BOTH else rules.nflags  # type: ignore[no-any-return]


@part
def sram_bytes(rules: Record, core: int) -> int:
    """Legal bytes of a core's SRAM."""
    if core == 0:
        return L1_BYTES
    return UB_LEGAL_A2A3 if rules.platform == _A2A3 else UB_BYTES


@part
def _bad_ring(rules: Record, base: int, size: int, end: int) -> bool:
    """Whether a ring is misaligned or beyond ``end``; sums are exact (T19)."""
    return base % rules.beat_bytes != 0 or base + size > end


@part
def _bad_base(rules: Record, command: Record) -> bool:
    """Whether INIT has a ring that cannot be (T21)."""
    size = command.slot_size
    if rules.platform == _A2A3:
        base = command.gm_base
        return base == 0 or _bad_ring(rules, base, rules.nflags * size, ADDRESS_END)
    size *= slots_of(rules, command.dir_mask)
    if command.dir_mask & _C2V and _bad_ring(rules, command.c2v_buf, size, UB_BYTES):
        return True
    return command.dir_mask & _V2C != 0 and _bad_ring(rules, command.v2c_buf, size, L1_BYTES)


@part
def _bad_split(rules: Record, command: Record) -> bool:
    """Whether the halves of an INIT are no whole beats, or its rows do not fill a slot (T37)."""
    piece = 2 * rules.beat_bytes
    if command.split == isa.PIPE_SPLIT_LEFT_RIGHT:
        row = 1 << command.row
        return row < piece or command.slot_size % row != 0  # type: ignore[no-any-return]
    if command.split == isa.PIPE_SPLIT_UP_DOWN:
        return command.slot_size % piece != 0  # type: ignore[no-any-return]
    return command.split != isa.PIPE_SPLIT_NONE  # type: ignore[no-any-return]


@part
def _init_error(rules: Record, initialised: bool, command: Record) -> int:
    if initialised:
        return Error.REINIT
    if command.dir_mask < _C2V or command.dir_mask > _BOTH:
        return Error.BAD_DIRMASK
    size = command.slot_size
    if size == 0 or size % rules.beat_bytes != 0:
        return Error.BAD_SLOT
    if 1 << command.period > slots_of(rules, command.dir_mask):
        return Error.BAD_PERIOD
    if _bad_split(rules, command):
        return Error.BAD_SPLIT
    return Error.BAD_BASE if _bad_base(rules, command) else Error.OK


@part
def _has_tile(rules: Record, op: int) -> bool:
    """Whether an operation reads or writes a tile of the core's own."""
    return op == Op.TPUSH or (op == Op.TPOP and rules.platform == _A2A3)


@part
def tile_bytes(endpoint: Record, core: int) -> int:
    """Bytes of a tile: a vector's is half of a slot where tiles are in halves (T37)."""
    return endpoint.slot_size >> (core != 0 and endpoint.split != 0)  # type: ignore[no-any-return]


@part
def _error(rules: Record, endpoints: Records, plan: Record, core: int, command: Record) -> int:
    """The first error that holds, or OK."""
    op = command.op
    endpoint = endpoints[plan.end]
    if op > Op.TFREE or (core != 0 and command.peer != 0):
        return Error.BAD_OP
    if op == Op.INIT:
        other = endpoints[plan.end + plan.pairs - 1]
        return _init_error(rules, endpoint.init or other.init, command)
    if not endpoint.init:
        return Error.NOT_INIT
    if endpoint.mask & direction(core, op) == 0:
        return Error.DIR_OFF
    if op == Op.TPOP and endpoint.held >= min(rules.hold_max, slots_of(rules, endpoint.mask)):
        return Error.HOLD_LIM
    if op == Op.TFREE and endpoint.held == 0:
        return Error.FREE_EMPTY
    if _has_tile(rules, op) and _bad_ring(
        rules, command.tile_addr, tile_bytes(endpoint, core), sram_bytes(rules, core)
    ):
        return Error.BAD_TILE
    return Error.OK


@part
def direction(core: int, op: int) -> int:
    """Bit of the mask: the cube pushes C2V and consumes V2C, a vector the other way round (T5)."""
    return _C2V if (core == 0) == (op == Op.TPUSH) else _V2C


@part
def first_flag(rules: Record, mask: int, of_direction: int) -> int:
    """Flag of tag 0 (T7, T8)."""
    return rules.nflags // 2 if mask == _BOTH and of_direction == _V2C else 0


@part
def _ring_base(rules: Record, endpoint: Record, of_direction: int) -> int:
    """Address of slot 0; V2C lies behind C2V where both share a buffer (T15)."""
    if rules.platform == _A2A3:
        behind = endpoint.mask == _BOTH and of_direction == _V2C
        ring = slots_of(rules, endpoint.mask) * endpoint.slot_size
        return endpoint.gm_base + (ring if behind else 0)  # type: ignore[no-any-return]
    if of_direction == _C2V:
        return endpoint.c2v_buf  # type: ignore[no-any-return]
    return endpoint.v2c_buf  # type: ignore[no-any-return]


@part
def _plan_ring(rules: Record, endpoint: Record, core: int, command: Record, plan: Record) -> None:
    """Tag, flags and addresses of TPUSH, TPOP and TFREE."""
    op = plan.op
    way = direction(core, op)
    flag = first_flag(rules, endpoint.mask, way)
    plan.slots = slots_of(rules, endpoint.mask)
    tag: int = endpoint.push_tag
    if op == Op.TPOP:
        tag = endpoint.pop_tag
    elif op == Op.TFREE:
        tag = endpoint.free_tag
    plan.tag = tag
    # slots are given back, and got, so many at a time; the flag is that of the first (T36)
    together = 1 << endpoint.period
    if op == Op.TPUSH or (op == Op.TFREE and (tag + 1) % together == 0):
        plan.sets = 1
        plan.set_flag = flag + tag - (together - 1 if op == Op.TFREE else 0)
    plan.waits = op != Op.TFREE
    if op == Op.TPOP or (op == Op.TPUSH and tag % together == 0):
        plan.wait_flag = flag + tag
    slot = _ring_base(rules, endpoint, way) + tag * endpoint.slot_size
    run: int = endpoint.slot_size // 2 // rules.beat_bytes  # beats of a half in a row (T37)
    if endpoint.split == isa.PIPE_SPLIT_LEFT_RIGHT:
        run = (1 << endpoint.row) // 2 // rules.beat_bytes
    if op == Op.TPOP:
        plan.addr = command.tile_addr if rules.platform == _A2A3 else slot
    if _has_tile(rules, op):
        ring = Memory.GM
        if rules.platform != _A2A3:
            ring = 1 + plan.pair if way == _C2V else Memory.L1
        plan.beats = tile_bytes(endpoint, core) // rules.beat_bytes
        if endpoint.split and core != 0:
            plan.apart = run
            slot += plan.pair * run * rules.beat_bytes
        elif endpoint.split and op == Op.TPUSH and rules.platform != _A2A3:
            plan.turns = run
        if op == Op.TPUSH:
            plan.from_memory, plan.from_addr = core, command.tile_addr
            plan.to_memory, plan.to_addr = ring, slot
        else:
            plan.from_memory, plan.from_addr = ring, slot
            plan.to_memory, plan.to_addr = core, command.tile_addr


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
def pair_of(core: int, peer: int) -> int:
    """Pair of a command: the cube names it, a vector has one (T6)."""
    return peer if core == 0 else core - 1


@part
def is_for(plan: Record, pair: int) -> bool:
    """Whether a command is for a pair."""
    return plan.pair <= pair < plan.pair + plan.pairs  # type: ignore[no-any-return]


@part
def end_of(pipe: int, pair: int, vector: bool) -> int:
    """Number of an endpoint: of a pipe the cube's of each pair, then the vectors' (T34)."""
    return 4 * pipe + pair + (2 if vector else 0)


@part
def make_plan(rules: Record, endpoints: Records, core: int, command: Record, plan: Record) -> None:
    """What a command will do, told when it is accepted; with an error it does nothing."""
    plan.op = command.op
    pair: int = pair_of(core, command.peer)
    pipe: int = command.pipe
    plan.pairs = 1
    split: int = command.split
    if command.op != Op.INIT:
        split = endpoints[end_of(pipe, pair, core != 0)].split
    if core == 0 and split:  # with halves a command of the cube is for both pairs (T37)
        pair = 0
        plan.pairs = 2
    plan.pair = pair
    plan.pipe = pipe
    plan.end = end_of(pipe, pair, core != 0)
    endpoint = endpoints[plan.end]
    plan.error = _error(rules, endpoints, plan, core, command)
    plan.apart = 0
    plan.turns = 0
    plan.tag = 0
    plan.addr = 0
    plan.beats = 0
    plan.sets = 0
    plan.set_step = 1
    plan.waits = 0
    plan.wait_flag = NONE
    plan.own_bank = 4 * pipe + 2 * pair + (0 if core == 0 else 1)
    plan.wait_bank = 4 * pipe + 2 * pair + (1 if core == 0 else 0)
    if plan.error != Error.OK:
        return
    if plan.op != Op.INIT:
        _plan_ring(rules, endpoint, core, command, plan)
        return
    way = direction(core, Op.TPOP)
    if command.dir_mask & way:  # a consumer signals its slots free
        step: int = 1 << command.period
        plan.set_step = step
        plan.sets = slots_of(rules, command.dir_mask) // step
        plan.set_flag = first_flag(rules, command.dir_mask, way)


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
    if rules.platform == _A2A3:
        return found | (one.gm_base != other.gm_base) << 2  # type: ignore[no-any-return]
    active = one.mask | other.mask
    if active & _C2V and one.c2v_buf != other.c2v_buf:
        found |= 1 << 3
    if active & _V2C and one.v2c_buf != other.v2c_buf:
        found |= 1 << 4
    return found  # type: ignore[no-any-return]
