# SPDX-License-Identifier: Apache-2.0
"""Cycle-exact model of the flag pipe: time (``timing``) and values (``memory``) joined.

Time says which beat a port accepts; here the beat is moved, and what shows is recorded.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.compiled.compiled_io import (
    Outputs,
    Rows,
    due,
    has,
    look,
    next_cycle,
    origin,
    put,
    put_flags,
    take,
)
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record, Records
from tilepath.isa.boundary.flag_pipe import (
    BANKS,
    CORES,
    ENDPOINTS,
    PAIRS,
    PIPES,
)
from tilepath.models.flag_pipe import cycle_account as account
from tilepath.models.flag_pipe import memory, rules, timing
from tilepath.models.flag_pipe.account import CYCLES
from tilepath.models.flag_pipe.cycle_records import ROOM, Model
from tilepath.models.flag_pipe.rules import Error, Memory, Op
from tilepath.models.flag_pipe.timing_state import CREDIT, PORTS, SHARED, WRITES, State

_CORES: Final = len(CORES)


# ── Records ──────────────────────────────────────────────────────────────────────────────────────


@part
def _is_new(shown: Records, number: int, value: int) -> bool:
    """Whether a level, all of it in one number, is another than was recorded last."""
    changed = shown[number] != value
    shown[number] = value
    return changed  # type: ignore[no-any-return]


@part
def _show_status(model: Model, out: Outputs, cycle: int) -> None:
    """Errors of the pairs, and which of them are new."""
    state, join = model.timing[0], model.join[0]
    for number in range(PAIRS):
        pair = state.pairs[number]
        errors = pair.cfg_mismatch << 2 | pair.clr_busy << 3
        for first in range(2 * number, len(state.banks), 4):
            errors |= state.banks[first].set_set | state.banks[first + 1].set_set << 1
        dead = timing.is_deadlocked(state, number)
        before = join.status[number]
        if not _is_new(join.status, number, errors | dead << 4):
            continue
        if len(model.account) and dead and not before >> 4:
            account.deadlock_shown(model.account[0], state, number, cycle)
        row = put(out.status[number], cycle, pair.changed_by)
        row.set_set = errors & 3
        row.cfg_mismatch = pair.cfg_mismatch
        row.clr_busy = pair.clr_busy
        row.deadlock = dead
        risen = errors & ~before
        if risen:
            put_flags(out.pair_fault[number], cycle, risen, pair.changed_by)
            if len(model.account):
                account.fault_shown(model.account[0], state, number, risen, cycle)


@part
def _show(model: Model, out: Outputs, cycle: int) -> None:
    """Levels as registered."""
    state, join = model.timing[0], model.join[0]
    for number in range(_CORES):
        core = state.cores[number]
        if _is_new(join.cores, number, core.state | core.peer << 3 | core.pipe << 4):
            level = put(out.core[number], cycle, core.origin)
            level.state = core.state
            level.peer = core.peer
            level.pipe = core.pipe
    for number in range(ENDPOINTS):
        end = state.endpoints[number]
        tags = end.push_tag | end.pop_tag << 3 | end.free_tag << 6
        if _is_new(join.endpoints, number, tags | end.held << 9 | end.mask << 13 | end.init << 15):
            row = put(out.endpoint[number], cycle, state.endpoint_by[number])
            row.init = end.init
            row.mask = end.mask
            row.push_tag = end.push_tag
            row.pop_tag = end.pop_tag
            row.free_tag = end.free_tag
            row.held = end.held
    for pipe in range(PIPES):
        flags, flying, first = 0, 0, len(BANKS) * pipe
        for number in range(len(BANKS)):
            bank = state.banks[first + number]
            flags |= bank.visible << 8 * number
            flying |= (bank.in_flight > 0) << number
        if _is_new(join.banks, pipe, flags | flying << 32):
            seen = put(out.flags_[pipe], cycle, state.flags_by[pipe])
            seen.cv0 = flags & 255
            seen.vc0 = flags >> 8 & 255
            seen.cv1 = flags >> 16 & 255
            seen.vc1 = flags >> 24
            seen.flying = flying
    _show_status(model, out, cycle)


@part
def _respond(model: Model, out: Outputs, number: int, cycle: int) -> None:
    """The response of a core, and its error as a fault."""
    core = model.timing[0].cores[number]
    plan = core.plan
    row = put(out.rsp[number], cycle, core.origin)
    row.op = plan.op
    row.err = plan.error
    row.tag = plan.tag
    row.addr = plan.addr
    if plan.error != Error.OK:
        put_flags(out.fault[number], cycle, 1 << (plan.error - 1), core.origin)


# ── Inputs ───────────────────────────────────────────────────────────────────────────────────────


@part
def _take_ready(model: Model, number: int, ready: int, cycle: int) -> None:
    """Whether a port takes what it is offered, from this cycle on."""
    port = model.timing[0].ports[number]
    if len(model.account):
        account.port_changed(model.account[0], number, port.ready, ready, cycle)
    port.ready = ready


@part
def _take_levels(model: Model, rows: Rows, cycle: int) -> None:
    """Levels of the memory ports."""
    for number in range(WRITES):
        if has(rows.reads[number], cycle):
            level = take(rows.reads[number])
            _take_ready(model, number, level.ready, cycle)
            model.timing[0].ports[number].latency = level.latency
        if has(rows.writes[number], cycle):
            _take_ready(model, WRITES + number, take(rows.writes[number]).ready, cycle)


@part
def _meet_strobes(model: Model, rows: Rows, cycle: int) -> int:
    """Return the pairs whose clear is granted in this cycle; what any strobe meets is told."""
    state = model.timing[0]
    granted = 0
    for pair in range(PAIRS):
        cube = False
        if due(rows.cmd[0]) <= cycle:
            command = look(rows.cmd[0])
            cube = command.peer == pair or (command.op == Op.INIT and command.split != 0)
        vector = due(rows.cmd[1 + pair]) <= cycle
        if len(model.account):
            account.asked(model.account[0], state, pair, (cube, vector), cycle)
        if timing.decide_clear(state, pair, cube, vector):
            granted |= 1 << pair
    return timing.granted_clears(state, granted)


@part
def _accept(model: Model, rows: Rows, out: Outputs, number: int, cycle: int) -> None:
    """A command is accepted; the core has looked at its SRAM and computed a tile."""
    state = model.timing[0]
    command = take(rows.cmd[number])
    by = origin(rows.cmd[number])
    timing.accept(state, number, command, by)
    if len(model.account):
        account.accepted(model.account[0], state, number, command, cycle)
    beat = state.rules.beat_bytes
    if command.look_beats:
        start = command.look_addr & -beat
        total, mix = memory.look(model.words, number, start, command.look_beats * beat // 4)
        row = put(out.look[number], cycle, by)
        row.sum_ = total
        row.mix = mix
    if command.fill_beats:
        start = command.tile_addr & -beat
        count = command.fill_beats * beat // 4
        memory.fill(model.words, number, start, count, command.stamp)


# ── Cycles ───────────────────────────────────────────────────────────────────────────────────────


@part
def _put_beat(row: Record, address: int, held: Records) -> None:
    """A beat that is written."""
    row.addr = address
    for word in range(held.shape[0]):
        row.data_[word] = held[word]


@part
def _move(model: Model, out: Outputs, port: int, cycle: int) -> None:
    """What a port accepts in this cycle: a beat is read, or written."""
    state = model.timing[0]
    number = timing.grant(state, port, cycle)
    if number < 0:
        return
    core = state.cores[number]
    beat = state.rules.beat_bytes
    is_read = port < WRITES
    done = core.reads if is_read else core.writes
    address, at_ring = core.plan.to_addr, core.plan.op == Op.TPUSH
    if is_read:
        address, at_ring = core.plan.from_addr, not at_ring
    address += (rules.ring_place(core.plan, done) if at_ring else done) * beat
    if len(model.account):
        account.beat_accepted(model.account[0], state, port, number, cycle)
    at = memory.place(port if is_read else port - WRITES, address)
    held = model.join[0].beats[number, done % CREDIT]
    for word in range(beat // 4):
        if is_read:
            held[word] = model.words[at + word] if at >= 0 else 0
        elif at >= 0:
            model.words[at + word] = held[word]
    if port == Memory.GM:
        read = put(out.gm_rd[0], cycle, core.origin)
        read.core = number
        read.addr = address
    elif is_read:
        put(out.own_rd[port], cycle, core.origin).addr = address
    elif SHARED[port]:
        shared = put(out.shared_wr[port // (WRITES + Memory.GM)], cycle, core.origin)
        shared.core = number
        _put_beat(shared, address, held)
    else:
        _put_beat(put(out.own_wr[port - WRITES - Memory.UB0], cycle, core.origin), address, held)
    if is_read:
        timing.count_read(state, port, core, cycle)
    else:
        timing.count_write(state, core, cycle)


@part
def _work(model: Model, rows: Rows, out: Outputs, cycle: int) -> None:
    """The cores, but for their transfers."""
    for number in range(_CORES):
        core = model.timing[0].cores[number]
        responds = timing.responds(core)
        if responds:
            _respond(model, out, number, cycle)
        if core.state != State.IDLE:
            waits = core.state == State.WAIT
            timing.work(model.timing[0], number, cycle)
            if len(model.account):
                if waits and core.state != State.WAIT:
                    account.passed(model.account[0], model.timing[0], number, cycle)
                if responds:
                    account.responded(model.account[0], model.timing[0], number, cycle)
        elif due(rows.cmd[number]) <= cycle:
            _accept(model, rows, out, number, cycle)


@part
def _cycle(model: Model, rows: Rows, out: Outputs, cycle: int) -> None:
    """A cycle: reads see the memory as it was, then ``fill``, then writes."""
    state, join = model.timing[0], model.join[0]
    kept = len(model.account)
    _take_levels(model, rows, cycle)
    asked = timing.hear_strobes(state, rows, cycle)
    if join.dirty:
        _show(model, out, cycle)
        if kept:
            account.users_changed(model.account[0], state)
    state.changed = 0
    granted = _meet_strobes(model, rows, cycle) if asked else 0
    timing.check_pairs(state)
    join.moving = False
    for number in range(_CORES):
        join.moving |= state.cores[number].state == State.XFER
    for port in range(len(PORTS)):
        if port == WRITES:
            _work(model, rows, out, cycle)
        if join.moving:
            _move(model, out, port, cycle)
    for bank in range(len(state.banks)):
        join.visible[bank] = state.banks[bank].visible
    timing.arrive(state, cycle)
    if kept:
        account.arrived(model.account[0], state, join.visible, cycle)
    if kept and granted:
        account.clears_granted(model.account[0], state, granted)
    if asked:
        timing.take_strobes(state, granted)
    if kept and model.account[0].memory.moved:
        account.completed(model.account[0], state)
    join.dirty = state.changed


@part
def _next_cycle(model: Model, rows: Rows, cycle: int) -> int:
    """The next cycle in which anything can happen; ``cycle`` if that is not known."""
    state, join = model.timing[0], model.join[0]
    if join.dirty or join.moving:
        return cycle
    for number in range(_CORES):
        if state.cores[number].state == State.IDLE and due(rows.cmd[number]) <= cycle:
            return cycle
    return next_cycle(rows, cycle)


@compiled
def run(model: Model, rows: Rows, out: Outputs, cycle: int, until: int) -> int:
    """Cycles from ``cycle`` to ``until`` - 1, as many as there is room for; returns the next."""
    if cycle == 0 and len(model.account):
        account.begun(model.account[0], model.timing[0])
    cycle = _next_cycle(model, rows, cycle)
    left = CYCLES if len(model.account) else ROOM  # of an account there is no more room
    while cycle < until and left > 0:
        left -= 1
        _cycle(model, rows, out, cycle)
        cycle = _next_cycle(model, rows, cycle + 1)
    return min(cycle, until)
