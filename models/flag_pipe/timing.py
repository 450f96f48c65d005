# SPDX-License-Identifier: Apache-2.0
"""Cycles of the flag pipe from plans and counts of beats alone (contract, section 4).

Cores, flags, transfers, arbiters, clear. Each function is a part of one cycle; all decide by what
was there when the cycle began.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.compiled.compiled_io import Input, Rows, has, origin, take
from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record
from tilepath.isa.boundary.flag_pipe import BANKS, CORES, ENDPOINTS, PAIRS, PIPES
from tilepath.models.flag_pipe import rules
from tilepath.models.flag_pipe.plan import make_plan
from tilepath.models.flag_pipe.rules import Error, Op
from tilepath.models.flag_pipe.timing_state import CREDIT, FLIGHT, STROBES, WRITES, State

_CORES: Final = len(CORES)
_BANKS: Final = PIPES * len(BANKS)
_BOTH: Final = (1 << PAIRS) - 1
_CLEAR: Final = STROBES.index("clr")


# ── Flags ────────────────────────────────────────────────────────────────────────────────────────


@part
def is_starved(timing: Record, number: int) -> bool:
    """Whether a core waits for a flag that is 0, as registered."""
    return is_starved_of(timing, number, 0) or is_starved_of(timing, number, 1)


@part
def is_starved_of(timing: Record, number: int, pair: int) -> bool:
    """Whether it waits for a flag of this pair."""
    core = timing.cores[number]
    if core.state != State.WAIT or not rules.is_for(core.plan, pair):
        return False
    if core.plan.wait_flag == rules.NONE:  # its slot came with a credit before (T36)
        return False
    visible = timing.banks[core.plan.wait_bank + 2 * (pair - core.plan.pair)].visible
    return (visible >> core.plan.wait_flag) & 1 == 0  # type: ignore[no-any-return]


@part
def _set_flag(timing: Record, core: Record, flag: int, cycle: int) -> None:
    """SET in this cycle: it arrives FlagLat - 1 cycles later."""
    arrival = (cycle + timing.rules.flag_lat - 1) % FLIGHT
    for other in range(core.plan.pairs):
        bank = timing.banks[core.plan.own_bank + 2 * other]
        bank.flying[arrival] = flag + 1
        bank.flying_by[arrival] = core.origin
        bank.in_flight += 1
    timing.flags_by[core.plan.pipe] = core.origin


@part
def arrive(timing: Record, cycle: int) -> None:
    """SETs at the end of their way; a flag that is set already is an error (T2)."""
    for number in range(_BANKS):
        bank = timing.banks[number]
        if bank.in_flight == 0:
            continue
        timing.changed = 1
        place = cycle % FLIGHT
        if bank.flying[place] == 0:
            continue
        flag = 1 << (bank.flying[place] - 1)
        bank.flying[place] = 0
        bank.in_flight -= 1
        timing.flags_by[number // 4] = bank.flying_by[place]
        if bank.visible & flag:
            bank.set_set = 1
            timing.pairs[number % 4 // 2].changed_by = bank.flying_by[place]
        bank.visible |= flag


# ── Cores ────────────────────────────────────────────────────────────────────────────────────────


@part
def accept(timing: Record, number: int, command: Record, origin: int) -> None:
    """A command that is offered to an idle core."""
    core = timing.cores[number]
    plan = core.plan
    make_plan(timing.rules, timing.endpoints, number, command, plan)
    core.origin = origin
    core.peer = command.peer
    core.pipe = command.pipe
    core.reads = 0
    core.writes = 0
    core.sets_done = 0
    timing.changed = 1
    core.state = State.DONE
    for pair in range(plan.pair, plan.pair + plan.pairs):
        timing.pairs[pair].changed_by = origin
    if plan.error == Error.OK:
        if plan.op == Op.INIT:
            for end in range(plan.end, plan.end + plan.pairs):
                rules.initialise(timing.endpoints[end], command)
                timing.endpoint_by[end] = origin
            if plan.sets:
                core.state = State.PRE
        elif plan.waits:
            core.state = State.WAIT


@part
def responds(core: Record) -> bool:
    """Whether the core gives its response in this cycle."""
    if core.state == State.PRE:
        return core.sets_done + 1 == core.plan.sets  # type: ignore[no-any-return]
    return core.state == State.DONE  # type: ignore[no-any-return]


@part
def work(timing: Record, number: int, cycle: int) -> None:
    """A core's cycle in PRE, WAIT or DONE; in XFER its ports do the work."""
    core = timing.cores[number]
    plan = core.plan
    if core.state == State.XFER or is_starved(timing, number):
        return
    timing.changed = 1
    last = responds(core)
    if core.state == State.PRE:
        _set_flag(timing, core, plan.set_flag + core.sets_done * plan.set_step, cycle)
        core.sets_done += 1
    elif core.state == State.WAIT:  # the flag is consumed (T1)
        if plan.wait_flag != rules.NONE:
            for other in range(plan.pairs):
                timing.banks[plan.wait_bank + 2 * other].visible &= ~(1 << plan.wait_flag)
            timing.flags_by[plan.pipe] = core.origin
        core.state = State.XFER if plan.beats else State.DONE
    elif plan.error == Error.OK:
        if plan.sets and plan.op != Op.INIT:
            _set_flag(timing, core, plan.set_flag, cycle)
        for end in range(plan.end, plan.end + plan.pairs):
            rules.advance(timing.endpoints[end], plan)
            timing.endpoint_by[end] = core.origin
    if last:
        core.state = State.IDLE
        core.peer = 0
        core.pipe = 0


