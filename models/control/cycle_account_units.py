# SPDX-License-Identifier: Apache-2.0
"""The account of the config unit and of the sync unit.

As ``cycle_account``, before the end of a cycle: what a cycle writes is due, and not written yet.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.compiled.account import new_row
from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record
from tilepath.models.control import fields as F
from tilepath.models.control import values
from tilepath.models.control.account import EARLIER, NO_WORD
from tilepath.models.control.cycle_account_latches import tell_levels
from tilepath.models.control.cycle_block import slot
from tilepath.models.control.instructions import CORES, THREADS, Kind
from tilepath.models.control.state import (
    BOTH_BANKS,
    CONFIG_WORDS,
    SEMAPHORES,
    banks_of,
    state_id,
)
from tilepath.models.fields import get

_SEM_MOST: Final = 15
_READ: Final = 3  # of a ``SEMAPHORE``


# ── Config unit


@compiled
def tell_config(block: Record, account: Record, cycle: int, risc: bool) -> None:
    """What enters; in which order with STREAMWRCFGs; accesses; ``risc``: the cores' one wins."""
    memory, entry = account.memory, block.config_unit.entry
    enters = entry.issued_in == cycle - 1
    kind = entry.kind if enters else Kind.ILLEGAL + 0
    _order(block, account, cycle, kind)
    if enters:
        _enters(block, account, cycle, kind)
        if kind == Kind.RISC:
            _access(block, account, cycle)
    if risc:
        memory.offered = block.risc.offered
        memory.at_once = memory.offered == memory.done + 1


@part
def _enters(block: Record, account: Record, cycle: int, kind: int) -> None:
    entry = block.config_unit.entry
    now, bank, banks = account.memory.entered[slot(cycle)], 0, 0
    now.cycle, now.kind, now.thread, now.word = cycle, kind, entry.source, entry.word
    now.quad = now.at_once = False
    if kind == Kind.RISC:
        index, now.writes = NO_WORD, entry.write
        if entry.word < 3 * CONFIG_WORDS:
            index = entry.word % CONFIG_WORDS
            banks = banks_of(entry.word // CONFIG_WORDS & 1, index)
            if entry.word >= 2 * CONFIG_WORDS and entry.write:
                banks = BOTH_BANKS
    else:
        bank = state_id(block.state, entry.source)
        index = values.config_index(entry.kind, entry.word)
        banks = banks_of(bank, index) if index < CONFIG_WORDS else 0
        now.writes = kind != Kind.RDCFG
        now.quad = kind == Kind.WRCFG and get(entry.word, F.WRCFG_IS128) != 0
        now.at_once = kind == Kind.STREAMWRCFG and block.stream_busy == 0
    now.index, now.bank, now.banks = index, bank, banks
    new_row(account.entry, cycle).now = now
    for back in range(1, EARLIER + 1):
        first = account.memory.entered[slot(cycle - back)]
        if first.cycle == cycle - back:
            row = new_row(account.follow, cycle)
            row.now, row.first = now, first


@part
def _order(block: Record, account: Record, cycle: int, kind: int) -> None:
    """Follow the STREAMWRCFG in stage -4, and see what enters before or behind it (C16)."""
    memory, source = account.memory, block.config_unit.entry.source
    if memory.preparing and kind != Kind.ILLEGAL and kind != Kind.STREAMWRCFG:
        memory.overtaken[kind, source] += 1
    if memory.preparing and (not block.config_unit.prepare.valid or kind == Kind.STREAMWRCFG):
        memory.left_in, memory.left_thread = cycle - 1, memory.preparing - 1
        memory.prepared = cycle - memory.prepares_from
        memory.lefts_in[slot(cycle - 1)] = cycle - 1
        memory.lefts[slot(cycle - 1)] = memory.preparing
        memory.preparing = 0
        for other in range(Kind.WRCFG, Kind.RISC + 1):
            for thread in range(THREADS + 1):
                for _ in range(memory.overtaken[other, thread]):
                    _ordered(account, cycle, other, thread, False)
                memory.overtaken[other, thread] = 0
    if kind == Kind.ILLEGAL:
        return
    # WRCFG enters -1, so it waits for one stage less than what enters 0
    least = 1 if kind == Kind.STREAMWRCFG else (4 if kind == Kind.WRCFG else 5)
    if cycle - memory.left_in == least:
        _ordered(account, cycle, kind, source, True)
    if kind == Kind.STREAMWRCFG:
        memory.preparing = source + 1
        memory.prepares_from = cycle


@part
def _ordered(account: Record, cycle: int, kind: int, other: int, behind: bool) -> None:
    row = new_row(account.order, cycle)
    row.thread, row.prepared = account.memory.left_thread, account.memory.prepared
    row.kind, row.other, row.behind = kind, other, behind


@part
def _access(block: Record, account: Record, cycle: int) -> None:
    """An access of the cores is done."""
    memory, entry = account.memory, block.config_unit.entry
    row = new_row(account.access, cycle)
    row.entered, row.waited = entry, cycle - 1 - memory.offered
    row.at_once = memory.at_once
    for thread in range(THREADS):
        write = block.gates[thread].setc16
        row.setc16[thread] = write.index if write.issued_in == cycle - 1 else -1
    memory.done = cycle


# ── Sync unit


@compiled
def tell_semaphores(block: Record, account: Record, cycle: int, read: int) -> None:
    """The operation that acts, and what the cores read: semaphore ``read``, if they do."""
    memory, operation, port = account.memory, block.sync_unit.operation, block.risc_sem
    acts = operation.issued_in == cycle - 1
    if acts:
        kind = operation.kind - Kind.SEMINIT
        thread = CORES if operation.of_cores else operation.thread
        _semaphore(block, account, cycle, kind, get(operation.word, F.SEM_MASK), thread)
    if port.done_in == cycle and not (acts and operation.of_cores):
        _semaphore(block, account, cycle, _READ, 1 << read, CORES)
    if acts and not operation.of_cores:
        memory.acted_in, memory.operation = cycle, operation.kind - Kind.SEMINIT
        memory.selected = get(operation.word, F.SEM_MASK)


@part
def _semaphore(
    block: Record, account: Record, cycle: int, kind: int, selected: int, thread: int
) -> None:
    memory, operation = account.memory, block.sync_unit.operation
    row = new_row(account.semaphore, cycle)
    row.thread, row.operation, row.selected = thread, kind, selected
    limit = _SEM_MOST if kind == 1 else 0
    limited = 0
    tell_levels(block, row)
    for number in range(SEMAPHORES):
        if (selected >> number) & 1 and block.state.semaphores[number].value == limit:
            limited |= 1 << number
    row.limited, row.word = limited, operation.word
    row.beside[0] = row.beside[1] = -1
    if kind == _READ:
        acts = operation.issued_in == cycle - 1 and not operation.of_cores
        if acts and get(operation.word, F.SEM_MASK) & selected:
            row.beside[0] = operation.kind - Kind.SEMINIT
        if memory.acted_in == cycle - 1 and memory.selected & selected:
            row.beside[1] = memory.operation
