# SPDX-License-Identifier: Apache-2.0
"""The account of wait latches: what is looked at in each cycle, and what was when they have gone.

As ``cycle_account``, before the end of a cycle: a latch whose condition is met is still valid.
"""

from __future__ import annotations

from tilepath.engine.compiled.jit import compiled, part
from tilepath.engine.compiled.records import Record
from tilepath.isa import constants
from tilepath.isa.registers import config_field
from tilepath.models.control import cycle_latch, sync_values, values
from tilepath.models.control import fields as F
from tilepath.models.control.account import SETC16S, THREAD_WORDS_FROM
from tilepath.models.control.cycle_latch import LatchKind
from tilepath.models.control.instructions import THREADS, Kind
from tilepath.models.control.state import SEMAPHORES, read_thread_config, stream_of
from tilepath.models.fields import get

_BANK_SEL = config_field("STREAM_ID_SYNC_SEC0_BankSel").addr32
_HI = config_field("STREAMWAIT_PHASE_HI_Val").addr32
_MESSAGES_HI = config_field("STREAMWAIT_NUM_MSGS_HI_Val").addr32


@compiled
def tell_latch(
    block: Record, account: Record, row: Record, thread: int, before: int, cycle: int
) -> None:
    """The thread's latch; ``row``: of its gate; ``before``: kind of latch in the cycle before."""
    gate, memory = block.gates[thread], account.memory.threads[thread]
    latch, look = gate.latch, row.look
    row.streams = 0
    if latch.gone_from == cycle:
        _gone(block, memory, look, thread, before, cycle)
    if latch.kind:
        row.streams = _streams(account.memory, cycle)
    if latch.kind == LatchKind.STALLWAIT:
        for other in range(THREADS):
            look.others[other] = cycle_latch.conditions(block, other, cycle)
        look.busy = look.others[thread]
    elif latch.kind == LatchKind.SEMWAIT:
        tell_levels(block, look)
        for number in range(SEMAPHORES):
            one = cycle_latch.sem_mask(latch.what) & (1 << number)
            cond = cycle_latch.sem_cond(latch.what)
            if one and sync_values.semaphores_wait(block.state, one, cond):
                look.waiting |= one
    elif latch.kind == LatchKind.STREAMWAIT:
        setc16 = account.memory.writes[SETC16S + thread].before
        _streamwait(block, memory, look, setc16, thread, cycle)
    if gate.wins and gate.offered.kind == Kind.STREAMWAIT:
        memory.hi = _hi(block, thread, get(gate.offered.word, F.STREAMWAIT_COND_IDX))


@part
def tell_levels(block: Record, row: Record) -> None:
    """All semaphores."""
    for number in range(SEMAPHORES):
        row.levels[number] = block.state.semaphores[number].value
        row.maxima[number] = block.state.semaphores[number].maximum


@part
def _streams(memory: Record, cycle: int) -> int:
    """STREAMWRCFGs on their way through the config unit."""
    streams = memory.preparing
    for stage in range(1, 5):
        slot = (cycle - stage) & 7
        if memory.lefts_in[slot] == cycle - stage:
            streams |= memory.lefts[slot] << (3 * stage)
    return streams  # type: ignore[no-any-return]


@part
def _high_word(block: Record, thread: int, cond: int) -> int:
    """The word of ThreadConfig with the high part of the target."""
    index = _MESSAGES_HI if cond == constants.STREAM_COND_MSGS else _HI
    return read_thread_config(block.state, thread, index)


@part
def _hi(block: Record, thread: int, cond: int) -> int:
    return values.stream_target(block.state, thread, cond, 0)


@part
def _streamwait(
    block: Record, memory: Record, look: Record, setc16: Record, thread: int, cycle: int
) -> None:
    latch, write = block.gates[thread].latch, block.stream_written
    cond, select = cycle_latch.stream_cond(latch.what), cycle_latch.stream_select(latch.what)
    stream, hi = stream_of(block.state, thread, select), _hi(block, thread, cond)
    register = values.stream_register(block.state, stream, cond)
    if latch.set_in == cycle - 1:
        memory.hi_changed = 1 if hi != memory.hi else 0
        memory.redirected, memory.first_stream = 0, stream
    else:
        memory.hi_changed |= 2 if hi != memory.hi else 0
        if stream != memory.stream:
            word = THREAD_WORDS_FROM + _BANK_SEL + select
            memory.redirected = 2 if setc16.cycle == cycle - 1 and setc16.index == word else 1
    memory.hi, memory.stream = hi, stream
    look.register, look.stream, look.redirected = register, stream, memory.redirected
    first = values.stream_register(block.state, memory.first_stream, cond)
    look.first_met = first >= latch.target
    mine = write.register == values.stream_register_index(cond)
    if write.cycle == cycle - 1 and write.stream == stream and mine:
        before = values.stream_register_value(cond, write.before)
        look.crossed = int(before < latch.target) - int(register < latch.target)
    look.hi_above = _high_word(block, thread, cond) != hi >> 10
    look.select_above = read_thread_config(block.state, thread, _BANK_SEL + select) != stream


@part
def _gone(
    block: Record, memory: Record, look: Record, thread: int, before: int, cycle: int
) -> None:
    """The latch of the cycle before, of kind ``before``, is not there any more."""
    latch = block.gates[thread].latch
    look.still_met = cycle_latch.is_met(block, thread, before, cycle)
    if before == LatchKind.STREAMWAIT:
        hi = _hi(block, thread, cycle_latch.stream_cond(latch.what))
        look.hi = memory.hi_changed | (2 if hi != memory.hi else 0)
