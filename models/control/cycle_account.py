# SPDX-License-Identifier: Apache-2.0
"""The account, in a cycle: told when it is decided who issues, before anything is written.

So ``block`` is as registered, and beside it stands what is about to happen. Here the gates, and
the block as a whole; ``cycle_account_latches``, ``_units``
and ``_values`` have the rest.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.compiled.account import account_of, new_row, tell_on
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record, Records
from tilepath.models.control import cycle_gate, cycle_scalar, sync_values, values
from tilepath.models.control import fields as F
from tilepath.models.control.account import BANKS, KINDS, MEMORY, MOST, NO_WORD, Held
from tilepath.models.control.cycle_account_latches import tell_latch
from tilepath.models.control.cycle_account_units import tell_config, tell_semaphores
from tilepath.models.control.cycle_account_values import tell_scalar, tell_views, tell_writes
from tilepath.models.control.instructions import CORES, THREADS, Fault, Kind, Resource
from tilepath.models.control.state import CONFIG_WORDS, FREE, MUTEXES, THREAD_WORDS
from tilepath.models.fields import get

ACCOUNT_CYCLES: Final = 8192  # per pass of the loop
_END: Final = 3 * (CONFIG_WORDS + THREAD_WORDS)  # of the cores' addresses

ACCOUNT: Final = account_of(KINDS, ACCOUNT_CYCLES, MOST, MEMORY)


def begin(memory: Records) -> None:
    """Put what is kept between rows as it is after reset."""
    for name in ("left_in", "acted_in", "lefts_in"):
        memory[name] = -16
    memory["done"] = -1
    memory["entered"]["cycle"] = -16
    memory["writes"]["now"]["cycle"] = memory["writes"]["before"]["cycle"] = -16
    for name in ("state_changed_in", "state_changes_in", "issued_in", "used_in"):
        memory["threads"][name] = -16


def forget_rows(memory: Records) -> None:
    """The rows so far are taken: none goes on."""
    memory["units_told"] = 0
    memory["threads"]["told"] = 0


@compiled
def tell(
    block: Record, account: Record, cycle: int, cores_win: int, cores_get: int, read: int
) -> None:
    """All of ``cycle``.

    Args:
        block: as registered, and decided.
        account: that gets the rows.
        cycle: of all of them.
        cores_win: bit 0 if an access to configuration wins, bit 1 if one to a semaphore does.
        cores_get: whether the access to a semaphore that waits is a get.
        read: the semaphore that was read, if one was.
    """
    tell_config(block, account, cycle, cores_win & 1 != 0)
    tell_semaphores(block, account, cycle, read)
    tell_scalar(block, account, cycle)
    tell_views(block, account, cycle)
    issuing = 0
    for thread in range(THREADS):
        issuing |= (1 << thread) if block.gates[thread].wins else 0
    for thread in range(THREADS):
        _gate(block, account, thread, cycle, issuing)
    _block(block, account, cycle)
    for winner in range(THREADS):
        gate = block.gates[winner]
        if gate.wins and gate.offered.resource != Resource.NONE:
            _grant(block, account, winner, gate.offered.resource, cores_get, cycle)
    if cores_win & 1:
        _grant(block, account, CORES, Resource.CONFIG, cores_get, cycle)
    if cores_win & 2:
        _grant(block, account, CORES, Resource.SYNC, cores_get, cycle)
    tell_writes(account)


@compiled
def lasting(account: Record, cycles: int) -> None:
    """What the last cycle shows stays for so many more."""
    account.units.rows[account.memory.units_told - 1].cycles += cycles
    for thread in range(THREADS):
        account.gate.rows[account.memory.threads[thread].told - 1].cycles += cycles


@part
def _rules(block: Record, thread: int, cycle: int) -> int:
    gate = block.gates[thread]
    rules = 0 + Held.HOLD if (block.hold >> thread) & 1 else 0
    if gate.offered.valid:
        if cycle_scalar.keeps(block, thread, cycle):
            rules |= Held.INSIDE
        if gate.latch.kind and gate.offered.block_class & gate.latch.holds:
            rules |= Held.LATCHED
        if not cycle_gate.available(block, thread, cycle):
            rules |= Held.UNAVAILABLE
    return rules


@part
def _mutex(offered: Record) -> int:
    """Place of the mutex of ATGETM and ATRELM; -1 of others."""
    if offered.kind != Kind.ATGETM and offered.kind != Kind.ATRELM:
        return -1
    place: int = sync_values.mutex_place(offered.word)
    return place


@part
def _owner(block: Record, thread: int, place: int) -> int:
    if place < 0 or block.state.mutex_owners[place] == FREE:
        return 0
    return 1 if block.state.mutex_owners[place] == thread else 2


@compiled
def _gate(block: Record, account: Record, thread: int, cycle: int, issuing: int) -> None:
    """The thread's word and latch."""
    gate, memory = block.gates[thread], account.memory.threads[thread]
    offered, row, before = gate.offered, memory.row, memory.row.latch.kind
    rules = _rules(block, thread, cycle)
    row.cycle, row.cycles, row.thread, row.rules = cycle, 1, thread, rules
    row.offered, row.latch, row.wins = offered, gate.latch, gate.wins
    row.issuing = issuing if rules == Held.HOLD else 0
    row.scalar = block.scalar_unit.kind if rules & Held.INSIDE else 0
    row.look = account.memory.nothing.look
    row.mutex, row.owner = -1, 0
    if offered.valid:
        row.mutex = _mutex(offered)
        row.owner = _owner(block, thread, row.mutex)
        if offered.resource < Resource.SCALAR:
            row.look.ready = (block.unit_ready >> offered.resource) & 1
        if offered.resource == Resource.MATH:
            _banks(block, row.look, thread)
    tell_latch(block, account, row, thread, before, cycle)
    memory.told = tell_on(account.gate, memory.told, row)
    if gate.wins:
        _word(block, account, rules, thread, cycle)