# ── Transfers ────────────────────────────────────────────────────────────────────────────────────


@part
def _asks(core: Record, port: int, cycle: int) -> bool:
    """Whether a core in XFER has a read or a write for a port."""
    if core.state != State.XFER:
        return False
    if port < WRITES:
        if core.plan.from_memory != port or core.reads == core.plan.beats:
            return False
        return core.reads - core.writes < CREDIT  # type: ignore[no-any-return]
    if core.writes >= core.reads or core.wrote == cycle:  # the next one is for the other vector
        return False
    if rules.written_memory(core.plan, core.writes) != port - WRITES:
        return False
    return core.due[core.writes % CREDIT] < cycle  # type: ignore[no-any-return]


@part
def grant(timing: Record, number: int, cycle: int) -> int:
    """Core whose request a port accepts in this cycle, or NONE; the arbiter moves on."""
    port = timing.ports[number]
    chosen = port.kept - 1
    if chosen < 0:
        for ahead in range(_CORES):
            core = (port.turn + ahead) % _CORES
            if _asks(timing.cores[core], number, cycle):
                chosen = core
                break
    if chosen >= 0 and not port.ready:
        port.kept = chosen + 1
        return rules.NONE
    if chosen >= 0:
        port.kept = 0
        port.turn = (chosen + 1) % _CORES
    return chosen  # type: ignore[no-any-return]


@part
def count_read(timing: Record, number: int, core: Record, cycle: int) -> None:
    """A read is accepted: when it returns, one a cycle and in order."""
    port = timing.ports[number]
    port.returned = max(cycle + max(port.latency, 1), port.returned + 1)
    core.due[core.reads % CREDIT] = port.returned
    core.reads += 1


@part
def count_write(timing: Record, core: Record, cycle: int) -> None:
    """A write is accepted; the last one ends the transfer."""
    core.writes += 1
    core.wrote = cycle
    if core.writes == core.plan.beats:
        core.state = State.DONE
        timing.changed = 1


# ── Pairs ────────────────────────────────────────────────────────────────────────────────────────


@part
def is_quiet(timing: Record, pair: int) -> bool:
    """Whether no SET of a pair is on its way, in any of its pipes."""
    for first in range(2 * pair, _BANKS, 4):
        if timing.banks[first].in_flight or timing.banks[first + 1].in_flight:
            return False
    return True


