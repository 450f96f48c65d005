# SPDX-License-Identifier: Apache-2.0
"""What a command will do: its error, its flags, from where to where its tile moves."""

from __future__ import annotations

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, Records
from tilepath.isa import constants as isa
from tilepath.models.flag_pipe import rules as R
from tilepath.models.flag_pipe.rules import Error, Memory, Op


@part
def _bad_ring(rules: Record, base: int, size: int, end: int) -> bool:
    """Whether a ring is misaligned or beyond ``end``; sums are exact (T19)."""
    return base % rules.beat_bytes != 0 or base + size > end


@part
def _bad_base(rules: Record, command: Record) -> bool:
    """Whether INIT has a ring that cannot be (T21)."""
    size = command.slot_size
    if rules.platform == R.A2A3:
        base = command.gm_base
        return base == 0 or _bad_ring(rules, base, rules.nflags * size, R.ADDRESS_END)
    size *= R.slots_of(rules, command.dir_mask)
    if command.dir_mask & R.C2V and _bad_ring(rules, command.c2v_buf, size, R.UB_BYTES):
        return True
    return command.dir_mask & R.V2C != 0 and _bad_ring(rules, command.v2c_buf, size, R.L1_BYTES)


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
    if command.dir_mask < R.C2V or command.dir_mask > R.BOTH:
        return Error.BAD_DIRMASK
    size = command.slot_size
    if size == 0 or size % rules.beat_bytes != 0:
        return Error.BAD_SLOT
    if 1 << command.period > R.slots_of(rules, command.dir_mask):
        return Error.BAD_PERIOD
    if _bad_split(rules, command):
        return Error.BAD_SPLIT
    return Error.BAD_BASE if _bad_base(rules, command) else Error.OK


@part
def _has_tile(rules: Record, op: int) -> bool:
    """Whether an operation reads or writes a tile of the core's own."""
    return op == Op.TPUSH or (op == Op.TPOP and rules.platform == R.A2A3)


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
    if endpoint.mask & R.direction(core, op) == 0:
        return Error.DIR_OFF
    if op == Op.TPOP and endpoint.held >= min(rules.hold_max, R.slots_of(rules, endpoint.mask)):
        return Error.HOLD_LIM
    if op == Op.TFREE and endpoint.held == 0:
        return Error.FREE_EMPTY
    if _has_tile(rules, op) and _bad_ring(
        rules, command.tile_addr, R.tile_bytes(endpoint, core), R.sram_bytes(rules, core)
    ):
        return Error.BAD_TILE
    return Error.OK


@part
def _ring_base(rules: Record, endpoint: Record, of_direction: int) -> int:
    """Address of slot 0; R.V2C lies behind R.C2V where both share a buffer (T15)."""
    if rules.platform == R.A2A3:
        behind = endpoint.mask == R.BOTH and of_direction == R.V2C
        ring = R.slots_of(rules, endpoint.mask) * endpoint.slot_size
        return endpoint.gm_base + (ring if behind else 0)  # type: ignore[no-any-return]
    if of_direction == R.C2V:
        return endpoint.c2v_buf  # type: ignore[no-any-return]
    return endpoint.v2c_buf  # type: ignore[no-any-return]


@part
def _plan_ring(rules: Record, endpoint: Record, core: int, command: Record, plan: Record) -> None:
    """Tag, flags and addresses of TPUSH, TPOP and TFREE."""
    op = plan.op
    way = R.direction(core, op)
    flag = R.first_flag(rules, endpoint.mask, way)
    plan.slots = R.slots_of(rules, endpoint.mask)
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
        plan.addr = command.tile_addr if rules.platform == R.A2A3 else slot
    if _has_tile(rules, op):
        ring = Memory.GM
        if rules.platform != R.A2A3:
            ring = 1 + plan.pair if way == R.C2V else Memory.L1
        plan.beats = R.tile_bytes(endpoint, core) // rules.beat_bytes
        if endpoint.split and core != 0:
            plan.apart = run
            slot += plan.pair * run * rules.beat_bytes
        elif endpoint.split and op == Op.TPUSH and rules.platform != R.A2A3:
            plan.turns = run
        if op == Op.TPUSH:
            plan.from_memory, plan.from_addr = core, command.tile_addr
            plan.to_memory, plan.to_addr = ring, slot
        else:
            plan.from_memory, plan.from_addr = ring, slot
            plan.to_memory, plan.to_addr = core, command.tile_addr


@part
def make_plan(rules: Record, endpoints: Records, core: int, command: Record, plan: Record) -> None:
    """What a command will do, told when it is accepted; with an error it does nothing."""
    plan.op = command.op
    pair: int = command.peer if core == 0 else core - 1  # the cube names it (T6)
    pipe: int = command.pipe
    plan.pairs = 1
    split: int = command.split
    if command.op != Op.INIT:
        split = endpoints[R.end_of(pipe, pair, core != 0)].split
    if core == 0 and split:  # with halves a command of the cube is for both pairs (T37)
        pair = 0
        plan.pairs = 2
    plan.pair = pair
    plan.pipe = pipe
    plan.end = R.end_of(pipe, pair, core != 0)
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
    plan.wait_flag = R.NONE
    plan.own_bank = 4 * pipe + 2 * pair + (0 if core == 0 else 1)
    plan.wait_bank = 4 * pipe + 2 * pair + (1 if core == 0 else 0)
    if plan.error != Error.OK:
        return
    if plan.op != Op.INIT:
        _plan_ring(rules, endpoint, core, command, plan)
        return
    way = R.direction(core, Op.TPOP)
    if command.dir_mask & way:  # a consumer signals its slots free
        step: int = 1 << command.period
        plan.set_step = step
        plan.sets = R.slots_of(rules, command.dir_mask) // step
        plan.set_flag = R.first_flag(rules, command.dir_mask, way)
