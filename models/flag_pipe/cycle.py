# SPDX-License-Identifier: Apache-2.0
"""Cycle-exact model of the flag pipe: time (``timing``) and values (``memory``) joined.

Time says which beat a port accepts; here the beat is moved, and what shows is recorded.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record, Records
from tilepath.engine.description.boundary import ORIGIN_STREAMS
from tilepath.isa.boundary.flag_pipe import (
    BANKS,
    CORES,
    ENDPOINTS,
    PAIRS,
    PIPES,
    SHARED_PORTS,
)
from tilepath.models.flag_pipe import cycle_account as account
from tilepath.models.flag_pipe import cycle_records as numbers
from tilepath.models.flag_pipe import memory, rules, timing
from tilepath.models.flag_pipe.account import CYCLES
from tilepath.models.flag_pipe.cycle_records import MOST, ROOM, STROBES, Model, Rows
from tilepath.models.flag_pipe.rules import Error, Op
from tilepath.models.flag_pipe.timing_state import CREDIT, PORTS, WRITES, State

_CORES: Final = len(CORES)
_BOTH: Final = (1 << PAIRS) - 1
_NEVER: Final = 1 << 62
_CLEAR: Final = STROBES.index("clr")
_SHARED: Final = tuple(port in SHARED_PORTS for port in PORTS)


# ── Records ──────────────────────────────────────────────────────────────────────────────────────


@part
def _next(model: Model, log: Records, cycle: int, stream: int, origin: int) -> Record:
    """A new record, its words 0."""
    row = log[model.join[0].written]
    model.join[0].written += 1
    row.cycle = cycle
    row.stream = stream
    row.origin = origin
    row.words[:] = 0
    return row  # type: ignore[no-any-return]


@part
def _keep_if_new(model: Model, row: Record) -> None:
    """Drop the record of a level that has not changed."""
    shown = model.join[0].shown[row.stream]
    changed = False
    for place in range(shown.shape[0]):
        if shown[place] != row.words[place]:
            changed = True
        shown[place] = row.words[place]
    if not changed:
        model.join[0].written -= 1


@part
def _show_status(model: Model, log: Records, cycle: int) -> None:
    """Errors of the pairs, and which of them are new."""
    state, join = model.timing[0], model.join[0]
    for number in range(PAIRS):
        pair = state.pairs[number]
        before = join.shown[numbers.STATUS + number]
        cv, vc = 0, 0
        for first in range(2 * number, len(state.banks), 4):
            cv |= state.banks[first].set_set
            vc |= state.banks[first + 1].set_set
        new_cv, new_vc = cv > (before[0] & 1), vc > (before[0] >> 1)
        new_mismatch, new_busy = pair.cfg_mismatch > before[1], pair.clr_busy > before[2]
        row = _next(model, log, cycle, numbers.STATUS + number, pair.changed_by)
        row.words[0] = cv + 2 * vc
        row.words[1] = pair.cfg_mismatch
        row.words[2] = pair.clr_busy
        row.words[3] = timing.is_deadlocked(state, number)
        if len(model.account) and row.words[3] > before[3]:
            account.deadlock_shown(model.account[0], state, number, cycle)
        _keep_if_new(model, row)
        if new_cv or new_vc or new_mismatch or new_busy:
            row = _next(model, log, cycle, numbers.PAIR_FAULT + number, pair.changed_by)
            row.words[0] = new_cv
            row.words[1] = new_vc
            row.words[2] = new_mismatch
            row.words[3] = new_busy
            if len(model.account):
                faults = new_cv | new_vc << 1 | new_mismatch << 2 | new_busy << 3
                account.fault_shown(model.account[0], state, number, faults, cycle)


@part
def _show(model: Model, log: Records, cycle: int) -> None:
    """Levels as registered."""
    state = model.timing[0]
    for number in range(_CORES):
        core = state.cores[number]
        row = _next(model, log, cycle, numbers.CORE + number, core.origin)
        row.words[0] = core.state
        row.words[1] = core.peer
        row.words[2] = core.pipe
        _keep_if_new(model, row)
    for number in range(ENDPOINTS):
        end = state.endpoints[number]
        row = _next(model, log, cycle, numbers.ENDPOINT + number, state.endpoint_by[number])
        row.words[0] = end.init
        row.words[1] = end.mask
        row.words[2] = end.push_tag
        row.words[3] = end.pop_tag
        row.words[4] = end.free_tag
        row.words[5] = end.held
        _keep_if_new(model, row)
    for pipe in range(PIPES):
        row = _next(model, log, cycle, numbers.FLAGS + pipe, state.flags_by[pipe])
        for number in range(len(BANKS)):
            bank = state.banks[len(BANKS) * pipe + number]
            row.words[number] = bank.visible
            row.words[len(BANKS)] |= (bank.in_flight > 0) << number
        _keep_if_new(model, row)
    _show_status(model, log, cycle)


@part
def _respond(model: Model, log: Records, number: int, cycle: int) -> None:
    """The response of a core, and its error as a fault."""
    core = model.timing[0].cores[number]
    plan = core.plan
    row = _next(model, log, cycle, numbers.RSP + number, core.origin)
    row.words[0] = plan.op
    row.words[1] = plan.error
    row.words[2] = plan.tag
    row.words[3] = plan.addr
    if plan.error != Error.OK:
        row = _next(model, log, cycle, numbers.FAULT + number, core.origin)
        row.words[plan.error - 1] = 1


# ── Inputs ───────────────────────────────────────────────────────────────────────────────────────


@part
def _offers(model: Model, rows: Rows, number: int, cycle: int) -> bool:
    """Whether a core is offered a command."""
    row = model.join[0].next_row[number]
    commands = rows.commands[number]
    return row < commands.shape[0] and commands[row].cycle <= cycle  # type: ignore[no-any-return]


@part
def _take_changes(model: Model, rows: Rows, cycle: int) -> None:
    """Levels of the memory ports; rows of strobes are noted."""
    join = model.join[0]
    join.strobes[:] = -1
    while join.next_change < rows.changes.shape[0]:
        change = rows.changes[join.next_change]
        if change.cycle != cycle:
            break
        if change.what >= len(PORTS):
            join.strobes[change.what - len(PORTS)] = join.next_change
        else:
            port = model.timing[0].ports[change.what]
            if len(model.account):
                account.port_changed(model.account[0], change.what, port.ready, change.first, cycle)
            port.ready = change.first
            port.latency = change.second
        join.next_change += 1


@part
def _decide_clear(model: Model, rows: Rows, asked: int, cycle: int) -> int:
    """Pairs whose clear would be granted in this cycle; ``asked``: those that it is asked of."""
    state, join = model.timing[0], model.join[0]
    granted = 0
    for pair in range(PAIRS):
        cube = False
        if _offers(model, rows, 0, cycle):
            command = rows.commands[0][join.next_row[0]]
            cube = command.peer == pair or (command.op == Op.INIT and command.split != 0)
        vector = _offers(model, rows, 1 + pair, cycle)
        if len(model.account) and (asked >> pair) & 1:
            offers = cube, vector, asked != _BOTH
            account.clear_asked(model.account[0], state, pair, offers, cycle)
        if timing.decide_clear(state, pair, cube, vector):
            granted |= 1 << pair
    if timing.is_tied(state) and granted & asked != _BOTH:
        return 0
    return granted


@part
def _accept(model: Model, rows: Rows, log: Records, number: int, cycle: int) -> None:
    """A command is accepted; the core has looked at its SRAM and computed a tile."""
    state, join = model.timing[0], model.join[0]
    command = rows.commands[number][join.next_row[number]]
    origin = (join.taken_before[number] + join.next_row[number]) * ORIGIN_STREAMS + number
    join.next_row[number] += 1
    timing.accept(state, number, command, origin)
    if len(model.account):
        account.accepted(model.account[0], state, number, command, cycle)
    beat = state.rules.beat_bytes
    if command.look_beats:
        start = command.look_addr & -beat
        total, mix = memory.look(model.words, number, start, command.look_beats * beat // 4)
        row = _next(model, log, cycle, numbers.LOOK + number, origin)
        row.words[0] = total
        row.words[1] = mix
    if command.fill_beats:
        start = command.tile_addr & -beat
        count = command.fill_beats * beat // 4
        memory.fill(model.words, number, start, count, command.stamp)


# ── Cycles ───────────────────────────────────────────────────────────────────────────────────────


@part
def _move(model: Model, log: Records, port: int, cycle: int) -> None:
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
    row = _next(model, log, cycle, numbers.PORT + port, core.origin)
    if len(model.account):
        account.beat_accepted(model.account[0], state, port, number, cycle)
    behind = 1 if _SHARED[port] else 0
    row.words[0] = number  # of an own port the address overwrites it
    row.words[behind] = address
    at = memory.place(port if is_read else port - WRITES, address)
    held = model.join[0].beats[number, done % CREDIT]
    for word in range(beat // 4):
        if is_read:
            held[word] = model.words[at + word] if at >= 0 else 0
        else:
            row.words[behind + 1 + word] = held[word]
            if at >= 0:
                model.words[at + word] = held[word]
    if is_read:
        timing.count_read(state, port, core, cycle)
    else:
        timing.count_write(state, core, cycle)


@part
def _work(model: Model, rows: Rows, log: Records, cycle: int) -> None:
    """The cores, but for their transfers."""
    for number in range(_CORES):
        core = model.timing[0].cores[number]
        responds = timing.responds(core)
        if responds:
            _respond(model, log, number, cycle)
        if core.state != State.IDLE:
            waits = core.state == State.WAIT
            timing.work(model.timing[0], number, cycle)
            if len(model.account):
                if waits and core.state != State.WAIT:
                    account.passed(model.account[0], model.timing[0], number, cycle)
                if responds:
                    account.responded(model.account[0], model.timing[0], number, cycle)
        elif _offers(model, rows, number, cycle):
            _accept(model, rows, log, number, cycle)


@part
def _cycle(model: Model, rows: Rows, log: Records, cycle: int) -> None:
    """A cycle: reads see the memory as it was, then ``fill``, then writes."""
    state, join = model.timing[0], model.join[0]
    kept = len(model.account)
    _take_changes(model, rows, cycle)
    cleared = join.strobes[_CLEAR]
    if join.dirty:
        _show(model, log, cycle)
        if kept:
            account.users_changed(model.account[0], state)
    state.changed = 0
    granted = 0
    if cleared >= 0:
        granted = _decide_clear(model, rows, rows.changes[cleared].first, cycle)
    timing.check_pairs(state)
    join.moving = False
    for number in range(_CORES):
        join.moving |= state.cores[number].state == State.XFER
    for port in range(len(PORTS)):
        if port == WRITES:
            _work(model, rows, log, cycle)
        if join.moving:
            _move(model, log, port, cycle)
    for bank in range(len(state.banks)):
        join.visible[bank] = state.banks[bank].visible
    timing.arrive(state, cycle)
    if kept:
        account.arrived(model.account[0], state, join.visible, cycle)
    if cleared >= 0:
        for pair in range(PAIRS):
            change = rows.changes[cleared]
            if (change.first >> pair) & 1:
                if kept and (granted >> pair) & 1:
                    account.clear_granted(model.account[0], state, pair)
                timing.clear(state, pair, (granted >> pair) & 1 != 0, change.origin)
    if kept and model.account[0].memory.moved:
        account.completed(model.account[0], state)
    join.dirty = state.changed


@part
def _next_cycle(model: Model, rows: Rows, cycle: int) -> int:
    """The next cycle in which anything can happen; ``cycle`` if that is not known."""
    state, join = model.timing[0], model.join[0]
    if join.dirty or join.moving:
        return cycle
    following = _NEVER
    if join.next_change < rows.changes.shape[0]:
        following = rows.changes[join.next_change].cycle
    for number in range(_CORES):
        row = join.next_row[number]
        if state.cores[number].state == State.IDLE and row < rows.commands[number].shape[0]:
            following = min(following, rows.commands[number][row].cycle)
    return max(cycle, following)


@compiled
def run(model: Model, rows: Rows, log: Records, cycle: int, until: int) -> int:
    """Cycles from ``cycle`` to ``until`` - 1, as many as there is room for; returns the next."""
    if cycle == 0 and len(model.account):
        account.begun(model.account[0], model.timing[0])
    cycle = _next_cycle(model, rows, cycle)
    left = CYCLES if len(model.account) else ROOM  # of an account there is no more room
    while cycle < until and model.join[0].written + MOST < ROOM and left > 0:
        left -= 1
        _cycle(model, rows, log, cycle)
        cycle = _next_cycle(model, rows, cycle + 1)
    return min(cycle, until)