@part
def is_deadlocked(timing: Record, pair: int) -> bool:
    """Both cores of a pair wait for each other, and nothing is on its way."""
    if not (is_starved_of(timing, 0, pair) and is_starved(timing, 1 + pair)):
        return False
    return is_quiet(timing, pair)


@part
def is_tied(timing: Record) -> bool:
    """Whether a clear is of both pairs or of none: the cube has a pipe of halves (T37)."""
    tied = False
    for pipe in range(PIPES):
        tied |= timing.endpoints[rules.end_of(pipe, 0, False)].split != 0
    return tied


@part
def differences(timing: Record, pair: int) -> int:
    """Return in what endpoints of a pair differ, of any of its pipes: as ``rules.differences``."""
    found = 0
    for pipe in range(PIPES):
        cube = timing.endpoints[rules.end_of(pipe, pair, False)]
        vector = timing.endpoints[rules.end_of(pipe, pair, True)]
        found |= rules.differences(timing.rules, cube, vector)
    return found


@part
def check_pairs(timing: Record) -> None:
    """Configurations that differ."""
    for number in range(PAIRS):
        pair = timing.pairs[number]
        if not pair.cfg_mismatch and differences(timing, number):
            pair.cfg_mismatch = 1
            timing.changed = 1


@part
def decide_clear(timing: Record, pair: int, cube_offers: bool, vector_offers: bool) -> bool:
    """Whether a clear of a pair is granted: neither core is at work for it, or about to (T13).

    ``cube_offers``: whether AIC is offered a command for this pair; ``vector_offers``: AIVp any.
    """
    cube, vector = timing.cores[0], timing.cores[1 + pair]
    cube_is_free = cube.state == State.IDLE or not rules.is_for(cube.plan, pair)
    idle = cube_is_free and not cube_offers and vector.state == State.IDLE and not vector_offers
    return idle and is_quiet(timing, pair)


@part
def granted_clears(timing: Record, able: int) -> int:
    """Return the pairs whose clear is granted, of those that are asked and ``able`` (T39)."""
    granted = timing.asked[_CLEAR] & able
    return 0 if is_tied(timing) and granted != _BOTH else granted


@part
def hear_strobes(timing: Record, rows: Rows, cycle: int) -> int:
    """Strobes of this cycle; returns the pairs of which any asks something."""
    return _hear(timing, rows.clr, _CLEAR, cycle)


@part
def _hear(timing: Record, given: Input, strobe: int, cycle: int) -> int:
    timing.asked[strobe] = 0
    if has(given, cycle):
        timing.asked[strobe] = take(given).pairs
        timing.asked_by[strobe] = origin(given)
    return timing.asked[strobe]  # type: ignore[no-any-return]


@part
def take_strobes(timing: Record, granted: int) -> None:
    """The end of a cycle with strobes; ``granted``: pairs that are cleared."""
    for pair in range(PAIRS):
        if (timing.asked[_CLEAR] >> pair) & 1:
            _clear(timing, pair, (granted >> pair) & 1 != 0, timing.asked_by[_CLEAR])


@part
def _clear(timing: Record, number: int, granted: bool, origin: int) -> None:
    """A clear of a pair was asked for."""
    pair = timing.pairs[number]
    timing.changed = 1
    pair.changed_by = origin
    if not granted:
        pair.clr_busy = 1
        return
    pair.cfg_mismatch = 0
    pair.clr_busy = 0
    for end in range(number, ENDPOINTS, 2):
        rules.forget(timing.endpoints[end], timing.nothing)
        timing.endpoint_by[end] = origin
    for bank in range(_BANKS):
        if bank % 4 // 2 == number:
            timing.banks[bank].visible = 0
            timing.banks[bank].set_set = 0
            timing.flags_by[bank // 4] = origin
