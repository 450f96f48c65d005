# SPDX-License-Identifier: Apache-2.0
"""How the account is written while the cycles pass.

A row is begun where the event is; what it says of neighbours is as the cycle leaves them, and is
completed at its end.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.compiled.account import new_row
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record, Records
from tilepath.isa import constants as isa
from tilepath.isa.boundary.flag_pipe import CORES, PAIRS, PIPES
from tilepath.models.flag_pipe import rules
from tilepath.models.flag_pipe.account import NEVER, WAYS, PairState, Way
from tilepath.models.flag_pipe.rules import Error, Op
from tilepath.models.flag_pipe.timing import differences, is_quiet, is_tied
from tilepath.models.flag_pipe.timing_state import PORTS, SHARED, STROBES, WRITES, State

_CORES: Final = len(CORES)
_PORTS: Final = len(PORTS)


@part
def _way(core: int, op: int) -> int:
    """Return the way of an operation; what is no TPUSH goes the consumer's way."""
    return Way.C2V if rules.direction(core, op) == isa.PIPE_DIR_C2V else Way.V2C


@part
def _filled(account: Record, pipe: int, pair: int, way: int) -> int:
    """Slots that are pushed and not freed."""
    ring = account.memory.rings[pipe, pair, way]
    return ring.pushed - ring.freed  # type: ignore[no-any-return]


@part
def _other_end(end: int) -> int:
    """The pipe's other endpoint."""
    return end ^ 2


@part
def _same_pipe(one: Record, other: Record) -> bool:
    """Whether two plans are of the same pair and pipe."""
    return one.pair == other.pair and one.pipe == other.pipe  # type: ignore[no-any-return]


@compiled
def begun(account: Record, timing: Record) -> None:
    """The parameters."""
    row = new_row(account.profile, 0)
    row.rules = timing.rules


# ── Commands ─────────────────────────────────────────────────────────────────────────────────────


@compiled
def accepted(account: Record, timing: Record, number: int, command: Record, cycle: int) -> None:
    """A core takes a command; ``_complete_command`` has the rest."""
    memory, plan = account.memory, timing.cores[number].plan
    own = memory.cores[number]
    own.accepted = cycle
    own.command = account.command.count
    memory.moved = 1
    row = new_row(account.command, cycle)
    row.core = number
    row.plan = plan
    row.command = command
    row.way = _way(number, plan.op)
    peer = timing.cores[plan.pair + 1 if number == 0 else 0]
    row.peer_waits = peer.state == State.WAIT and _same_pipe(peer.plan, plan)
    row.cleared_mask = memory.cleared[plan.pipe, plan.pair]
    if plan.op == Op.INIT and plan.error == Error.OK:
        memory.ends[plan.end].started = cycle
        _endpoint_changed(account, timing, number, cycle)


@part
def _met(account: Record, timing: Record, end: int, pipe: int, pair: int) -> int:
    """A pipe as an endpoint sees it."""
    endpoint = timing.endpoints[end]
    if not endpoint.init:
        return PairState.UNINIT
    if endpoint.held:
        return PairState.HELD
    most, pushed = 0, 0
    for way in range(WAYS):
        if (endpoint.mask >> way) & 1:
            most = max(most, _filled(account, pipe, pair, way))
            pushed += account.memory.rings[pipe, pair, way].pushed
    if most >= rules.slots_of(timing.rules, endpoint.mask):
        return PairState.FULL
    if most > 0:
        return PairState.FILLED
    return PairState.EMPTY if pushed > 0 else PairState.IDLE


@part
def _complete_command(account: Record, timing: Record, number: int) -> None:
    memory = account.memory
    row = account.command.rows[memory.cores[number].command]
    pipe, pair, end, way = row.plan.pipe, row.plan.pair, row.plan.end, row.way
    endpoint, other = timing.endpoints[end], timing.endpoints[_other_end(end)]
    memory.cores[number].met = _met(account, timing, end, pipe, pair)
    row.endpoint = endpoint
    row.other = other
    row.slots = rules.slots_of(timing.rules, endpoint.mask)
    row.filled = _filled(account, pipe, pair, way)
    for one in range(PAIRS):
        row.cube_masks[one] = timing.endpoints[rules.end_of(pipe, one, False)].mask
    row.pipes = 0
    for one in range(PIPES):
        row.pipes += timing.endpoints[rules.end_of(one, pair, number != 0)].init
    row.together = memory.ends[_other_end(end)].started == memory.cores[number].accepted
    row.period = 0
    row.producer = 0
    op = row.plan.op
    if (op == Op.TPUSH or op == Op.TPOP) and (endpoint.mask >> way) & 1:
        _take_period(memory, row)