@part
def _banks(block: Record, look: Record, thread: int) -> None:
    """What a word for the Matrix Unit looks at."""
    look.taken, look.passing = (block.gates[thread].busy >> BANKS) & 3, THREADS
    for other in range(THREADS):
        if other != thread:
            look.taken_of_others |= (block.gates[other].busy >> BANKS) & 3
            if block.gates[other].wins and block.gates[other].offered.resource == Resource.MATH:
                look.passing = other


@part
def _word(block: Record, account: Record, rules: int, thread: int, cycle: int) -> None:
    gate, memory = block.gates[thread], account.memory.threads[thread]
    offered, operation = gate.offered, block.sync_unit.operation
    row = new_row(account.word, cycle)
    row.thread, row.offered, row.latch, row.rules = thread, offered, gate.latch, rules
    config = Kind.WRCFG <= offered.kind <= Kind.STREAMWRCFG
    row.index = values.config_index(offered.kind, offered.word) if config else NO_WORD
    mutex = int(memory.row.mutex)
    row.mutex, row.owner, row.waiters = mutex, memory.row.owner, 0
    for other in range(THREADS):
        there = block.gates[other].offered
        same = there.valid and there.kind == Kind.ATGETM and mutex >= 0
        if other != thread and same and sync_values.mutex_place(there.word) == mutex:
            row.waiters += 1
    acts = operation.issued_in == cycle - 1
    faults = values.faults_of(block.state, thread, offered.kind, offered.word) & ~Fault.SEM_LOST
    acting = operation.kind if acts else Kind.NOP
    if sync_values.loses(block.state, offered.kind, offered.word, acting, operation.word):
        faults |= Fault.SEM_LOST
    row.faults = memory.faults = faults | cycle_gate.stale_gpr(block, thread)


@part
def _block(block: Record, account: Record, cycle: int) -> None:
    """The block as a whole."""
    memory = account.memory
    gets, releases, setc16s, faulty, doubly, mutexes = 0, 0, 0, 0, 0, 0
    for place in range(len(MUTEXES)):
        if block.state.mutex_owners[place] != FREE:
            mutexes |= 1 << place
    beyond = 0
    for thread in range(THREADS):
        gate = block.gates[thread]
        if not gate.wins:
            continue
        kind, faults = gate.offered.kind, memory.threads[thread].faults
        setc16s += 1 if kind == Kind.SETC16 else 0
        if _mutex(gate.offered) >= 0:
            gets += 1 if kind == Kind.ATGETM else 0
            releases += 1 if kind == Kind.ATRELM else 0
        faulty += 1 if faults else 0
        doubly += 1 if faults & faults - 1 else 0
        beyond |= (1 << thread) if faults & Fault.CFG_OOB else 0
    entry = block.config_unit.entry
    access = entry.issued_in == cycle - 1 and entry.kind == Kind.RISC
    outside = access and entry.word >= _END
    dropped = entry.word % CONFIG_WORDS == values.STATE_RESET and entry.word < 3 * CONFIG_WORDS
    cores_faulty = outside or (access and entry.write != 0 and dropped)
    row = memory.units
    row.cycle, row.cycles, row.stages, row.hold = cycle, 1, block.config_unit.shown, block.hold
    row.mutexes, row.gets, row.releases, row.setc16s = mutexes, gets, releases, setc16s
    row.faulty, row.doubly, row.cores_faulty = faulty, doubly, cores_faulty
    memory.units_told = tell_on(account.units, memory.units_told, row)
    beyond |= (1 << THREADS) if outside else 0
    if beyond and not memory.out_of_range:
        memory.out_of_range = True
        new_row(account.sticky, cycle).by = beyond


@part
def _asked(block: Record, resource: int) -> int:
    asked = 0
    for thread in range(THREADS):
        asked |= (1 << thread) if block.gates[thread].asks_for == resource else 0
    if resource == Resource.CONFIG and block.risc.asks:
        asked |= 1 << CORES
    if resource == Resource.SYNC and block.risc_sem.asks:
        asked |= 1 << CORES
    return asked


@compiled
def _grant(
    block: Record, account: Record, winner: int, resource: int, cores_get: int, cycle: int
) -> None:
    row = new_row(account.grant, cycle)
    row.resource, row.winner = resource, winner
    asked = _asked(block, resource)
    row.asked = asked
    for thread in range(THREADS):
        row.kinds[thread] = block.gates[thread].offered.kind if (asked >> thread) & 1 else 0
    row.cores_get = 0
    if resource == Resource.SYNC:
        row.cores_get = cores_get if asked >> CORES else 0
        if winner < THREADS:
            _contests(block, account, row.kinds, winner, cycle)


@part
def _contests(block: Record, account: Record, kinds: Records, winner: int, cycle: int) -> None:
    """Pairs of SEMPOST and SEMGET of which one wins."""
    for post in range(THREADS):
        for other in range(THREADS):
            pair = kinds[post] == Kind.SEMPOST and kinds[other] == Kind.SEMGET
            if not pair or winner not in (post, other):
                continue
            words = block.gates[post].offered.word & block.gates[other].offered.word
            common = get(words, F.SEM_MASK)
            if common:
                lowest = 0
                while not (common >> lowest) & 1:
                    lowest += 1
                row = new_row(account.contest, cycle)
                row.thread = post
                row.level = block.state.semaphores[lowest].value
                row.get_wins = winner == other
