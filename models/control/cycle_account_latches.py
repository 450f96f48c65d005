# SPDX-License-Identifier: Apache-2.0
"""The account of wait latches: what is looked at in each cycle, and what was when they have gone.

As ``cycle_account``, before the end of a cycle: a latch whose condition is met is still valid.
"""

from __future__ import annotations

from tilepath.isa import constants
from tilepath.isa.registers import config_field
from tilepath.models.account import new_row
from tilepath.models.control import cycle_latch, sync_values, values
from tilepath.models.control import fields as F
from tilepath.models.control.account import Held, Meanwhile
from tilepath.models.control.cycle_account_memory import go_on
from tilepath.models.control.cycle_latch import LatchKind
from tilepath.models.control.instructions import THREADS, Kind
from tilepath.models.control.state import SEMAPHORES, read_thread_config, stream_of
from tilepath.models.fields import get
from tilepath.models.jit import compiled, part
from tilepath.models.records import Record

_BANK_SEL = config_field("STREAM_ID_SYNC_SEC0_BankSel").addr32
_HI = config_field("STREAMWAIT_PHASE_HI_Val").addr32
_MESSAGES_HI = config_field("STREAMWAIT_NUM_MSGS_HI_Val").addr32
_LATER = 3  # the latest age that is told


@compiled
def tell_latch(block: Record, account: Record, thread: int, cycle: int, held: int) -> None:
    """The thread's latch; ``held``: what holds its word."""
    gate, memory = block.gates[thread], account.memory.threads[thread]
    latch = gate.latch
    if memory.latch and latch.kind == 0:
        _gone(block, account, thread, cycle)
    if latch.kind == 0:
        memory.rows.latch = memory.rows.semwait = memory.rows.streamwait = 0
    else:
        memory.lived = cycle - latch.set_in
        _live(block, account, thread, cycle)
        if gate.wins:
            memory.run += 1
        else:
            _run_ends(account, thread, latch.kind, cycle)
        memory.meanwhile = Meanwhile.OTHERWISE
        if not gate.offered.valid:
            memory.meanwhile = Meanwhile.NONE
        elif held & Held.LATCHED:
            memory.meanwhile = Meanwhile.LATCHED
        elif gate.wins:
            memory.meanwhile = Meanwhile.ISSUES
        memory.kind = gate.offered.kind
        memory.hold = (block.hold >> thread) & 1
    memory.latch = latch.kind
    if gate.wins and Kind.STALLWAIT <= gate.offered.kind <= Kind.STREAMWAIT:
        word = gate.offered.word
        memory.given_block_0 = get(word, F.WAIT_BLOCK) == 0
        memory.given_cond_0 = get(word, F.STALLWAIT_COND) == 0
        memory.hi = _hi(block, thread, get(word, F.STREAMWAIT_COND_IDX))


@part
def _run_ends(account: Record, thread: int, latch: int, cycle: int) -> None:
    memory = account.memory.threads[thread]
    if memory.run:
        row = new_row(account.run, cycle)
        row.thread, row.latch, row.words = thread, latch, memory.run
        memory.run = 0


@part
def _high_word(block: Record, thread: int, cond: int) -> int:
    """The word of ThreadConfig with the high part of the target."""
    index = _MESSAGES_HI if cond == constants.STREAM_COND_MSGS else _HI
    return read_thread_config(block.state, thread, index)


@part
def _hi(block: Record, thread: int, cond: int) -> int:
    return values.stream_target(block.state, thread, cond, 0)


@part
def _live(block: Record, account: Record, thread: int, cycle: int) -> None:
    memory, latch = account.memory.threads[thread], block.gates[thread].latch
    streams = account.memory.preparing
    for stage in range(1, 5):
        slot = (cycle - stage) & 7
        if account.memory.lefts_in[slot] == cycle - stage:
            streams |= account.memory.lefts[slot] << (3 * stage)
    told = streams << 1 | (1 if latch.met else 0)
    if memory.rows.latch and told == memory.latched and memory.lived > 1:
        go_on(account.latch, memory.rows.latch, 1)
    else:
        memory.latched = told
        row = new_row(account.latch, cycle)
        memory.rows.latch = account.latch.count
        row.thread, row.cycles = thread, 1
        row.latch, row.what, row.met, row.streams = latch.kind, latch.what, latch.met, streams
    if latch.kind == LatchKind.STALLWAIT:
        _stallwait(block, account, thread, cycle)
    elif latch.kind == LatchKind.STREAMWAIT:
        _streamwait(block, account, thread, cycle)
    elif memory.lived > 1 and memory.rows.semwait and account.memory.changed_in != cycle - 1:
        go_on(account.semwait, memory.rows.semwait, 1)
    else:
        _semwait(block, account, thread, cycle)