@part
def _take_period(memory: Record, row: Record) -> None:
    """Note the cycles from one TPUSH, or TPOP, of a ring to the next."""
    op = row.plan.op
    ring = memory.rings[row.plan.pipe, row.plan.pair, row.way]
    side = ring.producer if op == Op.TPUSH else ring.consumer
    accepted = memory.cores[row.core].accepted
    period = 0
    if side.accepted >= 0:
        period = accepted - side.accepted - side.waited
    side.accepted = accepted
    side.waited = 0
    row.period = period
    row.producer = ring.period
    if op == Op.TPUSH:
        ring.period = period


@compiled
def passed(account: Record, timing: Record, number: int, cycle: int) -> None:
    """A core has consumed its flag; ``_complete_wait`` has the rest."""
    memory, core = account.memory, timing.cores[number]
    plan, own = core.plan, memory.cores[number]
    own.wait = account.wait.count
    memory.moved = 1
    way = _way(number, plan.op)
    row = new_row(account.wait, cycle)
    row.core = number
    row.plan = plan
    row.way = way
    row.length = cycle - own.accepted
    row.arrived = NEVER
    row.late = 0
    if plan.wait_flag != rules.NONE:
        one = memory.arrived[plan.wait_bank, plan.wait_flag]
        row.arrived = one - own.accepted - 1
        if plan.pairs > 1:
            two = memory.arrived[plan.wait_bank + 2, plan.wait_flag]
            row.arrived = max(one, two) - own.accepted - 1
            row.late = 2 if one == two else two > one
    peer = timing.cores[plan.pair + 1 if number == 0 else 0]
    row.peer_sets = peer.state == State.PRE and _same_pipe(peer.plan, plan)
    ring = memory.rings[plan.pipe, plan.pair, way]
    side = ring.producer if plan.op == Op.TPUSH else ring.consumer
    side.waited = cycle - own.accepted
    row.then = core.state


@part
def _complete_wait(account: Record, timing: Record, number: int) -> None:
    row = account.wait.rows[account.memory.cores[number].wait]
    row.other_mask = 0
    row.other_slots = 0
    row.other_filled = 0
    if number == 0:
        pair = row.plan.pair
        mask = timing.endpoints[rules.end_of(row.plan.pipe, 1 - pair, False)].mask
        row.other_mask = mask
        row.other_slots = rules.slots_of(timing.rules, mask)
        row.other_filled = _filled(account, row.plan.pipe, 1 - pair, row.way)


@compiled
def responded(account: Record, timing: Record, number: int, cycle: int) -> None:
    """A core has given its response, and its endpoint has what the command changes."""
    memory, plan = account.memory, timing.cores[number].plan
    row = new_row(account.response, cycle)
    row.core = number
    row.plan = plan
    row.endpoint = timing.endpoints[plan.end]
    row.met = memory.cores[number].met
    row.last_error = memory.ends[plan.end].last_error
    memory.ends[plan.end].last_error = plan.error
    if plan.error == Error.OK and plan.op != Op.INIT:
        for pair in range(plan.pair, plan.pair + plan.pairs):
            ring = memory.rings[plan.pipe, pair, _way(number, plan.op)]
            ring.pushed += plan.op == Op.TPUSH
            ring.freed += plan.op == Op.TFREE
        _endpoint_changed(account, timing, number, cycle)


@part
def _endpoint_changed(account: Record, timing: Record, number: int, cycle: int) -> None:
    plan = timing.cores[number].plan
    wraps = account.memory.ends[plan.end].wraps
    row = new_row(account.endpoint, cycle)
    row.core = number
    row.plan = plan
    row.endpoint = timing.endpoints[plan.end]
    row.other = timing.endpoints[_other_end(plan.end)]
    row.way = _way(number, plan.op)
    cube = timing.endpoints[rules.end_of(plan.pipe, plan.pair, False)]
    vector = timing.endpoints[rules.end_of(plan.pipe, plan.pair, True)]
    row.push_tags[Way.C2V] = cube.push_tag
    row.free_tags[Way.C2V] = vector.free_tag
    row.push_tags[Way.V2C] = vector.push_tag
    row.free_tags[Way.V2C] = cube.free_tag
    row.wraps = 0
    if plan.op != Op.INIT and plan.tag + 1 == plan.slots:
        wraps[plan.op] += 1
        row.wraps = wraps[plan.op]


@compiled
def completed(account: Record, timing: Record) -> None:
    """The end of a cycle in which a command was accepted, or a WAIT ended."""
    memory = account.memory
    memory.moved = 0
    for number in range(_CORES):
        own = memory.cores[number]
        if own.wait >= 0:
            _complete_wait(account, timing, number)
            own.wait = -1
        if own.command >= 0:
            _complete_command(account, timing, number)
            own.command = -1


# ── Ports ────────────────────────────────────────────────────────────────────────────────────────