@part
def _stallwait(block: Record, account: Record, thread: int, cycle: int) -> None:
    memory, latch = account.memory.threads[thread], block.gates[thread].latch
    row = new_row(account.stallwait, cycle)
    row.thread, row.cycles = thread, 1
    for other in range(THREADS):
        row.others[other] = cycle_latch.conditions(block, other, cycle)
    row.what, row.busy, row.before = latch.what, row.others[thread], memory.busy
    memory.busy = row.busy
    row.age, row.met, row.given_0 = min(memory.lived, _LATER), latch.met, memory.given_cond_0


@part
def _semwait(block: Record, account: Record, thread: int, cycle: int) -> None:
    memory, latch = account.memory.threads[thread], block.gates[thread].latch
    row = new_row(account.semwait, cycle)
    memory.rows.semwait = account.semwait.count
    row.thread, row.cycles = thread, 1
    cond, selected = cycle_latch.sem_cond(latch.what), cycle_latch.sem_mask(latch.what)
    row.cond, row.selected, row.waiting = cond, selected, 0
    for number in range(SEMAPHORES):
        row.levels[number] = block.state.semaphores[number].value
        row.maxima[number] = block.state.semaphores[number].maximum
        one = selected & (1 << number)
        if one and sync_values.semaphores_wait(block.state, one, cond):
            row.waiting |= one


@part
def _streamwait(block: Record, account: Record, thread: int, cycle: int) -> None:
    memory, latch = account.memory.threads[thread], block.gates[thread].latch
    cond, select = cycle_latch.stream_cond(latch.what), cycle_latch.stream_select(latch.what)
    stream = stream_of(block.state, thread, select)
    register = values.stream_register(block.state, stream, cond)
    hi = _hi(block, thread, cond)
    write, mine, now = block.stream_written, values.stream_register_index(cond), False
    changed = hi != memory.hi
    if memory.lived == 1:
        memory.hi_changed = 1 if changed else 0
        memory.redirected = 0
        memory.first_stream, memory.target, memory.register = stream, latch.target, register
    else:
        memory.hi_changed |= 2 if changed else 0
        if stream != memory.stream:
            now = True
            set_now = memory.setc16_in == cycle - 1
            by_setc16 = set_now and memory.setc16_index == _BANK_SEL + select
            memory.redirected = 2 if by_setc16 else 1
    written = write.cycle == cycle - 1
    hi_above = 1 if _high_word(block, thread, cond) != hi >> 10 else 0
    banksel = read_thread_config(block.state, thread, _BANK_SEL + select)
    select_above = 1 if banksel != stream else 0
    if memory.rows.streamwait and memory.lived > _LATER and not written and not now:
        row = account.streamwait.rows[memory.rows.streamwait - 1]
        as_before = row.hi_above == hi_above and row.select_above == select_above
        if as_before and row.stream == stream and not changed and not memory.told_write:
            row.cycles += 1
            return
    memory.hi, memory.stream, memory.told_write = hi, stream, written or now
    row = new_row(account.streamwait, cycle)
    memory.rows.streamwait = account.streamwait.count
    row.thread, row.cycles, row.now = thread, 1, now
    row.cond, row.select, row.age, row.met = cond, select, min(memory.lived, _LATER), latch.met
    row.target, row.register, row.stream = latch.target, register, stream
    row.redirected = memory.redirected
    row.first_met = values.stream_register(block.state, memory.first_stream, cond) >= latch.target
    row.crossed = 0
    if written and write.stream == stream and write.register == mine:
        before = values.stream_register_value(cond, write.before)
        if before < latch.target <= register:
            row.crossed = 1
        elif register < latch.target <= before:
            row.crossed = -1
    row.hi_above, row.select_above = hi_above, select_above


@part
def _gone(block: Record, account: Record, thread: int, cycle: int) -> None:
    """The latch of the cycle before is not there any more."""
    memory, latch = account.memory.threads[thread], block.gates[thread].latch
    row = new_row(account.gone, cycle)
    row.thread, row.latch, row.lived = thread, memory.latch, memory.lived
    row.meanwhile, row.kind, row.hold = memory.meanwhile, memory.kind, memory.hold
    row.what = latch.what
    row.target = row.register = row.hi = row.redirected = 0
    if memory.latch == LatchKind.STALLWAIT:
        row.met = cycle_latch.conditions(block, thread, cycle) & latch.what == 0
    elif memory.latch == LatchKind.SEMWAIT:
        mask, cond = cycle_latch.sem_mask(latch.what), cycle_latch.sem_cond(latch.what)
        row.met = not sync_values.semaphores_wait(block.state, mask, cond)
    else:
        cond, select = cycle_latch.stream_cond(latch.what), cycle_latch.stream_select(latch.what)
        row.met = values.stream_count(block.state, thread, cond, select) >= latch.target
        row.target, row.register = memory.target, memory.register
        row.hi = memory.hi_changed | (2 if _hi(block, thread, cond) != memory.hi else 0)
        row.redirected = memory.redirected
    _run_ends(account, thread, memory.latch, cycle)