@compiled
def users_changed(account: Record, timing: Record) -> None:
    """Cores have begun or ended transfers: who uses which of the shared ports."""
    for number in range(_PORTS):
        if not SHARED[number]:
            continue
        port = account.memory.ports[number]
        port.cores = 0
        port.beats[:] = 0
        for user in range(_CORES):
            core = timing.cores[user]
            memory = core.plan.from_memory if number < WRITES else core.plan.to_memory
            if core.state == State.XFER and memory == number % WRITES:
                port.beats[port.cores] = core.plan.beats
                port.cores += 1


@compiled
def port_changed(account: Record, number: int, was_ready: int, ready: int, cycle: int) -> None:
    """A port's level."""
    port = account.memory.ports[number]
    if ready and not was_ready:
        port.opened = cycle
    elif was_ready and not ready:
        port.shut = cycle


@compiled
def beat_accepted(account: Record, timing: Record, number: int, core: int, cycle: int) -> None:
    """A port takes a beat of a core."""
    port = account.memory.ports[number]
    row = new_row(account.beat, cycle)
    row.core = core
    row.port = number
    row.latency = timing.ports[number].latency
    row.refused = cycle - port.shut if port.opened == cycle else 0
    row.cores = port.cores if SHARED[number] else 1
    row.beats[0] = port.beats[0] if SHARED[number] else timing.cores[core].plan.beats
    row.beats[1] = port.beats[1]


# ── Pairs ────────────────────────────────────────────────────────────────────────────────────────


@compiled
def arrived(account: Record, timing: Record, before: Records, cycle: int) -> None:
    """SETs arrive in banks that were ``before``."""
    for bank in range(len(timing.banks)):
        rising = timing.banks[bank].visible & ~before[bank]
        flag = 0
        while rising >> flag:
            if (rising >> flag) & 1:
                account.memory.arrived[bank, flag] = cycle
                row = new_row(account.flag, cycle)
                row.bank = bank
                row.flag = flag
                other = bank - 1  # of the pair, and already looked at
                row.both = bank % 2 == 1 and timing.banks[other].visible & ~before[other] != 0
            flag += 1


@compiled
def asked(
    account: Record, timing: Record, pair: int, offers: tuple[bool, bool], cycle: int
) -> None:
    """What strobes ask of a pair, and how they meet it; ``offers``: AIC, AIVp a command."""
    for strobe in range(len(STROBES)):
        if not (timing.asked[strobe] >> pair) & 1:
            continue
        row = new_row(account.strobe, cycle)
        row.strobe = strobe
        row.pair = pair
        row.errors = timing.pairs[pair]
        row.vector_state = timing.cores[1 + pair].state
        row.cube_state = timing.cores[0].state
        row.cube_pair = pair if rules.is_for(timing.cores[0].plan, pair) else 1 - pair
        row.cube_offers, row.vector_offers = offers
        row.flying = not is_quiet(timing, pair)
        row.alone = timing.asked[strobe] != (1 << PAIRS) - 1 and is_tied(timing)
        row.filled = 0
        for pipe in range(PIPES):
            row.filled += _filled(account, pipe, pair, Way.C2V)
            row.filled += _filled(account, pipe, pair, Way.V2C)


@compiled
def clears_granted(account: Record, timing: Record, pairs: int) -> None:
    """Pairs are about to forget."""
    for pair in range(PAIRS):
        if (pairs >> pair) & 1:
            _clear_granted(account, timing, pair)


@part
def _clear_granted(account: Record, timing: Record, pair: int) -> None:
    memory = account.memory
    for pipe in range(PIPES):
        first, second = rules.end_of(pipe, pair, False), rules.end_of(pipe, pair, True)
        cube, vector = timing.endpoints[first], timing.endpoints[second]
        memory.cleared[pipe, pair] = cube.mask if cube.init else vector.mask
        for way in range(WAYS):
            ring = memory.rings[pipe, pair, way]
            ring.pushed = 0
            ring.freed = 0
            ring.period = 0
            ring.producer.accepted = -1
            ring.consumer.accepted = -1
        for end in (first, second):
            if timing.endpoints[end].init:
                memory.ends[end].last_error = 0
                memory.ends[end].wraps[:] = 0


@compiled
def fault_shown(account: Record, timing: Record, pair: int, faults: int, cycle: int) -> None:
    """Errors of a pair that are new."""
    row = new_row(account.fault, cycle)
    row.pair = pair
    row.faults = faults
    row.differ = differences(timing, pair)


@compiled
def deadlock_shown(account: Record, timing: Record, pair: int, cycle: int) -> None:
    """A pair has come to stand still."""
    row = new_row(account.deadlock, cycle)
    row.pair = pair
    row.op = timing.cores[0].plan.op
    row.pairs = timing.cores[0].plan.pairs
    row.pipes[0] = timing.cores[0].plan.pipe
    row.pipes[1] = timing.cores[1 + pair].plan.pipe
